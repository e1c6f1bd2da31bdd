"""Lower bounds on the cost of releases together, of one pair of neighbours that is known to attain
several sensitivities simultaneously. Refutations and audits use them; no proof does.

Under add/remove the pair differs in one record: a row of a ball with equal entries, and |y| = Y.
It moves sums of products evenly, so each entry of a vector with Laplace noise has a Laplace loss of
its own, and Gaussian noise the loss of its mu. These losses compose.

Execution rounds tables, and noise onto their grid: rounding.py says what that hides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from dpframe.accountants import NumericAccountant, Part
from dpframe.graph import Graph, Release
from dpframe.graph.reached import moves_evenly
from dpframe.identity import own
from dpframe.mechanisms import Laplace
from dpframe.numerics import arb_lower, arb_upper, to_float
from dpframe.pld.losses import GaussianLoss, LaplaceLoss
from dpframe.privacy import ADD_REMOVE, ApproxDP, GaussianDP
from dpframe.symbols import RELEASED, ZERO, Expression, Number
from dpframe.wording import Text, digits, joined, say

from .algebra import at_point
from .judge import ProfileClaim, pure_witness, refute, root, shown_ball, shown_end
from .mixture import cost
from .problem import ALL, Attempt, Edit, Problem, Witness, alone, joint_moves, opened
from .rounding import hidden, hidden_onto_whole, kept, of_all
from .sign import counterexample
from .total import gaussian, joint_of_classes, reached_moves

MOST_POINTS = 12  # at which symbols are tried: each costs a composition
MOST_ENTRIES = 10**6
HALF = Fraction(1, 2)
Ball = Any


@attrs.frozen
class PairCost:
    """What one pair of neighbours costs: the squared mu of Gaussian releases; of Laplace releases
    the loss of an entry and the number of such draws; and the change of losses by rounding.
    """

    square: Expression
    losses: tuple[Expression, ...]
    draws: tuple[Expression, ...]
    rounding: Expression

    @property
    def formulas(self) -> tuple[Expression, ...]:
        """All of them."""
        return (self.rounding, self.square, *self.losses, *self.draws)


def one_pair(problem: Problem) -> PairCost | None:
    """Of all releases that one added record moves evenly, without Laplace noise on steps so coarse
    that rounding may hide its whole loss; None where all noise is Gaussian, or none is left.
    """
    if problem.setting.relation is not ADD_REMOVE or problem.of_cells or problem.personal:
        return None
    even = [one for one in problem.classes if _even(one[0]) and not _coarse(one[0])]
    gaussians = [one for one in even if one[0].gives is GaussianDP]
    laplace = [one for one in even if one[0].noise is Laplace]
    joint = joint_of_classes(problem, gaussians)
    if not even or len(gaussians) == len(problem.classes) or joint is None:
        return None
    whole = zip(joint_moves(problem.rows, joint, gaussians), gaussians, strict=True)
    moves = [move * kept(one) ** 2 * (HALF if _uneven(one) else 1) for move, (one, _) in whole]
    return PairCost(
        square=reached_moves(joint, moves, gaussians),
        losses=tuple(cost(one).amounts[0] * kept(one) / one.entries for one, _ in laplace),
        draws=tuple(one.entries * one.times * count for one, count in laplace),
        rounding=of_all(hidden, even),
    )


def _even(release: Release) -> bool:
    """Whether the record attains the sensitivity, whatever was released before."""
    moved, mechanism = release.moved, release.mechanism
    added = release.noise is Laplace or (release.gives is GaussianDP and own(release.noise))
    if not added or moved is None or moved.value == ZERO:
        return False
    fixed = RELEASED not in moved.value.scope | mechanism.formula.scope
    attained = moved.attained and release.reached and release.sampled is None
    return fixed and attained and moves_evenly(release.statistic)


def _coarse(release: Release) -> bool:
    """Whether its loss is at most what rounding is allowed for."""
    if release.noise is not Laplace or release.moved is None:
        return False
    gap = hidden(release) * release.mechanism.formula - release.moved.value
    return isinstance(gap, Number) and gap.value >= 0


def _uneven(release: Release) -> bool:
    """Whether its noise is larger off the diagonal; the triangle has half of |xx'|^2 or more."""
    return release.noise.uneven and release.statistic.symmetric


def least_epsilon(problem: Problem, values: Mapping[str, Fraction], delta: Fraction) -> float:
    """A lower bound on epsilon at this delta, at numbers; 0 where none is known."""
    pair = one_pair(problem) if delta else None
    if pair is None or any(s.name not in values for f in pair.formulas for s in f.symbols()):
        return 0.0
    rounding, *balls = at_point(pair.formulas, values)
    parts = _parts(balls)
    if not parts or not rounding.is_finite():
        return 0.0
    least = Fraction(NumericAccountant().epsilon(parts, delta).lower) - arb_upper(rounding)
    return to_float(max(least, Fraction(0)), up=False)


def _parts(balls: Sequence[Ball]) -> list[Part]:
    """The losses at numbers, rounded down; none where they are undefined or too many."""
    square, *pure = balls
    losses, draws = pure[: len(pure) // 2], pure[len(pure) // 2 :]
    counts: list[Any] = [one.unique_fmpz() if one.is_finite() else None for one in draws]
    defined = all(one.is_finite() for one in (square, *losses)) and None not in counts
    if not defined or sum(counts) > MOST_ENTRIES:
        return []
    mu, sizes = arb_lower(root(square)), map(arb_lower, losses)
    gaussian = [Part(GaussianLoss(mu))] if mu > 0 else []
    pairs = zip(sizes, counts, strict=True)
    return [*gaussian, *(Part(LaplaceLoss(loss), int(count)) for loss, count in pairs if loss > 0)]


def refutation(problem: Problem) -> list[Attempt]:
    """The total, if one pair of neighbours, the Gaussian releases or one release certainly break
    it.
    """
    if problem.personal:
        return []
    if "epsilon" not in problem.target.currency:
        return _by_gaussians(problem)
    found = next((one for one in _witnesses(problem) if one is not None), None)
    if found is None:
        return []
    rule = "no pair of neighbours may cost more than the target"
    repair = "raise the noise, or the target."
    return [Attempt((opened("total", ALL, rule, (), repair, found, edit=Edit("all noise")),))]


def _by_gaussians(problem: Problem) -> list[Attempt]:
    """The Gaussian releases beside others, which cost at least what these do."""
    part = tuple(one for one in problem.graph.releases if one.gives is GaussianDP)
    if not 0 < len(part) < len(problem.graph.charged):
        return []
    found = gaussian(attrs.evolve(problem, graph=Graph.of(part)), NumericAccountant())
    open_ones = [] if found is None else found.obligations
    return [alone(part, Attempt((one,))) for one in open_ones if one.refuted]


def _witnesses(problem: Problem) -> Iterator[Witness | None]:
    share, grouped = problem.target.budget, problem.classes
    pair = one_pair(problem)
    if pair is not None:
        read = (share.epsilon, share.delta, *pair.formulas)
        yield counterexample(read, _broken, most=MOST_POINTS)
    gaussians = [one for one in grouped if one[0].gives is GaussianDP and own(one[0].noise)]
    joint = None if problem.of_cells else joint_of_classes(problem, gaussians)
    if gaussians and joint is not None and isinstance(problem.target, ApproxDP):
        square = reached_moves(joint, joint_moves(problem.rows, joint, gaussians), gaussians)
        claim = ProfileClaim(
            share.epsilon, share.delta, square, square, of_all(hidden_onto_whole, gaussians)
        )
        yield refute(claim, whole=len(gaussians) == len(grouped))
    for release, _ in grouped:
        found = pure_witness(release, share)
        yield found and attrs.evolve(found, says=say("{}: {}", release.label, found.says))


def _broken(epsilon: Ball, delta: Ball, rounding: Ball, *balls: Ball) -> str | None:
    """What the record costs, where that is certainly more than (epsilon, delta)."""
    parts = _parts(balls)
    if not parts or not all(one.is_finite() and one >= 0 for one in (epsilon, delta, rounding)):
        return None
    if delta == 0:
        pure = [one for one in parts if isinstance(one.what, LaplaceLoss)]
        loss = sum((one.what.epsilon * one.count for one in pure), Fraction(0))  # type: ignore[union-attr]
        if loss <= arb_upper(epsilon):
            return None
        most = shown_end(loss, up=False, limit=arb_upper(epsilon))
        return say("{}; their sum reaches {} > {}", _shown(parts), most, shown_ball(epsilon))
    limit = arb_upper(delta)
    least = Fraction(NumericAccountant().delta(parts, arb_upper(epsilon + rounding)).lower)
    if least <= limit:
        return None
    return say(
        "{}: its $delta$ at $epsilon$ = {} is at least {} > {}",
        _shown(parts),
        shown_ball(epsilon),
        shown_end(least, up=False, limit=limit),
        shown_ball(delta),
    )


def _shown(parts: Sequence[Part]) -> Text:
    """`a record with equal entries costs mu = 0.0943 and 10 Laplace losses of 0.158`."""
    return say("a record with equal entries costs {}", joined(" and ", map(_one, parts)))


def _one(part: Part) -> Text:
    if isinstance(part.what, GaussianLoss):
        return say("$mu$ = {}", digits(float(part.what.mu)))
    assert isinstance(part.what, LaplaceLoss)  # noqa: S101 - there are no others
    losses = "a Laplace loss" if part.count == 1 else f"{part.count} Laplace losses"
    return say("{} of {}", losses, digits(float(part.what.epsilon)))
