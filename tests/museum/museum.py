"""The bug museum: bugs of real systems, each ported, and each stopped by a gate for everybody.

`python -m tests.museum.museum` walks through it and prints what each exhibit costs in CPU seconds.
"""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import attrs

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
VERIFIER = "the verifier"  # the gate of most
KNOWN = 13  # the first so many are bugs of libraries; the others are published constants
TEXTS = tomllib.loads((ROOT / "docs/generate/pages/museum.toml").read_text("utf-8"))


@attrs.frozen
class Finding:
    """What a gate says of one port: whether it stops it, and why."""

    stopped: bool
    says: str


@attrs.frozen(eq=False)
class Exhibit:
    """One bug. `wrong` puts its port to a gate and `mended` the corrected port to the same gate;
    what the page says of it is in `text`.
    """

    number: int
    gate: str = VERIFIER
    wrong: Callable[[], Finding] = attrs.field(kw_only=True)
    mended: Callable[[], Finding] = attrs.field(kw_only=True)
    shows: tuple[str, ...] = attrs.field(kw_only=True)
    """What the finding must say, so that it is this bug that is found."""

    @property
    def text(self) -> dict[str, str]:
        """Its name, system, source, claim, fact, port and repair."""
        return TEXTS[str(self.number)]

    @property
    def verdict(self) -> str:
        """Refused without data, or falsified by a counterexample that was computed."""
        return "refused" if self.gate == VERIFIER else "falsified"

    @property
    def found(self) -> Finding:
        """What the gate says of the bug."""
        return judged(self.wrong)

    @property
    def passed(self) -> Finding:
        """What the gate says of the corrected port."""
        return judged(self.mended)

    @property
    def caught(self) -> bool:
        """Whether the gate stops the bug, for its reason, and lets the corrected port pass."""
        right = all(part in self.found.says for part in self.shows)
        return self.found.stopped and right and not self.passed.stopped


@cache
def judged(port: Callable[[], Finding]) -> Finding:
    """The finding, made once for all tests."""
    return port()


@cache
def museum() -> tuple[Exhibit, ...]:
    """Every exhibit, by number."""
    from tests.museum import falsified, refused

    found = [*refused.EXHIBITS, *falsified.EXHIBITS]
    return tuple(sorted(found, key=lambda exhibit: exhibit.number))


def tally(exhibits: tuple[Exhibit, ...]) -> str:
    """`13 of 13, and 9 of 9 more`."""
    known, more = (
        [one for one in exhibits if (one.number <= KNOWN) is known] for known in (True, False)
    )
    caught, others = (sum(one.caught for one in group) for group in (known, more))
    return f"{caught} of {len(known)}, and {others} of {len(more)} more"


def walk() -> str:
    """A line an exhibit, and the tally."""
    lines = []
    for exhibit in museum():
        start = time.process_time()
        stopped = exhibit.verdict if exhibit.caught else "NOT STOPPED"
        spent = time.process_time() - start
        lines.append(
            f"{exhibit.number:3}  {stopped:11}  {spent:6.2f} s  {exhibit.gate:28}  "
            f"{exhibit.text['name']}"
        )
    return "\n".join([*lines, tally(museum())])


if __name__ == "__main__":
    from tests.museum import museum as named  # by its name, as the exhibits import it

    print(named.walk())  # noqa: T201 - this is what it is for
