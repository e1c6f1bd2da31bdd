"""The trapezoid sum for E e^(zL) of a subsampled Gaussian, with bounds on all errors.

E e^(zL) - 1 = E g(s), s = z + 1 (removal) or -z (addition), g(s) = r^s - 1 - s (r - 1) and r under
N(0, 1): nothing cancels where r is near 1. (docs/proofs/subsampling.md)
"""

from __future__ import annotations

import math

import numpy as np

from . import subsampled_nodes as nodes
from .base import UNIT, Complexes, Reals, log1p
from .subsampled_nodes import MixturePair, Nodes, TrapezoidRule, exp, expm1

_SERIES = 1 / 16
_TERMS = 18
_ROWS = 64
_CELLS = 1 << 16


def cumulants_of(pair: MixturePair, z: Complexes) -> tuple[Complexes, Reals]:
    """log E e^(zL) at the points z, shape (n,), and the error of each.

    |E e^(zL) - e^value| <= |e^value| (e^error - 1) always; |log E e^(zL) - value| <= error where
    error < 1.
    """
    value = np.zeros(len(z), dtype=np.complex128)
    error = np.full(len(z), np.inf)
    order = np.lexsort((np.abs(z.imag), z.real))
    for group in np.split(order, np.flatnonzero(np.diff(z.real[order])) + 1):
        for start in range(0, len(group), _ROWS):
            chunk = group[start : start + _ROWS]
            value[chunk], error[chunk] = _chunk(pair, z[chunk])
    return value, error


def _chunk(pair: MixturePair, z: Complexes) -> tuple[Complexes, Reals]:
    """Points with one real part, on one set of nodes."""
    c, t = float(z[0].real), float(np.abs(z.imag).max())
    small = 2 * math.log(min(1.0, pair.q)) + 2 * math.log(min(1.0, pair.mu))
    log_goal = 43 - small + math.log(4 + 4 * pair.q * (c + t))
    rule = nodes.rule_for(pair, c, t, log_goal)
    if nodes.count_of(pair, c, rule, log_goal) > nodes.MOST:
        return np.zeros_like(z), np.full(len(z), np.inf)
    return _by_rule(pair, z, rule, log_goal)


def _by_rule(
    pair: MixturePair, z: Complexes, rule: TrapezoidRule, log_goal: float
) -> tuple[Complexes, Reals]:
    c = float(z[0].real)
    node = nodes.nodes_of(pair, c, TrapezoidRule(rule.h, 0.0, rule.log_error), log_goal)
    squares = (node.x**2).real / 2
    peak = max(float((a * node.log_r.real - squares).max()) for a in pair.powers(c))
    shift = peak if peak > 5 else 0.0
    real, whole = nodes.magnitude(pair, node, z.real + 1j * z.imag, shift)
    weight = node.weight.real
    outside = nodes.tails(pair, node, c, whole, rule.h)
    total = 1.05 * (float((weight * real).sum()) + outside)
    if rule.lift:
        outside *= 1.01 * math.exp(float(nodes.growth(pair, c, 0.0, np.array([rule.lift]))[0]))
        node = nodes.nodes_of(pair, c, rule, log_goal)
        real, whole = nodes.magnitude(pair, node, z, shift)
        weight = np.abs(node.weight)
    apart = bool(rule.lift) and pair.q * min(1.0, pair.mu) * float(np.abs(z.imag).min()) > 1
    sizes = weight * (real if apart else whole)
    large = sizes > math.exp(-log_goal) / len(sizes) * total
    outside += 1.01 * float(sizes[~large].sum())
    summed, error = _sum(pair, z, node[large], shift, apart=apart)
    error += outside + _rule_error(pair, z, rule) * (total + math.exp(-shift))
    if apart:
        return _log(pair.atom * math.exp(-shift) + summed, error, shift)
    return _log_one_plus(summed, error, shift)


def _rule_error(pair: MixturePair, z: Complexes, rule: TrapezoidRule) -> Reals:
    error = math.exp(min(rule.log_error, 0.0)) if rule.log_error < -5 else math.inf
    return error * 4 * (1 + pair.q * (np.abs(z) + 1))


def _log_one_plus(summed: Complexes, error: Reals, shift: float) -> tuple[Complexes, Reals]:
    """log(1 + e^shift * summed), where e^shift * `error` bounds the error of the sum."""
    if shift:
        return _log(math.exp(-shift) + summed, error, shift)
    whole = np.abs(1 + summed)
    value, rounding = log1p(np.where(whole == 0, 0, summed), np.zeros(len(summed)))
    return _with_error(value, whole, error, rounding)


def _log(whole: Complexes, error: Reals, shift: float) -> tuple[Complexes, Reals]:
    """log(e^shift * whole)."""
    size = np.abs(whole)
    reduced = np.log(np.where(size == 0, 1, size)) + 1j * np.angle(whole)
    error = error + 8 * UNIT * (size + math.exp(-shift))
    value, bound = _with_error(reduced, size, error, UNIT * (24 + 8 * np.abs(reduced)))
    return value + shift, bound + 4 * UNIT * (shift + np.abs(value + shift))


def _with_error(
    value: Complexes, size: Reals, error: Reals, rounding: Reals
) -> tuple[Complexes, Reals]:
    """The log of a number of this size, and its error, where `error` is that of the number.

    A number within 2 `error` of 0 is at most 3 `error` in size: log `error` replaces its log, from
    which it differs by at most e^log(5) - 1 times `error`.
    """
    known, least = np.isfinite(error), np.maximum(error, 1e-290)
    lost = ~(2 * least < size)
    ratio = np.where(lost, 0.5, error / np.where(lost, 1, size))
    bound = np.where(lost, math.log(5.1), 1.001 * -np.log1p(-ratio) + rounding)
    stand_in = np.log(np.where(known, least, 1))
    return np.where(lost, stand_in, value), np.where(known, bound, np.inf)


def _sum(
    pair: MixturePair, z: Complexes, node: Nodes, shift: float, *, apart: bool
) -> tuple[Complexes, Reals]:
    """The weighted sum of g, or of r^s where `apart`, times e^-shift; and its rounding."""
    summed, error = np.zeros(len(z), dtype=np.complex128), np.zeros(len(z))
    step = max(1, _CELLS // max(1, len(node.x)))
    for start in range(0, len(z), step):
        part = slice(start, start + step)
        for s in _exponents(pair, z[part]):
            # on the raised line r^s is small for Im s > 0; the sum commutes with conjugation
            below = s.imag < 0
            upper = np.where(below, s.conjugate(), s)[:, None]
            if apart:
                more, bound = _all_powers(upper, node, shift)
            else:
                terms, bounds = _one_power(pair, upper, node, shift)
                more, bound = _add(terms), _add(bounds) + 24 * UNIT * _add(np.abs(terms))
            summed[part] += np.where(below, more.conjugate(), more)
            error[part] += bound
    return summed, 1.02 * error + 4 * UNIT * np.abs(summed)


def _exponents(pair: MixturePair, z: Complexes) -> list[Complexes]:
    powers = {nodes.BOTH: [z + 1, -z], nodes.REMOVAL: [z + 1], nodes.ADDITION: [-z]}
    return powers[pair.direction]


def _one_power(
    pair: MixturePair, s: Complexes, node: Nodes, shift: float
) -> tuple[Complexes, Reals]:
    near = max(1.0, float(np.abs(s).max())) * np.abs(node.excess) <= _SERIES
    close, first = _series(s, node[near], shift)
    far, second = _direct(pair, s, node[~near], shift)
    return np.concatenate([close, far], axis=1), np.concatenate([first, second], axis=1)


def _bell(node: Nodes, shift: float) -> Complexes:
    """weight * e^(-x^2/2 - shift)."""
    return node.weight * exp(-(node.x**2) / 2 - shift)


def _series(s: Complexes, node: Nodes, shift: float) -> tuple[Complexes, Reals]:
    """sum of C(s, j) v^j over 2 <= j <= 18: |s| |v| <= 1/16, so the remainder is below 1e-17."""
    v, size = node.excess, np.abs(s)
    value = np.zeros((len(s), len(v)), dtype=np.complex128)
    for j in range(_TERMS, 1, -1):
        value = (1 + value) * ((s - (j - 1)) / j * v)
    value = value * (s * v)
    bound = 1.25 * size * (size + 1) * np.abs(v) * UNIT * (node.excess_error + 14 * np.abs(v))
    weight, relative = _bell(node, shift), nodes.rounding_of_weights(node, shift)
    return value * weight, np.abs(weight) * (bound + np.abs(value) * relative)


def _all_powers(s: Complexes, node: Nodes, shift: float) -> tuple[Complexes, Reals]:
    """The sum of weight * r^s e^(-x^2/2 - shift)."""
    value = node.weight * exp(s * node.log_r - ((node.x**2) / 2 + shift))
    flat = nodes.rounding_of_weights(node, shift) + 24 * UNIT
    skewed = 2 * UNIT * (node.log_r_error + 8 * np.abs(node.log_r))
    bounds = np.abs(value) @ np.stack([flat, skewed], axis=1)
    return _add(value), bounds[:, 0] + np.abs(s[:, 0]) * bounds[:, 1]


def _powers(s: Complexes, node: Nodes, shift: float) -> tuple[Complexes, Reals]:
    """weight * e^(s log r - x^2/2 - shift)."""
    value = node.weight * exp(s * node.log_r - ((node.x**2) / 2 + shift))
    skewed = UNIT * np.abs(s) * (node.log_r_error + 8 * np.abs(node.log_r))
    return value, np.abs(value) * (nodes.rounding_of_weights(node, shift) + 2 * skewed)


def _direct(pair: MixturePair, s: Complexes, node: Nodes, shift: float) -> tuple[Complexes, Reals]:
    """expm1(s log r) - s v where |s log r| <= 1, else the three terms apart."""
    size, length = np.abs(s), np.abs(node.log_r)
    weight, relative = _bell(node, shift), nodes.rounding_of_weights(node, shift)
    power, lost = _powers(s, node, shift)
    step, step_error = _step(pair, node, shift)
    far = power - (weight + s * step)
    apart = lost + np.abs(weight) * relative + size * (step_error + 6 * UNIT * np.abs(step))
    mid = (size * length <= 1) & (length <= 1)
    v = np.where(length <= 1, node.excess, 0)
    gentle = expm1(np.where(mid, s * node.log_r, 0)) - s * v
    skewed = 3 * node.log_r_error + node.excess_error + 72 * (length + np.minimum(np.abs(v), 2))
    close = np.abs(weight) * (size * UNIT * skewed)
    value = np.where(mid, weight * gentle, far)
    return value, np.where(mid, close + np.abs(value) * relative, apart)


def _step(pair: MixturePair, node: Nodes, shift: float) -> tuple[Complexes, Reals]:
    """weight * (r - 1), also where r overflows; and its error."""
    weight, relative = _bell(node, shift), nodes.rounding_of_weights(node, shift)
    moved = node.x - pair.mu
    shifted = node.weight * exp(-(moved**2) / 2 - shift)
    inexact = relative + UNIT * ((2 + node.slack) * (pair.mu + np.abs(moved)) ** 2)
    ordinary = node.xi.real <= 300
    v = np.where(ordinary, node.excess, 0)
    fine = np.abs(weight) * (UNIT * node.excess_error + np.abs(v) * relative)
    coarse = pair.q * (np.abs(shifted) * 2 * inexact + np.abs(weight) * relative)
    step = np.where(ordinary, weight * v, pair.q * (shifted - weight))
    return step, np.where(ordinary, fine, coarse)


def _add(terms: np.ndarray) -> np.ndarray:
    """The sum of each row by halves, so that its error grows with the logarithm of its length."""
    while terms.shape[1] > 1:
        half = terms.shape[1] // 2
        odd = terms[:, 2 * half :]
        terms = np.concatenate([terms[:, :half] + terms[:, half : 2 * half], odd], axis=1)
    return terms[:, 0] if terms.shape[1] else np.zeros(len(terms), dtype=terms.dtype)
