"""Predict from public numbers whether coefficients will have intervals: n, the noise on X'X, and
the codebook.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Self

import attrs

from dpframe.graph import Categorical, Numeric, Setting
from dpframe.graph.statistics import Gram
from dpframe.numerics.edge import least_apart, least_visible
from dpframe.symbols import Expression

if TYPE_CHECKING:
    from .certify import Certificate

EVEN = 0.36  # the mean square of a scaled column: a std of 30% of the range
PEAKED = 0.02  # half of that at 10% of it: a mean near an end leaves no more beside a constant
RARE = 0.2  # of what even levels have: the rarer of two levels with 9% of the records
NARROW = 0.1  # of what rows have that fill their ball evenly
USUAL = (
    0.45  # of the most that is usual: a std of 20% of the range, or 20% of the rarer of two levels
)
USUAL_LEVELS = 0.7  # the same of three levels or more
WITH_ALL = "the intercept only with all of them"
ALONE = "or if their means are near the middle of the range"
END = ", 1.5 times that for means near an end"


@attrs.frozen
class Predicted:
    """A column of the codebook, or all of them.

    Its mean square per direction when it varies evenly and when it hardly varies; and the values,
    over n, that noise requires for an interval if it hides no other column (`needed`) and if it
    hides all that it may (`beside`). Intervals are `likely` if little variation suffices even then,
    `unlikely` if no usual variation suffices.
    """

    name: str
    even: float
    uneven: float
    needed: float
    beside: float
    levels: int = 0

    @property
    def likely(self) -> bool:
        """Whether little variation suffices."""
        return self.beside <= self.uneven

    @property
    def unlikely(self) -> bool:
        """Whether no usual variation suffices."""
        return self.needed > self.even

    @property
    def usual(self) -> float:
        """The mean square of a column with typical variation."""
        return self.even * (USUAL_LEVELS if self.levels > 2 else USUAL)

    @property
    def word(self) -> str:
        """The prediction in a word."""
        if self.beside <= self.usual:
            return "likely"
        if self.needed <= self.usual:
            return "possible"
        return "no" if self.unlikely else "if evenly spread"

    @property
    def condition(self) -> str:
        """The condition on the table."""
        end = "" if self.levels or not self.name else END
        return f"{self._least}{end}"

    @property
    def short(self) -> str:
        """The condition on a column, for a table; empty if no usual variation suffices."""
        if self.unlikely:
            return ""
        return self._least.removeprefix("the ").replace("if noise hides other columns", "at worst")

    @property
    def _least(self) -> str:
        least, more = percent(self._measured(self.needed)), percent(self._measured(self.beside))
        hidden = "more" if self.beside > self.even else more
        note = f" ({hidden} if noise hides other columns)" if hidden != least else ""
        if self.levels == 2:
            return f"the rarer level has at least {least} of the records{note}"
        if self.levels:
            return f"levels vary at least {least} as much as equal shares do{note}"
        if not self.name:
            return f"rows vary at least {least} as much as even ones in every direction"
        return f"the std is at least {least} of the range{note}"

    def _measured(self, needed: float) -> float:
        """A mean square in the words of the condition, in [0, 1]."""
        if self.levels == 2:
            return rarer(needed)
        return needed / self.even if self.levels or not self.name else math.sqrt(needed) / 2


def rarer(needed: float) -> float:
    """The share of the rarer of two levels, coded as -1 and 1 beside a constant: their variance v =
    4 p (1 - p) leaves an eigenvalue of about v/(2 - v).
    """
    variance = min(2 * needed / (1 + needed), 1.0)
    return (1 - math.sqrt(1 - variance)) / 2


def percent(share: float) -> str:
    """`7%`, rounded up."""
    return f"{math.ceil(100 * share)}%" if math.isfinite(share) else "more"


@attrs.frozen
class Foreseen:
    """Predicted intervals, one part for each column of the codebook, or one for all without a
    codebook. str() is a sentence.

    `intercept` says whether a declared intercept beside a codebook has an interval even where noise
    hides columns, if their means are near the middle of their ranges; None without one.
    """

    parts: tuple[Predicted, ...]
    intercept: bool | None = None

    @classmethod
    def of(
        cls,
        setting: Setting,
        n: int,
        std: float,
        d: float,
        number: Callable[[Expression], float],
    ) -> Self:
        """For n records of d columns and noise of `std` on the diagonal of X'X."""
        needed = least_visible(std, d) / n if n else math.inf
        rows, terms = setting.X, setting.X.parts
        if not terms:
            spread = number(rows.norm) ** 2 / d if rows.norm is not None else math.inf
            if rows.box is not None:
                spread = min(spread, number(rows.box) ** 2 * EVEN)
            return cls((Predicted("", spread, NARROW * spread, needed, needed),))
        shrunk = 1.0 if rows.norm is None else min(1.0, number(rows.norm) ** 2 / len(terms))
        if rows.box is not None:
            shrunk = min(shrunk, number(rows.box) ** 2)
        alone = [predicted(term, needed / shrunk, needed / shrunk) for term in terms]
        widths = [math.prod(part.width for part in term) for term in terms]
        lost = [0 if one.likely else width for one, width in zip(alone, widths, strict=True)]
        least = [least_apart(std, d, sum(lost) - own) for own in lost]
        beside = [one / n / shrunk if n else math.inf for one in least]
        pairs = zip(terms, beside, strict=True)
        parts = tuple(predicted(term, needed / shrunk, more) for term, more in pairs)
        visible = n > 0 and least_apart(std, d, sum(lost)) <= n * shrunk
        return cls(parts, visible if rows.intercept else None)

    @property
    def by_column(self) -> bool:
        """Whether a codebook names the columns."""
        return bool(self.parts[0].name)

    @property
    def few(self) -> bool:
        """Whether most columns with typical variation have no interval."""
        return self._share <= 0.5

    @property
    def _share(self) -> float:
        """The share of columns with an interval; a possible one counts half."""
        counts = {"likely": 1.0, "possible": 0.5}
        return sum(counts.get(part.word, 0.0) for part in self.parts) / len(self.parts)

    @property
    def times_for_most(self) -> float:
        """The factor on the number of records at which more than half of such columns have an
        interval.
        """
        times = sorted(part.beside / part.usual for part in self.parts)
        return times[len(times) // 2]

    @property
    def expected(self) -> str:
        """`no interval for most columns`."""
        if self.all_likely:
            return str(self).replace("likely for", "intervals for")
        if self.none:
            return f"no interval for any {'column' if self.intercept else 'coefficient'}"
        if self.few:
            return "no interval for most columns"
        if self._share == 1:
            return "intervals for columns that spread as usual"
        return f"intervals for {'most' if self._share > 0.75 else 'some'} columns"

    def table(self, other: Foreseen | None = None) -> list[str]:
        """One row per column: the prediction, also for another regression, and the condition on the
        table.
        """
        both = [self] if other is None else [self, other]
        named = ["default", "for intervals"] if other else ["interval"]
        rows = [
            [mine[0].name, *(part.word for part in mine), mine[-1].short]
            for mine in zip(*(one.parts for one in both), strict=True)
        ]
        lines = [["column", *named, f"{named[-1]}, where"], *rows]
        if len(rows) > 1 and self.intercept is not None:
            central = ALONE if any(one.intercept for one in both) else ""
            lines.append(["intercept", *("with all others" for _ in named), central])
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        pairs = (zip(line, widths, strict=True) for line in lines)
        return [
            "  " + "  ".join(f"{cell:<{wide}}" for cell, wide in pair).rstrip() for pair in pairs
        ]

    @property
    def all_likely(self) -> bool:
        """Whether all are likely."""
        return all(part.likely for part in self.parts)

    @property
    def none(self) -> bool:
        """Whether none is likely."""
        return all(part.unlikely for part in self.parts)

    def __str__(self) -> str:
        """`likely for smoker; for age if the std is at least 12% of the range; unlikely for bmi`"""
        return "; ".join(self._said())

    def _said(self) -> Iterator[str]:
        if self.all_likely:
            few = " or have a std below 10% of their range" if self.parts[0].name else ""
            yield f"likely for every coefficient, unless columns are collinear{few}"
            return
        if self.none:
            yield "unlikely for any column" if self.intercept else "unlikely for any coefficient"
            if self.intercept:
                yield f"for the intercept {ALONE.removeprefix('or ')}"
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
        if len(self.parts) > 1 and self.intercept is not None:
            yield f"the intercept with all of them, {ALONE}" if self.intercept else WITH_ALL


def predicted(term: Sequence[Numeric | Categorical], needed: float, beside: float) -> Predicted:
    """The prediction for a column of a codebook, or for the product of independent columns."""
    if len(term) > 1:
        alone = [predicted((part,), needed, beside) for part in term]
        even, uneven = math.prod(one.even for one in alone), math.prod(one.uneven for one in alone)
        return Predicted(":".join(part.name for part in term), even, uneven, needed, beside)
    (part,) = term
    if isinstance(part, Numeric):
        return Predicted(part.name, EVEN, PEAKED, needed, beside)
    even = 1 / max(part.width, 1)
    return Predicted(part.name, even, RARE * even, needed, beside, len(part.levels))


def foreseen(certificate: Certificate, n: int, sizes: dict[str, int]) -> Foreseen | None:
    """The intervals that a certificate's noise on X'X leaves; None if its regression has none."""
    if not getattr(certificate.regression, "intervals", False):
        return None
    for release in certificate.graph.releases:
        if isinstance(release.statistic, Gram):
            std = certificate.number(release.std, up=True, sizes=sizes)
            d = certificate.number(release.statistic.shape[0], up=True, sizes=sizes)
            number = lambda formula: certificate.number(formula, up=False, sizes=sizes)  # noqa: E731
            return Foreseen.of(certificate.setting, n, std, d, number)
    return None
