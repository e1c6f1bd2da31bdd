"""Derivations of the total from all releases. Of one release that is drawn once, what the pair that
dominates the draw costs, in formulas where these are closed, or else between rational bounds.
(proofs/currencies)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import wraps
from itertools import combinations, product
from typing import Any, NamedTuple

from dpframe.exact.documents import HALF, MAX_BOXES, ONE, ZERO, Json, Refused, Unbounded, number
from dpframe.exact.formula import Formula, digest
from dpframe.exact.interval import FAR, Interval, exp, pi, raised, root_ends
from dpframe.exact.profile import ContourLine, Draws, composed, mills
from dpframe.exact.ring import Ring

from .at import At
from .book import DERIVATIONS, THEOREMS, Derivation
from .calibrations import amplified, as_epsilon, loss_of, moved_by, shown
from .facts import Bound, Procedure, Release
from .gaussian import PARTS, approximately, by_part, joint, joint_bounds, squared_moves
from .guarantees import APPROX, GAUSSIAN, OF_MU, PURE, ZCDP, Guarantee


def moving(c: At, releases: Sequence[Release]) -> list[list[Release]]:
    """Releases that one change of the table may move together, every case of them: of a partition
    as many cells as a person has rows, twice that where rows are replaced. [McSherry09, Thm 4]
    """
    rows = None if any(isinstance(fact, Bound) for fact in c.facts) else c.rows.constant
    if rows is None:
        return [list(releases)]
    most, placed = int(rows * c.relation.changes), set[int]()
    groups: dict[object, dict[object, list[Release]]] = {}
    for r in [r for r in releases if r.statistic in c.cells and not r.sampled]:
        *partition, cell = c.cells[r.statistic]
        placed.add(id(r))
        groups.setdefault(tuple(partition), {}).setdefault(cell, []).append(r)
    options: list[list[Any]] = []
    for cells in groups.values():
        kinds: dict[object, list[Any]] = {}
        for own in cells.values():
            kinds.setdefault(charged_alike(own), []).append(own)
        ones = [own for same in kinds.values() for own in same[:most]]
        few = math.comb(len(ones), min(most, len(ones))) <= 256
        c.require(few, "at most 256 choices of cells that differ in what they are charged")
        options.append(list(combinations(ones, min(most, len(ones)))))
    c.require(math.prod(map(len, options)) <= 256, "at most 256 choices of cells")
    cases = []
    for chosen in product(*options):
        others = placed - {id(r) for cells in chosen for own in cells for r in own}
        cases.append([r for r in releases if id(r) not in others])
    return cases


def charged_alike(own: Sequence[Release]) -> object:
    """What the releases of a cell are charged by, the same where only the cell is another."""
    facts = [id(fact) for r in own for fact in r.statistic.table]
    charges = []
    for r in own:
        s, share = r.statistic, r.share or {}
        formulas = (r.size, r.times, s.l1, s.l2, s.range, s.size, *share.values())
        shown = tuple(None if f is None else f.key for f in formulas)
        tables = tuple(facts.index(id(fact)) for fact in s.table)
        charges.append((r.mechanism, r.rule, tuple(share), shown, s.part, s.charge, tables))
    return tuple(charges)


def derivation(
    name: str, *proves: Guarantee, shares: bool = False
) -> Callable[[Derivation], Derivation]:
    """Enter a derivation of the target from the releases; `proves` are its kinds of targets, and
    whether it adds `shares`.
    """

    def enter(derive: Derivation) -> Derivation:
        @wraps(derive)
        def derived(c: At) -> None:
            kinds = " or ".join(one.name for one in proves)
            c.require(c.guarantee in proves, f"derivation {name} proves targets of kind {kinds}")
            if not shares:
                named_theorems(c)
            c.where = "total"
            derive(c)

        DERIVATIONS[name] = derived
        return derived

    return enter


@derivation("basic", PURE, APPROX, shares=True)
def _basic(c: At) -> None:
    """Every release earns its share; epsilons add, deltas and failures of bounds add.
    [DworkR14, Thm B.1]
    """
    spent = {id(r): earned(c, r) for r in c.releases}
    procedures = [fact for fact in c.facts if isinstance(fact, Procedure)]
    failures = [fact.failure for fact in c.facts if isinstance(fact, Bound)]
    others = [p.epsilon for p in procedures], [p.delta for p in procedures] + failures
    c.where = "total"
    whole = [*c.amounts, c.ring.lift(0)]
    for some in moving(c, c.releases):
        for i, name in enumerate(("epsilons", "deltas")):
            parts = c.ring.total([*(spent[id(r)][i] for r in some), *others[i]])
            c.at_least(whole[i], parts, f"the {name} must sum to at most the target's")


def earned(c: At, r: Release) -> tuple[Formula, Formula]:
    """The share of a release, all its draws together, which each draw earns. Raises Refused."""
    c.where = r.where
    c.require(r.share is not None and "epsilon" in r.share, "a share of epsilon is missing")
    share = r.share or {}
    epsilon, delta = share["epsilon"], share.get("delta", c.ring.lift(0))
    c.at_least(epsilon, 0, "its share of epsilon must be positive", strict=True)
    c.at_least(delta, 0, "its share of delta", strict=r.noise.loss.gaussian)
    if r.noise.loss.gaussian:
        c.at_least(c.ring.lift(1), delta, "its share of delta", strict=True)
    if r.stated is None and ":" not in r.rule:  # else a theorem that is trusted
        THEOREMS[r.mechanism, r.rule](c, r, epsilon, delta)
    elif r.stated is not None:
        inside(c, r.stated, epsilon, delta)
    return r.times * epsilon, r.times * delta


def inside(c: At, stated: Mapping[str, Formula], epsilon: Formula, delta: Formula) -> None:
    """What a mechanism from outside states is inside a share. Raises Refused."""
    if "mu^2" in stated:
        approximately(c, epsilon, delta, [("rest", stated["mu^2"])])
        return
    c.require("epsilon" in stated, "what it states must be of epsilon, of both, or of mu^2")
    c.at_least(epsilon, stated["epsilon"], "what it states must be inside its share of epsilon")
    least = stated.get("delta", c.ring.lift(0))
    c.at_least(delta, least, "what it states must be inside its share of delta")


def named_theorems(c: At) -> None:
    """Mark the hypotheses of the theorems that calibrated noise: a region may keep them, where
    another derivation proves the total, since they only narrow what is claimed.
    """
    for r in c.releases:
        if r.rule != "stated" and r.share is not None and "epsilon" in r.share:
            with suppress(Refused):
                earned(c, r)


@derivation("gaussian", APPROX, *OF_MU)
def _gaussian(c: At) -> None:
    """Gaussian releases together: one release of the stacked vector. [DongRS22, Cor 3.3]"""
    amounts = c.amounts
    c.require(all(r.noise.loss.gaussian for r in c.releases), "every release must be Gaussian")
    for some in moving(c, c.releases):
        squares = squared_moves(c, some)
        if c.guarantee is APPROX:
            approximately(c, amounts[0], amounts[1], squares)
            continue
        worth = amounts[0] * c.guarantee.of_mu
        for most in joint_bounds(c, squares):
            c.at_least(worth, most, "the joint mu^2 must be inside the target")


@derivation("zcdp", ZCDP, APPROX)
def _zcdp(c: At) -> None:
    """rhos add: (Delta/size)^2/2 of every noise, discrete Gaussians too [BunS16] [CanonneKS20]; of
    the exponential mechanism a quarter of that [DongDR20].
    """
    for some in moving(c, c.releases):
        gaussians = [r for r in some if r.noise.loss.gaussian]
        known = [(r, r.noise.loss.rho) for r in some if r.noise.loss.rho is not None]
        c.require(len(known) + len(gaussians) == len(some), "the rho of a release is unknown")
        sizes = [loss_of(c, r) if rho == HALF else moved_by(c, r) / r.size for r, rho in known]
        draws = zip(sizes, known, strict=True)
        extra = c.ring.total(one**2 * r.times * rho for one, (r, rho) in draws)
        for most in joint_bounds(c, squared_moves(c, gaussians)):
            rho = most * HALF + extra
            worth = as_epsilon(c, rho, c.amounts[1]) if c.guarantee is APPROX else rho
            c.at_least(c.amounts[0], worth, "rho, or its conversion, must be inside the target")


@derivation("sum", PURE, APPROX)
def _sum(c: At) -> None:
    """Epsilons of pure noise add. [DworkR14, Thm 3.16]"""
    c.require(all(r.noise.loss.pure for r in c.releases), "every release must be pure")
    for some in moving(c, c.releases):
        spare = c.amounts[0] - c.ring.total(loss_of(c, r) * r.times for r in some)
        c.require(shown(c, spare), "the epsilons must sum to at most the target's")


@derivation("numeric", APPROX)
def _numeric(c: At) -> None:
    """Dominating pairs multiply: a Gaussian of the joint mu, one pair a draw. [ZhuDW22, Thm 10]"""
    pure = [r for r in c.releases if r.noise.loss.pure]
    gaussians = [r for r in c.releases if r.noise.loss.gaussian]
    c.require(len(pure) + len(gaussians) == len(c.releases), "the loss of a release is unknown")
    draws = [r.times.constant for r in pure]
    c.require(None not in draws, "the numbers of draws must be numbers")
    costs = [loss_of(c, r) for r in pure]
    shifts = [r.noise.loss.name == "laplace" and amplified(c, r) is None for r in pure]
    sums = by_part(c, squared_moves(c, gaussians))
    c.settled(*costs, *sums.values())

    def decide(ends: Sequence[Interval]) -> bool:
        tops = [high for _, high in ends[2:]]
        square = max(joint(dict(zip(PARTS, tops[len(costs) :], strict=True)), max))
        drawn = zip(shifts, tops, draws, strict=False)
        parts = [Draws(laplace, e, int(n or 0)) for laplace, e, n in drawn]
        return composes(c, ends[0][0], ends[1][0], square, parts)

    enough = c.on_boxes("numeric", [*c.amounts, *costs, *sums.values()], decide)
    c.require(enough, "delta of all losses was not shown (it needs a Gaussian, none on samples)")


def composes(c: At, e: Fraction, d: Fraction, square: Fraction, pure: Sequence[Draws]) -> bool:
    """Whether a Gaussian of this mu^2 and pure releases are (e, d)-DP together; equal ones once."""
    if not (0 < e < 10**6 and d > FAR and Fraction(1, 10**12) < square < 10**12):
        return False
    drawn: dict[tuple[bool, Fraction], int] = {}
    for laplace, cost, n in pure:
        drawn[laplace, cost] = drawn.get((laplace, cost), 0) + n
    parts = [Draws(*key, n) for key, n in drawn.items()]
    return bool(c.ring.steps.closes(ContourClaim(c.ring, e, d, square, parts)))


class ContourClaim(NamedTuple):
    """The claim that a Gaussian and pure draws are (e, d)-DP together."""

    ring: Ring
    e: Fraction
    d: Fraction
    square: Fraction
    parts: Sequence[Draws]

    @property
    def key(self) -> str:
        """`contour of 1, 1/100000, 1/4, laplace 1/10 x 3`."""
        parts = [f"{'laplace' if own else 'pure'} {cost} x {n}" for own, cost, n in self.parts]
        draws = "; ".join(parts)
        return digest(f"contour of {self.e}, {self.d}, {self.square}, {draws}", short=60)

    def shown(self, step: Mapping[str, Json]) -> bool:
        """Whether the line of the step shows it: real part c > 0, step h > 0, n nodes."""
        match step:
            case {"by": "contour", "c": c, "h": h, "n": int(n)} if 1 < n <= MAX_BOXES:
                line = ContourLine(number(c, "contour"), number(h, "contour"), n)
            case _:
                return False
        self.ring.spend(n * (20 + sum(16 + 3 * k.bit_length() for *_, k in self.parts)))
        try:
            return composed(self.e, self.square, self.parts, line) <= self.d
        except (Unbounded, ArithmeticError, ValueError):  # numbers too far out
            return False


BITS, MOST_STEPS, MOST_AMOUNT = 128, 6_000, 1_000
WHOLE = ("discrete_laplace", "discrete_gaussian")


@derivation("single", PURE, APPROX, ZCDP, GAUSSIAN)
def _single(c: At) -> None:
    """What one draw costs is inside the target; of noise in whole numbers, moved so far in L1."""
    once = len(c.releases) == 1 and c.releases[0].times.constant == 1 and not c.personal_budgets()
    c.require(once, "one release, drawn once, for one budget")
    r, noise = c.releases[0], c.releases[0].noise
    law = r.mechanism if r.mechanism in ("laplace", *WHOLE) else "response"
    one = r.statistic.l1 if law in WHOLE else r.statistic.move(noise.norm)
    known = one is not None and (noise.loss.pure or law in WHOLE)
    c.require(known, "the pair that dominates its noise must be known")
    moved = moved_by(c, r) if one is None else c.ring.factored(c.rows * one)
    cost = COSTS.get((law, c.guarantee.name))

    def decide(ends: Sequence[Interval]) -> bool:
        if cost is None or min(low for low, _ in ends) <= 0:
            return False
        size, (_, most), *amounts = ends
        if max(most / size.lower, *(high for _, high in amounts)) > MOST_AMOUNT:
            return False
        return (law not in WHOLE or most >= 1) and cost(size, most, *(low for low, _ in amounts))

    closed = any(shown(c, gap) for gap in gaps(c, r, moved))
    paid = closed or (cost is not None and c.on_boxes(law, [r.size, moved, *c.amounts], decide))
    c.require(paid, "what one draw costs was not shown to be inside the target")


def gaps(c: At, r: Release, moved: Formula) -> Iterator[Formula]:
    """Formulas that are >= 0 only where a pure draw is inside the target. With x its largest loss:
    x; rho = x + e^-x - 1 of Laplace noise, x tanh(x/2) of any; delta = 1 - e^((epsilon - x)/2) of
    Laplace noise, (1 - e^(epsilon - x))/(1 + e^-x) of any.
    """
    x, laplace, (most, *more) = moved / r.size, r.mechanism == "laplace", c.amounts
    if not r.noise.loss.pure or c.guarantee is GAUSSIAN:
        return
    fall = c.exp(-x)
    if c.guarantee is ZCDP:
        yield most - (x + fall - 1 if laplace else x * (1 - fall) / (1 + fall))
    else:
        yield most - x
    if laplace and more and c.ring.prove(1 - more[0], strict=True):
        yield most - c.log(1 - more[0]) * 2 - x
    elif more:
        yield more[0] * (1 + fall) - 1 + c.exp(most - x)


def tail(x: Fraction) -> Fraction:
    """An upper bound on 1 - Phi(x), x >= 0."""
    below = raised(Interval(*(2 * end for end in pi(BITS))), -HALF, BITS).upper
    return exp(-x * x / 2, BITS).upper * mills(x, BITS).upper * below


def laplace_mu(size: Interval, move: Fraction, square: Fraction) -> bool:
    """mu = 2 Phi^-1(1 - e^(-x/2)/2)."""
    return tail(root_ends(square, 2, BITS).lower / 2) <= exp(-move / size.lower / 2, BITS).lower / 2


def response_mu(size: Interval, move: Fraction, square: Fraction) -> bool:
    """mu = 2 Phi^-1(1/(1 + e^-x))."""
    fall = exp(-move / size.lower, BITS).lower
    return tail(root_ends(square, 2, BITS).lower / 2) <= fall / (1 + fall)


def discrete_mu(size: Interval, move: Fraction, square: Fraction) -> bool:
    """mu = h(u) + h(v), Phi(-h(u)) = a^u/(1 + a), a = e^(-1/b): any y >= h(u), mu - y >= h(v)."""
    rate, steps = 1 / size.lower, math.floor(move) + 1
    mu, under = root_ends(square, 2, BITS).lower, 1 + exp(-rate, BITS).upper
    near, far = (exp(-u * rate, BITS).lower / under for u in (steps // 2, steps - steps // 2))
    low, high = ZERO, mu / 2
    for _ in range(BITS * (steps % 2)):
        y = (low + high) / 2
        low, high = (low, y) if tail(y) <= near else (y, high)
    return tail(high) <= near and tail(mu - high) <= far


def discrete_rho(size: Interval, move: Fraction, rho: Fraction) -> bool:
    """(k - 2 a (1 - a^k)/(1 - a^2))/b, a = e^(-1/b)."""
    rate, k = 1 / size.lower, math.floor(move)
    a = exp(-rate, BITS).lower
    return rate * (k - 2 * a * (1 - exp(-k * rate, BITS).upper) / (1 - a * a)) <= rho


def normal_delta(size: Interval, move: Fraction, e: Fraction, d: Fraction) -> bool:
    """The sum over whole x of what is positive of g(x - k) - e^epsilon g(x), over the sum of g,
    g(x) = e^(-x^2/(2 s^2)): none is below `first`, where the loss is k (2x - k)/(2 s^2); from
    `last` on, g(x - k) falls by the factor `fall` or more.
    """
    k, (low, high) = math.floor(move), (2 * size.lower**2, 2 * size.upper**2)
    first = math.floor(e * low / (2 * k) + Fraction(k, 2))
    last = max(first, k) + 1 + math.ceil(14 * size.upper)
    if last - min(first - k, 0) > MOST_STEPS:
        return False
    most = {x: exp(-x * x / high, BITS).upper for x in range(first - k, last - k + 1)}
    least = [exp(-x * x / low, BITS).lower for x in range(last)]
    scale, fall = exp(e, BITS).lower, exp(-(2 * (last - k) + 1) / high, BITS).upper
    parts = (most[x - k] - scale * least[x] for x in range(first, last))
    rest, whole = most[last - k] / (1 - fall), 2 * sum(least, ZERO) - ONE
    return (sum((part for part in parts if part > 0), ZERO) + rest) / whole <= d


COSTS: dict[tuple[str, str], Callable[..., bool]] = {
    ("laplace", "gaussian"): laplace_mu,
    ("response", "gaussian"): response_mu,
    ("discrete_laplace", "gaussian"): discrete_mu,
    ("discrete_laplace", "zcdp"): discrete_rho,
    ("discrete_gaussian", "approx"): normal_delta,
}
