"""The coefficients of the squared loss, one a monomial: what the functional mechanism perturbs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.privacy import Unit

from ..node import Node
from .base import Statistic
from .sufficient import SufficientStatistics

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]


def _statistics(value: object) -> SufficientStatistics:
    if not isinstance(value, SufficientStatistics):
        raise InvalidArgument(
            "statistics", "sufficient statistics of rows and labels", value, "dp.monomials(X, y)."
        )
    return value


@attrs.frozen(cache_hash=True)
class Monomials(Statistic):
    """The coefficients of |y - X theta|^2 of x/B and y/Y as a polynomial in theta: 2 (X'X)_jk of
    theta_j theta_k, (X'X)_jj of theta_j^2, -2 (X'y)_j of theta_j, and y'y where it is among the
    statistics. Laid out as they are: a matrix entry is half of its monomial's.

    L1, of rows in a box, sharp: (d + 1)^2 with y'y under both relations; without it d^2 + 2 d, and
    (d + 1)^2 under replace-one. Proof page: proofs/monomials.
    """

    kind: ClassVar[str] = "monomials"
    statistics: SufficientStatistics = attrs.field(converter=_statistics)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The sufficient statistics."""
        return (self.statistics,)

    @property
    def unit(self) -> Unit:
        """The table's."""
        return self.statistics.unit

    @property
    def label(self) -> str:
        """`coefficients of |y - X theta|^2`."""
        return f"coefficients of |y - X theta|^2{'' if self.statistics.constant else ' but y^2'}"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def compute(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """Each statistic times its factor: 1 on the diagonal and for y'y, 2 off it, -2 for X'y."""
        del number
        import numpy as np

        own = np.asarray(values[self.statistics])
        found: Array = own * factors(len(own), constant=self.statistics.constant).astype(own.dtype)
        return found


def columns_of(entries: int) -> int:
    """d, of d (d + 3)/2 statistics, or of one more."""
    from math import isqrt

    return (isqrt(9 + 8 * entries) - 3) // 2


def factors(entries: int, *, constant: bool) -> Array:
    """What multiplies each statistic, shape (entries,), whole numbers."""
    import numpy as np

    d = columns_of(entries)
    rows, columns = np.triu_indices(d)
    whole = [np.where(rows == columns, 1, 2), np.full(d, -2), np.ones(int(constant), dtype=int)]
    return np.concatenate(whole)
