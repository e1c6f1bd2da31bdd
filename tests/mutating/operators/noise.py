"""Wrong sizes of noise, and wrong kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial

import attrs

from dpframe.graph import Release
from dpframe.graph.rewriting import Replacement
from dpframe.mechanisms import AdditiveNoise, Calibration, Gaussian, Laplace
from dpframe.sensitivity import L1, L2, Norm
from dpframe.symbols import ONE, Expression, Number, power, sqrt

from ..subject import Change, Operator, Subject, keep

Noise = Callable[[Subject, Release], AdditiveNoise | None]
Factor = Callable[[Subject, Release], Expression | None]
NINE_TENTHS, HALF = Number(Fraction(9, 10)), Number(Fraction(1, 2))


def each(noise: Noise) -> Callable[[Subject], Iterator[Change]]:
    """One edit a release: other noise, where `noise` has some for it."""

    def changes(subject: Subject) -> Iterator[Change]:
        for release in subject.releases:
            found = noise(subject, release)
            if found is not None:
                yield Change(release.label, partial(subject.replaced, {release: keep(found)}))

    return changes


def together(noise: Noise) -> Callable[[Subject], Iterator[Change]]:
    """One edit: other noise in all releases that `noise` has some for."""

    def changes(subject: Subject) -> Iterator[Change]:
        pairs = [(release, noise(subject, release)) for release in subject.releases]
        found = {release: keep(other) for release, other in pairs if other is not None}
        if found:
            yield Change("all releases", partial(subject.replaced, found))

    return changes


def several(noise: Noise) -> Callable[[Subject], Iterator[Change]]:
    """As `together`, where there are several releases."""

    def changes(subject: Subject) -> Iterator[Change]:
        if len(subject.releases) > 1:
            yield from together(noise)(subject)

    return changes


def times(factor: Factor) -> Noise:
    """Noise of the same kind, a multiple of what it was."""

    def noise(subject: Subject, release: Release) -> AdditiveNoise | None:
        found = factor(subject, release)
        return None if found is None else release.mechanism.scaled(found)

    return noise


def moved(release: Release, norm: Norm) -> Expression | None:
    """The sensitivity of what is released."""
    found = release.statistic.sensitivity(norm)
    return None if found is None else found.value


def gaussian(release: Release) -> bool:
    """Whether the noise is Gaussian."""
    return release.noise is Gaussian


def _laplace(subject: Subject, release: Release) -> AdditiveNoise | None:
    del subject
    return Laplace(release.mechanism.formula) if gaussian(release) else None


def _gaussian(subject: Subject, release: Release) -> AdditiveNoise | None:
    del subject
    return Gaussian(release.mechanism.formula) if release.noise is Laplace else None


def _other_norm(subject: Subject, release: Release) -> Expression | None:
    del subject
    one, two = moved(release, L1), moved(release, L2)
    return None if release.noise.norm is not L1 or one is None or two is None else two / one


def _inverse(subject: Subject, release: Release) -> AdditiveNoise | None:
    """Delta mu where Delta/mu was meant."""
    del subject
    own = moved(release, L2)
    if not gaussian(release) or own is None:
        return None
    return Gaussian(power(own, 2) / release.mechanism.formula)


def _from_epsilon(size: Callable[[Expression, Expression], Expression]) -> Noise:
    def noise(subject: Subject, release: Release) -> AdditiveNoise | None:
        own = moved(release, L2)
        if not gaussian(release) or own is None or subject.budget.currency[0] != "epsilon":
            return None
        return Gaussian(size(own, subject.budget.epsilon))

    return noise


def _of_epsilon(subject: Subject, release: Release) -> Expression | None:
    del release
    return 1 / subject.budget.epsilon if subject.budget.currency[0] == "epsilon" else None


def _rounds(subject: Subject, release: Release) -> Expression | None:
    del subject
    return None if release.times is ONE else 1 / sqrt(release.times)


def _alone(subject: Subject, release: Release) -> Expression:
    del release
    return 1 / sqrt(len(subject.releases))


def _classical(subject: Subject) -> Iterator[Change]:
    """sqrt(2 ln(1.25/delta))/epsilon, whose theorem asks for epsilon < 1."""
    found = {
        one: _ruled(Gaussian.classical)
        for one in subject.releases
        if gaussian(one) and _beyond(one)
    }
    if found:
        yield Change("all releases", partial(subject.replaced, found))


def _beyond(release: Release) -> bool:
    """Whether its share of epsilon may be 1 and more."""
    share = release.share
    if share is None or share.currency != ("epsilon", "delta"):
        return False
    return not isinstance(share.epsilon, Number) or share.epsilon.value >= 1


def _ruled(theorem: Calibration) -> Replacement:
    return lambda release: attrs.evolve(release, stated=theorem)


def _power(release: Release, exponent: Fraction) -> AdditiveNoise:
    return type(release.mechanism)(power(release.mechanism.formula, exponent))  # type: ignore[call-arg]


OPERATORS: Sequence[Operator] = (
    Operator("nine tenths", "0.9 of the noise", each(times(lambda _, __: NINE_TENTHS))),
    Operator("half", "half of the noise", each(times(lambda _, __: HALF))),
    Operator("half of all", "a factor 2 forgotten", several(times(lambda _, __: HALF))),
    Operator("root of 2", "a sqrt(2) forgotten", together(times(lambda _, __: 1 / sqrt(2)))),
    Operator("variance", "the variance given as std", each(lambda _, r: _power(r, Fraction(2)))),
    Operator("std", "the std given as variance", together(lambda _, r: _power(r, Fraction(1, 2)))),
    Operator("mu", "std = Delta mu where Delta/mu was meant", together(_inverse)),
    Operator(
        "epsilon for rho",
        "std = Delta/sqrt(2 epsilon)",
        together(_from_epsilon(lambda own, epsilon: own / sqrt(2 * epsilon))),
    ),
    Operator(
        "epsilon for mu",
        "std = Delta/epsilon",
        together(_from_epsilon(lambda own, epsilon: own / epsilon)),
    ),
    Operator("epsilon twice", "noise divided by epsilon once more", together(times(_of_epsilon))),
    Operator("norm", "L1 noise by the L2 sensitivity", each(times(_other_norm))),
    Operator("Laplace", "Laplace noise of the Gaussian's size", each(_laplace)),
    Operator("Gaussian", "Gaussian noise of the Laplace's size", each(_gaussian)),
    Operator("classical", "the classical theorem outside its range", _classical),
    Operator("rounds", "noise of one round for all of them", together(times(_rounds))),
    Operator("alone", "noise as if each were the only release", several(times(_alone))),
)
