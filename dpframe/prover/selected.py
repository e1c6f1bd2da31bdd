"""Selections that break their share: two candidates, of which one is behind and rises by the range
of the move. (docs/proofs/selection.md)
"""

from __future__ import annotations

from functools import partial
from typing import Any

from dpframe.graph import Release
from dpframe.privacy import Share
from dpframe.symbols import RELEASED

from .problem import Witness
from .sign import counterexample

Ball = Any


def selection_witness(release: Release, share: Share) -> Witness | None:
    """Numbers at which a selection breaks its share of epsilon and delta, where some pair attains
    the range; None where none is found.
    """
    moved = release.moved
    if moved is None or not moved.attained or release.sampled is not None:
        return None
    loss = release.guarantee(moved.value).amounts[0]
    if RELEASED in loss.scope:
        return None
    mechanism: Any = release.mechanism
    formulas = (loss, share.epsilon, share.delta, moved.value)
    return counterexample(formulas, partial(_lost, mechanism.two))


def _lost(two: Any, loss: Ball, claimed: Ball, delta: Ball, shift: Ball) -> str | None:
    """Where the loss passes epsilon: in the limit of a candidate far behind, which delta does not
    cover; or with a delta, by the two laws.
    """
    if not (loss.is_finite() and claimed.is_finite() and loss > claimed):
        return None
    moved = f"the difference of two scores changes by {float(shift.mid()):.6g}: "
    if delta == 0:
        found = f"{float(loss.mid()):.6g} > {float(claimed.mid()):.6g}"
        return f"{moved}the privacy loss of an index far below the best tends to {found}"
    true = two(loss, claimed)
    if true is None or not true > delta:
        return None
    return f"{moved}delta >= {float(true.mid()):.4g} > {float(delta.mid()):.4g} at its epsilon"
