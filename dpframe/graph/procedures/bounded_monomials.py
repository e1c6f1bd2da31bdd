"""The functional mechanism with noise for each monomial by bounds that are told, as published."""

from __future__ import annotations

from typing import ClassVar

import attrs

from dpframe.privacy import Guarantee, PureDP, Share
from dpframe.symbols import Expression

from ..columns import Column
from ..node import Node, reads
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
    summary: ClassVar[str] = "monomials, each with noise of its own"
    gives: ClassVar[type[Guarantee]] = PureDP
    rows: Rows
    column: Column
    lower: Expression = attrs.field(metadata=reads())
    upper: Expression = attrs.field(metadata=reads())
    square_of: Expression = attrs.field(metadata=reads())
    share: Share
    name: str = ""
    after: tuple[Node, ...] = ()
    """What was released before, and moves rows and labels."""
