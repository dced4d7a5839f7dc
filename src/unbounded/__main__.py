# SPDX-License-Identifier: MIT
"""`python -m unbounded` is the command line."""

import sys

from unbounded.cli import main

if __name__ == "__main__":
    sys.exit(main())
