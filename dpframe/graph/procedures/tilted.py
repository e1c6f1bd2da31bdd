"""Objective perturbation for convex losses of bounded slope."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, NotExecutable, of_kind
from dpframe.mechanisms import L2Laplace
from dpframe.privacy import Guarantee, PureDP, Share
from dpframe.symbols import PUBLIC, RECORD, RELEASED, Expression, Scope, exact
from dpframe.theory.procedures import tilt

from ..arrays import Array, np
from ..columns import ColumnNode
from ..facts import by_the_book
from ..maps.weighted import WeightedLosses
from ..node import Reading, reads
from ..procedure import Bounds, Objective, Random, Rounded, Searcher
from ..rows import RowsNode

FINE = 2.0**-36  # of the noise's scale: how far the gradient may be from 0 at what is returned,
ROUNDING = 2.0**-44  # or of the sizes that it is a sum of, where doubles show no less


@attrs.frozen(eq=False)
class TiltedMinimum(WeightedLosses, Searcher):
    """argmin over all theta of sum w_i phi(x_i'theta, y_i) + penalty/2 |theta|^2 + z'theta, shape
    (d,), where z has density proportional to exp(-|z|_2/scale). [ChaudhuriMS11, Thm 9]

    `noise_share` of epsilon pays for z, the rest for the curvature w c B^2 of one record, for which
    the penalty must be large enough. The minimiser must be exact. Proof page:
    proofs/objective_perturbation.
    """

    kind: ClassVar[str] = "tilted_minimum"
    gives: ClassVar[type[Guarantee]] = PureDP
    divided: ClassVar[Scope] = RECORD
    rows: RowsNode
    column: ColumnNode
    objective: Objective = attrs.field(
        validator=of_kind(Objective, "a convex loss, such as dp.graph.Huber(1)")
    )
    penalty: Expression = attrs.field(metadata=reads())
    noise_share: Expression = attrs.field(metadata=reads(may=PUBLIC))
    weight: Expression | None
    share: Share
    name: str

    @property
    def summary(self) -> str:
        """`minimiser of a tilted Huber loss`."""
        return f"minimiser of a tilted {self.objective.label}"

    @property
    def own_readings(self) -> dict[str, Reading]:
        """Penalty, the noise's part of epsilon, the noise scale."""
        own = {} if self.size is None else {"size": Reading(self.size, RELEASED | RECORD)}
        return super().own_readings | own

    @property
    def parameters(self) -> dict[str, Any]:
        """As for other procedures; also the weight."""
        return {**super().parameters, "weight": self.weight}

    @property
    def bounds(self) -> Bounds | None:
        """Public bounds on every record; None if rows or labels are unbounded."""
        if self.rows.norm is None or self.column.bound is None:
            return None
        return Bounds(self.rows.norm, self.column.bound)

    @property
    def slope(self) -> Expression | None:
        """s B, a bound on the gradient of one record of weight 1 for all theta; None if the loss
        has none.
        """
        bounds = self.bounds
        if bounds is None or (slope := self.objective.slope(bounds)) is None:
            return None
        return slope * bounds.row

    @property
    def size(self) -> Expression | None:
        """The noise scale: the least that the theorem requires."""
        if self.slope is None:
            return None
        slope = self.slope if self.weight is None else self.weight * self.slope
        relation, share = self.rows.unit.relation, (self.share.epsilon, self.share.delta)
        return by_the_book(tilt, relation, "l2_laplace", slope, self.noise_share, share)

    def search(
        self,
        summed: Callable[[Callable[..., Array]], Array],
        numbers: Rounded,
        randomness: Random,
    ) -> Array:
        """One draw, and Newton steps."""
        from ..statistics.newton import LossSum, minimised

        if self.slope is None or self.size is None:
            raise NotExecutable(f"{self.label} has no bounded slope")
        scale, penalty = numbers.up(self.size), math.nextafter(numbers.up(self.penalty), math.inf)
        formulas = {one: numbers.down(one) for one in self.objective.formulas.values()}
        shape = (round(numbers.up(self.rows.columns)),)
        tilt = L2Laplace.sample(scale, shape, randomness.generator, symmetric=False)
        work = LossSum(self.objective, formulas)
        sizes = float(summed(weights_of)) * numbers.up(self.slope) + float(np.linalg.norm(tilt))
        least = max(FINE * scale, ROUNDING * sizes)
        return np.asarray(minimised(work, summed, penalty, math.inf, least, tilt), dtype=float)


def weights_of(rows: Array, labels: Array, weights: Array | None = None) -> Array:
    """The sum of a block's weights."""
    del labels
    return np.asarray(float(len(rows)) if weights is None else weights.sum())


def tilted_minimum(
    rows: RowsNode,
    column: ColumnNode,
    objective: Objective,
    *,
    penalty: object,
    share: Share,
    noise_share: object = "1/2",
    weight: object = None,
    name: str = "",
) -> TiltedMinimum:
    """Objective perturbation of a loss with bounded slope for all coefficients (dp.graph.Huber,
    dp.graph.Logistic), released for its share of epsilon. `weight`, a positive formula of each
    record's budget, multiplies its loss. Raises InvalidArgument.
    """
    if not isinstance(share, Share) or share.currency[:1] != ("epsilon",):
        raise InvalidArgument("share", "a share of epsilon", share, "")
    return TiltedMinimum(
        rows=rows,
        column=column,
        objective=objective,
        penalty=exact(penalty, "penalty"),
        noise_share=exact(noise_share, "noise_share"),
        weight=None if weight is None else exact(weight, "weight"),
        share=share,
        name=name,
    )
