"""The functional mechanism with noise for each monomial by bounds that are told, as published."""

from __future__ import annotations

from typing import ClassVar

import attrs

from dpframe.privacy import Guarantee, PureDP, Share
from dpframe.symbols import RELEASED, Expression

from ..columns import Column
from ..node import Node, Reading
from ..procedure import Procedure
from ..rows import Rows


@attrs.frozen(eq=False)
class BoundedMonomials(Procedure):
    """y'y, X'y and the upper triangle of X'X, each with Laplace noise for an equal part of the
    share: of a product as its bounds allow, of the square of a column by `square_of`^2. Entries are
    told to lie in [lower, upper]; whether they do is for the rows to say. Kept to be audited; it
    is never certified. [Holohan19]
    """

    kind: ClassVar[str] = "bounded_monomials"
    gives: ClassVar[type[Guarantee]] = PureDP
    rows: Rows
    column: Column
    lower: Expression
    upper: Expression
    square_of: Expression
    share: Share
    name: str = ""
    after: tuple[Node, ...] = ()
    """What was released before, and moves rows and labels."""

    @property
    def inputs(self) -> tuple[Node, ...]:
        """X, y, and what moves them."""
        return (self.rows, self.column, *self.after)

    @property
    def summary(self) -> str:
        """`monomials, each with noise of its own`."""
        return "monomials, each with noise of its own"

    @property
    def own_readings(self) -> dict[str, Reading]:
        """The bounds."""
        return {
            "lower": Reading(self.lower, RELEASED),
            "upper": Reading(self.upper, RELEASED),
            "square_of": Reading(self.square_of, RELEASED),
        }
