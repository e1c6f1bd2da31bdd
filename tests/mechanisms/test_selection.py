"""How selections draw: frequencies against exact laws; what noisy maxima are, by quadrature."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy import special

import dpframe as dp
from dpframe.audits.lower_bounds.exact_laws import LAWS, PRECISION
from dpframe.numerics import working
from dpframe.randomness import SystemBits, as_bits

EXPONENTIAL = (dp.mechanisms.ExponentialSelection, dp.mechanisms.GumbelSelection)
FLIPPING = (dp.mechanisms.PermuteAndFlipSelection, dp.mechanisms.ExponentialNoiseSelection)
every = pytest.mark.parametrize("cls", [*EXPONENTIAL, *FLIPPING], ids=lambda cls: cls.__name__)
LEAST, N = 1e-6, 40_000
HALF = Fraction(1, 2)
BITS = Fraction(1 / math.log(2))  # the scale at which weights are powers of 1/2


def softmax(scores):
    """The exponential mechanism's law at base 2, by its definition."""
    weights = [Fraction(2) ** score for score in scores]
    return [weight / sum(weights) for weight in weights]


def flipped(scores):
    """Permute-and-flip's law at base 2: an average over every order of the candidates."""
    coins = [HALF ** (max(scores) - score) for score in scores]
    law = [Fraction(0)] * len(scores)
    for order in itertools.permutations(range(len(scores))):
        left = Fraction(1, math.factorial(len(scores)))
        for i in order:
            law[i] += left * coins[i]
            left *= 1 - coins[i]
    return law


def law_of(cls, scores):
    """At base 2."""
    return [float(p) for p in (softmax if cls in EXPONENTIAL else flipped)(scores)]


def drawn(cls, rows, scale, seed):
    """Indices of rows of scores, by a simulation."""
    return cls.chosen(np.asarray(rows), scale, as_bits(np.random.default_rng(seed)))


<<<<<<< HEAD
def counted(cls, scores, scale, seed, n=N):
    """How often each candidate of one row was drawn."""
    found = drawn(cls, np.tile(scores, (n, 1)), scale, seed)
    return np.bincount(found, minlength=len(scores))
=======
@pytest.mark.some(1, most=0)
@every
@pytest.mark.parametrize("scores", INTEGERS, ids=str)
def test_probabilities_are_exact(cls, scores):
    """Brute force at base 2, to 1e-13; and not the other family's law."""
    law = (softmax if cls in EXPONENTIAL else flipped)(scores)
    found = cls(scale=BITS).probabilities(scores)
    assert np.allclose(found, [float(p) for p in law], rtol=1e-13, atol=0)
    other = (flipped if cls in EXPONENTIAL else softmax)(scores)
    assert law == other or not np.allclose(found, [float(p) for p in other], rtol=1e-3)


@pytest.mark.parametrize("cls", FLIPPING, ids=lambda cls: cls.__name__)
def test_noisy_max_by_quadrature(cls):
    """P[i] = integral of the density of i's exponential noise times the others' distribution."""
    scores = [0.3, 1.7, 1.1, -0.4]
    with mp.workdps(30):
        for i, own in enumerate(scores):
            cuts = sorted({max(0, s - own) for s in scores})

            def inside(x, own=own, i=i):
                others = (max(mpf(0), x + own - s) for j, s in enumerate(scores) if j != i)
                return mp.exp(-x) * mp.fprod(1 - mp.exp(-gap) for gap in others)

            want = mp.quad(inside, [*cuts, mp.inf])
            got = cls(scale=1).probabilities(scores)[i]
            assert abs(got / want - 1) < 1e-12


@pytest.mark.parametrize("cls", EXPONENTIAL, ids=lambda cls: cls.__name__)
def test_gumbel_noisy_max_by_quadrature(cls):
    """P[i] = integral of i's Gumbel density times the others' distribution functions."""
    scores = [0.3, 1.7, -0.4]
    with mp.workdps(30):
        for i, own in enumerate(scores):

            def inside(x, own=own, i=i):
                others = (mp.exp(-mp.exp(s - own - x)) for j, s in enumerate(scores) if j != i)
                return mp.exp(-x - mp.exp(-x)) * mp.fprod(others)

            want = mp.quad(inside, [-6, -2, 0, 2, 5, 10, 40, 100])
            assert abs(cls(scale=1).probabilities(scores)[i] / want - 1) < 1e-12


@every
def test_probabilities_are_stable(cls):
    """Vast scores neither overflow nor lose the logarithm; a shift of all scores changes nothing;
    200 equal candidates share evenly.
    """
    found = cls(scale=1).log_probabilities([0.0, 1e300, -1e300, 1e300 - 1e284])
    assert found[1] == 0.0
    assert found[0] == found[0] <= -1e299
    wide = cls(scale=1).log_probabilities([[0.0, -2000.0], [0.0, -800.0]])
    half = math.log(2) if cls in FLIPPING else 0.0
    assert np.allclose(wide[:, 1], [-2000.0 - half, -800.0 - half], rtol=1e-12)
    scores = np.array([1.0, 2.5, -3.0])
    assert np.array_equal(*(cls(scale=2).probabilities(scores + c) for c in (0.0, 1024.0)))
    assert np.allclose(cls(scale=1).probabilities(np.ones(200)), 1 / 200, rtol=1e-12)
>>>>>>> tests


def chi_square(counts, law):
    """The p-value of Pearson's statistic."""
    expected = np.asarray(law) * counts.sum()
    return special.gammaincc((len(law) - 1) / 2, np.sum((counts - expected) ** 2 / expected) / 2)


def exponential_noise(scores, i):
    """P[i]: the density of i's exponential noise times the others' distribution functions."""
    own = scores[i]
    cuts = sorted({max(0, s - own) for s in scores})

    def inside(x):
        others = (max(mpf(0), x + own - s) for j, s in enumerate(scores) if j != i)
        return mp.exp(-x) * mp.fprod(1 - mp.exp(-gap) for gap in others)

    return mp.quad(inside, [*cuts, mp.inf])


def gumbel_noise(scores, i):
    """The same of Gumbel noise."""

    def inside(x):
        others = (mp.exp(-mp.exp(s - scores[i] - x)) for j, s in enumerate(scores) if j != i)
        return mp.exp(-x - mp.exp(-x)) * mp.fprod(others)

    return mp.quad(inside, [-6, -2, 0, 2, 5, 10, 40, 100])


def laplace_noise(scores, i):
    """The same of Laplace noise."""
    density = lambda x: mp.exp(-abs(x)) / 2  # noqa: E731
    below = lambda x: density(x) if x < 0 else 1 - density(x)  # noqa: E731

    def inside(x):
        return density(x - scores[i]) * mp.fprod(
            below(x - s) for s in (*scores[:i], *scores[i + 1 :])
        )

    return mp.quad(inside, [-mp.inf, *sorted(set(scores)), mp.inf])


NOISES = {
    **dict.fromkeys(EXPONENTIAL, gumbel_noise),
    **dict.fromkeys(FLIPPING, exponential_noise),
    dp.mechanisms.LaplaceSelection: laplace_noise,
}


@pytest.mark.parametrize("cls", NOISES, ids=lambda cls: cls.__name__)
def test_noisy_maxima_by_quadrature(cls):
    """The law that attacks hold a selection to is that of the largest score with its noise."""
    scores = [Fraction("0.3"), Fraction("1.7"), Fraction("0.3"), Fraction("-0.4")]
    with mp.workdps(30), working(PRECISION):
        for i, one in enumerate(LAWS[cls](scores)):
            want = NOISES[cls]([mpf(s.numerator) / s.denominator for s in scores], i)
            assert abs(mpf(one.mid().str(40, radius=False)) / want - 1) < 1e-12


@every
def test_the_sampler_has_its_law(cls):
    """Frequencies against exact probabilities by chi-square; a scale wrong by 0.7 or 1.3, and the
    other family's law, are noticed with the same draws.
    """
    scores = (0, 3, 2, 2, -1)
    counts, law = counted(cls, scores, BITS, 5), law_of(cls, scores)
    assert chi_square(counts, law) > LEAST
    for factor in (Fraction(7, 10), Fraction(13, 10)):
        with working(PRECISION):
            wrong = LAWS[cls]([s / (BITS * factor) for s in scores])
        assert chi_square(counts, [float(p.mid()) for p in wrong]) < LEAST
    other = (flipped if cls in EXPONENTIAL else softmax)(scores)
    assert chi_square(counts, [float(p) for p in other]) < LEAST


@every
def test_rows_are_independent_of_each_other(cls):
<<<<<<< HEAD
    """Each row by its own law."""
    rows = [(0, 0, 4), (4, 0, 0), (1, 1, 1)]
    draws = drawn(cls, np.repeat(rows, N // 10, axis=0), BITS, 6).reshape(3, -1)
    for own, found in enumerate(draws):
        counts = np.bincount(found, minlength=3)
        assert chi_square(counts, law_of(cls, rows[own])) > LEAST
        assert chi_square(counts, law_of(cls, rows[(own + 1) % 3])) < LEAST
=======
    """(3, N/10, m) scores give (3, N/10) indices, each row by its own law."""
    rows = np.array([[0.0, 0.0, 4.0], [4.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    tiled = np.repeat(rows[:, None, :], N // 10, axis=1)
    mechanism = cls(scale=1)
    draws = mechanism.sample(tiled, np.random.default_rng(6))
    assert draws.shape == (3, N // 10)
    laws = mechanism.probabilities(rows)
    for own, row in enumerate(draws):
        counts = np.bincount(row, minlength=3)
        assert chi_square(counts, laws[own]) > LEAST
        assert chi_square(counts, laws[(own + 1) % 3]) < LEAST
    assert mechanism.sample([1.0, 2.0], np.random.default_rng(1)).shape == ()


def worst(cls, *, monotone):
    """The largest log ratio found between neighbouring scores, Delta = 1, scale = 1."""
    rng, found = np.random.default_rng(8), 0.0
    mechanism = cls(scale=1, monotone=monotone)
    for m in (2, 3, 5):
        scores = rng.normal(size=(2000, m)) * rng.choice([0.1, 1, 4], size=(2000, 1))
        moves = rng.uniform(-1, 1, size=(2000, m))
        moves[1000:] = np.sign(moves[1000:])
        scores = np.concatenate([scores, *(far(m) for _ in range(1))])
        signs = np.array(list(itertools.product((-1.0, 0.0, 1.0), repeat=m)))
        moves = np.concatenate([moves, np.tile(signs, (len(far(m)) // len(signs) + 1, 1))])
        moves = moves[: len(scores)]
        if monotone:
            moves = np.abs(moves)
        gap = mechanism.log_probabilities(scores + moves) - mechanism.log_probabilities(scores)
        found = max(found, np.abs(gap).max())
    return found


def far(m):
    """Scores with one candidate far behind, many times over."""
    return np.tile(np.append(np.zeros(m - 1), -30.0), (3**m, 1))


@every
@pytest.mark.parametrize("monotone", [False, True])
def test_no_neighbours_exceed_epsilon_and_some_attain_it(cls, monotone):
    """Random and extreme moves: |log P/P'| <= epsilon, and within 1e-9 of it in the limit."""
    epsilon = float(value(cls(scale=1, monotone=monotone).guarantee(dp.constant(1)).epsilon, {}))
    assert epsilon == (1 if monotone else 2)
    found = worst(cls, monotone=monotone)
    assert epsilon * (1 - 1e-9) <= found <= epsilon * (1 + 1e-12)


@every
def test_opposite_moves_break_a_false_claim_of_monotone(cls):
    """The halved epsilon is wrong for scores that move in opposite directions: the search sees."""
    claimed = float(value(cls(scale=1, monotone=True).guarantee(dp.constant(1)).epsilon, {}))
    assert worst(cls, monotone=False) > 1.9 * claimed


def renyi(P, Q, order):
    """The Renyi divergence of two laws, in mpmath."""
    return mp.log(mp.fsum(p**order * q ** (1 - order) for p, q in zip(P, Q, strict=True))) / (
        order - 1
    )


@pytest.mark.parametrize("monotone", [False, True])
def test_the_exponential_mechanism_is_concentrated(monotone):
    """D_a <= a epsilon^2/8 for random neighbours and orders, in mpmath; 0.9 of it is exceeded."""
    rng, tightest = np.random.default_rng(9), 0.0
    with mp.workdps(30):
        for scale in (Fraction(1, 2), Fraction(5), Fraction(50)):
            claim = dp.mechanisms.ExponentialMechanism(scale, monotone=monotone).concentrated(
                dp.constant(1)
            )
            rho = value(claim.rho, {})
            for _ in range(60):
                scores = rng.normal(size=3) * float(scale)
                scores[0] += float(scale) * mp.log(2)  # about even odds are the worst
                moves = rng.choice([0.0, 1.0] if monotone else [-1.0, 1.0], size=3)
                P, Q = (
                    [mp.exp(mpf(float(x)) / mpf(float(scale))) for x in row]
                    for row in (scores, scores + moves)
                )
                P, Q = ([p / mp.fsum(law) for p in law] for law in (P, Q))
                for order in (mpf("1.001"), mpf(2), mpf(8)):
                    ratio = renyi(P, Q, order) / (order * rho)
                    tightest = max(tightest, float(ratio))
    assert 0.9 < tightest <= 1


@pytest.mark.parametrize("cls", FLIPPING, ids=lambda cls: cls.__name__)
def test_permute_and_flip_is_not_concentrated_so(cls):
    """At epsilon = log 2: P = (1/2, 1/2), Q = (3/4, 1/4), so D_2 = log(4/3) > 2 epsilon^2/8 and
    KL = log(4/3)/2 > epsilon^2/8, in interval arithmetic; the class claims no such thing.
    """
    P, Q = flipped((0, 0)), flipped((1, 0))  # the best gains, the other loses: each half of 1 bit
    assert (P, Q) == ([HALF, HALF], [Fraction(3, 4), Fraction(1, 4)])
    assert sum(p * p / q for p, q in zip(P, Q, strict=True)) == Fraction(4, 3)
    divergence, epsilon = iv.log(iv.mpf(4) / 3), iv.log(2)
    assert divergence.a > (2 * epsilon**2 / 8).b
    assert (divergence / 2).a > (epsilon**2 / 8).b
    assert divergence.b < (2 * epsilon**2 / 2).a  # what pure DP implies does hold
    mechanism = cls(scale=BITS)
    gain = HALF  # two scores that move by 1/2 against each other: epsilon = 2 gain log 2
    assert np.allclose(mechanism.probabilities([gain * 1.0, -gain * 1.0]), [0.75, 0.25])
    assert abs(float(mechanism.guarantee(dp.constant(gain)).epsilon.value) - math.log(2)) < 1e-15
    assert not hasattr(mechanism, "concentrated")


def test_permute_and_flip_is_never_worse():
    """Its expected score is at least that of the exponential mechanism. [McKennaS20]"""
    scores = np.random.default_rng(3).normal(size=(500, 6)) * 3
    means = [
        (cls(scale=1).probabilities(scores) * scores).sum(axis=-1)
        for cls in (dp.mechanisms.PermuteAndFlip, dp.mechanisms.ExponentialMechanism)
    ]
    assert (means[0] >= means[1] - 1e-12).all()
    assert (means[0] > means[1] + 1e-3).any()


@every
def test_pure_spends_its_share(cls):
    """The guarantee of the calibrated mechanism is the share, exactly, monotone or not."""
    for monotone in (False, True):
        share = dp.ApproxDP("3/2", "1e-6").budget.split("1/3", "2/3")[0]
        mechanism = cls.pure(share, "7/2", monotone=monotone)
        assert mechanism.guarantee(dp.constant("7/2")) == dp.PureDP(HALF)
        assert mechanism.monotone is monotone
    symbolic = cls.pure(dp.PureDP(dp.EPSILON).budget, 3)
    assert symbolic.guarantee(dp.constant(3)) == dp.PureDP(dp.EPSILON)
    with pytest.raises(dp.InvalidArgument, match="an exact number"):
        symbolic.sample([1.0], np.random.default_rng(0))
    for wrong in (None, 1, dp.PureDP(1), dp.ZeroConcentratedDP(1).budget):
        with pytest.raises(dp.InvalidArgument, match="share"):
            cls.pure(wrong)
    with pytest.raises(dp.InvalidArgument):
        cls.pure(dp.PureDP(1).budget, 0)


@pytest.mark.some(1, most=0)
@every
@pytest.mark.parametrize(
    "scores", [[], 1.0, [math.nan, 1.0], [math.inf, 1.0], [[]], [True, False], ["1"], None]
)
def test_what_are_no_scores_is_refused(cls, scores):
    """Empty, infinite, not numbers: errors, by the sampler and by the law."""
    for use in (
        lambda m: m.sample(scores, np.random.default_rng(0)),
        lambda m: m.probabilities(scores),
    ):
        with pytest.raises(dp.InvalidArgument, match="scores"):
            use(cls(scale=1))


@pytest.mark.some(1, most=0)
@every
@pytest.mark.parametrize("scale", [0, -1, math.nan, math.inf, True, None, "x"])
def test_what_is_no_scale_is_refused(cls, scale):
    """A positive number or a formula."""
    with pytest.raises(dp.InvalidArgument):
        cls(scale=scale)
    with pytest.raises(dp.InvalidArgument, match="monotone"):
        cls(scale=1, monotone=1)


@every
def test_a_selection_has_the_loss_of_its_epsilon_and_is_not_released(cls):
    """Accounted as randomised response at its epsilon; a graph refuses it and says why."""
    assert cls(scale=4).loss(1) == dp.pld.ResponseLoss(HALF)
    X = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE).nodes()[0]
    with pytest.raises(dp.InvalidArgument, match="accounted, not released"):
        dp.release(dp.count(X), cls(scale=4))
>>>>>>> tests


@every
def test_scores_are_taken_as_they_are(cls):
    """Whole scores that doubles cannot tell apart, 2^60 and 2^60 + 1, have the law of 0 and 1, and
    not that of equal ones: gaps are exact, nothing is rounded.
    """
    counts = counted(cls, [2**60, 2**60 + 1], BITS, 6)
    assert chi_square(counts, law_of(cls, (0, 1))) > LEAST
    assert chi_square(counts, [0.5, 0.5]) < LEAST


@every
@pytest.mark.parametrize("power", [-1000, 1000])
def test_scales_beyond_doubles(cls, power):
    """At scale 2^1000/log 2, scores in units of 2^1000 have the law of their units; 2^-1000 too."""
    scores, unit = (0, 1, 1), Fraction(2) ** power
    counts = counted(cls, np.array(scores) * 2.0**power, BITS * unit, 7, 4000)
    assert chi_square(counts, law_of(cls, scores)) > LEAST
    assert chi_square(counts, [1 / 3] * 3) < LEAST


@every
def test_a_selection_has_the_loss_of_its_epsilon(cls):
    """Accounted as randomised response at its epsilon; drawn from the operating system's bits."""
    assert cls(scale=4).loss(2) == dp.pld.ResponseLoss(HALF)
    found = cls.chosen(np.array([[0, 1, 2]] * 50), Fraction(1), SystemBits())
    assert set(found.tolist()) <= {0, 1, 2}


def test_one_good_candidate_among_many():
    """Of 20000 candidates the only likely one is found, by ever more tries at once."""
    scores = np.full((3, 20_000), -100.0)
    scores[[0, 1, 2], [7, 19_999, 0]] = 0
    draws = drawn(dp.mechanisms.ExponentialSelection, scores, Fraction(1), 8)
    assert draws.tolist() == [7, 19_999, 0]
