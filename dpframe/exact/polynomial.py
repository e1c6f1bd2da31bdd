"""Polynomials in Bernstein form, as flat tensors of integers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from operator import mul

from .limits import ZERO


def place(exponents: Sequence[int], shape: Sequence[int]) -> int:
    """The position of an entry of a tensor that is stored flat, last axis fastest."""
    position = 0
    for e, n in zip(exponents, shape, strict=True):
        position = position * n + e
    return position


def along(
    flat: list[int], shape: list[int], axis: int, matrix: Sequence[Sequence[int]]
) -> list[int]:
    """The tensor with a matrix applied along one axis."""
    step = math.prod(shape[axis + 1 :])
    found: list[int] = []
    for start in range(0, len(flat), shape[axis] * step):
        lines = [flat[start + k * step : start + (k + 1) * step] for k in range(shape[axis])]
        for weights in matrix:
            found += [sum(map(mul, weights, entries)) for entries in zip(*lines, strict=True)]
    return found


@lru_cache(maxsize=4096)
def to_bernstein(
    n: int, lower: Fraction | None, upper: Fraction | None
) -> tuple[tuple[int, ...], ...] | None:
    """A positive multiple of the map from coefficients of p to Bernstein coefficients on a range.

    On [l, u]: x = l + (u - l) t. On [l, inf): x = l + t/(1 - t), p times (1 - t)^n; alike at -inf.
    """
    if lower is None and upper is None:
        return None
    start, side = (lower, 1) if lower is not None else (upper or ZERO, -1)
    width = upper - lower if lower is not None and upper is not None else None
    rows = []
    for k in range(n + 1):
        row = []
        for i in range(n + 1):  # x^i = sum_j C(i, j) start^(i-j) (width t)^j
            if width is None:
                entry = math.comb(i, k) * start ** (i - k) * side**k if k <= i else ZERO
                row.append(Fraction(entry) / math.comb(n, k))
                continue
            terms = (
                math.comb(i, j) * start ** (i - j) * width**j * math.comb(k, j) / math.comb(n, j)
                for j in range(min(i, k) + 1)
            )
            row.append(sum(terms, ZERO))
        rows.append(row)
    scale = math.lcm(*(c.denominator for row in rows for c in row))
    return tuple(tuple(int(c * scale) for c in row) for row in rows)


@lru_cache(maxsize=256)
def halves(n: int) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
    """2^n times the maps to Bernstein coefficients on the lower and upper half. [de Casteljau]"""
    low = tuple(tuple(math.comb(k, i) * 2 ** (n - k) for i in range(n + 1)) for k in range(n + 1))
    return low, tuple(row[::-1] for row in low[::-1])


def inside_faces(flat: list[int], shape: list[int], ends: Sequence[tuple[bool, bool]]) -> bool:
    """Whether each least face that belongs to the box has a coefficient that is not 0."""
    choices = []
    for n, (left, right) in zip(shape, ends, strict=True):
        fixed = [range(1)] * left + [range(n - 1, n)] * right
        choices.append(fixed or [range(n)])
    return all(any(flat[place(at, shape)] for at in product(*face)) for face in product(*choices))
