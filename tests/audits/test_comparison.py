"""Noise side by side: by calibrations and by accountants."""

import itertools
import json
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from typer.testing import CliRunner

import dpframe as dp
from dpframe.audits import compare
from dpframe.audits.calibrations_compared import largest_sum
from dpframe.cli import app
from tests.support import oracles

CLASSICAL, ULLMAN, ANALYTIC = dp.Gaussian.classical, dp.Gaussian.kamath_ullman, dp.Gaussian.analytic
THREE = (CLASSICAL, ULLMAN, ANALYTIC)
SMALL = Fraction(1, 10**6)
EPSILONS = ["0.1", "0.9", 3, 10]


def by(comparison, *names):
    """Records by these of their fields."""
    return {tuple(one[name] for name in names): one for one in comparison.records()}


def stds(*calibrations, **options):
    """Records of calibrations by their names and epsilon."""
    return by(compare(*calibrations, **{"epsilon": EPSILONS, **options}), "calibration", "epsilon")


def classical(epsilon, delta=SMALL):
    """The std of the classical theorem at sensitivity 1, by mpmath."""
    failure = oracles.mpf(delta)
    return mpmath.sqrt(2 * mpmath.log(mpmath.mpf("1.25") / failure)) / oracles.mpf(epsilon)


def refusals(*cases):
    """Calls that are refused, each with what the refusal says."""
    return pytest.mark.parametrize(("call", "says"), cases)


# ------------------------------------------------------------------------ Calibrations side by side
def test_numbers_are_those_of_the_theorems_rounded_up():
    """By mpmath: within two doubles above, and as printed; the ratio is to the exact profile."""
    found = compare(CLASSICAL, ANALYTIC, epsilon=EPSILONS)
    records = by(found, "calibration", "epsilon")
    with mpmath.workdps(60):
        for epsilon in map(Fraction, EPSILONS):
            least = oracles.sigma_of(epsilon, SMALL)
            for name, true in (("classical", classical(epsilon)), ("analytic", least)):
                record = records[f"Gaussian.{name}", float(epsilon)]
                assert true <= record["std"] <= true * (1 + 1e-15)
                assert record["ratio"] == pytest.approx(float(true / least), rel=1e-12)
    for method in found.methods:
        for cell in method.cells:
            printed = float(str(cell).strip("()").partition(",")[0])
            assert cell.std <= printed < cell.std + 0.01
    for part in ("52.99", "36.31", " 1.460 ", " 1.264 ", " (1.144) ", " (0.979)"):
        assert part in str(found)


def test_more_discrete_gaussian_noise_may_cost_more():
    """The profile by summation at 50 digits rises with the std; printed numbers suffice, also where
    a calibration finds the smaller of two ranges of stds.
    """
    epsilon, limit = mpmath.mpf(5), mpmath.mpf("0.01")

    def cost(std):
        variance = mpmath.mpf(std) ** 2
        masses = {x: mpmath.exp(-(x**2) / (2 * variance)) for x in range(-30, 31)}
        over = ((2 * x + 1) / (2 * variance) - epsilon for x in masses)
        pairs = zip(masses.values(), over, strict=True)
        gained = (mass * (1 - mpmath.exp(-most)) for mass, most in pairs if most > 0)
        return sum(gained) / sum(masses.values())

    target = dp.ApproxDP(5, "0.01")
    with mpmath.workdps(50):
        assert cost("0.32") < limit < cost("0.4") > limit > cost("0.55")
        for std, near in (("0.64", "0.316"), (1, "0.544")):
            text = repr(dp.calibrate(dp.DiscreteGaussian(std=std), target=target))
            printed = text.split("std=")[1].split(")")[0]
            assert abs(Fraction(printed) - Fraction(near)) < 0.001
            assert cost(printed) <= limit
        options = {"epsilon": 5, "delta": "0.01", "accountant": "numeric"}
        (row,) = compare(dp.DiscreteGaussian.concentrated, **options).methods
        assert cost(str(row.cells[0])) <= limit


def test_hypotheses_are_strict_where_the_theorem_is():
    """The classical theorem ends before 1; kamath_ullman reaches 1 and, by rule E1, 4 log 2."""
    ends = ["0.999999999999", 1, "1.000000001", "2.772588", "2.772589"]
    rows = compare(CLASSICAL, ULLMAN, epsilon=ends).methods
    valid = [[cell.valid for cell in row.cells] for row in rows]
    assert valid == [[True, False, False, False, False], [True, True, True, True, False]]


def test_beyond_the_theorem_the_number_is_shown_and_judged():
    """At 3 the classical std is enough, at 10 it is not, by the exact profile."""
    found = stds(*THREE)
    at = [found["Gaussian.classical", epsilon] for epsilon in (0.9, 3.0, 10.0)]
    assert [one["suffices"] for one in at] == [True, True, False]
    assert [one["valid"] for one in at] == [True, False, False]
    text = str(compare(*THREE, epsilon=EPSILONS))
    assert "(1.767)" in text
    assert "(0.530, too small)" in text


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
    assert len(compare(ANALYTIC, epsilon=epsilon, delta=1e-6).points) == 1


def test_sensitivity_scales_every_std():
    """Twice the sensitivity, twice the noise."""
    one, two = (stds(*THREE, dp.Laplace.pure, sensitivity=size) for size in (1, 2))
    for key, record in one.items():
        changed = {"std": pytest.approx(2 * record["std"]), "sensitivity": 2}
        assert two[key] == {**record, **changed, "ratio": two[key]["ratio"]}
    assert one["Laplace.pure", 3.0]["std"] == pytest.approx(2**0.5 / 3)
    assert one["Laplace.pure", 3.0]["ratio"] is None


def test_points_are_combinations_or_pairs():
    """Every epsilon with every delta, in order; or pairs as they are given."""
    grid = compare(*THREE, epsilon=["0.1", 1], delta=["1e-3", "1e-6"])
    points = [(0.1, 1e-3), (1.0, 1e-3), (0.1, 1e-6), (1.0, 1e-6)]
    assert [(one["epsilon"], one["delta"]) for one in grid.records()[::3]] == points
    for delta in ("1e-3", "1e-6"):
        alone = compare(*THREE, epsilon=["0.1", 1], delta=delta).records()
        assert alone == [one for one in grid.records() if one["delta"] == float(delta)]
    pairs = compare(ANALYTIC, pairs=[(1, "1e-6"), ("3", "1e-5")]).records()
    apart = [compare(ANALYTIC, epsilon=e, delta=d).records() for e, d in ((1, "1e-6"), (3, "1e-5"))]
    assert pairs == [*apart[0], *apart[1]]


def test_several_numbers_together():
    """Gaussian noise stays; Laplace's sensitivity is sqrt(d) times that in 2-norm, L2Laplace's std
    of each number sqrt((d + 1)/2) times that of one.
    """
    names = (ANALYTIC, dp.Laplace.pure, dp.L2Laplace.pure)
    one, many = (
        [r["std"] for r in compare(*names, epsilon=1, sensitivity=3, dimension=d).records()]
        for d in (1, 7)
    )
    assert np.divide(many, one) == pytest.approx([1, 7**0.5, 2])
    text = str(compare(*names, dimension=7))
    assert "for each of 7 numbers" in text
    assert "at most sqrt(7) times that in 2-norm" in text


# ----------------------------------------------------------------------- Several releases together
def test_releases_together_by_every_accountant():
    """Five numbers ten times: each std is enough by the accountant that it is named after, and a
    part in a million less is not; equal parts of the budget are the theorems' own.
    """
    target = dp.ApproxDP(1, "1e-6")
    real = (ANALYTIC, CLASSICAL, dp.Laplace.pure, dp.L2Laplace.pure)
    found = by(compare(*real, epsilon=1, dimension=5, times=10), "noise", "accountant")
    assert found["Gaussian", "gaussian"]["std"] == pytest.approx(
        float(oracles.sigma_of(1, SMALL)) * 10**0.5, rel=1e-9
    )
    stds = {"Gaussian": 1, "Laplace": 2**0.5, "L2Laplace": 6**0.5}  # at scale 1, of five numbers
    kinds = {"Gaussian": dp.Gaussian, "Laplace": dp.Laplace, "L2Laplace": dp.L2Laplace}
    moved = {"Gaussian": 1, "L2Laplace": 1, "Laplace": 5**0.5}
    for (noise, accountant), record in found.items():
        kind, _, theorem = noise.partition(".")
        alike = kind == "Laplace" and accountant in {"rdp", "zcdp"}  # each number moves by 5^-1/2
        count, move = (50, 5**-0.5) if alike else (10, moved[kind])
        size = Fraction(record["std"]) / Fraction(stds[kind] * move)
        if theorem:
            calibration = getattr(kinds[kind], theorem)
            (alone,) = compare(calibration, epsilon="0.1", delta="1e-7", dimension=5).records()
            assert alone["std"] == record["std"]
            parts = [(dp.ApproxDP("0.1", "1e-7"), 10)]
            assert dp.compose(*parts, accountant="basic").epsilon("1e-6").upper <= 1
        else:
            for factor, enough in ((1 + 1e-9, True), (1 - 1e-6, False)):
                mechanism = kinds[kind](float(size) * factor)
                spent = dp.compose((mechanism, count), accountant=accountant).delta(1).upper
                assert (spent <= float(target.delta.value)) is enough, (noise, accountant, factor)
    assert {name for _, name in found} == {"basic", "gaussian", "zcdp", "numeric", "optimal", "rdp"}
    least = min(one["std"] for one in found.values())
    assert all(one["ratio"] == pytest.approx(one["std"] / least) for one in found.values())


def test_laplace_noise_costs_most_where_all_numbers_move_alike():
    """By Renyi divergences; the numeric accountant has an upper bound, and says so."""
    rdp, numeric = (
        compare(dp.Laplace.pure, epsilon=1, dimension=10, times=20, accountant=[name])
        for name in ("rdp", "numeric")
    )
    (need,), (enough,) = rdp.records(), numeric.records()
    assert need["std"] < enough["std"] / 2
    assert enough["above"]
    assert "<= 77.73" in str(numeric)
    assert "less may be" in str(numeric)
    assert "above" not in need
    scale, rng = Fraction(need["std"]) / Fraction(2**0.5), np.random.default_rng(0)
    for _ in range(20):
        move = np.abs(rng.standard_normal(10)) ** rng.uniform(0.1, 4)
        parts = [Fraction(float(one)) for one in move / np.linalg.norm(move) * (1 - 1e-9)]
        moved = dp.compose(*((dp.Laplace(scale).loss(one), 20) for one in parts), accountant="rdp")
        assert moved.epsilon("1e-6").upper <= 1 + 1e-6


def test_whole_numbers_have_whole_sensitivities():
    """One whole number does not move by 3/2."""
    rows = compare(sensitivity="3/2", epsilon=1, times=2).records()
    assert not [one for one in rows if one["noise"].startswith("Discrete")]
    with pytest.raises(dp.InvalidArgument, match="a whole number of 1 or more"):
        compare(dp.DiscreteLaplace.pure, sensitivity="3/2", times=2)


def test_accountants_named_twice_stand_once():
    """Where `auto` is one of the others, too."""
    found = compare(epsilon=1, accountant=["auto", "numeric", "zcdp", "zcdp"])
    assert [one.by for one in found.methods if one.name == "Laplace"] == ["numeric", "zcdp"]


def test_a_theorem_outside_its_hypothesis_is_in_brackets():
    """A tenth of epsilon = 10 is 1: the classical theorem holds below."""
    found = compare(epsilon=["9.9", 10], times=10, accountant="basic")
    valid = [r["valid"] for r in found.records() if r["noise"] == "Gaussian.classical"]
    assert valid == [True, False]
    assert "(5.717)" in str(found)


def test_noise_in_whole_numbers_is_composed_at_whole_sensitivities():
    """L2 at most 1 for five whole numbers: one of them moves, by 1."""
    found = compare(dp.DiscreteLaplace.pure, epsilon=1, dimension=5, times=3)
    std = by(found, "noise", "accountant")["DiscreteLaplace", "numeric"]["std"]
    noise, target = (dp.DiscreteLaplace(scale=1), 3), dp.ApproxDP(1, "1e-6")
    a = np.exp(-1 / float(dp.calibrate(noise, target=target, sensitivity=1).factor))
    assert std == pytest.approx(np.sqrt(2 * a) / (1 - a), rel=1e-9)
    found = compare(dp.DiscreteGaussian.concentrated, epsilon=1, times=3)
    std = by(found, "noise", "accountant")["DiscreteGaussian", "zcdp"]["std"]
    assert std == pytest.approx(7.848, abs=1e-3)


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
    assert len(compare(epsilon=1, sensitivity="1/2").records()) == 4  # without discrete noise


def test_noise_of_one_draw_grows_with_its_numbers():
    """The table says so."""
    alone = compare(dp.L2Laplace.pure, epsilon=1)
    assert "each of m numbers" in str(alone)
    assert alone.records()[0]["std"] == pytest.approx(np.sqrt(2))


# ----------------------------------------------------------------------------------------- Refusals
@pytest.mark.parametrize(
    "changes",
    [
        {"delta": []},
        {"epsilon": 0},
        {"epsilon": []},
        {"epsilon": [[1]]},
        {"epsilon": float("nan")},
        {"epsilon": "x"},
        {"delta": 0},
        {"delta": 1},
        {"sensitivity": 0},
        {"dimension": 0},
        {"dimension": 1.5},
        {"times": 0},
        {"times": True},
    ],
    ids=str,
)
def test_unusable_numbers_are_refused(changes):
    """With dpframe's own error."""
    with pytest.raises(dp.InvalidArgument):
        compare(**{"epsilon": 1, "delta": "1e-6", **changes})


@refusals(
    (lambda: compare(None), r"Gaussian\.analytic"),
    (lambda: compare("analytic"), r"Gaussian\.analytic"),
    (lambda: compare(pairs=[(1, "1e-6")], epsilon=1), "pairs must be left out"),
    (lambda: compare(pairs=[(1, "1e-6")], delta="1e-5"), "pairs must be left out"),
    *(
        (lambda pairs=pairs: compare(pairs=pairs), "pairs of an epsilon and a delta")
        for pairs in ([], (1, "1e-6"), [(1,)], "1,1e-6", 3)
    ),
    (lambda: compare(dp.DiscreteLaplace.pure, sensitivity="1/2"), "1 or more for DiscreteLaplace"),
    (lambda: compare(accountant="gausian"), "Did you mean 'gaussian'"),
    (lambda: compare(dp.Laplace.pure, accountant="gaussian"), "one that adds Laplace noise"),
    (lambda: compare(dp.mechanisms.PermuteAndFlipSelection.pure, dimension=2), "in L1 or L2"),
    (lambda: compare(dp.SSP()), "dp.audit says how much noise"),
)
def test_what_does_not_fit_is_refused(call, says):
    """With a way out."""
    with pytest.raises(dp.InvalidArgument, match=says):
        call()


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


# ---------------------------------------------------------------------- Text, records and pictures
TABLES = {
    "usual": compare,
    "three": lambda: compare(*THREE, epsilon=["0.1", 3, 10]),
    "pairs": lambda: compare(pairs=[(1, "1e-6"), ("0.1", "1e-8")]),
    "many": lambda: compare(epsilon=range(1, 12)),
    "composed": lambda: compare(
        ANALYTIC, dp.Laplace.pure, pairs=[(1, "1e-6"), (3, "1e-5")], times=9
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_every_table_has_its_renderings(name):
    """Text of at most so many columns, a table of HTML, JSON, a data frame."""
    found = TABLES[name]()
    for width in (80, 100):
        assert max(map(len, found.text(width).splitlines())) <= width
    html = found._repr_html_()
    assert html.count("<table") == 1
    assert html.count("<tr ") == 1 + len(found.methods)
    records = found.records()
    assert json.loads(json.dumps(records, allow_nan=False)) == records
    assert list(found.summary_frame()["std"]) == [one["std"] for one in records]


def test_tables_say_what_they_have():
    """Methods as rows, points as columns; what is left out, what is alike, what is compared."""
    text = str(compare(pairs=[(1, "1e-6"), ("0.1", "1e-8")]))
    for name in ("Gaussian.analytic", "Laplace.pure", "DiscreteLaplace.pure"):
        assert name in text
    assert "[CanonneKS20, Prop 12]" in text  # the conversion of zCDP that needs less noise
    assert len(str(compare(epsilon=range(1, 12))).splitlines()) > 66  # a line for each point
    assert str(compare(*THREE)).startswith("Std of Gaussian noise, sensitivity 1, by epsilon")
    assert "[KamathU20, Lem 2.4]" in str(compare(*THREE))
    composed = {one.name for one in compare(epsilon=1, times=3).methods}
    assert {"Laplace", "discrete Laplace", "discrete Gaussian", "L2 Laplace"} <= composed | {
        one.name for one in compare(epsilon=1, dimension=2, times=3).methods
    }
    assert not {"DiscreteLaplace", "DiscreteGaussian"} & composed
    pairs, accountants = [(1, "1e-6"), (3, "1e-5")], ["gaussian", dp.accountants.BasicAccountant()]
    lines = str(compare(pairs=pairs, times=100, accountant=accountants)).splitlines()
    assert lines[0].startswith("Noise std of one number released 100 times")
    head = ["noise", "accountant", "(1, 1e-6)", "ratio", "(3, 1e-5)", "ratio"]
    assert lines[2].split("  ", 1)[1].split() == " ".join(head).split()
    assert lines[3].split()[:4] == ["Gaussian", "gaussian", "42.25", "1.000"]
    assert "epsilon &lt; 1" in compare(CLASSICAL)._repr_html_()


def test_commands_print_what_the_calls_return():
    """By names of theorems, and of accountants; what is wrong is named."""
    run = CliRunner().invoke
    shown = run(app, ["compare", "gaussian.classical", "Gaussian.analytic", "--epsilon", "0.5"])
    assert shown.stdout.strip() == str(compare(CLASSICAL, ANALYTIC, epsilon="0.5")).strip()
    options = ["-d", "5", "--times", "10", "--pair", "1,1e-6", "--accountant", "gaussian,basic"]
    call = compare(pairs=[(1, "1e-6")], dimension=5, times=10, accountant=["gaussian", "basic"])
    assert run(app, ["compare", *options]).stdout.strip() == str(call).strip()
    for wrong, says in (
        (["--pair", "1"], "an epsilon and its delta"),
        (["SSP", "--times", "2"], "dpframe audit NAME shows the noise of a regression"),
        (["--accountant", "prv", "--times", "3"], "got 'prv'"),
    ):
        refused = run(app, ["compare", *wrong])
        assert refused.exit_code == 2
        assert says in refused.stderr


@pytest.mark.parametrize("text", ["exp(1000)", "log(2) - 1", "1 - 1"])
def test_sensitivities_that_are_no_positive_number_are_refused(text):
    """Also where a formula is beyond every double."""
    with pytest.raises(dp.InvalidArgument, match="sensitivity must be"):
        compare(ANALYTIC, sensitivity=dp.graph.parse(text), epsilon=1)


def test_a_formula_as_sensitivity_is_rounded_up():
    """To six digits, above the number by mpmath."""
    found = compare(ANALYTIC, sensitivity=dp.graph.parse("sqrt(10)/5000"), epsilon=1)
    exact = mpmath.sqrt(10) / 5000
    size = Fraction(str(found.common["sensitivity"]))
    assert (
        exact <= mpmath.mpf(size.numerator) / size.denominator <= exact * (1 + mpmath.mpf("1e-5"))
    )


def test_dashes_and_unlike_noise_are_explained():
    """Below the table, where there are any."""
    dash, unlike = "-: no ratio.", "Stds of different noise compare for the same statistic only"
    alike = str(compare(CLASSICAL, ANALYTIC, epsilon=EPSILONS))
    assert dash not in alike
    assert unlike not in alike
    mixed = " ".join(str(compare(ANALYTIC, dp.Laplace.pure, epsilon=EPSILONS)).split())
    assert dash in mixed
    assert unlike in mixed
    both = str(compare(dp.Gaussian.analytic, dp.DiscreteGaussian.concentrated, epsilon=1, times=2))
    assert unlike in " ".join(both.split())


@pytest.mark.parametrize("epsilon", [0.1, 0.9, 3])
def test_the_usual_table_has_discrete_gaussian_noise_by_its_exact_law(epsilon):
    """delta by summing over whole numbers; with 1 per cent less noise it is exceeded."""
    rows = {one.name: one.cells[0] for one in compare(epsilon=epsilon, delta="1e-6").methods}
    std = rows["discrete Gaussian, exact law"].std
    assert std < rows["DiscreteGaussian.concentrated"].std

    def delta(std):
        weights = {x: math.exp(-(x**2) / (2 * std**2)) for x in range(-1000, 1001)}
        far = ((x, weights[x] - math.exp(epsilon) * weights.get(x - 1, 0.0)) for x in weights)
        return sum(gap for _, gap in far if gap > 0) / sum(weights.values())

    assert delta(std) <= 1e-6 < delta(0.99 * std)


def test_no_exact_law_is_known_where_several_numbers_may_move():
    """Of a sensitivity of 3 in L2."""
    names = [one.name for one in compare(epsilon=1, sensitivity=3).methods]
    assert "DiscreteGaussian.concentrated" in names
    assert not any("exact law" in name for name in names)
