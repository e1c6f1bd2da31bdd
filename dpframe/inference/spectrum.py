"""Eigenvalues and eigenvectors of X'X, estimated from X'X plus symmetric Gaussian noise.

Which directions of the coefficients a noisy X'X identifies.
"""

from __future__ import annotations

import math

import attrs
import numpy as np

from dpframe.numerics.edge import APART, least_visible

from .arrays import Array


@attrs.frozen(eq=False)
class Spectrum:
    """Positive eigenvalues (d,), and orthonormal vectors as columns (d, d)."""

    values: Array
    vectors: Array

    @property
    def matrix(self) -> Array:
        """The positive definite matrix that they make, (d, d)."""
        return np.asarray((self.vectors * self.values) @ self.vectors.T)


def spectrum(gram: Array, std: float, least: float) -> Spectrum:
    """Of a released gram (d, d) with noise of `std` on the diagonal and std/sqrt 2 off it: vectors
    as they are, values shrunken together, made nonnegative, and `least` stds at least.
    """
    values, vectors = np.linalg.eigh(gram)
    kept = nonnegative(increasing(shrunken(values, std)))
    return Spectrum(np.maximum(kept, least * std), vectors)


def shrunken(values: Array, std: float) -> Array:
    """Noisy eigenvalues (d,), moved towards each other: value_i - std^2 sum_j 1/(value_i -
    value_j), which minimises Stein's unbiased estimate of the squared Frobenius error up to the
    slopes of the corrections. Their sum stays. [Stein86; BunABP16]
    """
    tiny = np.finfo(float).eps * (np.abs(values).max(initial=0) + std)
    pushes = np.array([_push(values, i, tiny) for i in range(len(values))])
    return np.asarray(values - std**2 * pushes)


def noise_left(values: Array, std: float, hidden: float) -> Array:
    """The part of the noise on X'X that remains on a coefficient along each direction (d,) after
    eigenvalues were shrunken, from 0 to 1.

    Directions with eigenvalues nearer to each other than std sqrt(d/2) are not distinguished
    [BunABP16]: shrunken, X'X is a multiple of the identity among m of them, and is off by what
    their true eigenvalues vary, not by the noise. Its entries there have mean squares of about the
    variance of eigenvalues over m: that of the shrunken ones, and `hidden` std^2 that they do not
    show; between other directions they have the std^2/2 of the noise.
    """
    d = len(values)
    near = np.abs(values[:, None] - values) <= std * np.sqrt(d / 2)
    alike = near.sum(axis=1)
    middle = (near @ values) / alike
    spread = np.maximum((near @ values**2) / alike - middle**2, 0.0) / max(std**2, 1e-300)
    among = np.minimum(2 * (spread + hidden) / alike, 1.0)
    return np.asarray((d - alike + alike * among) / d)


def _push(values: Array, i: int, tiny: float) -> float:
    """The sum over j of 1/(value_i - value_j), no gap below `tiny`."""
    gaps = np.delete(values[i] - values, i)
    safe = np.where(np.abs(gaps) < tiny, np.copysign(tiny, gaps), gaps)
    return float(np.sum(1 / safe))


def increasing(values: Array) -> Array:
    """The nearest increasing sequence: neighbours out of order are averaged. [Stein86]"""
    from scipy.optimize import isotonic_regression

    return np.asarray(isotonic_regression(values).x)


def nonnegative(values: Array) -> Array:
    """The nearest nonnegative numbers of the same sum (d,); zeros where the sum is not positive."""
    total = float(np.sum(values))
    if not total > 0:
        return np.zeros_like(values)
    down = np.sort(values)[::-1]
    levels = (np.cumsum(down) - total) / np.arange(1, len(down) + 1)
    level = levels[np.nonzero(down > levels)[0][-1]]
    return np.asarray(np.maximum(values - level, 0.0))


@attrs.frozen(eq=False)
class Directions:
    """Eigenvectors of the released X'X: `vectors` (d, k) with eigenvalues `values` (k,) clear of
    the noise, and the `lost` others (d, d - k) with eigenvalues `below` (d - k,).
    """

    values: Array
    vectors: Array
    lost: Array
    below: Array

    @property
    def inverse(self) -> Array:
        """The inverse of X'X in identified directions, (d, d)."""
        return np.asarray((self.vectors / self.values) @ self.vectors.T)


@attrs.frozen(eq=False)
class Unidentified:
    """The directions that are not identified, columns of `lost` (d, d - k), along all of which
    together coefficients have at most the `length`, infinite where nothing bounds it; `declared`
    says that the bound is a public one, so that functions that overlap them are claimed too; if
    not, it is `times` the length that was assumed before a release. `refuted` says that released
    sums contradict the bound, so that nothing is claimed.
    """

    lost: Array
    length: float
    declared: bool
    refuted: bool = False
    times: float = 1.0

    @classmethod
    def of(
        cls,
        axes: Directions,
        largest: float,
        believed: float,
        constant: Array,
        supported: Array | None = None,
    ) -> Unidentified:
        """By a declared bound `largest` on all, or one on each: `believed` for columns that go from
        end to end, or what released sums support (d - k,), if that is more. Every row @ `constant`
        (d,) is 1, or it is zeros: a unit vector with the part c of its length along it changes over
        rows by sqrt(1 - c^2) of that at least, and by 1/sqrt 2.
        """
        if np.isfinite(largest):
            return cls(axes.lost, largest, declared=True)
        whole = max(float(np.linalg.norm(constant)), 1e-300)
        part = float(np.linalg.norm(constant @ axes.lost)) / whole
        each = believed / math.sqrt(max(1 - part**2, 0.5))
        alone = each * math.sqrt(max(axes.lost.shape[1], 1))
        if supported is None or not math.isfinite(alone):
            return cls(axes.lost, alone, declared=False)
        length = float(np.linalg.norm(np.maximum(supported, each)))
        return cls(axes.lost, length, declared=False, times=length / alone)

    @property
    def counted(self) -> float:
        """The length that noise is multiplied by, 0 where nothing is claimed."""
        return self.length if self.lost.size and np.isfinite(self.length) else 0.0

    def refuted_by(self, moment: Array, gram: Array, noise: Array) -> Unidentified:
        """The same, and whether X'y (d,) is longer along a direction than X'X (d, d) makes it from
        coefficients of at most the length, but for `noise` (d - k,).
        """
        if not self.counted:
            return self
        values = np.einsum("ai,ab,bi->i", self.lost, gram, self.lost)
        most = np.maximum(values, 0.0) * self.length + noise
        refuted = bool(np.any(np.abs(moment @ self.lost) > most))
        return attrs.evolve(self, length=np.inf, refuted=True) if refuted else self

    def overlaps(self, rows: Array) -> Array:
        """The part of the length of each row (m, d) along them, (m,) in [0, 1]."""
        lengths = np.linalg.norm(rows, axis=1)
        along = np.linalg.norm(rows @ self.lost, axis=1)
        return np.asarray(along / np.where(lengths > 0, lengths, 1))

    def off(self, rows: Array) -> Array:
        """How far row @ coefficients may lie along them, (m,); infinite for what is not claimed."""
        if not self.lost.size:
            return np.zeros(len(rows))
        if not np.isfinite(self.length):
            return np.full(len(rows), np.inf)
        moved = np.linalg.norm(rows @ self.lost, axis=1) * self.length
        return np.where(self.declared | (self.overlaps(rows) <= APART), moved, np.inf)


def directions(gram: Array, std: float) -> Directions:
    """Those with eigenvalues clear of the noise, and above rounding."""
    values, vectors = np.linalg.eigh(gram)
    rounding = len(gram) * np.finfo(float).eps * np.abs(values).max(initial=0)
    clear = values > max(least_visible(std, len(gram)), rounding)
    return Directions(values[clear], vectors[:, clear], vectors[:, ~clear], values[~clear])
