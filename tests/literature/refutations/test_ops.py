"""OPS and the sampled ridge as coded: both refuted, and their controls not."""

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from docs.generate.refutations import (
    right_factor,
    sampled_ridge_certain,
    sampled_ridge_delta,
    sampled_ridge_seldom,
    transposed_factor,
)
from docs.generate.refutations.claim import Claim
from docs.generate.refutations.ops import CALIBRATIONS, Given
from docs.generate.refutations.sampled_ridge import far_event
from docs.generate.refutations.samplers import transposed
from docs.generate.refutations.transposed import _searched
from dpframe.errors import InvalidArgument
from dpframe.numerics.rounding import working
from dpframe.privacy import REPLACE_ONE

# ------------------------------------------------------------------------------------- OPS as coded
DELTA = Fraction(1, 10**6)
LOG = math.log(2e6)


def given(rows, epsilon):
    """In doubles."""
    return Given.of(rows, Fraction(epsilon), DELTA, float, math.log)


@pytest.mark.parametrize("name", ["balanced", "conservative", "diffused"])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), 1, 10])
def test_root_gamma_solves_the_equation_of_the_files(name, epsilon):
    """With the file's own Lipschitz constant and ridge."""
    rows = 12345
    ridge, root = CALIBRATIONS[name](given(rows, epsilon))
    lipschitz = 1 + min(math.sqrt(rows) / math.sqrt(2 * ridge), rows / ridge)
    loss = lipschitz**2 * root**2 / (ridge + 1) + lipschitz * root * math.sqrt(LOG / ridge)
    assert loss + (1 + LOG) / 2 / ridge == pytest.approx(float(epsilon))
    assert ridge >= (1 + LOG) / float(epsilon) * (1 - 1e-12)


def test_ridges_of_the_files():
    """Computed apart, by hand from the formulas: C1 = (1 + sqrt(2 log 20) + log 20) LOG / s^2."""
    spread = (1 + math.sqrt(2 * math.log(20)) + math.log(20)) * LOG / 0.25
    assert CALIBRATIONS["balanced"](given(10**4, 1))[0] == pytest.approx((spread * 5000) ** (1 / 3))
    assert CALIBRATIONS["conservative"](given(10**4, 1))[0] == pytest.approx(math.sqrt(spread))
    assert CALIBRATIONS["diffused"](given(10**4, 1))[0] == pytest.approx(1 + LOG)


@pytest.mark.parametrize(("epsilon", "ridge"), [(1, 56.0), (3, 5.76), (10, 0.352)])
def test_concentrated_with_few_rows_reads_an_and_sign(epsilon, ridge):
    """`-gamma*L&2/2-...` is 1: a ridge that is too small."""
    assert CALIBRATIONS["concentrated"](given(2, epsilon))[0] == pytest.approx(ridge, rel=2e-3)


@pytest.mark.parametrize("name", CALIBRATIONS)
def test_the_transposed_factor_is_refuted(name):
    """At a million rows by far; the same search finds nothing against the right factor."""
    attack, control = (f(name, 1, DELTA, 10**6) for f in (transposed_factor, right_factor))
    assert attack.found > 1e-2
    assert attack.refuted
    assert control.control
    assert 0 < control.found < 1e-8


def test_the_half_plane_is_hit_as_often_as_the_proof_says():
    """A replay with numpy's Cholesky factor, 10^5 draws under either table."""
    claim = Claim.of(1, DELTA, 10**4, 1)
    searched = _searched(transposed, "diffused", claim)
    rng, (a, b, t) = np.random.default_rng(6), searched.found.event
    hits = []
    for table in searched.pair.tables(float):
        ridge, root = CALIBRATIONS["diffused"](given(table.rows, 1))
        gram = np.array([[table.first, table.mixed], [table.mixed, table.second]])
        upper = np.linalg.cholesky(gram + (1 + ridge) * np.eye(2)).T
        theta = np.linalg.solve(gram + (1 + ridge) * np.eye(2), [table.left, table.right])
        drawn = theta[:, None] + np.linalg.solve(upper.T, rng.standard_normal((2, 10**5))) / root
        hits.append(np.mean(a * drawn[0] + b * drawn[1] > t))
    first, second = reversed(hits) if searched.swapped else hits
    found = transposed_factor("diffused", 1, DELTA, 10**4).found
    assert first - math.e * second == pytest.approx(found, abs=0.01)


def test_replace_one_is_another_relation():
    """It is searched apart, and said."""
    attack = transposed_factor("balanced", 1, DELTA, 10**4, relation=REPLACE_ONE)
    assert "turns its label" in attack.how
    assert ("relation", "replace-one") in attack.parameters


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("round", 1, DELTA, 10), "calibration must be one of balanced"),
        (("balanced", 15, DELTA, 10), "epsilon must be at most 14"),
        (("balanced", 1, DELTA, 11), "rows must be an even number"),
        (("balanced", 0, DELTA, 10), "epsilon must be above 0"),
        (("balanced", 1, 1, 10), "delta must be strictly between 0 and 1"),
    ],
)
def test_refusals(arguments, message):
    """By name, with what is asked."""
    with pytest.raises(InvalidArgument, match=message):
        transposed_factor(*arguments)


# ------------------------------------------------------------------------------ The sample as coded
D = 30
FACTS = {  # log(1 + p (C - 1)) or -log(1 - p), C = (N/(N-1))^d e^(t (N-1)/N), by hand
    80: (0.164, 0.319, 0.742, 1.249),
    20: (0.516, 0.885, 1.643, 2.184),
}


def chance(epsilon, threshold):
    """The coin."""
    return mp.expm1(epsilon) / mp.expm1(threshold)


def centre(kept, penalty, *, joined):
    """The minimiser along e, from its normal equation: kept - 1 rows (1, 1), and (1, -1)."""
    rows = [(1, 1)] * (kept - 1) + [(1, -1)] * joined
    gram, moment = (
        mp.fsum(x * z for x, z in pairs) / len(rows) for pairs in ([(x, x) for x, _ in rows], rows)
    )
    return moment / (gram + penalty)


def rate(kept, penalty, threshold):
    """lambda t N/(2 B (Y + B T)), as compute_eta has it."""
    length = min(1 / mp.sqrt(penalty), mp.mpf(1) / penalty)
    return penalty * threshold * kept / (2 * (1 + length))


@pytest.mark.parametrize("kept", FACTS)
@pytest.mark.parametrize("place", range(4))
def test_the_limit_of_large_penalties(kept, place):
    """Within 1e-3 of the formula in closed form, and of the figures that were found by hand."""
    epsilon = mp.mpf((1, 2, 5, 8)[place]) / 10
    p = chance(epsilon, 1)
    growth = (mp.mpf(kept) / (kept - 1)) ** D * mp.exp(mp.mpf(kept - 1) / kept)
    exact = max(mp.log1p(p * (growth - 1)), -mp.log1p(-p))
    record = sampled_ridge_seldom(Fraction((1, 2, 5, 8)[place], 10), 1, kept)
    assert exact - 1e-4 < record.found < exact
    assert record.found == pytest.approx(FACTS[kept][place], abs=1e-3)
    assert record.refuted


@pytest.mark.parametrize("penalty", [Fraction(1, 4), 1, 7, 10**6])
@pytest.mark.parametrize("kept", [2, 20, 80])
def test_densities_at_the_centre(penalty, kept):
    """The ratio of two densities at one point, with minimisers solved anew, and the far limit."""
    with mp.workdps(50):
        lam = mp.mpf(penalty.numerator) / penalty.denominator
        one, other = rate(kept, lam, 1), rate(kept - 1, lam, 1)
        away = abs(centre(kept, lam, joined=True) - centre(kept, lam, joined=False))
        ratio = D * mp.log(one / other) + other * away
        p = chance(mp.mpf(1) / 2, 1)
        exact = max(mp.log1p(p * mp.expm1(ratio)), -mp.log1p(-p))
        found = sampled_ridge_seldom(Fraction(1, 2), 1, kept, penalty).found
        assert exact - 1e-5 < found < exact


def test_the_coin_alone_refutes_from_a_point_on():
    """log(e^t - 1) = 0.541 at t = 1, whatever the penalty."""
    point = float(mp.log(mp.expm1(1)))
    below, above = (Fraction(round((point + gap) * 1000), 1000) for gap in (-0.01, 0.01))
    assert not sampled_ridge_seldom(below, 1, 10**4, 1).refuted
    assert sampled_ridge_seldom(above, 1, 10**4, 1).refuted


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)])
@pytest.mark.parametrize("penalty", [1, 10**6])
def test_the_control_holds(epsilon, penalty):
    """With a public N, the same events stay below the claim."""
    record = sampled_ridge_seldom(epsilon, 1, 80, penalty, public=True)
    assert record.control
    assert 0 < record.found < epsilon


@pytest.mark.parametrize("kept", [20, 80])
@pytest.mark.parametrize("level", [1, 2, 5])
def test_tails_of_the_far_event(kept, level):
    """mpmath's incomplete gamma functions, at the R that gives the first of them."""
    with working(256):
        first, second = (float(tail.mid()) for tail in far_event(level, kept))
    with mp.workdps(40):
        at = mp.findroot(
            lambda u: mp.log(mp.gammainc(D, u, regularized=True)) - mp.log(first),
            (level + D / kept) * (kept - 1),
        )
        again = mp.gammainc(D, at * kept / (kept - 1), regularized=True)
        assert float(again) == pytest.approx(second, rel=1e-9)
    assert level - 1e-9 < np.log(first / second) < level + 1e-3


def test_delta_is_that_of_two_gamma_densities():
    """The integral of the positive part, by quadrature; N = 20, epsilon = 1."""
    with mp.workdps(30):
        growth = mp.mpf(20) / 19

        def gain(u):
            first = mp.exp(-u) * u ** (D - 1)
            second = mp.exp(-growth * u) * growth**D * u ** (D - 1)
            return max(mp.mpf(0), first - mp.e * second) / mp.factorial(D - 1)

        start = 19 * (1 + D * mp.log(growth))
        exact = mp.quad(gain, [start, start + 20, start + 60, start + 300])
        found = sampled_ridge_delta(1, 20)
        assert found == pytest.approx(float(exact), rel=1e-9)
        assert found > 2e-4


def test_draws_of_the_code_show_it():
    """10^6 draws of |z| under either table: the event at e^1 is seen 2.7 times as often without."""
    rng = np.random.default_rng(0)
    with working(256):
        first, second = (float(tail.mid()) for tail in far_event(1, 20))
    without, joined = rng.gamma(D, 1 / 19, 10**6), rng.gamma(D, 1 / 20, 10**6)
    bar = np.quantile(without, 1 - first)
    shares = np.mean(without > bar), np.mean(joined > bar)
    assert shares[1] == pytest.approx(second, rel=0.15)
    assert shares[0] / shares[1] > 2.3


def test_certain_records():
    """Five times the claim on an event that the record names; larger than doubles can say too."""
    record = sampled_ridge_certain(1, 20)
    assert record.refuted
    assert record.found == pytest.approx(5, rel=1e-3)
    assert "e^1: 0.0049; e^2: 3.1e-7; e^5: 2.3e-24" in record.how
    assert "1e-2337" in sampled_ridge_certain(14, 80).how


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 1), "epsilon must be below the threshold"),
        ((0, 1), "epsilon must be above 0"),
        ((Fraction(1, 2), 1, 1), "sample must be of at least 2 records kept"),
        ((Fraction(1, 2), 1, 20, 0), "positive penalty"),
    ],
)
def test_refusals_of_the_sampled_ridge(arguments, message):
    """By name, with what is asked."""
    with pytest.raises(InvalidArgument, match=message):
        sampled_ridge_seldom(*arguments)
