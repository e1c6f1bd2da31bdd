"""Utility theorems: verdicts, curves against what is known otherwise, the page."""

from functools import cache

import mpmath
import numpy as np
import pytest
from scipy.stats import ks_2samp

import dpframe as dp
from docs.generate.utility import checked, drawing, limits, perturbed, worlds
from docs.generate.utility.page import PAGE
from docs.generate.utility.statements import STATEMENTS, check
from dpframe.errors import InvalidArgument
from dpframe.experiments.catalogue import Promise, draft

FALSE = {"eq1", "thm2_ii", "thm2_iii", "thm3_ii", "thm3_iii", "prop16"}
LOWER = {"eq4", "eq5", "eq6"}
TAIL = np.sqrt(np.log(6e6))


@cache
def found(name):
    """A statement, checked once with little effort."""
    return check(name, quick=True)


@pytest.mark.parametrize("name", STATEMENTS)
def test_verdicts(name):
    """Each as computed; of what holds, upper bounds need a constant of order 1 to 10."""
    one = found(name)
    assert one.verdict.startswith("false") == (name in FALSE), one.finding
    assert one.name == name
    low, high = one.constants
    if name in LOWER:
        assert low > 0.02
    elif name not in FALSE:
        assert 0 < high <= 1.2


@pytest.mark.parametrize("name", ["thm2_ii", "thm3_ii", "thm3_iii", "prop16"])
def test_mended_statements_need_a_constant(name):
    """On the worlds of the papers, between 1/200 and 20."""
    low, high = found(name).constants
    assert 1 / 200 < low <= high < 20


def test_counterexamples_grow():
    """Error over bound rises along each family, at every step of the wide ones."""
    for name in ("thm2_ii", "thm3_ii", "prop16"):
        for curve in (c for c in found(name).curves if c.counterexample):
            assert (np.diff(curve.ratios) > 0).all(), curve.label


def test_draws_have_the_law_of_the_declared_adassp():
    """Coefficients of plain numpy and of dpframe's AdaSSPWang, by Kolmogorov-Smirnov."""
    rng = np.random.default_rng(1)
    world = worlds.linear_gaussian(1500, rng)
    X, y = world.table
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    declared = draft(dp.literature.AdaSSPWang, (), Promise.APPROXIMATE, setting)
    run = declared.at(epsilon=3.0, delta=1e-6)
    rows, labels = X / world.norm * (1 - 1e-12), y / world.bound
    fits = (dp.experiments.simulate(run, rows, labels, rng=rng) for _ in range(300))
    own = [one.output.coefficients for one in fits]
    declared = np.array(own) * world.bound / world.norm
    drawn = worlds.adassp(world, tail=TAIL, epsilon=3.0, rng=rng, draws=1000)
    wrong = worlds.adassp(world, tail=TAIL * 2, epsilon=3.0, rng=rng, draws=1000)
    assert 0.2 < np.mean(drawn.ridges > 0) or drawn.ridges.max() == 0
    errors = [world.excess(one) for one in (declared, drawn.thetas, wrong.thetas)]
    assert ks_2samp(errors[0], errors[1]).pvalue > 0.01
    assert ks_2samp(errors[0], errors[2]).pvalue < 1e-6


def test_one_small_eigenvalue_is_a_problem_of_one_dimension():
    """With the other eigenvalues infinite: a draw of three numbers, and 9 d/32 for large d."""
    rng, d, k = np.random.default_rng(2), 40, 20_000
    world = perturbed.one_small(d, TAIL)
    goal, std = 2 * world.gram[0, 0], TAIL * 3
    z, noise, moment = rng.normal(size=(3, k)) * std
    ridge = np.maximum(0, goal - np.maximum(goal / 2 + z - TAIL * std, 0))
    away = (moment - noise - ridge) / (goal / 2 + noise + ridge)
    drawn = worlds.adassp(world, tail=TAIL, epsilon=1.0, rng=rng, draws=400)
    both = np.median(goal / 4 * away**2), np.median(world.excess(drawn.thetas))
    assert both[0] == pytest.approx(both[1], rel=0.05)
    least = (goal / 2) * 0.5**2 / 2  # the ridge is at least goal/2, noise apart
    assert both[0] > least
    second = 2 / goal * np.log(6e6) * np.log(2 * d**2 / 0.05)
    assert least / second == pytest.approx(9 * d / 32, rel=1e-9)


def test_adaops_pays_for_the_least_ridge():
    """lambda + lambda_min is at least (1 + log(6/delta))/(2 epsilon): an excess of g/8 at d = 1."""
    (curve,) = (c for c in found("thm2_ii").curves if "log10" in c.label)
    least = [(1 + np.log(6) + k * np.log(10)) / 16 for k in curve.x]
    assert (curve.measured > 0.8 * np.array(least)).all()


def test_biases_by_mpmath():
    """E[G/(G + N) | |N| <= G/2] - 1, at 30 digits; it is the series s^2 + 3 s^4 + ..."""
    with mpmath.workdps(30):
        for size, std in ((1000, 35.5), (300, 35.5), (100, 35.5)):
            s = mpmath.mpf(std) / size
            edge = 1 / (2 * s)
            grid = [-edge, *(x for x in range(-12, 13, 2) if abs(x) < edge), edge]
            mass = mpmath.quad(mpmath.npdf, grid)
            mean = mpmath.quad(lambda z, s=s: mpmath.npdf(z) / (1 + s * z), grid) / mass
            assert perturbed.bias(size, std) == pytest.approx(float(mean - 1), rel=1e-6)
    assert perturbed.bias(3000, 35.5) == pytest.approx((35.5 / 3000) ** 2, rel=1e-3)


def test_the_first_equation_by_one_record():
    """X = 1: F(theta*) = 0 and F(theta_0) = e^2/2."""
    world = worlds.World.of(np.ones((1, 1)), np.zeros(1), 1.0, np.random.default_rng(0))
    assert -world.excess(np.zeros((1, 1)))[0] == pytest.approx(-(world.moment[0] ** 2) / 2)


def test_bayes_risk_by_simulation():
    """The posterior mean of the signs, drawn."""
    rng, n, d = np.random.default_rng(3), 60, 3
    shift, k = np.sqrt(d / n), 40_000
    signs = rng.choice([-1, 1], size=k)
    m = rng.binomial(n, 1 / d, size=k)
    ups = rng.binomial(m, (1 + signs * shift) / 2)
    odds = ((1 + shift) / (1 - shift)) ** (2.0 * ups - m)
    errors = (signs - (odds - 1) / (odds + 1)) ** 2
    assert worlds.bayes_excess(n, d) == pytest.approx(n * shift**2 * errors.mean() / 2, rel=0.02)


def test_two_tables_cannot_be_told_apart():
    """Randomised response through k records attains the bound at delta = 0."""
    for epsilon, k in ((0.1, 10), (0.5, 3)):
        right = np.exp(k * epsilon) / (1 + np.exp(k * epsilon))
        assert worlds.apart(epsilon, 0.0, k) == pytest.approx(1 - right)
        assert worlds.apart(epsilon, 1e-3, k) < 1 - right


def test_the_lemma_by_mpmath():
    """The tail of the normal law at 40 digits, and the number of the page."""
    with mpmath.workdps(40):
        for delta in (mpmath.mpf("1e-12"), mpmath.mpf("0.01"), mpmath.mpf("1.5")):
            tail = mpmath.erfc(mpmath.sqrt(mpmath.log(2 / delta))) / 2
            bound = delta / (4 * mpmath.sqrt(mpmath.pi * mpmath.log(2 / delta)))
            assert tail <= bound
            stated = checked.value("delta/(4*sqrt(355/113*log(2/delta)))", {"delta": float(delta)})
            assert stated == pytest.approx(float(bound), rel=1e-6)
        delta = mpmath.mpf(300) ** mpmath.mpf("-1.1")
        assert delta / (4 * mpmath.sqrt(mpmath.pi * mpmath.log(2 / delta))) > mpmath.mpf("1.006e-4")


def test_moves_by_enumeration():
    """The largest move of one record, by a loop over every table of a grid of three."""
    grid, penalty, best = (-1.0, 0.0, 1.0), 0.1, 0.0
    cells = [(x, y) for x in grid for y in grid]

    def theta(table):
        s, p = sum(x * x for x, _ in table), sum(x * y for x, y in table)
        return None if abs(p) > s + 1e-12 else p / 3 / (s / 3 + penalty)

    for a in cells:
        for b in cells:
            seen = [t for t in (theta([a, b, c]) for c in cells) if t is not None]
            best = max(best, max(seen) - min(seen))
    assert worlds.largest_move(penalty, 1.0, grid) == pytest.approx(best)


def test_formulas_are_those_of_dpframe():
    """Evaluated by enclosures; an unknown statement is refused."""
    assert checked.value("min(d, n)/epsilon", {"d": 3, "n": 2, "epsilon": 4}) == 0.5
    assert limits.eq1.__doc__.startswith("[Wang18, Eq. 1]")
    with pytest.raises(InvalidArgument, match="thm3_ii"):
        check("thm4")


def test_the_page_has_every_statement(tmp_path):
    """By citation and verdict, with a picture that exists; pictures are drawn."""
    text = PAGE.read_text()
    for name in STATEMENTS:
        one = found(name)
        assert f"## {one.cite}\n" in text
        assert f"| {one.cite} | {one.verdict} |" in text
        assert (PAGE.parents[1] / "images" / "utility" / f"{name}.svg").exists()
    pytest.importorskip("matplotlib")
    drawing.plot(found("thm3_ii"), tmp_path / "one.svg")
    drawing.plot(found("eq1"), tmp_path / "two.png")
    assert "</svg>" in (tmp_path / "one.svg").read_text()
