"""Losses, minimisers of strongly convex sums of them, and releases by a theorem of their own: for
each, what it needs of its inputs, numbers and share.

The kernel calls these entries, and refuses what is not shown; the prover calls them, and explains
it. The language takes its default sizes from the functions that the entries compare with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, TypeAlias

from dpframe.exact.documents import HALF, Json, Refused
from dpframe.exact.formula import Formula

from .at import At, AtGraph, Context
from .book import DERIVATIONS, Number, Positive, Read, kind, sizes
from .facts import (
    LabelFacts,
    Loss,
    Procedure,
    RecordWeights,
    RowFacts,
    Slope,
    StatisticFacts,
    Tilted,
    times,
)
from .guarantees import APPROX, PURE
from .personal import apart, committed, derive


@kind("squared")
def _squared(at: Context) -> Loss:
    """(x'theta - y)^2/2: its slope is the residual."""
    slope: Slope = lambda margin, label: None if margin is None else margin + label  # noqa: E731
    return Loss(slope, lambda _: at.number(1), square=True)


@kind("logistic")
def _logistic(_: Context) -> Loss:
    """log(1 + exp(-y x'theta)): its slope is at most |y|."""
    return Loss(lambda _, label: label, lambda label: label**2 / 4)


@kind("huber")
def _huber(at: Context, *, knee: Positive) -> Loss:
    """r^2/2 for residuals up to the knee, linear beyond: its slope is the clipped residual."""
    slope: Slope = lambda m, y: knee if m is None else at.minimum(knee, m + y)  # noqa: E731
    return Loss(slope, lambda _: at.number(1))


@kind("argmin", record_by_record=True)
def _argmin(
    at: Context,
    rows: RowFacts,
    column: LabelFacts,
    loss: Loss,
    weights: RecordWeights | None = None,
    *,
    penalty: Positive,
    radius: Positive | None,
    tolerance: Number,
    weight: Json = None,
) -> StatisticFacts:
    """sum w phi(x'theta, y) + penalty/2 |theta|^2 is penalty-strongly convex, on the ball too: one
    record's gradient moves its argmin by |gradient|/penalty [ChaudhuriM09, Lem 1].
    """
    factor = factor_of(at, rows, weights, weight)
    rule = "tolerance must lie in (0, 1], or be 0 for the squared loss, which has a closed form"
    at.require(0 < tolerance <= 1 or (tolerance == 0 and loss.square), rule)
    once, l2 = moves_of(at, loss, (rows.norm, column.bound, radius), penalty, factor)
    if once is not None and l2 is not None:
        l2 = l2 + once * (2 * tolerance)
        l2 = l2 if radius is None else at.minimum(radius * 2, l2)
    return StatisticFacts((rows.columns,), times(rows.columns**HALF, l2), l2)


def factor_of(
    at: Context, rows: RowFacts, weights: RecordWeights | None, weight: Json
) -> Formula | None:
    """The weight of each record of these rows; None for 1. Raises Refused."""
    at.require((weights is None) == (weight is None), "weights where it has any")
    if weights is None:
        return None
    own = at.same(at.of_record(weight), weights.factor) and weights.rows is rows
    at.require(own, "the weights must be those of these rows")
    return None if at.constant(weights.factor) == 1 else weights.factor


def moves_of(
    at: Context,
    loss: Loss,
    known: tuple[Formula | None, Formula | None, Formula | None],
    size: Formula,
    factor: Formula | None,
) -> tuple[Formula | None, Formula | None]:
    """How far a record more, or a change of the relation, moves an exact argmin. For squared losses
    of weight 1, penalty |v|^2 + u^2 <= (B R + Y) |u|, where u = x'v, bounds the move v.
    """
    row, label, ball = known
    slope = None if label is None else loss.slope(times(row, ball), label)
    if row is None or label is None or slope is None:
        return None, None
    gap = row * (slope + label)  # of gradients of squared losses: |xx' - zz'| <= B^2
    if factor is not None:
        once, gap = factor * slope * row / size, factor * gap / size
        return once, (gap if loss.square else once * 2) if at.replaced else once
    if not loss.square:
        once = slope * row / size
        return once, once * 2 if at.replaced else once
    reach = at.minimum(row, size**HALF)
    once = slope * reach / (reach**2 + size)
    return once, at.minimum(once * 2, gap / size) if at.replaced else once


ONE_ROW = "one row a person"
ONE_TABLE = "X'X and X'y are of one table"
BOUNDED = "rows and labels must be bounded"
UNWEIGHED = "B and Y must be those of all records: rows or labels are weighed"
FLOOR = "the floor must be 0, or a bound below lambda_min of this X'X"
STEADY = "X'X is that of the rows, the same in every round"
SKETCH = "the pair N(0, 1), N(0, 1 + m), drawn once a row, is inside the share"
LEAST = "s^2 is the least number for which that is so, rounded up at execution"
RESIDUAL = "a bound on every residual y - x'theta of the table without the record"
PAIR = "the pair N(0, 1), N(sqrt(gamma m) r/(1 + m), 1/(1 + m)) is inside the share"
LARGEST = "gamma is the largest number for which that is so, rounded down at execution"
CURVED = "log(1 + B^2/penalty) <= B^2/penalty <= what the noise leaves of epsilon"
BENT = "log(1 + w c B^2/penalty) <= w c B^2/penalty <= what the noise leaves of epsilon"
SLOPED = "the slope and curvature of the loss are bounded for all coefficients"
SIZES = {
    "gaussian": "the std is at least the theorem's",
    "l2_laplace": "the scale is at least the theorem's",
}
PARTS = "the parts for the minimum and for the difference fit the share"
HIDDEN = "the std hides two points in the ball of the tolerance"
DEPTH = "the least depth is a whole number, 1 or more"
CELL = "2 rate a cell that changes is at most epsilon"
TILT, DEEP = ("penalty", "radius", "noise_share", "size"), ("radius", "grain", "rate")
TIMES = 3  # what a run may cost, this often, is the cost of random stopping
TESTED = "test + 2 rate a cell that changes is at most epsilon"
Sizes: TypeAlias = dict[str, Formula]
Named: TypeAlias = dict[str, Json]
Pair: TypeAlias = tuple[Formula, Formula]
Tilting: TypeAlias = Annotated[Sizes, sizes(*TILT)]
OWN_TILT = sizes("penalty", "noise_share", "size")
Deep: TypeAlias = Annotated[Sizes, sizes(*DEEP, free=("penalty",))]
Sketched: TypeAlias = Annotated[Sizes, sizes("rows", "sketches", free=("floor",))]
Tested: TypeAlias = Annotated[Sizes, sizes("test", *DEEP, free=("penalty",))]


def share_of(c: AtGraph, share: Json, name: str = "share", *, delta: bool = True) -> Pair:
    """The share (epsilon, delta) of a procedure; `delta` says whether it must be positive."""
    fits = type(share) is dict and set(share) in (set(PURE.currency), set(APPROX.currency))
    c.require(fits, f"{name}: amounts of epsilon, and perhaps of delta")
    epsilon = c.positive(share["epsilon"], "its share of epsilon")
    paid = c.formula(share["delta"]) if "delta" in share else c.number(0)
    c.at_least(paid, 0, "its share of delta", strict=delta)
    c.settled(epsilon, paid)
    return epsilon, paid


Share: TypeAlias = Annotated[Pair, share_of]
PureShare: TypeAlias = Annotated[Pair, partial(share_of, delta=False)]


def floor_of(at: Context, gram: StatisticFacts, moment: StatisticFacts, floor: Formula) -> None:
    """X'X and X'y are of one table, with bounds; the floor is 0, or a bound below lambda_min(X'X).
    Raises Refused.
    """
    of_one_table(at, gram, moment)
    floor_under(at, gram, floor)


def of_one_table(at: Context, gram: StatisticFacts, moment: StatisticFacts) -> None:
    """X'X and X'y are of one table, with bounds on all its records. Raises Refused."""
    own = gram.part == "gram" and moment.part == "moment"
    at.require(own and None not in (gram.size, moment.size), BOUNDED)
    at.require(gram.table[0] is moment.table[0], ONE_TABLE)
    at.require(not any(apart(at, fact) for fact in moment.table), UNWEIGHED)


def floor_under(at: Context, gram: StatisticFacts, floor: Formula) -> None:
    """0, or a bound below lambda_min of this X'X. Raises Refused."""
    bound = at.bound(floor)
    below = bound is not None and not bound.upper and bound.statistic.part == "floor"
    same = below and bound is not None and bound.statistic.table[0] is gram.table[0]
    at.require(at.constant(floor) == 0 or same, FLOOR)


@kind("gaussian_mixing", "name")
def _gaussian_mixing(
    c: AtGraph, gram: StatisticFacts, *, formulas: Sketched, share: Share
) -> Procedure:
    """Sketches, each of k draws of N(0, X'X + s^2 I): a record makes k T draws of N(0, 1 + m) from
    those of N(0, 1), m <= B^2/(s^2 + floor); execution takes the least s^2 inside the share.
    """
    c.require(gram.part == "gram" and gram.size is not None, BOUNDED)
    c.require(c.steady(gram), STEADY)
    c.require(not apart(c, gram.table[0]), UNWEIGHED)
    floor_under(c, gram, formulas["floor"])
    c.require(c.single(), ONE_ROW)
    c.computed(SKETCH, LEAST)
    return Procedure(c.where, *share)


@kind("posterior", "name")
def _posterior(
    c: AtGraph, gram: StatisticFacts, moment: StatisticFacts, *, formulas: Named, share: Json
) -> Procedure:
    """N(H^-1 X'y, (gamma H)^-1): execution takes the largest gamma for which the pair of one
    dimension is inside the share; what that needs are bounds on leverage and residual. Of a gamma
    that is stated, nothing is shown.
    """
    c.require(c.single(), ONE_ROW)
    c.require("residual" in formulas, RESIDUAL)
    named = {key: value for key, value in formulas.items() if key != "temperature"}
    own: Sizes = sizes("penalty", free=("floor", "residual"))(c, named, "formulas")
    floor_of(c, gram, moment, own["floor"])
    residuals = residuals_of(c, moment, (own["penalty"], own["floor"]))
    c.at_least_one(own["residual"], residuals, RESIDUAL)
    c.require("temperature" not in formulas, PAIR)
    c.computed(PAIR, LARGEST)
    return Procedure(c.where, *share_of(c, share))


def residuals_of(
    c: AtGraph, moment: StatisticFacts, ridge: tuple[Formula, Formula]
) -> Iterator[Formula]:
    """Bounds on |y - x'theta| of this ridge regression: exp of a bound on its logarithm; where n is
    public, those of all tables of n rows.
    """
    for f, known in c.bounds():
        bound = known.statistic if known.upper else moment
        same = len(bound.ridge) == 2 and all(map(c.same, bound.ridge, ridge))
        if same and all(a is b for a, b in zip(bound.table, moment.table, strict=True)):
            yield c.exp(f)
    rows, column = moment.table
    bounds: Any = (rows.norm if rows else None, column.bound if column else None)
    if c.replaced and None not in bounds:
        for n in c.counts():
            yield residual_of(c, n, bounds, ridge[0])


def residual_of(at: Context, n: Formula, bounds: Pair, penalty: Formula) -> Formula:
    """Y + B |theta| for ridge regressions of n rows: |theta| <= |y|/(2 sqrt(penalty)), and |theta|
    <= |X'y|/penalty.
    """
    norm, label = bounds
    first = n**HALF * label * HALF / penalty**HALF
    return label + norm * at.minimum(first, n * norm * label / penalty)


@kind("perturbed_minimum", "name")
def _perturbed_minimum(
    c: AtGraph,
    gram: StatisticFacts,
    moment: StatisticFacts,
    *,
    formulas: Tilting,
    share: Json,
    noise: str,
    stated: Read | None,
) -> Procedure:
    """The minimiser over a ball of (x'theta - y)^2/2 summed, plus penalty and a random tilt."""
    whole = share_of(c, share, delta=noise == "gaussian")
    tilted(c, gram, moment, own=formulas, noise=noise, share=whole)
    same = stated is None or c.same(stated, formulas["size"])
    c.require(same, "what is stated must be the size of the noise")
    c.computed()
    return Procedure(c.where, *whole)


def tilted(
    c: AtGraph, gram: StatisticFacts, moment: StatisticFacts, *, own: Sizes, noise: str, share: Pair
) -> None:
    """Objective perturbation [KiferST12, Thm 2] [ChaudhuriMS11, Thm 9]: the Jacobian costs log(1 +
    B^2/penalty), the noise hides a gradient of A = B (B R + Y). Raises Refused.
    """
    of_one_table(c, gram, moment)
    c.require(noise in SIZES, f"noise: one of {sorted(SIZES)}")
    c.require(c.single(), ONE_ROW)
    square, product = gram.size, moment.size
    assert square is not None is not product  # noqa: S101 - B^2 and B Y, by of_one_table
    c.at_least(share[0] - own["noise_share"] * share[0], square / own["penalty"], CURVED)
    enough = tilts(c, noise, square * own["radius"] + product, own["noise_share"], share)
    c.at_least_one(own["size"], enough, SIZES[noise])


def tilts(c: AtGraph, noise: str, slope: Formula, part: Formula, share: Pair) -> Iterator[Formula]:
    """Noise that is enough: the least, or as published, which E1 proves with delta/4."""
    yield tilt(c, noise, slope, part, share)
    if noise == "gaussian" and not c.replaced and c.shown(part - HALF):
        epsilon, delta = share
        yield slope * (c.log(2 / delta) * 8 + epsilon * 4) ** HALF / epsilon


def tilt(at: Context, noise: str, slope: Formula, part: Formula, share: Pair) -> Formula:
    """The least scale, or std, that hides a gradient of one record of at most `slope` with this
    part of epsilon.
    """
    (epsilon, delta), moved = share, slope * at.changes
    own = part * epsilon
    if noise == "l2_laplace":
        return moved / own
    if at.replaced:
        return moved * at.analytic_sigma(own, delta / 4)
    both = at.analytic_sigma(own, delta), at.analytic_sigma(epsilon, delta / 2)
    return moved * at.maximum(*both)


@kind("deep_point", "name")
def _deep_point(c: AtGraph, *sums: StatisticFacts, formulas: Deep, share: PureShare) -> Procedure:
    """A point of a public grid with a chance proportional to e^(rate depth) among the models of all
    cells: a changed model moves every depth, and so their total, by a factor of at most e^rate.
    """
    c.at_least(share[0], deep_draw(c, sums, formulas["rate"]), CELL)
    return Procedure(c.where, *share)


@kind("tested_point", "name")
def _tested_point(
    c: AtGraph, *sums: StatisticFacts, formulas: Tested, share: Share, least: Json
) -> Procedure:
    """The same among points of depth `least` or more, if a noisy count of the models that decide
    which those are passes: unsafe tables pass, and safe ones differ, with probability delta.
    """
    c.require(type(least) is int and least >= 1, DEPTH)
    c.at_least(share[0] - formulas["test"], deep_draw(c, sums, formulas["rate"]), TESTED)
    return Procedure(c.where, *share)


def deep_draw(c: AtGraph, sums: Sequence[StatisticFacts], rate: Formula) -> Formula:
    """The epsilon of a draw among the models of the cells of these partitions. Raises Refused."""
    c.require(bool(sums) and all(one.cells for one in sums), BOUNDED)
    return rate * changed_cells(c, c.rows) * (2 * len(sums))


def changed_cells(at: Context, rows: Formula) -> Formula:
    """How many cells one change of the table changes, at most."""
    return rows * at.changes


@kind("tilted_minimum", "name", reads_own_budget=True, record_by_record=True)
def _tilted_minimum(
    c: AtGraph,
    rows: RowFacts,
    column: LabelFacts,
    loss: Loss,
    weights: RecordWeights | None = None,
    *,
    formulas: Json,
    share: PureShare,
    weight: Json,
) -> Tilted:
    """The minimiser over all theta of sum w phi(x'theta, y) + penalty/2 |theta|^2 + z'theta, |z| of
    density exp(-|z|/size) [ChaudhuriMS11, Thm 9]: its Jacobian costs log(1 + w c B^2/penalty).
    """
    bounds: Any = rows.norm, column.bound
    factor, (norm, bound) = factor_of(c, rows, weights, weight), bounds
    slope: Any = None if bound is None else loss.slope(None, bound)
    c.require(norm is not None and slope is not None, SLOPED)
    c.require(c.single(), ONE_ROW)
    own = OWN_TILT(c, formulas, "formulas")  # it has a size only where there is a slope
    c.shared(own["penalty"], own["noise_share"])
    noise = own["noise_share"] * share[0]
    weighed = norm if factor is None else norm * factor
    bend = loss.bend(bound) * norm * weighed / own["penalty"]
    c.at_least(share[0] - noise, bend, BENT)
    c.at_least(own["size"] * noise, slope * weighed * c.changes, SIZES["l2_laplace"])
    c.computed()
    return Tilted(c.where, *share)


@kind("approximate_minimum", "name")
def _approximate_minimum(
    c: AtGraph,
    gram: StatisticFacts,
    moment: StatisticFacts,
    *,
    formulas: Annotated[Sizes, sizes(*TILT, "tolerance", "std")],
    share: Share,
    noise: str,
    minimum: Json,
    difference: Share,
) -> Procedure:
    """A point within a tolerance of one, plus noise that hides by how much. [IyengarNSTTW19]"""
    exact = share_of(c, minimum, delta=noise == "gaussian")
    for whole, one, other in zip(share, exact, difference, strict=True):
        c.at_least(whole, one + other, PARTS)
    tilted(c, gram, moment, own=formulas, noise=noise, share=exact)
    c.at_least(formulas["std"], c.analytic_sigma(*difference) * formulas["tolerance"] * 2, HIDDEN)
    c.computed()
    return Procedure(c.where, *share)


@kind("random_stopping", "name")
def _random_stopping(
    c: AtGraph, _: RowFacts, __: LabelFacts, *, share: PureShare, gamma: Number, graphs: Json
) -> Procedure:
    """The fit of the lowest score among a geometric number of runs, each e-DP with its score: 3 e.
    [LiuT19] [PapernotS22, Cor 3]
    """
    c.require(Fraction(1, 1000) <= gamma <= 1, "gamma: from 1/1000 to 1")
    c.private_runs(graphs, share[0] / TIMES)
    return Procedure(c.where, *share)


def nested(c: At, graph: Json, epsilon: Formula) -> None:
    """A graph within, of the same table, is epsilon-DP and reads nothing that was released: it is
    so wherever it is run. Raises Refused.
    """
    inner, outer = c.inside(PURE, epsilon), c.where
    c.require(type(graph) is list and [*map(type, graph)] == [list, list], "nodes and outputs")
    try:
        for index, node in enumerate(graph[0]):
            derive(inner, node, index)
        tables = [[f for f in one.facts if type(f) is RowFacts] for one in (c, inner)]
        for mine, own in zip(tables[0][:1], tables[1][:1], strict=False):
            c.equal(own.columns, mine.columns, "a run reads this table")
        committed(inner, "basic")
        DERIVATIONS["basic"](inner)
    except Refused as error:
        raise Refused(f"{outer}: {error}") from None
    shown = len(graph[1]) == 2 and all(map(inner.released, graph[1]))
    c.require(shown, "a run releases a fit and a score")
    c.idealized += inner.idealized
    c.count += inner.count
