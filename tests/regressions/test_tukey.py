"""Tukey depth: its law against its claim for all neighbours, its certificates, what it fits."""

import math
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.errors import InvalidArgument
from dpframe.graph.maps.scaled import DividedRecords, RecordLabels
from dpframe.graph.procedures import TestedPoint, deep_point_tested
from dpframe.graph.procedures.deep_point import deep_point
from dpframe.graph.statistics import CellSums
from dpframe.numerics.blocks.depths import Depths
from tests.support import samples
from tests.support.oracles import value

APPROX, PURE = dp.ApproxDP(dp.EPSILON, dp.DELTA), dp.PureDP(dp.EPSILON)
CLASSES = [dp.regressions.Tukey, dp.regressions.TukeyPure]
every = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
relations = pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)


def number(formula):
    """A formula without symbols."""
    return float(value(formula, {}))


NUMBERS = SimpleNamespace(up=number, down=number)


def node(share, cells, relation=dp.ADD_REMOVE):
    """A deep point, tested where the share has a delta."""
    X, y = samples.setting(relation).nodes()
    sums = CellSums(dp.partition(X, y, cells=cells))
    size = {"penalty": 0, "radius": 1, "grain": 1}
    if isinstance(share, dp.PureDP):
        return deep_point(sums, share=share.budget, **size)
    return deep_point_tested(sums, share=share.budget, test="1/2", **size)


def depth(point, models):
    """By definition."""
    below, above = (models <= point).sum(axis=0), (models >= point).sum(axis=0)
    return int(min(below.min(), above.min()))


def law(point, models, reach, base):
    """The chance of every outcome, None where the test fails, from the definition; only the
    distance is the procedure's own.
    """
    d, tested = models.shape[1], isinstance(point, TestedPoint)
    cube = list(product(range(-reach, reach + 1), repeat=d))
    depths = {theta: depth(np.array(theta), models) for theta in cube}
    least = point.least if tested else 0
    weights = {theta: base**k for theta, k in depths.items() if k >= least}
    passed = 1.0
    if tested:
        base_of_two = Fraction(int(base * 2**40), 2**40)
        far = point.distance(Depths(models, reach, base_of_two), NUMBERS)
        passed = tail(point.bar(NUMBERS) - far, number(point.scale))
    total = sum(weights.values())
    drawn = {theta: passed * w / total for theta, w in weights.items()} if total else {}
    return {**drawn, None: 1 - passed + (0 if total else passed)}


def tail(k, scale):
    """Pr[noise >= k] of the discrete Laplace law."""
    q = math.exp(-1 / scale)
    return q**k / (1 + q) if k > 0 else 1 - q ** (1 - k) / (1 + q)


def excess(one, other, epsilon):
    """The least delta at which the pair is (epsilon, delta)-indistinguishable."""
    return max(
        sum(max(0.0, p.get(out, 0) - math.exp(epsilon) * q.get(out, 0)) for out in {*p, *q})
        for p, q in ((one, other), (other, one))
    )


def tables(rng, count, m, d, reach):
    """Models in the middle, and some elsewhere: the distance is anything."""
    for _ in range(count):
        models = rng.integers(-1, 2, size=(m, d))
        away = rng.integers(0, m // 2 + 1)
        models[:away] = rng.integers(-reach, reach + 1, size=(away, d))
        yield models


def worst(point, changed, seed, *, m=24, d=1, reach=4):
    """The largest delta over tables and neighbours with `changed` other models."""
    rng, epsilon = np.random.default_rng(seed), number(point.share.epsilon)
    base, found = math.exp(number(point.rate)), []
    for models in tables(rng, 60, m, d, reach):
        own = law(point, models, reach, base)
        for _ in range(12):
            other = models.copy()
            chosen = rng.choice(m, changed, replace=False)
            other[chosen] = rng.choice([-reach, -1, 0, 1, reach], size=(changed, d))
            found.append(excess(own, law(point, other, reach, base), epsilon))
    return max(found)


@pytest.mark.parametrize("d", [1, 2])
@relations
def test_no_pair_exceeds_a_pure_claim(relation, d):
    """Replaced, two cells change; a rate twice as large is seen."""
    changed = 1 if relation is dp.ADD_REMOVE else 2
    point = node(dp.PureDP(1), 24, relation)
    assert worst(point, changed, 0, d=d, m=9, reach=3) < 1e-12
    hot = attrs.evolve(point, rate=point.rate * 2)
    assert worst(hot, changed, 0, d=d, m=9, reach=3) > 0.01


@pytest.mark.some(1)
@pytest.mark.parametrize("d", [1, 2])
@relations
def test_no_pair_exceeds_an_approximate_claim(relation, d):
    """Tables that pass, that fail, and at the border between safe and not; less noise of the test
    is seen.
    """
    changed = 1 if relation is dp.ADD_REMOVE else 2
    share = dp.ApproxDP(4 if changed == 1 else 12, "1/20")
    point = attrs.evolve(node(share, 24, relation), least=6)
    reach = 4 if d == 1 else 2
    found = worst(point, changed, 1, d=d, reach=reach)
    assert found <= 1 / 20
    louder = attrs.evolve(point, test=point.test * 3)
    assert worst(louder, changed, 1, d=d, reach=reach) > 1 / 20


@pytest.mark.some(1)
@relations
def test_models_may_vanish_and_appear(relation):
    """A cell whose records leave has no model: neighbours have other numbers of models."""
    changed = 1 if relation is dp.ADD_REMOVE else 2
    share = dp.ApproxDP(4 if changed == 1 else 12, "1/20")
    tested = attrs.evolve(node(share, 24, relation), least=6)
    rng, found = np.random.default_rng(7), {}
    for point, bound in ((tested, 1 / 20), (node(dp.PureDP(1), 24, relation), 1e-12)):
        epsilon, base = number(point.share.epsilon), math.exp(number(point.rate))
        worst_of = []
        for models in tables(rng, 40, 24, 1, 4):
            own = law(point, models, 4, base)
            for k in range(changed + 1):  # k appear, the others vanish
                other = np.delete(models, rng.choice(24, changed - k, replace=False), axis=0)
                other = np.concatenate([other, rng.choice([-4, 0, 4], size=(k, 1))])
                worst_of.append(excess(own, law(point, other, 4, base), epsilon))
        found[bound] = max(worst_of)
    assert all(largest <= bound for bound, largest in found.items())
    assert found[1 / 20] > 0


def test_the_threshold_by_hand():
    """The least whole number that noise reaches with probability at most delta."""
    for epsilon, delta in ((1, "1e-6"), (3, "1e-3"), ("1/10", "1/3")):
        point = node(dp.ApproxDP(epsilon, delta), 8)
        bar, scale = point.bar(NUMBERS) + 1, number(point.scale)
        assert np.isclose(scale, 2 / float(Fraction(epsilon)))
        assert tail(bar, scale) <= float(Fraction(delta)) < tail(bar - 1, scale)


def test_a_test_needs_a_delta():
    """A pure budget is refused with the way out."""
    with pytest.raises(InvalidArgument, match="delta"):
        dp.certify(dp.regressions.Tukey(), target=PURE, setting=samples.setting())
    with pytest.raises(InvalidArgument, match="epsilon"):
        dp.certify(dp.regressions.TukeyPure(), target=dp.GaussianDP(1), setting=samples.setting())


def with_node(point, target, relation=dp.ADD_REMOVE):
    """Certify a declaration that releases exactly this node."""
    declared = type("Mine", (dp.Regression,), {"declare": lambda self, X, y, budget: point})
    return dp.examine(declared(), target=target, setting=samples.setting(relation))


@relations
def test_a_rate_or_a_test_beyond_its_share_is_refused(relation):
    """By a thousandth, each; so is a depth of 0, whose box is not of the models."""
    tested, plain = node(APPROX, 8, relation), node(PURE, 8, relation)
    more = Fraction(1001, 1000)
    assert with_node(tested, APPROX, relation).proved
    assert with_node(plain, PURE, relation).proved
    wrong = [
        (attrs.evolve(tested, rate=tested.rate * more), APPROX),
        (attrs.evolve(tested, test=tested.test * more), APPROX),
        (attrs.evolve(tested, least=0), APPROX),
        (attrs.evolve(tested, test=tested.test * 0), APPROX),
        (attrs.evolve(plain, rate=plain.rate * more), PURE),
        (attrs.evolve(plain, rate=-plain.rate), PURE),
        (attrs.evolve(plain, radius=-plain.radius), PURE),
    ]
    for point, target in wrong:
        report = with_node(point, target, relation)
        assert not report.proved
        assert any(one.kind == "theorem" for one in report.open_obligations)


def test_a_rate_for_one_cell_is_refused_under_replace_one():
    """A replaced record may change two."""
    once = node(APPROX, 8).rate
    point = attrs.evolve(node(APPROX, 8, dp.REPLACE_ONE), rate=once)
    assert not with_node(point, APPROX, dp.REPLACE_ONE).proved


def test_it_is_refused_for_labels_without_bounds():
    """Sums of such records are on no grid."""
    X, y = samples.setting().nodes()
    labels = RecordLabels(DividedRecords(X, y))
    sums = CellSums(dp.partition(X, labels, cells=8))
    report = with_node(attrs.evolve(node(PURE, 8), sums=sums), PURE)
    assert [one.rule for one in report.open_obligations] == ["rows and labels must be bounded"]


def linear(n=6000):
    """y = x'(0.5, -0.3) and a little noise, inside the bounds."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(n, 2))
    return X, X @ [0.5, -0.3] + 0.05 * rng.normal(size=n)


@every
@relations
def test_it_fits_and_points_are_of_the_grid(cls, relation):
    """At epsilon = 20, 100 models: to 1%; the same from shuffled records."""
    X, y = linear()
    proof = dp.certify(
        cls(models=100), target=dp.ApproxDP(20, "1e-6"), setting=samples.setting(relation)
    )
    found = dp.execute(proof, X, y, rng=1).output.coefficients
    assert np.allclose(found, [0.5, -0.3], atol=0.01)
    steps = found / (1e-4 * (2 / 1.5))
    assert np.allclose(steps, np.rint(steps), atol=1e-6)
    order = np.random.default_rng(1).permutation(len(X))
    assert np.all(dp.execute(proof, X[order], y[order], rng=1).output.coefficients == found)


def test_without_enough_models_it_gives_zeros():
    """At epsilon = 1 no table of 20 models is far from unsafe: only noise passes the test."""
    X, y = linear()
    proof = dp.certify(
        dp.regressions.Tukey(models=20), target=dp.ApproxDP(1, "1e-6"), setting=samples.setting()
    )
    for seed in range(5):
        assert not dp.execute(proof, X, y, rng=seed).output.coefficients.any()
