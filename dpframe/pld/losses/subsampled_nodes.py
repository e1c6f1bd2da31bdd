"""The trapezoid rule for E e^(zL) of a subsampled Gaussian: its nodes and its errors.

All bounds are proved in docs/proofs/subsampling.md. r(x) = 1 - q + q e^(mu x - mu^2/2), and
xi = mu x - mu^2/2.
"""

from __future__ import annotations

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from .base import UNIT, Complexes, Reals, log1p

REMOVAL, BOTH, ADDITION = 1.0, 0.0, -1.0
ROOT = math.sqrt(2 * math.pi)
TAIL = 1.2534  # sqrt(pi/2), rounded up
MOST = 1 << 20  # nodes
_FAR = 300.0
_HIGHEST = 3.0  # twice the lift: terms grow with e^(lift^2/2)


@attrs.frozen
class MixturePair:
    """One loss as doubles, each within a relative UNIT of the exact number; p = 1 - q."""

    mu: float
    q: float
    p: float
    direction: float

    def powers(self, c: float) -> tuple[float, ...]:
        """The real parts of the exponents of r at Re z = c."""
        if self.direction == BOTH:
            return (c + 1, -c)
        return (c + 1,) if self.direction == REMOVAL else (-c,)

    @property
    def atom(self) -> float:
        """P[L = 0] in both directions together: (1 - q)(1 - 2 Phi(-mu/2)); else 0."""
        return self.p * math.erf(self.mu / math.sqrt(8)) if self.direction == BOTH else 0.0


@attrs.frozen(eq=False)
class Nodes:
    """The terms of the sum at each node, arrays of shape (K,); errors are absolute, in UNITs.

    `excess` is r - 1, cut off where xi > 300; `weight` has the step, not the density.
    """

    x: Complexes
    xi: Complexes
    excess: Complexes
    excess_error: Reals
    log_r: Complexes
    log_r_error: Reals
    weight: Complexes
    slack: float

    def __getitem__(self, selected: NDArray[np.bool_]) -> Nodes:
        """The nodes that `kept` selects."""
        names = [field.name for field in attrs.fields(Nodes)[:-1]]
        return attrs.evolve(self, **{name: getattr(self, name)[selected] for name in names})


@attrs.frozen
class TrapezoidRule:
    """Step h (of few bits, so that k h is exact), height of the line, log of the relative error."""

    h: float
    lift: float
    log_error: float


def log_mixture(pair: MixturePair, xi: Reals) -> Reals:
    """log r at real arguments."""
    return np.asarray(_log_r(pair, xi.astype(np.complex128))[1].real)


def log_share(pair: MixturePair, xi: Reals, log_r: Reals) -> Reals:
    """log of q e^xi/|r|: the share of the sampled component at a node."""
    return math.log(pair.q) + xi - log_r


def growth(pair: MixturePair, c: float, t: float, y: Reals) -> Reals:
    """log of how much larger than at real arguments the integrand is where |Im| <= y."""
    value = y * y / 2 + t * pair.mu * y
    if pair.direction == REMOVAL:
        return value
    value = value - c * np.log(np.cos(pair.mu * y / 2))
    if pair.direction == ADDITION:
        return value
    bend = -np.log(np.cos(y / 2))
    return value + bend * (pair.mu / 2 + 2.05 + c * pair.mu)


def rule_for(pair: MixturePair, c: float, t: float, log_goal: float) -> TrapezoidRule:
    """The rule with the larger step: on the real line, or on a line where r^(it) has decayed."""
    ceiling = math.pi / pair.mu
    if pair.direction == BOTH:
        ceiling = min(ceiling, math.pi)
    y = min(0.995 * ceiling, 4 + 2 * math.sqrt(log_goal)) * np.arange(1, 257) / 256
    plain, lifted = growth(pair, c, t, y), growth(pair, c, 0.0, y)
    flat = 2 * math.pi * y / (log_goal + plain)
    raised = np.where(y <= _HIGHEST, math.pi * y / (log_goal + lifted), 0)
    if raised.max() > flat.max():
        best = int(raised.argmax())
        h = _few_bits(float(raised[best]))
        return TrapezoidRule(h, float(y[best]) / 2, _log_error(math.pi * y[best] / h, lifted[best]))
    best = int(flat.argmax())
    h = _few_bits(float(flat[best]))
    return TrapezoidRule(h, 0.0, _log_error(2 * math.pi * y[best] / h, plain[best]))


def _few_bits(value: float) -> float:
    mantissa, exponent = math.frexp(value)
    return math.ldexp(math.floor(mantissa * 64), exponent - 6)


def _log_error(gained: float, grown: float) -> float:
    return math.log(2.1) - gained * (1 - 1e-9) + grown * (1 + 1e-9) + 1e-6


def nodes_of(pair: MixturePair, c: float, rule: TrapezoidRule, log_goal: float) -> Nodes:
    """Nodes on the line at height `rule.lift`, up to where the integrand is below e^-log_goal."""
    width = math.sqrt(2 * (log_goal + math.log((c + 1) * pair.mu + 10)))
    if pair.direction == BOTH:
        return _half_line(pair, c, rule, width, log_goal)
    moved = [power * pair.mu for power in pair.powers(c)]
    low, high = min(0.0, *moved) - width, max(pair.mu, *moved) + width
    x = rule.h * np.arange(math.floor(low / rule.h), math.ceil(high / rule.h) + 1)
    weight = np.full(len(x), rule.h / ROOT, dtype=np.complex128)
    raised = np.asarray(x + 1j * rule.lift, dtype=np.complex128)
    xi = pair.mu * (x - pair.mu / 2) + 1j * (pair.mu * rule.lift)
    return _nodes(pair, raised, np.asarray(xi, dtype=np.complex128), weight, 1.0)


def count_of(pair: MixturePair, c: float, rule: TrapezoidRule, log_goal: float) -> float:
    """An estimate of the number of nodes."""
    width = math.sqrt(2 * (log_goal + math.log((c + 1) * pair.mu + 10)))
    return (2 * width + log_goal + (c + 1) * pair.mu) / rule.h


def _half_line(
    pair: MixturePair, c: float, rule: TrapezoidRule, width: float, log_goal: float
) -> Nodes:
    """mu/2 + log(1 + e^(kh + i lift)): r > 1 if the lift is 0."""
    low, high = -log_goal - 2, (c + 1) * pair.mu + width
    u = rule.h * np.arange(math.floor(low / rule.h), math.ceil(high / rule.h) + 1)
    side = np.where(u > 0, -1.0, 1.0)
    turn = math.cos(rule.lift) + 1j * side * math.sin(rule.lift)
    decay = np.exp(-np.abs(u)) * turn
    rest = log1p(decay, np.zeros(len(u)))[0]
    plus = np.where(u > 0, u + 1j * rule.lift, 0) + rest
    slope = np.where(u > 0, 1.0, decay) / (1 + decay)
    return _nodes(pair, plus + pair.mu / 2, pair.mu * plus, rule.h * slope / ROOT, 40.0)


def _nodes(
    pair: MixturePair, x: Complexes, xi: Complexes, weight: Complexes, slack: float
) -> Nodes:
    excess, log_r = _log_r(pair, xi)
    coarse = 13.0 if not xi.imag.any() else 72.0
    moved = (4 + slack) * np.abs(xi) + pair.mu**2 * 1.01
    share = np.exp(log_share(pair, xi.real, log_r.real))
    relative = np.minimum(1, np.abs(expm1(np.maximum(-log_r.real, -2) - 1j * log_r.imag)))
    relative = np.where(log_r.real < -2, 1, relative)
    error = share * moved + coarse * relative + 8 * np.abs(log_r)
    excess_error = coarse * np.abs(excess)
    excess_error += pair.q * np.exp(np.minimum(xi.real, _FAR)) * moved
    return Nodes(x, xi, excess, excess_error, log_r, error, weight, slack)


def _log_r(pair: MixturePair, xi: Complexes) -> tuple[Complexes, Complexes]:
    """(r - 1, log r), accurate near r = 1 and at both ends; |Im xi| < pi."""
    far = xi.real > _FAR
    safe = np.where(far, _FAR + 1j * xi.imag, xi)
    excess = pair.q * expm1(safe)
    size = np.abs(excess)
    small = size < 0.5
    r = pair.p + pair.q * exp(safe)
    squared = np.where(small, 2 * excess.real + size * size, 0)
    modulus = np.where(small, 0.5 * np.log1p(squared), np.log(np.where(small, 1, np.abs(r))))
    near = modulus + 1j * np.arctan2(r.imag, r.real)
    rest = pair.q + pair.p * exp(-np.where(far, xi, 0))
    beyond = xi + np.log(np.abs(rest)) + 1j * np.arctan2(rest.imag, rest.real)
    return excess, np.where(far, beyond, near)


def exp(w: Complexes) -> Complexes:
    """e^w."""
    return np.exp(w.real) * (np.cos(w.imag) + 1j * np.sin(w.imag))


def expm1(w: Complexes) -> Complexes:
    """e^w - 1."""
    a, b = w.real, w.imag
    real = np.expm1(a) * np.cos(b) - 2 * np.sin(b / 2) ** 2
    return np.asarray(real + 1j * np.exp(a) * np.sin(b))


def magnitude(pair: MixturePair, node: Nodes, z: Complexes, shift: float) -> tuple[Reals, Reals]:
    """Without weights, for points z of one real part: |integrand| at the least |Im z|, and a bound
    on the terms of the sum.
    """
    c, t, size = float(z[0].real), float(np.abs(z.imag).min()), float(np.abs(z).max())
    bell = (-(node.x**2) / 2).real - shift
    damped = bell - t * np.maximum(node.log_r.imag, 0)
    powers = [np.minimum(a * node.log_r.real + damped, 700) for a in pair.powers(c)]
    real: Reals = np.exp(np.stack(powers)).sum(axis=0)
    plain = np.exp(bell)
    moved = np.exp((-((node.x - pair.mu) ** 2) / 2).real - shift)
    terms = len(pair.powers(c))
    return real, real + terms * (plain + (size + 1) * pair.q * (plain + moved))


def tails(pair: MixturePair, node: Nodes, c: float, whole: Reals, h: float) -> float:
    """A bound on the terms of real nodes beyond both ends; `whole` is that of `magnitude`."""
    right = TAIL * float(whole[-1]) / ROOT
    if pair.direction != BOTH:
        return 1.01 * (right + TAIL * float(whole[0]) / ROOT)
    first = float(node.weight[0].real) * ROOT / h
    steep = (c + 1 + pair.mu) * (pair.mu + 1) * first
    return 1.01 * right + 2 * first * float(whole[0]) if steep < 0.1 else math.inf


def rounding_of_weights(node: Nodes, shift: float) -> Reals:
    """The relative error of weight * e^(-x^2/2 - shift)."""
    size = (1 + 2 * node.slack) * np.abs(node.x) ** 2
    return np.asarray(UNIT * (size + 4 * abs(shift) + 24 + node.slack))
