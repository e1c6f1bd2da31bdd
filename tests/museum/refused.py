"""Bugs that the verifier refuses, each with its correction: declarations that differ in a value."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import dpframe as dp
from tests.museum.gates import certified
from tests.museum.museum import Exhibit
from tests.museum.own import Bits

PURE, NUMBERS = dp.PureDP(dp.EPSILON), dp.ApproxDP(1, "1e-6")
EVERY = dp.ApproxDP(dp.EPSILON, dp.DELTA)
ADD, REPLACE = dp.ADD_REMOVE, dp.REPLACE_ONE


def table(relation, **rows):
    """Rows of norm 1 where nothing else is said, and labels up to 1."""
    return dp.Setting(X=dp.Rows(**(rows or {"norm": 1})), y=dp.Column(bound=1), relation=relation)


def verified(number, body, target, setting, *, wrong, mended, shows, trust=()) -> Exhibit:
    """The port: `body`(X, y, budget, value) is declared with the wrong value and the mended one."""

    def put(value: object) -> Callable[[], object]:
        declare = lambda X, y, budget: body(X, y, budget, value)  # noqa: E731
        return partial(certified, declare, target=target, setting=setting, trust=trust)

    return Exhibit(number, wrong=put(wrong), mended=put(mended), shows=shows)


def paid_means(X, y, budget, means):
    """The means of X and of y, then the coefficients of the centred objective."""
    gamma = 1 / (X.columns + 1)
    shares = budget.split(gamma / means, gamma / means, 1 - gamma)
    asked = (dp.total(X), dp.total(y), dp.graph.sufficient_statistics(X, y))
    names = ("x_offset", "y_offset", "coefficients")
    return tuple(
        dp.release(one, dp.Laplace.pure, share, name=name)
        for one, share, name in zip(asked, shares, names, strict=True)
    )


def diagonal(X, _, budget, largest):
    """The sums of squares of all columns, with the noise of the code: max|entry|^2 a column."""
    noise = dp.Laplace(scale=X.columns * largest**2 / budget.epsilon)
    return dp.release(dp.graph.column_squares(X), noise, budget, name="diagonal")


def of_a_box(X, _, budget, clipped):
    """X'X, of the rows as they are bounded or as they come."""
    rows = X if clipped else X.origin
    noise = dp.Laplace(scale=X.columns * (X.columns + 1) / budget.epsilon)
    return dp.release(rows.T @ rows, noise, budget, name="gram")


def sampled_counts(X, y, budget, weight):
    """50 counts of one secret sample; what is shown of it at threshold 2 amplifies to epsilon."""
    sample, _, threshold = dp.graph.thinned(X, y, budget, 2)
    shares = threshold.split(*[weight] * 50)
    return tuple(
        dp.release(dp.count(sample), dp.Laplace.pure, share, name=f"count_{i + 1}")
        for i, share in enumerate(shares)
    )


def sums(X, _, budget, clipped_last):
    """Unit noise, for sums that one record moves by at most 1."""
    rows = X.scaled("1/100").clip(norm=1) if clipped_last else X.clip(norm=1).scaled("1/100")
    return dp.release(dp.total(rows), dp.Gaussian(std=1), budget, name="sums")


def checked(X, _, budget, scale):
    """A whole number that one record moves by 1, as a distance to instability; half of epsilon."""
    (half,) = budget.split("1/2")
    return dp.release(dp.count(X), dp.Laplace(scale(half.epsilon)), half, name="distance")


def classical(epsilon, delta):
    """The theorem for epsilon below 1."""
    return dp.sqrt(2 * dp.log(dp.constant("1.25") / delta)) / epsilon


def moment(X, y, budget, noise):
    """X'y, which one record moves by 1."""
    return dp.release(X.T @ y, noise(X, y, budget), budget, name="moment")


def of_std(std):
    """Gaussian noise whose std reads epsilon and delta."""
    return lambda X, y, budget: dp.Gaussian(std=std(budget.epsilon, budget.delta))


def with_residuals(X, y, budget, shown):
    """The minimiser of a ridge regression on a ball; and y less what it predicts, without noise."""
    theta = dp.graph.argmin(X, y, dp.graph.Squared(), 10, radius=1)
    noisy = dp.release(theta, dp.Gaussian.analytic, budget, name="theta")
    return dp.post(residuals, noisy, X, y) if shown else noisy


def residuals(theta, X, y):
    """y - X theta."""
    return theta, y - X @ theta


def of_sensitivity(sensitivity):
    """Laplace noise for it."""
    return lambda X, y, budget: dp.Laplace(scale=sensitivity(X, y) / budget.epsilon)


def coefficients(X, y):
    """The regression that is being estimated."""
    return dp.graph.argmin(X, y, dp.graph.Squared(), 1, radius=1) + 2


def largest_label(_, y):
    """max(y)."""
    return dp.graph.aggregate("maximum", y) + 2


def statistics(X, y, budget, weight):
    """X'X, X'y and y'y at one weight each."""
    asked = {"gram": X.T @ X, "moment": X.T @ y, "squares": y @ y}
    (share,) = budget.split(weight)
    return tuple(dp.release(one, dp.Laplace.pure, share, name=name) for name, one in asked.items())


def gram(X, _, budget, power):
    """X'X with noise for C^power."""
    std = dp.analytic_sigma(budget.epsilon, budget.delta) * X.norm**power
    return dp.release(X.T @ X, dp.Gaussian(std=std), budget, name="gram")


def bounded(X, y, budget, bound):
    """X'y with noise for rows of this norm."""
    unit = dp.sqrt(dp.log(6 / budget.delta)) / (budget.epsilon / 3)
    return dp.release(X.T @ y, dp.Gaussian(std=unit * bound(X) * y.radius), name="moment")


FOUND = "2.130185155294429"  # what the search of exhibit 21 returns for (10, 1e-5)
LOWER = dp.parameter("lower", 0, 100)  # of bounds (lower, 100); 0 itself is no size of noise at all
EXHIBITS = (
    verified(
        1,
        paid_means,
        PURE,
        table(REPLACE, box=1),
        wrong=1,
        mended=2,
        shows=("x_offset: epsilon/(1 + d)", "y_offset: epsilon/(1 + d)", "the shares sum to 4/3"),
    ),
    verified(
        2,
        diagonal,
        PURE,
        table(REPLACE, box=100),
        wrong=LOWER,
        mended=100,
        shows=("L1 sensitivity 10000*d", "counterexample at"),
    ),
    verified(
        3,
        of_a_box,
        PURE,
        table(REPLACE, box=1),
        wrong=False,
        mended=True,
        shows=("X'X is unbounded", "one row of norm M"),
    ),
    Exhibit(
        8,
        **{
            which: partial(
                certified,
                lambda X, y, b: dp.release(Bits(X, y), dp.Laplace.pure, b, name="answers"),
                target=dp.PureDP(2 * dp.log(3)),
                setting=table(relation),
                trust=[Bits],
            )
            for which, relation in (("wrong", ADD), ("mended", REPLACE))
        },
        shows=("the shape of a release must be public", "n is private under add/remove"),
    ),
    verified(
        9,
        sampled_counts,
        dp.PersonalizedDP(dp.each("epsilon")),
        table(ADD),
        wrong=1,
        mended=Fraction(1, 50),
        shows=("must sum to at most 2", "the shares sum to 100"),
    ),
    verified(
        10,
        sums,
        dp.ZeroConcentratedDP("1/2"),
        table(ADD),
        wrong=False,
        mended=True,
        shows=("mu^2 = 10000",),
    ),
    Exhibit(
        14,
        wrong=partial(
            certified,
            dp.literature.BoostedAdaSSPCoded(rounds=100),
            target=NUMBERS,
            setting=table(ADD),
        ),
        mended=partial(
            certified, dp.regressions.BoostedAdaSSP(rounds=100), target=NUMBERS, setting=table(ADD)
        ),
        shows=("mu at most 42.6", "its delta at epsilon = 1 is at least 0.9954"),
    ),
    verified(
        15,
        checked,
        PURE,
        table(ADD),
        wrong=lambda epsilon: epsilon,
        mended=lambda epsilon: 1 / epsilon,
        shows=("2/epsilon-differential privacy", "privacy loss 2 > 0.5"),
    ),
    verified(
        17,
        moment,
        EVERY,
        table(ADD),
        wrong=of_std(classical),
        mended=of_std(dp.analytic_sigma),
        shows=("the exact Gaussian privacy profile", "counterexample at delta"),
    ),
    verified(
        18,
        with_residuals,
        NUMBERS,
        table(REPLACE),
        wrong=True,
        mended=False,
        shows=(
            "must read released values only, but private data reaches it without noise",
            "residuals",
        ),
    ),
    verified(
        19,
        moment,
        PURE,
        table(REPLACE),
        wrong=of_sensitivity(coefficients),
        mended=of_sensitivity(lambda X, y: 2 * X.columns * X.radius * y.radius),
        shows=("scale must be public, but it reads the data", "argmin"),
    ),
    verified(
        20,
        statistics,
        PURE,
        table(REPLACE),
        wrong=1,
        mended=Fraction(1, 3),
        shows=("sum = 3*epsilon",),
    ),
    verified(
        21,
        moment,
        dp.ApproxDP(10, "1e-5"),
        table(ADD),
        wrong=of_std(lambda *_: 1 / dp.constant(FOUND)),
        mended=of_std(dp.analytic_sigma),
        shows=("exact delta", "4.918e-5 > 1e-5"),
    ),
    verified(
        22,
        gram,
        EVERY,
        table(ADD, norm=dp.parameter("clip_norm", 0)),
        wrong=0,
        mended=2,
        shows=("L2 sensitivity clip_norm^2", "counterexample at clip_norm"),
    ),
    verified(
        23,
        bounded,
        NUMBERS,
        table(ADD),
        wrong=lambda X: dp.graph.aggregate("max_norm", X) + 0,
        mended=lambda X: X.radius,
        shows=("std must be public, but it reads the data", "max_norm"),
    ),
)
