"""Calibrations side by side, and what changed from one certificate to another."""

import itertools
import json
import math
import sys
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from typer.testing import CliRunner

import dpframe as dp
from dpframe.audits import compare
from dpframe.audits.compositions_compared import largest_sum
from dpframe.cli import app
from tests.support import oracles

# ------------------------------------------------------------------------ Calibrations side by side
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
    found = compare(ANALYTIC, epsilon=[0.1, 0.9, 3, 10], delta=1e-6)
    for row in found.cells:
        assert row[0].std <= float(str(row[0])) < row[0].std + 0.01
    assert "36.31" in str(found)


def test_more_discrete_gaussian_noise_may_cost_more():
    """The profile by summation at 50 digits rises with the std; printed numbers suffice, also where
    a calibration finds the smaller of two ranges of stds.
    """
    epsilon, limit = oracles.mpmath.mpf(5), oracles.mpmath.mpf("0.01")

    def cost(std):
        variance = oracles.mpmath.mpf(std) ** 2
        masses = {x: oracles.mpmath.exp(-(x**2) / (2 * variance)) for x in range(-30, 31)}
        over = ((2 * x + 1) / (2 * variance) - epsilon for x in masses)
        gained = (
            mass * (1 - oracles.mpmath.exp(-most))
            for mass, most in zip(masses.values(), over, strict=True)
            if most > 0
        )
        return sum(gained) / sum(masses.values())

    target = dp.ApproxDP(5, "0.01")
    with oracles.mpmath.workdps(50):
        assert cost("0.32") < limit < cost("0.4") > limit > cost("0.55")
        for std, near in (("0.64", "0.316"), (1, "0.544")):
            text = repr(dp.calibrate(dp.DiscreteGaussian(std=std), target=target))
            printed = text.split("std=")[1].split(")")[0]
            assert abs(Fraction(printed) - Fraction(near)) < 0.001
            assert cost(printed) <= limit
        options = {"epsilon": 5, "delta": "0.01", "accountant": "numeric"}
        (row,) = dp.compare(dp.DiscreteGaussian.concentrated, **options).needs
        assert cost(str(row[0])) <= limit


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
    """At 3 the classical std is enough, at 10 it is not."""
    found = stds(compare(CLASSICAL, ULLMAN, ANALYTIC, epsilon=EPSILONS, delta="1e-6"))
    assert found["classical", 3.0]["suffices"]
    assert not found["classical", 3.0]["valid"]
    assert found["classical", 10.0]["suffices"] is False
    text = str(compare(CLASSICAL, ULLMAN, ANALYTIC, epsilon=EPSILONS, delta="1e-6"))
    assert "not valid (1.77)" in text
    assert "not valid (0.530, too small)" in text


def test_how_far_each_formula_is_enough():
    """Rule F1, rounded down: 8.78 and 9.73 at delta = 1e-6."""
    comparison = compare(epsilon=1, delta="1e-6")
    reach = [theorem.reach for theorem in comparison.theorems]
    assert reach[0] == (pytest.approx(8.782, abs=1e-3),)
    assert reach[1] == (pytest.approx(9.733, abs=1e-3),)
    assert reach[2:] == [()] * 4
    assert "epsilon = 8.782" in " ".join(str(comparison).split())
    assert "epsilon = 9.732" in " ".join(str(comparison).split())
    for theorem, calibration in zip(comparison.theorems[:2], (CLASSICAL, ULLMAN), strict=True):
        reach = Fraction(*theorem.reach)
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
    real = (CLASSICAL, ULLMAN, ANALYTIC, dp.Laplace.pure)
    one = compare(*real, epsilon=EPSILONS, delta="1e-6").records()
    two = compare(*real, epsilon=EPSILONS, delta="1e-6", sensitivity=2).records()
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
        {"setting": dp.Setting(X=dp.Rows(norm=1), relation=dp.ADD_REMOVE)},
        {"delta": []},
        {"epsilon": 0},
        {"epsilon": []},
        {"epsilon": [[1]]},
        {"epsilon": float("nan")},
        {"epsilon": "x"},
        {"delta": 0},
        {"delta": 1},
        {"sensitivity": 0},
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


@pytest.mark.parametrize(
    ("noise", "call"),
    [
        (dp.Laplace, "dp.compare(dp.Laplace.pure)"),
        (dp.Laplace(scale=2), "dp.compare(dp.Laplace.pure)"),
        ("laplace", "dp.compare(dp.Laplace.pure)"),
        (dp.L2Laplace, "dp.compare(dp.L2Laplace.pure)"),
        (
            dp.Gaussian,
            "dp.compare(dp.Gaussian.classical, dp.Gaussian.kamath_ullman, dp.Gaussian.analytic)",
        ),
    ],
    ids=str,
)
def test_noise_is_answered_with_the_call_that_compares_it(noise, call):
    """And the call does."""
    with pytest.raises(dp.InvalidArgument, match="Name its theorem") as caught:
        compare(noise)
    assert caught.value.way_out == f"Name its theorem: {call}."
    eval(call, {"dp": dp})


def test_pairs_are_rows_as_they_are_given():
    """Not every combination; once, and in pairs."""
    comparison = compare(ANALYTIC, pairs=[(1, "1e-6"), ("3", "1e-5")])
    assert [(r["epsilon"], r["delta"]) for r in comparison.records()] == [(1, 1e-6), (3, 1e-5)]
    apart = [compare(ANALYTIC, epsilon=e, delta=d).records() for e, d in ((1, "1e-6"), (3, "1e-5"))]
    assert comparison.records() == [*apart[0], *apart[1]]
    assert (
        dp.compare(dp.SSP(), pairs=[(1, "1e-6")]).records()
        == dp.compare(dp.SSP(), epsilon=1, delta="1e-6").records()
    )
    for given in ({"epsilon": 1}, {"delta": "1e-5"}):
        with pytest.raises(dp.InvalidArgument, match="pairs must be left out"):
            compare(pairs=[(1, "1e-6")], **given)
    for pairs in ([], (1, "1e-6"), [(1,)], "1,1e-6", 3):
        with pytest.raises(dp.InvalidArgument, match="pairs of an epsilon and a delta"):
            compare(pairs=pairs)


def test_several_numbers_together():
    """Gaussian noise stays; Laplace's sensitivity is sqrt(d) times that in 2-norm, L2Laplace's std
    of each number sqrt((d + 1)/2) times that of one.
    """
    names = (ANALYTIC, dp.Laplace.pure, dp.L2Laplace.pure)
    one = [r["std"] for r in compare(*names, epsilon=1, delta="1e-6", sensitivity=3).records()]
    many = [
        r["std"]
        for r in compare(*names, epsilon=1, delta="1e-6", sensitivity=3, dimension=7).records()
    ]
    assert np.divide(many, one) == pytest.approx([1, 7**0.5, 2])
    text = str(compare(*names, dimension=7))
    assert "for each of 7 numbers" in text
    assert "at most sqrt(7) times that in 2-norm" in text
    for given in ({"dimension": 0}, {"dimension": 1.5}, {"times": 0}, {"times": True}):
        with pytest.raises(dp.InvalidArgument, match="a whole number of at least 1"):
            compare(**given)


# ------------------------------------------------------------------- Several releases together
def rows_of(comparison):
    """Records by noise and accountant."""
    return {(one["noise"], one["accountant"]): one for one in comparison.records()}


def test_releases_together_by_every_accountant():
    """Five numbers ten times: each std is enough by the accountant that it is named after, and a
    part in a million less is not; equal parts of the budget are the theorems' own.
    """
    target = dp.ApproxDP(1, "1e-6")
    real = (ANALYTIC, CLASSICAL, dp.Laplace.pure, dp.L2Laplace.pure)
    found = rows_of(compare(*real, epsilon=1, delta="1e-6", dimension=5, times=10))
    assert found["Gaussian", "gaussian"]["std"] == pytest.approx(
        float(oracles.sigma_of(1, Fraction(1, 10**6))) * 10**0.5, rel=1e-9
    )
    stds = {"Gaussian": 1, "Laplace": 2**0.5, "L2Laplace": 6**0.5}  # at scale 1, of five numbers
    kinds = {"Gaussian": dp.Gaussian, "Laplace": dp.Laplace, "L2Laplace": dp.L2Laplace}
    moved = {"Gaussian": 1, "L2Laplace": 1, "Laplace": 5**0.5}
    for (noise, accountant), record in found.items():
        kind, _, theorem = noise.partition(".")
        size = Fraction(record["std"]) / Fraction(stds[kind] * moved[kind])
        if theorem:
            (alone,) = compare(
                getattr(kinds[kind], theorem), epsilon="0.1", delta="1e-7", dimension=5
            ).records()
            assert alone["std"] == record["std"]
            parts = [(dp.ApproxDP("0.1", "1e-7"), 10)]
            assert dp.compose(*parts, accountant="basic").epsilon("1e-6").upper <= 1
        else:
            for factor, enough in ((1 + 1e-9, True), (1 - 1e-6, False)):
                mechanism = kinds[kind](float(size) * factor)
                spent = dp.compose((mechanism, 10), accountant=accountant).delta(1).upper
                assert (spent <= float(target.delta.value)) is enough, (noise, accountant, factor)
    assert {name for _, name in found} == {"basic", "gaussian", "zcdp", "numeric", "optimal", "rdp"}
    least = min(one["std"] for one in found.values())
    assert all(one["ratio"] == pytest.approx(one["std"] / least) for one in found.values())


def test_accountants_named_twice_stand_once():
    """Where `auto` is one of the others, too."""
    found = compare(epsilon=1, delta="1e-6", accountant=["auto", "numeric", "zcdp", "zcdp"])
    names = [one.accountant for one in found.methods if one.noise == "Laplace"]
    assert names == ["numeric", "zcdp"]


def test_the_table_of_releases_together():
    """A column for each pair, the least first; as text, HTML and a data frame."""
    pairs = [(1, "1e-6"), (3, "1e-5")]
    found = compare(
        pairs=pairs, times=100, accountant=["gaussian", dp.accountants.BasicAccountant()]
    )
    text = str(found)
    assert text.splitlines()[0].startswith("Noise std of one number released 100 times")
    head = ["noise", "accountant", "(1, 1e-6)", "ratio", "(3, 1e-5)", "ratio"]
    assert text.splitlines()[2].split("  ", 1)[1].split() == " ".join(head).split()
    assert text.splitlines()[3].split()[:4] == ["Gaussian", "gaussian", "42.25", "1.000"]
    assert max(map(len, text.splitlines())) <= 100
    assert max(map(len, compare(ANALYTIC, dp.Laplace.pure, times=10).text(72).splitlines())) <= 72
    assert found._repr_html_().count("<tr") == 1 + len(found.methods)
    frame = found.summary_frame()
    assert list(frame["std"]) == [one["std"] for one in found.records()]
    assert len(frame) == 2 * len(found.methods)
    assert json.loads(json.dumps(found.records(), allow_nan=False)) == found.records()
    assert len(compare(epsilon=[1, 2], delta="1e-6").summary_frame()) == 12


def test_a_theorem_outside_its_hypothesis_is_in_brackets():
    """A tenth of epsilon = 10 is 1: the classical theorem holds below."""
    found = compare(epsilon=["9.9", 10], delta="1e-6", times=10, accountant="basic")
    valid = [r["valid"] for r in found.records() if r["noise"] == "Gaussian.classical"]
    assert valid == [True, False]
    assert "(5.717)" in str(found)


def test_noise_in_whole_numbers_is_composed_at_whole_sensitivities():
    """L2 at most 1 for five whole numbers: one of them moves, by 1."""
    found = rows_of(compare(dp.DiscreteLaplace.pure, epsilon=1, delta="1e-6", dimension=5, times=3))
    std = found["DiscreteLaplace", "numeric"]["std"]
    scale = dp.calibrate(
        (dp.DiscreteLaplace(scale=1), 3), target=dp.ApproxDP(1, "1e-6"), sensitivity=1
    ).factor
    a = np.exp(-1 / float(scale))
    assert std == pytest.approx(np.sqrt(2 * a) / (1 - a), rel=1e-9)
    assert rows_of(compare(dp.DiscreteGaussian.concentrated, epsilon=1, times=3))[
        "DiscreteGaussian", "zcdp"
    ]["std"] == pytest.approx(7.848, abs=1e-3)


@pytest.mark.parametrize("dimension", [1, 2, 3, 4])
def test_the_largest_move_of_whole_numbers(dimension):
    """The L1 sensitivity of d whole numbers, by trying all vectors: no vector moves further, and
    one moves as far.
    """
    for square in range(1, 19):
        steps = range(math.isqrt(square) + 1)
        moves = [
            v for v in itertools.product(steps, repeat=dimension) if sum(x * x for x in v) <= square
        ]
        assert largest_sum(dimension, square) == max(map(sum, moves))
    (record,) = compare(dp.DiscreteLaplace.pure, epsilon=1, dimension=20).records()
    a = mpmath.exp(-1)
    assert record["std"] == pytest.approx(float(mpmath.sqrt(2 * a) / (1 - a)))
    with pytest.raises(dp.InvalidArgument, match="at least 1 for DiscreteLaplace"):
        compare(dp.DiscreteLaplace.pure, sensitivity="1/2")
    assert len(compare(epsilon=1, sensitivity="1/2").records()) == 4  # without discrete noise


def test_without_calibrations_every_kind_of_noise_is_shown():
    """Laplace noise is a third of Gaussian noise at (1, 1e-6)."""
    text = str(compare(pairs=[(1, "1e-6"), ("0.1", "1e-8")]))
    for name in ("Gaussian.analytic", "Laplace.pure", "DiscreteLaplace.pure"):
        assert name in text
    assert max(map(len, text.splitlines())) <= 100
    assert "[CanonneKS20, Prop 12]" in text  # the conversion of zCDP that needs less noise
    assert str(compare()).count("Laplace.pure") > 1
    assert len(str(compare(epsilon=range(1, 12))).splitlines()) > 66  # a line for each point
    composed = {noise for noise, _ in rows_of(compare(epsilon=1, times=3))}
    assert {"Laplace", "DiscreteLaplace", "DiscreteGaussian"} <= composed


def test_the_picture_of_pairs():
    """A dot for each pair, and no curve."""
    axes = axes_of(compare(CLASSICAL, ANALYTIC, pairs=[(1, "1e-6"), ("0.1", "1e-8"), (8, "1e-5")]))
    assert {len(line.get_xdata()) for line in axes.lines} <= {0, 2, 3}
    assert "(0.1, 1e-8)" in axes.get_title()


def test_an_unknown_accountant_is_named():
    """Of a list, too."""
    refused = CliRunner().invoke(app, ["compare", "--accountant", "prv", "--times", "3"])
    assert "got 'prv'" in refused.stderr
    names = ["gaussian.classical", "Gaussian.analytic"]
    shown = CliRunner().invoke(app, ["compare", *names, "--epsilon", "0.5"])
    assert shown.stdout.strip() == str(compare(CLASSICAL, ANALYTIC, epsilon="0.5")).strip()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: dp.compare(dp.SSP(), times=3), r"dp.release\(..., times=10\)"),
        (lambda: dp.compare(dp.SSP(), accountant="zcdp"), "dp.audit compares"),
        (lambda: dp.compare(dp.SSP(), dimension=3), "follows from the statistics"),
        (lambda: compare(accountant="gausian"), "Did you mean 'gaussian'"),
        (lambda: compare(dp.Laplace.pure, accountant="gaussian"), "one that adds Laplace noise"),
        (lambda: compare(dp.mechanisms.PermuteAndFlipSelection.pure, dimension=2), "in L1 or L2"),
    ],
)
def test_what_does_not_fit_is_refused(call, says):
    """With a way out."""
    with pytest.raises(dp.InvalidArgument, match=says):
        call()


def test_the_picture_of_releases_together():
    """A row for each method, each pair named once, names apart."""
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib import pyplot as plt

    found = compare(pairs=[(1, "1e-6"), (3, "1e-5")], dimension=5, times=10)
    axes = found.plot()
    axes.figure.canvas.draw()
    assert [text.get_text() for text in axes.texts] == ["(1, 1e-6)", "(3, 1e-5)"]
    names = [text.get_text() for text in axes.get_yticklabels()]
    assert names == [f"{one.noise}, {one.accountant}" for one in found.methods]
    dots = [point for line in axes.lines for point in line.get_xydata().tolist()]
    stds = [
        [r["std"], float(names.index(f"{r['noise']}, {r['accountant']}"))] for r in found.records()
    ]
    assert sorted(dots) == sorted(stds)
    ticks = [text.get_window_extent() for text in axes.get_xticklabels()]
    assert not any(a.overlaps(b) for a, b in itertools.pairwise(ticks))
    plt.close("all")


def test_names_of_lines_do_not_overlap():
    """Six lines and the least std, each with its name where it begins."""
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib import pyplot as plt

    axes = compare(epsilon=["0.1", 10], delta=["1e-3", "1e-6", "1e-9"]).plot()
    axes.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in axes.texts]
    assert len(boxes) == 7
    for place, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[place + 1 :])
    with plt.style.context("dark_background"):
        dark = compare(epsilon=["0.1", 10]).plot()
        least = next(line for line in dark.lines if line.get_label().startswith("analytic"))
        assert least.get_color() == plt.rcParams["text.color"] == "white"
    plt.close("all")


def test_the_command_composes():
    """As the call does."""
    options = ["-d", "5", "--times", "10", "--pair", "1,1e-6", "--accountant", "gaussian,basic"]
    shown = CliRunner().invoke(app, ["compare", *options])
    assert shown.exit_code == 0
    call = compare(pairs=[(1, "1e-6")], dimension=5, times=10, accountant=["gaussian", "basic"])
    assert shown.stdout.strip() == str(call).strip()
    for wrong, says in (
        (["--pair", "1"], "an epsilon and its delta"),
        (["SSP", "--times", "2"], "dpframe audit NAME shows the noise of a regression"),
    ):
        refused = CliRunner().invoke(app, ["compare", *wrong])
        assert refused.exit_code == 2
        assert says in refused.stderr


def test_records_are_json():
    """Without infinities."""
    records = compare(epsilon=EPSILONS, delta="1e-6").records()
    assert json.loads(json.dumps(records, allow_nan=False)) == records


def test_the_table_fits_a_page():
    """100 columns."""
    text = str(compare(epsilon=EPSILONS, delta="1e-6"))
    assert max(map(len, text.splitlines())) <= 100


def axes_of(comparison, **options):
    """A picture that nobody sees."""
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib import pyplot as plt

    _, axes = plt.subplots()
    assert comparison.plot(axes, **options) is axes
    plt.close("all")
    return axes


def drawn(axes):
    """Label, x and y of each solid line that has points."""
    lines = [line for line in axes.lines if line.get_linestyle() == "-" and len(line.get_xdata())]
    return {line.get_label(): (np.array(line.get_xdata()), line.get_ydata()) for line in lines}


def test_the_picture_shows_the_ratio_and_shades_where_the_classical_theorem_does_not_hold():
    """Solid lines end where their theorems do: classical below 1, kamath_ullman at 4 log 2."""
    axes = axes_of(compare(epsilon=["0.1", 10], delta="1e-6"))
    lines = drawn(axes)
    assert set(lines) == {"analytic: the least", "classical", "kamath_ullman"}
    for name, end in (("classical", 1), ("kamath_ullman", 4 * np.log(2))):
        at, ratio = lines[name]
        assert len(at) > 50
        assert (np.isfinite(ratio) == (at < end)).all()
        sigma = oracles.sigma_of(Fraction(1, 10), Fraction(1, 10**6))
        constant = oracles.mpmath.sqrt(2 * oracles.mpmath.log(1_250_000))
        if name == "classical":
            assert ratio[0] == pytest.approx(float(constant * 10 / sigma), rel=1e-12)
    (shade,) = axes.patches
    assert shade.get_x() == 1
    assert any("does not hold" in text.get_text() for text in axes.get_legend().get_texts())


def test_the_picture_of_several_deltas():
    """A line each; for one epsilon they are the axis."""
    several = compare(CLASSICAL, epsilon=["0.1", "0.9"], delta=["1e-3", "1e-6"])
    lines = drawn(axes_of(several))
    assert set(lines) == {f"classical, delta = {one}" for one in ("0.001", "1e-6")} | {
        "analytic: the least"
    }
    axes = axes_of(compare(CLASSICAL, epsilon="0.5", delta=["1e-3", "1e-6"]))
    assert axes.get_xlabel() == "delta"
    assert not axes.patches
    at, ratio = drawn(axes)["classical"]
    assert (np.diff(at) > 0).all()
    assert (np.diff(ratio) > 0).all()


def test_the_picture_of_stds():
    """Logarithmic, with the exact one."""
    axes = axes_of(compare(CLASSICAL, ULLMAN, ANALYTIC, epsilon=EPSILONS), of="std")
    assert set(drawn(axes)) == {"classical", "kamath_ullman", "analytic"}
    assert axes.get_yscale() == "log"
    lines = drawn(axes_of(compare(dp.Laplace.pure, epsilon=EPSILONS, delta="1e-6")))
    assert set(lines) == {"Laplace.pure"}  # stds, since only Gaussian noise has a ratio
    with pytest.raises(dp.InvalidArgument, match="ratio"):
        axes_of(compare(epsilon=1, delta="1e-6"), of="variance")


def test_a_missing_matplotlib_is_named(monkeypatch):
    """With the extra that brings it."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(dp.errors.MissingExtra, match="plots"):
        compare(epsilon=1, delta="1e-6").plot()


def test_without_arguments_it_is_the_table_of_the_manual():
    """Four epsilons at delta = 1e-6."""
    assert str(dp.compare()) == str(compare(epsilon=EPSILONS, delta="1e-6"))
    assert dp.compare().plot  # as it is


def test_the_ratio_is_a_column():
    """Of stds, by the profile at 50 digits; in brackets outside the theorem."""
    found = stds(compare(epsilon=EPSILONS, delta="1e-6"))
    for epsilon in EPSILONS:
        sigma = oracles.sigma_of(Fraction(epsilon), Fraction(1, 10**6))
        constant = oracles.mpmath.sqrt(2 * oracles.mpmath.log(1_250_000))
        ratio = float(constant / oracles.mpf(Fraction(epsilon)) / sigma)
        assert found["classical", float(epsilon)]["ratio"] == pytest.approx(ratio, rel=1e-12)
    text = str(compare(CLASSICAL, ULLMAN, ANALYTIC, epsilon=EPSILONS, delta="1e-6"))
    for part in (" 1.460 ", " 1.264 ", " (1.144) ", " (0.979) "):
        assert part in text
    assert compare(dp.Laplace.pure, epsilon=1, delta="1e-6").records()[0]["ratio"] is None


def test_every_pair_of_epsilon_and_delta_is_a_row():
    """In order, with a column for delta and the reach at each."""
    three = (CLASSICAL, ULLMAN, ANALYTIC)
    comparison = compare(*three, epsilon=["0.1", 1], delta=["1e-3", "1e-6"])
    assert [(r["epsilon"], r["delta"]) for r in comparison.records()[::3]] == [
        (0.1, 1e-3),
        (1.0, 1e-3),
        (0.1, 1e-6),
        (1.0, 1e-6),
    ]
    for delta in ("1e-3", "1e-6"):
        alone = compare(*three, epsilon=["0.1", 1], delta=delta).records()
        assert alone == [r for r in comparison.records() if r["delta"] == float(delta)]
    text = " ".join(str(comparison).split())
    assert "epsilon = 7.463 at delta = 0.001, 8.782 at delta = 1e-6, by" in text
    assert max(map(len, str(comparison).splitlines())) <= 100


def test_a_notebook_shows_a_table():
    """With what the text has, and nothing unescaped."""
    shown = compare(epsilon=EPSILONS, delta="1e-6")._repr_html_()
    assert shown.count("<table") == 1
    assert ">1.460</td>" in shown
    assert "epsilon &lt; 1" in shown


# ------------------------------------------------------------ dp.audits.difference and dpframe diff
ONE = dp.ApproxDP(1, "1e-6")


def certificate(regression=None, *, target=ONE, norm=1, bound=1, relation=dp.ADD_REMOVE):
    """A certificate of adaSSP, unless said otherwise."""
    setting = dp.Setting(X=dp.Rows(norm=norm), y=dp.Column(bound=bound), relation=relation)
    return dp.certify(regression or dp.AdaSSP(), target=target, setting=setting)


def places(found):
    """Where something changed."""
    return [change.place for change in found.changes]


def test_a_certificate_is_the_same_as_itself_and_as_its_file():
    """No change, and equal hashes."""
    one = certificate()
    found = dp.audits.difference(one, json.loads(json.dumps(one.document)))
    assert found.same
    assert found.changes == ()
    assert str(found).endswith("the same certificate")


def test_one_number_is_told_once():
    """A wider bound on rows is one change of a clip, and one for the noise that it needs."""
    found = dp.audits.difference(certificate(), certificate(norm=2))
    assert "norm of clip_norm(X)" in places(found)
    assert sum("clip_norm(X)" == place for place in places(found)) == 0
    noise = next(change for change in found.changes if change.place.startswith("noise of gram"))
    assert noise.note == "4.000 times"
    assert not found.same


def test_claims_and_assumptions():
    """epsilon, and the unit of privacy."""
    found = dp.audits.difference(
        certificate(), certificate(target=dp.ApproxDP(2, "1e-6"), relation=dp.REPLACE_ONE)
    )
    told = {change.place: (change.before, change.after) for change in found.changes}
    assert told["relation"] == ("add_remove", "replace_one")
    assert told["claim"][1] == "(epsilon, delta) = (2, 1e-6)"
    assert any(place == "assumption" for place in told)


def test_releases_come_and_go():
    """adaSSP releases a smallest eigenvalue that SSP does not."""
    found = dp.audits.difference(certificate(dp.SSP()), certificate(dp.AdaSSP()))
    added = [change for change in found.changes if not change.before]
    assert any(change.place.startswith("floor(lambda_min(") for change in added)
    assert str(found).count("\n+") + str(found).count("  +") >= 1


def test_every_field_of_a_node_is_compared():
    """Whatever a file says otherwise is told, field by field."""
    one = certificate().document
    for k, node in enumerate(one["graph"]["nodes"]):
        for key in set(node) - {"id", "kind", "inputs", "name"}:
            other = json.loads(json.dumps(one))
            other["graph"]["nodes"][k][key] = "7"
            other["hash"] = "0" * 64
            assert dp.audits.difference(one, other).changes, (node["kind"], key)


@pytest.mark.parametrize("bad", [None, [], {}, {"statement": 1}, "text", 3])
def test_what_is_no_certificate_is_refused(bad):
    """With its argument named."""
    with pytest.raises(dp.InvalidArgument, match="second"):
        dp.audits.difference(certificate(), bad)


@pytest.mark.parametrize("key", ["statement", "graph", "assumptions"])
def test_a_broken_document_is_refused(key):
    """It never fails in another way."""
    broken = {**certificate().document, key: 5, "hash": "x"}
    with pytest.raises(dp.InvalidArgument):
        dp.audits.difference(certificate(), broken)


def test_the_command_checks_both_files_first(tmp_path):
    """0 the same, 1 different, 2 unreadable; a forged file is complained of."""
    first, second, forged = (tmp_path / name for name in ("a.json", "b.json", "c.json"))
    certificate().save(first)
    certificate(norm=2).save(second)
    document = json.loads(first.read_text())
    document["graph"]["nodes"][1]["norm"] = "9"
    forged.write_text(json.dumps(document))
    run = CliRunner().invoke
    assert run(app, ["diff", str(first), str(first)]).exit_code == 0
    told = run(app, ["diff", str(first), str(second)])
    assert told.exit_code == 1
    assert "~ bounds of X, norm: 1 -> 2" in told.stdout
    records = json.loads(run(app, ["diff", str(first), str(second), "--json"]).stdout)
    assert records["same"] is False
    assert run(app, ["diff", str(first), str(tmp_path)]).exit_code == 2
    assert "not accepted by the checker" in run(app, ["diff", str(first), str(forged)]).stderr
