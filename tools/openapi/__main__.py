"""`python -m tools.openapi`: write the API reference."""

import sys

from tools.openapi.document import main

sys.exit(main())
