"""Noise that is wasted or missing against the tightest calibration of the same proportions."""

from __future__ import annotations

import math
from contextlib import suppress
from fractions import Fraction
from operator import itemgetter
from typing import TYPE_CHECKING

import attrs

from dpframe.audits.cost import joint_cost
from dpframe.errors import DPFrameError
from dpframe.graph import Release
from dpframe.identity import own
from dpframe.numerics import to_float
from dpframe.privacy import ADD_REMOVE, PureDP
from dpframe.prover.jointly import factor_beside, noise_factor
from dpframe.prover.mixture import amplified
from dpframe.symbols import Expression, Number
from dpframe.wording import Formula, Text, say

from ..figures import figure, listed
from ..sentence import values_text
from .accountants import remaining
from .example import Values, budget_at, upper_at
from .saving import Sizes, sizes_record

if TYPE_CHECKING:
    from ..report import Audit


LESS = "less may be enough, but is not proved"
TIGHT = 1e-6  # relative: so near to 1, a factor is 1


@attrs.frozen
class Waste:
    """All noise could be multiplied by `factor` (rounded up) and the target still be met; above 1
    it must be. `variance` is its square. `releases`: name, noise as declared, noise that is enough
    (stds, or scales of Laplace noise; None where a symbol is left). `at`: the numbers for which
    this is so, as text; "" where it is so for all. `exact`: whether some pair of tables is known to
    need the factor; else it is an upper bound. `kept`: releases that keep their noise, where that
    is the smaller change; the factor is that of the others, and `whole` that of all noise.
    """

    factor: float
    variance: float
    releases: Sizes
    at: str = ""
    exact: bool = False
    kept: tuple[str, ...] = ()
    whole: float | None = None

    @property
    def changed(self) -> list[str]:
        """The releases that do not keep their noise."""
        return [name for name, *_ in self.releases if name not in self.kept]

    @property
    def noise(self) -> Text:
        """`all noise`, `the noise`, `the noise of gram and moment`."""
        if self.kept:
            return say("the noise of {}", listed(self.changed))
        return say("{} noise", "the" if len(self.releases) == 1 else "all")

    @property
    def stays(self) -> Text:
        """`; the noise of r1, r2 stays`."""
        return say("; the noise of {} stays", listed(self.kept)) if self.kept else say("")

    @property
    def amount(self) -> Formula:
        """`1.587`."""
        return figure(self.factor, "up")

    @property
    def tight(self) -> bool:
        """Whether joint calibration would neither save noise nor add any."""
        return abs(self.factor - 1) <= TIGHT

    def record(self) -> dict[str, object]:
        """Every field as a JSON value."""
        return {**attrs.asdict(self), "releases": sizes_record(self.releases, "enough")}


def waste(audit: Audit, values: Values) -> Waste | None:
    """Against dp.regressions.Jointly: the one factor on all noise that spends the target exactly.
    None where noise alone does not decide or has no joint calibration, and where that calibration
    does not count the samples that draws are on.
    """
    problem = audit.report.problem
    noise_alone = problem.graph.additive and problem.graph.releases and problem.personal is None
    if not audit.bounded or not noise_alone:
        return None
    if problem.setting.relation is not ADD_REMOVE and any(map(amplified, problem.graph.releases)):
        return None  # a search among compositions of which each takes seconds
    if not all(_counted(one, audit.target.currency) for one in problem.graph.releases):
        return None
    try:
        kept: tuple[str, ...] = ()
        factor, free = _factor(audit, values)
        found = upper_at(factor, values)
    except DPFrameError:
        return None
    if factor.symbols() and any(one.sampled is not None for one in problem.graph.releases):
        return None  # formulas do not count samples
    if found is None or found <= 0:
        return None
    whole = size = to_float(found, up=True)
    if not free and 1 < size < math.inf:
        kept, found = _smallest(audit, found)
        size = to_float(found, up=True)
    sizes = tuple(
        (one.name, one.size, one.size if one.name in kept else _scaled(one.size, found))
        for one in audit.lines
    )
    at = values_text({name: values[name] for name in sorted(free)})
    reached = _reached(audit, values)
    return Waste(size, to_float(found**2, up=True), sizes, at, reached, kept, whole)


def _smallest(audit: Audit, whole: Fraction) -> tuple[tuple[str, ...], Fraction]:
    """The releases that keep their noise, and the factor of the noise of the others: the change of
    a description that meets the target with the least sum of variances, each relative to that
    declared, where all noise times `whole`, above 1, does. Those change first without which the
    others cost least.
    """
    releases, target = audit.report.problem.graph.releases, audit.target
    best: tuple[tuple[str, ...], Fraction] = ((), whole)
    least = len(releases) * whole**2
    numbers = all(isinstance(one, Number) for one in target.amounts)
    rest = remaining(audit.report.problem, {}) if audit.described and numbers else None
    if rest is None:
        return best
    order = [one for _, one in sorted(zip(rest.others, releases, strict=True), key=itemgetter(0))]
    for many in range(1, len(releases)):
        stay = len(releases) - many
        if many * whole**2 + stay >= least:  # the factor of a part is at least that of all
            break
        with suppress(DPFrameError):  # with the noise of the others no factor is enough
            factor = factor_beside(order[:many], order[many:], target.budget, whole)
            if many * factor**2 + stay < least:
                kept = {id(one) for one in order[many:]}
                names = tuple(one.label for one in releases if id(one) in kept)
                best, least = (names, factor), many * factor**2 + stay
    return best


def _reached(audit: Audit, values: Values) -> bool:
    """Whether two neighbouring tables are known to cost what the calibration compares: all Gaussian
    noise on all rows where one pair moves every statistic furthest, or one release by pure DP.
    """
    problem = audit.report.problem
    if [one.gives for one in problem.graph.releases] == [PureDP]:
        return problem.target.currency == ("epsilon",) and audit.lines[0].attained
    joint = joint_cost(problem, values)
    return joint is not None and joint.sharp


def _counted(release: Release, currency: tuple[str, ...]) -> bool:
    """Whether noise_factor counts the sample of each draw, at numbers; also where there is none."""
    pure = release.gives is PureDP and release.hides is not None and own(release.noise)
    return release.sampled is None or ("epsilon" in currency and (amplified(release) or pure))


def _factor(audit: Audit, values: Values) -> tuple[Expression, set[str]]:
    """The factor, and the symbols on which it depends: as a formula where there is one; at numbers
    for the target where the composition is numeric, as it is on samples.
    """
    releases, budget = audit.report.problem.graph.releases, audit.target.budget
    if not any(one.sampled is not None for one in releases):
        with suppress(DPFrameError):
            found = noise_factor(releases, budget)
            return found, {symbol.name for symbol in found.symbols()}
    found = noise_factor(releases, budget_at(budget, values))
    fixed = {symbol.name for whole in budget.wholes for symbol in whole.symbols()}
    return found, fixed | {symbol.name for symbol in found.symbols()}


def _scaled(size: float | None, factor: Fraction) -> float | None:
    return None if size is None else to_float(Fraction(size) * factor, up=True)
