"""Upper bounds on the error of AdaOPS and adaSSP. [Wang18] [Piazza21]"""

from __future__ import annotations

import attrs
import numpy as np
from scipy.integrate import quad
from scipy.stats import norm

from . import worlds
from .checked import DELTA_6, FAILURE, FALSE, FULL, HOLDS, Checked, Curve, Effort, generator, value
from .worlds import World

SPREAD = "(Y^2 + B^2*(truth^2 + sigma^2*trace))"
TAIL = "log(6/delta)"
THM2_FIRST = "sqrt(d + log(1/failure))*B^2*theta^2*sqrt(log(1/delta))/epsilon"
THM2_SECOND = "d*(d + log(1/failure))*theta^2*log(1/delta)/(alpha*n*epsilon^2)"
THM3_FIRST = f"sqrt(d*log(d^2/failure))*B^2*theta^2*sqrt({TAIL})/epsilon"
THM3_SECOND = f"B^4*theta^2*trace*{TAIL}*log(d^2/failure)/epsilon^2"
THM3_MENDED = f"d^2*B^2*theta^2*{TAIL}*log(d^2/failure)/(alpha*n*epsilon^2)"
PROP16_FIRST = "sqrt(d*log(d^2/rho))*B^2*theta^2*sqrt(log(6/rho))/epsilon"
PROP16_SECOND = "B^4*theta^2*trace*log(6/rho)*log(d^2/rho)/epsilon^2"


def in_unit_bounds(world: World, *, factor: int = 1) -> dict[str, float]:
    """Its numbers for rows of length `factor` and labels of size 1."""
    scale = world.norm / world.bound
    own = {**world.numbers, "B": factor, "Y": 1, "sigma": world.sigma / world.bound}
    for key in ("theta", "truth"):
        own[key] = world.numbers[key] * scale / factor
    own["trace"] = world.numbers["trace"] * (world.norm / factor) ** 2
    return own


def thm2_ii(effort: Effort) -> Checked:
    """[Wang18, Thm 2 (ii)], and its second term with B^2."""
    rng, rows = generator("thm2"), [n for n in effort.rows if 1000 <= n <= 30_000]
    printed, mended = f"min({THM2_FIRST}, {THM2_SECOND})", f"min({THM2_FIRST}, B^2*{THM2_SECOND})"
    curves = []
    for epsilon in (0.1, 1.0):
        at = {"epsilon": epsilon, "delta": DELTA_6, "failure": FAILURE}
        measured, stated = [], []
        for n in rows:
            world = worlds.linear_gaussian(n, rng)
            drawn = worlds.adaops(world, **_claim(epsilon), rng=rng, draws=effort.few)
            measured.append(effort.quantile(world.excess(drawn)) / world.bound**2)
            stated.append(value(mended, {**in_unit_bounds(world), **at}))
        curves.append(Curve(f"with B^2, epsilon = {epsilon:g}", rows, measured, stated))
    world, factors = worlds.linear_gaussian(3000, rng), (1, 4, 16, 64)
    drawn = [
        worlds.adaops(world, **_claim(1.0), rng=rng, draws=effort.few, norm=factor)
        for factor in factors
    ]
    measured = [effort.quantile(world.excess(one)) / world.bound**2 for one in drawn]
    at = {"epsilon": 1.0, "delta": DELTA_6, "failure": FAILURE}
    stated = [value(printed, {**in_unit_bounds(world, factor=f), **at}) for f in factors]
    longer = Curve("as printed; x is B", factors, measured, stated, counterexample=True)
    smaller = least_delta(effort, f"min({THM2_FIRST}, B^2*{THM2_SECOND})")
    return Checked(
        name="thm2_ii",
        cite="[Wang18, Thm 2 (ii)]",
        says="AdaOPS: F(theta) - F(theta*) is at most O of this, but for probability rho",
        formula=printed,
        axis="n; B, log10(1/delta)",
        measure="F(theta) - F(theta*), 90% quantile",
        curves=[*curves, longer, smaller],
        verdict=FALSE if min(longer.growth, smaller.growth) > 10 else HOLDS,
        finding="the second term lacks B^2 (a slip: right at B = 1): with rows 64 times as long"
        f" the error is {measured[-1] / measured[0]:.2g} times what it was, the bound"
        f" {stated[-1] / stated[0]:.2g} times. With B^2, for fixed d: the ridge is at least B^2"
        " (1 + log(6/delta))/(2 epsilon) - lambda, while the bound has sqrt(log(1/delta)); error"
        f" over bound is {smaller.ratios[0]:.2g} at delta = 1e-3, {smaller.ratios[-1]:.2g} at"
        " 1e-300.",
    )


def least_delta(effort: Effort, formula: str) -> Curve:
    """One column, X'X as large as the least ridge of AdaOPS, where delta tends to 0."""
    rng, digits, measured, stated = generator("least_delta"), (3, 10, 30, 100, 300), [], []
    for k in digits:
        n = round((1 + np.log(6) + k * np.log(10)) / 2)
        X, y = np.ones((n, 1)), np.ones(n)
        world = World(X.T @ X, X.T @ y, 1, 1, n, np.ones(1), 0, (X, y))
        at = {"epsilon": 1.0, "delta": 10.0**-k}
        drawn = worlds.adaops(world, **at, rng=rng, draws=2 * effort.few)
        measured.append(effort.quantile(world.excess(drawn)))
        stated.append(value(formula, {**world.numbers, **at, "failure": FAILURE}))
    return Curve("with B^2; x is log10(1/delta)", digits, measured, stated, counterexample=True)


def _claim(epsilon: float) -> dict[str, float]:
    return {"epsilon": epsilon, "delta": DELTA_6}


def thm2_iii(effort: Effort) -> Checked:
    """[Wang18, Thm 2 (iii)]: the covariance, and the mean where X'X is small."""
    rng, rows = generator("thm2_iii"), [n for n in effort.rows if n >= 10_000]
    formula = f"{SPREAD}*d*{TAIL}/(sigma^2*alpha*n*epsilon^2)"
    measured, stated = [], []
    for n in rows:
        world = worlds.linear_gaussian(n, rng)
        drawn = worlds.adaops(world, **_claim(1.0), rng=rng, draws=effort.few)
        spread = 2 * np.mean(world.excess(drawn)) / len(world.gram)
        measured.append(spread / world.sigma**2)
        stated.append(value(formula, {**in_unit_bounds(world), **_claim(1.0)}))
    covariance = Curve("Cov/sigma^2 (X'X)^-1 - 1, epsilon = 1", rows, measured, stated)
    counts = (1, 10, 100, 1000)
    means: list[float] = []
    slacks: list[float] = []
    for n in counts:
        X, y = np.ones((n, 1)), np.full(n, 0.5)
        gram, moment = X.T @ X, X.T @ y
        small = World(gram, moment, 1, 1, n, np.full(1, 0.5), 0, (X, y))
        drawn = worlds.adaops(small, **_claim(1.0), rng=rng, draws=8 * effort.few)
        means.append(float(np.mean(drawn)) / 0.5)
        slacks.append(float(np.std(drawn)) / 0.5 * (np.sqrt(DELTA_6 / 3) + 4 / np.sqrt(drawn.size)))
    mean = Curve("E theta/theta_0, x = 1", counts, means, np.ones(4), counterexample=True)
    return Checked(
        name="thm2_iii",
        cite="[Wang18, Thm 2 (iii)]",
        says="AdaOPS is unbiased on an event of probability 1 - delta/3 for every X of full rank,"
        " and its covariance exceeds sigma^2 (X'X)^-1 by O of this factor",
        formula=formula,
        axis="n",
        measure="Cov/sigma^2 (X'X)^-1 - 1; E theta/theta_0",
        curves=[covariance, mean],
        verdict=FALSE if 1 - means[0] > slacks[0] else HOLDS,
        finding=f"full rank is not enough: one row x = 1 has a mean of {means[0]:.2g} theta_0"
        f" (within {slacks[0]:.2g} for sampling and any such event), for the ridge is at least B^2"
        " (1 + log(6/delta))/(2 epsilon) - lambda. The covariance is as stated where X'X is large.",
    )


# ------------------------------------------------------------------------------------ adaSSP
def thm3_ii(effort: Effort) -> Checked:
    """[Wang18, Thm 3 (ii)], and its second term with d/lambda_min for the trace."""
    rng, tail = generator("thm3"), np.sqrt(np.log(6 / DELTA_6))
    printed, mended = f"min({THM3_FIRST}, {THM3_SECOND})", f"min({THM3_FIRST}, {THM3_MENDED})"
    curves = []
    for epsilon in (0.1, 1.0):
        at = {**_claim(epsilon), "failure": FAILURE}
        measured, stated = [], []
        for n in effort.rows:
            world = worlds.linear_gaussian(n, rng)
            drawn = worlds.adassp(world, tail=tail, epsilon=epsilon, rng=rng, draws=effort.draws)
            measured.append(effort.quantile(world.excess(drawn.thetas)))
            stated.append(value(mended, {**world.numbers, **at}))
        curves.append(
            Curve(f"with d/lambda_min, epsilon = {epsilon:g}", effort.rows, measured, stated)
        )
    dims = (5, 10, 20, 40, 80, 160)[: 6 if effort is FULL else 4]
    measured, stated, repaired = [], [], []
    for d in dims:
        world = one_small(d, tail)
        drawn = worlds.adassp(world, tail=tail, epsilon=1.0, rng=rng, draws=effort.draws // 5)
        at = {**world.numbers, **_claim(1.0), "failure": FAILURE}
        measured.append(effort.quantile(world.excess(drawn.thetas)))
        stated.append(value(printed, at))
        repaired.append(value(mended, at))
    broken = Curve(
        "as printed, one small eigenvalue; x is d", dims, measured, stated, counterexample=True
    )
    same = Curve("the same with d/lambda_min", dims, measured, repaired, family=True)
    logs = [np.log(2 * d**2 / 0.05) / np.log(d**2 / FAILURE) for d in dims]
    least = 9 / 32 * np.array(dims) * logs  # of a ridge of half the goal, without noise
    return Checked(
        name="thm3_ii",
        cite="[Wang18, Thm 3 (ii)]",
        says="adaSSP: F(theta) - F(theta*) is at most O of this, but for probability rho",
        formula=printed,
        axis="n; d",
        measure="F(theta) - F(theta*), 90% quantile",
        curves=[*curves, same, broken],
        verdict=FALSE if (broken.ratios > 0.9 * least).all() else HOLDS,
        finding="where one eigenvalue is half of what the ridge aims at and the others are large,"
        f" error over bound is at least 9 d/32: {broken.ratios[0]:.2g} at d = {dims[0]},"
        f" {broken.ratios[-1]:.2g} at d = {dims[-1]}. With d/lambda_min for tr[(X'X)^-1], as in"
        f" Theorem 2, it stays at {same.ratios[0]:.2g} to {same.ratios[-1]:.2g}.",
    )


def one_small(d: int, tail: float, epsilon: float = 1.0, rho: float = 0.05) -> World:
    """X'X with one eigenvalue of half the ridge that adaSSP aims at, theta* along it; the others
    are 10,000 times as large.
    """
    goal = np.sqrt(d * np.log(2 * d**2 / rho)) * tail / (epsilon / 3)
    eigenvalues = np.full(d, 1e4 * goal)
    eigenvalues[0] = goal / 2
    return worlds.spectrum(eigenvalues, np.eye(d)[0], 1.0)


def thm3_iii(effort: Effort) -> Checked:
    """[Wang18, Thm 3 (iii)]: what privacy adds to the mean squared error where no ridge is added,
    and the bias in one dimension by quadrature.
    """
    rng, formula = generator("thm3_iii"), f"{SPREAD}*B^2*trace2*{TAIL}/epsilon^2"
    tail, rows = np.sqrt(np.log(6 / DELTA_6)), [n for n in effort.rows if n >= 10_000]
    measured, stated = [], []
    for n in rows:
        world = worlds.linear_gaussian(n, rng)
        root = np.linalg.cholesky(world.gram)
        moments = world.gram @ world.truth + rng.normal(size=(effort.draws, 10)) @ root.T
        fresh = attrs.evolve(world, moment=moments)
        drawn = worlds.adassp(fresh, tail=tail, epsilon=1.0, rng=rng, draws=effort.draws)
        best = np.linalg.solve(world.gram, moments.T).T
        more = np.sum((drawn.thetas - world.truth) ** 2 - (best - world.truth) ** 2, axis=1)
        measured.append(np.mean(more[drawn.ridges == 0]))
        stated.append(value(formula, {**world.numbers, **_claim(1.0)}))
    spread = Curve("E|theta - theta_0|^2 - sigma^2 tr, epsilon = 1", rows, measured, stated)
    sizes, odds = (200, 300, 1000, 3000), DELTA_6 / 3 / (1 - DELTA_6 / 3)
    biases = [bias(size, tail * 3) for size in sizes]
    slack = [np.sqrt(odds) * deviation(size, tail * 3) for size in sizes]
    label = "bias, d = 1; line: what an event can undo"
    biased = Curve(label, sizes, biases, slack, counterexample=True)
    return Checked(
        name="thm3_iii",
        cite="[Wang18, Thm 3 (iii)]",
        says="adaSSP is unbiased on an event of probability 1 - delta/3 where alpha is large, and"
        " its mean squared error is sigma^2 tr[(X'X)^-1] + O of this",
        formula=formula,
        axis="n; X'X",
        measure="added squared error; relative bias",
        curves=[spread, biased],
        verdict=f"{FALSE}: biased" if (biased.ratios > 1).all() else HOLDS,
        finding="1/(X'X + noise) has a mean above 1/X'X: in one dimension it is too large by"
        f" {biases[2]:.2g} at X'X = 1,000, B = 1, epsilon = 1, where an event of probability 1 -"
        f" delta/3 with noise of at most X'X/2 can undo {slack[2]:.2g}. Events that treat noise"
        " and its negative alike undo nothing of it for any X'X (Jensen). The squared error is as"
        " stated.",
    )


def bias(size: float, std: float) -> float:
    """E[G/(G + N)] - 1 for N of this std, given |N| <= G/2, by quadrature."""
    mass, _ = quad(norm.pdf, -size / 2 / std, size / 2 / std, points=[0], epsabs=1e-15)
    inside = min(size / 2 / std, 40.0)

    def moved(z: float) -> float:
        return float(norm.pdf(z) * (-z * std) / (size + z * std))

    found, _ = quad(moved, -inside, inside, points=[0], epsabs=1e-15, limit=200)
    return float(found / mass)


def deviation(size: float, std: float) -> float:
    """An upper bound on the std of G (1 + M)/(G + N) given |N| <= G/2, M the noise on X'y over G
    theta_0, where Y = B theta_0: 2 (E (N/G)^2 + E M^2)^(1/2), for G/(G + N) is at most 2.
    """
    return float(np.sqrt(2) * std / size * 2)


def lemma15(effort: Effort) -> Checked:
    """[Piazza21, Lemma 15], and the number below it."""
    del effort
    formula = "delta/(4*sqrt(355/113*log(2/delta)))"
    x = np.geomspace(1e-12, 1.5, 30)
    measured = norm.sf(np.sqrt(2 * np.log(2 / x)))
    stated = [value(formula, {"delta": one}) for one in x]
    curve = Curve("the exact probability", x.tolist(), measured, stated)
    at, true = value(formula, {"delta": 300**-1.1}), norm.sf(np.sqrt(2 * np.log(2 * 300**1.1)))
    return Checked(
        name="lemma15",
        cite="[Piazza21, Lemma 15]",
        says="the released eigenvalue is above lambda_min with at most this probability",
        formula="delta/(4*sqrt(pi*log(2/delta)))",
        axis="delta'",
        measure="probability",
        curves=[curve],
        verdict=f"{HOLDS}, delta' < 2" if (curve.ratios <= 1).all() else FALSE,
        finding=f"the number below it is wrong: at delta' = 300^-1.1 the bound is {at:.3g}, not"
        f" 0.000084, and not below 1e-4; the probability is {true:.3g}.",
    )


def prop16(effort: Effort) -> Checked:
    """[Piazza21, Prop. 16] on its worlds, and where delta tends to 0."""
    rng = generator("prop16")
    formula = f"max({PROP16_FIRST}, {PROP16_SECOND})"
    rows = (1280, 20480, 327_680)[: 3 if effort is FULL else 2]
    curves = []
    every = [worlds.on_the_sphere(n, rng) for n in rows]
    for epsilon in (0.01, 0.1, 1.0):
        measured, stated = [], []
        for world in every:
            tail = np.sqrt(2 * np.log(6 * world.rows**1.1))
            drawn = worlds.adassp(world, tail=tail, epsilon=epsilon, rng=rng, draws=effort.draws)
            measured.append(np.quantile(2 * world.excess(drawn.thetas), 0.95))
            stated.append(value(formula, {**world.numbers, "epsilon": epsilon, "rho": 0.05}))
        curves.append(Curve(f"epsilon = {epsilon:g}", rows, measured, stated))
    digits, measured, stated = (1, 10, 100, 1000, 10_000), [], []
    for k in digits:
        tail = np.sqrt(2 * (np.log(6) + k * np.log(10)))
        goal = np.sqrt(10 * np.log(200 / 0.05)) * tail * 3
        world = worlds.spectrum(np.full(10, goal / 2), np.ones(10) / np.sqrt(10), 1.0)
        drawn = worlds.adassp(world, tail=tail, epsilon=1.0, rng=rng, draws=effort.draws)
        measured.append(np.quantile(2 * world.excess(drawn.thetas), 0.95))
        stated.append(value(formula, {**world.numbers, "epsilon": 1, "rho": 0.05}))
    broken = Curve(
        "x is log10(1/delta), epsilon = 1", digits, measured, stated, counterexample=True
    )
    return Checked(
        name="prop16",
        cite="[Piazza21, Prop. 16]",
        says="adaSSP: L(theta) - L(theta*) is at most O of this with probability 1 - rho",
        formula=formula,
        axis="n; log10(1/delta)",
        measure="L(theta) - L(theta*), 95% quantile",
        curves=[*curves, broken],
        verdict=FALSE if broken.growth > 10 else HOLDS,
        finding="it has log(6/rho) where [Wang18] has log(6/delta), so that it does not depend on"
        f" delta: error over bound is {broken.ratios[0]:.2g} at delta = 0.1 and"
        f" {broken.ratios[-1]:.2g} at 10^-10000. It also has the larger of two terms where [Wang18]"
        " has the smaller, which mends the fault of Thm 3 (ii).",
    )
