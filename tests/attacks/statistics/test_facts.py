"""What a statistic states of itself: true facts survive the search, false ones do not."""

from __future__ import annotations

import itertools
from fractions import Fraction

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.graph import statistics as st
from dpframe.sensitivity import L1, L2, OPERATOR
from tests.attacks.statistics.facts import Measured, attack_statistic
from tests.attacks.statistics.table_pairs import Palette, TablePair, invented, simpler, varied
from tests.support.samples import CONDITIONAL, RELATIONS, STATISTICS, UNBOUNDED, setting

LEFT_OUT = UNBOUNDED | CONDITIONAL
SHIPPED = {cls.__name__: make for cls, make in STATISTICS.items() if cls not in LEFT_OUT}
SLOW = ("Argmin", "LogResidual", "BlockEstimates")
LOOSE = ("Argmin", "LogResidual", "BlockEstimates", "Monomials", "SufficientStatistics", "CellSums")
relations = pytest.mark.parametrize("relation", RELATIONS, ids=str)


@attrs.frozen(cache_hash=True)
class Restated(st.Statistic):
    """Another statistic, with its sensitivity multiplied by a factor."""

    kind = "restated"
    of: st.Statistic
    factor: Fraction
    inputs = property(lambda self: (self.of,))
    unit = property(lambda self: self.of.unit)
    shape = property(lambda self: self.of.shape)
    symmetric = property(lambda self: self.of.symmetric)
    label = property(lambda self: f"restated {self.of.label}")

    def record(self):
        return {"factor": str(self.factor)}

    def one_row(self, norm, relation):
        found = self.of.one_row(norm, relation)
        return st.OneRow(found.value * self.factor, "restated")

    def compute(self, values, number):
        return values[self.of]


@attrs.frozen(cache_hash=True)
class Labels(st.Statistic):
    """A function of all labels, of shape (), that states a sensitivity of 1."""

    kind = "labels"
    column: dp.graph.ColumnNode
    function: object
    inputs = property(lambda self: (self.column,))
    unit = property(lambda self: self.column.unit)
    shape = ()
    label = "labels"

    def record(self):
        return {}

    def one_row(self, norm, relation):
        return st.OneRow(dp.constant(1), "stated")

    def compute(self, values, number):
        return np.asarray(self.function(values[self.column]))


@pytest.mark.parametrize("name", SHIPPED)
@relations
def test_what_the_package_states_survives(name, relation):
    """Every shipped statistic, in two norms."""
    tries = 30 if name in SLOW else 120
    found = attack_statistic(SHIPPED[name], setting(relation), tries=tries)
    assert found
    assert not [str(one) for one in found if one.refuted]


@pytest.mark.some(4)
@pytest.mark.parametrize("name", [name for name in SHIPPED if name not in LOOSE])
@relations
def test_a_fact_that_is_too_small_by_a_tenth_is_refuted(name, relation):
    """In L2, with a pair that breaks it exactly."""
    make, table = SHIPPED[name], setting(relation)
    if make(*table.nodes()).sensitivity(L2).value == dp.constant(0):
        pytest.skip("nothing is below 0")
    (found,) = attack_statistic(
        lambda X, y: Restated(make(X, y), Fraction(9, 10)), table, norms=(L2,), tries=400
    )
    assert found.refuted
    assert found.moved > found.stated
    assert found.ratio >= float(found.moved / found.stated) * (1 - 1e-9)
    assert "refuted: restated" in str(found)


def test_the_pair_is_evaluated_exactly():
    """X'X of the pair that is shown, in Fractions, moves as far as is said."""
    table = setting(grid=None)
    make = lambda X, y: Restated(X.T @ X, Fraction(1, 2))  # noqa: E731
    (found,) = attack_statistic(make, table, norms=(L2,), tries=300)
    first, second = found.pair.tables
    grams = []
    for rows, _ in (first, second):
        clipped = (
            rows * np.minimum(1, 1.5 / np.maximum(np.linalg.norm(rows, axis=1), 1e-9))[:, None]
        )
        exact = [[Fraction(x) for x in row] for row in clipped]
        grams.append([sum(r[i] * r[j] for r in exact) for i in (0, 1) for j in (0, 1)])
    square = sum((a - b) ** 2 for a, b in zip(*grams, strict=True))
    assert float(found.moved) ** 2 == pytest.approx(float(square), rel=1e-9)
    assert found.moved**2 <= square * (1 + Fraction(1, 10**12))


@pytest.mark.parametrize("norm", [L1, L2, OPERATOR])
def test_a_move_is_measured_in_its_norm(norm):
    """Of one row (3/4, 1) whose outer product is symmetric."""
    table = setting(grid=None)
    X, _ = table.nodes()
    measured = Measured(X.T @ X, 2)
    nothing = np.zeros((0, 2)), np.zeros(0)
    pair = TablePair(nothing, nothing, (np.array([[0.75, 1.0]]), np.zeros(1)), 0)
    truth = {L1: 0.5625 + 0.75 + 1, L2: 1.5625, OPERATOR: 1.5625}[norm]
    assert float(measured.moved(pair, norm)) == pytest.approx(truth, rel=1e-12)
    assert measured.moved(pair, norm) <= Fraction(truth)


def test_doubles_are_attacked_by_their_last_bit():
    """A sum in doubles of labels far from 0 moves by more than its terms do."""
    low = 2**52
    table = dp.Setting(
        X=dp.Rows(norm=1), y=dp.Column(bound=low + 1), relation=dp.REPLACE_ONE, grid=None
    )
    (found,) = attack_statistic(lambda X, y: Labels(y.clip(low, low + 1), np.sum), table)
    assert found.refuted
    assert found.moved >= 2


def test_order_is_attacked_too():
    """A value that depends on the order of the rows: the label that stands first, times their
    number.
    """
    table = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    (found,) = attack_statistic(lambda X, y: Labels(y, lambda v: v[0] * len(v)), table)
    assert found.refuted


def test_a_table_without_a_value_is_no_counterexample():
    """A mean of nothing has none; the mean of labels in [-1/2, 1/2] moves by less than 1."""
    table = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound="1/2"), relation=dp.ADD_REMOVE)
    (found,) = attack_statistic(lambda X, y: Labels(y, np.mean), table, tries=300)
    assert not found.refuted
    (other,) = attack_statistic(lambda X, y: Labels(y, lambda v: 1 / len(v)), table, tries=300)
    assert not other.refuted


def test_a_person_with_three_rows():
    """Pairs differ in three records, and the sensitivity is three times as large."""
    table = setting(rows_per_person=3)
    (found,) = attack_statistic(lambda X, y: dp.count(X), table, tries=50)
    assert (found.stated, found.moved) == (3, 3)
    assert len(found.pair.come[1]) == 3


def test_what_is_stated_may_read_the_public_n():
    """n - 1 is true of n sum y^2 - (sum y)^2 of labels in [-1/2, 1/2], replaced; n/2 is not."""

    def stating(y, value):
        class Stating(Labels):
            kind = "stating"

            def one_row(self, norm, relation):
                return st.OneRow(value, "stated")

        def exactly(labels):
            v = np.round(labels * 1024) / 1024
            return len(v) * np.sum(v * v) - np.sum(v) ** 2

        return Stating(y, exactly)

    table = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound="1/2"), relation=dp.REPLACE_ONE)
    right, wrong = (
        attack_statistic(lambda X, y, f=f: stating(y, f(X.rows)), table, tries=400)[0]
        for f in (lambda n: n - 1 + 0 * n, lambda n: n / 2)
    )
    assert not right.refuted
    assert wrong.refuted


def test_codebooks_and_text():
    """Columns by a codebook, one of them of text."""
    table = dp.Setting(
        X=dp.Rows(columns=[dp.Numeric("age", 17, 42), dp.Categorical("sex", ["f", "m"])]),
        relation=dp.REPLACE_ONE,
    )
    (found,) = attack_statistic(lambda X, _: X.T @ X, table, norms=(L2,), tries=200)
    assert not found.refuted
    assert found.ratio > 0.99
    half = lambda X, _: Restated(X.T @ X, Fraction(1, 2))  # noqa: E731
    (wrong,) = attack_statistic(half, table, norms=(L2,), tries=200)
    assert wrong.refuted
    assert "'f'" in str(wrong) or "'m'" in str(wrong)


@pytest.mark.parametrize("removes", [True, False])
@pytest.mark.parametrize("k", [1, 3])
def test_every_pair_is_a_pair_of_neighbours(removes, k):
    """Invented, varied or simplified: k records come, and none or k go, at one place."""
    rng = np.random.default_rng(3)
    X, y = setting().nodes()
    measured = Measured(X.T @ y, 2)
    palette = Palette.of(measured.graph, 2, measured.number)
    pair = invented(palette, k, removes=removes, rng=rng)
    for _ in range(300):
        pair = varied(pair, palette, rng=rng)
        if rng.random() < 0.1:
            pair = invented(palette, k, removes=removes, rng=rng)
        for one in itertools.chain([pair], itertools.islice(simpler(pair), 5)):
            first, second = one.tables
            gone = 0 if removes else k
            assert (len(one.come[1]), len(one.gone[1])) == (k, gone)
            assert len(first[1]) == len(one.base[1]) + gone
            assert len(second[1]) == len(one.base[1]) + k == len(second[0])
            kept = [
                np.delete(t[1], slice(one.place, one.place + m))
                for t, m in ((first, gone), (second, k))
            ]
            assert np.array_equal(kept[0], one.base[1])
            assert np.array_equal(kept[1], one.base[1])
