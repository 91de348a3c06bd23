"""`python -m tools`: the operator's commands."""

import os
import sys

from tools.cli.main import main

sys.exit(main(sys.argv[1:], os.environ))
