"""`python -m docs.generate.utility [--quick] [--plots FOLDER] [NAME ...]` prints the table,
and draws a picture of each statement into the folder.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .checked import table
from .drawing import plot
from .statements import STATEMENTS, check

if __name__ == "__main__":
    reader = argparse.ArgumentParser(prog="python -m docs.generate.utility")
    reader.add_argument("names", nargs="*", metavar="NAME", help=", ".join(STATEMENTS))
    reader.add_argument("--quick", action="store_true", help="fewer draws and sizes")
    reader.add_argument("--plots", type=Path, metavar="FOLDER", help="pictures, as SVG")
    given = reader.parse_args()
    found = [check(name, quick=given.quick) for name in given.names or STATEMENTS]
    sys.stdout.writelines(f"{line}\n" for line in table(found))
    for one in found if given.plots else ():
        plot(one, given.plots / f"{one.name}.svg")
