"""Generalised least squares of all moments, less the bias that the noise of X'X makes."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from .moments import Model, Stack

Array = NDArray[Any]


@attrs.frozen(eq=False)
class Step:
    """Where the iteration goes from theta, (k,), and the covariance (k, k) of what it finds, with
    its `private` part.
    """

    move: Array
    covariance: Array
    private: Array


def step(stack: Stack, model: Model) -> Step:
    """To the mean of what the moments say, weighted by the inverse of their covariance here."""
    m, k = model.apart.shape
    inverse = np.linalg.inv(model.privacy + model.sample)
    rows = inverse.reshape(m, k, m * k).sum(axis=0)
    information = rows.reshape(k, m, k).sum(axis=1)
    weights = np.linalg.solve((information + information.T) / 2, rows)
    pull = weights / stack.values[:, None]
    covariance = pull @ (model.privacy + model.sample) @ pull.T
    move = pull @ model.left.ravel() - bias(stack, model, pull)
    return Step(move, covariance, pull @ model.privacy @ pull.T)


def bias(stack: Stack, model: Model, pull: Array) -> Array:
    """How far the noise N of X'X moves the middle of an estimate, (k,), to second order: it is off
    by (X'X)^-1 N R_j N d_j, summed over j, where `pull` (k, m k) holds R_j.

    E N R N is gram_std^2/2 (tr R I + R'). The part of one direction alone is that of a ratio, whose
    mean moves and whose median does not: it comes off twice, in tr R I - R'. Each direction that
    is lost turns an identified one and lengthens its eigenvalue, which shrinks by -2 R_j d_j.
    """
    m, k = model.apart.shape
    parts = pull.reshape(k, m, k)
    traces = np.einsum("aja->j", parts)
    twice = traces @ model.apart - np.einsum("bja,jb->a", parts, model.apart)
    twice -= 2 * stack.lost * np.einsum("ajb,jb->a", parts, model.apart)
    found: Array = stack.gram_std**2 / 2 * twice / stack.values
    return found
