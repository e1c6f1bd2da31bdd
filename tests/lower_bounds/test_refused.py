"""What an attack must not pass over: runs that fail, tables that are no neighbours, low bits, and
noise that comes back.
"""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest

import dpframe as dp
from dpframe.execution.draws import ExactDraw, in_doubles
from dpframe.mechanisms import Gaussian
from dpframe.randomness import Randomness
from tests.lower_bounds import attacked_cases as cases
from tests.support.cases import named

D, E = np.ones((3, 2)), np.ones((2, 2))
ON = ((D, np.ones(3)), (E, np.ones(2)))
DRAWN = Gaussian.on_grid


def attacked(run, **options):
    """A claim of epsilon = 1, on 3 rows and 2."""
    return dp.attack(run, **{"on": ON, "claim": dp.PureDP(1), "draws": 400, "seed": 1, **options})


def test_a_seed_is_given_by_name_and_to_nothing_else():
    """A keyword leaks the count exactly; a default epsilon is no seed."""
    assert attacked(lambda X, y, *, seed: len(X)).flagged
    rng = np.random.default_rng(3)
    assert not attacked(lambda X, y, epsilon=1.0: len(X) + rng.laplace(scale=1 / epsilon)).flagged


def failing(X, y, seed):
    """No answer at all."""
    raise KeyError("x")


@pytest.mark.parametrize(
    "run", [failing, lambda X, y, rng: 0, lambda X: 0, lambda X, y: None, lambda X, y: object()]
)
def test_what_never_answers_is_refused(run):
    """Instead of a page that says that the claim held."""
    with pytest.raises(dp.InvalidArgument):
        attacked(run)


@pytest.mark.parametrize("run", [lambda X, y: f"n={len(X)}", lambda X, y: 1j * len(X)])
def test_texts_and_complex_numbers_are_answers(run):
    """And leak."""
    assert attacked(run).flagged


def test_failures_are_counted():
    """The page says how many runs failed."""
    found = attacked(lambda X, y: 1 / (len(X) - 2))
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
        attacked(cases.proof_of(dp.SSP, dp.ADD_REMOVE), on=on, claim=None)
    with pytest.raises(dp.InvalidArgument, match="on must be"):
        attacked(lambda X, y: 0, on=on)


def planted(**options):
    """Sixty canaries that a program hands over."""
    own = {"canaries": (np.eye(60), np.ones(60)), "score": lambda o, X, y: o, "on": None}
    return attacked(lambda X, y: X.sum(axis=0), **{**own, **options})


@pytest.mark.parametrize("guesses", [None, 30, 60])
def test_perfect_leaks_are_always_found(guesses):
    """Whatever the coins were."""
    assert all(planted(guesses=guesses, seed=seed).flagged for seed in range(40))


@pytest.mark.parametrize(
    "wrong",
    [
        {"guesses": 2.5},
        {"guesses": 0},
        {"canaries": (np.eye(60), np.ones(5))},
        {"on": (np.ones((2, 3)), np.ones(2))},
        {"relation": dp.REPLACE_ONE},
        {"score": lambda o, X, y: "high"},
    ],
    ids=named,
)
def test_wrong_canaries_are_refused_in_words(wrong):
    """By name."""
    with pytest.raises(dp.InvalidArgument):
        planted(**wrong)


def again(size, n, bits):
    """Noise of one seed, in every call."""
    return DRAWN(size, n, Randomness.of(7).bits)


def same(self, run, randomness):
    """One draw for all numbers of a release."""
    size, unit = self.sizes[run.grain]
    noise = DRAWN(size, int(np.prod((*self.copies, 1))), randomness.bits)
    return in_doubles(run.whole + noise.astype(object).reshape(*self.copies, 1), unit)


FAULTS = {
    "the same in every call": (Gaussian, "on_grid", staticmethod(again)),
    "the same in every number": (ExactDraw, "_noisy", same),
}


@pytest.mark.parametrize("name", FAULTS)
def test_noise_that_is_not_fresh_is_flagged(name):
    """In single runs of a certificate; of a mechanism where its sampler is at fault."""
    proof = cases.proof_of(dp.SSP, dp.ADD_REMOVE)
    pair = cases.regression_attack(dp.SSP, dp.ADD_REMOVE).pair
    with mock.patch.object(*FAULTS[name]):
        assert attacked(proof, on=pair, claim=None, confidence=1 - 1e-6).flagged
        if name == "the same in every call":
            assert attacked(Gaussian(std=1), claim=None, on=None).flagged
