"""The releases of a certificate as a composition, for any accountant and for other libraries."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from dpframe.accountants import Composition, NumericAccountant, Part
from dpframe.graph import Release
from dpframe.graph.graph import classes
from dpframe.numbers import rounded_up
from dpframe.pld.losses import ResponseLoss
from dpframe.privacy import GaussianDP
from dpframe.symbols import ONE, ZERO, Number, sqrt

from .certify import Certificate
from .problem import joint_moves
from .profile_rule import Mixture, joint_of, squared_mu, upper
from .total import reached_moves


def together(certificate: Certificate) -> Composition:
    """All releases at the certificate's numbers, under its relation: one Gaussian loss of the
    joint mu (proofs/joint), and one loss for each other release, or sampled one, times its draws.

    The cost may be below the target: shares need not spend it all, and basic composition overstates
    it. Its lower ends are 0 where no pair of neighbours is known to cost all of the losses. Raises
    InvalidArgument while a noise lacks a number, and for noise that gives neither Gaussian nor pure
    privacy. What is no noise added to a statistic costs at most the whole target.
    """
    values = {name: Number(value) for name, value in certificate.values.items()}
    releases = certificate.graph.releases
    if not certificate.graph.additive:
        whole = Part(certificate.target.substitute(values), above=True)
        return _composition((whole,), certificate)
    parts = Mixture.of(releases, values).parts()
    if not _attained(releases, parts):
        parts = tuple(attrs.evolve(part, above=True) for part in parts)
    return _composition(parts, certificate)


def _composition(parts: tuple[Part, ...], certificate: Certificate) -> Composition:
    unit = certificate.setting.unit
    return Composition(parts, unit.relation, NumericAccountant(), unit=unit)


def _attained(releases: Sequence[Release], parts: Sequence[Part]) -> bool:
    """Whether some pair of neighbours costs all that the parts say: of Gaussian noise on all rows
    where the joint move is reached, of other noise where one number is released.
    """
    grouped = classes(releases)
    if all(one.gives is GaussianDP and one.sampled is None for one in releases):
        joint = joint_of([release for release, _ in grouped])
        moves = joint_moves(releases[0].statistic.unit.rows_per_person, joint, grouped)
        return reached_moves(joint, moves, grouped) == joint.total(moves)
    (release, _), (part, *_) = grouped[0], parts
    moved = release.moved
    alone = len(grouped) == 1 and release.entries == ONE and release.sampled is None
    own_law = not isinstance(part.what, ResponseLoss)
    return alone and own_law and release.reached and moved is not None and moved.attained


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
    return GaussianDP(rounded_up(upper(sqrt(square)), 12))
