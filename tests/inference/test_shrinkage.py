"""The posterior mean against numerical integration that shares no code with it."""

import attrs
import numpy as np
import pytest
from scipy.integrate import quad

from dpframe.inference.evidence import Evidence, NoisySum
from dpframe.inference.shrinkage import Prior, clearness, label_energy, posterior, records, unseen

GRAM = np.diag([400.0, 900.0])  # gaps so wide that shrinkage moves nothing visible


def evidence(moment, std=20.0, gram_std=1e-6, *, gram=GRAM, more=()):
    """Released values for two columns."""
    first = NoisySum(np.asarray(moment, dtype=float), std, np.zeros(len(gram)), 1.0)
    return Evidence(gram, gram_std, (first, *more), 300.0, 1e-6, 1300.0, 1e-6)


def integrated(found, prior):
    """E[theta] by sums over a grid of theta in each principal direction, prior sizes one by one;
    beside residuals labels have all of the sampling error as noise of their own.
    """
    values = np.diag(found.gram)
    n, energy = 1300.0, 300.0
    weights, means = [], []
    for power in prior.powers:
        for share in np.exp(np.linspace(prior.least, prior.most, prior.points)):
            shape = values ** (power - 2)
            variances = share * energy / np.sum(shape * values) * shape
            unexplained = prior.sampling * max(1 - share, 0) * energy / n * values
            mass, mean = 1.0, []
            for j, value in enumerate(values):
                # b = value theta + own sampling error; each moment sees b with its own noise
                theta = np.linspace(-12, 12, 2001) * np.sqrt(variances[j])
                error = (
                    np.linspace(-9, 9, 301) * np.sqrt(unexplained[j])
                    if unexplained[j]
                    else np.zeros(1)
                )
                b = value * theta[:, None] + error[None, :]
                like = np.zeros_like(b)
                apart = max(1 - share, 0) * energy / n * value * (len(found.moments) > 1)
                for turn, observed in enumerate(found.moments):
                    got = observed.moment[j] + value * observed.at[j]
                    noise = observed.std**2 + (apart if turn == 0 else 0)
                    like += -((got - b) ** 2) / (2 * noise) - np.log(noise) / 2
                on_error = (
                    np.exp(-(np.linspace(-9, 9, 301) ** 2) / 2) if unexplained[j] else np.ones(1)
                )
                on_theta = np.exp(-(np.linspace(-12, 12, 2001) ** 2) / 2)
                joint = (
                    np.exp(like)
                    * (on_error / on_error.sum())
                    * (on_theta / on_theta.sum())[:, None]
                )
                mass *= joint.sum()
                mean.append((joint.sum(axis=1) @ theta) / joint.sum())
            weights.append(mass)
            means.append(mean)
    null = np.exp(
        sum(
            -np.sum(observed.moment**2) / (2 * observed.std**2) - 2 * np.log(observed.std)
            for observed in found.moments
        )
    )
    weights = np.array(weights) / len(weights)
    return weights @ np.array(means) / (weights.sum() + prior.null * null)


@pytest.mark.parametrize("moment", [(40.0, 10.0), (5.0, -3.0), (150.0, 80.0)])
@pytest.mark.parametrize("null", [0.0, 0.1, 5.0])
def test_one_moment(moment, null):
    """Against integration."""
    prior = Prior(points=5, null=null)
    found = posterior(evidence(moment), 1.0, prior)
    assert found.mean == pytest.approx(integrated(evidence(moment), prior), rel=2e-3, abs=1e-6)


def test_two_moments():
    """Against integration, the second at another point."""
    at = np.array([0.05, -0.02])
    second = NoisySum(np.array([30.0, 12.0]) - GRAM @ at, 9.0, at, 0.5)
    both = evidence((41.0, 7.0), more=(second,))
    prior = Prior(points=4, biased=0.0, most_biased=0.0)
    # the null compares moments at their own points, as the estimate does
    shifted = attrs.evolve(both, moments=(both.moments[0], second))
    mine = posterior(shifted, 1.0, attrs.evolve(prior, null=0.0)).mean
    assert mine == pytest.approx(integrated(shifted, attrs.evolve(prior, null=0.0)), rel=2e-3)


def test_it_is_zero_where_noise_hides_all():
    """Noise of 10,000 on sums of some hundred."""
    rng = np.random.default_rng(1)
    found = [
        posterior(evidence(1e4 * rng.normal(size=2), std=1e4), 1.0, Prior()).mean for _ in range(50)
    ]
    assert np.mean(np.square(found)) < 1e-3 * 0.25  # of what labels of this size allow


def test_it_is_least_squares_where_there_is_no_noise():
    """The solution of the normal equations."""
    found = posterior(evidence((200.0, -90.0), std=1e-3), 1.0, Prior(sampling=0.0)).mean
    assert found == pytest.approx([0.5, -0.1], rel=1e-3)


def test_units_of_rows_and_labels():
    """Coefficients scale as label over row."""
    plain = evidence((40.0, 10.0), gram_std=30.0)
    c, r = 7.0, 3.0  # labels times c, rows times r
    first = plain.moments[0]
    scaled = Evidence(
        r**2 * plain.gram,
        r**2 * plain.gram_std,
        (attrs.evolve(first, moment=r * c * first.moment, std=r * c * first.std, width=c),),
        c**2 * plain.squares,
        c**2 * plain.squares_std,
        plain.count,
        plain.count_std,
    )
    assert posterior(scaled, r, Prior()).mean == pytest.approx(
        c / r * posterior(plain, 1.0, Prior()).mean
    )


def test_it_turns_with_the_columns():
    """Rotated data give rotated coefficients."""
    rng = np.random.default_rng(2)
    turn = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    gram, moment = np.diag([50.0, 90.0, 300.0, 800.0]) + 5.0, rng.normal(size=4) * 40
    plain = posterior(evidence(moment, gram_std=20.0, gram=gram), 1.0, Prior()).mean
    turned = evidence(turn @ moment, gram_std=20.0, gram=turn @ gram @ turn.T)
    assert posterior(turned, 1.0, Prior()).mean == pytest.approx(turn @ plain)


def test_number_of_records():
    """Counted where clear, never below the trace."""
    known = evidence((1.0, 1.0))
    assert records(known, 700.0) == 1300.0
    assert records(known, 1500.0) == 1500.0  # rows of bounded norm fill no more than there are
    doubtful = attrs.evolve(known, count_std=700.0)
    assert records(doubtful, 400.0) == 400.0
    assert records(doubtful, -5.0) == 1.0


@pytest.mark.parametrize("squares", [-30.0, 5.0, 500.0, 1020.0])
@pytest.mark.parametrize("std", [10.0, 100.0, 1000.0])
def test_energy_is_a_posterior_mean(squares, std):
    """Against integration of the likelihoods over log-uniform sizes of at most 1000."""
    noisy = attrs.evolve(evidence((1.0, 1.0)), squares=squares, squares_std=std)
    noisy = attrs.evolve(noisy, counted=40.0, counted_std=200.0)

    def likely(log, power):
        size = np.exp(log)
        misses = (size - squares) ** 2 / std**2 + (size - 40.0) ** 2 / 200**2
        at = np.clip((squares / std**2 + 1e-3) / (1 / std**2 + 1 / 200**2), 10.0, 1000.0)
        best = (at - squares) ** 2 / std**2 + (at - 40.0) ** 2 / 200**2
        return size**power * np.exp((best - misses) / 2)

    ends = np.log(1000 * Prior().faint), np.log(1000)
    above, below = (
        quad(likely, *ends, args=(power,), limit=500, epsabs=0, epsrel=1e-9)[0] for power in (1, 0)
    )
    assert label_energy(noisy, 1000.0, Prior()) == pytest.approx(above / below, rel=2e-3)


def test_energy_at_the_ends():
    """Precise releases decide; without any, the prior mean; far releases give the nearest end."""
    known = evidence((1.0, 1.0))
    assert label_energy(known, 1000.0, Prior()) == pytest.approx(300.0)
    nothing = attrs.evolve(known, squares_std=np.inf)
    prior_mean = 1000 * (1 - 0.01) / np.log(100)
    assert label_energy(nothing, 1000.0, Prior()) == pytest.approx(prior_mean, rel=1e-2)
    assert label_energy(attrs.evolve(known, squares=-9e9), 1000.0, Prior()) == pytest.approx(10.0)
    assert label_energy(attrs.evolve(known, squares=9e9), 1000.0, Prior()) == pytest.approx(1000.0)


def test_noise_on_energy_does_not_make_labels_vanish():
    """A release below 0 by noise leaves the energy at a part of that noise."""
    noisy = attrs.evolve(evidence((1.0, 1.0)), squares=-200.0, squares_std=200.0)
    assert 0.02 < label_energy(noisy, 1000.0, Prior()) / 1000 < 0.1


def test_no_coefficient_is_believed_to_be_steep():
    """One eigenvalue is tiny: a power below 2 would give it a large coefficient."""
    observed = evidence((30.0, 300.0), std=5.0, gram=np.diag([1.0, 1299.0]))
    free = posterior(observed, 1.0, Prior(powers=(1.0,))).mean
    held = posterior(observed, 1.0, Prior()).mean
    assert free[0] > 2
    assert 0 < held[0] < 1
    assert held[1] == pytest.approx(free[1], rel=0.02)


def test_clearness():
    """The clearer of count and trace."""
    observed = attrs.evolve(evidence((1.0, 1.0), gram_std=200.0), count_std=500.0)
    assert clearness(observed) == pytest.approx(1300 / (200 * np.sqrt(2)))
    assert clearness(attrs.evolve(observed, count=9000.0)) == pytest.approx(18)


def test_without_records_in_sight_little_is_claimed():
    """The same moment, with and without a clear n."""
    clear = evidence((350.0, 350.0), std=300.0, gram_std=100.0)
    hidden = attrs.evolve(clear, gram_std=2000.0, count_std=5000.0)
    assert np.linalg.norm(posterior(clear, 1.0, Prior()).mean) > 0.1
    assert np.linalg.norm(posterior(hidden, 1.0, Prior()).mean) < 0.02
    certain = attrs.evolve(hidden, count_std=0.0)
    assert clearness(certain) > 1e9


def test_what_noise_may_hide_of_eigenvalues():
    """Some variances of the noise, no more than one direction with a share of the trace has."""
    prior = Prior(hidden=0.5, top=0.25)
    assert unseen(np.array([400.0, 900.0]), 0.0, prior) == 0.0
    assert unseen(np.array([400.0, 900.0]), 10.0, prior) == pytest.approx(50.0)
    assert unseen(np.array([400.0, 900.0]), 1e6, prior) == pytest.approx(325.0**2 / 2)


def spiked(rng, d, spike, gram_std, std):
    """X'X with one long direction that its noise hides, theta of any direction, and what is
    observed: (X'X, theta, evidence).
    """
    axis = rng.normal(size=d)
    gram = np.eye(d) + spike * np.outer(axis, axis) / (axis @ axis)
    theta = rng.normal(size=d) / np.sqrt(d)
    noise = rng.normal(0, gram_std, (d, d))
    first = NoisySum(gram @ theta + rng.normal(0, std, d), std, np.zeros(d), 1.0)
    energy = float(theta @ gram @ theta)
    observed = Evidence(gram + (noise + noise.T) / 2, gram_std, (first,), energy, 1e-3, 9 * d, 1e-3)
    return gram, theta, observed


def share_lost(prior, spike, d=60, runs=60):
    """Mean loss of predictions over that of 0, in worlds where the spike is below the edge."""
    rng, lost, zero = np.random.default_rng(5), 0.0, 0.0
    for _ in range(runs):
        gram, theta, observed = spiked(rng, d, spike, gram_std=15.0, std=5.0)
        off = posterior(observed, 1.0, prior).mean - theta
        lost, zero = lost + off @ gram @ off, zero + theta @ gram @ theta
    return lost / zero


def test_a_moment_shows_what_the_gram_hides():
    """A long direction that no eigenvector shows has most of the signal: who reckons with it
    predicts better, and who reckons with it in vain loses little.
    """
    assert 60 < 15.0 * np.sqrt(60 / 2), "below the edge of what eigenvectors show"
    blind = Prior(hidden=0.0)
    assert 1 - share_lost(Prior(), spike=60) > 2 * (1 - share_lost(blind, spike=60)) > 0
    assert share_lost(Prior(), spike=0) < 1.01 * share_lost(blind, spike=0)


def test_what_a_mean_follows_of_noise_is_its_slope():
    """With one size of coefficients the mean is linear in X'y: the noise's variance times the trace
    of its slopes, by differences; of residuals nothing.
    """
    prior = Prior(powers=(3.0,), least=-1.0, most=-1.0, points=1, null=0.0)
    moment, std = np.array([60.0, -40.0]), 20.0
    found = posterior(evidence(moment, std), 1.0, prior)
    slopes = [
        posterior(evidence(moment + step, std), 1.0, prior).mean[j] - found.mean[j]
        for j, step in enumerate(np.eye(2))
    ]
    assert found.followed == pytest.approx(std**2 * sum(slopes), rel=1e-6)
    residuals = NoisySum(np.array([5.0, 2.0]), 3.0, np.array([0.1, 0.0]), 0.5)
    assert posterior(evidence(moment, std, more=(residuals,)), 1.0, prior).followed == 0


@pytest.mark.parametrize(
    ("value", "gram_std", "labels", "std"), [(100, 60, 60, 10), (66, 75, 60, 24)]
)
def test_every_sum_of_residuals_brings_coefficients_nearer(value, gram_std, labels, std):
    """Of 60 equal eigenvalues that noise hides shrinking removes nearly all of it, for sums of
    residuals as for the first sum of labels: six sums, each at the mean so far, take the squared
    error down every time, to a quarter of zero's at most.
    """
    rng, d, errors = np.random.default_rng(3), 60, np.zeros(7)
    for _ in range(10):
        noise, theta = rng.normal(0, gram_std, (d, d)), 0.3 * rng.standard_normal(d)
        gram, square = value * np.eye(d) + (noise + noise.T) / 2, value * theta @ theta
        first = NoisySum(value * theta + rng.normal(0, labels, d), labels, np.zeros(d), 1.0)
        observed = Evidence(gram, gram_std, (first,), 1.1 * float(square), 1e-3, 9e3, 1e-3)
        for turn in range(len(errors)):
            mean = posterior(observed, 1.0, Prior()).mean
            errors[turn] += np.sum((mean - theta) ** 2) / (10 * 0.09 * d)
            left = value * (theta - mean) + rng.normal(0, std, d)
            observed = observed.with_moment(NoisySum(left, std, mean, 0.1))
    assert np.all(np.diff(errors) < 0)
    assert errors[-1] < 1 / 4
