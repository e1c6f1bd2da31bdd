"""Several statistics released as one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.privacy import Unit

from ..node import Node
from .base import Statistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]


def _parts(value: object) -> tuple[Statistic, ...]:
    parts = tuple(value) if isinstance(value, (list, tuple)) else ()
    if not parts or not all(isinstance(part, Statistic) for part in parts):
        raise InvalidArgument("parts of a stack", "statistics", value, "")
    return parts


@attrs.frozen(cache_hash=True)
class Stack(Statistic):
    """(S_1, ..., S_k), flattened and joined; a symmetric part gives its upper triangle,
    off-diagonal entries times sqrt 2 so that the L2 norm is Frobenius's.

    Moves jointly: in L2 by the joint supremum over one pair of neighbours (dpframe.graph.joint), in
    L1 by at most the sum. Proof page: proofs/stack.
    """

    kind: ClassVar[str] = "stack"
    parts: tuple[Statistic, ...] = attrs.field(converter=_parts)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The statistics."""
        return self.parts

    @property
    def unit(self) -> Unit:
        """The table's."""
        return self.parts[0].unit

    @property
    def label(self) -> str:
        """`(X'X, X'y)`."""
        return "(" + ", ".join(part.label for part in self.parts) + ")"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def compute(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """The flat vector."""
        del number
        import numpy as np

        return np.concatenate(
            [_flat(values[part], symmetric=part.symmetric) for part in self.parts]
        )


def _flat(value: Array, *, symmetric: bool) -> Array:
    import numpy as np

    if not symmetric:
        return np.ravel(value)
    upper = value * np.where(np.eye(len(value), dtype=bool), 1.0, np.sqrt(2.0))
    flat: Array = upper[np.triu_indices(len(value))]
    return flat


def unflatten(flat: Array, d: int) -> Array:
    """The symmetric (d, d) matrix of a flattened upper triangle, as a stack lays it out."""
    import numpy as np

    matrix = np.zeros((d, d))
    matrix[np.triu_indices(d)] = flat
    matrix = (matrix + matrix.T) / np.sqrt(2.0)
    matrix[np.diag_indices(d)] /= np.sqrt(2.0)
    whole: Array = matrix
    return whole
