"""Any program: leaks are found, and an attack passes over no failure."""

import json
from unittest import mock

import numpy as np
import pytest

import dpframe as dp
from dpframe.audits.lower_bounds.two_tables import TwoTables
from dpframe.execution.draws import ExactDraw, in_doubles
from dpframe.mechanisms import Gaussian
from dpframe.randomness import Randomness
from tests.lower_bounds import attacked_cases as cases

# ------------------------------------------------ What leaks is found, what does not is not flagged
D, E, SURE = np.ones((3, 2)), np.ones((2, 2)), 1 - 1e-6


def attacked(run, **options):
    """At epsilon = 1, from a fixed seed; wrong once in a million."""
    given = {"on": (D, E), "claim": dp.PureDP(1), "draws": 3000, "seed": 1, "confidence": SURE}
    return dp.attack(run, **given | options)


noise = np.random.default_rng


def private(X, seed):
    """A count with enough noise."""
    return len(X) + noise(seed).laplace(0.0, 1.0)


LEAKS = {
    "half the noise": lambda X, seed: len(X) + noise(seed).laplace(0.0, 0.5),
    "no noise": lambda X, seed: float(len(X)),
    "reused noise": lambda X, seed: np.array([1, 2]) * len(X) + noise(seed).laplace(0.0, 1.0),
    "the number of answers": lambda X, seed: noise(seed).normal(size=len(X)),
    "a crash": lambda X, seed: 1 / (len(X) - 2),
    "nan": lambda X, seed: np.nan if len(X) == 3 else 0.0,
    "a seldom confession": lambda X, seed: (
        float(len(X)) if noise(seed).random() < 0.1 else noise(seed).normal()
    ),
    "a spread": lambda X, seed: noise(seed).normal(0.0, len(X) ** 2, size=2),
    "a ring": lambda X, seed: ring(noise(seed), len(X)),
    "a text": lambda X: f"n={len(X)}",
    "a complex number": lambda X: 1j * len(X),
    "a mapping": lambda X, seed: {"b": np.zeros(2), "a": len(X) + noise(seed).laplace() / 2},
}


def ring(rng, n):
    """A point on a circle whose radius tells n, at a random angle: no mean or covariance does."""
    angle, radius = rng.uniform(0, 2 * np.pi), 1.0 if n == 3 else 1.5
    far = radius * (1 if rng.random() < 0.5 else 3.0 / radius)
    return [far * np.cos(angle), far * np.sin(angle)]


@pytest.mark.some(3)
@pytest.mark.parametrize("name", LEAKS)
def test_leaks_are_found(name):
    """Each of them, on neighbours of 3 rows and 2."""
    found = attacked(LEAKS[name])
    assert found.flagged, str(found)


def test_what_is_private_is_not_flagged():
    """And the bound comes near."""
    found = attacked(private, draws=8000)
    assert not found.flagged
    assert 0.7 < found.epsilon <= 1


@pytest.mark.some(1, most=10)
@pytest.mark.parametrize("seed", range(40))
def test_false_alarms_are_rare(seed):
    """At confidence 0.5, noise alone is flagged in fewer than half of the runs: here in none."""
    found = attacked(lambda X, seed: noise(seed).laplace(), draws=400, seed=seed, confidence=0.5)
    assert not found.flagged


def test_the_seed_decides_all():
    """One seed, one record; another seed, another."""
    first, again, other = (attacked(private, seed=seed).record() for seed in (1, 1, 2))
    assert first == again
    assert first["findings"] != other["findings"]
    json.dumps(first, allow_nan=False)


def test_without_a_seed_bits_are_the_operating_system_s():
    """And the page says so."""
    found = dp.attack(dp.Laplace(scale=1), draws=2000)
    assert found.source == "operating system"
    assert "operating system" in str(found)


def test_labels_and_programs_without_a_seed():
    """run(X, y), and run(X) that draws by itself."""
    rng = np.random.default_rng(0)
    tables = ((D, np.ones(3)), (E, np.ones(2)))
    found = attacked(lambda X, y: X.T @ y + rng.laplace(0, 0.5, 2), on=tables)
    assert found.flagged
    assert attacked(lambda X: len(X) + rng.laplace(0, 0.5)).flagged


def test_approximate_claims_leave_room():
    """(eps, delta) claims are held to what they imply, no more."""
    claim = dp.ApproxDP("1/2", "1/10")

    def confesses(X, seed):
        return float(len(X)) if noise(seed).random() < 0.09 else 0.0

    assert not attacked(confesses, claim=claim, draws=6000).flagged
    assert attacked(confesses, claim=dp.ApproxDP("1/2", "1/20"), draws=6000).flagged


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"claim": None}, "claim"),
        ({"on": None}, "on"),
        ({"on": (D,)}, "on"),
        ({"draws": 10}, "draws"),
        ({"confidence": 1}, "confidence"),
        ({"seed": -1}, "rng"),
        ({"claim": "private"}, "claim"),
        ({"claim": dp.PureDP(dp.EPSILON)}, "claim"),
        ({"sensitivity": 0}, "sensitivity"),
    ],
)
def test_wrong_arguments_are_refused_in_words(wrong, said):
    """By name, before anything is run."""
    with pytest.raises(dp.InvalidArgument, match=said):
        attacked(private, **wrong)


@pytest.mark.parametrize("target", [dp.SSP, dp.SSP(), 3, "SSP", dp.PureDP(1)])
def test_what_cannot_be_run_is_refused_with_a_way_out(target):
    """A declaration is certified first."""
    with pytest.raises(dp.InvalidArgument, match="certif"):
        attacked(target)


def test_unproved_declarations_are_attacked_too():
    """A declaration that spends too much is flagged at its own claim; one that lacks numbers is
    refused.
    """

    class Twice(dp.Regression):
        """All of the budget, twice."""

        def declare(self, X, y, budget):
            """Two releases."""
            first = dp.release(X.T @ y, dp.Gaussian.analytic, budget, name="first")
            second = dp.release(X.T @ y, dp.Gaussian.analytic, budget, name="second")
            return dp.post(lambda a, b: a + b, first, second)

    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    target = dp.GaussianDP(1)
    with pytest.raises(dp.DPFrameError):
        dp.certify(Twice(), target=target, setting=setting)
    run = dp.audits.unproved(Twice(), target=target, setting=setting, label="NOT PRIVATE")
    found = attacked(run, on=None, claim=None, draws=8000)
    assert found.flagged
    assert found.mu > 1.1
    free = dp.certify(dp.SSP(), target=dp.ApproxDP(dp.EPSILON, "1e-6"), setting=setting)
    with pytest.raises(dp.DPFrameError, match="epsilon"):
        dp.attack(free)


# --------------------- What an attack must not pass over: failures, low bits, noise that comes back
ON = ((D, np.ones(3)), (E, np.ones(2)))
DRAWN = Gaussian.on_grid


def at_one(run, **options):
    """On labels, too, by few draws."""
    return attacked(run, **{"on": ON, "draws": 400, **options})


def test_a_seed_is_given_by_name_and_to_nothing_else():
    """A keyword leaks the count exactly; a default epsilon is no seed."""
    assert at_one(lambda X, y, *, seed: len(X)).flagged
    rng = np.random.default_rng(3)
    assert not at_one(lambda X, y, epsilon=1.0: len(X) + rng.laplace(scale=1 / epsilon)).flagged


def failing(X, y, seed):
    """No answer at all."""
    raise KeyError("x")


@pytest.mark.parametrize(
    "run", [failing, lambda X, y, rng: 0, lambda X: 0, lambda X, y: None, lambda X, y: object()]
)
def test_what_never_answers_is_refused(run):
    """Instead of a page that says that the claim held."""
    with pytest.raises(dp.InvalidArgument):
        at_one(run)


def test_failures_are_counted():
    """The page says how many runs failed."""
    found = at_one(lambda X, y: 1 / (len(X) - 2))
    assert found.flagged
    assert "400 of 800 runs failed (ZeroDivisionError)" in str(found)


@pytest.mark.parametrize("seed", range(6))
def test_low_bits_are_named_and_refute_nothing(seed):
    """A correct mechanism in doubles: seeds of which five in seven were flagged."""
    found = dp.attack(dp.Laplace(scale=1), draws=2000, seed=seed)
    assert not found.flagged, str(found)
    assert found.floating is ("FLOATING POINT" in str(found))
    assert found.epsilon <= 1


@pytest.mark.parametrize(
    "on",
    [
        ON[:1] * 2,
        ((np.ones((20, 2)), np.ones(20)), ON[1]),
        (ON[0], (D, np.array([1, 1, 0]))),
        (ON[0], (np.ones((2, 3)), np.ones(2))),
    ],
    ids=["equal", "20 rows", "replaced", "columns"],
)
def test_tables_that_are_no_neighbours_are_refused(on):
    """Of a certificate and of a program."""
    with pytest.raises(dp.InvalidArgument, match="on must be"):
        at_one(cases.proof_of(dp.SSP, dp.ADD_REMOVE), on=on, claim=None)
    with pytest.raises(dp.InvalidArgument, match="on must be"):
        at_one(lambda X, y: 0, on=on)


def again(size, n, bits):
    """Noise of one seed, in every call."""
    return DRAWN(size, n, Randomness.of(7).bits)


def same(self, run, randomness):
    """One draw for all numbers of a release."""
    size, unit = self.sizes[run.grid_step]
    noise = DRAWN(size, int(np.prod((*self.copies, 1))), randomness.bits)
    return in_doubles(run.whole + noise.astype(object).reshape(*self.copies, 1), unit)


FAULTS = {
    "the same in every call": (Gaussian, "on_grid", staticmethod(again)),
    "the same in every number": (ExactDraw, "_noisy", same),
}


def fresh():
    """All numbers of noise of two runs of a certificate differ."""
    proof, randomness = cases.proof_of(dp.SSP, dp.ADD_REMOVE), Randomness.of(1)
    pair, numbers = cases.regression_attack(dp.SSP, dp.ADD_REMOVE).pair, []
    for _ in range(2):
        both = TwoTables.of(proof, pair, randomness)
        for release, _ in (both.releases(*drawn) for drawn in both.draws(0)):
            noise = release.many(1, randomness)[0] - release.mean
            upper = np.triu(np.ones(noise.shape)) > 0 if noise.ndim == 2 else ...
            numbers += np.ravel(noise[upper]).tolist()
    return len(set(numbers)) == len(numbers)


def test_noise_is_fresh_in_every_run_and_number():
    """As executions draw it; with a fault in the sampler it is not."""
    assert fresh()
    for fault in FAULTS.values():
        with mock.patch.object(*fault):
            assert not fresh()
