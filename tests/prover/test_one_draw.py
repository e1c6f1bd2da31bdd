"""One draw without a share is proved from its exact cost, and the kernel replays that."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import attrs
import mpmath
import pytest

import dpframe as dp
from docs.generate.pages.currencies import MECHANISMS, exact_size
from dpframe.exact.interval import Interval
from dpframe.kernel import check
from dpframe.mechanisms import DiscreteGaussian, DiscreteLaplace, PermuteAndFlipSelection
from dpframe.theory import derivations as single
from tests.support import noise_costs
from tests.support.checking import sealed

SETTING = dp.Setting(X=dp.Rows(norm=1), relation=dp.ADD_REMOVE)
TARGETS = {
    "epsilon": dp.PureDP(1),
    "epsilon, delta": dp.ApproxDP(1, "1e-6"),
    "rho": dp.ZeroConcentratedDP("0.1"),
    "mu^2": dp.GaussianDP(dp.sqrt(dp.constant("0.245"))),
    "order 8": dp.RenyiDP(8, 1),
}
CELLS = [(kind, name) for name in TARGETS for kind in MECHANISMS if exact_size(kind, name)]


UNREPLAYED = {("discrete gaussian", "mu^2"), ("discrete laplace", "epsilon, delta")}


class One(dp.Regression):
    """n, once or often."""

    noise: object = attrs.field(default=None)
    times: int = 1

    def declare(self, X, y, budget):
        """One release."""
        return dp.release(dp.count(X), self.noise, times=self.times, name="n")


@pytest.mark.some(9)
@pytest.mark.parametrize(("kind", "name"), CELLS)
def test_a_claim_is_decided_on_both_sides_of_its_cost(kind, name):
    """A billionth less noise is refuted; the exact size and twice it are proved, and replayed where
    the kernel has a rule.
    """
    size, target = exact_size(kind, name), TARGETS[name]
    noise = MECHANISMS[kind]
    less = dp.audit(One(noise((1 - Fraction(1, 10**9)) * size)), target=target, setting=SETTING)
    assert less.verdict.value == "refuted"
    for factor in (1, 2):
        found = dp.audit(One(noise(factor * size)), target=target, setting=SETTING)
        assert found.verdict.value == "proved"
        if found.certificate is not None and (kind, name) not in UNREPLAYED:
            assert found.certificate.verdict.accepted


LAWS = {"discrete laplace": "discrete_laplace", "discrete gaussian": "discrete_gaussian"}
COSTED = [
    (law, kind, name)
    for kind, law in {"laplace": "laplace", **LAWS}.items()
    for name in ("gaussian", "zcdp", "approx")
    if (law, name) in single.COSTS
]
CURRENCY = {"gaussian": "mu^2", "zcdp": "rho", "approx": "delta"}


@pytest.mark.parametrize(("law", "kind", "name"), COSTED)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.some(6)
def test_bounds_of_the_kernel_are_sharp(law, kind, name, seed):
    """A part in 1e11 above the oracle's cost is shown, a part below is not."""
    rng = random.Random(f"{law} {name} {seed}")
    size, move = Fraction(rng.randint(3, 40), 10), rng.randint(1, 5)
    epsilon = Fraction(rng.randint(1, 8), 10)
    cost = noise_costs.cost(kind, size, move, CURRENCY[name], epsilon)
    given = (epsilon,) if name == "approx" else ()
    for near, shown in ((1, True), (-1, False)):
        amount = Fraction(mpmath.nstr(cost * (1 + near * mpmath.mpf("1e-11")), 30))
        found = single.COSTS[law, name](Interval(size, size), Fraction(move), *given, amount)
        assert found is shown


def test_any_pure_noise_costs_at_most_what_responses_do():
    """The least mu of randomised response, and noise of the L2 norm on two numbers."""
    epsilon = mpmath.mpf("1.3")
    mu = 2 * mpmath.sqrt(2) * mpmath.erfinv(2 / (1 + mpmath.exp(-epsilon)) - 1)
    for near, shown in ((1, True), (-1, False)):
        square = Fraction(mpmath.nstr(mu**2 * (1 + near * mpmath.mpf("1e-11")), 30))
        one = Interval(Fraction(1), Fraction(1))
        assert single.response_mu(one, Fraction("1.3"), square) is shown


class Vector(dp.Regression):
    """The sum of the rows, or a selection among its entries."""

    noise: object = attrs.field(default=None)

    def declare(self, X, y, budget):
        """One release."""
        return dp.release(X.sum(), self.noise, name="sum")


@pytest.mark.parametrize(
    ("target", "fits"),
    [
        (dp.PureDP(1), True),
        (dp.GaussianDP("1.233"), True),
        (dp.GaussianDP("1.232"), False),
        (dp.ZeroConcentratedDP("0.4622"), True),
        (dp.ApproxDP("0.9", "0.0696"), True),
        (dp.ApproxDP("0.9", "0.0695"), False),
    ],
)
@pytest.mark.parametrize("noise", [dp.L2Laplace(1), PermuteAndFlipSelection(dp.sqrt(2))])
def test_noise_on_vectors_is_charged_as_responses(target, fits, noise):
    """epsilon = 1: mu = 1.23232, rho = 0.46212, delta at 0.9 is 0.069569."""
    found = dp.audit(Vector(noise), target=target, setting=SETTING)
    assert (found.certificate is not None) is fits
    assert not fits or found.certificate.verdict.accepted


EPS, DEL = dp.EPSILON, dp.DELTA
SYMBOLIC = [
    (dp.Laplace(1 / EPS), dp.PureDP(EPS)),
    (dp.L2Laplace(1 / EPS), dp.PureDP(EPS)),
    (dp.Laplace(1 / (EPS - 2 * dp.log(1 - DEL))), dp.ApproxDP(EPS, DEL)),
    (DiscreteGaussian(dp.sqrt(5)), dp.ApproxDP(2, "1e-4")),
]


@pytest.mark.parametrize(("noise", "target"), SYMBOLIC, ids=str)
def test_claims_in_symbols_are_proved_by_their_formulas(noise, target):
    """Whatever epsilon and delta are, by what one draw costs in symbols; irrational sizes, too."""
    found = dp.certify(One(noise), target=target, setting=SETTING)
    assert found.derivation == "single"
    assert found.verdict.accepted


def forged(change):
    """The kernel's verdict on a certificate of one draw that was changed and hashed anew."""
    noise, target = dp.Laplace("2.0696085166"), dp.ZeroConcentratedDP("0.1")
    document = json.loads(
        json.dumps(dp.certify(One(noise), target=target, setting=SETTING).document, default=str)
    )
    change(document)
    return check(sealed(document))


def test_the_kernel_refuses_what_costs_more():
    """Two draws, a smaller scale or target, other noise, and an idle step."""
    release = next(
        i
        for i, node in enumerate(
            dp.certify(
                One(dp.Laplace(3)), target=dp.ZeroConcentratedDP("0.1"), setting=SETTING
            ).document["graph"]["nodes"]
        )
        if node["kind"] == "release"
    )

    def setting(key, value):
        return lambda document: document["graph"]["nodes"][release].update({key: value})

    def claimed(document):
        document["statement"]["target"]["amounts"] = ["99999/1000000"]

    assert forged(lambda document: None).accepted
    for change in (
        setting("times", "2"),
        setting("size", "2"),
        setting("mechanism", "discrete_laplace"),
        claimed,
    ):
        assert not forged(change).accepted


def test_many_draws_are_not_one():
    """Twice the noise of one draw does not serve two."""
    found = dp.audit(
        One(dp.Laplace("2.07"), times=2), target=dp.ZeroConcentratedDP("0.1"), setting=SETTING
    )
    assert found.certificate is None


def test_std_5_on_a_count():
    """Discrete Gaussian noise costs between 0.83 and 0.84, where the Renyi bound is 0.9."""
    for epsilon, verdict in (("0.83", "refuted"), ("0.84", "proved")):
        target = dp.ApproxDP(epsilon, "1e-6")
        found = dp.audit(One(DiscreteGaussian(5)), target=target, setting=SETTING)
        assert found.verdict.value == verdict
    assert dp.certify(
        One(DiscreteLaplace(2)), target=dp.GaussianDP("0.63"), setting=SETTING
    ).verdict.accepted
