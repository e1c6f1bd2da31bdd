"""Plug-ins from outside conform; each kind of wrong one is caught by the check that says so."""

from __future__ import annotations

from fractions import Fraction

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.graph import ColumnNode
from dpframe.graph.statistics import OneRow, RecordSum
from dpframe.numerics import Interval
from dpframe.sensitivity import L2
from dpframe.symbols import add
from tests.support import samples
from tests.trusting.outside import ONE, Folded, Halved, Logistic, LogisticPure, Padded, Positives


def varied(base, **said):
    """A class that says some things otherwise."""
    return type(base.__name__, (base,), {"__slots__": (), **said})


def test_plug_ins_from_outside_conform():
    """The package that tests/trusting trusts."""
    dp.audits.check_mechanism(Logistic(3))
    dp.audits.check_calibration(LogisticPure())
    dp.audits.check_statistic(lambda X, y: Positives(y), columns=1)
    found = dp.audits.check_map(lambda X, y: Halved(X))
    assert found[1] == "every row or label that it makes is inside its bounds"
    dp.audits.check_map(lambda X, y: Folded(y))
    dp.audits.check_accountant(Padded(2))


@pytest.mark.parametrize("make", [dp.count, lambda X: X.sum(), Positives], ids=["dp", "one", "cls"])
def test_a_function_of_one_argument_is_refused_in_words(make):
    """It ended in a bare TypeError."""
    with pytest.raises(
        dp.InvalidArgument, match=r"make must be a function of two arguments, X and y"
    ):
        dp.audits.check_statistic(make)


STATISTICS = {
    "further than its sensitivity": [
        {"one_row": lambda self, norm, relation: OneRow(ONE / 2, "half of it")},
        {"block": lambda self, values: np.asarray(1.0 * np.sum(values[self.column] > 0) * 2)},
        {"step": ONE * 2},
    ],
    "sum over blocks": [
        {"block": lambda self, values: np.asarray(float(np.any(values[self.column] > 0)))},
        {
            "block": lambda self, values: np.asarray(
                np.sum(values[self.column]) / (1 + len(values[self.column]))
            ),
            "step": None,
        },
    ],
    "whole number of its step": [
        {"block": lambda self, values: np.asarray(np.sum(values[self.column] > 0) / 2)},
        {"block": lambda self, values: np.asarray(float(np.sum(np.abs(values[self.column]))))},
    ],
    "of its shape": [
        {"shape": (ONE,)},
        {"block": lambda self, values: 1.0 / 0.0},
    ],
    "calls attained": [
        {"one_row": lambda self, norm, relation: OneRow(ONE * 2, "twice that", attained=True)},
    ],
}


@pytest.mark.parametrize(
    ("said", "mutant"), [(said, one) for said, some in STATISTICS.items() for one in some]
)
def test_a_wrong_statistic_does_not_conform(said, mutant):
    """It moves further than it says, is no sum, or is no whole number of its steps."""
    cls = varied(Positives, **{"step": ONE, **mutant})
    assert said in refusal_of(dp.audits.check_statistic, lambda X, y: cls(y)).property


def test_a_number_that_no_certificate_stores_is_named_by_its_field():
    """A float; by the check and by `certify`, which called it a parameter."""

    @attrs.frozen(cache_hash=True)
    class Trimmed(RecordSum):
        """Labels up to a cut."""

        kind = "trimmed"
        column: ColumnNode
        cut: object = 0.5
        shape = ()
        step = property(lambda self: ONE)
        label = "#(y <= cut)"

        def one_row(self, norm, relation):
            """In every norm."""
            return OneRow(ONE, "an indicator")

        def block(self, values):
            """Of a block."""
            return np.asarray(float(np.sum(values[self.column] <= float(self.cut))))

    class Counted(dp.Regression):
        """One count."""

        def declare(self, X, y, budget):
            """Its release."""
            return dp.release(Trimmed(y), dp.Laplace.pure, budget)

    refused = refusal_of(dp.audits.check_statistic, lambda X, y: Trimmed(y))
    assert (refused.found, refused.plugin) == ("Trimmed.cut = 0.5", "Trimmed")
    assert "Write Fraction(1, 2)" in refused.way_out
    with pytest.raises(dp.InvalidArgument, match=r"Trimmed\.cut must be .*Write Fraction\(1, 2\)"):
        dp.certify(Counted(), target=dp.PureDP(1), setting=samples.setting(norm=1), trust=[Trimmed])
    dp.audits.check_statistic(lambda X, y: Trimmed(y, Fraction(1, 2)))


PLAIN = [dp.graph.statistics.RecordSum, dp.mechanisms.AdditiveNoise, dp.Calibration, dp.Accountant]


@pytest.mark.parametrize("base", PLAIN, ids=lambda base: base.__name__)
def test_a_class_without_the_decorator_names_it(base):
    """It ended in a bare TypeError: ... takes no arguments."""
    left_out = dict.fromkeys(getattr(base, "__abstractmethods__", ()), None)
    cls = type("Plain", (base,), left_out)
    with pytest.raises(dp.InvalidArgument, match=r"Plain must be decorated by @attrs\.frozen"):
        cls(dp.constant(1))


@pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
def test_a_bound_that_is_wrong_under_one_relation_is_found(relation):
    """For any relation of the setting: both are searched."""

    def one_row(self, norm, under):
        return OneRow(ONE * 2 if under is not dp.REPLACE_ONE else ONE / 2, "by relation")

    cls = varied(Positives, step=ONE, one_row=one_row)
    with pytest.raises(dp.errors.NonConforming, match=r"1 in L1, where 0\.5 is stated, for x = "):
        dp.audits.check_statistic(lambda X, y: cls(y), samples.setting(relation))


@pytest.mark.parametrize("cls", [dp.graph.statistics.Moment, dp.graph.statistics.Gram])
@pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
def test_the_search_finds_a_bound_that_is_a_hundredth_short(cls, relation, monkeypatch):
    """Of statistics whose bounds some neighbours reach, in the norm that is short alone."""
    honest = cls.one_row

    def short(self, norm, under):
        found = honest(self, norm, under)
        here = norm is L2 and under is relation
        return attrs.evolve(found, value=found.value * "0.99") if here else found

    monkeypatch.setattr(cls, "one_row", short)
    with pytest.raises(
        dp.errors.NonConforming, match=r"further than its sensitivity; got \S+ in L2"
    ):
        dp.audits.check_statistic(samples.STATISTICS[cls], samples.setting(norm="7/5", grid=12))


CODEBOOK = [dp.Numeric("a", -1, 3), dp.Categorical("b", ["x", "y", "z"])]
CLASSES = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(levels=["no", "yes"]), relation=dp.ADD_REMOVE)
SETTINGS = {
    "a codebook": dp.Setting(
        X=dp.Rows(columns=CODEBOOK, intercept=True),
        y=dp.Column(lower=0, upper=4),
        relation=dp.ADD_REMOVE,
    ),
    "a box": dp.Setting(X=dp.Rows(box=2, norm=3), relation=dp.REPLACE_ONE),
    "three rows a person": samples.setting(rows_per_person=3),
    "no grid": samples.setting(grid=None),
}


@pytest.mark.parametrize("said", SETTINGS)
def test_any_setting_of_numbers_will_do(said):
    """With a codebook, in a box, without labels, of persons with several rows; a mean, which is no
    statistic where n is private, under the one relation where it is.
    """
    made = [lambda X, y: X.T @ X, lambda X, y: dp.total(X)]
    for make in [*made, lambda X, y: X.mean()] if said == "a box" else made:
        assert len(dp.audits.check_statistic(make, SETTINGS[said])) == 6
    dp.audits.check_map(lambda X, y: X.clip(norm=1), SETTINGS[said])


MAPS = {
    "inside its bounds": [
        lambda self, block, number: block * 0.51,
        lambda self, block, number: block[:, :1] / 2,
        lambda self, block, number: block[1:] / 2,
    ],
    "by itself": [
        lambda self, block, number: (block - block.mean(axis=0)) / 4,
        lambda self, block, number: np.divide(block, 2, out=block),
    ],
}


@pytest.mark.parametrize(
    ("said", "apply"), [(said, one) for said, some in MAPS.items() for one in some]
)
def test_a_wrong_map_does_not_conform(said, apply):
    """Rows leave their bounds or their columns, read each other, or are changed in place."""
    cls = varied(Halved, apply=apply)
    assert said in refusal_of(dp.audits.check_map, lambda X, y: cls(X)).property


def summed(guarantees, factor=1):
    """A factor of the sum of epsilons."""
    return dp.PureDP(dp.constant(factor) * add(*(one.epsilon for one in guarantees)))


def looser(self, parts, epsilon):
    """The root of the delta."""
    return Interval(0.0, Padded.delta(self, parts, epsilon).upper ** 0.5)


PARTS = dp.PureDP(1), dp.PureDP("1/3")
ACCOUNTANTS = {
    "answers lie": {"epsilon": lambda self, parts, delta: Interval(2.0, 1.0)},
    "no parts": {"epsilon": lambda self, parts, delta: Interval(0.0, 1.0)},
    "neither order": {"total": lambda self, some: summed([*some, some[0]])},
    "more parts": {"total": lambda self, some: dp.PureDP(1 / summed(some).epsilon)},
    "inverse": {"delta": looser},
    "are refused": {"epsilon": lambda self, parts, at: Padded.epsilon(self, parts, at or "1e-6")},
    "never says less": {"total": lambda self, some: summed(some, "0.99")},
    "order nor grouping": {"total": lambda self, some: some[-1]},
    "than the worst": {"times": lambda self, guarantee, count: guarantee},
}


def refusal_of(check, *arguments):
    """The error of a plug-in that does not conform."""
    with pytest.raises(dp.errors.NonConforming) as refusal:
        check(*arguments)
    return refusal.value


@pytest.mark.parametrize("said", ACCOUNTANTS)
def test_a_wrong_accountant_does_not_conform(said):
    """It adds too little, or in another way in another order, or is no function of what it adds."""
    wrong = varied(Padded, **ACCOUNTANTS[said])()
    assert said in refusal_of(dp.audits.check_accountant, wrong, *PARTS).property


def test_an_error_says_what_was_found_and_what_to_do():
    """And keeps them for a program."""
    with pytest.raises(AssertionError, match=r"^padded: it never says less") as refusal:
        dp.audits.check_accountant(varied(Padded, **ACCOUNTANTS["never says less"])())
    assert isinstance(refusal.value, dp.DPFrameError)
    assert refusal.value.plugin == "padded"
    assert refusal.value.found in str(refusal.value)
    assert str(refusal.value).endswith(refusal.value.way_out)


@pytest.mark.parametrize(
    "call",
    [
        lambda: dp.audits.check_mechanism(dp.Gaussian),
        lambda: dp.audits.check_mechanism(dp.mechanisms.PermuteAndFlipSelection(scale=1)),
        lambda: dp.audits.check_calibration(dp.Gaussian(1)),
        lambda: dp.audits.check_accountant("padded"),
        lambda: dp.audits.check_accountant(Padded(), dp.PureDP(1)),
        lambda: dp.audits.check_statistic(lambda X, y: X),
        lambda: dp.audits.check_statistic(lambda X, y: X.T @ y, dp.Rows(norm=1)),
        lambda: dp.audits.check_statistic(lambda X, y: X.T @ y, columns=2.5),
        lambda: dp.audits.check_statistic(
            lambda X, y: X.T @ X, samples.setting(norm=dp.parameter("B"))
        ),
        lambda: dp.audits.check_statistic(lambda X, y: X.T @ X, CLASSES),
        lambda: dp.audits.check_map(lambda X, y: X.T @ y),
        lambda: dp.audits.check_mechanism(dp.Gaussian(1), seed="x"),
    ],
)
def test_what_is_no_plug_in_is_refused(call):
    """Not called wrong: it was not checked."""
    with pytest.raises(dp.InvalidArgument):
        call()
