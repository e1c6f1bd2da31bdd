"""Where splits are best: closed forms against brute force, and the search."""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import dpframe as dp
from dpframe.audits.splits import NoiseCriterion
from dpframe.audits.splits.by_formula import least
from tests.support import oracles

# ------------- The closed forms, against brute force over all shares and formulas written down anew
ONE = dp.ApproxDP(1, "1e-6")
SIGMA = float(oracles.sigma_of(1, Fraction(1, 10**6)))
D = 10
ENTRIES = {"floor": 1, "gram": D * (D + 1) / 2, "moment": D}


def setting(relation, norm=1, bound=1, grid=20):
    """Rows and labels with bounds."""
    rows, column = dp.Rows(norm=norm), dp.Column(bound=bound)
    return dp.Setting(X=rows, y=column, relation=relation, grid=grid)


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
def test_against_brute_force(of, bounds, weights, relation):
    """No split of 1e5 has less than ours, but for a millionth."""
    found = dp.best_split(
        of,
        target=ONE,
        setting=setting(relation, *bounds, grid=None),
        criterion=dp.audits.NoiseCriterion(d=D, weights=weights),
        over="shares",
    )
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
    best = grid[values.argmin()]
    shares = np.array([float(found.chosen[n].value) for n in labels])
    assert shares / shares.sum() == pytest.approx(best, abs=0.01)


def test_the_grid_of_a_floor_costs_little():
    """With the grid's charge for lambda_min the least value of the rule is nearly reached."""
    for grid in (20, None):
        found = dp.best_split(
            dp.AdaSSP(),
            target=ONE,
            setting=setting(dp.REPLACE_ONE, grid=grid),
            criterion=dp.audits.NoiseCriterion(d=D),
        )
        least = float(oracles.value(found.least, {}))
        assert least * (1 - 1e-12) <= found.value < least * 1.000003


def test_symbols():
    """For all epsilon, delta, B, Y: the formulas at numbers are the numbers."""
    every = dp.best_split(
        dp.AdaSSP(),
        target=dp.ApproxDP(dp.EPSILON, dp.DELTA),
        setting=setting(dp.ADD_REMOVE, dp.parameter("B"), dp.parameter("Y")),
        criterion=dp.audits.NoiseCriterion(d=D),
    )
    assert every.exact
    assert every.value is None
    assert not every.certificate.region
    here = dp.best_split(
        dp.AdaSSP(),
        target=ONE,
        setting=setting(dp.ADD_REMOVE, 2, 3),
        criterion=dp.audits.NoiseCriterion(d=D),
    )
    at = {"epsilon": 1, "delta": Fraction(1, 10**6), "B": 2, "Y": 3}
    assert oracles.value(every.least, at) == pytest.approx(here.value, rel=2e-6)
    weights = np.array([float(oracles.value(one, at)) for one in every.chosen.values()])
    assert weights / weights.sum() == pytest.approx(list(here.shares.values()), rel=2e-3)
    assert dp.load(every.certificate.document).hash == every.certificate.hash


def test_by_hand():
    """SSP at B = Y = 1: X'X to X'y as sqrt(55) to sqrt(10)."""
    found = dp.best_split(
        dp.SSP(),
        target=ONE,
        setting=setting(dp.ADD_REMOVE),
        criterion=dp.audits.NoiseCriterion(d=10),
    )
    with mpmath.workdps(30):
        share = mpmath.sqrt(55) / (mpmath.sqrt(55) + mpmath.sqrt(10))
        least = (mpmath.sqrt(55) + mpmath.sqrt(10)) ** 2 * oracles.sigma_of(
            1, Fraction(1, 10**6)
        ) ** 2
    assert found.shares["gram"] == pytest.approx(float(share), rel=2e-3)
    assert least <= found.value <= least * (1 + mpmath.mpf("1.01e-6"))


class TwoSums(dp.Regression):
    """Two pure releases, one of them drawn three times."""

    def declare(self, X, y, budget):
        for_rows, for_labels = budget.split(dp.constant("1/2"), dp.constant("1/6"))
        rows = dp.release(dp.total(X), dp.Laplace.pure, for_rows, name="rows")
        labels = dp.release(dp.total(y), dp.Laplace.pure, for_labels, times=3, name="labels")
        return rows, labels


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE], ids=str)
def test_pure_noise(relation):
    """epsilon as cube roots: against 1e5 splits."""
    box = dp.Setting(X=dp.Rows(box=1), y=dp.Column(bound=2), relation=relation)
    found = dp.best_split(
        TwoSums(), target=dp.PureDP("1/2"), setting=box, criterion=dp.audits.NoiseCriterion(d=4)
    )
    assert found.exact
    assert found.currency == "epsilon"
    moved = 1 if relation is dp.ADD_REMOVE else 2
    for_rows = np.linspace(0, 0.5, 100_002)[1:-1]
    for_labels = (0.5 - for_rows) / 3
    values = 4 * 2 * (moved * 4 / for_rows) ** 2 + 3 * 2 * (moved * 2 / for_labels) ** 2
    assert found.value == pytest.approx(values.min(), rel=2e-6)
    assert found.shares["rows"] == pytest.approx(for_rows[values.argmin()] / 0.5, abs=1e-3)


def test_a_weight_of_nothing_has_no_rule(ball, one):
    """With a release that costs nothing every share is searched for instead, up to its end."""
    found = dp.best_split(
        dp.SSP(),
        target=one,
        setting=ball,
        criterion=dp.audits.NoiseCriterion(d=D, weights={"gram": 0}),
    )
    assert not found.exact
    assert found.shares["gram"] < 1e-5


def test_what_counts_as_noise(ball, one):
    """Half of the entries off the diagonal for isotropic noise; all for others; all draws."""

    class Mirrored(dp.Regression):
        """As papers do it."""

        def declare(self, X, y, budget):
            return dp.release(X.T @ X, dp.mechanisms.MirroredGaussian(std=2), name="gram")

    class Full(dp.Regression):
        """As some code does it."""

        def declare(self, X, y, budget):
            return dp.release(X.T @ X, dp.mechanisms.FullGaussian(std=2), name="gram")

    class Often(dp.Regression):
        """Three draws."""

        def declare(self, X, y, budget):
            return dp.release(X.T @ y, dp.Gaussian(std=2), times=3, name="moment")

    class Isotropic(dp.Regression):
        """As dpframe does it."""

        def declare(self, X, y, budget):
            return dp.release(X.T @ X, dp.Gaussian(std=2), name="gram")

    criterion = NoiseCriterion(d=4)
    found = {}
    for regression in (Mirrored(), Full(), Often(), Isotropic()):
        graph = regression.graph(ball, one.budget)
        found[type(regression)] = float(criterion.of(graph).value)
    assert found == {Mirrored: 4 * 16, Full: 4 * 16, Often: 3 * 4 * 4, Isotropic: 4 * 10}
    rng = np.random.default_rng(1)
    matrices = dp.mechanisms
    drawn = {
        matrices.MirroredGaussian: Mirrored,
        matrices.FullGaussian: Full,
        dp.Gaussian: Isotropic,
    }
    for law, kind in drawn.items():
        draws = [law.sample(2.0, (4, 4), rng, symmetric=True) for _ in range(4000)]
        mean = np.mean([np.sum(draw**2) for draw in draws])
        assert mean == pytest.approx(found[kind], rel=0.03)


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
