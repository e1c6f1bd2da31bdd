"""What all releases satisfy together: each derivation is an accountant, the one that is passed or
one of those that certify tries.

In symbols, costs are added; jointly Gaussian releases are one Gaussian release of the stacked
statistics; at numbers, Gaussian, subsampled, pure and concentrated releases are composed by an
accountant that returns intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import attrs

from dpframe.accountants import ACCOUNTANTS, Accountant, AdditiveAccountant, Part
from dpframe.accountants.every import unknown_accountant
from dpframe.accountants.single import compared, divergence_of
from dpframe.errors import InvalidArgument
from dpframe.graph import Release
from dpframe.identity import strangers
from dpframe.numerics import Interval, arb_float, ball, working
from dpframe.privacy import ApproxDP, GaussianDP, RenyiDP, ZeroConcentratedDP
from dpframe.symbols import Number
from dpframe.wording import Cited, Formula, digits, reference, say, scaling

from .algebra import BITS, enclose
from .basic import basic
from .exactly import exact_shares, one_draw
from .judge import shown_end
from .mixture import Mixture, cost, draws, upper
from .problem import Attempt, Problem, place, totalled
from .total import gaussian, total

RULES = {"numeric": "the profile of all privacy losses together stays inside the target"}


def numeric(problem: Problem, accountant: Accountant) -> Attempt | None:
    """The accountant's epsilon at the target's delta, of all releases: one Gaussian of the joint
    mu, and one part for each other draw. (proofs/contour; proofs/subsampling)
    """
    target = problem.target
    if isinstance(target, RenyiDP) and accountant.name == "rdp":
        sampled = any(release.sampled is not None for release in problem.graph.releases)
        whole = None if sampled else gaussian(problem, accountant)  # exact, in symbols too
        return whole or _of_order(problem, target, accountant)
    if not isinstance(target, ApproxDP):
        return None
    epsilon, delta = target.amounts
    if not (isinstance(epsilon, Number) and isinstance(delta, Number)):
        return None
    try:
        costs, parts = _parts(problem.graph.releases, accountant)
        answer = accountant.epsilon(parts, delta.value) if parts else None
    except InvalidArgument:  # a cost that is a formula, or of a kind that it does not add
        return None
    if not isinstance(answer, Interval):
        return None
    rule = say(
        "{} {}", RULES.get(accountant.name, accountant.argument), reference(accountant.citation)
    )
    most = _most(answer.upper, epsilon.value)
    facts = (Formula(costs), say("at $delta$ {}, $epsilon$ is at most {}", delta, most))
    normal = all(one.gives is GaussianDP for one in problem.graph.releases)
    repair = say("{}, or raise $epsilon$ or $delta$.", scaling(normal=normal))
    return totalled(rule, facts, repair, proved=answer.upper <= epsilon.value)


def _most(value: float, limit: Fraction) -> Formula:
    """An upper bound, rounded up."""
    if not math.isfinite(value):
        return Formula("inf")
    return shown_end(Fraction(value), up=True, limit=limit)


def _of_order(problem: Problem, target: RenyiDP, accountant: Accountant) -> Attempt | None:
    """Divergences of one order add. [Mironov17, Prop 1] [BunS16, Def 1.1]"""
    order, limit = Fraction(target.order), target.amounts[0]
    try:
        costs, parts = _parts(problem.graph.releases, accountant)
        shown = compared(lambda: _divergences(parts, order), upper(limit))
        with working(BITS):
            divergence = _divergences(parts, order)
    except InvalidArgument:  # a cost that is a formula, or of a kind that has no divergence
        return None
    cited = Cited("[Mironov17, Prop 1]")
    rule = say("divergences of order {} must sum to at most the claim {}", target.order, cited)
    facts = (
        Formula(costs),
        say("the divergence is at most {}", _most(arb_float(divergence, up=True), upper(limit))),
    )
    return totalled(rule, facts, "raise the noise, or the claim.", proved=shown is True)


def _divergences(parts: Sequence[Part], order: Fraction) -> Any:
    """What one pair of neighbours may cost at an order, enclosed at the working precision."""
    total = ball(Fraction(0))
    for part in parts:
        rho = part.what if isinstance(part.what, ZeroConcentratedDP) else None
        own = divergence_of(part.loss, order) if rho is None else ball(order) * enclose(rho.rho, {})
        total += part.count * own
    return total


def _parts(releases: Sequence[Release], accountant: Accountant) -> tuple[str, tuple[Part, ...]]:
    """What the releases cost, in words and as parts: privacy losses where the accountant reads
    those, else guarantees. Raises InvalidArgument.
    """
    concentrated = [release for release in releases if release.gives is ZeroConcentratedDP]
    mixture = Mixture.of([release for release in releases if release not in concentrated])
    rhos = [(upper(cost(one).amounts[0]), draws(one)) for one in concentrated]
    parts = mixture.parts() if accountant.reads_losses else mixture.guarantees()
    costs = [str(mixture)] if parts else []
    costs += [say("$rho$ = {} (x{})", digits(float(rho)), count) for rho, count in rhos]
    whole = [Part(ZeroConcentratedDP(rho), count) for rho, count in rhos]
    return ", ".join(costs), (*parts, *whole)


def _converted(problem: Problem, accountant: Accountant) -> Attempt | None:
    """At numbers: divergences of the order of the claim; or their best conversion, of releases
    without a dominating pair: where there are none, the numeric accountant says less.
    """
    some = any(one.gives is ZeroConcentratedDP for one in problem.graph.releases)
    some = some or isinstance(problem.target, RenyiDP)
    return numeric(problem, accountant) if some else None


PROOFS: Mapping[str, Callable[[Problem, Accountant], Attempt | None]] = MappingProxyType(
    {
        "shares": basic,
        "one draw": one_draw,
        "exact shares": exact_shares,
        "joint": gaussian,
        "total": total,
        "numbers": numeric,
        "converted": _converted,
    }
)
"""How a total is derived, by what an accountant says of itself in `proof`."""


@attrs.frozen
class Derivation:
    """A derivation of the total with one accountant, cited by its `name`."""

    name: str
    accountant: Accountant
    proof: str

    @property
    def symbolic(self) -> bool:
        """Whether the total is compared in symbols, never by adding losses as numbers."""
        return self.proof in {"shares", "joint"}

    def __call__(self, problem: Problem) -> Attempt | None:
        """The attempt; None if the accountant cannot compose these releases, or not for this
        target.
        """
        attempt = PROOFS[self.proof](problem, self.accountant)
        return None if attempt is None else attrs.evolve(attempt, name=self.name)


DERIVATIONS: Mapping[str, Derivation] = MappingProxyType(
    {one.name: Derivation(one.name, one, one.proof) for one in ACCOUNTANTS}
)


SUM = Derivation("sum", DERIVATIONS["basic"].accountant, "total")
"""What releases cost, in sum, where nothing else applies: pure noise without shares."""

SINGLE = Derivation("single", DERIVATIONS["basic"].accountant, "one draw")
"""What the one draw of the one release costs exactly; the kernel replays it."""

SHARES = Derivation("shares", DERIVATIONS["basic"].accountant, "exact shares")
"""The last resort: shares of any currency, which each draw earns by what it costs exactly."""


CONVERTED = Derivation("rdp", DERIVATIONS["rdp"].accountant, "converted")
"""What `auto` tries where noise has a rho only, as discrete Gaussian noise on vectors."""


def selected(name: str, accountant: Accountant | None) -> tuple[Derivation, ...]:
    """The derivations of this name. "auto" gives those that are tried in turn, of which one
    suffices; an accountant of the user's own, the one by its methods. Raises InvalidArgument.
    """
    if accountant is not None and place(type(accountant)) == name:  # no name of dpframe's own
        additive = isinstance(accountant, AdditiveAccountant)
        return (Derivation(name, accountant, "total" if additive else "numbers"),)
    if name == "auto":
        *first, last = (one for one in DERIVATIONS.values() if one.accountant.tried)
        return (*first, SINGLE, last, CONVERTED, SUM, SHARES)
    if name not in DERIVATIONS:
        raise _unknown(name)
    return (DERIVATIONS[name],)


def derivation_of(accountant: object) -> tuple[str, Accountant | None]:
    """The name of the derivation that composes as this accountant does, or "auto"; and the
    accountant itself if it is the user's own, to be believed if its class is trusted. Raises
    InvalidArgument for anything else.
    """
    if isinstance(accountant, str):
        return str.__str__(accountant), None
    if not isinstance(accountant, Accountant):
        raise _unknown(accountant)
    if strangers((accountant,)):
        kind: Any = type(accountant)
        fields = {one.name for one in attrs.fields(kind)} if attrs.has(kind) else set()
        if loose := getattr(accountant, "__dict__", {}).keys() - fields:
            way_out = "Decorate its class with attrs.frozen: a certificate names its numbers."
            raise InvalidArgument("accountant", "one of fields of attrs", sorted(loose), way_out)
        return place(type(accountant)), accountant
    names = (name for name, one in DERIVATIONS.items() if one.accountant == accountant)
    name = next(names, None)
    if name is None:
        raise _unknown(accountant)
    return name, None


def _unknown(value: object) -> InvalidArgument:
    own = (
        "A class of your own derives from dp.accountants.AdditiveAccountant, and is named in "
        "trust=[...]."
    )
    return unknown_accountant(value, own)
