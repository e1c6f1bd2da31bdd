"""Sensitivities as a paper states them, beside those that follow from rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import attrs

from dpframe.graph import Graph, Release
from dpframe.prover.algebra import Field
from dpframe.prover.sign import nonnegative
from dpframe.symbols import Expression

EQUAL, TOO_SMALL, TOO_LARGE, UNCLEAR, NO_RULE = (
    "equal",
    "too small",
    "larger than derived",
    "not comparable",
    "no rule",
)
SAYS = {
    EQUAL: "as derived",
    TOO_SMALL: "smaller than what is derived: noise that is sized by it is too small",
    TOO_LARGE: "larger than what is derived: noise that is sized by it is more than is needed",
    UNCLEAR: "neither seen to be larger nor to be smaller than what is derived",
    NO_RULE: "not compared: nothing is derived",
}


@attrs.frozen
class ClaimedSensitivity:
    """What a paper says that one row moves, and the bound that dpframe derives, in the norm of the
    noise. `verdict`: equal, too small, larger than derived, not comparable, no rule. Derived bounds
    are upper bounds: where `attained` is False, a smaller claim may be true.
    """

    release: str
    written: str
    claimed: Expression
    derived: Expression | None
    norm: str
    rule: str
    attained: bool
    verdict: str

    @property
    def differs(self) -> bool:
        """Whether a page must say so."""
        return self.verdict != EQUAL

    def __str__(self) -> str:
        """`gram: the paper says 1; derived B^2 (L2): smaller than ...`."""
        if self.derived is None:
            return f"{self.release}: the paper says {self.written}; {SAYS[self.verdict]}"
        found = f"{self.derived} ({self.norm}; {self.rule})"
        return f"{self.release}: the paper says {self.written}, {SAYS[self.verdict]}: {found}"

    def record(self) -> dict[str, object]:
        """Every field as a JSON value."""
        return {
            "release": self.release,
            "written": self.written,
            "claimed": str(self.claimed),
            "derived": None if self.derived is None else str(self.derived),
            "norm": self.norm,
            "rule": self.rule,
            "attained": self.attained,
            "verdict": self.verdict,
        }


def compared(
    graph: Graph, claims: Mapping[str, tuple[str, Expression]]
) -> Iterator[ClaimedSensitivity]:
    """Each claim, as it is written and as a formula, beside what is derived for the release of that
    name.
    """
    for release in graph.releases:
        if release.name in claims:
            yield _compared(release, *claims[release.name])


def _compared(release: Release, written: str, claimed: Expression) -> ClaimedSensitivity:
    norm = release.noise.norm
    moved = release.statistic.one_row(norm, release.statistic.unit.relation)
    told = partial(ClaimedSensitivity, release.name, written, claimed)
    if moved is None or release.statistic.kind == "stated":
        return told(None, str(norm), "", attained=False, verdict=NO_RULE)
    verdict = _verdict(claimed, moved.value)
    return told(moved.value, str(norm), moved.rule, attained=moved.attained, verdict=verdict)


def _verdict(claimed: Expression, derived: Expression) -> str:
    field = Field(claimed.symbols() | derived.symbols())
    if claimed == derived or field.constant(claimed - derived) == 0:
        return EQUAL
    above, below = nonnegative(claimed - derived, field), nonnegative(derived - claimed, field)
    if above.proved and below.proved:
        return EQUAL
    if above.proved:
        return TOO_LARGE
    return TOO_SMALL if below.proved or above.witness is not None else UNCLEAR
