"""How far rows reach, and clips of labels move coefficients: against vertices, maps of rows, and
tables whose clipped labels stand at the worst rows.
"""

import itertools
from fractions import Fraction
from functools import partial

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.estimators.units import _chain, row_set_of
from dpframe.graph import RowsNode
from dpframe.inference.evidence import Evidence, NoisySum, Shrunk
from dpframe.inference.row_set import RowSet
from dpframe.inference.widths import lost_to_clips
from dpframe.prover import algebra
from tests.support.inferring import infer

NUMBERS = [dp.Numeric("a", -1, 1), dp.Numeric("b", 18, 90)]
LEVELS = dp.Categorical("c", ["u", "v", "w"])
EACH = dp.Categorical("c", ["u", "v", "w"], baseline=None, unknown="zeros")
SETTINGS = {
    "numbers": {"columns": NUMBERS},
    "a category": {"columns": [*NUMBERS, LEVELS]},
    "an indicator a level": {"columns": [*NUMBERS, EACH]},
    "both codings": {"columns": [LEVELS, attrs.evolve(EACH, name="d")]},
    "products": {"columns": [*NUMBERS, LEVELS], "terms": ["a", ("a", "b"), ("b", "c"), "c"]},
    "a box": {"box": "1/2"},
    "a ball": {"norm": 1},
    "a box and a ball": {"box": "1/2", "norm": "3/5"},
    "a codebook in a box": {"columns": [*NUMBERS, LEVELS], "box": "3/4"},
    "a codebook in a ball": {"columns": [*NUMBERS, LEVELS], "norm": 1},
}
EXACT = {
    "both codings",
    "numbers",
    "a category",
    "an indicator a level",
    "a box",
    "a ball",
    "products",
}
CASES = [(name, beside) for name in SETTINGS for beside in (False, True)]
number = partial(algebra.number, values={"d": Fraction(3)}, up=False)
for alone in ("an indicator a level", "both codings"):
    CASES.remove((alone, True))  # collinear, and refused


def declared(name, beside, **given):
    """Rows of a setting."""
    made = dp.Setting(
        X=dp.Rows(**SETTINGS[name], intercept=beside),
        y=dp.Column(bound=1),
        relation=dp.ADD_REMOVE,
        **given,
    )
    return made.nodes()[0]


def drawn(rows, rng, m=4000):
    """Rows as statistics see them, of records at the ends of their columns, beyond and between."""
    maps = [one for one in reversed(_chain(rows, RowsNode)) if hasattr(one, "apply")]
    width = len(getattr(maps[0], "schema", ())) or 3
    block = rng.choice([-3.0, -1.0, 1.0, 3.0, np.nan], (m, width))
    block[np.isnan(block)] = rng.uniform(-1, 1, np.isnan(block).sum())
    for j, part in enumerate(getattr(maps[0], "schema", ())):
        if isinstance(part, dp.Categorical):
            block[:, j] = rng.integers(-1, len(part.levels), m)
        elif part.name == "b":
            block[:, j] = 54 + 36 * block[:, j]
    for each in maps:
        block = each.apply(block, number)
    return block


@pytest.mark.parametrize(("name", "beside"), CASES)
def test_no_row_reaches_farther_and_some_as_far(name, beside):
    """Whatever codebook, box and ball make of records, missing levels too."""
    rng = np.random.default_rng(0)
    rows = declared(name, beside)
    X = drawn(rows, rng)
    if name == "a ball":  # its farthest rows are none of those that are drawn
        X = np.concatenate([X, drawn(rows, rng, 400_000)])
    found = row_set_of(rows, X.shape[1], number)
    assert found.norm == pytest.approx(number(rows.norm))
    v = rng.normal(size=(400, X.shape[1])) * rng.uniform(size=(400, X.shape[1])) ** 4
    v = np.concatenate([v, rng.normal(size=(200, X.shape[1])), np.eye(X.shape[1])])
    most, reach = np.abs(X @ v.T).max(axis=0), found.farthest(v)
    assert np.all(most <= reach * (1 + 1e-12))
    assert np.all(reach <= found.norm * np.linalg.norm(v, axis=1) * (1 + 1e-12))
    if name in EXACT - {"products"}:
        assert most == pytest.approx(reach, rel=3e-2 if name == "a ball" else 1e-5)
    if name in EXACT and name != "a ball":
        assert reach.sum() < 0.95 * found.norm * np.linalg.norm(v, axis=1).sum()


@pytest.mark.parametrize("name", ["a category", "products", "a box", "a ball"])
def test_nor_do_rows_on_a_coarse_grid(name):
    """Whose entries are rounded towards zero, out of the hull of a category's levels."""
    rng = np.random.default_rng(1)
    rows = declared(name, beside=True, grid=4)
    X = drawn(rows, rng)
    step = number(rows.norm) / 16
    X = np.trunc(X / step) * step
    found = row_set_of(rows, X.shape[1], number)
    v = rng.normal(size=(500, X.shape[1]))
    assert np.all(np.abs(X @ v.T).max(axis=0) <= found.farthest(v) * (1 + 1e-12))
    assert found.rounded == 1 / 16


def test_sums_over_blocks_are_maxima_over_vertices():
    """Of random polytopes side by side, one sign of v at a time."""
    rng = np.random.default_rng(2)
    for _ in range(50):
        corners = tuple(rng.normal(size=(rng.integers(1, 4), w)) for w in (1, 2, 1))
        value, turn = float(rng.uniform(0, 1)), rng.normal(size=(5, 5))
        vertices = [np.append(np.concatenate(one), value) for one in itertools.product(*corners)]
        v = rng.normal(size=(20, 5))
        plain = RowSet(corners=corners, value=value)
        most = np.abs(np.array(vertices) @ v.T).max(axis=0)
        assert plain.farthest(v) == pytest.approx(most)
        turned = attrs.evolve(plain, units=turn)
        most = np.abs(np.array(vertices) @ turn @ v.T).max(axis=0)
        assert turned.farthest(v) == pytest.approx(most)
        assert attrs.evolve(turned, norm=0.5).share(v) == pytest.approx(
            np.minimum(most / 0.5, np.linalg.norm(v, axis=1))
        )


def test_without_bounds_nothing_is_bounded():
    """But in the direction 0."""
    v = np.array([[0.0, 0.0], [0.0, 1.0]])
    assert RowSet().farthest(v).tolist() == [0.0, np.inf]
    assert RowSet(value=1.0, norm=3.0).farthest(v).tolist() == [0.0, 1.0]
    assert RowSet().share(v).tolist() == [0.0, 1.0]


# what clips moved ----------------------------------------------------------------------------


def noiseless(X, y, level):
    """The evidence of sums with next to no noise, labels clipped at a level, and exact counts."""
    counts = np.histogram(np.abs(y), [-1.0, *(2.0 ** np.arange(-7, 1))])[0].astype(float)
    lost, _, share = lost_to_clips(counts, 0.0, level)
    clipped = np.clip(y, -level, level)
    first = NoisySum(X.T @ clipped, 1e-9, np.zeros(X.shape[1]), level)
    square, n = float(clipped @ clipped), float(len(y))
    taken = {"lost": lost, "lost_std": 1e-12, "lost_share": min(share, 0.5)}
    return Evidence(X.T @ X, 1e-12, (first,), square, 0.0, n, 0.0, **taken)


def labels(X, rng, kind):
    """Some beyond their clip: anywhere, at the rows that are farthest in a direction, or there on
    one side.
    """
    y = rng.uniform(-0.25, 0.25, len(X))
    if kind == "anywhere":
        return np.where(rng.random(len(X)) < 0.2, rng.uniform(-1, 1, len(X)), y)
    v = np.linalg.inv(X.T @ X)[rng.integers(X.shape[1])]
    reach = X @ v
    signs = np.ones(len(X)) if kind == "one side" else np.sign(reach)
    far = np.argsort(np.abs(reach) if kind == "worst" else reach)[-len(X) // 10 :]
    y[far] = signs[far] * rng.choice([0.5, 1.0], len(far))
    return y


@pytest.mark.parametrize("kind", ["anywhere", "worst", "one side"])
@pytest.mark.parametrize(("name", "beside"), CASES)
def test_no_clip_moves_a_coefficient_farther(name, beside, kind):
    """Least squares of clipped labels beside that of all labels, without noise: contrasts too."""
    rng = np.random.default_rng(3)
    rows = declared(name, beside)
    for _ in range(20):
        X = drawn(rows, rng, 60)
        y = labels(X, rng, kind)
        found = row_set_of(rows, X.shape[1], number)
        law = infer(noiseless(X, y, 0.25), target="sample", bound=1.0, rows=found)
        u = np.concatenate([np.eye(X.shape[1]), rng.normal(size=(20, X.shape[1]))])
        moved = np.abs(u @ (np.linalg.lstsq(X, y, rcond=None)[0] - law.params))
        allowed, noise = law.clipped.moved(u)
        assert np.all(moved <= allowed * (1 + 1e-9) + 1e-9)
        assert np.all(noise <= 1e-6 * allowed + 1e-9)


def test_nor_where_records_were_shrunk():
    """Rows in released units, shrunk to a released norm with their labels: weighted least squares
    of rows as they were.
    """
    rng = np.random.default_rng(4)
    rows = declared("numbers", beside=True)
    for _ in range(50):
        X = drawn(rows, rng, 60)
        turn = np.diag(rng.uniform(0.5, 2, 3))
        turned = X @ turn
        factors = np.minimum(1.0, 1.5 / np.linalg.norm(turned, axis=1))
        observed, y = turned * factors[:, None], labels(X, rng, "worst") * factors
        evidence = attrs.evolve(noiseless(observed, y, 0.25), shrunk=Shrunk(turn, 1.5, 0.9))
        found = row_set_of(rows, 3, number)
        law = infer(evidence, target="sample", bound=1.0, rows=found)
        whole = np.linalg.lstsq(X * factors[:, None], y, rcond=None)[0]
        estimates = law.t_test()
        assert estimates.effect == pytest.approx(turn @ law.centre)
        assert np.all(np.abs(whole - estimates.effect) <= estimates.hidden * (1 + 1e-9) + 1e-9)
        ball = infer(evidence, target="sample", bound=1.0, rows=RowSet(found.norm))
        assert np.all(estimates.hidden <= ball.t_test().hidden * (1 + 1e-12))


def test_residual_variance_and_r_squared_count_shrunk_records():
    """Long rows scatter more, and weigh less: the variance of all records is in the interval, not
    that of the weighted ones alone; and new labels have the wider one.
    """
    rng = np.random.default_rng(6)
    X = np.column_stack([rng.choice([0.2, 1.0], 200_000, p=[0.95, 0.05]), np.ones(200_000)])
    y = np.where(X[:, 0] == 1, rng.choice([-0.6, 0.6], len(X)), 0.05 * rng.standard_normal(len(X)))
    factors = np.minimum(1, 1.02 / np.linalg.norm(X, axis=1))
    variance = float(np.linalg.lstsq(X, y, rcond=None)[1][0]) / len(X)
    shrunk = Shrunk(np.eye(2), 1.02, float(np.mean(factors**2)))
    plain = noiseless(X * factors[:, None], y * factors, 1.0)
    evidence = attrs.evolve(plain, squares_std=1e-9, shrunk=shrunk)
    law = infer(evidence, bound=1.0, rows=RowSet(np.sqrt(2)), constant=np.array([0.0, 1.0]))
    assert law.scale < variance * 0.9
    low, high = law.scale_conf_int()
    assert low <= variance <= high < 1
    low, high = law.rsquared_conf_int()
    assert low <= 1 - variance / np.var(y) <= high
    new = law.get_prediction(X[:1], residuals="any").conf_int(obs=True)
    assert np.diff(new)[0] >= 2 * np.sqrt(variance / 0.05) * (1 - 1e-9)


@pytest.mark.parametrize("name", ["numbers", "a category", "an indicator a level", "a box"])
def test_the_bound_is_attained(name):
    """Where the only labels beyond their clip, at an end of an octave, are of the farthest row."""
    rng = np.random.default_rng(5)
    rows = declared(name, beside=name != "an indicator a level")
    X = drawn(rows, rng, 500)
    found = row_set_of(rows, X.shape[1], number)
    for v in np.linalg.inv(X.T @ X):
        y, far = np.full(len(X), 0.1), np.argmax(np.abs(X @ v))
        y[far] = 1.0
        law = infer(noiseless(X, y, 0.25), target="sample", bound=1.0, rows=found)
        moved = np.linalg.lstsq(X, y, rcond=None)[0] - law.params
        allowed, _ = law.clipped.moved(np.eye(X.shape[1]))
        place = int(np.argmax(np.linalg.inv(X.T @ X) @ X[far] == v @ X[far]))
        assert abs(moved[place]) == pytest.approx(allowed[place], rel=1e-4)
