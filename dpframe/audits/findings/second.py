"""A second opinion: dp_accounting's number for the same releases, with its known limits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpframe.accountants import Composition, NumericAccountant, to_event
from dpframe.errors import DPFrameError, MissingExtra
from dpframe.pld.losses import GaussianLoss
from dpframe.prover import Verdict

from ..joint_cost import joint_cost
from .example import Values, delta_at
from .opinions import Opinion
from .parts import Parts, together

if TYPE_CHECKING:
    from ..report import Audit

NAME = "dp_accounting, PLD"
STEP = 1e-4  # their own default
MOST_DRAWS = 5000
LIMITS = (
    "its own composition, on a grid of losses and in floating point: an upper bound, no theorem; "
    "it knows nothing of sensitivities, the noise multipliers are ours (docs/peers)"
)


def second_opinion(audit: Audit, values: Values) -> Opinion | None:
    """dp_accounting's epsilon at the target's delta; None where our cost has no parts to export.

    Where it is not installed, or has no event for a part, `applies` is False and `says` tells why.
    """
    problem, delta = audit.report.problem, delta_at(audit.report.problem, values)
    if any(one.verdict is not Verdict.PROVED for one in audit.report.common) or not delta:
        return None
    parts = together(problem, joint_cost(problem, values), values)
    if not parts:
        return None
    if _draws(parts) > MOST_DRAWS:
        return _silent(float(delta), f"it is not asked about more than {MOST_DRAWS} draws")
    try:
        event = to_event(Composition(parts, problem.setting.relation, NumericAccountant()))
        ours = NumericAccountant().epsilon(parts, delta).upper
    except (MissingExtra, DPFrameError) as error:
        return _silent(float(delta), str(error))
    if not math.isfinite(ours):
        return None
    return _asked(event, float(delta), max(STEP, STEP * ours))


def _draws(parts: Parts) -> int:
    """Draws that it composes one after the other: all but plain Gaussian noise."""
    return sum(part.count for part in parts if not isinstance(part.what, GaussianLoss))


def _asked(event: object, delta: float, step: float) -> Opinion:
    """Their number on a grid of losses with this step: finer than STEP costs minutes where a
    release costs thousands, and a coarser grid is still an upper bound.
    """
    from dp_accounting import pld

    try:
        accountant = pld.PLDAccountant(value_discretization_interval=step)
        accountant.compose(event)
        epsilon = float(accountant.get_epsilon(delta))
    except (ValueError, ArithmeticError, MemoryError) as error:
        return _silent(delta, f"it failed: {type(error).__name__}")
    if not math.isfinite(epsilon):
        return _silent(delta, "it found no finite epsilon")
    return Opinion(name=NAME, lower=None, upper=epsilon, delta=delta, says=LIMITS)


def _silent(delta: float, why: str) -> Opinion:
    return Opinion(name=NAME, lower=None, upper=None, delta=delta, says=why, applies=False)
