"""Signs of formulas with square roots: what is proved holds, and the easy is proved."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import dpframe as dp
from dpframe.prover.algebra import Field
from dpframe.prover.sign import nonnegative, positive
from dpframe.symbols import exact, power
from tests.support.oracles import value

d = dp.parameter("d", 1, closed="left", integer=True)
e = dp.EPSILON
B = dp.parameter("B", 0)
g = dp.parameter("g", 0, 2, closed="both")
r = dp.sqrt


def decide(formula, how=nonnegative):
    """The decision over its own symbols."""
    return how(formula, Field(tuple(sorted(formula.symbols(), key=lambda s: s.name)))).proved


TRUE = [
    2 * (d + 1) ** 2 - (1 + r(d)) ** 2,
    2 * (d + 1) ** 2 - 2 * (1 + r(d)) ** 2,
    e - power(1 + r(d), 2) * e / (1 + d**2 + 2 * d) / 2,
    d - r(d),
    e - (1 + r(2)) ** 2 * e / 18,
    1 / r(B) + B,
    g + 1 - r(g),
    r(2) * r(3) * e - 2 * e,
    r(d) * B + r(B) - B,
]
FALSE = [
    (1 + r(d)) ** 2 - (d + 1) ** 2,
    r(d) - d,
    e - r(2) * e,
    r(g) - g,
    r(2) * r(3) * e - 3 * e,
    e * r(2) - e * Fraction(14142136, 10**7),
]


@pytest.mark.parametrize("formula", TRUE, ids=str)
def test_the_easy_is_proved(formula):
    """By Bernstein coefficients in the roots."""
    assert decide(formula) is True


@pytest.mark.parametrize("formula", FALSE, ids=str)
def test_the_false_is_not(formula):
    """Each is negative somewhere: never proved."""
    assert decide(formula) is not True
    assert decide(formula, positive) is not True


def test_an_end_that_is_reached_is_not_strictly_positive():
    """d - sqrt(d) is 0 at d = 1; sqrt(g) is 0 at g = 0, sqrt(B) is 0 nowhere."""
    assert decide(d - r(d), positive) is not True
    assert decide(r(g) + g, positive) is not True
    assert decide(r(B) + B, positive) is True


def test_what_is_proved_holds_at_random_points():
    """300 random formulas over roots; whatever is proved is tried at many points."""
    rng = np.random.default_rng(0)
    atoms = [r(d), d, r(g), g, r(2), r("1/3"), exact(1), e, r(B)]
    proved = 0
    for _ in range(300):
        terms = [
            int(rng.integers(-4, 7)) * atoms[rng.integers(9)] * atoms[rng.integers(9)]
            for _ in range(int(rng.integers(1, 4)))
        ]
        formula = sum(terms, exact(0))
        if decide(formula) is True:
            proved += 1
            for _ in range(12):
                point = {
                    "d": int(rng.integers(1, 50)),
                    "g": float(rng.choice([0, 2, rng.uniform(0, 2)])),
                    "epsilon": float(10 ** rng.uniform(-6, 6)),
                    "B": float(10 ** rng.uniform(-6, 6)),
                }
                assert value(formula, point) >= -1e-30
    assert proved > 30


@pytest.mark.parametrize("root", [r(dp.parameter("x", -1, 1)), r(d - 2), r(r(d) - 2)], ids=str)
def test_a_root_that_may_be_undefined_proves_nothing(root):
    """What is under it is negative somewhere."""
    formula = root + 1
    assert not Field(formula.symbols()).shown(formula, strict=True)


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE], ids=str)
@pytest.mark.parametrize(
    "rows",
    [
        dp.Rows(norm=dp.parameter("B")),
        dp.Rows(columns=[dp.Numeric("a", 0, 1), dp.Categorical("b", [1, 2, 3])], intercept=True),
    ],
    ids=["ball", "codebook"],
)
def test_printed_noise_holds_for_other_rows_too(rows, relation):
    """2 (d + 1)^2 covers a ball and a codebook, and the checker agrees."""
    import json

    from tests.support import checking as check

    setting = dp.Setting(X=rows, y=dp.Column(bound=1), relation=relation)
    target = dp.PureDP(dp.EPSILON)
    proof = dp.certify(dp.literature.FunctionalLinearPrinted(), target=target, setting=setting)
    verdict = check.check(json.loads(json.dumps(proof.document)))
    assert verdict.accepted, verdict.reason
