"""A class from outside may change after its bounds were read: they are then read again."""

import attrs
import pytest

import dpframe as dp
from dpframe.graph import ColumnNode
from dpframe.graph.maps.base import RowMap
from dpframe.graph.statistics import Linear, OneRow, RecordSum
from dpframe.sensitivity import L1, L2
from tests.support import samples


@attrs.define(eq=False)
class Positives(RecordSum):
    """The number of labels above 0, whose bound may change."""

    kind = "positives"
    column: ColumnNode
    most: int = 1
    shape = ()
    label = "#(y > 0)"

    def one_row(self, norm, relation):
        """Its bound as it is now."""
        del norm, relation
        return OneRow(dp.constant(self.most), "as it says")

    def block(self, values):
        """Not read here."""
        raise NotImplementedError


@attrs.define(eq=False)
class Stretched(RowMap):
    """Rows times a number, which may change."""

    kind = "stretched"
    source: dp.graph.RowsNode
    factor: int = 1
    label = "stretched"
    norm = property(lambda self: self.source.norm * self.factor)

    def apply(self, block, number):
        """Not read here."""
        raise NotImplementedError


@pytest.mark.parametrize("norm", [L1, L2])
def test_a_sensitivity_is_that_of_now(norm):
    """Of the statistic, and of what is made of it."""
    _, y = samples.setting().nodes()
    own = Positives(y)
    twice = Linear((dp.constant(2),), (own,))
    assert own.sensitivity(norm).value == dp.constant(1)
    assert twice.sensitivity(norm).value == dp.constant(2)
    own.most = 5
    assert own.sensitivity(norm).value == dp.constant(5)
    assert twice.sensitivity(norm).value == dp.constant(10)


def test_a_name_of_a_module_does_not_freeze_a_class(monkeypatch):
    """A class from outside that claims a module of dpframe is read again, too."""
    monkeypatch.setattr(Positives, "__module__", "dpframe.graph.statistics.sums")
    _, y = samples.setting().nodes()
    own = Positives(y)
    assert own.sensitivity(L2).value == dp.constant(1)
    own.most = 5
    assert own.sensitivity(L2).value == dp.constant(5)


def test_rows_are_bounded_as_of_now():
    """A product of rows follows their bound."""
    X, _ = samples.setting(norm=1).nodes()
    own = Stretched(X)
    gram = own.T @ own
    assert gram.sensitivity(L2).value == dp.constant(1)
    own.factor = 3
    assert gram.sensitivity(L2).value == dp.constant(9)
