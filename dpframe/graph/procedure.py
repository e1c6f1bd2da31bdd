"""Procedures: releases whose guarantee is a theorem of their own rather than that of noise added to
a statistic. Also the convex losses phi(x'theta, y) that regressions minimise, with public bounds on
their derivatives.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Protocol

import attrs

from dpframe.errors import InvalidArgument
from dpframe.identity import kind_of
from dpframe.mechanisms.base import restated
from dpframe.privacy import REPLACE_ONE, ApproxDP, Guarantee, Relation, Share
from dpframe.symbols import ONE, PUBLIC, RELEASED, Expression, Scope, exact, exp
from dpframe.theory.book import KINDS

from .facts import SymbolicContext, facts_of, stated
from .node import (
    Array,
    Node,
    Numbers,
    Reading,
    amounts_of,
    noted,
    np,
    positive,
    reads,
    share_readings,
    written,
)

IDENTITY, LOGIT = "identity", "logit"


@attrs.frozen
class Bounds:
    """Public bounds: |x|_2 <= row and |y| <= label for every record, |theta|_2 <= radius for the
    coefficients (None: unbounded), and the weight of the record's loss.
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
    differentiable in t, so that l(theta) = phi(x'theta, y) has the gradient phi' x. Proof page:
    proofs/argmin.

    `link` states what x'theta models: "identity", the label itself; "logit", the log-odds of label
    1 against label -1. Estimators refuse a loss without a link.
    """

    __slots__ = ()
    scope: ClassVar[Scope] = PUBLIC
    link: ClassVar[str] = ""

    def slope(self, bounds: Bounds) -> Expression | None:
        """An upper bound on |phi'| within the bounds; None if there is none."""
        own = stated(self)
        return None if own is None else own.slope(bounds.margin, bounds.label)

    def curvature(self, bounds: Bounds) -> Expression | None:
        """An upper bound on phi'' (the Lipschitz constant of phi'); None if there is none."""
        own = stated(self)
        return None if own is None else own.bend(bounds.label)

    @abstractmethod
    def at(self, margins: Array, labels: Array, number: Numbers) -> tuple[Array, Array, Array]:
        """phi, phi' and phi'' (at a jump, one of its limits) of each record, shapes (m,), for
        finite margins and labels, shapes (m,). `number` evaluates public formulas.
        """

    def slopes(self, margins: Array, labels: Array, number: Numbers) -> Array:
        """phi' of each record, shape (m,). It must not depend on the record's position in the
        block, to the last bit: exact sums of gradients on a grid rely on it.
        """
        return self.at(margins, labels, number)[1]

    def curvatures(self, margins: Array, labels: Array, number: Numbers) -> Array:
        """phi'' of each record, shape (m,), with the same bits at every position, as `slopes`."""
        return self.at(margins, labels, number)[2]

    def added(self, bounds: Bounds, penalty: Expression) -> Expression | None:
        """A bound on the distance between minimisers of a weighted sum of such losses and penalty/2
        |theta|^2 when a record is added; None if there is none.
        """
        return self._moves(bounds, penalty, None)[0]

    def replaced(self, bounds: Bounds, penalty: Expression) -> Expression | None:
        """The same when a record is replaced."""
        return self._moves(bounds, penalty, REPLACE_ONE)[1]

    def _moves(
        self, bounds: Bounds, penalty: Expression, relation: Relation | None
    ) -> tuple[Expression | None, Expression | None]:
        from dpframe.theory.procedures import moves_of

        at: Any = SymbolicContext(None, relation)
        known: Any = (bounds.row, bounds.label, bounds.radius)
        weight: Any = None if bounds.weight == ONE else bounds.weight
        size: Any = penalty
        moves: Any = moves_of(at, facts_of(self), known, size, weight)
        return moves  # type: ignore[no-any-return]


@attrs.frozen(cache_hash=True)
class Squared(Objective):
    """phi(t, y) = (t - y)^2/2. Its slope is bounded only if the coefficients are: without a radius,
    one record can move the minimiser by any amount. Proof page: proofs/argmin.
    """

    kind: ClassVar[str] = "squared"
    label: ClassVar[str] = "squared loss"
    link: ClassVar[str] = IDENTITY

    def at(self, margins: Array, labels: Array, number: Numbers) -> tuple[Array, Array, Array]:
        """Half the squared residual, the residual, 1."""
        residuals = margins - labels
        return residuals * residuals / 2, residuals, residuals * 0 + 1


def _knee(value: object) -> Expression:
    return positive(value, "knee")


@attrs.frozen(cache_hash=True)
class Huber(Objective):
    """phi(t, y) = r^2/2 for residuals r = t - y of size at most the knee k, a public positive
    formula, and k |r| - k^2/2 beyond. Its slope is bounded for all coefficients. [Huber64] Proof
    page: proofs/argmin.
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
    """phi(t, y) = log(1 + exp(-y t)), for classes y = -1 and y = 1. A label in [-Y, Y] counts as
    the class of its sign, with the margin multiplied by |y|. Proof page: proofs/argmin.
    """

    kind: ClassVar[str] = "logistic"
    label: ClassVar[str] = "logistic loss"
    link: ClassVar[str] = LOGIT

    def at(self, margins: Array, labels: Array, number: Numbers) -> tuple[Array, Array, Array]:
        """The three values, computed without overflow."""
        from dpframe.numerics.blocks.elementwise import decay

        with np.errstate(over="ignore"):
            margin = labels * margins
        loss = np.log1p(decay(np.abs(margin))) + np.maximum(-margin, 0.0)
        slopes = self.slopes(margins, labels, number)
        return loss, slopes, self.curvatures(margins, labels, number)

    def slopes(self, margins: Array, labels: Array, number: Numbers) -> Array:
        """-y/(1 + e^(y t)), by e^-|y t|: bit for bit independent of the record's position."""
        from dpframe.numerics.blocks.elementwise import decay

        with np.errstate(over="ignore"):
            margin = labels * margins
        small = decay(np.abs(margin))
        return -labels * (np.where(margin >= 0, small, 1.0) / (1.0 + small))

    def curvatures(self, margins: Array, labels: Array, number: Numbers) -> Array:
        """y^2 e^(y t)/(1 + e^(y t))^2, by e^-|y t|."""
        from dpframe.numerics.blocks.elementwise import decay

        with np.errstate(over="ignore"):
            small = decay(np.abs(labels * margins))
        return np.asarray(labels * labels * small / (1 + small) ** 2)


class Rounded(Protocol):
    """Evaluates public formulas, rounded in a stated direction."""

    def up(self, formula: Expression) -> float:
        """At least the true value."""

    def down(self, formula: Expression) -> float:
        """At most the true value."""


class Random(Protocol):
    """Sources of randomness: a numpy generator, and fair bits."""

    @property
    def generator(self) -> Any:
        """For noise in doubles."""

    @property
    def bits(self) -> Any:
        """For exact noise."""


class Procedure(Node):
    """Abstract: a release whose guarantee is a theorem about the procedure. It reads statistics,
    spends its share, and its output is released. Compares by identity.

    An executable procedure is a `Sampler`, a `Searcher`, or a class known to `dpframe.execution`.
    Its theorem is the entry of its kind in `dpframe.theory`, which reads `parameters`.
    """

    __slots__ = ()
    scope: ClassVar[Scope] = RELEASED
    gives: ClassVar[type[Guarantee]] = ApproxDP
    times: ClassVar[Expression] = ONE
    divided: ClassVar[Scope] = PUBLIC
    """What its share may depend on: on each record's budget where its rule holds record by record.
    """
    exact: ClassVar[bool] = False
    """Whether what it releases is computed exactly. Holds for the class that says it."""
    share: Share
    name: str

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Exactness is not inherited: each class states its own."""
        super().__init_subclass__(**kwargs)
        restated(cls, Procedure, "exact")

    def __attrs_post_init__(self) -> None:
        """Register the release with the declaration, whose output must depend on it."""
        noted(self)

    @property
    def within(self) -> tuple[Node, ...]:
        """Nodes that are parts of it, and not of the surrounding graph."""
        return ()

    @property
    @abstractmethod
    def summary(self) -> str:
        """A short description of the output."""

    @property
    def label(self) -> str:
        """Its name, or its summary."""
        return self.name or self.summary

    @property
    def own_readings(self) -> dict[str, Reading]:
        """The formulas that it reads besides its share, with their requirements: the fields marked
        by `reads`.
        """
        return super().readings

    @property
    def own_formulas(self) -> dict[str, Expression]:
        """The formulas that it reads besides its share."""
        return {name: reading.formula for name, reading in self.own_readings.items()}

    @property
    def readings(self) -> dict[str, Reading]:
        """Its own formulas, and those of its share."""
        return self.own_readings | share_readings(self.share, self.divided)

    @property
    def parameters(self) -> dict[str, Any]:
        """Everything that distinguishes it from others of its kind and inputs: formulas, share,
        name, and the fields that its rule reads besides.
        """
        common = {"formulas": self.own_formulas, "share": amounts_of(self.share), "name": self.name}
        kind = KINDS.get(kind_of(type(self)))
        others = [] if kind is None else [name for name in kind.keys if name not in common]
        return common | {name: getattr(self, name) for name in others}

    def record(self) -> dict[str, object]:
        """Its parameters, with formulas as JSON."""
        return {name: written(value) for name, value in self.parameters.items()}


def everything(nodes: Iterable[Node]) -> Iterator[Node]:
    """Nodes, then those inside the procedures among them, at any depth."""
    waiting = deque(nodes)
    while waiting:
        node = waiting.popleft()
        yield node
        waiting += node.within if isinstance(node, Procedure) else ()


class WithoutTheorem(Procedure):
    """Abstract: a procedure as published for which no theorem proves privacy. It can be audited,
    never certified.
    """

    __slots__ = ()

    @abstractmethod
    def obligations(self, problem: Any) -> Sequence[Any]:
        """The obligations of a proof in a `dpframe.prover.problem.Problem`, and known violations;
        at least one is open.
        """


class Sampler(Procedure):
    """Abstract: a procedure that draws once from the values of its inputs."""

    __slots__ = ()

    @abstractmethod
    def sample(
        self, values: Mapping[Node, Array], numbers: Rounded, randomness: Random
    ) -> Array | float:
        """One draw from the values of its inputs in doubles. Finite for every table."""


class Searcher(Procedure):
    """Abstract: a procedure that draws once and then reads the table repeatedly, each time as a sum
    over blocks, in doubles.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def reads(self) -> tuple[Node, ...]:
        """The inputs of `work` for each block: rows, labels, and further numbers per record."""

    @abstractmethod
    def search(
        self, summed: Callable[[Callable[..., Array]], Array], numbers: Rounded, randomness: Random
    ) -> Array:
        """One draw. `summed(work)` is the sum over all blocks (at least one) of `work(*reads)`.
        Finite for every table.
        """


def penalty_of(value: object) -> Expression:
    """A penalty as a formula. Raises InvalidArgument."""
    return exact(value, "penalty")


def radius_of(value: object) -> Expression:
    """A radius as a formula. Raises InvalidArgument."""
    return exact(value, "radius")


def floor_of(value: object) -> Expression:
    """A lower bound on eigenvalues as a formula. Raises InvalidArgument."""
    return exact(value, "floor")


def share_in(share: object, currency: tuple[str, ...], way_out: str = "") -> Share:
    """A share whose currency begins like this one. Raises InvalidArgument."""
    if not isinstance(share, Share) or share.currency[: len(currency)] != currency:
        names = ", ".join(currency)
        wanted = f"a share of {names if len(currency) == 1 else f'({names})'}"
        raise InvalidArgument("share", wanted, share, way_out)
    return share


def approximate(share: object) -> Share:
    """A share of epsilon and delta. Raises InvalidArgument."""
    way_out = "It needs a target with a delta: dp.ApproxDP(epsilon, delta)."
    return share_in(share, ("epsilon", "delta"), way_out)


def of_one_row(relation: Relation, share: Share) -> tuple[Expression, Expression]:
    """The budget for one added or removed row: the whole share under add/remove. A replacement is a
    removal and an addition, so under replace-one it is (epsilon/2, delta/(1 + e^(epsilon/2))).
    [DworkR14, Thm 2.2]
    """
    epsilon, delta = share.epsilon, share.delta
    if not relation.replaced:
        return epsilon, delta
    return epsilon / 2, delta / (exp(epsilon / 2) + 1)
