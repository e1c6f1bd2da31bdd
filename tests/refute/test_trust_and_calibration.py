"""What is trusted vouches for nothing else; joint calibration says what it cannot scale."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import attrs
import pytest

import dpframe as dp
from dpframe.accountants import BasicAccountant, ConcentratedAccountant
from dpframe.symbols import Domain, Expression, Symbol, analytic_sigma, exp, log, sqrt
from tests.support.samples import declared

SYMBOLIC = dp.ApproxDP(dp.EPSILON, dp.DELTA)
TARGET = dp.ApproxDP(3, "1e-6")
SIGMA = analytic_sigma(dp.EPSILON, dp.DELTA)


def unit(relation: dp.Relation = dp.ADD_REMOVE) -> dp.Setting:
    """Rows and labels of size at most 1."""
    return dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=relation)


def counted(noise: Any) -> dp.Regression:
    """n with this noise, X'X with Gaussian noise of std 20."""
    return declared(
        lambda X, y, budget: (
            dp.release(dp.count(X), noise, budget.split("1/2")[0], name="n"),
            dp.release(X.T @ X, dp.Gaussian(std=20), name="gram"),
        )
    )


def moment(std: Any) -> dp.Regression:
    """X'y with Gaussian noise; its sensitivity is 1."""
    return declared(lambda X, y, budget: dp.release(X.T @ y, dp.Gaussian(std=std)))


class Quiet(dp.Laplace):
    """Laplace noise that says it costs a thousandth."""

    def guarantee(self, sensitivity: Expression) -> dp.PureDP:
        """A thousandth."""
        return dp.PureDP(sensitivity / self.scale / 1000)


class Hiding(dp.Calibration):
    """A theorem that prescribes Quiet noise."""

    name, citation, mechanism = "Hiding", "", dp.Laplace
    currencies = (("epsilon",), ("epsilon", "delta"))

    def calibrate(self, share: dp.graph.Share, sensitivity: Expression) -> dp.Laplace:
        """500 times less noise, which says that it is twice as much."""
        return Quiet(scale=sensitivity / share.epsilon / 500)

    def limit(self, share: dp.graph.Share) -> None:
        """Always holds."""


@attrs.frozen
class Product(dp.Laplace):
    """Noise with two fields."""

    other: int = attrs.field(kw_only=True)


class Unnamed(Product):
    """Does not say which of them is its size."""

    noise = "width"


class Concentrated(dp.Gaussian):
    """Says Gaussian DP, gives zCDP, whose amount is half of what it is read as."""

    def guarantee(self, sensitivity: Expression) -> Any:
        """rho."""
        return dp.ZeroConcentratedDP(sensitivity**2 / self.std**2 / 2)


def test_no_parameter_is_the_unknown_of_a_proof() -> None:
    """A symbol that was made equal to the prover's own stood for analytic_sigma, and was free."""
    free = Symbol("the value of analytic_sigma", Domain(Fraction(0)))
    with pytest.raises(dp.InvalidArgument, match="Python name"):
        dp.certify(moment(sqrt(free * SIGMA)), target=SYMBOLIC, setting=unit())


def test_a_trusted_theorem_vouches_for_no_noise_of_yours() -> None:
    """The mechanism that it prescribes must be trusted too, and is not dpframe's Laplace noise."""
    with pytest.raises(dp.Uncertified, match="Quiet"):
        dp.certify(
            counted(Hiding()), target=TARGET, setting=unit(), accountant="numeric", trust=[Hiding]
        )
    both = dp.certify(
        counted(Hiding()),
        target=TARGET,
        setting=unit(),
        accountant="numeric",
        trust=[Hiding, Quiet],
    )
    assert any("Quiet" in assumption for assumption in both.assumptions)
    assert any("response 0.75" in fact for part in both.obligations for fact in part.facts)


def test_noise_gives_the_guarantee_that_it_says() -> None:
    """rho read as mu^2 is half of what it must be."""
    with pytest.raises(dp.InvalidArgument, match="gives"):
        dp.certify(
            declared(lambda X, y, budget: dp.release(X.T @ y, Concentrated(std=2))),
            target=dp.GaussianDP(1),
            setting=unit(),
            trust=[Concentrated],
        )


def test_noise_that_cannot_be_scaled_is_refused_in_words() -> None:
    """It used to be a TypeError of its constructor. Where a field is called as `noise` says, that
    is its size, and it alone is scaled.
    """
    noise = declared(lambda X, y, budget: dp.release(dp.count(X), Unnamed(scale=1, other=2)))
    with pytest.raises(dp.InvalidArgument, match="Rename the field"):
        dp.certify(noise, target=TARGET, setting=unit(), calibrate="jointly", trust=[Unnamed])
    assert Product(scale=1, other=2).scaled(dp.constant(3)) == Product(scale=3, other=2)


X = dp.parameter("x", 0, None)
W = dp.parameter("w", 1, 2)
TOO_SMALL = [  # somewhere below analytic_sigma(epsilon, delta)
    SIGMA * log(1 + W),
    SIGMA / log(2 / dp.DELTA),
    SIGMA * sqrt(log(2 / dp.DELTA)),
    SIGMA * exp(-X),
    SIGMA * log(2 / dp.DELTA) / log(3 / dp.DELTA),
    SIGMA * analytic_sigma(2 * dp.EPSILON, dp.DELTA) / analytic_sigma(dp.EPSILON / 2, dp.DELTA),
    analytic_sigma(2 * dp.EPSILON, dp.DELTA),
    dp.minimum(SIGMA, analytic_sigma(2 * dp.EPSILON, dp.DELTA)),
    SIGMA * (2 * log(X) + X * log(X)) / (log(X) * (3 + X)),
    SIGMA * (log(X) + 1) ** 2,
]


@pytest.mark.parametrize("std", TOO_SMALL, ids=str)
def test_unknowns_hide_no_noise_that_is_too_small(std: Expression) -> None:
    """Logarithms and other stds as unknown numbers: nothing false follows."""
    report = dp.examine(moment(std), target=SYMBOLIC, setting=unit())
    assert not report.proved


def test_unknown_stds_cancel() -> None:
    """Shares calibrated by analytic_sigma each, then jointly: proved for every epsilon, delta."""
    both = declared(
        lambda X, y, budget: tuple(
            dp.release(statistic, dp.Gaussian.analytic, share)
            for statistic, share in zip((X.T @ X, X.T @ y), budget.split("1/3", "2/3"), strict=True)
        )
    )
    once = dp.certify(both, target=SYMBOLIC, setting=unit(), calibrate="jointly")
    twice = dp.certify(
        dp.regressions.Jointly(of=both), target=SYMBOLIC, setting=unit(), calibrate="jointly"
    )
    assert once.derivation == "gaussian"
    assert once.graph == twice.graph


@pytest.mark.parametrize("of", [3, None, dp.literature.AdaSSPWang, "dp.literature.AdaSSPWang"])
def test_only_a_declaration_is_calibrated(of: Any) -> None:
    """It used to be an AttributeError, later."""
    with pytest.raises(dp.InvalidArgument, match="declaration"):
        dp.regressions.Jointly(of=of)


def test_noise_on_what_is_public_is_not_scaled() -> None:
    """n under replace-one: the factor would be 0."""
    public = declared(lambda X, y, budget: dp.release(dp.count(X), dp.Gaussian(std=1)))
    with pytest.raises(dp.InvalidArgument, match="public"):
        dp.certify(public, target=TARGET, setting=unit(dp.REPLACE_ONE), calibrate="jointly")


def test_a_file_of_declarations_without_end_is_no_certificate() -> None:
    """It used to be a RecursionError."""
    proof = dp.certify(dp.regressions.Jointly(of=dp.SSP()), target=SYMBOLIC, setting=unit())
    content = json.loads(json.dumps(proof.document))
    inner: dict[str, Any] = {"constant": 1}
    for _ in range(2000):
        kind = content["declaration"]["class"]
        inner = {"declaration": {"class": kind, "fields": {"of": inner}}}
    content["declaration"]["fields"]["of"] = inner
    with pytest.raises(dp.errors.BadCertificate):
        dp.load(content)


@pytest.mark.parametrize("epsilon", ["1e-400", "1e400"])
def test_targets_beyond_doubles(epsilon: str) -> None:
    """A division by zero, and an overflow, were not words."""
    try:
        found = dp.calibrate(dp.Gaussian(std=1), target=dp.ApproxDP(epsilon, "1e-6"))
    except dp.InvalidArgument:
        return
    assert found.composition.epsilon("1e-6").upper <= Fraction(epsilon)


def test_accountants_of_guarantees_take_subsampled_mechanisms() -> None:
    """log(1 + q (e^epsilon - 1)), by hand; under the other relation it stays refused."""
    sampled = dp.mechanisms.PoissonSubsampled(
        dp.mechanisms.BlackBox(dp.PureDP(log(3))), rate="1/2"
    )  # log 2
    zcdp, basic = ConcentratedAccountant(), BasicAccountant()
    for accountant in (basic, zcdp):
        with pytest.raises(dp.InvalidArgument, match="add/remove"):
            dp.compose(sampled, relation=dp.REPLACE_ONE, accountant=accountant)
        whole = dp.compose(sampled, accountant=accountant)
        (part,) = whole.parts
        assert part.what == dp.PureDP(log(1 + Fraction(1, 2) * (exp(log(3)) - 1)))


@pytest.mark.parametrize("rho", ["1/3", "1/300"])
def test_the_renyi_accountant_takes_what_is_concentrated(rho: str) -> None:
    """A black box and discrete noise: what a zCDP guarantee costs; they were sent in a circle."""
    renyi = dp.accountants.RenyiAccountant()
    given = dp.compose(dp.ZeroConcentratedDP(rho), accountant=renyi).epsilon("1e-6")
    box = dp.mechanisms.BlackBox(dp.ZeroConcentratedDP(rho))
    assert dp.compose(box, accountant=renyi).epsilon("1e-6") == given
    std = sqrt(1 / (2 * dp.constant(rho)))
    noise = dp.DiscreteGaussian(std=std)
    assert dp.compose(noise, accountant=renyi).epsilon("1e-6") == given
