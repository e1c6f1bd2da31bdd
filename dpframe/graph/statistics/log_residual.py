"""How large a residual of a ridge regression can be, on a logarithmic scale."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.privacy import Unit
from dpframe.symbols import RELEASED, Expression, Number, exact, to_json

from ..node import Node
from ..reading import Reading
from .base import Statistic
from .gram import Gram
from .lambda_min import LambdaMin
from .moment import Moment

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]

ZERO = Number(Fraction(0))


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
    gram: Gram
    moment: Moment
    penalty: Expression = attrs.field(converter=_formula)
    floor: Expression = attrs.field(converter=_formula, default=ZERO)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """X'X and X'y."""
        return (self.gram, self.moment)

    @property
    def unit(self) -> Unit:
        """The table's."""
        return self.gram.unit

    @property
    def label(self) -> str:
        """log(Y + B |theta|)."""
        return "log(Y + B |theta|)"

    @property
    def readings(self) -> dict[str, Reading]:
        """Penalty and floor."""
        return {
            "penalty": Reading(self.penalty, RELEASED, positive=True),
            "floor": Reading(self.floor, RELEASED),
        }

    def record(self) -> dict[str, object]:
        """Penalty and floor."""
        return {"penalty": to_json(self.penalty), "floor": to_json(self.floor)}

    def compute(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """From X'X and X'y."""
        import numpy as np

        theta = ridge(values[self.gram], values[self.moment], number(self.penalty))
        bound, norm = number(self.moment.column.radius), number(self.gram.rows.radius)
        return np.asarray(np.log(bound + norm * np.linalg.norm(theta)))


def ridge_of(gram: Gram, moment: Moment, floor: Expression) -> bool:
    """Whether X'X and X'y are of one table, and the floor is 0 or bounds its lambda_min."""
    from ..bound import Bound

    if type(gram) is not Gram or type(moment) is not Moment or moment.rows != gram.rows:
        return False
    if floor == ZERO:
        return True
    origins = [symbol.origin for symbol in floor.symbols()]
    bound = origins[0] if len(origins) == 1 else None
    if type(bound) is not Bound or floor != bound.symbol or bound.upper_side:
        return False
    return type(bound.value.statistic) is LambdaMin and bound.value.statistic.gram == gram


def ridge(gram: Array, moment: Array, penalty: float) -> Array:
    """(gram + penalty I)^-1 moment, finite for every table: penalty > 0."""
    import numpy as np

    system = gram + penalty * np.eye(len(moment))
    try:
        theta: Array = np.linalg.solve(system, moment)
    except np.linalg.LinAlgError:
        theta = np.full(len(moment), np.nan)
    if not np.all(np.isfinite(theta)):
        theta = np.linalg.lstsq(system, moment, rcond=None)[0]
    return np.asarray(np.nan_to_num(theta))
