"""What the rule book says of the nodes of a declaration: their bounds, their moves, their grids.

Every number of it is derived by an entry of `dpframe.theory`, which the kernel calls too; here its
formulas are expressions of the language. A kind of your own is not in the book: what it says of
itself is taken as its facts, and it has no part in joint moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from dpframe.exact.documents import Refused
from dpframe.identity import kind_of
from dpframe.privacy import ADD_REMOVE, Relation, Unit
from dpframe.sensitivity import L1, L2, OPERATOR
from dpframe.symbols import DATA, RECORD, Expression, Number, rational
from dpframe.symbols.arithmetic import Formulas
from dpframe.theory import facts as known
from dpframe.theory.book import KINDS, Answers, answers_of
from dpframe.theory.guarantees import RELATIONS
from dpframe.theory.mechanisms import NOISES, Noise

from .node import Node

if TYPE_CHECKING:
    from .columns import Column
    from .procedure import Objective
    from .rows import Rows
    from .statistics import Statistic


def answers(node: Node) -> Answers:
    """What the entry of its kind answers; no to everything for a class that is not dpframe's own,
    also where it is derived from one that is.
    """
    return answers_of(kind_of(type(node)))


def noise_of(mechanism: type) -> Noise | None:
    """The entry of a class of noise; None for a class that is not dpframe's own."""
    return NOISES.get(kind_of(mechanism))


def gaussian(mechanism: type) -> bool:
    """Whether it is dpframe's own Gaussian noise, of any shape."""
    noise = noise_of(mechanism)
    return noise is not None and noise.loss.gaussian


MANY = 2**14  # facts that are kept
OWN = __name__.partition(".")[0] + "."


class Symbolic(Formulas):
    """The context in which a declaration calls the rule book: numbers are expressions, which may
    hold for some values of their symbols only. That a formula is positive, say, is an obligation
    that the prover states; what is seen at once not to hold is noted in `open`.
    """

    where = "declaration"

    def __init__(self, unit: Unit | Node | None, relation: Relation | None) -> None:
        """A node stands for the unit of its table, which is found where it is asked for."""
        super().__init__(None if relation is None else RELATIONS[relation.value])
        self.relation = relation
        self._unit = unit
        self.open: list[str] = []

    def of_record(self, value: Expression) -> Expression:
        """An expression of a node."""
        return value

    def formula(self, value: Expression, name: str = "a formula") -> Expression:
        """An expression of a node; one that reads data that is not released is noted."""
        self.require(DATA not in value.scope, f"{name} must be public or released")
        return value

    positive = formula
    """The prover shows that it is positive."""

    whole = positive

    def rational(self, value: object) -> Fraction:
        """A number of a node, perhaps as a file has it. Raises Refused for a formula."""
        if isinstance(value, Expression) and not isinstance(value, Number):
            raise Refused(f"{value} must be a number")
        return Fraction(value) if isinstance(value, str) else rational(value)

    def single(self) -> bool:
        """Whether a person has one row: the prover looks."""
        return True

    def require(self, shown: object, rule: str, *about: Expression) -> None:
        """Note what does not hold."""
        if not shown:
            self.open.append(rule)

    def at_least(self, f: object, g: object, rule: str, *, strict: bool = False) -> None:
        """Stated by the prover, or when the node is made."""

    def equal(self, f: Expression, g: Expression, rule: str) -> None:
        """Note where two expressions are not the same at once."""
        self.require(f == g or self.constant(f - g) == 0, rule)

    def sole(self, kind_of: type, rule: str) -> None:
        """One table: looked at by the prover."""

    def place(self, fact: object, inputs: Iterable[object], cell: object) -> None:
        """Cells are found by the prover."""

    def bound(self, f: Expression) -> known.Bound | None:
        """The bound that an expression is, by the node that its one symbol stands for."""
        from .bound import Bound

        origins = [symbol.origin for symbol in f.symbols()]
        node = origins[0] if len(origins) == 1 else None
        if type(node) is not Bound or f != node.symbol:
            return None
        about, failure = facts_of(node.value.statistic, self.relation), node.failure
        return known.Bound(node.name, about, node.upper_side, failure)  # type: ignore[arg-type]

    def each(self, f: Expression) -> bool:
        """Whether an expression reads a record's own budget."""
        return RECORD in f.scope

    def shared(self, *formulas: Expression) -> None:
        """Stated by the prover."""

    def personal_budgets(self) -> bool:
        """Whether records have budgets of their own: looked at by the prover."""
        return True

    def largest(self, factor: Expression) -> Expression | None:
        """The largest of a weight over all records."""
        from .known import OfBudgets

        if RECORD not in factor.scope:
            return factor
        unit = getattr(self._unit, "unit", None) if isinstance(self._unit, Node) else self._unit
        return None if unit is None else OfBudgets("largest", factor, unit).symbol


def stated(node: Node, relation: Relation | None = None) -> Any:
    """What the book says of a node of the kind that it was made as, whatever a class derived from
    it adds; None where the book has no such kind, or nothing to say.
    """
    return _now(_stated, node)(node, relation or ADD_REMOVE)[0]


def unmet(node: Node, relation: Relation | None = None) -> list[str]:
    """What the rule of a node asks, and does not hold."""
    return list(_now(_stated, node)(node, relation or ADD_REMOVE)[1])


@lru_cache(maxsize=MANY)
def _stated(
    node: Node,
    relation: Relation,
) -> tuple[Any, Sequence[str]]:
    kind = KINDS.get(vars(made_as(type(node))).get("kind", ""))
    if kind is None or not asks_little(kind.make):
        return None, ()
    at = Symbolic(node, relation)
    inputs = [facts_of(one, at.relation) for one in node.inputs]
    try:
        own = cache(node.record)
        found = kind.make(at, *inputs, **{name: given(node, name, own) for name in kind.keys})
    except Refused as error:
        return None, [str(error)]
    return unbounded(found) if at.open else found, at.open


def unbounded(found: Any) -> Any:
    """Of what does not meet its obligations, the shape is known and nothing else."""
    match found:
        case known.RowFacts():
            return known.RowFacts(found.columns)
        case known.LabelFacts():
            return known.LabelFacts()
        case known.StatisticFacts():
            mirrored = found.symmetric
            return known.StatisticFacts(found.shape, table=found.table, symmetric=mirrored)
    return None


def by_the_book(rule: Callable[..., Any], relation: Relation | None, *numbers: Any) -> Any:
    """What a rule makes of numbers that are expressions, under a relation."""
    return rule(Symbolic(None, relation), *numbers)


def asks_little(entry: Callable[..., Any]) -> bool:
    """Whether an entry asks for no more than a `Context`, as its signature says."""
    return "Context" in entry.__annotations__.values()


def made_as(cls: type) -> type:
    """The class of the language that a class is, or is derived from; object where there is none."""
    own = (one for one in cls.__mro__ if in_package(one) and "kind" in vars(one))
    return next(own, object)


def in_package(cls: type) -> bool:
    """Whether a class says that it is dpframe's; the prover looks whether it is."""
    return cls.__module__.startswith(OWN)


def lasting(node: Node) -> bool:
    """Whether a node and all that it is made of are of dpframe's classes, whose values never
    change: then what was computed of it may be kept.
    """
    return in_package(type(node)) and _inputs_last(node)


@lru_cache(maxsize=MANY)
def _inputs_last(node: Node) -> bool:
    return all(map(lasting, node.inputs))


def _now(rule: Any, node: Node) -> Callable[..., Any]:
    """A cached rule; itself, without its cache, for a node whose values may change."""
    found: Callable[..., Any] = rule if lasting(node) else rule.__wrapped__
    return found


def given(node: Node, name: str, record: Callable[[], Mapping[str, Any]]) -> Any:
    """A parameter of a node: an expression, or several, as they are, anything else as a file has
    it.
    """
    own = getattr(node, name, None)
    if isinstance(own, Expression):
        return own
    if isinstance(own, tuple) and own and all(isinstance(one, Expression) for one in own):
        return list(own)
    return as_in_a_file(record().get(name))


def as_in_a_file(value: Any) -> Any:
    """A value as a file has it: lists in the place of tuples."""
    return [as_in_a_file(one) for one in value] if isinstance(value, (tuple, list)) else value


@lru_cache(maxsize=MANY)
def _facts(node: Node, relation: Relation) -> Any:
    found = stated(node, relation) if made_as(type(node)) is type(node) else None
    return _of_its_own(node, relation) if found is None else found


def _of_its_own(node: Node, relation: Relation | None) -> Any:
    """What a node of a kind that the book does not know says of itself."""
    from .columns import Column
    from .maps.weighted import Weight
    from .procedure import Objective
    from .rows import Rows
    from .statistics import Statistic

    if isinstance(node, Rows):
        return stated_by_rows(node)
    if isinstance(node, Column):
        return stated_by_labels(node)
    if isinstance(node, Statistic):
        return stated_by_statistic(node, relation)
    if isinstance(node, Weight):
        return known.Weight(node.factor)  # type: ignore[arg-type]
    # everything else is released, or made of what was released
    return stated_by_loss(node) if isinstance(node, Objective) else known.Post()


def facts_of(node: Node, relation: Relation | None = None) -> Any:
    """The facts of a node, as entries of the book ask for them: what the book says, or for a class
    of your own what it says of itself, now. The same object as long as they do not change.
    """
    found = _facts(node, relation or ADD_REMOVE)
    if lasting(node):
        return found
    again = _facts.__wrapped__(node, relation or ADD_REMOVE)
    return found if type(found) is type(again) and vars(found) == vars(again) else again


def stated_by_rows(rows: Rows) -> known.RowFacts:
    """What rows say of themselves."""
    bounds: tuple[Any, ...] = (rows.columns, rows.norm, rows.norm1, rows.entry, rows.unit_norm)
    return known.RowFacts(*bounds, step=getattr(rows, "step", None))


def stated_by_labels(column: Column) -> known.LabelFacts:
    """What labels say of themselves."""
    bound: Any = column.bound
    return known.LabelFacts(bound, step=getattr(column, "step", None))


def stated_by_statistic(statistic: Statistic, relation: Relation | None) -> known.StatisticFacts:
    """What a statistic says of itself."""
    from dpframe.privacy import ADD_REMOVE

    found = [statistic.one_row(norm, relation or ADD_REMOVE) for norm in (L1, L2, OPERATOR)]
    l1, l2, spectral = (None if one is None else one.value for one in found)
    steps: Any = () if statistic.step is None else (statistic.step,)
    bounds: Any = (statistic.shape, l1, l2, spectral)
    return known.StatisticFacts(*bounds, steps=steps, symmetric=statistic.symmetric)


def stated_by_loss(loss: Objective) -> known.Loss:
    """What a loss says of itself, of rows of norm 1 and coefficients inside a bound on x'theta."""
    from .procedure import Bounds

    one = Number(Fraction(1))

    def slope(margin: Any, label: Any) -> Any:
        return loss.slope(Bounds(one, label, margin))

    def bend(label: Any) -> Any:
        return loss.curvature(Bounds(one, label))

    return known.Loss(slope, bend)
