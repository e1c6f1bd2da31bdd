"""Descents on clipped gradients; and every certified regression on every odd table."""

from fractions import Fraction

import numpy as np
import pytest

import dpframe as dp
from dpframe.accountants import composition_of
from dpframe.estimators.links import of_classes
from dpframe.literature.catalogue import claims_pure, example
from dpframe.regressions.solve import averaged, descend, projected, whole
from dpframe.symbols import constant
from tests.support import samples
from tests.support.tables import numbered

# -------------------------------------------------------------------- Descents on clipped gradients
NUMBERS = dp.ApproxDP(1, "1e-6")
BOTH = pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE], ids=str)


def setting(relation=dp.ADD_REMOVE, **how):
    """A table with |x| <= 1, |y| <= 1."""
    return dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=relation, **how)


def table(n, d, seed):
    """Rows evenly in the ball, an R^2 of 0.8."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) / (1.4 * np.sqrt(d))
    theta = rng.normal(size=d)
    y = X @ theta * np.sqrt(0.8) / np.std(X @ theta) + np.sqrt(0.2) * rng.normal(size=n)
    return X, y / 5


def lost(X, y, theta):
    """R^2 below that of least squares."""
    best = np.linalg.lstsq(X, y, rcond=None)[0]
    return (np.sum((y - X @ theta) ** 2) - np.sum((y - X @ best) ** 2)) / np.sum(
        (y - y.mean()) ** 2
    )


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "regression",
    [
        dp.regressions.NoisyGradientDescent(),
        dp.regressions.NoisySGD(rounds=60),
        dp.regressions.BoostedAdaSSP(),
    ],
    ids=lambda one: type(one).__name__,
)
@pytest.mark.slow
def test_accuracy(regression):
    """100,000 rows of 10 columns at epsilon 1: at most a thousandth of R^2 is lost; zeros lose
    most of it.
    """
    X, y = table(100_000, 10, 3)
    proof = dp.certify(regression, target=NUMBERS, setting=setting())
    theta = dp.execute(proof, X, y, rng=0).output.coefficients
    assert lost(X, y, theta) < 1e-3
    assert lost(X, y, np.zeros(10)) > 0.7


def test_points_stay_in_the_ball():
    """The path of a short radius never leaves it; zeros lead to zeros without noise."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        direction = rng.normal(size=4)
        direction /= np.linalg.norm(direction)
        size = 10.0 ** rng.integers(-300, 300)
        assert np.allclose(projected(size * direction, 0.5) / min(size, 0.5), direction)
    far = projected(np.array([1.7e308, -1.7e308]), 0.5)
    assert np.allclose(far, [0.5 / np.sqrt(2), -0.5 / np.sqrt(2)])
    assert projected(np.array([np.inf, 1.0]), 1.0).tolist() == [0.0, 0.0]
    assert projected(np.array([0.1, 0.1]), 1.0).tolist() == [0.1, 0.1]
    assert np.array_equal(projected(np.zeros(3), 1.0), np.zeros(3))


def test_a_small_n_takes_small_steps():
    """A released n below its own noise counts as that; never as less than one row."""
    up = np.ones(1)
    for n, least, step in ((-50.0, 4.0, 0.25), (8.0, 4.0, 0.125), (0.0, 0.1, 1.0)):
        assert descend(np.zeros(1), up, 0, n, least, 1.0, 100.0).tolist() == [-step]


def test_the_mean_of_the_last():
    """Never the starting point; one point at least."""
    path = np.arange(5.0)[:, None]
    means = {0: 4.0, "1/4": 4.0, "1/2": 3.5, 1: 2.5, 9: 2.5}
    for share, mean in means.items():
        assert averaged(path, float(Fraction(share))).coefficients.tolist() == [mean]


def test_without_noise_it_is_least_squares():
    """A lavish budget: the fixed point is right, also through boosting."""
    X, y = table(20_000, 3, 1)
    X /= np.max(np.linalg.norm(X, axis=1))  # nothing to clip
    best = np.linalg.lstsq(X, y, rcond=None)[0]
    lavish = dp.GaussianDP(10**6)
    for regression in (
        dp.regressions.NoisyGradientDescent(rounds=200, pace=4),
        dp.regressions.BoostedAdaSSP(rounds=20),
    ):
        proof = dp.certify(regression, target=lavish, setting=setting())
        theta = dp.execute(proof, X, y, rng=0).output.coefficients
        assert np.allclose(theta, best, atol=3e-5)


def test_samples_lower_the_noise():
    """At numbers the noise of NoisySGD is far below that of symbols, and proved by the numeric
    accountant; with two rows a person, or under replace-one, it is not.
    """
    stds = {}
    for name, target, table_ in (
        ("numbers", NUMBERS, setting()),
        ("symbols", dp.ApproxDP(dp.EPSILON, "1e-6"), setting()),
        ("two rows", NUMBERS, setting(rows_per_person=2)),
        ("replace", NUMBERS, setting(dp.REPLACE_ONE)),
    ):
        proof = dp.certify(dp.regressions.NoisySGD(), target=target, setting=table_)
        step = next(one for one in proof.graph.releases if one.sampled is not None)
        stds[name] = (
            proof.at(epsilon=1).number(step.std, up=True)
            if proof.free
            else (proof.number(step.std, up=True))
        )
    assert stds["numbers"] < stds["symbols"] / 5
    assert stds["two rows"] == pytest.approx(2 * stds["symbols"], rel=1e-9)
    assert stds["replace"] == pytest.approx(2 * stds["symbols"] * np.sqrt(0.95), rel=1e-9)
    proof = dp.certify(dp.regressions.NoisySGD(), target=NUMBERS, setting=setting())
    assert 1 - 1e-9 < composition_of(proof).epsilon("1e-6").upper <= 1


@BOTH
def test_rounds_as_a_symbol(relation):
    """One certificate for all T, run at 3."""
    T = dp.parameter("T", 1, closed="left", integer=True)
    for cls in (
        dp.regressions.NoisyGradientDescent,
        dp.regressions.NoisySGD,
        dp.regressions.BoostedAdaSSP,
    ):
        proof = dp.certify(
            cls(rounds=T), target=dp.ApproxDP(dp.EPSILON, dp.DELTA), setting=setting(relation)
        )
        run = proof.at(epsilon=1, delta="1e-6", T=3)
        X, y = table(500, 2, 0)
        result = dp.execute(run, X, y, rng=0)
        assert result.released["gradients"].shape == (3, 2)
        assert np.isfinite(result.output.coefficients).all()


# ------------------------ Every certified regression runs on every odd table, by execute and by fit
RNG = np.random.default_rng(5)
WIDE = RNG.normal(size=(12, 3)) / 2
TABLES = {
    "ordinary": (WIDE, WIDE @ [0.5, -0.25, 0.0]),
    "d=1": (WIDE[:, :1], WIDE[:, 0]),
    "n=0": (np.empty((0, 3)), np.empty(0)),
    "n=1": (WIDE[:1], np.array([0.5])),
    "constant columns": (np.ones((9, 3)), np.linspace(-1, 1, 9)),
    "duplicated columns": (WIDE[:, [0, 0, 1]], WIDE[:, 0]),
    "nearly constant": (1 + 1e-20 * np.arange(27.0).reshape(9, 3), np.ones(9)),
    "tiny spread": (np.column_stack([1e-20 * np.arange(9.0), np.ones(9), WIDE[:9, 0]]), np.ones(9)),
    "one huge row": (np.vstack([WIDE, np.full(3, 1e300)]), np.append(WIDE[:, 0], -1e300)),
    "zeros": (np.zeros((6, 3)), np.zeros(6)),
}


def target(declared):
    """Epsilon 1; delta where the declaration spends one."""
    pure = claims_pure(declared, dp.ADD_REMOVE)
    return dp.PureDP(1) if pure else dp.ApproxDP(1, "1e-6")


def family(cases):
    """A test for each declaration and relation."""
    ids = [f"{cls.__name__}-{relation}" for cls, relation in cases]
    return pytest.mark.parametrize(("cls", "relation"), cases, ids=ids)


CERTIFIED = [
    *samples.certified(),
    *((dp.regressions.Tuned, relation) for relation in samples.RELATIONS),
]
OF = {cls: [relation for one, relation in CERTIFIED if one is cls] for cls, _ in CERTIFIED}
FITTED = [(cls, found[i % len(found)]) for i, (cls, found) in enumerate(OF.items())]  # by turns


@family(FITTED)
def test_odd_tables_give_finite_coefficients(cls, relation):
    """Each table, simulated; at most one is refused, by an error of dpframe's own."""
    declared = numbered(example(cls))
    proof = dp.certify(declared, target=target(declared), setting=setting(relation))
    done = 0
    for name, (X, y) in TABLES.items():
        try:
            output = dp.execute(proof, X, y, rng=3).output
        except dp.DPFrameError:
            continue
        assert np.all(np.isfinite(output.coefficients)), name
        assert output.coefficients.shape[0] >= X.shape[1], name
        done += 1
    assert done >= len(TABLES) - 1


@family(FITTED)
def test_the_estimator_fits_it(cls, relation):
    """With a seed, by the estimator of its kind; predictions are finite."""
    declared, (X, y) = numbered(example(cls)), TABLES["ordinary"]
    delta = 0 if isinstance(target(declared), dp.PureDP) else 1e-6
    classes = of_classes(declared, setting(relation), target(declared))
    kind, labels = (dp.PrivateClassifier, np.sign(y)) if classes else (dp.PrivateRegressor, y)
    model = kind(declared, epsilon=1, delta=delta, setting=setting(relation), rng=1)
    assert np.all(np.isfinite(model.fit(X, labels).predict(X)))


def test_whole_numbers():
    """Ends included."""
    assert [whole(constant(k), "rounds", 0, 20) for k in (0, 7, 20)] == [0, 7, 20]
    assert whole(constant(10**9), "cells") == 10**9


@pytest.mark.parametrize("value", [-1, 21, Fraction(1, 2), "0.999999999999"])
def test_others_are_refused_by_name(value):
    """Also what is nearly whole."""
    with pytest.raises(dp.InvalidArgument, match="rounds must be a whole number from 0 to 20"):
        whole(constant(value), "rounds", 0, 20)


@pytest.mark.parametrize(
    ("cls", "name", "wrong"),
    [
        (dp.regressions.AMBSSGD, "rounds", (0, 51)),
        (dp.regressions.AdaptiveGradientDescent, "rounds", (0, 51)),
        (dp.JointSSP, "rounds", (-1, 21)),
        (dp.regressions.DPME, "cells", (1, 1001)),
        (dp.regressions.SubAgg, "cells", (0, 1001)),
        (dp.regressions.Tukey, "models", (0, 1001)),
        (dp.regressions.TheilSen, "matchings", (0, 11)),
        (dp.regressions.TheilSen, "pairs", (0,)),
    ],
)
def test_sizes_of_graphs_are_whole_numbers(cls, name, wrong):
    """Neither halves nor symbols: a graph has no epsilon rounds."""
    for value in (*wrong, "1/2", dp.parameter("k", 1, integer=True)):
        with pytest.raises(dp.InvalidArgument, match=name):
            dp.certify(cls(**{name: value}), target=dp.PureDP(1), setting=setting())
