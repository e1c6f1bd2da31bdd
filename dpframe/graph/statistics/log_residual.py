"""How large a residual of a ridge regression can be, on a logarithmic scale."""

from __future__ import annotations

from typing import ClassVar

import attrs

from dpframe.symbols import Expression, exact

from ..arrays import Array, Numbers, Values, np
from ..node import reads
from .base import Statistic
from .combined import ZERO
from .sums import Gram, Moment


def _formula(value: object) -> Expression:
    return exact(value, "penalty or floor")


@attrs.frozen(cache_hash=True)
class LogResidual(Statistic):
    """log(Y + B |theta|), a number, theta = (X'X + penalty I)^-1 X'y: every |y - x'theta| is at
    most its exponential.

    With h = penalty + floor, floor a lower bound on lambda_min(X'X) of every table between two
    neighbours (0, or a bound that may fail), one row moves it by at most log(1 + B^2/h), a
    replacement by twice that. Proof page: proofs/log_residual.
    """

    kind: ClassVar[str] = "log_residual"
    label: ClassVar[str] = "log(Y + B |theta|)"
    gram: Gram
    moment: Moment
    penalty: Expression = attrs.field(converter=_formula, metadata=reads(positive=True))
    floor: Expression = attrs.field(converter=_formula, default=ZERO, metadata=reads())

    def compute(self, values: Values, number: Numbers) -> Array:
        """From X'X and X'y."""
        theta = ridge(values[self.gram], values[self.moment], number(self.penalty))
        bound, norm = number(self.moment.column.radius), number(self.gram.rows.radius)
        return np.asarray(np.log(bound + norm * np.linalg.norm(theta)))


def ridge(gram: Array, moment: Array, penalty: float) -> Array:
    """(gram + penalty I)^-1 moment, finite for every table: penalty > 0."""
    system = gram + penalty * np.eye(len(moment))
    try:
        theta: Array = np.linalg.solve(system, moment)
    except np.linalg.LinAlgError:
        theta = np.full(len(moment), np.nan)
    if not np.all(np.isfinite(theta)):
        theta = np.linalg.lstsq(system, moment, rcond=None)[0]
    return np.asarray(np.nan_to_num(theta))
