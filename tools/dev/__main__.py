"""`python -m tools.dev`: what `make dev` starts."""

import asyncio
import os
import sys

import uvloop

from tools.dev.stack import main

with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
    sys.exit(runner.run(main(os.environ)))
