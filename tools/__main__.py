"""`python -m tools`: the operator's commands."""

import os
import sys

from tools.cli import main

sys.exit(main(sys.argv[1:], os.environ))
