"""Notions of privacy: what a target or a share of it is made of, and how it reads."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """A notion of privacy. Which derivations prove it, each derivation says."""

    name: str
    currency: tuple[str, ...]
    """The names of its amounts, each of which composition adds."""
    words: str
    """The guarantee of given amounts: {0}, {1}."""
    of_mu: int
    """mu-Gaussian differential privacy gives it as soon as mu^2 is at most so many times its
    amount; 0 where no such factor is exact.
    """


PURE = Guarantee(
    name="pure", currency=("epsilon",), words="{0}-differential privacy", of_mu=0
)  # [DworkR14, Def 2.4]
APPROX = Guarantee(
    name="approx",
    currency=("epsilon", "delta"),
    words="({0}, {1})-differential privacy",
    of_mu=0,
)  # [DworkR14, Def 2.4]
ZCDP = Guarantee(
    name="zcdp",
    currency=("rho",),
    words="{0}-zero-concentrated differential privacy",
    of_mu=2,
)  # [BunS16, Def 1.1]; rho = mu^2/2 [BunS16, Prop 1.6]
GAUSSIAN = Guarantee(
    name="gaussian",
    currency=("mu^2",),
    words="Gaussian differential privacy of squared parameter {0}",
    of_mu=1,
)  # [DongRS22, Def 2.6]
GUARANTEES = {one.name: one for one in (PURE, APPROX, ZCDP, GAUSSIAN)}
