"""Noise in whole numbers as `sample` draws it: 64-bit integers, in a shape."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from dpframe.errors import InvalidArgument
from dpframe.numbers import as_fraction
from dpframe.randomness import Bits, as_bits

from .base import Array, Shape, mirrored

_LEAST, _MOST = Fraction(1, 2**400), Fraction(2**50)


def whole_noise(
    law: Callable[[Bits, Fraction, int], Array],
    name: str,
    value: object,
    shape: Shape,
    rng: object,
    *,
    symmetric: bool,
) -> Array:
    """Independent draws of `law` in `shape`; a symmetric matrix mirrors its upper triangle. The
    size `value` is from 2^-400 to 2^50, beyond which draws may exceed 64 bits.
    """
    size = as_fraction(name, value)
    if not _LEAST <= size <= _MOST:
        raise InvalidArgument(name, "from 2^-400 to 2^50", value, "Draws are 64-bit integers.")
    draws = law(as_bits(rng), size, math.prod(shape)).astype(np.int64)
    return mirrored(draws.reshape(shape), symmetric=symmetric)
