# ruff: noqa: F401 - names that tests of the kernel read
"""The kernel on documents without a proof of their own: a proof is searched for first."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpframe import kernel
from dpframe.exact import ring as exact_ring
from dpframe.exact import signs as exact_signs
from dpframe.exact.documents import (
    Refused,
    Unbounded,
    Unusable,
    content_of,
    domain,
    plain,
    read,
)
from dpframe.exact.formula import Enclosure
from dpframe.exact.interval import Interval, cos_sin_units, within
from dpframe.exact.profile import ContourLine, Draws, composed, least_std, mills, profile
from dpframe.kernel import checker as kernel_checker
from dpframe.kernel.__main__ import main
from dpframe.kernel.checker import hash_of
from dpframe.prover.certify import certify
from dpframe.prover.witnesses import SearchedSteps, _line, exactly, proved, some
from dpframe.theory import DERIVATIONS, KINDS, THEOREMS
from dpframe.theory.gaussian import PARTS, joint
from dpframe.theory.guarantees import ADD_REMOVE, RELATIONS, REPLACE_ONE
from dpframe.theory.personal import derive
from dpframe.theory.procedures import moves_of

line = _line


def cos_sin(x: Fraction, bits: int) -> tuple[Interval, Interval]:
    """cos(x) and sin(x), |x| < 2^40, in intervals of an absolute width of 2^(2 - bits)."""
    scale = bits + 64
    cosine, sine, error = cos_sin_units(x, scale)
    ends = [(n - error, n + error, scale, bits) for n in (cosine, sine)]
    return within(*ends[0]), within(*ends[1])


def Ring() -> exact_ring.Ring:  # noqa: N802 - like the class
    """A ring that searches for the steps it needs."""
    return exact_ring.Ring(SearchedSteps())


def Checker() -> kernel_checker.Checker:  # noqa: N802 - like the class
    """A checker that does."""
    return kernel_checker.Checker(Ring())


def file_of(certificate: Any) -> Any:
    """The document of a certificate, as it is read from a file."""
    return json.loads(json.dumps(certificate.document))


def sealed(document: Any) -> Any:
    """The document with its hash made right."""
    parts = (document[key] for key in ("statement", "graph", "assumptions"))
    return {**document, "hash": hash_of(*parts)}


def bent(document: Any, kind: str, /, **changes: Any) -> Any:
    """A copy whose nodes of this kind are changed, and whose hash is made right."""
    found = copy.deepcopy(document)
    for node in found["graph"]["nodes"]:
        if node["kind"] == kind:
            node.update(changes)
    return sealed(found)


def check(document: Any, expect: str | None = None, **limits: Any) -> kernel.Verdict:
    """The kernel's verdict on a document with the proof that the prover finds for it."""
    if isinstance(document, Mapping) and "proof" in document:
        return kernel.check(proved(document), expect, **limits)
    return kernel.check(document, expect, **limits)


def document(declared: Any, target: Any, setting: Any) -> Any:
    """The certificate of a regression as it is saved."""
    return file_of(certify(declared, target=target, setting=setting))
