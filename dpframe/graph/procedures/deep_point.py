"""A point of high Tukey depth: among regressions of the cells of public partitions, or among
models, released if a test shows that the result is stable.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.mechanisms import DiscreteLaplace
from dpframe.numerics.blocks.depths import Depths, base_of, distance, reach_of, whole
from dpframe.privacy import ApproxDP, Guarantee, PureDP, Share
from dpframe.symbols import PUBLIC, Expression, exact, exp, log
from dpframe.theory.procedures import changed_cells

from ..facts import by_the_book
from ..maps.grid import unit_of_entries
from ..node import Array, Node, np, reads, titled
from ..procedure import Random, Rounded, Sampler, approximate, penalty_of, radius_of, share_in
from ..statistics import CellSums
from ..statistics.argmin import ridge


def several(value: object) -> tuple[CellSums, ...]:
    """Sums of the cells of one or several partitions of the same rows and labels. Raises
    InvalidArgument.
    """
    given = (value,) if isinstance(value, CellSums) else value
    sums = given if isinstance(given, tuple | list) else ()
    own = tuple(one for one in sums if isinstance(one, CellSums))
    if not own or len(own) < len(sums) or len({(one.rows, one.column) for one in own}) > 1:
        way_out = "CellSums(dp.partition(X, y, cells=100)), or a list of such, each with its salt."
        raise InvalidArgument("sums", "sums of cells of the same records", value, way_out)
    return own


def _grain(value: object) -> Expression:
    return exact(value, "grain")


@attrs.frozen(eq=False)
class DeepPoint(Sampler):
    """A point (d,) of a public grid in a public cube, drawn with probability proportional to
    e^(rate depth), where depth is the axis-aligned Tukey depth among the ridge regressions of all
    cells of one or several partitions. [Amin23, Alg. 2, in a cube]

    Coefficients are in units of Y/B: the cube is [-radius, radius]^d, and models are rounded onto
    its grid of step `grain`. A cell whose regression has no unique solution has no model. A changed
    model changes every depth by at most 1, so the cost is 2 rate per changed cell of every
    partition. Sampled exactly, in whole numbers. Proof page: proofs/tukey.
    """

    kind: ClassVar[str] = "deep_point"
    gives: ClassVar[type[Guarantee]] = PureDP
    exact: ClassVar[bool] = True
    summary = titled("point deep among {0.cells} models")
    sums: tuple[CellSums, ...] = attrs.field(converter=several)
    penalty: Expression = attrs.field(converter=penalty_of, metadata=reads())
    radius: Expression = attrs.field(converter=radius_of, metadata=reads())
    grain: Expression = attrs.field(converter=_grain, metadata=reads())
    rate: Expression = attrs.field(metadata=reads())
    share: Share
    name: str = ""

    @property
    def cells(self) -> int:
        """The number of cells of all partitions."""
        return sum(one.partition.cells for one in self.sums)

    @property
    def cost(self) -> Expression:
        """The epsilon of the draw, 2 rate per changed cell."""
        return 2 * self.rate * cells_changed(self.sums)

    def depths(self, values: Mapping[Node, Array], numbers: Rounded) -> Depths:
        """The models on their grid, and the base of the draw, at most e^rate."""
        unit = numbers.down(unit_of_entries(self.sums[0].rows))
        penalty, grain = numbers.down(self.penalty) / unit / unit, numbers.up(self.grain)
        reach = reach_of(numbers.down(self.radius), grain)
        parts = ((np.asarray(values[one], dtype=float), one.partition.cells) for one in self.sums)
        models = ridge(np.concatenate([sums.reshape(k, -1) for sums, k in parts]), penalty)
        models = whole(models[np.isfinite(models).all(axis=1)], grain, reach)
        return Depths(models, reach, base_of(numbers.down(self.rate)))

    def coefficients(self, point: Array, numbers: Rounded) -> Array:
        """A point of the grid in the units of the table."""
        first = self.sums[0]
        unit = numbers.down(first.column.radius) / numbers.down(unit_of_entries(first.rows))
        return np.asarray(point * (numbers.up(self.grain) * unit), dtype=float)

    def samples(
        self, values: Mapping[Node, Array], numbers: Rounded, randomness: Random, n: int
    ) -> list[Array]:
        """n draws, shape (d,) each."""
        depths = self.depths(values, numbers)
        points = depths.drawn(0, randomness.bits, n)
        return [self.coefficients(point, numbers) for point in points]

    def sample(self, values: Mapping[Node, Array], numbers: Rounded, randomness: Random) -> Array:
        """One draw."""
        return self.samples(values, numbers, randomness, 1)[0]


def cells_changed(sums: Sequence[CellSums]) -> Expression:
    """The largest number of cells, over all partitions, that one change of the table can change."""
    unit = sums[0].unit
    once: Expression = by_the_book(changed_cells, unit.relation, unit.rows_per_person)
    return once * len(sums)


def deep_point(
    sums: CellSums | Sequence[CellSums], *, share: Share, name: str = "", **cube: Any
) -> DeepPoint:
    """A deep point with the rate that spends its share of epsilon; `cube` are the penalty, the
    radius and the grain. Raises InvalidArgument.
    """
    rate = share_in(share, ("epsilon",)).epsilon / (2 * cells_changed(several(sums)))
    return DeepPoint(sums=sums, rate=rate, share=share, name=name, **cube)


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
    summary = titled("tested point deep among {0.cells} models")
    least: int = attrs.field(default=1, kw_only=True)
    test: Expression = attrs.field(kw_only=True, metadata=reads(may=PUBLIC))

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
    sums: CellSums | Sequence[CellSums], *, test: object, share: Share, name: str = "", **cube: Any
) -> TestedPoint:
    """A tested point of depth at least a quarter of the models; `test` is the test's part of
    epsilon. Raises InvalidArgument.
    """
    own = exact(test, "test") * approximate(share).epsilon
    return TestedPoint(
        sums=sums,
        rate=(share.epsilon - own) / (2 * cells_changed(several(sums))),
        least=max(1, sum(one.partition.cells for one in several(sums)) // 4),
        test=own,
        share=share,
        name=name,
        **cube,
    )
