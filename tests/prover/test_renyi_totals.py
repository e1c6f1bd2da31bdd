"""Claims of one Renyi divergence in symbols: what is proved holds, what is refuted breaks."""

from __future__ import annotations

from fractions import Fraction

import attrs
import mpmath
import pytest

import dpframe as dp
from dpframe.mechanisms import DiscreteGaussian
from tests.support.oracles import value

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
    assert "divergence of order 8 = 1.000   (claimed 2)" in str(found)


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
