"""Certificates as costs, numbers as text, and what filters print."""

import re

import numpy as np
import pytest

import dpframe as dp

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
FIT = dp.certify(dp.JointSSP(), target=dp.ApproxDP("0.3", "1e-7"), setting=SETTING)
WHOLE = dp.ApproxDP(1, "1e-6")


def admitted(by):
    """How many fits a filter admits, and the filter."""
    guard = dp.Filter(WHOLE, by=by)
    while guard.fits(FIT):
        guard.spend(FIT)
    with pytest.raises(dp.BudgetExceeded, match=r"is left of \(1, 1e-6\)"):
        guard.spend(FIT)
    return guard.queries, guard


def test_a_filter_of_gaussian_dp_admits_the_fits_of_a_ledger():
    """Squares of mu; sums of the target admit three. The composition of those admitted is inside
    the budget, and that of one more is not.
    """
    many, guard = admitted(dp.GaussianDP)
    assert dp.compose((FIT, many)).epsilon("1e-6").upper <= 1
    assert dp.compose((FIT, many + 1)).epsilon("1e-6").upper > 1
    assert admitted(None)[0] == 3
    assert many >= admitted(dp.ZeroConcentratedDP)[0] > 3
    assert not guard.fits(FIT)
    assert max(map(len, re.findall(r"[\d/.]+", repr(guard)))) <= 9


def test_what_is_composed_prints_short_numbers():
    """6 digits, rounded up: a mu, and a std that is calibrated."""
    assert max(map(len, re.findall(r"\d+", repr(dp.compose((FIT, 12)))))) <= 7
    found = dp.calibrate((dp.Gaussian(std=1), 2), target=WHOLE)
    stated = float(repr(found).split("std=")[1].split(")")[0])
    assert float(found.factor) <= stated <= float(found.factor) * (1 + 1e-5)


def test_numbers_may_be_text_everywhere():
    """With the same answer as the number; other text is refused."""
    assert dp.gaussian_sigma("1", "1e-6") == dp.gaussian_sigma(1, 1e-6)
    odometer = dp.Odometer(dp.ZeroConcentratedDP)
    odometer.spend(dp.ZeroConcentratedDP("1/10"))
    assert odometer.epsilon("1e-6") == odometer.epsilon(1e-6)
    pure = {"kind": dp.PureDP}
    texts = dp.RecordLedger({"a": "0.1", "b": "1/3"}, ["a", "b"], **pure)
    assert list(map(str, texts.report())) == [
        "a: 1 records, budget 1/10, 1/10 left",
        "b: 1 records, budget 1/3, 1/3 left",
    ]
    for wrong in ("one", "", "1,5"):
        for call in (
            lambda text: dp.gaussian_sigma(text, 1e-6),
            odometer.epsilon,
            lambda text: dp.RecordLedger({"a": text}, ["a"], **pure),
        ):
            with pytest.raises(dp.InvalidArgument, match="written like"):
                call(wrong)
    with pytest.raises(dp.InvalidArgument):
        dp.gaussian_sigma(np.array(["1"]), 1e-6)


def test_one_filter_has_one_unit_of_privacy(tmp_path):
    """That of its first certificate, also after saving; one without certificates has none."""
    two = dp.Setting(X=SETTING.X, y=SETTING.y, relation=dp.ADD_REMOVE, rows_per_person=2)
    other = dp.Setting(X=SETTING.X, y=SETTING.y, relation=dp.REPLACE_ONE)
    wrong = [dp.certify(dp.SSP(), target=FIT.target, setting=one) for one in (two, other)]
    guard = dp.Filter(WHOLE, by=dp.GaussianDP)
    assert '"unit"' not in guard.to_json()
    guard.spend(FIT)
    guard.save(tmp_path / "filter.json")
    guard = dp.Filter.load(tmp_path / "filter.json")
    assert guard.unit == SETTING.unit
    for one in wrong:
        for call in (guard.spend, guard.fits):
            with pytest.raises(dp.InvalidArgument, match="one row added or removed, as before"):
                call(one)
    guard.spend(FIT)
    guard.spend(dp.GaussianDP("0.01"))
    assert guard.queries == 3
