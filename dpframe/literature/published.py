"""Base classes of published algorithms, as printed and as coded."""

from __future__ import annotations

from typing import ClassVar

from dpframe.graph import Regression


class Printed(Regression):
    """Abstract: an algorithm as its paper prints it; the claim is for add/remove, unless the class
    says otherwise.
    """

    variant: ClassVar[str] = "printed"
    claimed_for: ClassVar[str] = "add/remove"


class Coded(Printed):
    """Abstract: an algorithm as its authors' code has it."""

    variant: ClassVar[str] = "coded"
