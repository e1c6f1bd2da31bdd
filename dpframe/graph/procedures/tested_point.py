"""A point of high Tukey depth among models, released if a test shows that the result is stable."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import attrs

from dpframe.mechanisms import DiscreteLaplace
from dpframe.numerics.blocks.depths import Depths, distance
from dpframe.privacy import ApproxDP, Guarantee, Share
from dpframe.symbols import PUBLIC, ZERO, Expression, exact, exp, log

from ..arrays import Array, np
from ..node import Node, reads
from ..procedure import Random, Rounded, approximate
from ..statistics import CellSums
from .deep_point import DeepPoint, cells_changed, several

ROOM = 1 + 2.0**-40  # for the rounding of the scale


@attrs.frozen(eq=False)
class TestedPoint(DeepPoint):
    """A point among those of depth `least` or more, if the number of models that would have to
    change before neighbouring results could differ passes a noisy test; otherwise zeros. [Amin23,
    Alg. 3, repaired]

    The number of models has discrete Laplace noise of the epsilon `test`; an unsafe table passes
    the threshold with probability at most delta. Proof page: proofs/tukey.
    """

    __test__: ClassVar[bool] = False
    kind: ClassVar[str] = "tested_point"
    gives: ClassVar[type[Guarantee]] = ApproxDP
    exact: ClassVar[bool] = True
    least: int = attrs.field(default=1, kw_only=True)
    test: Expression = attrs.field(kw_only=True, metadata=reads(may=PUBLIC))

    @property
    def summary(self) -> str:
        """`tested point deep among 100 models`."""
        return f"tested {super().summary}"

    @property
    def parameters(self) -> dict[str, Any]:
        """As for other procedures; also the least depth."""
        return {**super().parameters, "least": self.least}

    @property
    def cost(self) -> Expression:
        """The epsilon of the test and of the draw."""
        return self.test + super().cost

    @property
    def scale(self) -> Expression:
        """The scale of the noise: a change of the table changes the distance by at most one per
        changed cell.
        """
        return cells_changed(self.sums) / self.test

    @property
    def threshold(self) -> Expression:
        """Noise of at least this size has probability e^(-threshold/scale)/(1 + e^(-1/scale)) =
        delta; an unsafe table, of distance -1, needs it to pass.
        """
        return self.scale * log(1 / (self.share.delta * (1 + exp(-1 / self.scale))))

    @property
    def ratio(self) -> Expression:
        """delta e^(-cost of the draw)/2: the weight that a safe table may have outside."""
        return self.share.delta * exp(-super().cost) / 2

    def bar(self, numbers: Rounded) -> int:
        """The value that distance and noise must reach together, a whole number."""
        return math.ceil(max(0.0, numbers.up(self.threshold)) * ROOM) - 1

    def distance(self, depths: Depths, numbers: Rounded) -> int:
        """A lower bound on the number of models that must change before the table is unsafe; -1 if
        it is unsafe.
        """
        changed = round(numbers.up(cells_changed(self.sums)))
        return distance(depths, self.least, changed, Fraction(numbers.down(self.ratio)))

    def samples(
        self, values: Mapping[Node, Array], numbers: Rounded, randomness: Random, n: int
    ) -> list[Array]:
        """n draws, shape (d,) each; zeros if the test fails."""
        depths, scale = self.depths(values, numbers), Fraction(numbers.up(self.scale))
        far, bar = self.distance(depths, numbers), self.bar(numbers)
        noises = DiscreteLaplace.on_grid(scale, n, randomness.bits).tolist()
        passed = [far + noise >= bar and depths.deepest >= self.least for noise in noises]
        points = iter(depths.drawn(self.least, randomness.bits, sum(passed)) if any(passed) else ())
        zeros = np.zeros(depths.models.shape[1])
        return [self.coefficients(next(points), numbers) if one else zeros for one in passed]


def deep_point_tested(
    sums: CellSums | Sequence[CellSums],
    *,
    penalty: object,
    radius: object,
    grain: object,
    test: object,
    share: Share,
    name: str = "",
) -> TestedPoint:
    """A tested point of depth at least a quarter of the models; `test` is the test's part of
    epsilon. Raises InvalidArgument.
    """
    whole = approximate(share, "A tested point")
    own = exact(test, "test") * whole.epsilon
    return TestedPoint(
        sums=sums,
        penalty=ZERO if penalty == 0 else exact(penalty, "penalty"),
        radius=exact(radius, "radius"),
        grain=exact(grain, "grain"),
        rate=(whole.epsilon - own) / (2 * cells_changed(several(sums))),
        least=max(1, sum(one.partition.cells for one in several(sums)) // 4),
        test=own,
        share=whole,
        name=name,
    )
