"""What the releases of a certificate cost together, for any accountant and any other library."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from dpframe.accountants import Composition, NumericAccountant, Part
from dpframe.privacy import GaussianDP
from dpframe.symbols import ZERO, Number, sqrt

from .certify import Certificate
from .profile_rule import Mixture, squared_mu, upper


def together(certificate: Certificate) -> Composition:
    """All releases at the certificate's numbers, under its relation: one Gaussian loss of the
    joint mu (proofs/joint), and one loss for each other release, or sampled one, times its draws.

    The cost may be below the target: shares need not spend it all, and basic composition overstates
    it. Raises InvalidArgument while a noise lacks a number, and for noise that gives neither
    Gaussian nor pure privacy. What is no noise added to a statistic costs the whole target.
    """
    values = {name: Number(value) for name, value in certificate.values.items()}
    releases = certificate.graph.releases
    if not certificate.graph.additive:
        whole = Part(certificate.target.substitute(values))
        return Composition((whole,), certificate.setting.relation, NumericAccountant())
    parts = Mixture.of(releases, values).parts()
    return Composition(parts, certificate.setting.relation, NumericAccountant())


def joint_gaussian(certificate: Certificate) -> GaussianDP | None:
    """The Gaussian DP of all releases together, mu rounded up: what noise that is Gaussian
    throughout gives besides the target. None for other noise, and while a number is missing.
    """
    releases = certificate.graph.releases
    if not releases or any(release.gives is not GaussianDP for release in releases):
        return None
    if not certificate.graph.additive:
        return None
    values = {name: Number(value) for name, value in certificate.values.items()}
    square = squared_mu(releases).substitute(values)
    if square == ZERO or square.symbols():
        return None
    return GaussianDP(_decimal(upper(sqrt(square))))


def _decimal(value: Fraction) -> Fraction:
    """`value` > 0, rounded up to a decimal of 12 digits, which people can read."""
    above = Context(prec=12, rounding=ROUND_CEILING)
    return Fraction(above.divide(Decimal(value.numerator), Decimal(value.denominator)))
