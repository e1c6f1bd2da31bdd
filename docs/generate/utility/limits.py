"""Limits without privacy, and lower bounds with it. [Wang18, Eqs. 1 to 6]"""

from __future__ import annotations

import numpy as np

from . import worlds
from .checked import DELTA_6, FALSE, HOLDS, Checked, Curve, Effort, generator, value
from .worlds import World


def eq1(effort: Effort) -> Checked:
    """[Wang18, Eq. 1]: F(theta*) is below F(theta_0), never above."""
    rng, dims = generator("eq1"), (1, 2, 5, 10, 20)
    measured = []
    for d in dims:
        found = []
        for _ in range(effort.draws // 10):
            world = World.of(rng.normal(size=(50, d)), rng.uniform(size=d), 1.0, rng)
            found.append(-world.excess(world.truth[None])[0])
        measured.append(np.mean(found))
    curve = Curve("least squares, F(theta*) - F(theta_0)", dims, measured, np.array(dims) / 2)
    false = bool((curve.measured < 0).all())
    return Checked(
        name="eq1",
        cite="[Wang18, Eq. 1]",
        says="the minimax value of E[F(theta) - F(theta_0)|X] is d sigma^2/2",
        formula="d*sigma^2/2",
        axis="d",
        measure="F(theta*) - F(theta_0)",
        curves=[curve],
        verdict=FALSE if false else HOLDS,
        finding="read with F of the given y: theta* minimises it, so the value is -d sigma^2/2;"
        " with X = 1, y = theta_0 + e, F(y) - F(theta_0) = -e^2/2. The error of predictions,"
        " |X(theta - theta_0)|^2/2, has the value d sigma^2/2.",
    )


def eq2(effort: Effort) -> Checked:
    """[Wang18, Eq. 2]: least squares attains it, and no prior of a Bayes risk exceeds it."""
    rng, x = generator("eq2"), (20, 50, 200, 1000)
    measured, bayes, stated, errors = [], [], [], []
    for n in x:
        X, truth = rng.normal(size=(n, 10)), rng.uniform(size=10)
        inverse = np.linalg.inv(X.T @ X)
        noise = rng.normal(size=(effort.draws, n))
        found = np.sum((noise @ X @ inverse) ** 2, axis=1)
        measured.append(np.mean(found))
        errors.append(np.std(found) / np.sqrt(effort.draws))
        bayes.append(np.sum(1 / (np.linalg.eigvalsh(X.T @ X) + 1e-9)))
        stated.append(value("sigma^2*trace", World.of(X, truth, 1.0, rng).numbers))
    simulated = Curve("least squares, simulated", x, measured, stated)
    prior = Curve("Bayes risk of a prior of variance 1e9", x, bayes, stated)
    met = np.abs(simulated.measured - simulated.stated) < 5 * np.array(errors)
    return Checked(
        name="eq2",
        cite="[Wang18, Eq. 2]",
        says="the minimax value of E|theta - theta_0|^2 is sigma^2 tr[(X'X)^-1]",
        formula="sigma^2*trace",
        axis="n",
        measure="E|theta - theta_0|^2",
        curves=[simulated, prior],
        verdict=HOLDS if met.all() and np.allclose(prior.ratios, 1, rtol=1e-6) else FALSE,
        finding="the worst case of least squares, and a lower bound by a wide normal prior, meet.",
    )


def eq3(effort: Effort) -> Checked:
    """[Wang18, Eq. 3] for least squares, and for linear unbiased rules of random weights."""
    rng, x = generator("eq3"), (15, 50, 200)
    least, other = [], []
    for n in x:
        X = rng.normal(size=(n, 10))
        root = np.linalg.cholesky(X.T @ X)
        ratios = []
        for _ in range(effort.few):
            w = rng.uniform(0.1, 1, n)
            rule = np.linalg.solve((X.T * w) @ X, X.T * w)
            ratios.append(np.linalg.eigvalsh(root.T @ rule @ rule.T @ root)[0])
        rule = np.linalg.solve(X.T @ X, X.T)
        least.append(np.linalg.eigvalsh(root.T @ rule @ rule.T @ root)[0])
        other.append(min(ratios))
    lowest = min(*least, *other)
    return Checked(
        name="eq3",
        cite="[Wang18, Eq. 3]",
        says="Cov(theta) is at least sigma^2 (X'X)^-1 for unbiased theta",
        formula="1 + 0*d",
        axis="n",
        measure="least generalised eigenvalue",
        curves=[
            Curve("least squares, the least generalised eigenvalue", x, least, np.ones(len(x))),
            Curve("weighted least squares", x, other, np.ones(len(x))),
        ],
        verdict=HOLDS if lowest > 1 - 1e-9 else FALSE,
        finding="with equality for least squares; a ridge is biased and may be below.",
    )


def eq4(effort: Effort) -> Checked:
    """[Wang18, Eq. 4], its part d Y^2, by a Bayes risk that is summed exactly."""
    x = [n for n in effort.rows if n <= 3000]
    formula = "min(n*Y^2, min(R^2*B^2 + d*Y^2, sqrt(n)*R*B*Y))"
    at = [{"n": n, "Y": 1, "B": 1, "d": 5, "R": 5 / np.sqrt(n)} for n in x]
    curve = Curve(
        "Bayes risk, d = 5, B Theta = d Y/sqrt(n)",
        x,
        [worlds.bayes_excess(n, 5) for n in x],
        [value(formula, one) for one in at],
    )
    return Checked(
        name="eq4",
        cite="[Wang18, Eq. 4]",
        says="n times the excess risk of any estimator is of this order or more in the worst case",
        formula=formula,
        axis="n",
        measure="n times the excess risk",
        curves=[curve],
        verdict=f"{HOLDS}, in part" if curve.ratios.min() > 0.2 else FALSE,
        finding="shown here for the part d Y^2: rows B e_j, labels of a small sign; for large"
        " Theta it is cited [Shamir15].",
    )


def two_tables(name: str, cite: str, formula: str, *, alpha: float | None) -> Checked:
    """[Wang18, Eq. 5, 6] in one dimension, B = Y = Theta = 1: k = 1/epsilon records (B, Y) or (B,
    -Y) among n = 10,000. A private rule takes one table for the other with a chance that group
    privacy gives.
    """
    x, n, rng = (0.01, 0.03, 0.1, 0.3, 1.0), 10_000, generator(name)
    exact, measured, stated = [], [], []
    for epsilon in x:
        k = round(1 / epsilon)
        gram = float(k) if alpha is None else alpha * n
        exact.append(k**2 / gram / 2 * worlds.apart(epsilon, DELTA_6, k))
        errors = []
        for sign in (-1, 1):
            one = np.ones(1)
            world = World(gram * np.eye(1), sign * k * one, 1, 1, n, one, 0)
            tail = np.sqrt(np.log(6 / DELTA_6))
            drawn = worlds.adassp(world, tail=tail, epsilon=epsilon, rng=rng, draws=4000)
            errors.append(np.mean(world.excess(np.clip(drawn.thetas, -1, 1))))
        measured.append(max(errors))
        at = {"d": 1, "n": n, "B": 1, "Y": 1, "R": 1, "epsilon": epsilon}
        stated.append(value(formula, at if alpha is None else {**at, "alpha": alpha}))
    least = Curve("least worst case of two tables, exactly", x, exact, stated)
    own = Curve("adaSSP, the worse table", x, measured, stated)
    shown = 0.5 < least.growth < 2 and (own.measured > least.measured).all()
    return Checked(
        name=name,
        cite=cite,
        says="the excess of any private estimator is, on the worst table, of this order or more",
        formula=formula,
        axis="epsilon",
        measure="F(theta) - F(theta*)",
        curves=[least, own],
        verdict=f"{HOLDS}, d = 1" if shown else FALSE,
        finding="two tables that differ in 1/epsilon records show it for one column; the factor of"
        " d is cited [BassilyST14].",
    )


def eq5(effort: Effort) -> Checked:
    """[Wang18, Eq. 5]"""
    del effort
    formula = "min(n*Y^2, sqrt(d)*(B^2*R^2 + B*R*Y)/epsilon)"
    return two_tables("eq5", "[Wang18, Eq. 5]", formula, alpha=None)


def eq6(effort: Effort) -> Checked:
    """[Wang18, Eq. 6]"""
    del effort
    formula = "min(n*Y^2, d^2*(B*R + Y)^2/(n*alpha*epsilon^2))"
    return two_tables("eq6", "[Wang18, Eq. 6]", formula, alpha=0.5)
