"""The profile of the pair of posteriors in `dpframe.numerics.pairs`, vectorised and
rounded up.

P = N(0, 1) against Q = N(sqrt(gamma m) r / (1 + m), 1 / (1 + m)); at most four tails, and e^epsilon
never appears: at the ends of the event e^epsilon q = p.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from scipy.special import erfc, erfcx

from dpframe.numerics.fast.arguments import Numbers, at_least_zero, blockwise
from dpframe.numerics.fast.roots import Reals

_Tails: TypeAlias = tuple[Reals, Reals]
_MARGIN = 16 * 2.0**-53  # of a tail, and of what its argument was made of; worst error measured: 9
_LARGE = 1e100  # beyond, b is not worth telling from infinity, nor is epsilon
_ROOT_HALF = math.sqrt(0.5)


def posterior_pair(
    epsilon: Numbers, gamma: Numbers, leverage: Numbers, residual: Numbers
) -> float | Reals:
    """The larger of the two directions (the forward one), rounded up; every argument >= 0.

    Up by 16 units of 2^-53 of the two tails of P, times 1 + x^2 at their arguments x: where they
    nearly cancel against those of Q, that is more than 16 units of the answer. 0 at leverage 0.
    """
    arguments = {
        "epsilon": at_least_zero("epsilon", epsilon, up=False),
        "gamma": at_least_zero("gamma", gamma, up=True),
        "leverage": at_least_zero("leverage", leverage, up=True),
        "residual": at_least_zero("residual", residual, up=True),
    }
    return blockwise(_forward, arguments)


def _forward(epsilon: Reals, gamma: Reals, leverage: Reals, residual: Reals) -> Reals:
    m = np.maximum(leverage, np.finfo(float).tiny)
    b = np.sqrt(gamma) * residual
    near, far = _tails(np.minimum(epsilon, _LARGE), np.minimum(b, _LARGE), m)
    value, slack = (one + other for one, other in zip(near, far, strict=True))
    raised = np.minimum(value + _MARGIN * slack, 1.0)
    raised = np.where((b < _LARGE) & np.isfinite(raised), raised, 1.0)
    return np.where(leverage == 0, 0.0, np.maximum(raised, np.finfo(float).tiny))


def _tails(epsilon: Reals, b: Reals, m: Reals) -> tuple[_Tails, _Tails]:
    """P(u - b < -w) and P(u - b > w), each less e^epsilon times that of Q; and their slack.

    w - b and k w - b / k from the differences of their squares, in which b cancels.
    """
    k, root = np.sqrt(1 + m), np.sqrt(m)
    added, shared = np.log1p(m) + 2 * epsilon, np.square(b / k) * m
    w = np.sqrt(np.square(b / k) + added)
    apart, size = (w + b) * root, (added + shared) / root
    y = (shared + k * k * added) / (k * w + b / k) / root
    near = _tail((added - shared) / apart, y, size / (w + b), k)
    return near, _tail((w + b) / root, (k * w + b / k) / root, (w + b) / root, k)


def _tail(x: Reals, y: Reals, size: Reals, k: Reals) -> _Tails:
    """A tail from x under P, from y under Q; `size` is that of the numbers x was made of."""
    tail = erfc(x * _ROOT_HALF) / 2
    lost = np.exp(-x * x / 2) * erfcx(y * _ROOT_HALF) / (2 * k)
    return tail - lost, tail * (1 + np.abs(x) * size)
