"""Releases by a theorem of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from dpframe.exact.documents import keys, number
from dpframe.exact.formula import Formula, text_of
from dpframe.exact.limits import HALF, Json, Refused

from .at import At, Context
from .book import DERIVATIONS, PLAIN, SPENT, kind
from .calibrations import at_most
from .estimates import losses
from .facts import (
    Bound,
    LabelFacts,
    Loss,
    Procedure,
    RecordWeights,
    RowFacts,
    StatisticFacts,
    Tilted,
    public,
)
from .guarantees import APPROX, PURE
from .personal import apart, committed, derive, settled


def floor_of(at: Context, gram: StatisticFacts, moment: StatisticFacts, floor: Json) -> Formula:
    """X'X and X'y are of one table, with bounds; the floor is 0, or a bound below lambda_min(X'X).
    Raises Refused.
    """
    own = gram.part == "gram" and moment.part == "moment" and gram.table[0] is moment.table[0]
    at.require(own, "X'X and X'y must be of one table, with bounds")
    plain = not any(apart(at, fact) for fact in moment.table)
    at.require(plain, "B and Y must be those of all records: rows or labels are weighed")
    least = at.formula(floor)
    if at.constant(least) != 0:
        bound = at.bound(least)
        known = bound is not None and not bound.upper and bound.statistic.part == "floor"
        same = known and bound is not None and bound.statistic.table[0] is gram.table[0]
        at.require(same, "the floor must be 0, or a bound below lambda_min of this X'X")
    return least


def floor_under(c: At, gram: StatisticFacts, floor: Json) -> Formula:
    """0, or a bound below lambda_min of this X'X, of bounded rows that no loop moves. Raises
    Refused.
    """
    own = gram.part == "gram" and gram.size is not None and not c.past.points[gram]
    c.require(own, "X'X must be of bounded rows, the same in every round")
    c.require(not apart(c, gram.table[0]), "B must be that of all records: rows are weighed")
    least = c.formula(floor)
    bound = c.bound(least) if least else None
    below = bound is not None and not bound.upper and bound.statistic.part == "floor"
    same = below and bound is not None and bound.statistic.table[0] is gram.table[0]
    c.require(not least or same, "the floor must be 0, or a bound below lambda_min of this X'X")
    return least


@kind("gaussian_mixing", StatisticFacts, answers=PLAIN)
def _gaussian_mixing(
    c: At, gram: StatisticFacts, *, formulas: Json, share: Json, name: Json
) -> Procedure:
    """Sketches, each of k draws of N(0, X'X + s^2 I): a record makes k T draws of N(0, 1 + m) from
    those of N(0, 1), m <= B^2/(s^2 + floor); execution takes the least s^2 inside the share.
    """
    c.require(type(name) is str, "name must be text")
    keys(formulas, c.where, rows=object, sketches=object, floor=object)
    c.require(c.rows.constant == 1, "one row a person")
    for key in ("rows", "sketches"):
        c.positive(formulas[key], key)
    floor_under(c, gram, formulas["floor"])
    c.idealized.append(c.where)
    return Procedure(c.where, *share_of(c, share))


TILTED = ("penalty", "noise_share", "size")


def share_of(c: At, share: Json, *, delta: bool = True) -> tuple[Formula, Formula]:
    """The share (epsilon, delta) of a procedure; `delta` says whether it must be positive."""
    fits = type(share) is dict and set(share) in (set(PURE.currency), set(APPROX.currency))
    c.require(fits, "share: amounts of epsilon, and perhaps of delta")
    amounts = c.positive(share["epsilon"], "epsilon"), c.formula(share.get("delta", "0"))
    c.at_least(amounts[1], 0, "its share of delta", strict=delta)
    settled(c, *amounts)
    return amounts


@kind("posterior", StatisticFacts, StatisticFacts, answers=PLAIN)
def _posterior(
    c: At, gram: StatisticFacts, moment: StatisticFacts, *, formulas: Json, share: Json, name: Json
) -> Procedure:
    """N(H^-1 X'y, (gamma H)^-1): execution takes the largest gamma for which the pair of one
    dimension is inside the share; what that needs are bounds on leverage and residual.
    """
    c.require(type(name) is str, "name must be text")
    keys(formulas, f"{c.where}: no temperature", penalty=object, floor=object, residual=object)
    c.require(c.rows.constant == 1, "one row a person")
    size = c.positive(formulas["penalty"], "penalty")
    least = floor_of(c, gram, moment, formulas["floor"])
    most = c.formula(formulas["residual"])
    shown = any(c.ring.prove(most - one) for one in residuals_of(c, moment, (size, least)))
    c.require(shown, f"{text_of(most)} is not shown to bound every residual of this table")
    c.idealized.append(c.where)
    return Procedure(c.where, *share_of(c, share))


def residuals_of(
    c: At, moment: StatisticFacts, ridge: tuple[Formula, Formula]
) -> Iterator[Formula]:
    """Bounds on |y - x'theta| of this ridge regression: exp of a bound on its logarithm; where n is
    public, from |theta| <= |y|/(2 sqrt(penalty)) and |theta| <= |X'y|/penalty.
    """
    own = [part.key for part in ridge]
    for name, known in c.past.symbols.items():
        bound = known.statistic if isinstance(known, Bound) and known.upper else moment
        same = [part.key for part in bound.ridge] == own
        if same and all(a is b for a, b in zip(bound.table, moment.table, strict=True)):
            yield c.ring.implicit("exp", [c.ring.symbols[name]])
    rows, column = moment.table
    if c.relation.replaced and rows and column and rows.norm and column.bound:
        for n in c.past.counts:
            first = n**HALF * column.bound * HALF / ridge[0] ** HALF
            second = n * rows.norm * column.bound / ridge[0]
            longest = c.ring.extremum("min", [first, second])
            yield column.bound + rows.norm * longest


@kind("perturbed_minimum", StatisticFacts, StatisticFacts, answers=PLAIN)
def _perturbed_minimum(
    c: At,
    gram: StatisticFacts,
    moment: StatisticFacts,
    *,
    formulas: Json,
    share: Json,
    name: Json,
    noise: Json,
    stated: Json,
) -> Procedure:
    """The minimiser over a ball of (x'theta - y)^2/2 summed, plus penalty and a random tilt."""
    c.require(type(name) is str, "name must be text")
    own = share_of(c, share, delta=noise == "gaussian")
    size = tilted(c, (gram, moment), formulas, noise, own)
    c.idealized.append(c.where)
    same = stated is None or c.formula(stated).key == size.key
    c.require(same, "what is stated must be the size of the noise")
    return Procedure(c.where, *own)


def tilted(
    c: At,
    data: tuple[StatisticFacts, StatisticFacts],
    formulas: Json,
    noise: Json,
    share: tuple[Formula, Formula],
) -> Formula:
    """Objective perturbation [KiferST12, Thm 2] [ChaudhuriMS11, Thm 9]: the Jacobian costs log(1 +
    B^2/penalty), the noise hides a gradient of A = B (B R + Y). Returns its size. Raises Refused.
    """
    keys(formulas, c.where, penalty=object, radius=object, noise_share=object, size=object)
    floor_of(c, *data, "0")
    c.require(c.rows.constant == 1, "one row a person")
    names = ("penalty", "radius", "noise_share", "size")
    penalty, radius, part, size = (c.positive(formulas[name], name) for name in names)
    square, product = data[0].size, data[1].size
    assert square and product  # noqa: PT018, S101 - B^2 and B Y, required by floor_of
    own, slope = part * share[0], square * radius + product
    rule = "B^2/penalty must be at most what the noise leaves of epsilon"
    c.at_least(share[0] - own, square / penalty, rule)
    moved = slope * c.relation.changes
    if noise == "l2_laplace":
        c.at_least(size * own, moved, "the scale must be the theorem's")
        return size
    c.require(noise == "gaussian", "noise: gaussian or l2_laplace")
    enough = any(c.ring.prove(size - least) for least in tilts(c, moved, part, share))
    c.require(enough, f"the std must be the theorem's: {text_of(size)} is not shown to be")
    return size


def tilts(
    c: At, moved: Formula, part: Formula, share: tuple[Formula, Formula]
) -> Iterator[Formula]:
    """Stds that are enough, by analytic_sigma, or published; E1 proves the latter with delta/4."""
    (epsilon, delta), ring = share, c.ring
    own = part * epsilon
    if c.relation.replaced:
        yield moved * ring.implicit("analytic_sigma", [own, delta / 4])
        return
    pairs = [[own, delta], [epsilon, delta / 2]]
    yield moved * ring.extremum("max", [ring.implicit("analytic_sigma", pair) for pair in pairs])
    if ring.prove(part - HALF):
        yield moved * (ring.log(2 / delta) * 8 + epsilon * 4) ** HALF / epsilon


@kind("deep_point", StatisticFacts, answers=PLAIN)
def _deep_point(
    c: At, sums: StatisticFacts, *, formulas: Json, share: Json, name: Json
) -> Procedure:
    """A point of a public grid with a chance proportional to e^(rate depth) among the models of all
    cells: a changed model moves every depth, and so their total, by a factor of at most e^rate.
    """
    c.require(type(name) is str, "name must be text")
    whole = share_of(c, share, delta=False)
    deep(c, sums, formulas, whole[0])
    return Procedure(c.where, *whole)


@kind("tested_point", StatisticFacts, answers=PLAIN)
def _tested_point(
    c: At, sums: StatisticFacts, *, formulas: Json, share: Json, name: Json, least: Json
) -> Procedure:
    """The same among points of depth `least` or more, if a noisy count of the models that decide
    which those are passes: unsafe tables pass, and safe ones differ, with probability delta.
    """
    c.require(type(name) is str, "name must be text")
    c.require(type(least) is int and least >= 1, "least: a whole number, 1 or more")
    whole = share_of(c, share)
    c.require(type(formulas) is dict and "test" in formulas, "formulas: the epsilon of its test")
    left = whole[0] - c.positive(formulas["test"], "test")
    deep(c, sums, without(formulas, "test"), left)
    return Procedure(c.where, *whole)


def deep(c: At, sums: StatisticFacts, formulas: Json, epsilon: Formula) -> None:
    """2 rate for each cell that changes, a replaced row changes two, is inside epsilon. Raises
    Refused.
    """
    c.require(sums.cells, "its input must be sums of cells, bounded")
    keys(formulas, c.where, penalty=object, radius=object, grain=object, rate=object)
    c.formula(formulas["penalty"])
    *_, rate = (c.positive(formulas[key], key) for key in ("radius", "grain", "rate"))
    spent = rate * c.rows * (2 * c.relation.changes)
    c.at_least(epsilon, spent, "2 rate a cell that changes must be at most epsilon")


@kind("tilted_minimum", RowFacts, LabelFacts, Loss, RecordWeights, many=True, answers=SPENT)
def _tilted_minimum(
    c: At, *inputs: Any, formulas: Json, share: Json, name: Json, weight: Json
) -> Tilted:
    """The minimiser over all theta of sum w phi(x'theta, y) + penalty/2 |theta|^2 + z'theta, |z| of
    density exp(-|z|/size) [ChaudhuriMS11, Thm 9]: its Jacobian costs log(1 + w c B^2/penalty).
    """
    c.require(type(name) is str, "name must be text")
    c.require(c.rows.constant == 1, "one row a person")
    rows, column, loss, factor = losses(c, inputs, weight)
    keys(formulas, c.where, penalty=object, noise_share=object, size=object)
    penalty, part, size = (c.positive(formulas[key], key) for key in TILTED)
    c.shared(penalty, part)
    whole = share_of(c, share, delta=False)
    slope = None if column.bound is None else loss.slope(None, column.bound)
    if rows.norm is None or column.bound is None or slope is None:
        raise Refused(f"{c.where}: records, and the slope of the loss, must be bounded")
    own, weighed = part * whole[0], rows.norm if factor is None else rows.norm * factor
    bend = loss.bend(column.bound) * rows.norm * weighed / penalty
    at_most(c, whole[0] - own, bend, "w c B^2/penalty must be at most what noise leaves of epsilon")
    moved = slope * weighed * c.relation.changes
    at_most(c, size * own, moved, "the scale must be the theorem's")
    c.idealized.append(c.where)
    return Tilted(c.where, *whole)


@kind("approximate_minimum", StatisticFacts, StatisticFacts, answers=PLAIN)
def _approximate_minimum(
    c: At,
    gram: StatisticFacts,
    moment: StatisticFacts,
    *,
    formulas: Json,
    share: Json,
    name: Json,
    noise: Json,
    minimum: Json,
    difference: Json,
) -> Procedure:
    """A point within a tolerance of one, plus noise that hides by how much. [IyengarNSTTW19]"""
    c.require(type(name) is str and type(formulas) is dict, "name and formulas")
    whole, apart = share_of(c, share), share_of(c, difference)
    exact = share_of(c, minimum, delta=noise == "gaussian")
    for all_of, one, other in zip(whole, exact, apart, strict=True):
        c.at_least(all_of, one + other, "both parts must fit the share")
    far, std = (c.positive(formulas.get(key), key) for key in ("tolerance", "std"))
    tilted(c, (gram, moment), without(formulas, "tolerance", "std"), noise, exact)
    least = c.ring.implicit("analytic_sigma", [*apart]) * far * 2
    c.at_least(std, least, "the std must hide two points in the ball of the tolerance")
    c.idealized.append(c.where)
    return Procedure(c.where, *whole)


def without(formulas: Mapping[str, Json], *names: str) -> dict[str, Json]:
    """All but these."""
    return {key: value for key, value in formulas.items() if key not in names}


@kind("random_stopping", RowFacts, LabelFacts, answers=PLAIN)
def _random_stopping(
    c: At,
    _: RowFacts,
    __: LabelFacts,
    *,
    share: Json,
    name: Json,
    gamma: Json,
    graphs: Json,
) -> Procedure:
    """The fit of the lowest score among a geometric number of runs, each e-DP with its score: 3 e.
    [LiuT19] [PapernotS22, Cor 3]
    """
    c.require(type(name) is str, "name must be text")
    c.require(Fraction(1, 1000) <= number(gamma, c.where) <= 1, "gamma: from 1/1000 to 1")
    whole = share_of(c, share, delta=False)
    c.require(type(graphs) is list and graphs and not c.past.symbols, "graphs, of public numbers")
    for graph in graphs:
        nested(c, graph, whole[0] / 3)
    return Procedure(c.where, *whole)


def nested(c: At, graph: Json, epsilon: Formula) -> None:
    """A graph within, of the same table, is epsilon-DP wherever it is run. Raises Refused."""
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
    seen = [type(i) is int and 0 <= i < len(inner.facts) for i in graph[1]]
    shown = len(seen) == 2 and all(seen) and all(public(inner.facts[i]) for i in graph[1])
    c.require(shown, "a run releases a fit and a score")
    c.idealized += inner.idealized
    c.count += inner.count
