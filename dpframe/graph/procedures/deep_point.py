"""A point of high Tukey depth among regressions of the cells of public partitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.numerics.blocks.depths import Depths, base_of, reach_of, whole
from dpframe.privacy import Guarantee, PureDP, Share
from dpframe.symbols import ZERO, Expression, exact
from dpframe.theory.procedures import changed_cells

from ..arrays import Array, np
from ..facts import by_the_book
from ..maps.grid import unit_of_entries
from ..node import Node, reads
from ..procedure import Random, Rounded, Sampler
from ..statistics import CellSums
from ..statistics.estimates import ridge


def several(value: object) -> tuple[CellSums, ...]:
    """Sums of the cells of one or several partitions of the same rows and labels. Raises
    InvalidArgument.
    """
    found = (value,) if isinstance(value, CellSums) else value
    sums = found if isinstance(found, tuple | list) else ()
    own = tuple(one for one in sums if isinstance(one, CellSums))
    if not own or len(own) < len(sums) or len({(one.rows, one.column) for one in own}) > 1:
        way_out = "CellSums(dp.partition(X, y, cells=100)), or a list of such, each with its salt."
        raise InvalidArgument("sums", "sums of cells of the same records", value, way_out)
    return own


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
    sums: tuple[CellSums, ...] = attrs.field(converter=several)
    penalty: Expression = attrs.field(metadata=reads())
    radius: Expression = attrs.field(metadata=reads())
    grain: Expression = attrs.field(metadata=reads())
    rate: Expression = attrs.field(metadata=reads())
    share: Share
    name: str = ""

    @property
    def summary(self) -> str:
        """`point deep among 100 models`."""
        return f"point deep among {self.cells} models"

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
        cells = np.concatenate(
            [
                np.asarray(values[one], dtype=float).reshape(one.partition.cells, -1)
                for one in self.sums
            ]
        )
        models = ridge(cells, penalty)
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
    found: Expression = by_the_book(changed_cells, unit.relation, unit.rows_per_person)
    return found * len(sums)


def deep_point(
    sums: CellSums | Sequence[CellSums],
    *,
    penalty: object,
    radius: object,
    grain: object,
    share: Share,
    name: str = "",
) -> DeepPoint:
    """A deep point, released for its share of epsilon. Raises InvalidArgument."""
    if not isinstance(share, Share) or share.currency[:1] != ("epsilon",):
        raise InvalidArgument("share", "a share of epsilon", share, "")
    return DeepPoint(
        sums=sums,
        penalty=ZERO if penalty == 0 else exact(penalty, "penalty"),
        radius=exact(radius, "radius"),
        grain=exact(grain, "grain"),
        rate=share.epsilon / (2 * cells_changed(several(sums))),
        share=share,
        name=name,
    )
