"""`python -m dpframe.experiments.utility [--quick] [NAME ...]` prints the table."""

from __future__ import annotations

import sys

from .checked import table
from .statements import STATEMENTS, check

if __name__ == "__main__":
    names = [one for one in sys.argv[1:] if one != "--quick"] or list(STATEMENTS)
    for line in table([check(name, quick="--quick" in sys.argv) for name in names]):
        sys.stdout.write(line + "\n")
