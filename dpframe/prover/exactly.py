"""Does one draw of noise stay inside its share, exactly? In every currency, by the pair that
dominates the draw: proved at numbers, refuted at numbers where a pair of neighbours costs as much.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import attrs

from dpframe.accountants import Accountant
from dpframe.accountants.single import divergence_of, inside, mu_of, rho_of
from dpframe.errors import InvalidArgument
from dpframe.graph import Release
from dpframe.graph.facts import noise_of
from dpframe.graph.reached import exchanged
from dpframe.identity import own
from dpframe.mechanisms import AdditiveNoise, Laplace
from dpframe.mechanisms.base import NEEDS_DELTA, WITH_DELTA
from dpframe.mechanisms.subsampled import on_sample
from dpframe.numerics import arb_lower, arb_upper, working
from dpframe.pld import losses
from dpframe.privacy import Guarantee, Share, as_kind
from dpframe.privacy.guarantees import order_of
from dpframe.sensitivity import L1
from dpframe.symbols import ONE, RELEASED, ZERO, Expression, add, exp, log
from dpframe.theory.derivations import COSTS
from dpframe.theory.mechanisms import NOISES
from dpframe.wording import Formula, digits, reference, say

from .algebra import BITS, ends_of
from .basic import earns, needed, thinned
from .judge import Earned, earned_together, event_text, selection_witness, shown_ball
from .problem import ALL, PROVED, REFUTED, Attempt, Obligation, Problem, Witness, opened, thinnings
from .rounding import whole_step
from .sign import MAX_TRIES, counterexample, nonnegative, surely_nonnegative

CITED = "(docs/proofs/currencies.md)"
CURRENCIES = (("epsilon",), ("epsilon", "delta"), ("rho",), ("mu^2",))  # and one an order
MOST = 64  # releases that are compared with the target alone
Ball = Any


def earns_exactly(problem: Problem, release: Release) -> Earned:
    """Whether the noise of a release earns its share: as the rule book shows it, or else by what
    the draw costs at numbers.
    """
    result, share, draw = earns(problem, release), release.share, OneDraw.of(release)
    if share is None or release.rule is not None or result.obligation.proved:
        return result
    if draw is None or not judgeable(share.currency):
        return result
    shown = not draw.judged(share.currency) and draw.inside(share)
    if shown or _shown(problem, release, share):
        rule = say("the exact cost of one draw must be inside its share {}", reference(CITED))
        facts = (say("{}, share ({})", draw, share),)
        return Earned(Obligation("share", release.label, rule, facts, PROVED))
    if result.obligation.refuted or draw.judged(share.currency):
        return result
    if release.noise.selects:
        witness = selection_witness(release, share)
    else:
        witness = draw.refuted(share.currency, share.amounts)
    if witness is None:
        return result
    return Earned(attrs.evolve(result.obligation, verdict=REFUTED, witness=witness))


def one_draw(problem: Problem, accountant: Accountant) -> Attempt | None:
    """The one draw of the one release costs at most the target; what the kernel has a rule for."""
    del accountant  # there is nothing to add up
    attempt = _only(problem)
    draw = None if attempt is None else OneDraw.of(problem.graph.releases[0])
    if draw is None or attempt is None or not attempt.proved:
        return None
    if draw.rate != 1 and NOISES[draw.noise].loss.pure:  # derivation sum counts samples
        return None
    return attempt if exactly_known(draw.noise, problem.target.kind) else None


def exactly_known(mechanism: str, guarantee: str) -> bool:
    """Whether no less than what the rule book charges is known of a draw of this noise."""
    noise = NOISES[mechanism]
    listed = (mechanism, guarantee) in COSTS or guarantee == "pure"
    return listed if noise.whole else noise.loss.pure


def _only(problem: Problem) -> Attempt | None:
    """Whether the one release, drawn once with stated noise, earns the whole target; None where
    there are others.
    """
    graph, release = problem.graph, next(iter(problem.graph.releases), None)
    alone = len(graph.releases) == len(graph.charged) == 1 and not graph.bounds
    if release is None or not alone or release.times != ONE or release.rule is not None:
        return None
    if problem.personal is not None or thinnings(graph):
        return None
    earned = earns_exactly(problem, attrs.evolve(release, share=problem.target.budget))
    whole = attrs.evolve(earned.obligation, kind="total", node=ALL)
    return Attempt((whole,), tuple(thinned([*earned.constraints], problem)))


def judgeable(currency: tuple[str, ...]) -> bool:
    """Whether shares of a currency are judged here."""
    return currency in CURRENCIES or order_of(currency) is not None


def exact_shares(problem: Problem, accountant: Accountant) -> Attempt | None:
    """Every draw earns its share, exactly, and shares of any currency add: [DworkR14, Thm B.1]
    [BunS16, Lem 2.3] [DongRS22, Cor 3.3] [Mironov17, Prop 1]. A draw that alone costs more than the
    target refutes it, and so do draws that cost more together on one pair of neighbours.
    """
    del accountant  # the plan adds the shares up
    tried = [_against_target(problem, release) for release, _ in problem.classes[:MOST]]
    broken = tuple(one for one in (*tried, _summed(problem)) if one is not None)
    if broken:
        return Attempt(broken)
    if any(release.share is None for release in problem.graph.releases):
        return _only(problem)
    whole = earned_together([earns_exactly(problem, release) for release, _ in problem.classes])
    return attrs.evolve(whole, constraints=tuple(thinned([*whole.constraints], problem)))


def _against_target(problem: Problem, release: Release) -> Obligation | None:
    """The total, refuted by one draw alone."""
    draw, target = OneDraw.of(release), problem.target
    rule = say("{} alone must be inside the target", release.label)
    repair = "give it a larger scale."
    if thinnings(problem.graph):  # the target is the sample's, no record's own
        return None
    if release.noise.selects:
        witness = selection_witness(release, target.budget)
    elif draw is None or not judgeable(target.currency) or draw.judged(target.currency):
        return None
    else:
        witness = draw.refuted(target.currency, target.amounts)
        rule = say("{} alone must be inside the target {}", release.label, reference(CITED))
        repair = "give it more noise."
        if target.currency == ("epsilon",) and not NOISES[draw.noise].loss.pure:
            rule, repair = say("{}: {}", release.label, NEEDS_DELTA), WITH_DELTA
    if witness is None:
        return None
    return opened("total", ALL, rule, (say("{}", draw),), repair, witness)


def _summed(problem: Problem) -> Obligation | None:
    """The total, refuted by the sum of what draws cost on one pair of neighbours: the largest
    losses of independent draws add up, and so do their divergences.
    """
    target = problem.target
    alone = problem.of_cells or thinnings(problem.graph) or problem.personal is not None
    if alone or target.currency not in {("epsilon",), ("rho",)}:
        return None
    replaced = problem.setting.relation.replaced
    (limit,), pairs = target.amounts, dict[object, list[tuple[Release, Expression]]]()
    for release, count in problem.classes:
        amount = _least_cost(release, target)
        if amount is not None:
            statistic = release.statistic
            labels = exchanged(statistic)
            pair = (statistic if labels is None else labels) if replaced else None
            pairs.setdefault(pair, []).append((release, release.times * count * amount))
    for charged in pairs.values():
        least = add(*(amount for _, amount in charged))
        decision = nonnegative(limit - least, problem.field)
        if decision.proved is False:
            names = ", ".join(release.label for release, _ in charged)
            says = say(
                "one pair of neighbours moves {} furthest, and costs {} > {}", names, least, limit
            )
            witness = decision.counterexample(says, limit, least)
            rule = "what one pair of neighbours costs must be inside the target"
            fact = say("{} is at least {}", Formula(target.currency[0]), least)
            return opened("total", ALL, rule, (fact,), "give them more noise.", witness)
    return None


def _least_cost(release: Release, target: Guarantee) -> Expression | None:
    """What one draw costs on the pair that attains its sensitivity, in the kind of the target; None
    where none is known to cost it.

    The largest loss of Laplace noise is the move in L1 over the scale, on the event beyond the move
    in every coordinate, and on samples what is left of it: beyond all that samples may sum to.
    """
    moved, noise, kind = release.moved, noise_of(release.noise), type(target)
    if moved is None or noise is None or moved.value == ZERO:
        return None
    given = as_kind(release.given_in(kind, moved.value), kind)
    if given is None or given.currency != target.currency:
        return None
    (amount,) = given.amounts
    if target.currency == ("rho",):
        return amount if needed(release, amount) else None
    laplace = noise.norm == "L1" and noise.loss.pure and release.noise.attained
    counted = release.sampled is None or not amount.symbols()  # samples are, at numbers alone
    sharp = laplace and moved.attained and release.reached and counted
    return amount if sharp and RELEASED not in amount.scope else None


def _shown(problem: Problem, release: Release, share: Share) -> bool:
    """Whether Laplace noise is shown to spend at most its share, in symbols: rho = x + e^-x - 1 of
    the largest loss x, and the profile 1 - e^((epsilon - x)/2).
    """
    if not own(release.noise) or not issubclass(release.noise, Laplace):
        return False
    moved = release.statistic.sensitivity(L1)
    if moved is None:
        return False
    loss = release.on_all_rows.guarantee(moved.value).amounts[0]
    if share.currency == ("rho",):
        return surely_nonnegative(share.rho - (loss + exp(-loss) - 1), problem.field)
    if "delta" not in share.currency or not surely_nonnegative(1 - share.delta, problem.field):
        return False
    return surely_nonnegative(share.epsilon - 2 * log(1 - share.delta) - loss, problem.field)


@attrs.frozen(eq=False)
class OneDraw:
    """One draw of a `mechanism` of dpframe's own, charged as `noise` of the rule book: by how much
    its statistic is `moved` in the norm that the pair is found by, of whole numbers in L1, and
    whether a pair of neighbours costs all of it (`reached`); 1, or the `rate` of the sample that it
    reads. (docs/proofs/shifts.md)
    """

    mechanism: AdditiveNoise
    noise: str
    moved: Expression
    reached: bool
    rate: Fraction = Fraction(1)
    step: Expression = ZERO
    """Of the whole numbers onto which noise on the line is rounded; ZERO where it is fine."""

    @classmethod
    def of(cls, release: Release) -> OneDraw | None:
        """The draw of a release; None where no pair is known to dominate it."""
        noise, statistic = noise_of(release.noise), release.statistic
        if noise is None:
            return None
        kind = noise.instead_of or release.noise.kind
        norm = L1 if noise.whole else release.noise.norm
        moved = statistic.sensitivity(norm)
        if moved is None:
            return None
        step, alone = whole_step(release), release.entries == ONE
        one = alone or (noise.loss.gaussian and step == ZERO)
        attained = moved.attained and one and release.noise.attained
        read = moved.value.scope | release.mechanism.formula.scope
        reached = attained and release.reached and RELEASED not in read
        reached = reached and release.sampled is None  # of samples an upper bound
        sharp = kind != "l2_laplace" and not noise.selects
        rate = ONE if release.hides is None else release.hides
        return cls(release.mechanism, kind, moved.value, reached and sharp, rate.value, step)

    @property
    def size(self) -> Expression:
        """The std or scale."""
        return self.mechanism.formula

    def judged(self, currency: Sequence[str]) -> bool:
        """Whether the rules on all releases together decide exactly what it costs."""
        return self.noise == "gaussian" and currency in CURRENCIES[1:] and self.rate == 1

    def loss(self, size: Fraction, moved: Fraction) -> losses.PrivacyLoss | None:
        """The loss of the pair at numbers; None where it has none."""
        by = Fraction(int(moved)) if NOISES[self.noise].whole else moved
        alone: Any = {"one_coordinate": True} if self.noise == "discrete_gaussian" else {}
        try:
            whole = self.mechanism.resized(size).loss(by, **alone)
            return whole if self.rate == 1 else on_sample(whole, self.rate)
        except (InvalidArgument, ZeroDivisionError):  # out of the range of the loss, or not moved
            return None

    def inside(self, share: Share) -> bool:
        """Whether the draw certainly spends at most its share; False while a symbol is left."""
        known = ends((self.size, self.moved, *share.amounts))
        if known is None:
            return False
        size, moved, *amounts = known
        loss = self.loss(size[0], moved[1])
        return (
            loss is not None and inside(loss, share.currency, [one[0] for one in amounts]) is True
        )

    def refuted(self, currency: Sequence[str], amounts: Sequence[Expression]) -> Witness | None:
        """Numbers at which the pair costs more than these amounts; None where none are found."""
        if not self.reached:
            return None
        says = partial(self._says, tuple(currency))
        return counterexample((self.size, self.moved, self.step, *amounts), says, most=MAX_TRIES)

    def _says(
        self, currency: tuple[str, ...], size: Ball, moved: Ball, step: Ball, *amounts: Ball
    ) -> str | None:
        balls = (size, moved, step, *amounts)
        if not all(ball.is_finite() for ball in balls) or not (size > 0 and moved > 0):
            return None
        largest = currency[0] == "epsilon" and all(one == 0 for one in amounts[1:])
        stays = largest or (self.noise == "gaussian" and currency[0] in {"rho", "mu^2"})
        if step > 0 and not stays:  # which rounding hides nothing of
            return event_text(self.noise, currency, size, moved, step, *amounts)
        most = [arb_upper(amount) for amount in amounts]
        loss = self.loss(arb_upper(size), arb_lower(moved))
        if loss is None or inside(loss, currency, most) is not False:
            return None
        return say("moved by {}, {}", shown_ball(moved), cost_text(loss, currency, most))

    def __str__(self) -> str:
        """`laplace noise of size 1 moved by 1`."""
        name = self.noise.replace("_", " ")
        sampled = "" if self.rate == 1 else f", on samples at {self.rate}"
        return f"{name} noise of size {self.size}, moved by at most {self.moved}{sampled}"


def ends(formulas: Sequence[Expression]) -> list[tuple[Fraction, Fraction]] | None:
    """Bounds on formulas, exact for numbers; None where one has a symbol, or is undefined."""
    bounds = [ends_of(formula) for formula in formulas]
    known = [one for one in bounds if one is not None]
    return known if len(known) == len(bounds) else None


def cost_text(loss: losses.PrivacyLoss, currency: Sequence[str], most: Sequence[Fraction]) -> str:
    """`it costs rho = 1.13534 > 0.5`."""
    first, last = digits(float(most[0])), digits(float(most[-1]))
    if currency == ("epsilon", "delta") and most[-1]:
        return say("its $delta$ at $epsilon$ = {} is above {}", first, last)
    if "epsilon" in currency and loss.largest is None:
        return say("its privacy loss has no bound, and $epsilon$ = {} is one", first)
    if "epsilon" in currency:
        return say("its privacy loss reaches {} > {}", digits(float(loss.largest or 0)), first)
    with working(BITS):
        order = order_of(currency)
        cost = mu_of(loss) ** 2 if currency == ("mu^2",) else rho_of(loss)
        cost = cost if order is None else divergence_of(loss, order)
    name = currency[0]
    if cost.is_finite():
        return say("it costs {} = {} > {}", Formula(name), shown_ball(cost), first)
    return say("it costs more than {} = {}", Formula(name), first)
