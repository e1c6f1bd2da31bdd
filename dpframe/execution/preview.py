"""The accuracy of a run at public sizes, before any budget is spent; and from n, the noise on X'X
and the codebook, whether coefficients will have intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Self

import attrs

from dpframe.errors import InvalidArgument, Plain, PrivacyWarning, warn
from dpframe.graph import Categorical, Graph, Joint, Numeric, Release, Setting
from dpframe.graph.facts import answers
from dpframe.graph.maps.grid import RowsOnGrid
from dpframe.graph.procedure import LOGIT
from dpframe.graph.statistics import Argmin, Gram
from dpframe.numbers import whole
from dpframe.numerics.edge import least_apart, least_visible
from dpframe.privacy import ApproxDP
from dpframe.symbols import Expression

if TYPE_CHECKING:
    from dpframe.prover import Certificate

EVEN = 0.36  # the mean square of a scaled column: a std of 30% of the range
PEAKED = 0.02  # half of that at 10% of it: a mean near an end leaves no more beside a constant
RARE = 0.2  # of what even levels have: the rarer of two levels with 9% of the records
NARROW = 0.1  # of what rows have that fill their ball evenly
USUAL = (
    0.45  # of the most that is usual: a std of 20% of the range, or 20% of the rarer of two levels
)
USUAL_LEVELS = 0.7  # the same of three levels or more
TYPICAL_SHARE = 0.2  # of the range, of a std; of the records, of the rarer of two levels
ALONE = "for the intercept if their means are near the middle of the range"
TYPICAL_VARIATION = (
    "Words are for typical variation, the last column: a std of 20% of the range, 20% of records",
    "at the rarer of two levels, 70% of an equal share at the rarest of more. 'from' states the",
    "least variation, in parentheses if noise hides other columns. Means near an end need 1.5",
    "times the std.",
)
UNCORRELATED = (
    "Columns are assumed to be uncorrelated. Of two with correlation r, each needs 1/sqrt(1 - |r|)",
    "times the std: 1.4 times at r = 0.5, 2.2 times at r = 0.8.",
)
HIDDEN_COLUMN = (
    "A column below its least variation is hidden and lengthens the other intervals: leave it out."
)
MERGE = "Merge rare levels first: those of {}."
BESIDE_HIDDEN = (
    "Beside a hidden column, intervals assume that it changes the label by at most its declared",
    "range, or by what released sums support; summary(largest=...) replaces this.",
    "The assumption fails easily for columns that fill a small part of their range.",
)


@attrs.frozen
class Predicted:
    """A column of the codebook, or all of them.

    Its mean square per direction when it varies evenly and when it hardly varies; and the values,
    over n, that noise requires for an interval if it hides no other column (`needed`) and if it
    hides all that it may (`beside`). Intervals are `likely` if little variation suffices even then,
    `unlikely` if no usual variation suffices. `length` is that of the range of a number.
    """

    name: str
    even: float
    uneven: float
    needed: float
    beside: float
    levels: int = 0
    product: bool = False
    factor: bool = False
    length: float = 0.0

    @property
    def likely(self) -> bool:
        """Whether little variation suffices; never for a product and its factors, which nearly span
        each other where means are away from the middle.
        """
        return self.beside <= self.uneven and not (self.product or self.factor)

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
        if self.product and not self.unlikely:
            return "not predicted"
        if self.beside <= self.usual and not self.factor:
            return "likely"
        if self.needed <= self.usual:
            return "possible"
        return "no" if self.unlikely else "if evenly spread"

    @property
    def cell(self) -> str:
        """The prediction and its least variation, for a table: `likely, from 8%`."""
        if self.unlikely or self.product:
            return self.word
        least, more = self._least(self._amount), self._amount(self._measured(self.beside))
        more = "more" if self.beside > self.even and more != least else more
        return f"{self.word}, from {least}{f' ({more})' if more != least else ''}"

    @property
    def typical(self) -> str:
        """The typical variation, in units of the column: `std 9.2`, `rarest level 20%`."""
        if self.product:
            return "its factors nearly span it"
        if self.levels > 2:
            return f"rarest level {percent(USUAL_LEVELS / self.levels)}"
        return f"{'rarest level' if self.levels else 'std'} {self._amount(TYPICAL_SHARE)}"

    def _amount(self, share: float) -> str:
        """A share of the range of a number in its units, of levels a percentage."""
        return upwards(share * self.length) if self.length else percent(share)

    @property
    def least(self) -> str:
        """The least variation for an interval, if noise hides no other column, as a percentage."""
        return self._least(percent)

    def _least(self, written: Callable[[float], str]) -> str:
        return written(self._measured(self.needed))

    def _measured(self, needed: float) -> float:
        """A mean square in the measure of the column, in [0, 1]. The least mean square of m levels
        is about m times the share of the rarest, in units of that of equal shares.
        """
        if self.levels == 2:
            return rarer(needed)
        if self.levels or not self.name:
            return needed / self.even / max(self.levels, 1)
        return math.sqrt(needed) / 2


def together(names: Sequence[str]) -> str:
    """`x1 to x7`; one name or two as `age, bmi`."""
    return ", ".join(names) if len(names) < 3 else f"{names[0]} to {names[-1]}"


def rarer(needed: float) -> float:
    """The share of the rarer of two levels, coded as -1 and 1 beside a constant: their variance v =
    4 p (1 - p) leaves an eigenvalue of about v/(2 - v).
    """
    variance = min(2 * needed / (1 + needed), 1.0)
    return (1 - math.sqrt(1 - variance)) / 2


def upwards(value: float) -> str:
    """`6.1`, in two digits, rounded up."""
    if not 0 < value < math.inf:
        return "more" if value else "0"
    last = 10.0 ** (math.floor(math.log10(value)) - 1)
    return f"{math.ceil(value / last - 1e-9) * last:.2g}"


def percent(share: float) -> str:
    """`7%`, rounded up."""
    return f"{math.ceil(100 * share)}%" if math.isfinite(share) else "more"


@attrs.frozen
class Foreseen:
    """Predicted intervals, one part for each column of the codebook, or one for all without a
    codebook.

    `intercept` says whether a declared intercept beside a codebook has an interval even where noise
    hides columns, if their means are near the middle of their ranges; None without one.
    """

    parts: tuple[Predicted, ...]
    intercept: bool | None = None

    @classmethod
    def of(
        cls, setting: Setting, n: int, std: float, d: float, number: Callable[[Expression], float]
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
        factors = {part.name for term in terms if len(term) > 1 for part in term}
        parts = tuple(
            attrs.evolve(predicted(term, needed / shrunk, more), factor=term[0].name in factors)
            for term, more in pairs
        )
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
            return "intervals for columns of typical variation"
        return f"intervals for {'most' if self._share > 0.75 else 'some'} columns"

    def table(self, other: Foreseen | None = None) -> list[str]:
        """One row per column: the prediction and the least variation that it needs, also for
        another regression; then the definition of typical variation.
        """
        both = [self] if other is None else [self, other]
        named = ["default", "for intervals"] if other else ["interval"]
        cells = (
            (mine[0].name, (*(part.cell for part in mine), mine[-1].typical))
            for mine in zip(*(one.parts for one in both), strict=True)
        )
        rows = [
            [together([name for name, _ in run]), *alike]
            for alike, run in groupby(cells, key=lambda cell: cell[1])
        ]
        lines = [["column", *named, "typically"], *rows]
        if len(self.parts) > 1 and self.intercept is not None:
            central = "or if means are central" if any(one.intercept for one in both) else ""
            lines.append(["intercept", *("with all others" for _ in named), central])
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        pairs = (zip(line, widths, strict=True) for line in lines)
        return [
            *(
                "  " + "  ".join(f"{cell:<{wide}}" for cell, wide in pair).rstrip()
                for pair in pairs
            ),
            *TYPICAL_VARIATION,
            *(UNCORRELATED if len(self.parts) > 1 else ()),
            *(self.spoilers if len(self.parts) > 1 else ()),
            *(() if self.all_likely and (other is None or other.all_likely) else BESIDE_HIDDEN),
        ]

    @property
    def spoilers(self) -> Iterator[str]:
        """Advice on columns that may be hidden, first on those with the most levels."""
        if self.all_likely:
            return
        yield HIDDEN_COLUMN
        unsure = [part for part in self.parts if part.levels > 2 and not part.likely]
        if unsure:
            most = max(part.levels for part in unsure)
            yield MERGE.format(together([part.name for part in unsure if part.levels == most]))

    @property
    def all_likely(self) -> bool:
        """Whether all are likely."""
        return all(part.likely for part in self.parts)

    @property
    def none(self) -> bool:
        """Whether none is likely."""
        return all(part.unlikely for part in self.parts)

    def __str__(self) -> str:
        """A sentence; or what to expect and a table, where columns differ."""
        if self.all_likely:
            few = " or have a std below 10% of their range" if self.by_column else ""
            return f"likely for every coefficient, unless columns are collinear{few}"
        if self.none and self.intercept:
            return f"unlikely for any column; {ALONE}"
        if self.none:
            return "unlikely for any coefficient"
        if self.by_column:
            return "\n".join([self.expected.removeprefix("intervals "), *self.table()])
        least = self.parts[0].least
        return f"if rows vary at least {least} as much as even ones in every direction"


def predicted(term: Sequence[Numeric | Categorical], needed: float, beside: float) -> Predicted:
    """The prediction for a column of a codebook, or for the product of independent columns."""
    if len(term) > 1:
        alone = [predicted((part,), needed, beside) for part in term]
        even, uneven = math.prod(one.even for one in alone), math.prod(one.uneven for one in alone)
        name = ":".join(part.name for part in term)
        return Predicted(name, even, uneven, needed, beside, product=True)
    (part,) = term
    if isinstance(part, Numeric):
        length = float(part.upper) - float(part.lower)
        return Predicted(part.name, EVEN, PEAKED, needed, beside, length=length)
    even = 1 / max(part.width, 1)
    return Predicted(part.name, even, RARE * even, needed, beside, len(part.levels))


def foreseen(certificate: Certificate, n: int, sizes: dict[str, int]) -> Foreseen | None:
    """The intervals that a certificate's noise on X'X leaves; None if its regression has none."""
    if not getattr(certificate.regression, "intervals", False):
        return None
    for release in certificate.graph.releases:
        if isinstance(release.statistic, Gram):
            number = partial(certificate.number, sizes=sizes, released=likely(certificate))
            std = number(release.std, up=True)
            d = number(release.statistic.shape[0], up=True)
            given, mapped = certificate.setting.nodes()[0].norm, release.statistic.rows.norm
            if given is not None and mapped is not None:  # in the units of the rows as given
                std *= (number(given, up=True) / number(mapped, up=False)) ** 2
            return Foreseen.of(certificate.setting, n, std, d, partial(number, up=False))
    return None


def likely(certificate: Certificate) -> dict[str, Fraction]:
    """The numbers that releases are likely to give to formulas, by name."""
    return {one.name: one.likely for one in certificate.graph.known if one.likely is not None}


ODDS = "log-odds of a row: noise std at most {:.2g}, beside what the penalty shrinks them"
FEW = 100  # records of a table whose size is private
FAR_BELOW = 0.1  # delta times n, above which delta is not far below 1/n
TYPICAL = 0.3  # the squared length of a row, over that of the longest


@attrs.frozen
class PreviewLine:
    """One release: its noise std, the root mean square of the 2-norm of its noise (Frobenius for a
    matrix), and its ratio to the largest possible signal (nan for coefficients); for log-odds
    `moved`, a bound on the std of the noise in those of any row.
    """

    name: str
    std: float
    noise: float
    relative: float
    moved: float | None = None

    def __str__(self) -> str:
        """A row of the table."""
        share = "-" if math.isnan(self.relative) else f"{self.relative:.2%}"
        return f"{self.name:<34}{self.std:>12.4g}{self.noise:>12.4g}{share:>11}"


@attrs.frozen
class Preview:
    """Expected noise at public n and d, and which of the `coefficients` will have `intervals` (None
    for a regression without). str() is a table. `grid` bounds the effect of rounding onto the grid
    on any statistic, relative to the largest possible signal; None if a release is computed in
    floating point.
    """

    n: int
    d: int
    lines: tuple[PreviewLine, ...]
    grid: float | None
    intervals: Foreseen | None = None
    coefficients: int = 0

    def __str__(self) -> str:
        """A table."""
        head = f"{'release':<34}{'noise std':>12}{'noise norm':>12}{'of signal':>11}"
        signal = "(signal: n rows that fill their bound, in one direction)"
        among = "" if self.d == self.coefficients else f" ({self.coefficients} coefficients)"
        title = f"expected noise at n = {self.n:,}, d = {self.d}{among} {signal}"
        odds = [ODDS.format(one.moved) for one in self.lines if one.moved is not None]
        intervals = [] if self.intervals is None else [f"intervals: {self.intervals}"]
        lines = [str(one) for one in self.lines]
        return "\n".join([title, head, *lines, *odds, *self._about_the_grid(), *intervals])

    def _about_the_grid(self) -> list[str]:
        if self.grid is None:
            return []
        moved = f"rounding onto the grid moves them by at most {self.grid:.2g} of the signal"
        return [f"sums are exact; {moved}"]


def preview(certificate: Certificate, *, n: int, d: int | None = None) -> Preview:
    """The noise of every release at public sizes n >= 0, d >= 1, the columns of the table; a
    codebook fixes d. Warns where delta is not far below 1/n. Raises InvalidArgument.
    """
    n, given = whole("n", n, 0), certificate.values.get("d")
    if d is not None and given not in (None, d):
        raise InvalidArgument("d", f"left out, or {given}, as the certificate was given", d)
    d = columns_of(certificate.setting, d if given is None else int(given))
    if certificate.report.problem.personal is not None:
        wanted = "one budget for all: noise depends on the budgets of all records"
        way_out = "dp.audits.budget_report(certificate, budgets) says what each record pays."
        raise InvalidArgument("certificate", wanted, Plain(certificate.target), way_out)
    if certificate.free:
        wanted = f"given numbers for {', '.join(sorted(certificate.free))}"
        raise InvalidArgument("certificate", wanted, Plain("none"), "run = certificate.at(...)")
    if n and (text := delta_warning(certificate, n)) is not None:
        warn(text, PrivacyWarning)
    sizes = {"n": n, "d": d}
    graphs = {"": certificate.graph}
    for node in certificate.graph.charged:
        for k, run in enumerate(getattr(node, "graphs", ()), start=1):
            graphs[f"candidate {k}: "] = run
    lines = tuple(
        attrs.evolve(line, name=f"{before}{line.name}")
        for before, graph in graphs.items()
        for line in _lines(certificate, graph, n, sizes)
    )
    width = round(certificate.number(certificate.setting.nodes()[0].columns, up=True, sizes=sizes))
    intervals = foreseen(certificate, n, sizes)
    return Preview(n, d, lines, _grid(certificate, sizes), intervals, width)


def columns_of(setting: Setting, d: object) -> int:
    """d >= 1, the number of columns of the table. A codebook has it: d is left out then, or is its
    number of columns, before or after coding. So is that of dp.Rows(d=...). Raises InvalidArgument.
    """
    schema, given = setting.X.columns, setting.X.d
    if given is not None:
        if d not in (None, given):
            raise InvalidArgument("d", f"left out, or the {given} of the setting", d)
        return given
    if schema is None and d is None:
        wanted = "given: the number of columns of the table, which no codebook says"
        raise InvalidArgument("d", wanted, None, "d=8, for instance.")
    if schema is None:
        return whole("d", d, 1)
    if d not in (None, len(schema), setting.X.width):
        wanted = f"left out, or the codebook's {len(schema)} columns"
        raise InvalidArgument("d", wanted, d, "The codebook has it.")
    return len(schema)


def _grid(certificate: Certificate, sizes: dict[str, int]) -> float | None:
    """(2 sqrt(d) + 1) 2^-bits: each row is off by sqrt(d) steps at most, an eigenvalue by one more.
    (docs/proofs/grid.md)
    """
    if not all(release.exact for release in certificate.graph.releases):
        return None
    rows = [node for node in certificate.graph.nodes if isinstance(node, RowsOnGrid)]
    grids = [node for node in rows if answers(node).rounds]
    widths = [certificate.number(grid.columns, up=True, sizes=sizes) for grid in grids]
    shares = [
        (2 * math.sqrt(width) + 1) / 2**grid.bits for grid, width in zip(grids, widths, strict=True)
    ]
    return max(shares, default=0.0)


def delta_warning(certificate: Certificate, n: float | None) -> str | None:
    """As `large_delta`, of the delta of a certificate; None without one."""
    if not isinstance(certificate.target, ApproxDP):
        return None
    return large_delta(certificate.number(certificate.target.delta, up=True), n)


def large_delta(delta: float, n: float | None) -> str | None:
    """A warning if delta is not far below 1/n, or where n is None, not for any table of more than
    FEW records; else None.
    """
    if not delta * (FEW if n is None else n) >= FAR_BELOW:
        return None
    here = f"1/n for n above {FEW}" if n is None else f"1/n = {1 / n:.3g}"
    least = "0.01/n" if n is None else f"{0.01 / n:.1g}"
    return (
        f"delta = {delta:.3g} is not far below {here}: a mechanism that publishes one random row "
        f"in full satisfies such a delta. Choose delta below {least}."
    )


def _lines(
    certificate: Certificate, graph: Graph, n: int, sizes: dict[str, int]
) -> Iterator[PreviewLine]:
    """The noise of the releases of a graph."""
    statistics = [release.statistic for release in graph.releases]
    joint = Joint.of(statistics, certificate.setting.relation)
    signals = joint.sizes if joint is not None else (None,) * len(statistics)
    pairs = zip(graph.releases, signals, strict=True)
    return (_line(certificate, release, signal, n, sizes) for release, signal in pairs)


def _line(
    certificate: Certificate,
    release: Release,
    signal: Expression | None,
    n: int,
    sizes: dict[str, int],
) -> PreviewLine:
    number = partial(certificate.number, up=True, sizes=sizes, released=likely(certificate))
    std = number(release.std)
    noise = std * math.sqrt(number(release.squared_noise))
    most = math.nan if signal is None else n * number(signal)
    line = PreviewLine(release.label, std, noise, noise / most if most else math.inf)
    statistic = release.statistic
    if not isinstance(statistic, Argmin):
        return line
    bounds = statistic.bounds
    if statistic.objective.link != LOGIT or bounds is None:
        return attrs.evolve(line, relative=math.nan)
    row = certificate.number(bounds.row * bounds.label, up=True, sizes=sizes)
    return attrs.evolve(line, relative=math.nan, moved=std * row)
