"""What a regression minimises: convex losses phi(x'theta, y) of one record, and public facts about
them.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import attrs

from dpframe.privacy import REPLACE_ONE, Relation
from dpframe.symbols import PUBLIC, Expression, Scope, exact

from .arrays import Array, Numbers, np
from .facts import Symbolic, facts_of, stated
from .node import Node, positive, reads

__all__ = ["IDENTITY", "LOGIT", "Bounds", "Huber", "Logistic", "Objective", "Squared"]

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


@attrs.frozen(cache_hash=True)
class Squared(Objective):
    """phi(t, y) = (t - y)^2/2. Its slope is bounded where the coefficients are: without a radius,
    one record moves the minimiser of a long table by any amount. Proof page: proofs/argmin.
    """

    kind: ClassVar[str] = "squared"
    label: ClassVar[str] = "squared loss"
    link: ClassVar[str] = IDENTITY

    def at(self, margins: Array, labels: Array, number: Numbers) -> tuple[Array, Array, Array]:
        """Half the squared residual, the residual, 1."""
        del number
        residuals = margins - labels
        return residuals * residuals / 2, residuals, residuals * 0 + 1


def _knee(value: object) -> Expression:
    return positive(value, "knee")


@attrs.frozen(cache_hash=True)
class Huber(Objective):
    """phi(t, y) = r^2/2 for residuals r = t - y of at most the knee k, a public positive formula,
    and k |r| - k^2/2 beyond: its slope is bounded wherever the coefficients are. [Huber64]
    Proof page: proofs/argmin.
    """

    kind: ClassVar[str] = "huber"
    label: ClassVar[str] = "Huber loss"
    link: ClassVar[str] = IDENTITY
    knee: Expression = attrs.field(converter=_knee, metadata=reads(positive=True))

    def at(self, margins: Array, labels: Array, number: Numbers) -> tuple[Array, Array, Array]:
        """The slope is the residual, clipped to [-k, k]."""
        residuals, knee = margins - labels, number(self.knee)
        slopes = np.clip(residuals, -knee, knee)
        return slopes * (residuals - slopes / 2), slopes, (abs(residuals) <= knee) * 1.0


@attrs.frozen(cache_hash=True)
class Logistic(Objective):
    """phi(t, y) = log(1 + exp(-y t)), for classes y = -1 and y = 1; other labels in [-Y, Y] count
    as classes whose margins are |y| times as large. Proof page: proofs/argmin.
    """

    kind: ClassVar[str] = "logistic"
    label: ClassVar[str] = "logistic loss"
    link: ClassVar[str] = LOGIT

    def at(self, margins: Array, labels: Array, number: Numbers) -> tuple[Array, Array, Array]:
        """Each without overflow."""
        from dpframe.numerics.blocks.elementwise import decay

        slopes = self.slopes(margins, labels, number)
        with np.errstate(over="ignore"):
            margin = labels * margins
        small = decay(np.abs(margin))
        loss = np.log1p(small) + np.maximum(-margin, 0.0)
        return loss, slopes, labels * labels * small / (1 + small) ** 2

    def slopes(self, margins: Array, labels: Array, number: Numbers) -> Array:
        """-y/(1 + e^(y t)), by e^-|y t|: the same bits for a record wherever it stands."""
        from dpframe.numerics.blocks.elementwise import decay

        del number
        with np.errstate(over="ignore"):
            margin = labels * margins
        small = decay(np.abs(margin))
        return -labels * (np.where(margin >= 0, small, 1.0) / (1.0 + small))
