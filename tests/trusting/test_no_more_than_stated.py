"""A class that is trusted is believed in what it states, and in nothing else."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.graph import ColumnNode, RowsNode
from dpframe.graph.maps.base import RecordMap, RowMap
from dpframe.graph.statistics import OneRow, RecordSum, RowSum
from dpframe.privacy import Unit
from dpframe.sensitivity import L1
from tests.support import checking as check
from tests.trusting.outside import Logistic

ONE = dp.constant(1)
TABLE = np.array([[1.0, 0, 0], [0, 0.6, 0.8]])


def same(*values: Any) -> Any:
    """What was released."""
    return values


def setting(relation=dp.ADD_REMOVE, **more):
    """Rows of norm 1 and labels in [-1, 1]."""
    return dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=relation, **more)


def declared(statistic, noise=dp.Gaussian.analytic):
    """A declaration that releases a statistic of X and y."""

    class One(dp.Regression):
        def declare(self, X, y, budget):
            return dp.post(same, dp.release(statistic(X, y), noise, budget))

    return One()


@attrs.frozen(cache_hash=True)
class Cross(RecordSum):
    """sum x (Px)', P a cyclic shift: of Frobenius norm at most 1, and not symmetric."""

    kind: ClassVar[str] = "cross"
    rows: RowsNode
    inputs = property(lambda self: (self.rows,))
    shape = property(lambda self: (self.rows.columns, self.rows.columns))
    label = "cross"

    def record(self):
        """Nothing."""
        return {}

    def one_row(self, norm, relation):
        """By Cauchy-Schwarz."""
        once = self.rows.columns if norm is L1 else ONE
        return OneRow(once * (1 if relation is dp.ADD_REMOVE else 2), "Cauchy-Schwarz")

    def block(self, values):
        """Of a block."""
        return values[self.rows].T @ np.roll(values[self.rows], 1, axis=1)


@attrs.frozen(cache_hash=True)
class Mirrored(Cross):
    """The same and its transpose, which it states to be symmetric."""

    kind: ClassVar[str] = "mirrored"
    label = "mirrored"
    symmetric = True

    def block(self, values):
        """Of a block."""
        one = super().block(values)
        return (one + one.T) / 2


MATRICES = {
    "itself": lambda X, _: Cross(X),
    "a multiple": lambda X, _: Cross(X) * 2,
    "a sum with X'X": lambda X, _: Cross(X) + X.T @ X,
}


@pytest.mark.parametrize("noise", [dp.Gaussian.analytic, dp.Laplace.pure], ids=str)
@pytest.mark.parametrize("name", MATRICES)
def test_noise_of_a_matrix_is_mirrored_only_where_that_is_stated(name, noise):
    """Else its antisymmetric part would leave without noise."""
    one = declared(MATRICES[name], noise)
    run = dp.certify(one, target=dp.ApproxDP(1, "1e-6"), setting=setting(), trust=[Cross])
    (found,) = dp.execute(run, TABLE, np.ones(2), rng=1, rehearse=False).output
    true = TABLE.T @ np.roll(TABLE, 1, axis=1)
    assert np.abs((found - found.T) - (true - true.T)).max() > 1e-3


def test_a_matrix_that_says_so_is_symmetric():
    """Its noise is, too; and the file says what was stated."""
    one = declared(lambda X, _: Mirrored(X) * 2)
    run = dp.certify(one, target=dp.ApproxDP(1, "1e-6"), setting=setting(), trust=[Mirrored])
    assert run.verdict.accepted
    assert '"symmetric": true' in json.dumps(run.document)
    (found,) = dp.execute(run, TABLE, np.ones(2), rng=1, rehearse=False).output
    assert np.array_equal(found, found.T)


@attrs.frozen(cache_hash=True)
class Upper(RecordSum):
    """2 x 2, all of it in the entry (1, 2)."""

    kind: ClassVar[str] = "upper"
    rows: RowsNode
    inputs = property(lambda self: (self.rows,))
    shape = (dp.constant(2), dp.constant(2))
    label = "upper"

    def record(self):
        """Nothing."""
        return {}

    def one_row(self, norm, relation):
        """In every norm."""
        return OneRow(ONE * (1 if relation is dp.ADD_REMOVE else 2), "x_1 x_2 and more")

    def block(self, values):
        """Of a block."""
        return np.array([[0.0, np.sum(values[self.rows][:, 0] ** 2)], [0.0, 0.0]])


def test_a_stack_scales_no_entry_of_a_matrix_that_is_not_symmetric():
    """Off the diagonal, sqrt 2 belongs to two equal entries."""
    one = declared(lambda X, _: dp.graph.stack(Upper(X) * 1), dp.Gaussian(std="1/1000000000"))
    run = dp.certify(one, target=dp.GaussianDP(10**9), setting=setting(), trust=[Upper])
    (found,) = dp.execute(run, TABLE, np.ones(2), rng=1, rehearse=False).output
    assert found == pytest.approx([0, 1, 0, 0], abs=1e-6)


@attrs.frozen(cache_hash=True)
class Features(RowMap):
    """A hundred columns of norm 1 together; it says nothing of how many."""

    kind: ClassVar[str] = "features"
    source: RowsNode
    label = "features"
    norm = property(lambda self: ONE)

    def record(self):
        """Nothing."""
        return {}

    def apply(self, block, number):
        """Each row by itself."""
        return np.repeat(block[:, :1], 100, axis=1) / 10


def test_a_map_that_makes_other_columns_than_it_states_is_not_executed():
    """Its L1 norm follows from their number."""
    one = declared(lambda X, _: RowSum(Features(X)), dp.Laplace.pure)
    run = dp.certify(one, target=dp.PureDP(1), setting=setting(), trust=[Features])
    with pytest.raises(dp.NotExecutable, match="State `columns`"):
        dp.execute(run, TABLE, np.ones(2), rng=1, rehearse=False)


@attrs.frozen(cache_hash=True)
class Balance(RecordSum):
    """Labels above 0 less those below, always of an add/remove table."""

    kind: ClassVar[str] = "balance"
    column: ColumnNode
    inputs = property(lambda self: (self.column,))
    unit = property(lambda self: Unit(dp.ADD_REMOVE))
    shape = ()
    step = property(lambda self: ONE)
    label = "balance"

    def record(self):
        """Nothing."""
        return {}

    def one_row(self, norm, relation):
        """True for both relations."""
        return OneRow(dp.constant(1 if relation is dp.ADD_REMOVE else 2), "signs")

    def block(self, values):
        """Of a block."""
        return np.asarray(float(np.sum(np.sign(values[self.column]))))


@pytest.mark.parametrize("accountant", ["auto", "basic", "optimal", "rdp", "numeric"])
@pytest.mark.parametrize(
    "of", [{"relation": dp.REPLACE_ONE}, {"rows_per_person": 10}], ids=["replace-one", "ten rows"]
)
def test_a_unit_of_another_table_is_refused(accountant, of):
    """Noise would be sized for other neighbours."""
    one, target = declared(lambda _, y: Balance(y), dp.Laplace.pure), dp.ApproxDP(2, "1e-6")
    of = {"setting": setting(**of), "trust": [Balance], "accountant": accountant}
    with pytest.raises(dp.Uncertified, match="leave `unit` out of Balance"):
        dp.certify(one, target=target, **of)


@attrs.frozen(cache_hash=True)
class Flipped(RecordMap):
    """Each row times the sign of a total over all rows."""

    kind: ClassVar[str] = "flipped"
    source: RowsNode
    total: Any
    label = "sign(total) x"
    norm = property(lambda self: self.source.norm)
    norm1 = property(lambda self: self.source.norm1)

    def record(self):
        """Nothing."""
        return {}

    def records(self, values, number):
        """One record moves them all."""
        return values[self.source] * np.sign(values[self.total][0])


@pytest.mark.parametrize("accountant", ["auto", "optimal", "rdp"])
def test_a_map_of_records_reads_no_statistic(accountant):
    """Raw values of the table are no part of a record; what was released may be read."""
    one = declared(lambda X, _: RowSum(Flipped(X, RowSum(X))), dp.Laplace.pure)
    of = {"setting": setting(), "trust": [Flipped], "accountant": accountant}
    with pytest.raises(dp.Uncertified, match="a map of records reads rows"):
        dp.certify(one, target=dp.ApproxDP(2, "1e-6"), **of)


@attrs.define(eq=False)
class Twice(dp.Calibration):
    """A theorem with a number that can be changed."""

    factor: list
    mechanism = dp.Laplace
    name, citation = "Laplace.twice", "[here]"
    currencies = (("epsilon",), ("epsilon", "delta"))

    def calibrate(self, share, sensitivity):
        """Twice as much as is needed, or whatever stands there now."""
        return dp.Laplace(self.factor[0] * sensitivity / share.epsilon)

    def limit(self, share):
        """Always."""


@pytest.mark.parametrize("before", [0, 1], ids=["before the first run", "after it"])
@pytest.mark.parametrize("kind", [Logistic, Twice])
def test_noise_that_was_changed_since_is_not_drawn(kind, before):
    """What a trusted object states now is what it stated when it was certified."""
    noise = kind(ONE) if kind is Logistic else kind([dp.constant(2)])
    one = declared(lambda X, _: dp.count(X), noise)
    run = dp.certify(one, target=dp.PureDP(1), setting=setting(), trust=[kind])
    for _ in range(before):
        dp.execute(run, TABLE, np.ones(2), rng=1, rehearse=False)
    if kind is Logistic:
        object.__setattr__(noise, "scale", dp.constant("1/1000000"))
    else:
        noise.factor[0] = dp.constant("1/1000000")
    with pytest.raises(dp.NotExecutable, match="changed since it was certified"):
        dp.execute(run, TABLE, np.ones(2), rng=1, rehearse=False)


def test_without_the_total_the_nodes_are_replayed():
    """Accountants that the kernel lacks leave it everything but the sum."""
    one = declared(lambda X, _: X.T @ X, dp.Laplace.pure)
    target = dp.ApproxDP(2, "1e-6")
    run = dp.certify(one, target=target, setting=setting(), accountant="rdp")
    document = json.loads(json.dumps(run.document))
    assert not check.kernel.check(document).accepted
    alone = check.kernel.check(check.proved(document), total=False)
    assert alone.accepted
    assert alone.sentence.endswith("The total was not checked.")
    node = next(node for node in document["graph"]["nodes"] if node["kind"] == "release")
    node["mechanism"] = "no_noise"
    assert not check.kernel.check(check.proved(check.sealed(document)), total=False).accepted
