"""Facts about nodes: what rules derive, and what other rules ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from dpframe.exact.formula import Formula
from dpframe.exact.limits import ZERO

from .mechanisms import Noise, noise_of


@dataclass(frozen=True, eq=False)
class Rows:
    """Facts about every row: columns, bounds on the 2-norm and 1-norm, whether the first is met;
    the step of its grid (None: floating point), also as a share of the norm; a bound on every
    entry, where the norms are those that follow from it.
    """

    columns: Formula
    norm: Formula | None = None
    norm1: Formula | None = None
    exact: bool = False
    step: Formula | None = None
    share: Fraction = ZERO  # of the norm, that is the step (or more)
    entry: Formula | None = None


@dataclass(frozen=True, eq=False)
class Column:
    """A bound on every label; the step of its grid."""

    bound: Formula | None = None
    step: Formula | None = None


@dataclass(frozen=True, eq=False)
class Statistic:
    """How far one row moves it, in L1 and L2 norm (None: no bound); its part in a joint move; the
    steps of its entries' grids (empty: it is computed in floating point); whether it is a stack.
    """

    shape: tuple[Formula, ...]  # two sizes: a symmetric matrix
    l1: Formula | None
    l2: Formula | None
    part: str = "rest"
    size: Formula | None = None
    table: tuple[Rows | None, Column | None] = (None, None)
    charge: Fraction = ZERO  # what rounding may add to its squared move, as a part of it
    steps: tuple[Formula, ...] = ()
    stacked: bool = False
    constant: bool | None = None  # of sufficient statistics: whether y'y is among them
    ridge: tuple[Formula, ...] = ()  # of a log_residual: penalty and floor
    counts: bool = False  # whether it is the number of rows

    @property
    def still(self) -> bool:
        """Whether it is constant over neighbours."""
        return self.l2 is not None and not self.l2


@dataclass(frozen=True, eq=False)
class Release:
    """A statistic and its noise; whether each draw reads a sample of the rows."""

    where: str
    statistic: Statistic
    mechanism: str
    size: Formula
    rule: str
    share: dict[str, Formula] | None
    times: Formula
    sampled: bool = False

    @property
    def noise(self) -> Noise:
        """What the mechanism is."""
        return noise_of(self.mechanism)


@dataclass
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
class Records(Rows):
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

    statistic: Statistic
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

    rows: Rows


@dataclass(frozen=True, eq=False)
class OfBudgets:
    """A positive number of everybody's budgets."""

    what: str
    formula: Formula


@dataclass(frozen=True, eq=False)
class Thinning:
    """A coin for each record: kept with probability min(1, (e^epsilon - 1)/(e^threshold - 1))."""

    threshold: Formula
    epsilon: Formula
    delta: Formula | None


@dataclass(frozen=True, eq=False)
class Tilted(Procedure):
    """One whose cost follows from the record's own loss, and shrinks as its noise grows."""


SEEN = (Release, Procedure, Post, Known, Statistic)  # what may be public


def public(fact: object) -> bool:
    """Whether a node may be seen: a release, a function of releases, or a constant statistic."""
    seen = isinstance(fact, (Release, Procedure, Post, Known))
    return seen or (isinstance(fact, Statistic) and fact.still)
