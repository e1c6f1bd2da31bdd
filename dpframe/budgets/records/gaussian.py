"""What a Gaussian release of a sum costs each record that is in it, rounded up in doubles."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from dpframe.errors import InvalidArgument
from dpframe.numerics import next_down, to_float
from dpframe.privacy import GaussianDP, ZeroConcentratedDP
from dpframe.symbols import rational

from ..filters.prices import Kind
from .amounts import array_of
from .quantum import Doubles

UP = 1 + 2.0**-50  # over four roundings, and the reading as a decimal
TINY = 2.0**-1070  # over what underflow loses


def gaussian_cost(norms: object, std: object, *, kind: Kind) -> Doubles:
    """At least |g_i|^2/std^2 (dp.GaussianDP: mu squared), or half of it (dp.ZeroConcentratedDP:
    rho), for the noise N(0, std^2) in every coordinate of a sum of g_i.

    `norms` of shape (n,) are at least the 2-norms of what each record contributes (`row_norms`).
    `std` > 0 is public: it depends on earlier releases only. A cost beyond doubles is inf, 0 where
    the norm is 0. Rounding up adds less than 1e-14 of it: costs that fill a budget on paper
    exceed it. Raises InvalidArgument, which says nothing of the norms. [BunS16, Prop 1.6]
    [DongRS22, Thm 2.7]
    """
    if kind is not GaussianDP and kind is not ZeroConcentratedDP:
        raise InvalidArgument("kind", "dp.GaussianDP or dp.ZeroConcentratedDP", kind)
    lengths = _doubles(array_of("norm", norms, None, private=True))
    with np.errstate(over="ignore", under="ignore"):
        mu = lengths / _below(std)
        cost = mu * mu * UP + TINY
        return np.where(lengths > 0, cost if kind is GaussianDP else cost / 2 + TINY, 0.0)


def row_norms(rows: object) -> Doubles:
    """At least the 2-norm of each row of `rows`, shape (n, d) -> (n,).

    Raises InvalidArgument for another shape and for nan, and says nothing of the entries.
    """
    given = np.asarray(rows)
    if given.ndim != 2 or 0 in given.shape or given.dtype.kind not in "iuf":
        raise InvalidArgument("rows", "numbers of shape (n, d)", "another shape or type")
    sizes = np.abs(given.astype(np.float64))
    if np.isnan(sizes).any():
        raise InvalidArgument("rows", "without nan", "an array with nan", "Drop or fill those.")
    largest = sizes.max(axis=1, keepdims=True)
    scaled = np.divide(
        sizes, largest, out=np.zeros_like(sizes), where=np.isfinite(largest) & (largest > 0)
    )
    # in units of the last place: 3 + d in the sum of squares, and its root, product and halves
    slack = 1 + (given.shape[1] + 10) * 2.0**-52
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        norms = np.sqrt((scaled * scaled).sum(axis=1)) * largest[:, 0] * slack
    return np.where(np.isfinite(largest[:, 0]), norms, np.inf) + np.where(norms > 0, TINY, 0.0)


def _below(std: object) -> float:
    """A double below `std`, read as its shortest decimal or as the double that it is."""
    found = Fraction(0) if isinstance(std, str) else rational(std, "std")
    low = next_down(to_float(found, up=False))
    if low <= 0:
        raise InvalidArgument("std", "a number above 0", std)
    return low


def _doubles(values: Any) -> Doubles:
    """Object arrays of Fractions as doubles, rounded up."""
    if values.dtype == object:
        return np.array([to_float(each, up=True) for each in values])
    return np.asarray(values, dtype=np.float64)
