"""The smallest eigenvalue of a Gram matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.privacy import Unit

from ..maps.grid import Grid
from ..node import Node
from .base import Statistic
from .gram import Gram

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]


def _gram(value: object) -> Gram:
    if not isinstance(value, Gram):
        raise InvalidArgument(
            "argument of lambda_min",
            "X.T @ X",
            value,
            "Smallest eigenvalues of noisy matrices are post-processing: dp.post.",
        )
    return value


@attrs.frozen(cache_hash=True)
class LambdaMin(Statistic):
    """lambda_min(X'X), a number; 0 when there are no columns.

    |lambda_min(A) - lambda_min(A')| <= |A - A'| in operator norm (Weyl), which is B^2 under both
    relations; attained. Proof page: proofs/lambda_min.
    """

    kind: ClassVar[str] = "lambda_min"
    gram: Gram = attrs.field(converter=_gram)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """X'X."""
        return (self.gram,)

    @property
    def unit(self) -> Unit:
        """The table's."""
        return self.gram.unit

    @property
    def label(self) -> str:
        """lambda_min(X'X)."""
        return "lambda_min(X'X)"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def compute(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """The eigenvalue; of whole numbers, how often it holds B^2/2^bits, exactly: rounding down
        commutes with the 2^bits steps by which Weyl lets it move.
        """
        del number
        import numpy as np

        gram, rows = values[self.gram], self.gram.rows
        if self.step is not None and isinstance(rows, Grid):
            from dpframe.numerics.eigenvalue import floor_smallest_eigenvalue

            return np.array(floor_smallest_eigenvalue(gram, 2**rows.bits), dtype=object)
        return np.asarray(np.linalg.eigvalsh(gram)[0] if gram.size else 0.0)
