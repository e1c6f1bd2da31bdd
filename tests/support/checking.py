# ruff: noqa: F401 - names that tests of the kernel read
"""The kernel on documents without a proof of their own: a proof is searched for first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpframe import kernel
from dpframe.exact.contour import composed
from dpframe.exact.documents import domain, plain, read
from dpframe.exact.enclosure import Enclosure, exactly
from dpframe.exact.interval import transcendental
from dpframe.exact.limits import Refused, Unbounded, Unusable
from dpframe.exact.profile import least_std, mills, profile
from dpframe.exact.ring import Ring
from dpframe.kernel.__main__ import main
from dpframe.kernel.checker import Checker, hash_of
from dpframe.kernel.reading import content_of
from dpframe.prover.witnesses import Searched, _line, proved, some
from dpframe.theory import DERIVATIONS, KINDS, THEOREMS
from dpframe.theory.calibrations import bounds_of
from dpframe.theory.estimates import moves_of
from dpframe.theory.joint import PARTS, joint
from dpframe.theory.relations import ADD_REMOVE, RELATIONS, REPLACE_ONE

line = _line


def check(document: Any, expect: str | None = None) -> kernel.Verdict:
    """The kernel's verdict on a document with the proof that the prover finds for it."""
    if isinstance(document, Mapping) and "proof" in document:
        return kernel.check(proved(document), expect)
    return kernel.check(document, expect)
