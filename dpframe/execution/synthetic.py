"""Tables that are made up, inside the public bounds of a setting; they hold nothing of anyone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpframe.graph import Categorical, Numeric
from dpframe.prover.at_numbers import AtNumbers
from dpframe.sources import Source, open_source

Array = NDArray[Any]


def synthetic(run: AtNumbers, n: int, d: int, seed: int, *, blank: bool = False) -> Source:
    """n rows of d columns that fill their bounds, and labels that follow from them in part; rows
    and labels in the middle of their bounds, where `blank`.
    """
    rng = np.random.default_rng(seed)
    scores = np.zeros((n, d)) if blank else rng.uniform(-1, 1, (n, d))
    signal = np.tanh(scores.sum(axis=1) + 0.0 if blank else scores.sum(axis=1) + rng.normal(size=n))
    setting = run.setting
    X = _rows(run, scores) if setting.X.columns is None else _coded(setting.X.columns, scores)
    y = None if setting.y is None else _labels(run, signal)
    return open_source(setting, X, y, drop=False)


def _rows(run: AtNumbers, scores: Array) -> Array:
    """Of a ball or a box."""
    ball, box = run.setting.X.norm, run.setting.X.box
    if box is not None:
        boxed: Array = scores * run.number(box, up=False)
        return boxed
    lengths = np.sqrt(np.maximum(np.sum(scores * scores, axis=1, keepdims=True), 1e-300))
    found: Array = scores / lengths * (1.0 if ball is None else run.number(ball, up=False))
    return found


def _coded(parts: tuple[Numeric | Categorical, ...], scores: Array) -> Array:
    """Of a codebook: numbers between their ends, and levels."""
    columns: list[Any] = []
    for part, score in zip(parts, scores.T, strict=True):
        if isinstance(part, Numeric):
            low, high = float(part.lower), float(part.upper)
            columns.append(low + (high - low) * (score + 1) / 2)
        else:
            places = np.minimum((score + 1) / 2 * len(part.levels), len(part.levels) - 1)
            columns.append([part.levels[int(place)] for place in places])
    mixed = any(isinstance(part, Categorical) for part in parts)
    found = np.empty(scores.shape, dtype=object if mixed else float)
    for j, column in enumerate(columns):
        found[:, j] = column
    return found


def _labels(run: AtNumbers, signal: Array) -> Array:
    column = run.setting.y
    if column is None:
        return signal
    if column.bound is not None:
        return signal * run.number(column.bound, up=False)
    if column.levels is not None:
        found = np.empty(len(signal), dtype=object)
        found[:] = [column.levels[int(one > 0)] for one in signal]
        return found
    low, high = float(column.lower or 0), float(column.upper or 0)
    return low + (high - low) * (signal + 1) / 2
