"""Sub-Agg with the noise of its papers, and the Tukey mechanism as coded, for audits."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from dpframe.graph import ColumnNode, RowsNode, post
from dpframe.mechanisms import Calibration, L2Laplace, Mechanism
from dpframe.privacy import Share
from dpframe.regressions.many_models import HALF, SubAgg
from dpframe.regressions.solve import Array, Fit
from dpframe.symbols import constant, log

from .published import Coded
from .without_theorem import DepthSample, TestedDistance


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


class TukeyCoded(Coded):
    """The Tukey mechanism for regression as its authors' code has it: a test whose Laplace noise
    has the scale epsilon/2 where 2/epsilon is needed, then a point between models that is drawn
    from other volumes than those weighed. [Amin23, dp_regression/tukey.py]

    At epsilon = 1 the test costs 2 of the 1/2 that it is given. Somewhat beyond epsilon = 2 (2.08
    at delta = 1e-6) its noise is too large for the threshold, and unsafe tables, whose distance is
    -1 in the code, pass with a probability above delta. Models are the least squares of batches of
    the shuffled rows, which need no bounds: one replaced record moves one model. How the code
    splits delta is not said: all of it is left to the test. Whether exp(epsilon depth/2) is the
    right density for epsilon/2 is not judged.
    """

    claimed_for: ClassVar[str] = "replace-one"
    title: ClassVar[str] = "Tukey depth"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Half of epsilon for the test, half for the point."""
        for_test, for_point = budget.split(epsilon=(HALF, HALF), delta=(1, 0))
        half = budget.epsilon / 2
        test = TestedDistance(
            rows=X,
            column=y,
            scale=half,
            threshold=log(1 / (2 * budget.delta)) / half,
            unsafe=constant(-1),
            share=for_test,
            name="distance",
        )
        point = DepthSample(
            rows=X,
            column=y,
            rate=half,
            share=for_point,
            name="point",
        )
        return post(passed, test, point)


def passed(test: float, point: Array) -> Fit:
    """The point where the test is passed, else zeros. Never run: nothing here is certified."""
    found = np.asarray(point, dtype=float)
    return Fit(found if test > 0 else np.zeros_like(found))
