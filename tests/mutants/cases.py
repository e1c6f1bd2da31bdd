"""The table of mutants (refused) and variants (accepted): small declarations and verdicts.

Names M, S, T, C, V are those of the catalogue of published mistakes; I are the ones this project
promises; E are more of the same kind. `broken` re-evaluates a counterexample with Fractions (or
mpmath, where the exact Gaussian profile decides) and nothing of the verifier.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, partial
from typing import Any

import attrs
import numpy as np

import dpframe as dp
from dpframe.regressions.solve import adaptive_ridge, ridge_solve
from tests.support.oracles import delta_of, mpf, sigma_of

ACCEPTED, REFUSED, UNSPELLABLE = "accepted", "refused", "cannot be spelled"
T = dp.ApproxDP(dp.EPSILON, dp.DELTA)
ONE = dp.ApproxDP(1, "1e-6")
EPSILON, DELTA = dp.EPSILON, dp.DELTA
ku, classical, analytic = (dp.Gaussian.kamath_ullman, dp.Gaussian.classical, dp.Gaussian.analytic)
GAMMA = dp.parameter("gamma", 0, 1)
CLOSED = dp.parameter("gamma", 0, 1, closed="both")
PERSON = dp.parameter("k", 1, closed="left", integer=True)
ROUNDS = dp.parameter("T", 1, closed="left", integer=True)
THIRD = Fraction(1, 3)
SIGMA = dp.analytic_sigma(EPSILON, DELTA)
root2 = dp.sqrt(2)
BIG, TALL = dp.parameter("B", 0), dp.parameter("Y", 0)


def table(relation=dp.ADD_REMOVE, norm=1, bound=1, **more) -> dp.Setting:
    """A table with |x| <= 1 and |y| <= 1, unless said otherwise."""
    return dp.Setting(X=dp.Rows(norm=norm), y=dp.Column(bound=bound), relation=relation, **more)


AR, RO = table(), table(dp.REPLACE_ONE)
CODEBOOK = dp.Setting(
    X=dp.Rows(columns=[dp.Numeric("age", 17, 42), dp.Numeric("children", 0, 5)]),
    y=dp.Column(lower=1, upper=5),
    relation=dp.ADD_REMOVE,
)

BODIES: dict[str, Callable[..., Any]] = {}


class Declared(dp.Regression):
    """The declaration of one row of the table. [tests]"""

    name: str = ""

    def declare(self, X, y, budget):
        """The row's body."""
        return BODIES[self.name](X, y, budget)


@attrs.frozen(eq=False)
class Case:
    """One row of the table."""

    name: str
    says: str
    expected: str
    decides: str
    target: dp.Guarantee
    setting: dp.Setting
    accountant: str = "auto"
    node: str = ""
    broken: Callable[..., bool] | None = None

    def examine(self):
        """The report of the declaration, made once."""
        return examined(self)


CASES: list[Case] = []


@cache
def examined(one: Case) -> Any:
    """The report of a declaration."""
    return dp.examine(
        Declared(one.name), target=one.target, setting=one.setting, accountant=one.accountant
    )


def entering(cases, target, at):
    """How variants, mutants, and mutants that the graph has no words for enter a table whose rows
    claim a target at a setting: under a heading `NAME WHAT-DECIDES: what is done`.
    """

    def enter(
        expected, heading, body, *, target=target, at=at, accountant="auto", node="", broken=None
    ):
        place, _, says = heading.partition(": ")
        name, _, decides = place.rpartition(" ")
        BODIES[name] = body
        cases.append(Case(name, says, expected, decides, target, at, accountant, node, broken))

    return [partial(enter, expected) for expected in (ACCEPTED, REFUSED, UNSPELLABLE)]


accept, refuse, unspellable = entering(CASES, T, AR)


# ------------------------------------------------------------------------------ building blocks
def three(X, y, shares, rule=ku):
    """lambda_min, X'X and X'y at three shares, then the adaptive ridge."""
    first, second, third = shares
    floor = dp.release(dp.lambda_min(X.T @ X), rule, first, name="floor")
    gram = dp.release(X.T @ X, rule, second, name="gram")
    moment = dp.release(X.T @ y, rule, third, name="moment")
    return dp.post(
        adaptive_ridge,
        floor,
        gram,
        moment,
        floor.std,
        gram.std,
        dp.constant("0.05"),
        dp.constant(0),
    )


def two(X, y, gram, moment, shares=(None, None)):
    """X'X and X'y with two mechanisms, then ridge."""
    return dp.post(
        ridge_solve,
        dp.release(X.T @ X, gram, shares[0], name="gram"),
        dp.release(X.T @ y, moment, shares[1], name="moment"),
        dp.constant(1),
    )


def stated(unit, X, y):
    """Stated stds unit B^2 and unit B Y."""
    return dp.Gaussian(std=unit * X.norm**2), dp.Gaussian(std=unit * X.norm * y.bound)


def from_gram(gram, moment):
    """Everything from released values: lowest eigenvalue, projection, pseudo-inverse, ridge."""
    values, vectors = np.linalg.eigh(gram)
    ridge = max(0.0, 1.0 - values[0])
    projected = (vectors * np.maximum(values, 0)) @ vectors.T + ridge * np.eye(len(moment))
    return np.linalg.pinv(projected) @ moment


def twice(gram, moment):
    """Reads its first argument more than once."""
    return gram @ gram @ moment


def project(gram):
    """The nearest positive semidefinite matrix."""
    values, vectors = np.linalg.eigh(gram)
    return (vectors * np.maximum(values, 0)) @ vectors.T


def sums(*amounts: Fraction) -> Fraction:
    """An exact sum."""
    return sum(amounts, Fraction(0))


def overspent(weights: Callable[..., tuple], amount="epsilon"):
    """Whether weights of `amount` sum to more than the whole at a counterexample."""

    def broken(values: Mapping[str, Fraction]) -> bool:
        got = dict(values)
        whole = got.pop(amount, Fraction(1))
        other = {"epsilon": "delta", "delta": "epsilon"}[amount]
        got.pop(other, None)
        return sums(*(w * whole for w in weights(**got))) > whole

    return broken


def too_near(mu: Callable[..., Any], epsilon=None, delta=None):
    """Whether the exact profile at mu is above delta at a counterexample."""

    def broken(values: Mapping[str, Fraction]) -> bool:
        got = {name: mpf(v) for name, v in values.items()}
        eps = got.setdefault("epsilon", epsilon)
        whole = got.setdefault("delta", delta)
        shift = mu(**got)
        claim = shift[1:] if isinstance(shift, tuple) else (eps, whole)
        shift = shift[0] if isinstance(shift, tuple) else shift
        return delta_of(claim[0], shift) > claim[1]

    return broken


def log(x):
    """The logarithm at the oracle's precision."""
    from mpmath import log as logarithm

    return logarithm(x)


def root(x):
    """The square root at the oracle's precision."""
    from mpmath import sqrt

    return sqrt(mpf(x))


half = Fraction(1, 2)


def nonpositive(shares: Callable[..., tuple]):
    """Whether some share is 0 or negative at a counterexample."""

    def broken(values: Mapping[str, Fraction]) -> bool:
        got = {name: v for name, v in values.items() if name not in ("epsilon", "delta")}
        return min(shares(**got)) <= 0

    return broken


EVERY, SIX = Fraction(1), Fraction(6, 5)

# ------------------------------------------------------------------- I: what the project promises
refuse(
    "I02 ALG: each of two releases given 1 - gamma rather than half of it",
    lambda X, y, b: three(X, y, b.split(GAMMA, 1 - GAMMA, 1 - GAMMA)),
    node="budget",
    broken=overspent(lambda gamma: (gamma, 1 - gamma, 1 - gamma)),
)
refuse(
    "I03 DOM: a share that is negative for some gamma: gamma, 3/2 - 2 gamma, gamma - 1/2",
    lambda X, y, b: three(X, y, b.split(GAMMA, Fraction(3, 2) - 2 * GAMMA, GAMMA - half)),
    broken=nonpositive(lambda gamma: (gamma, Fraction(3, 2) - 2 * gamma, gamma - half)),
)
refuse(
    "I06 TAINT: ridge parameter read from the unreleased lambda_min",
    lambda X, y, b: dp.post(
        adaptive_ridge,
        dp.lambda_min(X.T @ X),
        dp.release(X.T @ X, ku, b.split(half)[0]),
        dp.release(X.T @ y, ku, b.split(half)[0]),
        dp.constant(0),
        dp.constant(1),
        dp.constant("0.05"),
        dp.constant(0),
    ),
    node="lambda_min(X'X)",
)
refuse(
    "I07 TAINT: noise scaled by max|x| of the data",
    lambda X, y, b: dp.release(
        X.T @ X, dp.Gaussian(std=SIGMA * dp.graph.aggregate("max_abs", X) ** 2)
    ),
    node="X'X",
)
refuse(
    "I08 SENS: an intercept added after the bound was declared: noise for |x| <= 1",
    lambda X, y, b: (  # noqa: PLC3002 - a name for rows
        lambda Z: two(Z, y, dp.Gaussian(std=SIGMA * root2), dp.Gaussian(std=SIGMA * root2))
    )(X.with_intercept()),
    broken=too_near(lambda epsilon, delta: root(3) / sigma_of(epsilon, delta)),
)
refuse(
    "I09 SENS: Laplace noise on X'y scaled with its L2 sensitivity",
    lambda X, y, b: dp.release(X.T @ y, dp.Laplace(scale=X.norm * y.bound / b.epsilon), b),
    target=dp.PureDP(EPSILON),
    node="X'y",
    broken=lambda values: values["d"] > 1,  # loss sqrt(d) epsilon
)
accept(
    "I13 ALG: shares gamma^2, (1 - gamma)^2, gamma (1 - gamma)",
    lambda X, y, b: three(X, y, b.split(GAMMA**2, (1 - GAMMA) ** 2, GAMMA * (1 - GAMMA))),
)
accept(
    "I14 COMP: a released value used twice, paid once",
    lambda X, y, b: (  # noqa: PLC3002 - a name for rows
        lambda gram, moment: (dp.post(twice, gram, moment), dp.post(ridge_solve, gram, moment, 1))
    )(*(dp.release(s, ku, b.split(half)[0]) for s in (X.T @ X, X.T @ y))),
)

# ---------------------------------------------------------------------------- M: budget algebra
refuse(
    "M05 DOM: shares gamma, gamma, 1 - 2 gamma: they sum to 1, the last is negative from 1/2 on",
    lambda X, y, b: three(X, y, b.split(GAMMA, GAMMA, 1 - 2 * GAMMA)),
    broken=nonpositive(lambda gamma: (gamma, gamma, 1 - 2 * gamma)),
)
refuse(
    "M07 ALG: three (epsilon/sqrt 3, delta/3) releases added by basic composition",
    lambda X, y, b: three(X, y, b.split(epsilon=(1 / dp.sqrt(3),) * 3, delta=(THIRD,) * 3)),
    accountant="basic",
    node="budget",
    broken=lambda values: 3 * Fraction(577, 1000) > 1,  # 1/sqrt 3 = 0.5773...
)
refuse(
    "M13 PROFILE: boosted adaSSP with std mu Delta instead of Delta/mu",
    lambda X, y, b: (
        dp.release(X.T @ X, dp.Gaussian(std=1 / SIGMA)),
        dp.release(X.T @ y, dp.Gaussian(std=1 / SIGMA), times=100),
    ),
    target=ONE,
    broken=too_near(lambda **_: root(101) * sigma_of(1, Fraction(1, 10**6)), 1, mpf("1e-6")),
)

# ------------------------------------------------------------------------- S: sensitivity, noise
refuse(
    "S05 PROFILE: Wang's adaSSP, each release at (epsilon/3, delta/3) on its own",
    lambda X, y, b: dp.literature.AdaSSPWang().declare(X, y, b),
    target=ONE,
    accountant="basic",
    node="gram",
    broken=lambda values: (
        delta_of(THIRD, THIRD / root(log(mpf(6) * 10**6))) > Fraction(1, 3 * 10**6)
    ),
)
refuse(
    "S07 DOM: the classical theorem at epsilon_i = 3",
    lambda X, y, b: dp.release(X.T @ X, classical, b),
    target=dp.ApproxDP(3, "1e-6"),
    broken=lambda values: Fraction(3) >= 1,
)
refuse(
    "S21 SENS: features in [-1, 1]^2, noise for |x| <= 1",
    lambda X, y, b: dp.release(X.T @ X, dp.Gaussian(std=SIGMA), b),
    at=CODEBOOK,
    broken=too_near(lambda epsilon, delta: 2 / sigma_of(epsilon, delta)),
)
unspellable(
    "S17 SPELLING: X'X with less noise off the diagonal than half its variance",
    lambda X, y, b: dp.release(X.T @ X, dp.Gaussian(std=SIGMA, off_diagonal=SIGMA / 2), b),
)
refuse(
    "S25 TAINT: delta = 1/n^1.1 under add/remove",
    lambda X, y, b: dp.release(
        X.T @ X,
        dp.Gaussian(std=dp.sqrt(2 * dp.log("1.25" * X.rows ** Fraction(11, 10))) / EPSILON),
        b,
    ),
    node="X'X",
)

# -------------------------------------------------------------------------------------- T: taint
unspellable(
    "T09b SPELLING: control flow on the raw X'X",
    lambda X, y, b: dp.release(X.T @ y if X.T @ X else y @ y, analytic, b),
)
unspellable(
    "T13b SPELLING: a chosen column of the raw features",
    lambda X, y, b: dp.release(X[:, 0] @ y, analytic, b),
)
unspellable(
    "T17 SPELLING: a generator seeded in the graph",
    lambda X, y, b: dp.release(X.T @ y, dp.Gaussian(std=SIGMA, seed=0), b),
)

# ------------------------------------------------------------------- C: parallel composition
unspellable(
    "C03 SPELLING: parallel composition over cells that a record can change",
    lambda X, y, b: [dp.release(cell.T @ cell, analytic, b) for cell in X],
)


def folds(X, y, b):
    """X'X of all cells but one, for each of three, each with the whole budget."""
    cells = dp.partition(X, y, cells=3)
    grams = [cells.cell(j)[0].T @ cells.cell(j)[0] for j in range(3)]
    return tuple(dp.release(grams[j] + grams[j - 1], analytic, b) for j in range(3))


def counts(X, y, b):
    """The number of records in each of three cells, each with the whole budget."""
    cells = dp.graph.partition_at(X, y, [-THIRD, THIRD])
    return tuple(dp.release(cells.count(j), dp.Laplace.pure, b) for j in range(3))


refuse(
    "C01b COMP: parallel composition over training folds of cells: each record is in two of three",
    folds,
    node="budget",
    broken=overspent(lambda: (EVERY,) * 3),
)
refuse(
    "C03b REL: one cell charged where a replaced record may leave one and enter another",
    counts,
    at=RO,
    node="budget",
    broken=overspent(lambda: (EVERY,) * 2),
)

# -------------------------------------------------------------------------------- V: variants
W, V = (dp.parameter(name, 0, 1) for name in ("w", "v"))
W2, V2 = (dp.parameter(name, 0, 1) for name in ("w2", "v2"))
accept(
    "V03 ALG: epsilon and delta split apart, each over an open simplex",
    lambda X, y, b: three(
        X,
        y,
        b.split(
            epsilon=(W, (1 - W) * W2, (1 - W) * (1 - W2)),
            delta=(V, (1 - V) * V2, (1 - V) * (1 - V2)),
        ),
    ),
)
accept(
    "V11 PROFILE: Wang's published scale by joint Gaussian DP, at epsilon = 30.6",
    lambda X, y, b: dp.literature.AdaSSPWang().declare(X, y, b),
    target=dp.ApproxDP("30.6", "1e-6"),
)
refuse(
    "V11x PROFILE: the same at epsilon = 30.7",
    lambda X, y, b: dp.literature.AdaSSPWang().declare(X, y, b),
    target=dp.ApproxDP("30.7", "1e-6"),
    accountant="gaussian",
    broken=lambda values: (
        delta_of(Fraction(307, 10), Fraction(307, 30) * root(3) / root(log(mpf(6) * 10**6)))
        > Fraction(1, 10**6)
    ),
)
for _name, _regression, _below, _above, _accountant in (
    ("SSP", dp.literature.SSPPiazza, "19.6", "19.7", "basic"),
    ("SSP", dp.literature.SSPPiazza, "49.3", "49.4", "gaussian"),
):
    for _epsilon, _enter in ((_below, accept), (_above, refuse)):
        _enter(
            f"V13 {_name} {_epsilon} PROFILE: Piazza's {_name} at epsilon = {_epsilon}, derivation "
            f"{_accountant}",
            lambda X, y, b, declared=_regression: declared().declare(X, y, b),
            target=dp.ApproxDP(_epsilon, "1e-6"),
            accountant=_accountant,
        )


def lemma(X, y, b, gamma):
    """adaSSPbudget with Piazza's constant as stated stds, judged by the profile."""
    shares = b.split(gamma, (1 - gamma) / 2, (1 - gamma) / 2)
    unit = [dp.sqrt(2 * dp.log(2 / share.delta)) / share.epsilon for share in shares]
    return (
        dp.release(dp.lambda_min(X.T @ X), dp.Gaussian(std=unit[0]), shares[0], name="floor"),
        dp.release(X.T @ X, dp.Gaussian(std=unit[1]), shares[1], name="gram"),
        dp.release(X.T @ y, dp.Gaussian(std=unit[2]), shares[2], name="moment"),
    )


def lemma_mu(gamma, epsilon, delta):
    """The joint mu of the lemma's releases."""
    rest = 1 - mpf(gamma)
    first = mpf(gamma) ** 2 / (2 * log(2 / (mpf(gamma) * delta)))
    return epsilon * root(first + rest**2 / (4 * log(4 / (rest * delta))))


accept(
    "V13 budget 2.7 PROFILE: adaSSPbudget's stds as stated, gamma symbolic, epsilon = 2.7",
    lambda X, y, b: lemma(X, y, b, GAMMA),
    target=dp.ApproxDP("2.7", "1e-6"),
)
accept(
    "V13 budget 9.73 PROFILE: adaSSPbudget's stds as stated, gamma = 0.999, epsilon = 9.73",
    lambda X, y, b: lemma(X, y, b, dp.constant("0.999")),
    target=dp.ApproxDP("9.73", "1e-6"),
)
refuse(
    "V13 budget 10 PROFILE: adaSSPbudget's stds as stated, gamma = 0.999, epsilon = 10",
    lambda X, y, b: lemma(X, y, b, dp.constant("0.999")),
    target=dp.ApproxDP(10, "1e-6"),
    broken=lambda values: (
        delta_of(10, lemma_mu(Fraction(999, 1000), 10, mpf("1e-6"))) > Fraction(1, 10**6)
    ),
)
accept(
    "V15 TAINT: + I, max(0, .), projection, pseudo-inverse of noisy statistics",
    lambda X, y, b: dp.post(
        from_gram,
        dp.release(X.T @ X, ku, b.split(half)[0]),
        dp.release(X.T @ y, ku, b.split(half)[0]),
    ),
)
accept(
    "V21 SENS: affine scaling with the minima and maxima of a public codebook",
    lambda X, y, b: three(X, y, b.split_evenly(3), analytic),
    at=CODEBOOK,
)
accept(
    "V23 REL: SSP under replace-one with the joint sensitivity sqrt(4.5) mu",
    lambda X, y, b: two(X, y, *stated(dp.sqrt("9/2") * SIGMA, X, y)),
    at=RO,
)
refuse(
    "V23x REL: the same with sqrt(4.49) mu",
    lambda X, y, b: two(X, y, *stated(dp.sqrt("4.49") * SIGMA, X, y)),
    at=RO,
    broken=too_near(lambda epsilon, delta: root("450/449") / sigma_of(epsilon, delta)),
)
accept(
    "V29 COMP: parallel composition over a public partition of records, under add/remove", counts
)
accept(
    "V31 COMP: releases in another order, part of the budget unspent",
    lambda X, y, b: two(X, y, ku, ku, b.split("1/2", "1/4")[::-1]),
)
accept(
    "V33 ALG: lambda_min by Laplace noise B^2/epsilon_1, without delta",
    lambda X, y, b: (  # noqa: PLC3002 - a name for rows
        lambda first, second, third: (
            dp.release(dp.lambda_min(X.T @ X), dp.Laplace(scale=X.norm**2 / first.epsilon), first),
            dp.release(X.T @ X, analytic, second),
            dp.release(X.T @ y, analytic, third),
        )
    )(*b.split(epsilon=(THIRD,) * 3, delta=(0, half, half))),
)
accept(
    "V39 SENS: rows of norm exactly 1 under replace-one: the trace is public",
    lambda X, y, b: (lambda Z: (dp.trace(Z.T @ Z), dp.release(Z.T @ y, analytic, b)))(  # noqa: PLC3002 - a name for rows
        X.normalized()
    ),
    at=RO,
)
refuse(
    "V39x TAINT: the same under add/remove",
    lambda X, y, b: (lambda Z: (dp.trace(Z.T @ Z), dp.release(Z.T @ y, analytic, b)))(  # noqa: PLC3002 - a name for rows
        X.normalized()
    ),
    node="trace(X'X)",
)

# ------------------------------------------------------------------- E: more of the same kind
refuse(
    "E01 ALG: float shares 0.1 + 0.2 and 0.7, added in floating point before they are given",
    lambda X, y, b: two(X, y, analytic, analytic, b.split(0.1 + 0.2, 0.7)),
    node="budget",
    broken=overspent(lambda: (Fraction("0.30000000000000004"), Fraction(7, 10))),
)
accept(
    "E02 ALG: float shares 0.1, 0.2, 0.7: each is its shortest decimal",
    lambda X, y, b: three(X, y, b.split(0.1, 0.2, 0.7), analytic),
)
unspellable(
    "E03 ALG: a share without delta for Gaussian noise",
    lambda X, y, b: two(X, y, analytic, analytic, b.split(epsilon=(half, half), delta=(0, 1))),
)
refuse(
    "E04 COMP: a share of zCDP spent under an (epsilon, delta) target",
    lambda X, y, b: dp.release(X.T @ X, analytic, dp.ZeroConcentratedDP(100).budget),
)
refuse(
    "E05 COMP: a share of another, larger budget",
    lambda X, y, b: dp.release(X.T @ X, analytic, dp.ApproxDP(10, "1e-3").budget),
    node="budget",
)
refuse(
    "E07 SENS: (X'X, X'y) released as one vector with noise for the larger of the two",
    lambda X, y, b: dp.release(dp.graph.stack(X.T @ X, X.T @ y), dp.Gaussian(std=SIGMA), b),
    broken=too_near(lambda epsilon, delta: root(2) / sigma_of(epsilon, delta)),
)
accept(
    "E10 REL: k rows a person, k symbolic, noise k times as large",
    lambda X, y, b: dp.release(X.T @ X, dp.Gaussian(std=PERSON * SIGMA), b),
    at=table(rows_per_person=dp.parameter("k", 1, closed="left", integer=True)),
)
refuse(
    "E11 REL: X'X under replace-one with the operator-norm sensitivity B^2",
    lambda X, y, b: dp.release(X.T @ X, dp.Gaussian(std=SIGMA), b),
    at=RO,
    broken=too_near(lambda epsilon, delta: root(2) / sigma_of(epsilon, delta)),
)
accept(
    "E12 REL: lambda_min under replace-one with B^2: the operator norm is not doubled",
    lambda X, y, b: dp.release(dp.lambda_min(X.T @ X), dp.Gaussian(std=SIGMA), b),
    at=RO,
)
accept(
    "E13 REL: n read by the post-processing under replace-one",
    lambda X, y, b: (dp.count(X), dp.release(X.T @ y, analytic, b)),
    at=RO,
)
refuse(
    "E14 TAINT: n published without a release under add/remove",
    lambda X, y, b: (dp.count(X), dp.release(X.T @ y, analytic, b)),
    node="n",
)
refuse(
    "E15 TAINT: a shape that depends on n: all labels released",
    lambda X, y, b: dp.release(y, analytic, b),
)
refuse(
    "E18 ALG: mu rather than mu^2 halved: two releases of std Delta/mu",
    lambda X, y, b: two(X, y, dp.Gaussian(std=1 / dp.MU), dp.Gaussian(std=1 / dp.MU)),
    target=dp.GaussianDP(dp.MU),
    broken=lambda values: 2 * values["mu"] ** 2 > values["mu"] ** 2,
)
accept(
    "E19 ALG: halves of mu^2 under Gaussian DP",
    lambda X, y, b: two(X, y, analytic, analytic, b.split_evenly(2)),
    target=dp.GaussianDP(dp.MU),
)
refuse(
    "E20 ALG: 0.6 and 0.6 of rho under zCDP",
    lambda X, y, b: two(X, y, analytic, analytic, b.split("0.6", "0.6")),
    target=dp.ZeroConcentratedDP(dp.RHO),
    node="budget",
    broken=lambda values: Fraction(6, 5) > 1,
)
refuse(
    "E21 COMP: Gaussian noise for a pure target",
    lambda X, y, b: dp.release(X.T @ y, dp.Gaussian(std=1)),
    target=dp.PureDP(1),
)
refuse(
    "E22 COMP: a negative number of draws for some T: epsilon 3/T once and epsilon/T T - 3 times",
    lambda X, y, b: (
        dp.release(X.T @ X, analytic, b.split(3 / ROUNDS)[0]),
        dp.release(X.T @ y, analytic, b.split(1 / ROUNDS)[0], times=ROUNDS - 3),
    ),
)
refuse(
    "E23 SENS: a bound that is negative for some B makes a negative sensitivity",
    lambda X, y, b: dp.release(X.T @ y, dp.Laplace(scale="1e-9"), b),
    target=dp.PureDP(EPSILON),
    at=table(norm=dp.parameter("B", 0, 5) - 5),
)
refuse(
    "E24 SENS: X'y with noise for X'X: B^2 rather than B Y",
    lambda X, y, b: dp.release(X.T @ y, dp.Gaussian(std=X.norm**2 * SIGMA), b),
    at=table(norm=BIG, bound=TALL),
    broken=too_near(lambda B, Y, epsilon, delta: Y / B / sigma_of(epsilon, delta)),
)
accept(
    "E26 PROFILE: the classical std as stated, at epsilon = 3: right by the profile, beyond its "
    "theorem",
    lambda X, y, b: dp.release(
        X.T @ X, dp.Gaussian(std=dp.sqrt(2 * dp.log("1.25" / b.delta)) / b.epsilon), b
    ),
    target=dp.ApproxDP(3, "1e-6"),
)
refuse(
    "E27 PROFILE: the classical std as stated, at epsilon = 9: beyond 8.78",
    lambda X, y, b: dp.release(
        X.T @ X, dp.Gaussian(std=dp.sqrt(2 * dp.log("1.25" / b.delta)) / b.epsilon), b
    ),
    target=dp.ApproxDP(9, "1e-6"),
    broken=lambda values: delta_of(9, 9 / root(2 * log(mpf("1.25") * 10**6))) > Fraction(1, 10**6),
)
unspellable(
    "E28 SPELLING: a release of something that is no statistic",
    lambda X, y, b: dp.release(np.eye(2), analytic, b),
)
unspellable(
    "E29 SPELLING: data given to numpy",
    lambda X, y, b: dp.release(np.linalg.inv(X.T @ X), analytic, b),
)
unspellable(
    "E30 SPELLING: post-processing by a function that captures a raw statistic",
    lambda X, y, b: dp.post(lambda gram, raw=X.T @ X: gram - raw, dp.release(X.T @ X, analytic, b)),
)
refuse(
    "E31 TAINT: shares weighted by the private n",
    lambda X, y, b: two(X, y, analytic, analytic, b.split(1 / (2 + X.rows), half)),
)
refuse(
    "E33 SENS: Laplace noise on X'X scaled with its Frobenius sensitivity",
    lambda X, y, b: dp.release(X.T @ X, dp.Laplace(scale=X.norm**2 / b.epsilon), b),
    target=dp.PureDP(EPSILON),
    broken=lambda values: values["d"] > 1,
)
accept(
    "E35 SENS: the intercept appended by the graph: the bound is raised to sqrt 2",
    lambda X, y, b: (lambda Z: three(Z, y, b.split_evenly(3), analytic))(X.with_intercept()),  # noqa: PLC3002 - a name for rows
)
