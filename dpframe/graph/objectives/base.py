"""What an objective is: a convex loss phi(x'theta, y) of one record, and public facts about it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.privacy import REPLACE_ONE, Relation
from dpframe.symbols import PUBLIC, Expression, Scope, exact

from ..facts import Symbolic, facts_of, stated
from ..node import Node

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]
    Numbers = Callable[[Expression], float]  # the value of a public formula, rounded towards zero

ONE = exact(1)
IDENTITY, LOGIT = "identity", "logit"


@attrs.frozen
class Bounds:
    """What is known of every record, |x|_2 <= row and |y| <= label, and of the coefficients:
    |theta|_2 <= radius, None where nothing bounds them; and the weight of the record's loss.
    """

    row: Expression
    label: Expression
    radius: Expression | None = None
    weight: Expression = ONE

    @property
    def margin(self) -> Expression | None:
        """A bound on every |x'theta|."""
        return None if self.radius is None else self.row * self.radius


class Objective(Node):
    """Abstract: a loss phi(t, y) of the margin t = x'theta, convex and once continuously
    differentiable in t, so that l(theta) = phi(x'theta, y) has the gradient phi' x.
    Proof page: proofs/argmin.

    `link` is what x'theta stands for: "identity", the label itself; "logit", the log-odds of label
    1 against label -1. Estimators fit no loss that leaves it open.
    """

    __slots__ = ()
    scope: ClassVar[Scope] = PUBLIC
    link: ClassVar[str] = ""

    @property
    def inputs(self) -> tuple[Node, ...]:
        """It reads no data."""
        return ()

    def record(self) -> dict[str, object]:
        """Nothing but its kind."""
        return {}

    def slope(self, bounds: Bounds) -> Expression | None:
        """An upper bound on |phi'| within the bounds; None where there is none."""
        own = stated(self)
        return None if own is None else own.slope(bounds.margin, bounds.label)

    def curvature(self, bounds: Bounds) -> Expression | None:
        """An upper bound on phi'' (on the Lipschitz constant of phi'); None where there is none."""
        own = stated(self)
        return None if own is None else own.bend(bounds.label)

    @abstractmethod
    def at(self, margins: Array, labels: Array, number: Numbers) -> tuple[Array, Array, Array]:
        """phi, phi' and phi'' (where it jumps, one of its limits) of each record, shapes (m,), for
        finite margins and labels, shapes (m,). `number` gives its public formulas.
        """

    def slopes(self, margins: Array, labels: Array, number: Numbers) -> Array:
        """phi' of each record alone, shape (m,). A record's is the same to the last bit wherever it
        stands: sums of gradients on a grid are exact by that.
        """
        return self.at(margins, labels, number)[1]

    def added(self, bounds: Bounds, penalty: Expression) -> Expression | None:
        """How far one more record moves the minimiser of a weighted sum of such losses and
        penalty/2 |theta|^2. None where there is no bound.
        """
        return self._moves(bounds, penalty, None)[0]

    def replaced(self, bounds: Bounds, penalty: Expression) -> Expression | None:
        """How far another record in the place of one moves it."""
        return self._moves(bounds, penalty, REPLACE_ONE)[1]

    def _moves(
        self, bounds: Bounds, penalty: Expression, relation: Relation | None
    ) -> tuple[Expression | None, Expression | None]:
        from dpframe.theory.estimates import moves_of

        at: Any = Symbolic(None, relation)
        known: Any = (bounds.row, bounds.label, bounds.radius)
        weight: Any = None if bounds.weight == ONE else bounds.weight
        size: Any = penalty
        found: Any = moves_of(at, facts_of(self), known, size, weight)
        return found  # type: ignore[no-any-return]
