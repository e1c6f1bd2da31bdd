"""The sum of many independent privacy losses: its cumulant and envelope, class by class."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction

import attrs
import numpy as np
from flint import arb

from dpframe.errors import InvalidArgument
from dpframe.numerics import arb_lower, arb_upper, ball, to_float, working

from ..losses import PrivacyLoss
from ..losses.base import UNIT, Complexes, Reals

_EXACTLY = 64  # the most factors of an exact rational product
_BLOCK = 1 << 16  # complex numbers held at once in one temporary


@attrs.frozen(eq=False)
class Batch:
    """m distinct losses of one class, as parameters of shape (m, p), with their counts."""

    kind: type[PrivacyLoss]
    parameters: Reals
    counts: Reals

    def cumulant(self, z: Complexes) -> tuple[Complexes, Reals]:
        """The sum over losses at nodes z of shape (n,), with a bound on its error."""
        value, error = np.zeros(len(z), complex), np.zeros(len(z))
        for rows in self._blocks(len(z)):
            counts = self.counts[rows, None]
            values, errors = self.kind.cumulants(self.parameters[rows], z)
            part, rounding = pairwise(counts * values)
            error += (counts * errors).sum(axis=0) + rounding + UNIT * np.abs(value + part)
            value += part
        return value, error * (1 + 1e-9)

    def envelope(self, c: float, t: float) -> float:
        """log of a bound on the product of all |E e^((c + is)L)| / E e^(cL), s >= t."""
        bounds = self.counts * self.kind.envelope(self.parameters, c, t)
        return float(bounds.sum()) * (1 - 1e-9)

    def _blocks(self, n: int) -> Iterator[slice]:
        rows = max(1, _BLOCK // max(n, 1))
        return (slice(start, start + rows) for start in range(0, len(self.counts), rows))


@attrs.frozen(eq=False)
class TotalLoss:
    """The sum of independent losses. `infinite` encloses the probability that it is infinite."""

    batches: tuple[Batch, ...]
    infinite: tuple[Fraction, Fraction]
    largest: Fraction | None
    """an upper bound on every finite value of the sum; None where there is none"""
    counts: Mapping[PrivacyLoss, int]
    """the terms with their counts"""

    @property
    def size(self) -> int:
        """The cost of one cumulant, in ordinary cumulants."""
        return sum(len(batch.counts) * batch.kind.effort for batch in self.batches)

    def cumulant(self, z: Complexes) -> tuple[Complexes, Reals]:
        """log E[e^(zL); L < infinity] at nodes of shape (n,), Re z >= 0, and its error bound.

        Where it overflows it is infinite or nan.
        """
        with np.errstate(all="ignore"):
            value, error = np.zeros(len(z), complex), np.zeros(len(z))
            for batch in self.batches:
                part, bound = batch.cumulant(z)
                error += bound + UNIT * np.abs(value + part) * 1.01
                value += part
            return value, error * (1 + 1e-9)

    def envelope(self, c: float, t: float) -> float:
        """log of a bound on |E e^((c + is)L)| / E e^(cL) for all s >= t; not increasing in t."""
        with np.errstate(all="ignore"):
            return sum(batch.envelope(c, t) for batch in self.batches)


def total_loss(counts: Mapping[PrivacyLoss, int]) -> TotalLoss:
    """The sum of all losses with their counts."""
    kinds: dict[type[PrivacyLoss], list[PrivacyLoss]] = {}
    for loss, count in counts.items():
        if count:
            kinds.setdefault(type(loss), []).append(loss)
    batches = tuple(_batch(kind, losses, counts) for kind, losses in kinds.items())
    return TotalLoss(batches, _infinite(counts), _largest(counts), counts)


def _batch(
    kind: type[PrivacyLoss], losses: list[PrivacyLoss], counts: Mapping[PrivacyLoss, int]
) -> Batch:
    try:
        times = np.array([float(counts[loss]) for loss in losses])
        return Batch(kind, kind.stack(losses), times)
    except OverflowError as error:
        way_out = "Such a release hides nothing: leave it out, and declare no privacy."
        raise InvalidArgument("losses", "numbers below 1.7e308", kind.kind, way_out) from error


def pairwise(values: Complexes) -> tuple[Complexes, Reals]:
    """The sum of the rows of (m, n), by halves, and a bound on the rounding of it and its terms."""
    sizes = np.abs(values).sum(axis=0) * (1 + 1e-9)
    levels = 2
    while len(values) > 1:
        half = len(values) // 2
        folded = values[:half] + values[half : 2 * half]
        values = np.concatenate([folded, values[2 * half :]])
        levels += 1
    return values[0], levels * UNIT * sizes


def _infinite(counts: Mapping[PrivacyLoss, int]) -> tuple[Fraction, Fraction]:
    """1 - prod (1 - infinite)^count, enclosed."""
    atoms = [(loss.infinite, count) for loss, count in counts.items() if loss.infinite]
    if not atoms:
        return Fraction(0), Fraction(0)
    if sum(count for _, count in atoms) <= _EXACTLY:
        finite = math.prod(((1 - atom) ** count for atom, count in atoms), start=Fraction(1))
        return 1 - finite, 1 - finite
    with working(128):
        logs = [(-ball(atom)).log1p() * count for atom, count in atoms]
        lost = -sum(logs, arb(0)).expm1()
        return max(arb_lower(lost), Fraction(0)), min(arb_upper(lost), Fraction(1))


def _largest(counts: Mapping[PrivacyLoss, int]) -> Fraction | None:
    """The sum of the largest finite values; for many, of doubles above them."""
    total = Fraction(0)
    for loss, count in counts.items():
        top = loss.largest
        if top is None:
            return None
        if len(counts) > _EXACTLY:  # the common denominator of many rationals is huge
            over = to_float(top, up=True)
            top = Fraction(over) if math.isfinite(over) else top
        total += top * count
    return total
