"""OpenDP's X'X forgets around which point the rows are bounded."""

from functools import partial
from typing import ClassVar

import attrs
import numpy as np

import dpframe as dp
from dpframe.graph import RowsNode
from dpframe.graph.maps.base import RowMap
from tests.museum.gates import FACTS, stated
from tests.museum.museum import FALSIFIED, Exhibit

CENTRE = 10.0
TABLE = dp.Setting(X=dp.Rows(norm=11), relation=dp.REPLACE_ONE, grid=None)


@attrs.frozen(cache_hash=True)
class Around(RowMap):
    """Rows put into the ball of radius 1 around (10, 0), or less that point where `centred`."""

    kind: ClassVar[str] = "around"
    label: ClassVar[str] = "clip around (10, 0)"
    source: RowsNode
    centred: bool

    @property
    def norm(self):
        """1, says its author."""
        return dp.constant(1)

    def record(self):
        return {"centred": self.centred}

    def apply(self, block, number):
        centre = np.eye(block.shape[1])[0] * CENTRE
        off = block - centre
        length = np.linalg.norm(off, axis=1, keepdims=True)
        inside = off / np.maximum(1.0, length)
        return inside if self.centred else inside + centre


def gram(X, _, *, centred):
    """dpframe's own X'X of rows whose map states its norm."""
    rows = Around(X, centred)
    return rows.T @ rows


def put(*, centred):
    """The sensitivity follows from what the map states."""
    return stated(partial(gram, centred=centred), setting=TABLE, columns=2)


EXHIBIT = Exhibit(
    number=12,
    name="A norm around another origin",
    system="OpenDP 0.16.0, PCA: `make_np_sscp`, `then_private_np_eigendecomposition`",
    source="opendp/opendp#2952",
    claim="epsilon = 2, from rows of norm 1 around an origin.",
    fact="The norm is stored, but the origin, (10, 0), is dropped: rows have norms up to 11. "
    "The top eigenvalue was 571-590 and 612-631 for two neighbours, which are therefore "
    "distinguishable.",
    port="A custom map that moves rows into the ball of radius 1 around (10, 0) and states "
    "norm 1; dpframe's X'X derives its sensitivity from the stated norm. The port uses "
    "doubles, since the default grid clips every row to its stated ball, and the error "
    "has no effect.",
    gate=FACTS,
    verdict=FALSIFIED,
    wrong=partial(put, centred=False),
    mended=partial(put, centred=True),
    repair="Rows minus the public origin. (In dpframe: X.scaled_columns(by=..., "
    "minus=...).clip(norm=1), whose norm is derived.)",
    shows=("refuted: X'X states", "in L2"),
)
