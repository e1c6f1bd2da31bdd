"""Whether coefficients will have intervals, foreseen from public numbers: n, the noise on X'X, and
the codebook.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Self

import attrs

from dpframe.graph import Categorical, Numeric, Setting
from dpframe.graph.statistics import Gram
from dpframe.numerics.edge import least_apart, least_visible
from dpframe.symbols import Expression

if TYPE_CHECKING:
    from .certificate import Certificate

EVEN, PEAKED = 0.36, 0.04  # mean squares of scaled columns: a std of 30%, of 10% of the range
RARE = 0.2  # of what even levels have: the rarer of two levels with 9% of the records
NARROW = 0.1  # of what rows have that fill their ball evenly


@attrs.frozen
class Foretold:
    """A column of the codebook, or all of them: its mean square per direction where it spreads
    evenly and where it hardly does, and what noise asks for, over n. Intervals are `likely` where
    little is enough, `unlikely` where the most that is usual is not.
    """

    name: str
    even: float
    uneven: float
    needed: float
    levels: int = 0

    @property
    def likely(self) -> bool:
        """Whether hardly any spread is enough."""
        return self.needed <= self.uneven

    @property
    def unlikely(self) -> bool:
        """Whether no usual spread is."""
        return self.needed > self.even

    @property
    def condition(self) -> str:
        """What the table must be like: a public number of it."""
        if self.levels == 2:
            return f"the rarer level has {percent(rarer(self.needed))} of the records"
        if self.levels:
            return f"levels vary {percent(self.needed / self.even)} as much as equal shares do"
        if not self.name:
            return f"rows vary {percent(self.needed / self.even)} as much as even ones, everywhere"
        return f"the std is {percent(math.sqrt(self.needed) / 2)} of the range"


def rarer(needed: float) -> float:
    """The share of the rarer of two levels, coded as -1 and 1 beside a constant: their variance v =
    4 p (1 - p) leaves an eigenvalue of about v/(2 - v).
    """
    variance = min(2 * needed / (1 + needed), 1.0)
    return (1 - math.sqrt(1 - variance)) / 2


def percent(share: float) -> str:
    """`at least 7%`, rounded up."""
    return f"at least {math.ceil(100 * share)}%"


@attrs.frozen
class Foreseen:
    """What is `likely` to have an interval and what is not, a part for each column of the codebook,
    one for all without a codebook. str() is a sentence.
    """

    parts: tuple[Foretold, ...]

    @classmethod
    def of(
        cls,
        setting: Setting,
        n: int,
        std: float,
        d: float,
        number: Callable[[Expression], float],
    ) -> Self:
        """At n records of d columns, for noise of `std` on the diagonal of X'X."""
        needed = least_visible(std, d) / n if n else math.inf
        rows, schema = setting.X, setting.X.columns
        if schema is None:
            spread = number(rows.norm) ** 2 / d if rows.norm is not None else math.inf
            if rows.box is not None:
                spread = min(spread, number(rows.box) ** 2 * EVEN)
            return cls((Foretold("", spread, NARROW * spread, needed),))
        shrunk = 1.0 if rows.norm is None else min(1.0, number(rows.norm) ** 2 / len(schema))
        if rows.box is not None:
            shrunk = min(shrunk, number(rows.box) ** 2)
        alone = [told(part, needed / shrunk) for part in schema]
        lost = [0 if one.likely else part.width for one, part in zip(alone, schema, strict=True)]
        beside = [least_apart(std, d, sum(lost) - own) for own in lost]
        both = zip(schema, beside, strict=True)
        return cls(tuple(told(part, least / n / shrunk if n else math.inf) for part, least in both))

    @property
    def all_likely(self) -> bool:
        """Whether everything is."""
        return all(part.likely for part in self.parts)

    @property
    def none(self) -> bool:
        """Whether nothing is."""
        return all(part.unlikely for part in self.parts)

    def __str__(self) -> str:
        """`likely for smoker; for age if the std is at least 12% of the range; unlikely for bmi`"""
        return "; ".join(self._said())

    def _said(self) -> Iterator[str]:
        if self.all_likely:
            yield "likely for every coefficient, unless columns are collinear"
            return
        if self.none:
            yield "unlikely for any coefficient"
            return
        likely = [part.name for part in self.parts if part.likely]
        if likely:
            yield f"likely for {', '.join(likely)}"
        open_ones = [part for part in self.parts if not part.likely and not part.unlikely]
        for condition in dict.fromkeys(part.condition for part in open_ones):
            names = ", ".join(part.name for part in open_ones if part.condition == condition)
            yield f"for {names} if {condition}" if names else f"if {condition}"
        unlikely = [part.name for part in self.parts if part.unlikely]
        if unlikely:
            yield f"unlikely for {', '.join(unlikely)}"
        if len(self.parts) > 1:
            yield "the intercept only with all of them"


def told(part: Numeric | Categorical, needed: float) -> Foretold:
    """Of one column of a codebook."""
    if isinstance(part, Numeric):
        return Foretold(part.name, EVEN, PEAKED, needed)
    even = 1 / max(part.width, 1)
    return Foretold(part.name, even, RARE * even, needed, len(part.levels))


def foreseen(certificate: Certificate, n: int, sizes: dict[str, int]) -> Foreseen | None:
    """What a certificate's noise on X'X leaves of intervals; None where its regression has none."""
    if not getattr(certificate.regression, "intervals", False):
        return None
    for release in certificate.graph.releases:
        if isinstance(release.statistic, Gram):
            std = certificate.number(release.std, up=True, sizes=sizes)
            d = certificate.number(release.statistic.shape[0], up=True, sizes=sizes)
            number = lambda formula: certificate.number(formula, up=False, sizes=sizes)  # noqa: E731
            return Foreseen.of(certificate.setting, n, std, d, number)
    return None
