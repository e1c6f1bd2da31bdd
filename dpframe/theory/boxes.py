"""Claims that hold on every box of a subdivision of the domain, by enclosure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from dpframe.exact.documents import Json, Range
from dpframe.exact.enclosure import Enclosure
from dpframe.exact.formula import Formula, digest, text_of
from dpframe.exact.interval import Interval, middle
from dpframe.exact.ring import Ring

from .at import At

Box = Mapping[str, Interval]
Decide = Callable[[Sequence[Interval] | None], bool]


def narrowed(c: At, name: str) -> Range:
    """The domain of a symbol, between the numbers that `region` sets for it."""
    span, own = c.domains[name], c.ring.symbols[name].key
    for h in c.region:
        low, high = h.left.constant, h.right.constant
        if low is not None and h.right.key == own and (span.lower is None or low > span.lower):
            span, h.used = span._replace(lower=low, left=True), True
        if high is not None and h.left.key == own and (span.upper is None or high < span.upper):
            span, h.used = span._replace(upper=high, right=True), True
    return span


def on_boxes(c: At, name: str, parts: Sequence[Formula], decide: Decide) -> bool:
    """Whether `decide` says yes to enclosures of `parts` on boxes that cover the domain."""
    spans = {name: narrowed(c, name) for name in sorted(c.ring.depends(*parts))}
    return bool(c.ring.steps.closes(Boxes(c.ring, name, parts, spans, decide)))


class Boxes(NamedTuple):
    """The claim that `decide` says yes on the whole domain, `spans`."""

    ring: Ring
    name: str
    parts: Sequence[Formula]
    spans: Mapping[str, Range]
    decide: Decide

    @property
    def key(self) -> str:
        """`profile at epsilon; delta; mu^2`."""
        return digest(f"{self.name} at {'; '.join(map(text_of, self.parts))}")

    @property
    def whole(self) -> Box | None:
        """The whole domain; None where it is unbounded."""
        ends = {}
        for name, span in self.spans.items():
            if span.lower is None or span.upper is None:
                return None
            ends[name] = Interval(span.lower, span.upper)
        return ends

    def holds(self, box: Box, bits: int = 96) -> bool:
        """Whether `decide` says yes on a box."""
        self.ring.spend(100)
        return self.decide(Enclosure(self.ring, box, bits).ends(*self.parts))

    def shown(self, step: Mapping[str, Json]) -> bool:
        """Whether the step shows it: `.` is a leaf, the name of a symbol halves its side; the last
        box comes first.
        """
        match step:
            case {"by": "boxes", "tree": str(tree), "bits": 96 | 300 as bits}:
                return self.whole is not None and self.covered(self.whole, tree.split(), bits)
        return False

    def covered(self, whole: Box, tree: Sequence[str], bits: int) -> bool:
        """Whether every leaf holds."""
        queue: list[Any] = [whole]
        for mark in tree:
            if not queue:
                return False
            box = queue.pop()
            if mark in box:
                queue += halved(box, mark)
            elif mark != "." or not self.holds(box, bits):
                return False
        return not queue


def halved(box: Box, name: str) -> list[Box]:
    """The lower and the upper half along one side."""
    low, high = box[name]
    at = middle(low, high)
    return [{**box, name: Interval(low, at)}, {**box, name: Interval(at, high)}]
