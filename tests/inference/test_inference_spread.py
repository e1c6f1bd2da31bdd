"""Intervals where variances were observed with noise: coverage by quadrature, and Student's law."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm, t

from dpframe.inference.spread import FARTHEST, Spread, farther, stretched

LEVELS = (0.08, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.998)


def missed(r: float, level: float, private: float = 0.0) -> float:
    """How often an estimate from N(0, r), of which r + N(0, 1) was observed, is beyond its
    interval.
    """
    z = norm.ppf((1 + level) / 2)

    def at(noise: float) -> float:
        allowed = max(float(stretched(np.array(r + noise), z)), private)
        return 2 * norm.sf(z * np.sqrt(allowed / r)) * norm.pdf(noise)

    return quad(at, -9, 9, points=[-r, private - r], limit=400, epsabs=1e-12)[0]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.slow
def test_coverage_is_what_was_asked_for_whatever_the_variance(level):
    """Never missed much more often, and not much less where the variance is near its noise."""
    for r in np.geomspace(0.65, 300, 40):
        assert 0.56 < missed(r, level) / (1 - level) < 1.06
    for r in (0.01, 0.1, 0.3, 0.5):
        assert missed(r, level) < 1.04 * (1 - level)


@pytest.mark.parametrize(("level", "most"), [(0.9999, 1.2), (1 - 1e-6, 1.4), (1 - 1e-9, 1.6)])
def test_levels_beyond_are_missed_a_little_more_often(level, most):
    """As the docs say."""
    assert max(missed(r, level) for r in np.geomspace(0.05, 100, 30)) < most * (1 - level)


def test_95_percent_are_94_8_to_95_9():
    """From two thirds of the noise on."""
    covered = [1 - missed(r, 0.95) for r in np.geomspace(0.65, 300, 60)]
    assert 0.948 < min(covered)
    assert max(covered) < 0.959


@pytest.mark.parametrize("private", [0.1, 1.0, 5.0, 50.0])
def test_a_known_part_makes_it_a_little_wider(private):
    """An interval is never shorter than without the unknown part: 98% at worst for 95%."""
    for rest in (0.01, 0.1, 1.0, 10.0):
        share = missed(private + rest, 0.95, private) / missed(private + rest, 0.95)
        assert 0.4 < share <= 1 + 1e-9
        assert missed(private + rest, 0.95, private) < 0.052


def test_far_from_noise_it_is_students_law():
    """Of 2 x^2 degrees of freedom."""
    for x in (5.0, 10.0, 30.0, 1000.0):
        for level in LEVELS:
            z = norm.ppf((1 + level) / 2)
            half = z * np.sqrt(stretched(np.array(x), z))
            student = t.ppf((1 + level) / 2, 2 * x**2) * np.sqrt(x)
            assert half == pytest.approx(student, rel=0.5 / x**2)


def test_wider_for_more_seen_and_for_higher_levels():
    """More observed, at the levels that were fitted; levels, far beyond."""
    x = np.concatenate([-np.geomspace(1e9, 1e-9, 200), [0.0], np.geomspace(1e-9, 1e9, 200)])
    z = np.linspace(0.1, FARTHEST, 2000)
    wide = z * np.sqrt(stretched(x[:, None], z))
    assert np.all(wide > 0)
    usual = wide[:, z < norm.ppf(0.9995)]
    assert np.all(np.diff(usual, axis=0) >= -1e-12 * usual[1:])
    assert np.all(np.diff(wide, axis=1) > 0)


SPREAD = Spread(
    errors=np.array([4.0, 4.0, 4.0, 0.0]),
    private=np.array([1.0, 3.9, 0.0, 0.0]),
    observed=np.array([3.0, -2.0, 5.0, 0.0]),
    doubt=np.array([2.0, 1.0, 0.0, 0.0]),
)


@pytest.mark.parametrize("level", LEVELS)
def test_p_values_are_where_intervals_end(level):
    """An estimate at the end of its interval has 1 less its level."""
    half = SPREAD.half(norm.ppf((1 + level) / 2))
    assert np.all(half[:3] > 0)
    found = SPREAD.p_values(half)
    assert found[:3] == pytest.approx(1 - level, rel=1e-9)


def test_what_is_known_counts_as_it_is():
    """A part that is known is never undercut; a variance that is known has normal intervals."""
    z = norm.ppf(0.975)
    assert SPREAD.half(z)[1] == pytest.approx(z * np.sqrt(3.9))
    assert SPREAD.half(z)[2] == pytest.approx(2 * z)
    assert SPREAD.p_values(np.array([0.0, 0.0, 0.0, 0.0])).tolist() == [1, 1, 1, 1]
    assert SPREAD.p_values(np.full(4, 1e6)).max() < 1e-300


# estimates that may be biased ----------------------------------------------------------------


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_the_worst_bias_is_missed_as_often_as_was_asked_for(level):
    """Of a known variance; and a smaller bias less often."""
    z, bias = norm.ppf((1 + level) / 2), np.array([0.0, 1e-9, 0.3, 1.0, 5.0, 300.0])
    reach = farther(z, bias)
    assert reach[0] == pytest.approx(z)
    missed = norm.sf(reach - bias) + norm.sf(reach + bias)
    assert missed == pytest.approx(1 - level)
    assert np.all(norm.sf(reach - bias / 2) + norm.sf(reach + bias / 2) <= 1 - level + 1e-12)
    assert np.all(reach <= (z + bias) * (1 + 1e-12))
    assert reach[-1] == pytest.approx(norm.ppf(level) + 300)


@pytest.mark.parametrize("bias", [0.1, 0.5, 1.0, 3.0])
def test_where_the_variance_was_seen_with_noise_too(bias):
    """By quadrature over what is observed of r: 95% intervals are missed in at most 5.4%."""
    for r in np.geomspace(0.3, 300, 12):
        off = bias * np.sqrt(r)

        def at(noise: float, r: float = r, off: float = off) -> float:
            observed = np.array([r + noise])
            half = Spread(observed, np.zeros(1), observed, np.ones(1)).biased(
                norm.ppf(0.975), off, 0.0
            )[0]
            beyond = norm.sf((half - off) / np.sqrt(r)) + norm.sf((half + off) / np.sqrt(r))
            return beyond * norm.pdf(noise)

        assert quad(at, -8, 8, points=[-r], limit=60, epsabs=1e-5)[0] < 0.054


def test_p_values_are_where_intervals_of_biased_estimates_end():
    """At every level; nothing is claimed where nothing bounds the bias."""
    off = np.array([0.0, 0.5, 4.0, 1.0])
    half = SPREAD.biased(norm.ppf(0.975), off, 0.0)
    assert SPREAD.p_values(half, off)[:3] == pytest.approx(0.05)
    assert SPREAD.p_values(half, off)[3] == 1  # what is no error but a bias
    assert SPREAD.biased(1.96, np.inf, 0.0).tolist() == [np.inf] * 4
    assert SPREAD.p_values(half, np.inf).tolist() == [1, 1, 1, 1]


def missed_beyond(z, unsure, bias, bound):
    """How often an estimate of std 1 and this bias is missed, by quadrature over a bound on it that
    is observed with normal noise of std `unsure`.
    """
    noise = np.linspace(-8, 8, 1601)
    weights = norm.pdf(noise) / norm.pdf(noise).sum()
    one = np.ones(len(noise))
    half = Spread(one, one, one, 0 * one).biased(z, bound + unsure * noise, unsure)
    return weights @ (norm.sf(half - bias) + norm.sf(half + bias))


@pytest.mark.parametrize("alpha", [0.5, 0.05, 0.001])
@pytest.mark.parametrize("unsure", [0.05, 0.1, 0.3, 1.0, 3.0])
def test_a_bias_whose_bound_was_seen_with_noise_is_missed_no_more_often(alpha, unsure):
    """At most 1.02 times the nominal rate where the bias attains its bound, else less."""
    z = norm.isf(alpha / 2)
    for bound in (0.0, 0.4, 0.7, 1.0, 2.0, 5.0, 15.0):
        worst = missed_beyond(z, unsure, bound, bound)
        assert worst < 1.02 * alpha
        assert missed_beyond(z, unsure, bound / 2, bound) <= worst * (1 + 1e-9)


def test_bounds_with_noise_have_p_values_where_their_intervals_end():
    """Negative ones too, and far in the tail."""
    off, unsure = np.array([-3.0, 0.5, 4.0]), np.array([1.0, 2.0, 0.5])
    spread = Spread(*np.array([[4.0] * 3, [4.0] * 3, [4.0] * 3, [0.0] * 3]))
    for z in (0.8, 1.96, 8.0):
        half = spread.biased(z, off, unsure)
        assert spread.p_values(half, off, unsure) == pytest.approx(2 * norm.sf(z), rel=1e-6, abs=0)
    assert np.all(np.isfinite(spread.biased(39.9, off, unsure)))
