"""python -m tests.mutating: edits that break a claim are refused, harmless ones accepted."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from rich.progress import track

import dpframe as dp
from dpframe.cli.declaration import regression_of
from dpframe.cli.options import NAME
from dpframe.cli.printing import say
from dpframe.literature.catalogue import example
from dpframe.literature.every import everything

from . import EXAMPLES, Mutants, around, together


def main(words: Sequence[str] | None = None) -> int:
    """Edit the graph of a regression in every known wrong way; what is accepted must be private
    still, by the independent checker. 1 where a mutant survives.
    """
    parser = argparse.ArgumentParser(prog="python -m tests.mutating", description=main.__doc__)
    parser.add_argument("name", nargs="?", metavar="NAME", help=NAME)
    for flag, text in (
        ("--all", "every regression of dpframe, and examples with cells"),
        ("--every", "each edit in each setting; else in one of them, in turn"),
        ("--list", "each mutant on a line of its own"),
        ("--repairs", "take every way out, and count"),
    ):
        parser.add_argument(flag, action="store_true", help=text)
    parser.add_argument("--set", action="append", default=[], metavar="FIELD=VALUE")
    given = parser.parse_args(words)
    if (given.name is None) != given.all:
        parser.error("NAME or --all")
    try:
        found = (
            _everything(every=given.every)
            if given.all
            else around(regression_of(given.name, given.set), every=given.every)
        )
    except dp.DPFrameError as error:
        parser.error(str(error))
    if not len(found):
        parser.error(f"{given.name} is certified nowhere: `dpframe certify {given.name}` says why")
    _say(found, listed=given.list, repairs=given.repairs)
    return 1 if found.survivors else 0


def _everything(*, every: bool) -> Mutants:
    listed = (*map(example, everything()), *EXAMPLES)
    return together([around(one, every=every) for one in track(listed, "Mutating")])


def _say(found: Mutants, *, listed: bool, repairs: bool) -> None:
    if listed:
        say("\n".join(map(str, found)) + "\n")
    say(str(found))
    if repairs:
        offered, accepted = found.mended
        share = accepted / offered if offered else 1.0
        say(
            f"{offered:,} refusals offer a way out; taking it, step by step and knowing nothing of "
            f"the edit, makes {accepted:,} of them acceptable ({share:.0%})."
        )


if __name__ == "__main__":
    sys.exit(main())
