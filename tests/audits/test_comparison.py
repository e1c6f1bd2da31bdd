"""Calibrations side by side: rigorous numbers, theorems strictly inside their hypotheses."""

import builtins
import json
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import dpframe as dp
from dpframe.audits import compare
from tests.support import oracles

CLASSICAL, ULLMAN, ANALYTIC = dp.Gaussian.classical, dp.Gaussian.kamath_ullman, dp.Gaussian.analytic
TINY = Fraction(1, 10**9)
EPSILONS = ["0.1", "0.9", 3, 10]


def stds(comparison):
    """Std by calibration and epsilon."""
    found = {}
    for record in comparison.records():
        found[record["calibration"].removeprefix("Gaussian."), record["epsilon"]] = record
    return found


def test_the_known_numbers():
    """delta = 1e-6: 52.99 against 36.30 at epsilon = 0.1, 5.89 against 4.66 at 0.9."""
    found = stds(compare(CLASSICAL, ANALYTIC, epsilon=EPSILONS, delta="1e-6"))
    for name, epsilon, std in (
        ("classical", 0.1, 52.99),
        ("analytic", 0.1, 36.30),
        ("classical", 0.9, 5.89),
        ("analytic", 0.9, 4.66),
    ):
        assert found[name, epsilon]["std"] == pytest.approx(std, abs=0.006)
        assert found[name, epsilon]["valid"]


def test_numbers_are_rounded_up():
    """Never below the true std, and within two doubles of it."""
    with oracles.mpmath.workdps(60):
        for record in compare(CLASSICAL, ANALYTIC, epsilon=EPSILONS, delta="1e-6").records():
            epsilon = Fraction(str(record["epsilon"]))
            if record["calibration"] == "Gaussian.analytic":
                true = oracles.sigma_of(epsilon, Fraction(1, 10**6))
            else:
                true = oracles.mpmath.sqrt(2 * oracles.mpmath.log(1_250_000)) / oracles.mpf(epsilon)
            assert true <= record["std"] <= true * (1 + 1e-15)


def test_the_table_shows_numbers_rounded_up():
    """A std copied from the table suffices."""
    assert "36.30" in str(compare(ANALYTIC, epsilon=0.1, delta=1e-6))


def test_hypotheses_are_strict_where_the_theorem_is():
    """The classical theorem ends before 1; kamath_ullman reaches 1 and, by rule E1, 4 log 2."""
    epsilons = ["0.999999999999", 1, "1.000000001", "2.772588", "2.772589"]
    found = compare(CLASSICAL, ULLMAN, epsilon=epsilons, delta="1e-6").records()
    valid = {name: [] for name in ("Gaussian.classical", "Gaussian.kamath_ullman")}
    for record in found:
        valid[record["calibration"]].append(record["valid"])
    assert valid["Gaussian.classical"] == [True, False, False, False, False]
    assert valid["Gaussian.kamath_ullman"] == [True, True, True, True, False]


def test_beyond_the_theorem_the_number_is_shown_and_judged():
    """At 3 the classical number happens to suffice, at 10 it does not."""
    found = stds(compare(epsilon=EPSILONS, delta="1e-6"))
    assert found["classical", 3.0]["suffices"]
    assert not found["classical", 3.0]["valid"]
    assert found["classical", 10.0]["suffices"] is False
    text = str(compare(epsilon=EPSILONS, delta="1e-6"))
    assert "not valid (1.77)" in text
    assert "not valid (0.530, too small)" in text


def test_how_far_each_formula_happens_to_reach():
    """Rule F1, rounded down: 8.78 and 9.73 at delta = 1e-6."""
    comparison = compare(epsilon=1, delta="1e-6")
    reach = [theorem.reach for theorem in comparison.theorems]
    assert reach[0] == pytest.approx(8.782, abs=1e-3)
    assert reach[1] == pytest.approx(9.733, abs=1e-3)
    assert reach[2] is None
    assert "epsilon = 8.782" in " ".join(str(comparison).split())
    assert "epsilon = 9.732" in " ".join(str(comparison).split())
    for theorem, calibration in zip(comparison.theorems[:2], (CLASSICAL, ULLMAN), strict=True):
        reach = Fraction(theorem.reach)
        cells = compare(calibration, epsilon=[reach - TINY, reach + TINY], delta="1e-6").cells
        assert [row[0].suffices for row in cells] == [True, False]


@pytest.mark.parametrize(
    "epsilon",
    [
        0.5,
        "0.5",
        Fraction(1, 2),
        [0.5],
        ("1/2",),
        np.array([0.5]),
        np.array(0.5),
        np.float64(0.5),
        range(1, 2),
        (part for part in [0.5]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_epsilon_is_a_number_or_many(epsilon):
    """Scalars, text, lists, arrays, generators."""
    assert len(compare(ANALYTIC, epsilon=epsilon, delta=1e-6).epsilons) == 1


def test_sensitivity_scales_every_std():
    """Twice the sensitivity, twice the noise."""
    one = compare(epsilon=EPSILONS, delta="1e-6").records()
    two = compare(epsilon=EPSILONS, delta="1e-6", sensitivity=2).records()
    for a, b in zip(one, two, strict=True):
        assert b["std"] == pytest.approx(2 * a["std"])
        assert (a["valid"], a["suffices"], a["reach"]) == (b["valid"], b["suffices"], b["reach"])


def test_other_calibrations_that_spend_epsilon_and_delta_compare_too():
    """Laplace's std is sqrt 2 times its scale."""
    (record,) = compare(dp.Laplace.pure, epsilon=1, delta="1e-6").records()
    assert record["std"] == pytest.approx(2**0.5)
    assert record["reach"] is None


@pytest.mark.parametrize(
    "changes",
    [
        {"epsilon": 0},
        {"epsilon": -1},
        {"epsilon": []},
        {"epsilon": [[1]]},
        {"epsilon": True},
        {"epsilon": float("nan")},
        {"epsilon": float("inf")},
        {"epsilon": "x"},
        {"epsilon": None},
        {"delta": 0},
        {"delta": 1},
        {"delta": None},
        {"sensitivity": 0},
        {"sensitivity": "x"},
    ],
    ids=str,
)
def test_unusable_numbers_are_refused(changes):
    """With dpframe's own error."""
    with pytest.raises(dp.InvalidArgument):
        compare(**{"epsilon": 1, "delta": "1e-6", **changes})


@pytest.mark.parametrize("calibration", [dp.Gaussian, "analytic", None])
def test_only_calibrations_are_compared(calibration):
    """A mechanism or a name is not one."""
    with pytest.raises(dp.InvalidArgument, match=r"Gaussian\.analytic"):
        compare(calibration, epsilon=1, delta="1e-6")


def test_records_are_json():
    """Without infinities."""
    records = compare(epsilon=EPSILONS, delta="1e-6").records()
    assert json.loads(json.dumps(records, allow_nan=False)) == records


def test_the_table_fits_a_page():
    """100 columns."""
    text = str(compare(epsilon=EPSILONS, delta="1e-6"))
    assert max(map(len, text.splitlines())) <= 100


def test_the_picture_dashes_what_is_not_valid():
    """One solid line a theorem, a dashed one where it does not hold."""
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib import pyplot as plt

    axes = compare(epsilon=EPSILONS, delta="1e-6").plot()
    assert [line.get_linestyle() for line in axes.lines] == ["-", "--", "-", "--", "-"]
    _, own = plt.subplots()
    assert compare(epsilon=EPSILONS, delta="1e-6").plot(own) is own
    plt.close("all")


def test_a_missing_matplotlib_is_named(monkeypatch):
    """With the extra that brings it."""
    real = builtins.__import__

    def without(name, *rest, **more):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(dp.errors.MissingExtra, match="plots"):
        compare(epsilon=1, delta="1e-6").plot()


def test_the_constant_of_no_theorem_is_shown_with_its_interval():
    """sqrt(log(2/delta)) suffices up to 0.209 at delta = 1e-6, by the profile at 50 digits."""
    text = " ".join(str(dp.compare(epsilon=1, delta="1e-6")).split())
    assert "is the constant of no theorem" in text
    assert "suffice up to epsilon = 0.209, by" in text
    constant = mpmath.sqrt(mpmath.log(2 * 10**6))
    for epsilon, enough in (("0.2094", True), ("0.2095", False)):
        mu = mpmath.mpf(epsilon) / constant
        assert (oracles.delta_of(mpmath.mpf(epsilon), mu) <= mpmath.mpf("1e-6")) is enough
