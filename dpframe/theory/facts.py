"""Facts about nodes: what rules derive, and what other rules ask.

Numbers are formulas of whoever calls: of the kernel's ring, or expressions of the language.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import attrs

from dpframe.exact.formula import Formula
from dpframe.exact.limits import ZERO

from .mechanisms import Noise, noise_of

Weighed = tuple[Any, Any]  # the factor of each record, and the bound without it


@attrs.frozen(eq=False, kw_only=True)
class Occurring:
    """Which rows, or labels, are known to occur, whatever the other records are: all finite ones,
    all of the ball, all of the box, one whose norm is the bound. Nothing is proved with it.
    """

    any_finite: bool
    ball: bool
    box: bool
    extreme: bool


UNKNOWN = Occurring(any_finite=False, ball=False, box=False, extreme=False)
ANY_FINITE = Occurring(any_finite=True, ball=False, box=False, extreme=False)


@attrs.frozen(eq=False, kw_only=True)
class RowFacts:
    """Facts about every row: columns, bounds on the 2-norm and 1-norm (None: no bound), whether the
    first is met by all; a bound on every entry, where the norms are those that follow from it; the
    step of its grid (None: floating point), also as a share of the entry, or else of the norm (0:
    no such share); its weight, where it is weighed; which rows occur.
    """

    columns: Formula
    norm: Formula | None
    norm1: Formula | None
    unit_norm: bool
    entry: Formula | None
    step: Formula | None
    share: Fraction
    weighed: Weighed | None
    occurring: Occurring

    @property
    def side(self) -> Formula | None:
        """What entries are measured in: the side of the box, or else the bound on the 2-norm."""
        return self.norm if self.entry is None else self.entry

    def unbounded(self) -> RowFacts:
        """Rows of as many columns, of which nothing else is known."""
        return unbounded(self.columns)


def unbounded(columns: Formula, occurring: Occurring = UNKNOWN) -> RowFacts:
    """Rows of which nothing but their number of columns is known."""
    return in_doubles(columns, None, None, occurring=occurring)


def in_doubles(
    columns: Formula,
    norm: Formula | None,
    norm1: Formula | None,
    *,
    occurring: Occurring,
    entry: Formula | None = None,
    unit_norm: bool = False,
) -> RowFacts:
    """Rows that are on no grid and have no weights."""
    return RowFacts(
        columns=columns,
        norm=norm,
        norm1=norm1,
        unit_norm=unit_norm,
        entry=entry,
        step=None,
        share=ZERO,
        weighed=None,
        occurring=occurring,
    )


@attrs.frozen(eq=False, kw_only=True)
class LabelFacts:
    """A bound on every label; the step of its grid, also as a share of the bound; its weight, where
    it is weighed; which labels occur.
    """

    bound: Formula | None
    step: Formula | None
    share: Fraction
    weighed: Weighed | None
    occurring: Occurring

    def unbounded(self) -> LabelFacts:
        """Labels of which nothing is known."""
        return labels(None)


def labels(bound: Formula | None, occurring: Occurring = UNKNOWN) -> LabelFacts:
    """Labels that are on no grid and have no weights."""
    return LabelFacts(bound=bound, step=None, share=ZERO, weighed=None, occurring=occurring)


@attrs.frozen(eq=False)
class Move:
    """A bound on how far one record moves a statistic, the rule that gives it, and whether one pair
    of neighbours reaches it: under add/remove by a row of norm B with |y| = Y, so that one pair
    reaches all that are reached.
    """

    value: Formula
    rule: str
    attained: bool


@attrs.frozen(eq=False)
class Moves:
    """How far one record moves a statistic in L1 norm, in L2 norm, and in operator norm, which is
    the L2 norm of what is no matrix (None: no bound). Of a symmetric matrix, L1 counts the upper
    triangle once and L2 is Frobenius's.
    """

    l1: Move | None
    l2: Move | None
    operator: Move | None


NO_MOVES = Moves(None, None, None)


def alike(move: Move | None) -> Moves:
    """One bound in every norm."""
    return Moves(move, move, move)


def of_vector(l1: Move | None, l2: Move | None) -> Moves:
    """Bounds for what is no matrix."""
    return Moves(l1, l2, l2)


@attrs.frozen(eq=False, kw_only=True)
class StatisticFacts:
    """How far one record moves it; its part in a joint move and the size that goes with it; the
    rows and labels that it is made of; the steps of its entries' grids (empty: it is computed in
    floating point).
    """

    shape: tuple[Formula, ...]  # two sizes: a symmetric matrix
    moves: Moves
    part: str
    size: Formula | None
    table: tuple[RowFacts | None, LabelFacts | None]
    charge: Fraction  # what rounding may add to its squared move, as a part of it
    steps: tuple[Formula, ...]
    stacked: bool
    constant: bool | None  # of sufficient statistics: whether y'y is among them
    ridge: tuple[Formula, ...]  # of a log_residual: penalty and floor
    counts: bool  # whether it is the number of rows
    cells: int  # of sums of cells: how many; 0 for others

    @property
    def l1(self) -> Formula | None:
        """The bound in L1 norm."""
        return None if self.moves.l1 is None else self.moves.l1.value

    @property
    def l2(self) -> Formula | None:
        """The bound in L2 norm."""
        return None if self.moves.l2 is None else self.moves.l2.value

    @property
    def still(self) -> bool:
        """Whether it is constant over neighbours."""
        return self.l2 is not None and not self.l2 and self.l1 is not None and not self.l1

    def unbounded(self) -> StatisticFacts:
        """A statistic of its shape, of which nothing else is known."""
        return attrs.evolve(statistic(self.shape, NO_MOVES), table=self.table)


def statistic(
    shape: tuple[Formula, ...], moves: Moves, *, steps: tuple[Formula, ...] = ()
) -> StatisticFacts:
    """A statistic that moves by itself."""
    return StatisticFacts(
        shape=shape,
        moves=moves,
        part="rest",
        size=None,
        table=(None, None),
        charge=ZERO,
        steps=steps,
        stacked=False,
        constant=None,
        ridge=(),
        counts=False,
        cells=0,
    )


@attrs.frozen(eq=False)
class Release:
    """A statistic and its noise; whether each draw reads a sample of the rows."""

    where: str
    statistic: StatisticFacts
    mechanism: str
    size: Formula
    rule: str
    share: dict[str, Formula] | None
    times: Formula
    sampled: bool = False
    stated: dict[str, Formula] | None = None  # what a mechanism from outside says of one draw

    @property
    def noise(self) -> Noise:
        """What the mechanism is."""
        return noise_of(self.mechanism)


@attrs.define(eq=False)
class Hypothesis:
    """left <= right (or <), where the claim is made; `used` by a theorem that needs it."""

    left: Formula
    right: Formula
    strict: bool
    used: bool = False


Slope = Callable[[Formula | None, Formula], Formula | None]


@attrs.frozen(eq=False)
class Loss:
    """A convex loss of x'theta: a bound on its slope, from bounds on |x'theta| (None: no bound) and
    on the label; one on its curvature, from that on the label; whether it is (x'theta - y)^2/2.
    """

    slope: Slope
    bend: Callable[[Formula], Formula]
    square: bool = False


@attrs.frozen(eq=False)
class Records(RowFacts):
    """Rows whose last entry is a label."""


class Post:
    """A function of released values, or all points of a loop."""


@attrs.frozen(eq=False)
class Known:
    """A released number, put into the range of its symbol before anything reads it."""

    name: str


@attrs.frozen(eq=False)
class Bound(Known):
    """One that lies above (`upper`) or below the statistic on both neighbours, and on what lies
    between them, but with a probability that delta pays for.
    """

    statistic: StatisticFacts
    upper: bool
    failure: Formula


@attrs.frozen(eq=False)
class Iterate:
    """The point of a loop, of this many numbers."""

    size: Formula


@attrs.frozen(eq=False)
class Procedure:
    """A release by a theorem of its own, shown where it was read, for epsilon and delta."""

    where: str
    epsilon: Formula
    delta: Formula


@attrs.frozen(eq=False)
class Budgets:
    """Each record's budget: public."""


@attrs.frozen(eq=False)
class Weight:
    """A positive factor of each record, a formula of its budget."""

    factor: Formula


@attrs.frozen(eq=False)
class RecordWeights(Weight):
    """The same, one number a record of these rows."""

    rows: RowFacts


@attrs.frozen(eq=False)
class OfBudgets:
    """A positive number of everybody's budgets."""

    what: str
    formula: Formula


@attrs.frozen(eq=False)
class Thinning:
    """A coin for each record: kept with probability min(1, (e^epsilon - 1)/(e^threshold - 1))."""

    threshold: Formula
    epsilon: Formula
    delta: Formula | None


@attrs.frozen(eq=False)
class Tilted(Procedure):
    """One whose cost follows from the record's own loss, and shrinks as its noise grows."""


SEEN = (Release, Procedure, Post, Known, StatisticFacts)  # what may be public


def public(fact: object) -> bool:
    """Whether a node may be seen: a release, a function of releases, or a constant statistic."""
    seen = isinstance(fact, (Release, Procedure, Post, Known))
    return seen or (isinstance(fact, StatisticFacts) and fact.still)
