"""What part of a budget each release has."""

from __future__ import annotations

from collections.abc import Sequence

from dpframe.graph import Joint, Release
from dpframe.privacy import GaussianDP
from dpframe.prover import Certificate
from dpframe.prover.algebra import number
from dpframe.symbols import Expression

EPSILON, MU = "epsilon", "squared mu"


def parts_of(certificate: Certificate) -> tuple[dict[str, float], str]:
    """The parts, by release, and what they are parts of: of epsilon (or rho) where shares add up,
    else of squared mu. No parts where they are formulas.
    """
    releases = certificate.graph.releases
    if certificate.derivation == "basic":
        shares = [one.share for one in releases if one.share is not None]
        found = [share.weights[0] * one.times for share, one in zip(shares, releases, strict=False)]
        return _numbers(releases, found), shares[0].currency[0] if shares else EPSILON
    if any(one.gives is not GaussianDP for one in releases):
        return {}, MU
    joint = Joint.of([one.statistic for one in releases], certificate.setting.relation)
    if joint is None:
        return {}, MU
    moves = [
        one.guarantee(size).amounts[0] * one.times
        for one, size in zip(releases, joint.sizes, strict=True)
    ]
    return _numbers(releases, moves), MU


def _numbers(releases: Sequence[Release], formulas: Sequence[Expression]) -> dict[str, float]:
    """Each over the sum of all; nothing where one is not a number."""
    known = [one for one in formulas if not one.symbols()]
    if len(known) < len(releases):
        return {}
    values = [number(one, {}, up=True) for one in known]
    labels = [one.label for one in releases]
    return {label: value / sum(values) for label, value in zip(labels, values, strict=True)}
