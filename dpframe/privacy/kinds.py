"""The guarantees: pure, approximate, zero-concentrated and Gaussian differential privacy."""

from __future__ import annotations

from typing import ClassVar

import attrs

from dpframe.pld import losses
from dpframe.symbols import Expression, exact, power

from .base import Guarantee, check_range, number


def _epsilon(value: object) -> Expression:
    return exact(value, "epsilon")


def _delta(value: object) -> Expression:
    return exact(value, "delta")


def _rho(value: object) -> Expression:
    return exact(value, "rho")


def _mu(value: object) -> Expression:
    return exact(value, "mu")


@attrs.frozen(cache_hash=True)
class PureDP(Guarantee):
    """P[M(D) in S] <= e^epsilon P[M(D') in S]. Domain: epsilon > 0. [DworkR14, Def 2.4]"""

    kind: ClassVar[str] = "pure"
    currency: ClassVar[tuple[str, ...]] = ("epsilon",)
    parameters: ClassVar[tuple[str, ...]] = ("epsilon",)
    epsilon: Expression = attrs.field(converter=_epsilon)

    def __attrs_post_init__(self) -> None:
        """Refuse a number out of range."""
        check_range("epsilon", self.epsilon)

    @property
    def amounts(self) -> tuple[Expression, ...]:
        """(epsilon,)."""
        return (self.epsilon,)

    @property
    def loss(self) -> losses.ResponseLoss:
        """That of randomised response. [KairouzOV15, Thm 3.2]"""
        return losses.ResponseLoss(number("epsilon", self.epsilon))

    def __str__(self) -> str:
        """As papers write it."""
        return f"{self.epsilon}-differential privacy"


@attrs.frozen(cache_hash=True)
class ApproxDP(Guarantee):
    """P[M(D) in S] <= e^epsilon P[M(D') in S] + delta. Domain: epsilon > 0, 0 < delta < 1.
    [DworkR14, Def 2.4]
    """

    kind: ClassVar[str] = "approx"
    currency: ClassVar[tuple[str, ...]] = ("epsilon", "delta")
    parameters: ClassVar[tuple[str, ...]] = ("epsilon", "delta")
    epsilon: Expression = attrs.field(converter=_epsilon)
    delta: Expression = attrs.field(converter=_delta)

    def __attrs_post_init__(self) -> None:
        """Refuse numbers out of range."""
        check_range("epsilon", self.epsilon)
        check_range("delta", self.delta, 1)

    @property
    def amounts(self) -> tuple[Expression, ...]:
        """(epsilon, delta)."""
        return (self.epsilon, self.delta)

    @property
    def loss(self) -> losses.ResponseLoss:
        """That of randomised response which confesses with probability delta. [KairouzOV15]"""
        return losses.ResponseLoss(number("epsilon", self.epsilon), number("delta", self.delta))

    def __str__(self) -> str:
        """As papers write it."""
        return f"({self.epsilon}, {self.delta})-differential privacy"


@attrs.frozen(cache_hash=True)
class ZeroConcentratedDP(Guarantee):
    """Renyi divergence of order a <= rho a for all a > 1. Domain: rho > 0. [BunS16, Def 1.1]"""

    kind: ClassVar[str] = "zcdp"
    currency: ClassVar[tuple[str, ...]] = ("rho",)
    parameters: ClassVar[tuple[str, ...]] = ("rho",)
    rho: Expression = attrs.field(converter=_rho)

    def __attrs_post_init__(self) -> None:
        """Refuse a number out of range."""
        check_range("rho", self.rho, zero=True)

    @property
    def amounts(self) -> tuple[Expression, ...]:
        """(rho,)."""
        return (self.rho,)

    def __str__(self) -> str:
        """As papers write it."""
        return f"{self.rho}-zCDP"


@attrs.frozen(cache_hash=True)
class GaussianDP(Guarantee):
    """As hard to tell apart as N(0, 1) and N(mu, 1). Domain: mu > 0. [DongRS22, Def 2.6]"""

    kind: ClassVar[str] = "gaussian"
    currency: ClassVar[tuple[str, ...]] = ("mu^2",)
    parameters: ClassVar[tuple[str, ...]] = ("mu",)
    mu: Expression = attrs.field(converter=_mu)

    def __attrs_post_init__(self) -> None:
        """Refuse a number out of range."""
        check_range("mu", self.mu, zero=True)

    @property
    def amounts(self) -> tuple[Expression, ...]:
        """(mu squared,): Gaussian guarantees add as squares. [DongRS22, Cor 3.3]"""
        return (power(self.mu, 2),)

    @property
    def loss(self) -> losses.GaussianLoss:
        """That of N(mu, 1) against N(0, 1). [DongRS22, Def 2.6]"""
        return losses.GaussianLoss(number("mu", self.mu))

    def __str__(self) -> str:
        """As papers write it."""
        return f"{self.mu}-Gaussian differential privacy"


GUARANTEES: dict[str, type[Guarantee]] = {
    one.kind: one for one in (PureDP, ApproxDP, ZeroConcentratedDP, GaussianDP)
}
"""Those whose amounts composition adds, by the names that documents have for them."""
