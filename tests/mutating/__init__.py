"""Mutants of declarations: edits of graphs, which must be refused where they break the claim."""

from tests.mutating.bases import EXAMPLES

from .bases import Base, bases
from .campaign import Mutants, around, mutants, together
from .judged import Judged, Outcome
from .mending import Mended, mended
from .mutant import Mutant
from .operators import BENIGN, BREAKING, OPERATORS
from .subject import Change, Operator, Subject

__all__ = [
    "BENIGN",
    "BREAKING",
    "EXAMPLES",
    "OPERATORS",
    "Base",
    "Change",
    "Judged",
    "Mended",
    "Mutant",
    "Mutants",
    "Operator",
    "Outcome",
    "Subject",
    "around",
    "bases",
    "mended",
    "mutants",
    "together",
]
