"""The certified numeric total: Gaussian, sampled and pure releases together, at numbers."""

from __future__ import annotations

from dpframe.accountants import NumericAccountant
from dpframe.errors import InvalidArgument
from dpframe.privacy import ApproxDP
from dpframe.symbols import Number

from .attempt import ALL, Attempt
from .edit import ALL_NOISE, Edit
from .mixture import ADDED, Mixture
from .obligation import PROVED, UNPROVED, Obligation
from .problem import Problem

RULE = "the profile of all privacy losses together stays inside the target [ZhuDW22, Thm 10]"


def numeric(problem: Problem) -> Attempt | None:
    """The dominating pairs multiply: one Gaussian of the joint mu, one pair for each pure draw and
    each draw on a sample. (proofs/contour; proofs/subsampling)
    """
    target, mixture = problem.target, _mixture(problem)
    if mixture is None or not isinstance(target, ApproxDP):
        return None
    epsilon, delta = target.amounts
    if not (isinstance(epsilon, Number) and isinstance(delta, Number)):
        return None
    found = NumericAccountant().epsilon(mixture.parts(), delta.value)
    facts = (str(mixture), f"at delta {delta}, epsilon is at most {found.upper!r}")
    if found.upper <= epsilon.value:
        return Attempt("numeric", (Obligation("total", ALL, RULE, facts, PROVED),))
    fix = "scale the noise with dp.Jointly(...), or raise epsilon or delta."
    edit = Edit(ALL_NOISE)
    short = Obligation("total", ALL, RULE, facts, UNPROVED, repair=fix, edit=edit)
    return Attempt("numeric", (short,))


def _mixture(problem: Problem) -> Mixture | None:
    """The losses of the graph, or None where one is no number or of another kind."""
    releases = problem.graph.releases
    if not releases or any(release.gives not in ADDED for release in releases):
        return None
    try:
        return Mixture.of(releases)
    except InvalidArgument:
        return None
