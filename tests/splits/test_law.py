"""Where splits are best: closed forms against brute force, and the search."""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import dpframe as dp
from dpframe.audits.splits.best import least
from tests.splits.conftest import TwoSums, setting
from tests.support import oracles

# ------------- The closed forms, against brute force over all shares and formulas written down anew
SIGMA = float(oracles.sigma_of(1, Fraction(1, 10**6)))
D = 10
ENTRIES = {"floor": 1, "gram": D * (D + 1) / 2, "moment": D}


def simplex(k, steps):
    """All positive shares in multiples of 1/steps, shape (m, k)."""
    grid = itertools.product(range(1, steps), repeat=k - 1)
    found = [(*one, steps - sum(one)) for one in grid if sum(one) < steps]
    return np.array(found, dtype=float) / steps


def move(relation, floor, gram, moment):
    """The joint move, from the proof page."""
    if relation is dp.ADD_REMOVE:
        return floor + gram + moment
    amount = 2 * gram + floor
    larger = np.maximum(amount, moment)
    return (larger + moment) ** 2 / larger


def noise(relation, weights, costs, sizes):
    """sum cost std^2 for floor, gram, moment (floor 0 where there is none)."""
    J = move(relation, *weights)
    used = [(w, c, s) for w, c, s in zip(weights, costs, sizes, strict=True) if c]
    return SIGMA**2 * J * sum(c * s**2 / w for w, c, s in used)


CASES = [
    (dp.AdaSSP(), (1, 1), {}),
    (dp.AdaSSP(), (2, 3), {}),
    (dp.AdaSSP(), (1, 1), {"floor": "1/100", "moment": 30}),
    (dp.SSP(), (1, 1), {}),
    (dp.SSP(), (1, 10), {}),
    (dp.SSP(), (1, "1/50"), {}),
    (dp.regressions.ConstSSPFull(), (1, 1), {"gram": "1/7"}),
]


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE], ids=str)
@pytest.mark.parametrize(("of", "bounds", "weights"), CASES, ids=str)
def test_against_brute_force(of, bounds, weights, relation, best):
    """No split of 1e5 has less than ours, but for a millionth."""
    criterion = dp.audits.NoiseCriterion(d=D, weights=weights)
    here = setting(relation, *bounds, grid=None)
    found = best(of, setting=here, criterion=criterion, over="shares")
    assert found.exact
    B, Y = (float(Fraction(one)) for one in bounds)
    labels = list(found.chosen)
    costs = [ENTRIES[n] * float(Fraction(weights.get(n, 1))) * (n in labels) for n in ENTRIES]
    sizes = (B**2, B**2, B * Y)
    grid = simplex(3, 450) if "floor" in labels else simplex(2, 100_000)
    columns = list(grid.T) if "floor" in labels else [0 * grid[:, 0], *grid.T]
    values = noise(relation, columns, costs, sizes)
    assert len(values) > 90_000
    assert found.value <= values.min() * (1 + 1.01e-6)
    ours = [float(found.chosen[n].value) if n in labels else 0.0 for n in ENTRIES]
    assert found.value == pytest.approx(noise(relation, ours, costs, sizes), rel=1e-9)
    least = grid[values.argmin()]
    shares = np.array([float(found.chosen[n].value) for n in labels])
    assert shares / shares.sum() == pytest.approx(least, abs=0.01)


def test_the_grid_of_a_floor_costs_little(best):
    """With the grid's charge for lambda_min the least value of the rule is nearly reached."""
    for grid in (20, None):
        found = best(dp.AdaSSP(), setting=setting(dp.REPLACE_ONE, grid=grid))
        least = float(oracles.value(found.least, {}))
        assert least * (1 - 1e-12) <= found.value < least * 1.000003


def test_symbols(best):
    """For all epsilon, delta, B, Y: the formulas at numbers are the numbers."""
    symbolic = setting(dp.ADD_REMOVE, dp.parameter("B"), dp.parameter("Y"))
    every = best(dp.AdaSSP(), target=dp.ApproxDP(dp.EPSILON, dp.DELTA), setting=symbolic)
    assert every.exact
    assert every.value is None
    assert not every.certificate.region
    here = best(dp.AdaSSP(), setting=setting(dp.ADD_REMOVE, 2, 3))
    at = {"epsilon": 1, "delta": Fraction(1, 10**6), "B": 2, "Y": 3}
    assert oracles.value(every.least, at) == pytest.approx(here.value, rel=2e-6)
    weights = np.array([float(oracles.value(one, at)) for one in every.chosen.values()])
    assert weights / weights.sum() == pytest.approx(list(here.shares.values()), rel=2e-3)
    assert dp.load(every.certificate.document).hash == every.certificate.hash


def test_by_hand(best):
    """SSP at B = Y = 1: X'X to X'y as sqrt(55) to sqrt(10)."""
    found = best(dp.SSP())
    with mpmath.workdps(30):
        share = mpmath.sqrt(55) / (mpmath.sqrt(55) + mpmath.sqrt(10))
        sigma = oracles.sigma_of(1, Fraction(1, 10**6))
        least = (mpmath.sqrt(55) + mpmath.sqrt(10)) ** 2 * sigma**2
    assert found.shares["gram"] == pytest.approx(float(share), rel=2e-3)
    assert least <= found.value <= least * (1 + mpmath.mpf("1.01e-6"))


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE], ids=str)
def test_pure_noise(relation, best):
    """epsilon as cube roots: against 1e5 splits."""
    box = dp.Setting(X=dp.Rows(box=1), y=dp.Column(bound=2), relation=relation)
    criterion = dp.audits.NoiseCriterion(d=4)
    found = best(TwoSums(), target=dp.PureDP("1/2"), setting=box, criterion=criterion)
    assert found.exact
    assert found.currency == "epsilon"
    moved = 1 if relation is dp.ADD_REMOVE else 2
    for_rows = np.linspace(0, 0.5, 100_002)[1:-1]
    for_labels = (0.5 - for_rows) / 3
    values = 4 * 2 * (moved * 4 / for_rows) ** 2 + 3 * 2 * (moved * 2 / for_labels) ** 2
    assert found.value == pytest.approx(values.min(), rel=2e-6)
    assert found.shares["rows"] == pytest.approx(for_rows[values.argmin()] / 0.5, abs=1e-3)


def test_a_weight_of_nothing_has_no_rule(best):
    """With a release that costs nothing every share is searched for instead, up to its end."""
    found = best(dp.SSP(), criterion=dp.audits.NoiseCriterion(d=D, weights={"gram": 0}))
    assert not found.exact
    assert found.shares["gram"] < 1e-5


class Noisy(dp.Regression):
    """One release of this noise; X'X, or three draws of X'y."""

    noise: str = "Gaussian"
    times: int = 1

    def declare(self, X, y, budget):
        statistic = X.T @ X if self.times == 1 else X.T @ y
        noise = getattr(dp.mechanisms, self.noise)(std=2)
        return dp.release(statistic, noise, times=self.times, name="noisy")


def test_what_counts_as_noise(ball, one):
    """Half of the entries off the diagonal for isotropic noise; all for others; all draws."""
    criterion, rng = dp.audits.NoiseCriterion(d=4), np.random.default_rng(1)

    def worth(of):
        return float(criterion.of(of.graph(ball, one.budget)).value)

    assert worth(Noisy(times=3)) == 3 * 4 * 4
    for name, wanted in (("MirroredGaussian", 64), ("FullGaussian", 64), ("Gaussian", 40)):
        assert worth(Noisy(noise=name)) == wanted
        law = getattr(dp.mechanisms, name)
        draws = [law.sample(2.0, (4, 4), rng, symmetric=True) for _ in range(4000)]
        assert np.mean([np.sum(draw**2) for draw in draws]) == pytest.approx(wanted, rel=0.03)


# -------------------------------------------------------------------- The search for the best split
g = dp.parameter("g", 0, 1)
h = dp.parameter("h", 0, 1)
UNIT = (Fraction(0), Fraction(1))
DEEP = 2 + (g - Fraction(1, 4)) ** 2 - dp.exp(-((100 * (g - Fraction(3, 4))) ** 2))


@pytest.mark.parametrize(
    ("formula", "ends", "limits", "best"),
    [
        (1 / g + 130 / (1 - g), UNIT, [], 1 / (1 + 130**0.5)),
        (dp.maximum(1 / g, 2 / (1 - g)), UNIT, [], 1 / 3),
        (DEEP, UNIT, [], 0.75 - 1 / 20_000),  # the deeper of two valleys, though the other is wider
        (1 + g, (Fraction(1, 4), Fraction(1)), [], 0.25),
        (1 / g, UNIT, [Fraction(1, 3) - g], 1 / 3),
        (dp.log(1 / g) + Fraction(10**6) * g, UNIT, [], 1e-6),
    ],
    ids=str,
)
@pytest.mark.some(6)
def test_one_parameter(formula, ends, limits, best):
    """Stationary points, corners, ends of the range and limits."""
    (point,) = least(formula, [g], [ends], limits)
    assert point == pytest.approx(best, rel=2e-5)
    assert ends[0] <= point <= ends[1]


def test_two_parameters():
    """sum a_i/w_i over the simplex is least at w_i in proportion to sqrt(a_i)."""
    formula = 1 / g + 4 / ((1 - g) * h) + 9 / ((1 - g) * (1 - h))
    assert least(formula, [g, h], [UNIT] * 2) == pytest.approx((1 / 6, 2 / 5), rel=1e-4)


def test_nowhere_finite():
    """A criterion that is infinite everywhere is refused, with a repair."""
    with pytest.raises(dp.InvalidArgument, match=r"within=\(lower, upper\)"):
        least(1 / dp.maximum(0, -g), [g], [UNIT])
