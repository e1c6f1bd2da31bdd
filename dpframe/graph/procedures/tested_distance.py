"""Propose, test, release as it was published in code for regression by the Tukey depth."""

from __future__ import annotations

from typing import ClassVar

import attrs

from dpframe.privacy import Guarantee, PureDP, Share
from dpframe.symbols import Expression, constant

from ..columns import Column
from ..node import Reading, reads
from ..procedure import Procedure
from ..rows import Rows


@attrs.frozen(eq=False)
class TestedDistance(Procedure):
    """Whether the number of models that would have to change before their table is unsafe, plus
    Laplace noise of `scale`, exceeds `threshold`. One replaced record moves one model, so the
    number by at most 1. The distance of an unsafe table is `unsafe`. Kept to be audited; it is
    never certified. [Amin23, Alg. 3]
    """

    __test__: ClassVar[bool] = False
    kind: ClassVar[str] = "tested_distance"
    summary: ClassVar[str] = "test of the distance to unsafety"
    rows: Rows
    column: Column
    scale: Expression = attrs.field(metadata=reads())
    threshold: Expression = attrs.field(metadata=reads())
    share: Share
    unsafe: Expression = constant(0)
    name: str = ""

    @property
    def derived(self) -> dict[str, Reading]:
        """The distance of an unsafe table, which no record of it names."""
        return {"unsafe": Reading(self.unsafe)}


@attrs.frozen(eq=False)
class DepthSample(Procedure):
    """A point between models, drawn with the density exp(rate depth): the shells of depth are
    weighed in one region and the point is drawn from a smaller one, by other volumes. Kept to be
    audited; it is never certified. [Amin23, Alg. 2]
    """

    kind: ClassVar[str] = "depth_sample"
    summary: ClassVar[str] = "sample by depth"
    gives: ClassVar[type[Guarantee]] = PureDP
    rows: Rows
    column: Column
    rate: Expression = attrs.field(metadata=reads())
    share: Share
    name: str = ""
