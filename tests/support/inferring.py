"""Inference by the fields of its specification."""

from __future__ import annotations

from typing import Any

from dpframe.inference.evidence import Evidence
from dpframe.inference.inference import Specification
from dpframe.inference.inference import infer as specified
from dpframe.inference.result import Inference


def infer(evidence: Evidence, **fields: Any) -> Inference:
    """As specified by these fields."""
    return specified(evidence, Specification(**fields))
