"""Names that a description gives: plain, and each of them once."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .functions import FUNCTIONS
from .keys import Part, shown

NAME = re.compile(r"[A-Za-z][A-Za-z_0-9]{0,39}\Z")
OWN = {
    "X": "the rows",
    "y": "the labels",
    "n": "the number of rows",
    "d": "the number of columns",
    "B": "the bound on the norm of a row",
    "Y": "the bound on a label",
    "box": "the bound on an entry",
    "epsilon": "of the claim",
    "delta": "of the claim",
    "rho": "of the claim",
    "mu": "of the claim",
    "order": "of the claim",
    "any": "every value",
    "other": "a statistic without a rule",
}
"""Names that every description shares."""


def fresh(part: Part, name: str, taken: Mapping[str, str]) -> None:
    """Refuse a name that is no plain one, or that means something else already. A release may be
    called like a function: no formula reads it. Raises InvalidArgument.
    """
    if not NAME.match(name):
        wanted = "named by a letter, then up to 39 letters, digits and underscores of plain ASCII"
        part.refuse(wanted, shown(name), "Such as gamma or T.")
    if name in OWN:
        part.refuse(f"named otherwise: {name} is {OWN[name]}", name, "Choose another name.")
    if name in FUNCTIONS and not part.path.startswith("release"):
        part.refuse("named otherwise: that is a function", name, "Choose another name.")
    if name in taken:
        part.refuse(f"named once: {name} stands in {taken[name]} already", name)
