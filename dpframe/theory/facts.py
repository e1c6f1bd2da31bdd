"""Facts about nodes, which rules derive and other rules read.

Numbers are formulas of the caller: of the kernel's ring, or expressions of the language.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from functools import reduce
from operator import mul
from typing import Annotated, Any, TypeAlias

from dpframe.exact.documents import ZERO
from dpframe.exact.formula import Formula

from .mechanisms import Noise, noise_of


def times(*bounds: Formula | None) -> Formula | None:
    """The product of bounds; None where there is none on a factor."""
    known = [bound for bound in bounds if bound is not None]
    return reduce(mul, known) if len(known) == len(bounds) else None


Weighed = tuple[Any, Any]  # the factor of each record, and the bound without it


@dataclass(frozen=True, eq=False, kw_only=True)
class PerRecord:
    """What holds of every row, or of every label: the step of its grid (None: floating point), also
    as a share of the entry, or else of the bound (0: no such share); its weight, where it has one.
    """

    step: Formula | None = None
    share: Fraction = ZERO
    weighed: Weighed | None = None


@dataclass(frozen=True, eq=False)
class RowFacts(PerRecord):
    """Of every row: columns, bounds on the 2-norm and 1-norm (None: no bound); a bound on every
    entry, where the norms are those that follow from it; whether all have the 2-norm of the bound.
    """

    columns: Formula
    norm: Formula | None = None
    norm1: Formula | None = None
    entry: Formula | None = None
    unit_norm: bool = False


@dataclass(frozen=True, eq=False)
class LabelFacts(PerRecord):
    """Of every label: a bound on its size."""

    bound: Formula | None = None


@dataclass(frozen=True, eq=False)
class StatisticFacts:
    """How far one record moves it in L1 norm, in L2 norm, and in operator norm where that is known
    to be less than L2 (None: no bound): of a symmetric matrix, L1 counts the upper triangle once
    and L2 is Frobenius's. The largest difference between the moves of two entries, where it is
    known to be less than L1. Its part in a joint move and the size that goes with it; the rows and
    labels that it is made of; the steps of its entries' grids (empty: computed in floating point).
    """

    shape: tuple[Formula, ...]
    l1: Formula | None = None
    l2: Formula | None = None
    operator: Formula | None = None
    _: KW_ONLY
    spread: Formula | None = None
    part: str = "rest"
    size: Formula | None = None
    table: tuple[RowFacts | None, LabelFacts | None] = (None, None)
    charge: Fraction = ZERO  # what rounding may add to its squared move, as a part of it
    steps: tuple[Formula, ...] = ()
    stacked: bool = False
    symmetric: bool = False  # whether it is a symmetric matrix
    constant: bool | None = None  # of sufficient statistics: whether y'y is among them
    ridge: tuple[Formula, ...] = ()  # of a log_residual: penalty and floor
    counts: bool = False  # whether it is the number of rows
    cells: int = 0  # of sums of cells: how many; 0 for others
    bins: int = 0  # of sums of bins, a record in one at most: how many; 0 for others
    tally: bool = False  # whether each record adds 1 to its bin
    stable: tuple[Any, int] | None = None  # of a distance: the counts and the radius

    @property
    def spectral(self) -> Formula | None:
        """The bound in operator norm."""
        return self.l2 if self.operator is None else self.operator

    @property
    def range(self) -> Formula | None:
        """The bound on the difference between the moves of two entries: |a - b| <= |a| + |b|."""
        return self.l1 if self.spread is None else self.spread

    def move(self, norm: str) -> Formula | None:
        """The bound in the norm of some noise."""
        return {"L1": self.l1, "L2": self.l2, "range": self.range}[norm]

    @property
    def invariant(self) -> bool:
        """Whether it is constant over neighbours."""
        return self.l2 is not None and not self.l2 and self.l1 is not None and not self.l1


@dataclass(frozen=True, eq=False)
class Release:
    """A statistic and its noise; the rate of the Poisson samples that draws read, if they do."""

    where: str
    statistic: StatisticFacts
    mechanism: str
    size: Formula
    rule: str
    share: dict[str, Formula] | None
    times: Formula
    sampled: Fraction | None = None
    stated: dict[str, Formula] | None = None  # what a mechanism from outside says of one draw

    @property
    def noise(self) -> Noise:
        """What the mechanism is."""
        return noise_of(self.mechanism)


@dataclass(eq=False)
class Hypothesis:
    """left <= right (or <), where the claim is made; `used` by a theorem that needs it."""

    left: Formula
    right: Formula
    strict: bool
    used: bool = False


Slope = Callable[[Formula | None, Formula], Formula | None]


@dataclass(frozen=True, eq=False)
class Loss:
    """A convex loss of x'theta: a bound on its slope, from bounds on |x'theta| (None: no bound) and
    on the label; one on its curvature, from that on the label; whether it is (x'theta - y)^2/2.
    """

    slope: Slope
    bend: Callable[[Formula], Formula]
    square: bool = False


@dataclass(frozen=True, eq=False)
class Records(RowFacts):
    """Rows whose last entry is a label."""


class Post:
    """A function of released values, or all points of a loop."""


@dataclass(frozen=True, eq=False)
class Known:
    """A released number, put into the range of its symbol before anything reads it."""

    name: str


@dataclass(frozen=True, eq=False)
class Bound(Known):
    """One that lies above (`upper`) or below the statistic on both neighbours, and on what lies
    between them, but with a probability that delta pays for.
    """

    statistic: StatisticFacts
    upper: bool
    failure: Formula


@dataclass(frozen=True, eq=False)
class Iterate:
    """The point of a loop, of this many numbers."""

    size: Formula


@dataclass(frozen=True, eq=False)
class Procedure:
    """A release by a theorem of its own, shown where it was read, for epsilon and delta."""

    where: str
    epsilon: Formula
    delta: Formula


@dataclass(frozen=True, eq=False)
class Budgets:
    """Each record's budget: public."""


@dataclass(frozen=True, eq=False)
class Weight:
    """A positive factor of each record, a formula of its budget."""

    factor: Formula


@dataclass(frozen=True, eq=False)
class RecordWeights(Weight):
    """The same, one number a record of these rows."""

    rows: RowFacts


@dataclass(frozen=True, eq=False)
class OfBudgets:
    """A positive number made of the budgets of all records."""

    what: str
    formula: Formula


@dataclass(frozen=True, eq=False)
class Thinning:
    """A sample of the records, each kept with probability min(1, (e^epsilon - 1)/(e^threshold -
    1)).
    """

    threshold: Formula
    epsilon: Formula
    delta: Formula | None


@dataclass(frozen=True, eq=False)
class Tilted(Procedure):
    """One whose cost follows from the record's own loss, and shrinks as its noise grows."""


RELEASED = (Release, Procedure, Post, Known)


def public(fact: object) -> bool:
    """Whether a node may be seen: a release, a function of releases, a constant statistic, or a
    loss, which holds no data.
    """
    seen = isinstance(fact, (*RELEASED, Loss))
    return seen or (isinstance(fact, StatisticFacts) and fact.invariant)


Public: TypeAlias = Annotated[Any, public]
PER_RECORD = (RowFacts, LabelFacts, Budgets, Weight, Iterate)


def of_records(fact: object) -> bool:
    """Whether a map of records may read it: a fact about records, or what is public."""
    return isinstance(fact, PER_RECORD) or public(fact)


OfRecords: TypeAlias = Annotated[Any, of_records]
