"""Facts about the nodes of a declaration, derived by the rule book: bounds, sensitivities, grids.

Every number is derived by an entry of `dpframe.theory`, which the kernel also calls; here the
entries are evaluated on symbolic expressions. A class from outside dpframe has no entry: the facts
that it states are taken on trust, and it takes no part in joint sensitivities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from dpframe.exact.documents import Refused
from dpframe.identity import kind_of, own
from dpframe.privacy import ADD_REMOVE, Relation, Unit
from dpframe.sensitivity import L1, L2, OPERATOR
from dpframe.symbols import DATA, ONE, RECORD, Expression, Number, rational
from dpframe.symbols.arithmetic import Formulas
from dpframe.theory import facts as known
from dpframe.theory.book import KINDS, Answers, answers_of
from dpframe.theory.guarantees import RELATIONS
from dpframe.theory.mechanisms import NOISES, Noise

from . import maps
from . import statistics as st
from .node import Node

if TYPE_CHECKING:
    from .procedure import Objective


def answers(node: Node) -> Answers:
    """The rule book's entry for the node's class; the empty entry for a class from outside dpframe,
    also one derived from a class of dpframe.
    """
    return answers_of(kind_of(type(node)))


def answered(node: Node) -> bool:
    """Whether a node is of one of dpframe's own classes, and the rule book derives facts of it:
    then what its class says besides may be believed.
    """
    return own(type(node)) and stated(node) is not None


def noise_of(mechanism: type) -> Noise | None:
    """The rule book's entry for a class of noise; None for a class from outside dpframe."""
    return NOISES.get(kind_of(mechanism))


def gaussian(mechanism: type) -> bool:
    """Whether a mechanism is one of dpframe's Gaussian mechanisms."""
    noise = noise_of(mechanism)
    return noise is not None and noise.loss.gaussian


MANY = 2**14  # facts that are kept
OWN = __name__.partition(".")[0] + "."


class SymbolicContext(Formulas):
    """The context in which a declaration evaluates the rule book. Numbers are expressions whose
    properties may depend on their symbols. Requirements (such as positivity) are left to the prover
    as obligations; those that are visibly violated are recorded in `open`.
    """

    where = "declaration"

    def __init__(self, unit: Unit | Node | None, relation: Relation | None) -> None:
        """`unit` is that of the node's table, looked up when it is needed."""
        super().__init__(None if relation is None else RELATIONS[relation.value])
        self.relation, self._unit = relation, unit
        self.open: list[str] = []

    def of_record(self, value: Expression) -> Expression:
        """An expression of a node."""
        return value

    def formula(self, value: Expression, name: str = "a formula") -> Expression:
        """An expression of a node, which must depend on public and released numbers only."""
        self.require(DATA not in value.scope, f"{name} must be public or released")
        return value

    def positive(self, value: Expression, name: str) -> Expression:
        """An expression of a node; the prover shows that it is positive."""
        return self.formula(value, name)

    whole = positive

    def rational(self, value: object) -> Fraction:
        """A number of a node, or of a file. Raises Refused for a formula."""
        if isinstance(value, Expression) and not isinstance(value, Number):
            raise Refused(f"{value} must be a number")
        return Fraction(value) if isinstance(value, str) else rational(value)

    def single(self) -> bool:
        """Whether each person has one row; checked by the prover."""
        return True

    def require(self, shown: object, rule: str, *about: Expression) -> None:
        """Record a violated requirement."""
        if not shown:
            self.open.append(rule)

    def at_least(self, f: object, g: object, rule: str, *, strict: bool = False) -> None:
        """Checked by the prover, or when the node is constructed."""

    def equal(self, f: Expression, g: Expression, rule: str) -> None:
        """Record that two expressions are not identical."""
        self.require(f == g or self.constant(f - g) == 0, rule)

    def sole(self, kind_of: type, rule: str) -> None:
        """Whether there is one table; checked by the prover."""

    def place(self, fact: object, inputs: Iterable[object], cell: object) -> None:
        """Cells are located by the prover."""

    def bound(self, f: Expression) -> known.Bound | None:
        """The bound that an expression stands for, from the node of its single symbol."""
        from .bound import Bound

        origins = [symbol.origin for symbol in f.symbols()]
        node = origins[0] if len(origins) == 1 else None
        if type(node) is not Bound or f != node.symbol:
            return None
        about, failure = facts_of(node.value.statistic, self.relation), node.failure
        return known.Bound(node.name, about, node.upper_side, failure)  # type: ignore[arg-type]

    def each(self, f: Expression) -> bool:
        """Whether an expression depends on the record's own budget."""
        return RECORD in f.scope

    def shared(self, *formulas: Expression) -> None:
        """Checked by the prover."""

    def personal_budgets(self) -> bool:
        """Whether records have budgets of their own; checked by the prover."""
        return True

    def largest(self, factor: Expression) -> Expression | None:
        """The largest weight over all records."""
        from .known import OfBudgets

        if RECORD not in factor.scope:
            return factor
        unit = getattr(self._unit, "unit", None) if isinstance(self._unit, Node) else self._unit
        return None if unit is None else OfBudgets("largest", factor, unit).symbol


def stated(node: Node, relation: Relation | None = None) -> Any:
    """The facts that the rule book derives for the class of dpframe that a node is, or is derived
    from; None if it has no entry or derives nothing.
    """
    return _suitable(_stated, node)(node, relation or ADD_REMOVE)[0]


def derived(name: str, *, otherwise: Any = None) -> Any:
    """A property of nodes: the fact of this name, or `otherwise` where nothing is derived."""

    def fact(node: Node) -> Any:
        own = stated(node)
        return otherwise if own is None else getattr(own, name)

    return property(fact)


def unmet(node: Node, relation: Relation | None = None) -> list[str]:
    """The requirements of a node's rule that are violated."""
    return list(_suitable(_stated, node)(node, relation or ADD_REMOVE)[1])


@lru_cache(maxsize=MANY)
def _stated(node: Node, relation: Relation) -> tuple[Any, Sequence[str]]:
    kind = KINDS.get(vars(made_as(type(node))).get("kind", ""))
    if kind is None or not takes_context_only(kind.make):
        return None, ()
    at = SymbolicContext(node, relation)
    inputs = [facts_of(one, relation) for one in node.inputs]
    try:
        own = cache(node.record)
        fact = kind.make(at, *inputs, **{name: given(node, name, own) for name in kind.keys})
    except Refused as error:
        return None, [str(error)]
    except AttributeError:
        if kind.fits(inputs):
            raise
        return None, ["its inputs must be what its rule takes"]
    return unbounded(fact) if at.open else fact, at.open


def unbounded(fact: Any) -> Any:
    """The shape alone: all that is known where requirements are violated."""
    match fact:
        case known.RowFacts():
            return known.RowFacts(fact.columns)
        case known.LabelFacts():
            return known.LabelFacts()
        case known.StatisticFacts():
            mirrored = fact.symmetric
            return known.StatisticFacts(fact.shape, table=fact.table, symmetric=mirrored)
    return None


def by_the_book(rule: Any, relation: Relation | None, *numbers: Any) -> Expression:
    """The formula that a theorem of the rule book gives, under a relation."""
    formula: Expression = rule(SymbolicContext(None, relation), *numbers)
    return formula


def takes_context_only(entry: Callable[..., Any]) -> bool:
    """Whether the signature of an entry takes no more than a `Context`."""
    return "Context" in entry.__annotations__.values()


def made_as(cls: type) -> type:
    """The class of the language that a class is or is derived from; object if there is none."""
    found = (one for one in cls.__mro__ if own(one) and "kind" in vars(one))
    return next(found, object)


def in_package(cls: type) -> bool:
    """Whether a class claims to belong to dpframe; the prover verifies it."""
    return cls.__module__.startswith(OWN)


def unchanging(node: Node) -> bool:
    """Whether a node and all of its ancestors are of dpframe's own classes, whose values never
    change, so that results computed from them may be cached.
    """
    return own(type(node)) and _unchanging_inputs(node)


@lru_cache(maxsize=MANY)
def _unchanging_inputs(node: Node) -> bool:
    return all(map(unchanging, node.inputs))


def _suitable(rule: Any, node: Node) -> Callable[..., Any]:
    """A cached rule; without its cache for a node whose values may change."""
    chosen: Callable[..., Any] = rule if unchanging(node) else rule.__wrapped__
    return chosen


def given(node: Node, name: str, record: Callable[[], Mapping[str, Any]]) -> Any:
    """A parameter of a node: expressions unchanged, anything else as in a file."""
    own = getattr(node, name, None)
    if isinstance(own, Expression):
        return own
    if isinstance(own, tuple) and own and all(isinstance(one, Expression) for one in own):
        return list(own)
    return as_in_a_file(record().get(name))


def as_in_a_file(value: Any) -> Any:
    """A value as in a file: lists in place of tuples."""
    return [as_in_a_file(one) for one in value] if isinstance(value, (tuple, list)) else value


@lru_cache(maxsize=MANY)
def _facts(node: Node, relation: Relation) -> Any:
    derived = stated(node, relation) if made_as(type(node)) is type(node) else None
    return of_its_own(node, relation) if derived is None else derived


def of_its_own(node: Node, relation: Relation | None) -> Any:
    """The facts that a node of a class from outside states."""
    from .procedure import Objective
    from .rows import ColumnNode, RowsNode

    if isinstance(node, RowsNode):
        bounds: Any = (node.columns, node.norm, node.norm1, node.entry, node.unit_norm)
        return known.RowFacts(*bounds, step=getattr(node, "step", None))
    if isinstance(node, ColumnNode):
        bound: Any = node.bound
        return known.LabelFacts(bound, step=getattr(node, "step", None))
    if isinstance(node, st.Statistic):
        return stated_by_statistic(node, relation)
    if isinstance(node, maps.Weight):
        return known.Weight(node.factor)  # type: ignore[arg-type]
    # everything else is released, or made of what was released
    return stated_by_loss(node) if isinstance(node, Objective) else known.Post()


def facts_of(node: Node, relation: Relation | None = None) -> Any:
    """The facts of a node: derived by the rule book, or stated by a class from outside, as they are
    now. The same object as long as they do not change.
    """
    cached = _facts(node, relation or ADD_REMOVE)
    if unchanging(node):
        return cached
    current = _facts.__wrapped__(node, relation or ADD_REMOVE)
    same = type(cached) is type(current) and vars(cached) == vars(current)
    return cached if same else current


def stated_by_statistic(statistic: st.Statistic, relation: Relation | None) -> known.StatisticFacts:
    """Facts that a statistic states."""
    moves = [statistic.one_row(norm, relation or ADD_REMOVE) for norm in (L1, L2, OPERATOR)]
    l1, l2, spectral = (None if one is None else one.value for one in moves)
    steps: Any = () if statistic.step is None else (statistic.step,)
    bounds: Any = (statistic.shape, l1, l2, spectral)
    return known.StatisticFacts(*bounds, steps=steps, symmetric=statistic.symmetric)


def stated_by_loss(loss: Objective) -> known.Loss:
    """Facts that a loss states, for rows of norm 1 and bounded x'theta."""
    from .procedure import Bounds

    slope: Any = lambda margin, label: loss.slope(Bounds(ONE, label, margin))  # noqa: E731
    bend: Any = lambda label: loss.curvature(Bounds(ONE, label))  # noqa: E731
    return known.Loss(slope, bend)
