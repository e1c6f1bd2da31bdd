"""Minima, maxima and roots of sums in the kernel: what is shown holds, steps show what they say."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest

import dpframe as dp
from dpframe import kernel
from tests.kernel.writing import minus, mul, power, symbol
from tests.support import checking as check


def random_with_extrema(draw: random.Random, depth: int = 0) -> Any:
    """A formula of a, b and c with minima and maxima, some inside a root or a quotient."""
    if depth > 2 or draw.random() < 0.25:
        return draw.choice(["a", "b", "c", "1", "2", mul("-1", "b"), "1/2"])
    left, right = (random_with_extrema(draw, depth + 1) for _ in range(2))
    above = ["+", "1/4", power(["max", left, right], "2")]
    return draw.choice(
        [
            ["min", left, right],
            ["max", left, right],
            ["+", left, right],
            mul(left, right),
            minus(left, right),
            power(above, "1/2"),
            power(above, "-1"),
        ]
    )


def test_what_is_shown_of_minima_and_maxima_holds() -> None:
    """At random points, by floats of random formulas; and a little less is not shown."""
    draw, shown = random.Random(3), 0
    for _ in range(80):
        checker = check.Checker()
        checker.declare({name: symbol() for name in "abc"})
        value = random_with_extrema(draw)
        try:
            found = checker.ring.formula(value, "")
        except check.Refused:
            continue
        if check.exact_signs.extrema(found) and checker.ring.prove(found):
            shown += 1
            trues = [worth(value, somewhere(draw)) for _ in range(60)]
            assert min(trues) >= -1e-9, value
            less = checker.ring.formula(minus(value, str(Fraction(min(trues) + 1e-3))), "")
            assert not checker.ring.prove(less), value
    assert shown > 10


def somewhere(draw: random.Random) -> dict[str, float]:
    """Numbers in the domain of a, b and c."""
    return {name: draw.choice([1e-3, 1.0, 30.0]) * draw.random() for name in "abc"}


def worth(value: Any, point: Mapping[str, float]) -> float:
    """The value of a formula at a point."""
    if isinstance(value, str):
        return point[value] if value in point else float(Fraction(value))
    name, *parts = value
    if name == "^":
        return float(worth(parts[0], point) ** float(Fraction(parts[1])))
    numbers = [worth(part, point) for part in parts]
    return {"min": min, "max": max, "+": sum, "*": math.prod}[name](numbers)


CASES = {
    "each argument": (minus(["+", "a", "b"], ["max", "a", "b"]), {}, True),
    "one and more": (minus(["max", "a", "b"], "a"), {"beyond": 0}, True),
    "another and more": (minus(["max", "a", "b"], "a"), {"beyond": 1}, False),
    "one and less": (minus("a", ["min", "a", "b"]), {"beyond": 0}, True),
    "one and less, the wrong way": (minus(["min", "a", "b"], "a"), {"beyond": 0}, False),
    "no such argument": (minus(["max", "a", "b"], "a"), {"beyond": 2}, False),
    "no number": (minus(["max", "a", "b"], "a"), {"beyond": True}, False),
    "unknown key": (minus(["max", "a", "b"], "a"), {"below": 0}, False),
}


@pytest.mark.parametrize("name", CASES)
def test_a_step_by_cases_shows_what_it_says(name: str) -> None:
    """The step that is given is the one that is replayed."""
    value, more, right = CASES[name]
    checker = check.Checker()
    checker.declare({one: symbol() for one in "abc"})
    found = checker.ring.formula(value, "")
    own = check.exact_signs.Sign(checker.ring.cleared(found), strict=False)
    atom = checker.ring.atoms[check.exact_signs.extrema(found)[0]]
    step = {"by": "cases", "of": check.exact_signs.atom_text(atom), **more}
    try:
        shown = own.shown(step)
    except (check.Refused, IndexError):  # whatever is raised, the kernel refuses
        shown = False
    assert bool(shown) is right
    assert not own.shown({**step, "of": "max(a, c)"}) if right else True


ROOT = power(["+", "a", "b"], "1/2")
SQUARES = {
    "a larger root": (minus(ROOT, power("a", "1/2")), True),
    "a sum": (minus(["+", "a", "b"], power(mul("a", ["+", "a", "b"]), "1/2")), True),
    "a smaller root": (minus(power("a", "1/2"), ROOT), False),
    "twice a root": (minus(ROOT, mul("2", power("a", "1/2"))), False),
    "nothing negative": (ROOT, False),
    "a side of no sign": (["+", ROOT, "c", mul("-2", power("a", "1/2"))], False),
}


@pytest.mark.parametrize("name", SQUARES)
def test_a_step_by_squares_shows_what_it_says(name: str) -> None:
    """p >= q where p^2 >= q^2 and neither is negative; nothing else."""
    value, right = SQUARES[name]
    checker = check.Checker()
    real = {"lower": "-1", "upper": None, "closed": "neither", "integer": False, "origin": None}
    checker.declare({"a": symbol(), "b": symbol(), "c": {**symbol(), **real}})
    own = check.exact_signs.Sign(checker.ring.cleared(checker.ring.formula(value, "")), strict=True)
    assert bool(own.shown({"by": "squares"})) is right
    assert not own.shown({"by": "squares", "of": "a"})


def test_roots_of_squares_of_roots_are_simple() -> None:
    """sqrt((sqrt(a + b) - sqrt(a))^2) = sqrt(a + b) - sqrt(a), in one normal form."""
    checker = check.Checker()
    checker.declare({"a": symbol(), "b": symbol()})
    gap = minus(ROOT, power("a", "1/2"))
    one, other = (checker.ring.formula(v, "") for v in (gap, power(power(gap, "2"), "1/2")))
    assert not checker.ring.cleared(one - other)


def test_steps_of_cases_are_found_again_where_other_cases_failed_first() -> None:
    """What a search tries in vain must not number the atoms of what the kernel replays."""
    setting = dp.Setting(X=dp.Rows(norm="2"), y=dp.Column(bound=3), relation=dp.REPLACE_ONE)
    N = dp.parameter("N", lower=0, closed="left", integer=True)
    delta = dp.parameter("delta", 0, 1) / (2 * dp.maximum(N, 2) * dp.maximum(N - 3, 1))
    for target in (dp.ApproxDP(dp.EPSILON, delta), dp.ApproxDP(1, delta)):
        run = dp.certify(dp.AdaSSP(), target=target, setting=setting)
        assert run.verdict.accepted, run.verdict.reason
    text = json.dumps(run.document)
    assert '"cases"' in text
    assert kernel.check(json.loads(text)).accepted


def test_roots_that_squares_do_not_remove_are_refused() -> None:
    """A cube root of a sum stays, however often both sides are squared; the search ends."""
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)

    class OfCount(dp.Regression):
        """A count with stated noise."""

        def declare(self, X: Any, y: Any, budget: Any) -> Any:
            """One release."""
            return dp.release(dp.count(X), dp.Laplace(scale=1 / (2 * dp.sqrt(2))), budget)

    amount = (2 + dp.sqrt(8)) ** Fraction(1, 3)
    for target in (dp.PureDP(amount), dp.ZeroConcentratedDP(amount), dp.GaussianDP(amount)):
        assert not dp.examine(OfCount(), target=target, setting=setting).proved
