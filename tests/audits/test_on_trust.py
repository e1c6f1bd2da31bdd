"""Facts that are taken on trust say so among those that are proved."""

from __future__ import annotations

import re

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.audits import audit, check_statistic
from dpframe.audits.findings import findings
from dpframe.audits.html import html
from dpframe.graph import ColumnNode
from dpframe.graph.statistics import OneRow, RecordSum
from tests.support.html_pages import read
from tests.trusting.outside import Logistic, Positives

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


class Both(dp.Regression):
    """A statistic of a class from outside beside one of dpframe."""

    def declare(self, X, y, budget):
        first, second = budget.split_evenly(2)
        moment = dp.release(X.T @ y, dp.Gaussian.analytic, second, name="moment")
        return dp.release(Positives(y), dp.Gaussian.analytic, first, name="positive"), moment


def test_a_stated_sensitivity_is_marked_and_a_derived_one_is_not():
    """In the certificate."""
    one = dp.ApproxDP(1, "1e-6")
    text = str(dp.certify(Both(), target=one, setting=SETTING, trust=[Positives]))
    assert "#(y > 0): 1 (L2; an indicator lies in [0, 1]) (on trust)" in text
    (own,) = re.findall(r"X'y: 1 .*", text)
    assert "(on trust)" not in own


class Noisy(dp.Regression):
    """Noise of a class from outside."""

    def declare(self, X, y, budget):
        return dp.release(y.sum(), Logistic.pure, budget, name="sum")


def test_a_stated_theorem_is_marked_in_certificates_and_audits():
    """Text and page."""
    given = {"target": dp.PureDP(1), "setting": SETTING, "trust": [Logistic, type(Logistic.pure)]}
    marked = re.compile(r"satisfies its share by [\w.]*pure.*\(on trust\)")
    assert marked.search(str(dp.certify(Noisy(), **given)))
    done = audit(Noisy(), **given)
    assert marked.search(done.text(details=True))
    assert "(on trust)" in read(html(findings(done))).text


@attrs.frozen(cache_hash=True)
class Roots(RecordSum):
    """The sum of sqrt |y|, with a bound that is too small for labels below 1."""

    kind = "roots"
    column: ColumnNode
    inputs = property(lambda self: (self.column,))
    unit = property(lambda self: self.column.unit)
    shape = ()
    label = "sum(sqrt|y|)"

    def record(self):
        """Nothing."""
        return {}

    def one_row(self, norm, relation):
        """Wrong: Y in place of its root."""
        return OneRow(self.column.bound, "wrong below 1")

    def block(self, values):
        """Of a block."""
        return np.asarray(float(np.sum(np.sqrt(np.abs(values[self.column])))))


def test_a_bound_that_is_too_small_below_1_is_found():
    """At the bound 2 of the setting it holds."""
    with pytest.raises(dp.errors.NonConforming, match="is stated, for"):
        check_statistic(lambda X, y: Roots(y))


class NotANumber(Roots):
    """A value that is nan."""

    def block(self, values):
        """Of a block."""
        return np.asarray(float("nan"))


def test_a_value_that_is_nan_is_said_to_be_one():
    """Not that its shape is () where () is stated."""
    with pytest.raises(dp.errors.NonConforming, match=r"nan of .*: not finite"):
        check_statistic(lambda X, y: NotANumber(y))


@attrs.frozen(cache_hash=True)
class Blockless(RecordSum):
    """A sum without the method that sums."""

    kind = "blockless"
    column: ColumnNode
    inputs = property(lambda self: (self.column,))
    unit = property(lambda self: self.column.unit)
    shape = ()
    label = "sum(?)"

    def record(self):
        """Nothing."""
        return {}


def test_a_class_without_its_method_is_said_to_be_one():
    """By the name of the method."""
    with pytest.raises(dp.errors.NonConforming, match="its class has no method block"):
        check_statistic(lambda X, y: Blockless(y))
