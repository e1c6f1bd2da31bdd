"""Sub-Agg with the noise of its papers, for audits."""

from __future__ import annotations

from typing import ClassVar

from dpframe.mechanisms import Calibration, L2Laplace, Mechanism
from dpframe.privacy import Share
from dpframe.regressions.many_models import SubAgg


class SubAggSmith(SubAgg):
    """Sub-Agg with the noise of the papers, for one block that changes: scale 2 radius/(cells
    epsilon). [Smith08] [DworkS10]

    The papers' blocks go by position, so that a replaced record stays in its block, and their noise
    is right for that. Cells here go by a hash of the record's own numbers, which needs no order of
    the table, but a replaced record may leave one cell for another. What is not proved under
    replace-one is this partition, not the papers' claim.
    """

    variant: ClassVar[str] = "printed"
    claimed_for: ClassVar[str] = "replace-one"
    title: ClassVar[str] = "Sub-Agg, pure"
    use: ClassVar[str] = ""

    def noise(self, budget: Share) -> Calibration | Mechanism:
        """For a sensitivity of 2 radius/cells."""
        return L2Laplace(scale=2 * self.radius / (self.cells * budget.epsilon))
