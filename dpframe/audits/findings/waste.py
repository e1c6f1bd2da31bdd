"""Noise that is wasted, or missing, against the tightest calibration of the same proportions."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import attrs

from dpframe.errors import DPFrameError
from dpframe.numerics import to_float
from dpframe.privacy import Share
from dpframe.prover import Verdict
from dpframe.prover.jointly import noise_factor
from dpframe.symbols import Expression

from ..figures import exactly
from .example import Values, number_at, upper_at

if TYPE_CHECKING:
    from ..report import Audit

TIGHT = 1e-6  # relative: so near to 1, a factor is 1


@attrs.frozen
class Waste:
    """All noise could be multiplied by `factor` (rounded up) and the target still be met; above 1
    it must be. `variance` is its square. `releases`: name, noise as declared, noise that is enough
    (stds, or scales of Laplace noise; None where a symbol is left). `at`: the numbers for which
    this is so, as text; "" where it is so for all.
    """

    factor: float
    variance: float
    releases: tuple[tuple[str, float | None, float | None], ...]
    says: str
    at: str = ""

    @property
    def tight(self) -> bool:
        """Whether nothing is wasted, and nothing is missing."""
        return abs(self.factor - 1) <= TIGHT

    def record(self) -> dict[str, object]:
        """Every field as a JSON value."""
        return {
            "factor": self.factor,
            "variance": self.variance,
            "releases": [
                {"name": name, "declared": declared, "enough": enough}
                for name, declared, enough in self.releases
            ],
            "says": self.says,
            "at": self.at,
        }


def waste(audit: Audit, values: Values) -> Waste | None:
    """Against dp.regressions.Jointly: the one factor on all noise that spends the target exactly.
    None where noise alone does not decide, or has no joint calibration.
    """
    problem = audit.report.problem
    if any(one.verdict is not Verdict.PROVED for one in audit.report.common):
        return None
    if not problem.graph.additive or not problem.graph.releases or problem.personal is not None:
        return None
    try:
        factor, free = _factor(audit, values)
        found = upper_at(factor, values)
    except DPFrameError:
        return None
    if found is None or found <= 0:
        return None
    size = to_float(found, up=True)
    sizes = tuple((line.name, line.size, _scaled(line.size, found)) for line in audit.lines)
    at = ", ".join(f"{name} = {exactly(values[name])}" for name in sorted(free))
    return Waste(size, to_float(found**2, up=True), sizes, _says(size), at)


def _factor(audit: Audit, values: Values) -> tuple[Expression, set[str]]:
    """The factor, and the symbols on which it depends: as a formula where there is one; at numbers
    for the target where the composition is numeric.
    """
    releases, budget = audit.report.problem.graph.releases, audit.target.budget
    try:
        found = noise_factor(releases, budget)
    except DPFrameError:
        found = noise_factor(releases, _at(budget, values))
        fixed = {symbol.name for whole in budget.wholes for symbol in whole.symbols()}
        return found, fixed | {symbol.name for symbol in found.symbols()}
    return found, {symbol.name for symbol in found.symbols()}


def _at(budget: Share, values: Values) -> Share:
    """The budget at numbers."""
    wholes = tuple(number_at(whole, values) for whole in budget.wholes)
    return attrs.evolve(budget, wholes=wholes)


def _scaled(size: float | None, factor: Fraction) -> float | None:
    return None if size is None else to_float(Fraction(size) * factor, up=True)


def _says(factor: float) -> str:
    if abs(factor - 1) <= TIGHT:
        return "No noise is wasted: all of it together spends the target exactly."
    if factor < 1:
        return (
            "All noise could be multiplied by this factor, in the proportions declared, and the "
            "target still be met: calibrate jointly (dp.regressions.Jointly)."
        )
    return (
        "Measured by the joint calibration of this noise, all of it must be multiplied by this "
        "factor, in the proportions declared, to meet the target."
    )
