"""The search ends between two neighbouring doubles, on the two sides of the turn."""

from __future__ import annotations

import math
import random
import sys

import pytest

from dpframe.numerics import boundary, next_up
from dpframe.numerics.calibrate import newton

random.seed(21)
TURNS = [5e-324, 1e-320, 2.2250738585072014e-308, 0.1, 1.0, 2.0, 1e300, sys.float_info.max]
TURNS += [math.exp(random.uniform(-700, 700)) for _ in range(50)]
GUESSES = [5e-324, 1e-9, 1.0, 1e300, sys.float_info.max, 0.0, math.inf, math.nan, -3.0]


@pytest.mark.some(1, most=20)
@pytest.mark.parametrize("turn", TURNS)
def test_finds_the_turn_from_any_guess(turn: float) -> None:
    """`above` is the first double on which the test is true, whatever the guess."""
    for guess in [*GUESSES, turn, next_up(turn)]:
        below, above = boundary(lambda x: x >= turn, guess)
        assert above == turn
        assert next_up(below) == above


def test_never_true() -> None:
    """A test that is never true ends between the largest double and infinity."""
    assert boundary(lambda _: False, 1.0) == (sys.float_info.max, math.inf)


def test_always_true() -> None:
    """A test that is always true ends between zero and the smallest double."""
    assert boundary(lambda _: True, 1.0) == (0.0, 5e-324)


def test_a_good_guess_costs_two_calls() -> None:
    """Started on the turn, or just before it, the search asks twice."""
    for guess in (0.1, math.nextafter(0.1, 0)):
        asked: list[float] = []
        boundary(lambda x, asked=asked: asked.append(x) is None and x >= 0.1, guess)  # type: ignore[misc]
        assert len(asked) == 2


def test_an_erratic_test_still_ends_on_its_sides() -> None:
    """Near the turn a proof may fail here and there: the answer is still one that passed."""
    flaky = {1.0, next_up(next_up(1.0))}
    below, above = boundary(lambda x: x >= 1 and x not in flaky, 1.0)
    assert above > 1
    assert above not in flaky
    assert below < 1 or below in flaky


def test_newton_finds_a_root() -> None:
    """Newton reaches sqrt 2, and stops where it cannot go on."""
    assert newton(lambda x: (x * x - 2, 2 * x), 1.0) == pytest.approx(math.sqrt(2), rel=1e-15)
    assert newton(lambda _: (math.nan, 1.0), 3.0) == 3.0
    assert newton(lambda _: (1.0, 0.0), 3.0) == 3.0
