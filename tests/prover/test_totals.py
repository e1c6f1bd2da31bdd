"""Totals in symbols: one Renyi divergence, and zCDP and Renyi divergences as (epsilon, delta)."""

from __future__ import annotations

from fractions import Fraction

import attrs
import mpmath
import pytest

import dpframe as dp
from dpframe.mechanisms import DiscreteGaussian
from dpframe.symbols import Expression, exact
from tests.support.oracles import value

# --------------------- Claims of one Renyi divergence: what is proved holds, what is refuted breaks
B, Y, e = dp.parameter("B"), dp.parameter("Y"), dp.EPSILON
SETTING = dp.Setting(X=dp.Rows(norm=B), y=dp.Column(bound=Y), relation=dp.ADD_REMOVE)
gamma = dp.parameter("gamma", 0, 1)
r = dp.sqrt
ORDER = 8
EXACT, LESS, MORE = Fraction(1), Fraction(999_999, 1_000_000), Fraction(1_000_001, 1_000_000)


class Stated(dp.Regression):
    """Releases of X'X, X'y, n and sum y, each with the noise that is given and `factor` of it."""

    names: tuple[str, ...] = attrs.field(default=())
    noise: object = attrs.field(default=())
    factor: object = attrs.field(default=EXACT)

    def declare(self, X, y, budget):
        """One release a noise, for a sensitivity of 1."""
        of = {"gram": X.T @ X, "moment": X.T @ y, "n": dp.count(X), "labels": y.sum()}
        size = {"gram": X.radius**2, "moment": X.radius * y.radius, "n": 1, "labels": y.radius}
        return tuple(
            dp.release(of[name], kind(self.factor * size[name] * amount), name=name)
            for name, (kind, amount) in zip(self.names, self.noise, strict=True)
        )


CASES = {
    "one Gaussian": (("moment",), ((dp.Gaussian, r(ORDER / (2 * e))),)),
    "two Gaussians": (
        ("gram", "moment"),
        (
            (dp.Gaussian, r(ORDER / (2 * gamma * e))),
            (dp.Gaussian, r(ORDER / (2 * (1 - gamma) * e))),
        ),
    ),
    "Gaussian and Laplace": (
        ("n", "moment"),
        ((dp.Laplace, r(ORDER / e)), (dp.Gaussian, r(ORDER / e))),
    ),
    "Laplace by its epsilon": (("n",), ((dp.Laplace, 1 / e),)),
    "two Laplace": (("n", "labels"), ((dp.Laplace, 2 / e), (dp.Laplace, 2 / e))),
    "discrete Gaussian": (("n",), ((DiscreteGaussian, r(ORDER / (2 * e))),)),
}


def audited(name, factor=EXACT):
    """The audit of a case with its noise multiplied."""
    return dp.audit(
        Stated(names=CASES[name][0], noise=CASES[name][1], factor=factor),
        target=dp.RenyiDP(ORDER, e),
        setting=SETTING,
    )


@pytest.mark.parametrize("name", CASES)
def test_what_spends_the_divergence_is_proved(name):
    """For every epsilon, B, Y and split."""
    found = audited(name)
    assert str(found.verdict) == "proved"
    assert not found.report.open_obligations
    assert str(audited(name, MORE).verdict) == "proved"


@pytest.mark.parametrize("name", CASES)
def test_less_noise_is_never_proved(name):
    """Of Gaussian noise, whose divergence is known, it is refuted; of others the bound is used."""
    found = audited(name, LESS)
    assert str(found.verdict) in {"refuted", "unproved"}
    if name in {"one Gaussian", "two Gaussians"}:
        assert str(found.verdict) == "refuted"
        assert found.witness


def divergence(kind, size):
    """D_8 of one number moved by 1, by quadrature of its density."""
    densities = {
        "gaussian": lambda x: mpmath.exp(-(x**2) / (2 * size**2)),
        "laplace": lambda x: mpmath.exp(-abs(x) / size),
    }
    density = densities[kind]
    whole = mpmath.quad(density, [-mpmath.inf, 0, mpmath.inf])
    moved = mpmath.quad(
        lambda x: density(x - 1) ** ORDER * density(x) ** (1 - ORDER) / whole,
        [-40 * size, -10 * size, 0, 1, 10 * size, 20 * size, 60 * size],
    )
    return mpmath.log(moved) / (ORDER - 1)


@pytest.mark.parametrize("name", [name for name in CASES if name != "discrete Gaussian"])
@pytest.mark.parametrize("epsilon", ["1/10", "1", "4"])
def test_what_is_proved_holds_at_numbers(name, epsilon):
    """The sum of the divergences, by quadrature, is at most the epsilon."""
    at = {"epsilon": Fraction(epsilon), "gamma": Fraction(1, 3)}
    total = mpmath.mpf(0)
    for kind, amount in CASES[name][1]:
        total += divergence(kind.kind, value(dp.symbols.exact(amount), at))
    limit = mpmath.mpf(Fraction(epsilon).numerator) / Fraction(epsilon).denominator
    assert total <= limit * (1 + mpmath.mpf("1e-8"))
    if "Laplace" not in name:
        assert total == pytest.approx(float(limit), rel=1e-8)


def test_the_page_states_the_divergence():
    """In the currency of the claim."""
    regression = Stated(names=("n",), noise=((dp.Gaussian, 2),))
    found = dp.audit(regression, target=dp.RenyiDP(8, 2), setting=SETTING)
    assert "divergence of order 8 = 1.000 (claimed 2)" in " ".join(str(found).split())


class Doubled(dp.Regression):
    """Discrete Gaussian noise on counts of cells, which two cells of a replaced record move."""

    def declare(self, X, y, budget):
        """One release."""
        return dp.release(dp.graph.bin_counts(y, (-1, 0, 1)), DiscreteGaussian(2), name="cells")


def test_the_best_conversion_is_tried_where_noise_has_a_rho_only():
    """rho = 2/(2 4): epsilon by the search over orders, not by rho + 2 sqrt(rho log(1/delta))."""
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=2), relation=dp.REPLACE_ONE)
    rho, log = mpmath.mpf(1) / 4, mpmath.log(mpmath.mpf(10) ** 6)
    orders = [1 + mpmath.mpf(k) / 100 for k in range(1, 5000)]
    best = min(rho * a + mpmath.log((a - 1) / a) + (log - mpmath.log(a)) / (a - 1) for a in orders)
    simple = rho + 2 * mpmath.sqrt(rho * log)
    assert best < 0.97 * simple
    for epsilon, proved in ((best * 1.0001, True), (best * 0.999, False)):
        target = dp.ApproxDP(Fraction(float(epsilon)), "1e-6")
        found = dp.audit(Doubled(), target=target, setting=setting)
        assert (str(found.verdict) == "proved") is proved
        assert found.derivation == ("rdp" if proved else "")


def test_orders_and_accountants_of_descriptions():
    """A formula may name the order; an accountant that adds no divergences leaves the claim
    unproved.
    """
    text = """
    title = "t"
    relation = "add-remove"
    claim = {order = 3, epsilon = 2}
    rows = {norm = 1}
    labels = {bound = 1}
    [[release]]
    name = "s"
    statistic = "sum(y)"
    mechanism = "gaussian"
    variance = "order/(2*epsilon)"
    """
    read = dp.audits.parse_description(text)
    at = {"target": read.target, "setting": read.setting}
    assert str(dp.audits.audit(read.regression, **at).verdict) == "proved"
    assert str(dp.audits.audit(read.regression, **at, accountant="rdp").verdict) == "proved"
    done = dp.audits.audit(read.regression, **at, accountant="numeric")
    assert str(done.verdict) == "unproved"
    assert "accountant='auto'" in str(done)
    less = dp.audits.parse_description(text.replace("order/", "0.999*order/"))
    assert str(dp.audits.audit(less.regression, **at).verdict) == "refuted"


# ---------------------------------------- As (epsilon, delta): what is proved holds, and no less is
BOUNDED = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
rho, delta, eps = dp.parameter("rho", 0), dp.DELTA, dp.EPSILON
L = dp.log(1 / delta)
N = dp.parameter("N", 2, closed="left", integer=True)
alpha = dp.parameter("alpha", 1)
tiny = dp.parameter("tiny", 0, "1e-3", closed="right")
little = dp.parameter("little", 0, 1, closed="right")
BIT = Fraction(999_999, 1_000_000)


class One(dp.Regression):
    """X'X with stated noise of rho-zCDP."""

    rho: Expression = attrs.field(default=rho)
    times: Expression = attrs.field(default=1)

    def declare(self, X, y, budget):
        """One release."""
        return dp.release(X.T @ X, dp.Gaussian(std=1 / r(2 * self.rho)), times=self.times)


class Mixed(dp.Regression):
    """Gaussian and Laplace noise, gamma rho and (1 - gamma) rho."""

    def declare(self, X, y, budget):
        """Two releases."""
        gram = dp.release(X.T @ X, dp.Gaussian(std=1 / r(2 * gamma * rho)))
        return gram, dp.release(dp.count(X), dp.Laplace(scale=1 / r(2 * (1 - gamma) * rho)))


def converted(cost, log=L):
    """rho + 2 sqrt(rho log(1/delta))."""
    return cost + 2 * r(cost * log)


def proved(regression, target, accountant="zcdp"):
    """Whether the total is proved."""
    return dp.examine(regression, target=target, setting=BOUNDED, accountant=accountant).proved


T = dp.parameter("T", 1, closed="left", integer=True)
TRUE = {
    "the formula itself": (One(), converted(rho), delta),
    "another symbol above": (One(), converted(rho) * (1 + gamma), delta),
    "drawn T times": (One(times=T), converted(T * rho), delta),
    "a part of it": (One(rho=gamma * rho), converted(rho), delta),
    "Laplace beside it": (Mixed(), converted(rho), delta),
    "a number": (One(rho=exact("1/100")), converted(exact("1/100")), delta),
    "symbols in the place of delta": (One(), converted(rho, dp.log(N**2)), N**-2),
    "a fractional power of N": (
        One(),
        converted(rho, dp.log(N ** Fraction(11, 10))),
        N ** Fraction(-11, 10),
    ),
    "as the discrete Gaussian": (One(rho=(r(L + eps) - r(L)) ** 2), eps, delta),
    "the same, without cancelling": (One(rho=(eps / (r(L + eps) + r(L))) ** 2), eps, delta),
    "epsilon squared over 4 (L + epsilon)": (One(rho=eps**2 / (4 * (L + eps))), eps, delta),
    "epsilon squared over 5 L": (One(rho=little**2 / (5 * dp.log(1 / tiny))), little, tiny),
    "an order": (One(), alpha * rho + L / (alpha - 1), delta),
    "the order 10": (One(), 10 * rho + L / 9, delta),
    "draws at an order": (One(times=T), T * alpha * rho + L / (alpha - 1), delta),
}
FALSE = {
    "a little less": (One(), BIT * converted(rho), delta),
    "a little less in the root": (One(), rho + 2 * BIT * r(rho * L), delta),
    "another delta": (One(), converted(rho), delta / 2),
    "one draw more": (One(times=T), converted((T - Fraction(1, 2)) * rho), delta),
    "a little more noise than there is": (One(rho=BIT**-1 * (r(L + eps) - r(L)) ** 2), eps, delta),
    "over 4 L": (One(rho=eps**2 / (4 * L)), eps, delta),
    "over 4 L + 3 epsilon": (One(rho=eps**2 / (Fraction(39, 10) * (L + eps))), eps, delta),
    "5 L, larger delta": (One(rho=eps**2 / (5 * L)), eps, delta),
    "less than an order": (One(), alpha * rho + BIT * L / (alpha - 1), delta),
    "another order": (One(), 10 * rho + L / Fraction(901, 100), delta),
    "any epsilon": (One(), eps, delta),
}


@pytest.mark.parametrize("name", TRUE)
def test_what_zcdp_implies_is_proved(name):
    """For all values of all parameters, by exact algebra in sqrt(rho) and sqrt(log(1/delta))."""
    regression, epsilon, at = TRUE[name]
    assert proved(regression, dp.ApproxDP(epsilon, at))


@pytest.mark.parametrize("name", FALSE)
def test_what_it_does_not_imply_is_not(name):
    """Each claim is less than the conversion gives somewhere."""
    regression, epsilon, at = FALSE[name]
    assert not proved(regression, dp.ApproxDP(epsilon, at))


POINTS = [
    {"rho": p, "delta": q, "gamma": 0.3, "N": 7, "alpha": a, "T": 5, "epsilon": p, "tiny": q / 900}
    for p, q, a in [(1e-4, 0.5, 1.1), (0.3, 1e-9, 10), (5, 1e-30, 3), (700, 0.9, 1.001)]
]


@pytest.mark.parametrize("name", TRUE)
def test_what_is_proved_is_the_cost_by_mpmath(name):
    """The least of a rho + log(1/delta)/(a - 1) over orders a > 1 is at most epsilon."""
    regression, epsilon, at = TRUE[name]
    spent = rho if name == "Laplace beside it" else regression.rho * regression.times
    for point in POINTS:
        given = {**point, "little": min(0.99, point["rho"])}
        with mpmath.workdps(60):
            cost, tail = value(spent, given), -mpmath.log(value(at, given))
            order = 1 + mpmath.sqrt(tail / cost)
            least = order * cost + tail / (order - 1)
            assert least <= value(epsilon, given) * (1 + mpmath.mpf(10) ** -25)


def test_auto_finds_it():
    """Where the exact profile is out of reach, zCDP proves the total."""
    done = dp.certify(One(), target=dp.ApproxDP(converted(rho), delta), setting=BOUNDED)
    assert done.derivation == "zcdp"


@pytest.mark.parametrize("factor", [1, Fraction(101, 100)])
def test_renyi_at_numbers_is_tighter_than_the_conversion(factor):
    """At rho 1/10 and delta 1e-6, 2.32 by [BunS16, Prop 1.3]; at the best order, 2.09."""
    point, at = One(rho=exact("1/10")), "1e-6"
    best = (
        dp.accountants.RenyiAccountant()
        .epsilon(dp.compose(dp.GaussianDP(r("1/5"))).parts, at)
        .upper
    )
    assert best < 2.2
    claim = dp.ApproxDP(Fraction(best).limit_denominator(10**9) * factor - Fraction(1, 10**3), at)
    assert proved(point, claim, "rdp") is (factor > 1)
    assert not proved(point, claim, "zcdp")
