"""OPS as coded: its calibrations, its sampler refuted, and the right one not."""

import math
from fractions import Fraction

import numpy as np
import pytest

from docs.generate.refutations import right_factor, transposed_factor
from docs.generate.refutations.claim import Claim
from docs.generate.refutations.ops import CALIBRATIONS, Given
from docs.generate.refutations.samplers import transposed
from docs.generate.refutations.transposed import _searched
from dpframe.errors import InvalidArgument
from dpframe.privacy import REPLACE_ONE

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


def test_figures_of_ten_thousand_rows():
    """What the docs say, at epsilon = 1."""
    found = {name: transposed_factor(name, 1, DELTA, 10**4).found for name in CALIBRATIONS}
    assert found["balanced"] > 0.05
    assert found["diffused"] > 0.2
    assert found["conservative"] > 0.2
    assert 1e-7 < found["concentrated"] < 1e-4


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
