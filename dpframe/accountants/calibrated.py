"""calibrate: scale the noise of several mechanisms together until a target is met."""

from __future__ import annotations

from fractions import Fraction

import attrs

from dpframe.errors import InvalidArgument
from dpframe.mechanisms import AdditiveNoise
from dpframe.privacy import ADD_REMOVE, ApproxDP, Relation, number
from dpframe.symbols import Number

from . import Accountant
from .composed import Composition, compose
from .scale import least_factor


@attrs.frozen(cache_hash=True)
class Calibrated:
    """What met the target: the factor, each thing with its noise so many times as large, and what
    all of them cost together.
    """

    factor: Fraction
    things: tuple[object, ...]
    composition: Composition


def calibrate(
    *things: object,
    target: ApproxDP,
    relation: Relation = ADD_REMOVE,
    accountant: Accountant | None = None,
) -> Calibrated:
    """All noise among `things` multiplied by the one factor at which the whole is inside `target`,
    with numbers for epsilon and delta; its proportions stay.

    `things` are as in `compose`: noise of sensitivity 1, stated as it is wanted up to the factor.
    What is not additive noise (a guarantee, a loss, a selection) costs what it costs. The factor
    is hardly larger than the least one (in epsilon, by 1e-12 or so), never smaller. Raises
    InvalidArgument.

    >>> from dpframe import ApproxDP, Gaussian, Laplace, calibrate
    >>> found = calibrate((Gaussian(std=1), 2), Laplace(scale=2), target=ApproxDP(1, "1e-6"))
    >>> round(float(found.factor), 6), found.composition.delta(1).upper <= 1e-6
    (6.250757, True)
    """
    if not isinstance(target, ApproxDP):
        raise InvalidArgument("target", "a dp.ApproxDP with numbers", target)
    if not any(isinstance(_bare(thing), AdditiveNoise) for thing in things):
        raise InvalidArgument("things", "some noise to scale", things)
    epsilon, delta = number("epsilon", target.epsilon), number("delta", target.delta)

    def at(factor: Fraction) -> Composition:
        made = (_scaled(thing, factor) for thing in things)
        return compose(*made, relation=relation, accountant=accountant)

    adds = at(Fraction(1)).accountant
    factor = least_factor(adds, lambda found: at(found).parts, epsilon, delta)
    return Calibrated(factor, tuple(_scaled(thing, factor) for thing in things), at(factor))


def _bare(thing: object) -> object:
    return thing[0] if isinstance(thing, tuple) and thing else thing


def _scaled(thing: object, factor: Fraction) -> object:
    if isinstance(thing, tuple) and len(thing) == 2:
        return (_scaled(thing[0], factor), thing[1])
    return thing.scaled(Number(factor)) if isinstance(thing, AdditiveNoise) else thing
