"""The smallest eigenvalue of a Gram matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.privacy import Relation, Unit
from dpframe.sensitivity import OPERATOR, Norm
from dpframe.symbols import Expression, power

from ..maps.grid import Grid
from ..node import Node
from .base import OneRow, Statistic
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
    def shape(self) -> tuple[Expression, ...]:
        """()."""
        return ()

    @property
    def step(self) -> Expression | None:
        """B^2/2^bits where X'X is on a grid: the eigenvalue is rounded down to its multiples."""
        rows = self.gram.rows
        if type(rows) is not Grid or type(self.gram) is not Gram:
            return None  # what is one's own may lie on a grid of its own
        return power(rows.radius, 2) / 2**rows.bits  # type: ignore[no-any-return]

    @property
    def label(self) -> str:
        """lambda_min(X'X)."""
        return "lambda_min(X'X)"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def one_row(self, norm: Norm, relation: Relation) -> OneRow | None:
        """The operator-norm bound of X'X, in every norm."""
        del norm
        bound = self.gram.one_row(OPERATOR, relation)
        if bound is None:
            return None
        rule = "Weyl: 1-Lipschitz in the operator norm of X'X"
        return attrs.evolve(bound, rule=rule, attained=self.gram.rows.ball)

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
