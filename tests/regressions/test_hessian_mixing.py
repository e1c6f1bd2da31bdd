"""Iterative Hessian mixing: sketches right in law, private on actual tables, refused where not."""

from __future__ import annotations

import copy
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2, kstest

import dpframe as dp
from dpframe.execution.numbers import PublicNumbers
from dpframe.graph.procedures import GaussianMixing
from dpframe.randomness import Randomness
from dpframe.regressions.hessian_mixing import newton
from tests.support import checking as check
from tests.support.tables import on_sphere

TARGET, NUMBERS = dp.ApproxDP(dp.EPSILON, dp.DELTA), dp.ApproxDP(1, "1e-6")
BOTH = pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE], ids=str)


def setting(relation=dp.ADD_REMOVE, *, norm=1, **how):
    """Rows of this norm, labels up to 1."""
    return dp.Setting(X=dp.Rows(norm=norm), y=dp.Column(bound=1), relation=relation, **how)


def same(sketches):
    """What is released."""
    return np.asarray(sketches)[0]


class Sketched(dp.Regression):
    """Only sketches: of 30 rows each. [Lev25]"""

    floor: str = ""
    rows: dp.Expression = dp.constant(30)
    share: dp.Expression = dp.constant("1/2")

    def declare(self, X, y, budget):
        """The rest of the budget is for a floor."""
        del y
        part = 1 - self.share
        mixing, other, last = budget.split(
            epsilon=(self.share, part / 2, part / 2), delta=("1/2", "1/8", "1/8")
        )
        noisy = dp.release(self.least(X), dp.Gaussian.analytic, other, name="least")
        bound = dp.graph.upper_bound if self.floor == "above" else dp.graph.lower_bound
        floor = bound(noisy, budget.delta / 4, name="bound") if self.floor else 0
        rows = self.own(X)
        out = dp.graph.gaussian_mixing(
            rows.T @ rows, rows=self.rows, sketches=2, floor=floor, share=mixing
        )
        if self.floor != "below and more":
            return dp.post(same, out)
        half = X.clip(norm="1/2")
        return dp.release(half.T @ half, dp.Gaussian.analytic, last), dp.post(same, out)

    def least(self, X):
        """Of another table, where asked."""
        other = X.clip(norm="1/2") if self.floor == "elsewhere" else X
        return dp.lambda_min(other.T @ other)

    def own(self, X):
        """Rows without a bound, where asked."""
        return X.origin if self.floor == "unbounded" else X


def words(declared, relation=dp.ADD_REMOVE, **how):
    """Every open obligation of a declaration, in words."""
    found = dp.examine(declared, target=TARGET, setting=setting(relation, **how))
    return "\n".join(map(str, found.open_obligations)), found.proved


@pytest.mark.parametrize(
    ("floor", "why"),
    [
        ("above", "a bound below lambda_min of this X'X"),
        ("elsewhere", "a bound below lambda_min of this X'X"),
        ("unbounded", "must be bounded"),
    ],
)
def test_a_wrong_floor_is_refused(floor, why):
    """An upper bound, a bound of other rows, rows without a bound."""
    text, proved = words(Sketched(floor=floor))
    assert not proved
    assert why in text
    assert words(Sketched(floor="below"))[1]
    assert words(Sketched())[1]


def test_more_rows_a_person_no_rows_and_too_much_are_refused():
    """The pair is of one record; a share of all leaves nothing for the floor."""
    assert "one row a person" in words(Sketched(), rows_per_person=2)[0]
    assert "rows must be positive" in words(Sketched(rows=0))[0]
    assert "positive" in words(Sketched(floor="below", share=1))[0]
    with pytest.raises(dp.InvalidArgument, match="delta"):
        dp.examine(Sketched(), target=dp.PureDP(1), setting=setting())


def test_what_a_loop_moves_is_refused():
    """Sketches are drawn once: their rows must not read the point of a loop."""

    class Moved(dp.Regression):
        """Sketches of gradients. [Lev25]"""

        def declare(self, X, y, budget):
            half, rest = budget.split_evenly(2)
            point = dp.iterate(X.columns)
            rows = dp.graph.gradient(X, y, at=point, clip=1).rows
            step = dp.release(dp.graph.gradient(X, y, at=point, clip=1), dp.Gaussian.analytic, half)
            path = dp.loop(point, step, follow)
            return path, dp.graph.gaussian_mixing(rows.T @ rows, rows=9, share=rest)

    assert not words(Moved())[1]


def follow(theta, answer, turn):
    """Downhill."""
    del turn
    return theta - answer


def document(change):
    """The certificate of sketches with one node changed, signed again."""
    proof = dp.certify(Sketched(floor="below and more"), target=TARGET, setting=setting())
    found = copy.deepcopy(proof.document)
    nodes = {node["kind"]: node for node in found["graph"]["nodes"]}
    change(nodes, found)
    return check.check(check.sealed(found))


def test_the_checker_refuses_what_the_theorem_does_not_cover():
    """A bound to the other side, two rows a person, all of epsilon, no rows, hidden formulas."""
    assert document(lambda nodes, found: None).accepted

    def formula(name, value):
        return lambda nodes, _: nodes["gaussian_mixing"]["formulas"].update({name: value})

    def elsewhere(nodes, found):
        """X'X of the other rows, whose bound is smaller."""
        grams = [node["id"] for node in found["graph"]["nodes"] if node["kind"] == "gram"]
        (own,) = nodes["gaussian_mixing"]["inputs"]
        assert own in grams
        nodes["gaussian_mixing"]["inputs"] = [one for one in grams if one != own]

    def two_rows(nodes, found):
        """With a margin for both."""
        found["statement"].update(rows_per_person="2")
        nodes["bound"].update(margin="2")

    def share(name, value):
        return lambda nodes, _: nodes["gaussian_mixing"]["share"].update({name: value})

    changes = {
        "range of a bound": lambda nodes, _: nodes["bound"].update(upper=True),
        "a bound below lambda_min of this": elsewhere,
        "floor must be 0": formula("floor", "1000000"),
        "rows must be positive": formula("rows", "0"),
        "sketches must be positive": formula("sketches", "-1"),
        "size": formula("size", "1"),
        "must sum": share("epsilon", "epsilon"),
        "deltas": share("delta", "delta"),
        "one row a person": two_rows,
        "idealized": lambda _, found: found["assumptions"].clear(),
    }
    for reason, change in changes.items():
        verdict = document(change)
        assert not verdict.accepted
        assert reason in verdict.reason, (reason, verdict.reason)


def sketches(proof, gram, floor, times, seed=1):
    """Draws of the sketches given X'X and the bound, and s^2."""
    numbers = PublicNumbers.of(proof, {"d": len(gram), "n": 0})
    (node,) = proof.graph.procedures
    assert isinstance(node, GaussianMixing)
    for name in {symbol.name for symbol in node.floor.symbols()}:
        numbers.learn(name, Fraction(floor))
    rng = Randomness.of(seed)
    drawn = [node.sample({node.gram: gram}, numbers, rng) for _ in range(times)]
    return np.array(drawn), node.added(numbers), node.sizes(numbers)


@pytest.mark.parametrize("floor", [0, 10, 10**6])
def test_sketches_have_the_law_of_sketches(floor):
    """k x'W x/(x'(X'X + s^2 I) x) is chi squared with k degrees of freedom, for every x; two
    sketches are independent; beyond what is needed nothing is added.
    """
    proof = dp.certify(Sketched(floor="below"), target=NUMBERS, setting=setting())
    rng = np.random.default_rng(2)
    X = rng.normal(size=(50, 3))
    drawn, added, (T, k) = sketches(proof, X.T @ X, floor, 2000)
    assert (T, k) == (2, 30)
    assert (added == 0) == (floor == 10**6)
    M = X.T @ X + added * np.eye(3)
    for x in np.vstack([np.eye(3), rng.normal(size=3)]):
        forms = k * np.einsum("ntij,i,j->nt", drawn, x, x) / (x @ M @ x)
        assert kstest(forms.ravel(), chi2(k).cdf).pvalue > 1e-3
        assert abs(np.corrcoef(forms.T)[0, 1]) < 5 / math.sqrt(len(forms))


def two_sided(M, larger, epsilon, rows):
    """Both directions of the profile of `rows` draws, from the eigenvalue of the pencil of the two
    covariances, in scipy's chi squared.
    """
    (ratio,) = [one for one in np.linalg.eigvals(np.linalg.solve(M, larger)).real if one > 1 + 1e-9]
    m = ratio - 1
    high = (rows * math.log(ratio) + 2 * epsilon) / m
    low = max((rows * math.log(ratio) - 2 * epsilon) / m, 0)
    forward = chi2.sf(high, rows) - math.exp(epsilon) * chi2.sf(ratio * high, rows)
    backward = chi2.cdf(ratio * low, rows) - math.exp(epsilon) * chi2.cdf(low, rows)
    return max(forward, backward)


@pytest.mark.parametrize("floor", [0, 20])
def test_tables_one_record_apart_are_hidden_exactly(floor):
    """Add/remove: of all records beside tables whose least eigenvalue is the floor, the worst
    costs delta, and none costs more.
    """
    epsilon, delta = 0.5, 5e-7  # the share of the sketches
    proof = dp.certify(Sketched(floor="below"), target=NUMBERS, setting=setting())
    smaller = np.diag([float(floor), floor + 5.0])
    _, added, (T, k) = sketches(proof, smaller, floor, 0)
    assert added > 0
    costs = []
    for angle in np.linspace(0, np.pi / 2, 7):
        x = np.array([math.cos(angle), math.sin(angle)])
        M = smaller + added * np.eye(2)
        costs.append(two_sided(M, M + np.outer(x, x), epsilon, T * k))
    assert max(costs) == costs[0] == pytest.approx(delta, rel=1e-4)
    assert costs[-1] < 0.9 * delta


def test_a_replacement_is_hidden():
    """Replace-one: the log-likelihood ratio of two tables that replace a record, by simulation."""
    target = dp.ApproxDP(1, "1/50")
    proof = dp.certify(Sketched(floor="below"), target=target, setting=setting(dp.REPLACE_ONE))
    (node,) = proof.graph.procedures
    assert str(node.claim[0]) == "1/4"
    _, added, (T, k) = sketches(proof, np.eye(2), 0, 0)
    one, other = (added * np.eye(2) + np.outer(e, e) for e in np.eye(2))
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(100_000, T * k, 2)) @ np.linalg.cholesky(one).T
    change = np.linalg.inv(other) - np.linalg.inv(one)
    ratio = np.einsum("nki,ij,nkj->n", rows, change, rows) / 2  # equal determinants
    assert np.maximum(1 - np.exp(0.5 - ratio), 0).mean() <= 0.01


def test_more_rows_need_more_noise_and_a_floor_less():
    """s^2 + floor is the level that the share asks for, in units of B^2."""
    found = {}
    for rows in (30, 300):
        declared = Sketched(floor="below", rows=rows)
        for norm in (1, 2):
            proof = dp.certify(declared, target=NUMBERS, setting=setting(norm=norm))
            for floor in (0, 7):
                found[rows, norm, floor] = sketches(proof, np.eye(2), floor, 0)[1]
    assert found[30, 1, 0] - found[30, 1, 7] == pytest.approx(7, rel=1e-9)
    assert found[30, 2, 0] == pytest.approx(4 * found[30, 1, 0], rel=1e-9)
    assert found[300, 1, 0] == pytest.approx(math.sqrt(10) * found[30, 1, 0], rel=0.2)


def test_too_many_rows_are_refused_in_words():
    """Before anything is drawn in vain."""
    proof = dp.certify(Sketched(rows=10**8), target=NUMBERS, setting=setting())
    with pytest.raises(dp.InvalidArgument, match="rows, sketches"):
        sketches(proof, np.eye(2), 0, 1)


@BOTH
def test_it_learns(relation):
    """At n = 2 10^4, d = 5, epsilon = 1: within 0.01 of least squares; one round is not."""
    X, y, quality = on_sphere(20_000, 5, 3)
    best = quality(np.linalg.lstsq(X, y, rcond=None)[0])
    lost = {}
    for rounds in (1, 3):
        declared = dp.regressions.HessianMixing(rounds=rounds, oversampling=6)
        proof = dp.certify(declared, target=NUMBERS, setting=setting(relation))
        fits = [dp.execute(proof, X, y, rng=seed).output for seed in range(7)]
        lost[rounds] = best - np.median([quality(fit.coefficients) for fit in fits])
    assert lost[3] < 0.01
    assert lost[3] < lost[1]


def test_a_step_reads_its_own_sketch():
    """Turn by turn; clipped to the ball; zeros where a sketch is singular."""
    both = np.array([np.eye(2), 2 * np.eye(2)])
    steps = [newton(np.zeros(2), np.array([-4.0, 0]), turn, both, 100.0) for turn in (0, 1)]
    assert np.array_equal(steps, [[4, 0], [2, 0]])
    assert np.allclose(newton(np.zeros(2), np.array([-4.0, 0]), 0, both, 1.0), [1, 0])
    assert np.array_equal(newton(np.ones(2), np.ones(2), 0, np.zeros((1, 2, 2)), 9.0), [1, 1])
