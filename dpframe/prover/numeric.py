"""A total at numbers: Gaussian, sampled, pure and concentrated releases together, as an accountant
that answers with intervals says.
"""

from __future__ import annotations

from collections.abc import Sequence

from dpframe.accountants import Accountant, Part
from dpframe.errors import InvalidArgument
from dpframe.graph import Release
from dpframe.numerics import Interval
from dpframe.privacy import ApproxDP, ZeroConcentratedDP
from dpframe.symbols import Number

from .mixture import Mixture, cost, upper
from .obligation import ALL, ALL_NOISE, PROVED, UNPROVED, Attempt, Edit, Obligation
from .problem import Problem

RULES = {"numeric": "the profile of all privacy losses together stays inside the target"}


def numeric(problem: Problem, accountant: Accountant) -> Attempt | None:
    """The accountant's epsilon at the target's delta, of all releases: one Gaussian of the joint
    mu, and one part for each other draw. (proofs/contour; proofs/subsampling)
    """
    target = problem.target
    if not isinstance(target, ApproxDP):
        return None
    epsilon, delta = target.amounts
    if not (isinstance(epsilon, Number) and isinstance(delta, Number)):
        return None
    try:
        said, parts = _parts(problem.graph.releases, accountant)
        found = accountant.epsilon(parts, delta.value) if parts else None
    except InvalidArgument:  # a cost that is a formula, or of a kind that it does not add
        return None
    if not isinstance(found, Interval):
        return None
    rule = f"{RULES.get(accountant.name, accountant.argument)} {accountant.citation}"
    facts = (said, f"at delta {delta}, epsilon is at most {found.upper!r}")
    if found.upper <= epsilon.value:
        return Attempt("numeric", (Obligation("total", ALL, rule, facts, PROVED),))
    fix = "scale the noise with dp.regressions.Jointly(...), or raise epsilon or delta."
    edit = Edit(ALL_NOISE)
    short = Obligation("total", ALL, rule, facts, UNPROVED, repair=fix, edit=edit)
    return Attempt("numeric", (short,))


def _parts(releases: Sequence[Release], accountant: Accountant) -> tuple[str, tuple[Part, ...]]:
    """What the releases cost, in words and as parts: privacy losses where the accountant reads
    those, else guarantees. Raises InvalidArgument.
    """
    concentrated = [release for release in releases if release.gives is ZeroConcentratedDP]
    mixture = Mixture.of([release for release in releases if release not in concentrated])
    rhos = [(upper(cost(one).amounts[0]), _draws(one)) for one in concentrated]
    parts = mixture.parts() if accountant.reads_losses else mixture.guarantees()
    said = [str(mixture)] if parts else []
    said += [f"rho = {float(rho):.6g} (x{count})" for rho, count in rhos]
    whole = [Part(ZeroConcentratedDP(rho), count) for rho, count in rhos]
    return ", ".join(said), (*parts, *whole)


def _draws(release: Release) -> int:
    if not isinstance(release.times, Number):
        raise InvalidArgument("times", "a number", str(release.times), "Give it one.")
    return int(release.times.value)
