"""What execution cannot run is refused before a draw; maps of records are maps all the way."""

from typing import Any, ClassVar

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.errors import NotExecutable
from dpframe.graph import Procedure
from dpframe.graph.maps.base import MappedRows
from dpframe.graph.maps.cells import CellRows, cell_under
from dpframe.graph.maps.residuals import Gradient

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
TARGET = dp.ApproxDP(1, "1e-6")


@attrs.frozen(cache_hash=True)
class Silent(MappedRows):
    """Rows of norm 1 that do not say how they are made."""

    kind: ClassVar[str] = "silent"
    source: Any
    norm: Any = attrs.field(default=dp.constant(1), init=False)
    label = "silent rows"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}


@attrs.frozen(eq=False)
class Wordless(Procedure):
    """A procedure that does not say how it draws."""

    kind: ClassVar[str] = "wordless"
    statistic: Any
    share: Any
    name: str = "wordless"
    summary = "nothing"
    inputs = property(lambda self: (self.statistic,))
    own_readings = property(lambda self: {})


class SilentSum(dp.Regression):
    """X'X of rows that nobody can make."""

    def declare(self, X, y, budget):
        """One release."""
        return dp.release(Silent(X).T @ Silent(X), dp.Gaussian.analytic, budget)


class WordlessRelease(dp.Regression):
    """A procedure that nobody can draw from."""

    def declare(self, X, y, budget):
        """One release."""
        return Wordless(X.T @ X, budget)


@pytest.mark.parametrize(
    ("declared", "trusted", "said"),
    [(SilentSum, Silent, "silent rows does not say"), (WordlessRelease, Wordless, "Sampler")],
)
def test_what_does_not_say_how_it_runs_is_refused_before_a_draw(declared, trusted, said):
    """By name, with the way out; the generator stays where it was."""
    run = dp.certify(declared(), target=TARGET, setting=SETTING, trust=[trusted])
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    with pytest.raises(NotExecutable, match=said):
        dp.execute(run, np.ones((5, 2)) / 2, np.zeros(5), rng=rng)
    assert rng.bit_generator.state == before


def test_a_cell_is_found_under_a_map_of_records():
    """Gradients of a cell's rows, clipped, are of that cell; the whole table has none."""
    X, y = SETTING.nodes()
    rows = CellRows(dp.partition(X, y, cells=3), 1)
    point = dp.iterate(X.columns)
    assert cell_under(Gradient(rows, y, point, dp.graph.Squared()).clip(norm=1)) == rows
    assert cell_under(Gradient(X, y, point, dp.graph.Squared()).clip(norm=1)) is None
