"""Noise in whole numbers and randomised response: laws, draws, guarantees, refusals."""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import dpframe as dp
from dpframe.randomness import SystemBits
from dpframe.symbols import Number, exact, log
from tests.randomness.fits import LEAST, fit
from tests.support import samples
from tests.support.oracles import mpf, value

N = 20_000


@pytest.mark.parametrize("cls", [dp.DiscreteLaplace, dp.DiscreteGaussian])
def test_arguments_of_draws(cls):
    """Bits are taken in place of a generator, and a seed is refused; so is a size beyond draws of
    64-bit integers.
    """
    assert cls.sample(9.0, (3, 3), SystemBits(), symmetric=True).shape == (3, 3)
    assert dp.mechanisms.RandomizedResponse(1).sample([0, 1], SystemBits()).shape == (2,)
    for bad in (None, 7):
        with pytest.raises(dp.InvalidArgument, match="rng"):
            cls.sample(9.0, (3,), bad, symmetric=False)
    for size in (0, -1.0, 2.0**51, float("nan"), float("inf")):
        with pytest.raises(dp.InvalidArgument):
            cls.sample(size, (2,), np.random.default_rng(1), symmetric=False)


RESPONSES = {
    "two": dp.mechanisms.RandomizedResponse(1),
    "five": dp.mechanisms.RandomizedResponse("1/2", categories=5),
    "log 3": dp.mechanisms.RandomizedResponse.answering_at_random("1/2"),
    "log 41": dp.mechanisms.RandomizedResponse.answering_at_random("1/9", categories=5),
}


def chances(mechanism, truth):
    """The exact chance of each answer, at 50 digits."""
    k = mechanism.categories
    with mpmath.workdps(50):
        odds = mpmath.exp(value(mechanism.epsilon, {}))
        return [(odds if a == truth else 1) / (odds + k - 1) for a in range(k)]


@pytest.mark.parametrize("mechanism", RESPONSES.values(), ids=RESPONSES)
def test_answers_have_their_law(mechanism):
    """Chi-square for each truth, and not for another; `probabilities` are the exact ones."""
    k = mechanism.categories
    truths = np.repeat(np.arange(k), N)
    answers = mechanism.sample(truths, np.random.default_rng(26))
    assert answers.shape == truths.shape
    for truth in range(k):
        counts = np.bincount(answers[truths == truth], minlength=k)
        law = np.array([float(p) for p in chances(mechanism, truth)])
        assert fit(counts, law) > LEAST
        assert fit(counts, np.roll(law, 1)) < LEAST
        assert np.allclose(mechanism.probabilities(truth), law, rtol=1e-15)
    assert mechanism.probabilities(np.zeros((2, 3), int)).shape == (2, 3, k)


@pytest.mark.parametrize("mechanism", RESPONSES.values(), ids=RESPONSES)
def test_the_loss_is_that_of_the_chances(mechanism):
    """E e^(zL) by summation over the answers to two truths."""
    loss = mechanism.loss()
    P, Q = chances(mechanism, 0), chances(mechanism, 1)
    z = np.array([0.5, 3.0, 1 + 2j])
    got, error = loss.cumulants(loss.stack([loss]), z)
    with mpmath.workdps(50):
        for point, cumulant, bound in zip(z, got[0], error[0], strict=True):
            u = mpmath.mpmathify(point)
            truth = mpmath.log(mpmath.fsum(p * (p / q) ** u for p, q in zip(P, Q, strict=True)))
            ratio = mpmath.exp(truth - mpmath.mpmathify(cumulant))  # blind to multiples of 2 pi i
            assert abs(ratio - 1) <= 1.01 * bound < 1e-13
        worst = max(mpmath.log(p / q) for p, q in zip(P, Q, strict=True))
        assert abs(worst - value(mechanism.epsilon, {})) < 1e-40
    assert mechanism.guarantee(exact(1)) == dp.PureDP(mechanism.epsilon)


def test_answering_at_random_with_probability_a_half():
    """The true answer is three times as likely: epsilon = log 3."""
    mechanism = dp.mechanisms.RandomizedResponse.answering_at_random("1/2")
    assert mechanism.epsilon == log(3)
    assert mechanism.loss() == dp.pld.OddsLoss(2, 2)
    assert mechanism.guarantee(exact(2)) == dp.PureDP(2 * log(3))


def test_answers_keep_their_shape_and_come_from_the_generator():
    """Any shape of whole numbers, also one or none; equal generators give equal answers."""
    mechanism = dp.mechanisms.RandomizedResponse(2, 4)
    for values in (3, [], [[0, 1], [2, 3]], np.zeros((2, 0, 3), np.uint8)):
        values = np.asarray(values, dtype=int)  # noqa: PLW2901 - an array of that shape
        a, b = (mechanism.sample(values, np.random.default_rng(5)) for _ in range(2))
        assert a.shape == values.shape
        assert np.array_equal(a, b)
    assert (mechanism.sample(np.zeros(0, int), np.random.default_rng(5))).size == 0


@pytest.mark.parametrize("bad", [[4], [-1], [0.5], ["a"], [True], None, 1.0])
def test_a_value_that_is_no_category_is_refused(bad):
    """Before anything is drawn."""
    mechanism = dp.mechanisms.RandomizedResponse(2, 4)
    with pytest.raises(dp.InvalidArgument, match="value"):
        mechanism.sample(bad, np.random.default_rng(5))
    with pytest.raises(dp.InvalidArgument, match="value"):
        mechanism.probabilities(bad)


RESPONSE = dp.mechanisms.RandomizedResponse
WRONG = {
    "epsilon": (RESPONSE, [0, -1, float("nan"), True, None, log(1), log("1/2")]),
    "categories": (lambda bad: RESPONSE(1, bad), [1, 0, 2.0, True, "2", None]),
    "probability": (RESPONSE.answering_at_random, [0, 1, -1, 2, float("nan"), True]),
}


@pytest.mark.parametrize("name", WRONG)
def test_bad_arguments_of_a_response_are_refused(name):
    """An epsilon > 0, also as the log of odds above 1; at least two categories; a chance of a
    random answer in (0, 1).
    """
    make, outside = WRONG[name]
    for bad in outside:
        with pytest.raises(dp.InvalidArgument, match=name):
            make(bad)


def test_half_a_change_is_no_sensitivity_of_answers():
    """An answer that changes costs all of epsilon, so fractions are refused; so are symbols."""
    mechanism = dp.mechanisms.RandomizedResponse(1)
    for bad in (Fraction(1, 2), 0, -1, dp.EPSILON):
        with pytest.raises(dp.InvalidArgument, match="sensitivity"):
            mechanism.guarantee(exact(bad))
        with pytest.raises(dp.InvalidArgument, match="sensitivity"):
            mechanism.loss(bad)
    with pytest.raises(dp.InvalidArgument, match="once for every answer"):
        mechanism.loss(2)


def test_a_symbolic_response_is_declared_but_not_drawn():
    """epsilon may be a parameter; its loss and its draws need a number. No response is released: it
    answers for values, and adds no noise to a statistic.
    """
    mechanism = dp.mechanisms.RandomizedResponse(dp.EPSILON)
    assert mechanism.guarantee(exact(1)) == dp.PureDP(dp.EPSILON)
    for use in (mechanism.loss, lambda: mechanism.sample([0], np.random.default_rng(1))):
        with pytest.raises(dp.InvalidArgument, match="epsilon"):
            use()
    X, _ = samples.setting().nodes()
    with pytest.raises(dp.InvalidArgument, match="accounted"):
        dp.release(dp.count(X), dp.mechanisms.RandomizedResponse(1))


def renyi(order, P, Q):
    """The Renyi divergence of two laws at 40 digits."""
    terms = (mpmath.exp(order * p - (order - 1) * q) for p, q in zip(P, Q, strict=True))
    return mpmath.log(mpmath.fsum(terms)) / (order - 1)


@pytest.mark.parametrize("std", [Fraction(2, 5), Fraction(1), Fraction(5, 2)])
@pytest.mark.parametrize("shift", [1, 3])
def test_discrete_gaussian_divergences_are_inside_zcdp(std, shift):
    """D_a <= rho a for orders a from 1.001 to 50, by summation; and no smaller rho would do."""
    rho = dp.DiscreteGaussian(std).guarantee(exact(shift)).rho
    with mpmath.workdps(40):
        xs = range(-500, 501)
        total = mpmath.log(mpmath.fsum(mpmath.exp(-((x / mpf(std)) ** 2) / 2) for x in xs))
        P, Q = (
            [-(((x - s) / mpf(std)) ** 2) / 2 - total for x in xs] for s in (mpf(0), mpf(shift))
        )
        rates = [
            renyi(mpf(a), P, Q) / mpf(a) for a in (Fraction(1001, 1000), Fraction(3, 2), 2, 7, 50)
        ]
        assert max(rates) <= mpf(rho.value) * (1 + mpf("1e-30"))
        assert max(rates) >= mpf(rho.value) * (1 - mpf("1e-30"))


@pytest.mark.parametrize("size", [Fraction(1, 5), Fraction(1, 2), Fraction(1), Fraction(7, 2)])
def test_the_deviation_of_noise_in_whole_numbers(size):
    """sqrt(2a)/(1 - a) is the root of the Laplace variance by summation; the Gaussian one is at
    most sigma, and within 1e-6 of it from 1 on.
    """

    def deviation(weight):
        weights = [(x, weight(abs(x) / mpf(size))) for x in range(-600, 601)]
        total = mpmath.fsum(w for _, w in weights)
        return mpmath.sqrt(mpmath.fsum(x * x * w for x, w in weights) / total)

    with mpmath.workdps(40):
        laplace = deviation(lambda x: mpmath.exp(-x))
        assert abs(value(dp.DiscreteLaplace(size).deviation, {}) / laplace - 1) < 1e-30
        gaussian = deviation(lambda x: mpmath.exp(-(x**2) / 2))
        assert gaussian <= mpf(size)
        assert size < 1 or gaussian >= mpf(size) * (1 - mpf("1e-6"))


def test_losses_of_noise_in_whole_numbers():
    """scale 1/rate, variance std^2, also of an irrational std; the shift is the sensitivity. At an
    L2 sensitivity below sqrt(2) one coordinate moves by 1; at a larger one a vector has a zCDP
    guarantee only, and the error says so.
    """
    assert dp.DiscreteLaplace("5/2").loss(3) == dp.pld.DiscreteLaplaceLoss(Fraction(2, 5), 3)
    gaussian = dp.DiscreteGaussian(dp.sqrt(10))
    assert gaussian.loss(2, one_coordinate=True) == dp.pld.DiscreteGaussianLoss(10, 2)
    for below in (1, "1.4"):
        assert gaussian.loss(below) == dp.pld.DiscreteGaussianLoss(10, 1)
    for arguments in ({}, {"one_coordinate": False}, {"one_coordinate": 1}):
        with pytest.raises(dp.InvalidArgument, match="accountant='zcdp'"):
            gaussian.loss("1.5", **arguments)


def test_discrete_gaussian_noise_is_composed_by_its_exact_law():
    """The profile of two releases by convolution of the masses, at 50 digits; the certified
    interval contains it. Brute force: a whole vector with 2-norm below sqrt(2) moves one entry.
    """
    variance, reach = 3, 60
    with mpmath.workdps(50):
        mass = {x: mpmath.exp(-mpf(x * x) / (2 * variance)) for x in range(-reach, reach + 1)}
        total = mpmath.fsum(mass.values())
        delta = mpmath.fsum(
            mpmath.fdiv(max(a * b - mpmath.e * p * q, 0), total**2)
            for x, (a, p) in pairs_of(mass).items()
            for z, (b, q) in pairs_of(mass).items()
        )
        found = dp.compose((dp.DiscreteGaussian(dp.sqrt(variance)), 2)).delta(1)
        assert found.lower <= delta + mpf("1e-30")
        assert delta <= found.upper <= delta + mpf("1e-9")
    target = dp.ApproxDP(1, "1e-6")
    exact = dp.calibrate(dp.DiscreteGaussian(std=1), target=target).factor
    assert exact < dp.calibrate(dp.DiscreteGaussian(std=1), target=target, accountant="zcdp").factor
    for v in itertools.product(range(-2, 3), repeat=3):
        if 0 < sum(x * x for x in v) < 2:
            assert sorted(map(abs, v)) == [0, 0, 1]


def pairs_of(mass):
    """The mass at x and at x - 1."""
    return {x: (p, mass[x - 1]) for x, p in mass.items() if x - 1 in mass}


@pytest.mark.parametrize("bad", [Fraction(1, 2), Fraction(5, 2), 0, -1, True, dp.EPSILON])
def test_whole_numbers_move_by_whole_numbers(bad):
    """A loss at a sensitivity that is no whole number is refused."""
    for loss in (
        lambda: dp.DiscreteLaplace(1).loss(bad),
        lambda: dp.DiscreteGaussian(1).loss(bad, one_coordinate=True),
    ):
        with pytest.raises(dp.InvalidArgument):
            loss()


def test_the_rho_of_an_approximate_share_is_the_largest():
    """At the std for (epsilon, delta), rho + 2 sqrt(rho log(1/delta)) = epsilon."""
    for epsilon, delta in (("1/10", "1e-6"), (1, "1e-9"), (20, "0.3")):
        share = dp.ApproxDP(epsilon, delta).budget
        found = dp.DiscreteGaussian.concentrated.calibrate(share, Number(Fraction(3)))
        rho = value(found.guarantee(exact(3)).rho, {})
        with mpmath.workdps(40):
            spent = rho + 2 * mpmath.sqrt(rho * -mpmath.log(mpf(Fraction(delta))))
            assert abs(spent / mpf(Fraction(epsilon)) - 1) < 1e-35
    share = dp.ZeroConcentratedDP("1/8").budget
    assert dp.DiscreteGaussian.concentrated.calibrate(share, exact(3)) == dp.DiscreteGaussian(6)


STATED = {
    "stated laplace": (lambda share: dp.DiscreteLaplace(1), None),
    "stated gaussian": (lambda share: dp.DiscreteGaussian(1), None),
    "laplace": (lambda share: dp.DiscreteLaplace.pure, dp.PureDP(1)),
    "gaussian": (lambda share: dp.DiscreteGaussian.concentrated, dp.ZeroConcentratedDP(1)),
}


@pytest.mark.parametrize(("make", "target"), STATED.values(), ids=STATED)
def test_only_whole_statistics_are_released_with_noise_in_whole_numbers(make, target):
    """A fraction plus whole noise tells the fraction: X'X is refused, n is not."""
    X, _ = samples.setting().nodes()
    share = None if target is None else target.budget
    with pytest.raises(dp.InvalidArgument, match="not known to be in whole numbers"):
        dp.release(X.T @ X, make(share), share)
    assert dp.release(dp.count(X), make(share), share).exact
