"""The sum of atomic losses as weighted atoms: the power of each loss, and sums of powers over all
combinations, on a common step, or split onto a lattice. (docs/proofs/atoms.md)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import groupby

import attrs
import numpy as np
from flint import arb

from dpframe.numerics import ball, working

from ..losses import PrivacyLoss
from ..losses.base import UNIT, Reals, Support, unit
from . import lattice
from .atoms import BITS, Atoms, SplittingExcess
from .lattice import FixedPointLaw, fixed, product

MOST_ATOMS = 4_000_000
MOST_PLACES = 1 << 20
"""The largest total length of all powers: some seconds."""
_COMMON = 1 << 18  # places in fixed point on a common step
_FEW = 64
_HUGE = 10**100
_STEEP = 30.0
_FAR = 49.0  # -log of a tilted weight that is negligible
_GUARD = 64  # bits beyond those of the masses

Losses = Sequence[tuple[PrivacyLoss, int]]


@attrs.frozen(eq=False)
class RepeatedLoss:
    """`law` at u (first + stride place), u = 1 or log(odds); the longest jump of one summand."""

    first: Fraction
    stride: Fraction
    odds: Fraction | None
    law: FixedPointLaw
    jump: float

    @property
    def reach(self) -> int:
        """How many strides from the lowest atom to the highest."""
        return len(self.law.masses) - 1

    def block(self) -> lattice.LossBlock:
        """In doubles, centered: losses, weights, and their errors."""
        with working(BITS):
            start, step = self.first + self.stride * self.law.first, self.stride
            atoms = lattice.spaced(unit(self.odds), start, step, self.reach + 1)
        weights = self.law.doubles
        return lattice.LossBlock(atoms[0][weights > 0], weights[weights > 0], atoms[1], 1.01 * UNIT)

    def placed(self, step: Fraction) -> lattice.LatticeBlock:
        """On the lattice of a step that divides the stride, from the lowest atom."""
        weights = self.law.doubles
        places = np.flatnonzero(weights)
        return lattice.LatticeBlock(places * int(self.stride / step), weights[places])


class OutOfReachError(Exception):
    """Losses too large for a lattice of the allowed work."""


def tilted_sum(losses: Losses, tilt: float, spare: arb) -> Atoms | None:
    """The sum of atomic losses with their counts, tilted by e^(tilt L). `spare` is the log of a
    probability that multiplies everything. The bounds hold for any tilt. None where the powers
    have too many atoms.
    """
    with working(BITS + _GUARD):
        tilted = [(loss.support(tilt), count) for loss, count in losses]
        supports = [(support, count) for support, count in tilted if support is not None]
        if len(supports) < len(tilted) or not all(_moderate(*part) for part in supports):
            return None
        if sum(_longest(*part) for part in supports) > MOST_PLACES:
            return None
        scale = sum((support.log_moment * count for support, count in supports), spare)
        kinds = [_kind(support, count) for support, count in supports]
    if any(kind.law.missing > 0.5 for kind in kinds):
        return None
    try:
        summed = _together(kinds, tilt, scale)
    except OutOfReachError:
        return None
    return summed if summed is not None else tilted_sum(losses, tilt / 4, spare)


def _kind(support: Support, count: int) -> RepeatedLoss:
    jump = float((support.unit * ball(support.stride)).mid()) * (len(support.masses) - 1)
    power = fixed(support.masses).power(count)
    return RepeatedLoss(support.first * count, support.stride, support.odds, power, jump)


def _moderate(support: Support, count: int) -> bool:
    """Whether all losses are far below the largest double."""
    return max(abs(support.first), abs(support.last)) * count < _HUGE


def _longest(support: Support, count: int) -> float:
    """An estimate of the number of places of the power."""
    places = np.arange(len(support.masses))
    weights = np.array([float(mass.mid()) for mass in support.masses])
    mean = float(weights @ places)
    variance = max(float(weights @ (places - mean) ** 2), 0.0)
    return min(24 * math.sqrt(variance * count), float(count) * len(places)) + 2 * len(places)


def _together(kinds: list[RepeatedLoss], tilt: float, scale: arb) -> Atoms | None:
    """None where the tilt is too steep for a lattice."""
    if len(kinds) > 1:
        kinds = _merged(kinds)
    if _sums(kinds) <= MOST_ATOMS or len(kinds) == 1:
        return _every_sum(kinds, tilt, scale)
    blocks = [kind.block() for kind in kinds]
    extent = _extent(kinds, blocks)
    slots = sum(len(block.losses) for block in blocks)
    least = extent / min(lattice.WORK / slots, lattice.LONGEST)
    step = _common_step(kinds, least / _size(kinds[0], Fraction(1)))
    if step is not None:
        return _on_multiples(kinds, step, tilt, scale)
    return _on_lattice(kinds, blocks, extent, tilt, scale)


def _sums(kinds: list[RepeatedLoss]) -> int:
    return math.prod(len(kind.law.masses) for kind in kinds)


def _merged(kinds: list[RepeatedLoss]) -> list[RepeatedLoss]:
    """Losses of one unit as one, where they have a common step that is long enough."""
    order = sorted(kinds, key=lambda kind: kind.odds or Fraction(0))
    groups = [list(group) for _, group in groupby(order, key=lambda kind: kind.odds)]
    return [kind for group in groups for kind in _merge(group)]


def _merge(kinds: list[RepeatedLoss]) -> list[RepeatedLoss]:
    most = min(_COMMON, max(_FEW, _sums(kinds)))
    reach = sum(kind.reach * float(kind.stride) for kind in kinds)
    step = _common_step(kinds, reach / most)
    if len(kinds) == 1 or step is None:
        return kinds
    start = sum((kind.first for kind in kinds), Fraction(0))
    laws = [kind.law.spaced(int(kind.stride / step)) for kind in kinds]
    jump = max(kind.jump for kind in kinds)
    return [RepeatedLoss(start, step, kinds[0].odds, product(laws), jump)]


def _common_step(kinds: list[RepeatedLoss], least: float) -> Fraction | None:
    """The largest step of which all strides are multiples; None where units differ, or where it
    is no longer than `least` or has hundreds of digits.
    """
    step = kinds[0].stride
    for kind in kinds:
        bottom = math.lcm(step.denominator, kind.stride.denominator)
        if kind.odds != kinds[0].odds or bottom.bit_length() > 1 << 10:
            return None
        step = Fraction(math.gcd(int(step * bottom), int(kind.stride * bottom)), bottom)
        if float(step) <= least:
            return None
    return step


def _every_sum(kinds: list[RepeatedLoss], tilt: float, scale: arb) -> Atoms:
    """All sums, one by one."""
    whole = kinds[0].block()
    for kind in kinds[1:]:
        whole = lattice.joint(whole, kind.block())
    dropped = _missing(kinds)
    return Atoms(whole.losses, whole.weights, tilt, scale, whole.relative, whole.shift, dropped)


def _on_multiples(kinds: list[RepeatedLoss], step: Fraction, tilt: float, scale: arb) -> Atoms:
    """Every loss a start and a multiple of one step: nothing is split."""
    run = lattice.add_up([kind.placed(step) for kind in kinds], 1.1 * UNIT * len(kinds))
    start = sum((kind.first + kind.stride * kind.law.first for kind in kinds), step * run.first)
    with working(BITS):
        losses, shift = lattice.spaced(unit(kinds[0].odds), start, step, len(run.weights))
    dropped = (run.dropped + _missing(kinds)) * run.growth
    return Atoms(losses, run.weights, tilt, scale, run.relative, shift, dropped)


_COUNTABLE = 2.0**50  # beyond it neighbouring places are one double


def _on_lattice(
    kinds: list[RepeatedLoss],
    given: list[lattice.LossBlock],
    extent: float,
    tilt: float,
    scale: arb,
) -> Atoms | None:
    """Atoms split between neighbours, at the finest step of the allowed work; None for a tilt that
    is too steep for this step.
    """
    blocks = lattice.paired(given)
    slots = 2 * sum(len(block.losses) for block in blocks)
    longest = min(lattice.WORK / slots, lattice.LONGEST)
    step = lattice.rounded(extent / longest)
    farthest = sum(float(np.abs(block.losses).max()) for block in blocks)
    if not (farthest < _COUNTABLE * step and _is_moderate(len(blocks), step)):
        raise OutOfReachError
    if tilt * step > _STEEP:
        return None
    rounding = [lattice.roundings(block, step, tilt) for block in blocks]
    run = lattice.add_up(
        [lattice.split(block, step, tilt) for block in blocks],
        sum(relative for _, relative in rounding) * (1 + 1e-6),
    )
    losses = (run.first + np.arange(len(run.weights), dtype=np.float64)) * step
    dropped = (run.dropped + _missing(kinds)) * run.growth
    shift = sum(shift for shift, _ in rounding)
    splitting = _splitting(len(blocks), step)
    return Atoms(losses, run.weights, tilt, scale, run.relative, shift, dropped, splitting)


def _is_moderate(blocks: int, step: float) -> bool:
    """Whether the excess of this step is a double."""
    return step < 1000 and blocks * math.log1p(math.sinh(step / 2) ** 2) < 600


def _splitting(blocks: int, step: float) -> SplittingExcess:
    variance = math.expm1(blocks * math.log1p(math.sinh(step / 2) ** 2))
    return SplittingExcess(blocks * step**2 / 4 * (1 + 1e-9), variance * (1 + 1e-9))


def _missing(kinds: Iterable[RepeatedLoss]) -> float:
    return sum(kind.law.missing for kind in kinds) * (1 + 1e-9)


def _size(kind: RepeatedLoss, step: Fraction) -> float:
    """The step in the unit of the kind, as the nearest double."""
    with working(BITS):
        return float((unit(kind.odds) * ball(step)).mid())


def _extent(kinds: list[RepeatedLoss], blocks: list[lattice.LossBlock]) -> float:
    """The range of the tilted sum: by Bernstein's inequality, or that of all atoms."""
    ranges = [float(block.losses[-1] - block.losses[0]) for block in blocks]
    variance = sum(_variance(block.losses, block.weights) for block in blocks)
    jump = _FAR / 3 * max(kind.jump for kind in kinds)
    reach = 2 * (jump + math.sqrt(jump * jump + 2 * variance * _FAR))
    return min(sum(ranges), reach + max(ranges)) + max(ranges) / 64


def _variance(losses: Reals, weights: Reals) -> float:
    mean = float(weights @ losses)
    return float(weights @ (losses - mean) ** 2)
