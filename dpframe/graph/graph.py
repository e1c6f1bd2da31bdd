"""A graph: every node that the output depends on, in topological order, immutable and hashable.

`Regression` is the base class of declarations: its fields are hyperparameters, and `declare`
returns the output of the graph. A certificate records a node of dpframe by its parameters, and a
node of a class from outside by what it states, which is taken on trust.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import attrs

from dpframe.errors import InvalidArgument, Plain, UnusedRelease
from dpframe.identity import kind_of, own
from dpframe.privacy import Share
from dpframe.symbols import Expression, Number, Symbol, exact, to_json
from dpframe.symbols.expression import Domain
from dpframe.theory.facts import LabelFacts, RowFacts
from dpframe.theory.trusted import LABEL, MARGIN

from .bound import Bound
from .facts import of_its_own
from .known import Known
from .maps.weighted import Weight
from .node import DataNode, Node, amounts_of, noting, written
from .post import Loop, Post
from .procedure import Bounds, Objective, Procedure
from .release import Release, symbols_of
from .rows import ColumnNode, RowsNode
from .schema import Setting
from .statistics import Statistic

ONE, SIZE = Number(Fraction(1)), Domain(Fraction(0), None, lower_closed=True)


def record(node: Node) -> dict[str, object]:
    """The kind and the parameters of a node of dpframe."""
    return {"kind": kind_of(type(node)), **node.record()}


def trusted(node: Node) -> dict[str, object]:
    """The facts that a node of a class from outside states, and its parameters."""
    stated = _stated(node)
    if not stated:
        return record(node)
    return {**stated, "trusted": kind_of(type(node)), "parameters": node.record()}


def _stated(node: Node) -> dict[str, object]:
    if isinstance(node, (RowsNode, ColumnNode, Statistic)):
        return written(_bounds(of_its_own(node, node.unit.relation)))  # type: ignore[return-value]
    if isinstance(node, Procedure):
        share = written(amounts_of(node.share))
        return {"kind": "trusted_release", "share": share, "name": node.name}
    if isinstance(node, Objective):
        return {"kind": "trusted_loss", **_loss(node)}
    if isinstance(node, Weight):
        return {"kind": "trusted_weight", "factor": to_json(node.factor)}
    return {}


def _bounds(fact: Any) -> dict[str, object]:
    """The kind and the bounds of rows, labels or a statistic from outside, by their facts."""
    match fact:
        case RowFacts():
            own = {"columns": fact.columns, "unit_norm": fact.unit_norm or None}
            own |= {"norm": fact.norm, "norm1": fact.norm1}
            return {"kind": "trusted_rows", **own, "step": fact.step}
        case LabelFacts():
            return {"kind": "trusted_column", "limit": fact.bound, "step": fact.step}
    symmetric = {"symmetric": True} if fact.symmetric else {}
    own = {"shape": fact.shape, "l1": fact.l1, "l2": fact.l2, "step": next(iter(fact.steps), None)}
    return {"kind": "trusted_statistic", **own, **symmetric}


def _loss(loss: Objective) -> dict[str, object]:
    """Bounds on slope and curvature for rows of norm 1, as formulas of bounds on |x'theta| and |y|;
    `anywhere` bounds the slope for every theta.
    """
    margin, label = Symbol(MARGIN, SIZE), Symbol(LABEL, SIZE)
    return {
        "slope": written(loss.slope(Bounds(ONE, label, margin))),
        "anywhere": written(loss.slope(Bounds(ONE, label))),
        "curvature": written(loss.curvature(Bounds(ONE, label))),
    }


Class = tuple[Release, int]
N = TypeVar("N", bound=Node)


def every(kind: type[N]) -> cached_property[tuple[N, ...]]:
    """A property of graphs: the nodes of a class, in order."""
    return cached_property(lambda graph: graph.of_kind(kind))


@attrs.frozen(slots=False, eq=False, repr=False)
class Graph:
    """The declaration as a value. Equal graphs have equal `hash`."""

    output: Node | tuple[Node, ...]
    nodes: tuple[Node, ...]

    @classmethod
    def of(cls, output: object) -> Graph:
        """The graph of `output`, a node or a tuple of nodes. Raises InvalidArgument."""
        outputs = output if isinstance(output, tuple) else (output,)
        strange = [(i, one) for i, one in enumerate(outputs, 1) if not isinstance(one, Node)]
        if strange or not outputs:
            i, wrong = strange[0] if strange else (0, output)
            part = f", part {i}" if isinstance(output, tuple) and i else ""
            wanted = "a release, a dp.post(...) or a tuple of them"
            way_out = "End declare with return." if wrong is None else ""
            if isinstance(wrong, Expression):
                way_out = "Formulas are read by functions: dp.post(function, release, X.columns)."
            if isinstance(wrong, Symbol) and isinstance(wrong.origin, Known):
                way_out = f"Return the release or the dp.post(...) that {wrong} is known from."
            raise InvalidArgument(f"output of declare{part}", wanted, wrong, way_out)
        return cls(output, tuple(_topological(outputs)))  # type: ignore[arg-type]

    def __repr__(self) -> str:
        """`Graph(theta, ...)`: the outputs by name, since the repr of a node repeats all its
        inputs.
        """
        return f"Graph({', '.join(node.label for node in self.outputs)}, nodes={len(self.nodes)})"

    @property
    def outputs(self) -> tuple[Node, ...]:
        """The output nodes."""
        return self.output if isinstance(self.output, tuple) else (self.output,)

    @cached_property
    def kinds(self) -> dict[int, type]:
        """The classes of its nodes, by id: a class may redefine equality."""
        return {id(type(node)): type(node) for node in self.nodes}

    def of_kind(self, kind: type) -> tuple[Any, ...]:
        """The nodes of a class, in order."""
        places = {place for place, one in self.kinds.items() if issubclass(one, kind)}
        return tuple(node for node in self.nodes if id(type(node)) in places) if places else ()

    releases = every(Release)
    """The position is the serial number."""
    procedures = every(Procedure)  # type: ignore[type-abstract]
    loops = every(Loop)
    bounds = every(Bound)
    """Bounds that may fail."""
    posts = every(Post)
    known = every(Known)
    """Released numbers that formulas read."""

    @property
    def calls(self) -> tuple[Post | Loop, ...]:
        """The nodes that call functions of released values."""
        return (*self.posts, *self.loops)

    statistics = every(Statistic)  # type: ignore[type-abstract]

    @cached_property
    def classes(self) -> tuple[Class, ...]:
        """One representative, and the size, of each class of releases with the same obligation."""
        return classes(self.releases)

    @cached_property
    def distinct(self) -> tuple[Node, ...]:
        """The nodes, with one representative of each class of releases, so that equal formulas are
        read once.
        """
        if len(self.classes) == len(self.releases):
            return self.nodes
        firsts = {id(release) for release, _ in self.classes}
        later = {id(release) for release in self.releases} - firsts
        return tuple(node for node in self.nodes if id(node) not in later)

    @property
    def additive(self) -> bool:
        """Whether all privacy loss comes from additive noise: no procedure, and no bound that may
        fail.
        """
        return not (self.procedures or self.bounds)

    @cached_property
    def charged(self) -> tuple[Release | Procedure, ...]:
        """Every node that spends budget, in order."""
        return (*self.releases, *self.procedures)

    @cached_property
    def sources(self) -> tuple[DataNode, ...]:
        """The rows and labels of the declared tables."""
        return tuple(node for node in self.of_kind(DataNode) if not node.inputs)

    @cached_property
    def records(self) -> tuple[dict[str, object], ...]:
        """Every node as JSON: id, kind, inputs, parameters."""
        return self.written()

    def written(self) -> tuple[dict[str, object], ...]:
        """The same, computed without the cache."""
        numbers = {node: index for index, node in enumerate(self.nodes)}
        read = ([numbers[k] for k in node.inputs] for node in self.nodes)
        stated = ((record if own(type(node)) else trusted)(node) for node in self.nodes)
        pairs = enumerate(zip(read, stated, strict=True))
        return tuple({"id": i, "inputs": inputs, **facts} for i, (inputs, facts) in pairs)

    @property
    def output_ids(self) -> list[int]:
        """The positions of the outputs."""
        return [self.nodes.index(node) for node in self.outputs]

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the canonical JSON of all nodes and the output."""
        text = json.dumps([self.records, self.output_ids], sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def __hash__(self) -> int:
        return int(self.hash[:15], 16)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Graph) and self.hash == other.hash


def classes(releases: Iterable[Release]) -> tuple[Class, ...]:
    """One representative, and the size, of each class of releases that are equal except for their
    names.
    """
    alike: dict[object, list[Release]] = {}
    for one in releases:
        key = (type(one), one.statistic, one.stated, one.share, one.times, one.sampled)
        alike.setdefault(key, []).append(one)
    return tuple((same[0], len(same)) for same in alike.values())


def _topological(outputs: Iterable[Node]) -> Iterable[Node]:
    done: dict[Node, None] = {}
    known: set[int] = set()  # places in memory of those that are done
    stack: list[tuple[Node, bool]] = [(node, False) for node in reversed(list(outputs))]
    while stack:
        node, ready = stack.pop()
        if id(node) in known:
            continue
        if ready:
            done.setdefault(node)
            known.add(id(node))
        elif node in done:
            known.add(id(node))
        else:
            stack.append((node, True))
            before = (*node.inputs, *origins(node))
            stack += [(child, False) for child in before[::-1] if id(child) not in known]
    return done


def origins(node: Node) -> list[Node]:
    """The nodes behind the symbols of this node's formulas: released numbers, and statistics whose
    values it reads (which the verifier judges). The std of a release is public.
    """
    nodes = {s.origin for s in symbols_of(node) if isinstance(s.origin, Node)}
    behind = [one for one in nodes if not isinstance(one, Release)]
    return sorted(behind, key=_appearance) if len(behind) > 1 else behind


def _appearance(node: Node) -> tuple[str, ...]:
    """What distinguishes origins independently of memory addresses: their labels and those of their
    inputs.
    """
    return (node.label, *(one.label for one in node.inputs))


def _exact_fields(_: type, fields: list[attrs.Attribute[Any]]) -> list[attrs.Attribute[Any]]:
    return [_exact_field(one) if isinstance(one.default, Expression) else one for one in fields]


def _exact_field(field: attrs.Attribute[Any]) -> attrs.Attribute[Any]:
    default = field.default

    def convert(value: object) -> Expression:
        formula = exact(value, field.name)
        domain = default.domain if isinstance(default, Symbol) else None
        if isinstance(formula, Number) and domain is not None and formula.value not in domain:
            raise InvalidArgument(field.name, str(domain), Plain(formula), "")
        return formula

    return field.evolve(converter=convert)


CITED, KEY = re.compile(r"\[([^\]]+)\]"), re.compile(r"[A-Z]\w*\d\d|Thesis|dpframe")
USE = "Use: "
NEWER = "newer"  # metadata of fields that files leave out at their default, as older ones do


def _cited(first: str, *_: str) -> str:
    """The keys of the papers that it cites, `Wang18; Piazza21`."""
    keys = (one.partition(",")[0].strip() for one in ";".join(CITED.findall(first)).split(";"))
    return "; ".join(dict.fromkeys(filter(KEY.fullmatch, keys)))


def _advised(*paragraphs: str) -> str:
    """When to use it."""
    return next((one[len(USE) :] for one in paragraphs if one.startswith(USE)), "")


@attrs.frozen
class Documented:
    """An attribute of a class that its docstring, or that of a base, says in some paragraph."""

    read: Callable[..., str]

    def __get__(self, _: object, cls: type) -> str:
        docs = ((base.__doc__ or "").split("\n\n") for base in cls.__mro__)
        found = (self.read(*(" ".join(part.split()) for part in doc)) for doc in docs)
        return next(filter(None, found), "")


class Regression(ABC):
    """Abstract: a private regression as a declaration.

    Subclassing makes a frozen attrs class; fields whose default is a formula are exact. The first
    paragraph of the class docstring describes the regression and cites its papers, [Wang18, Alg.
    2], whose keys are `paper`; a paragraph that begins with "Use: " says when to choose it, which
    is `use`. `title` and `variant` ("printed", "coded" or "recommended") appear in lists.
    For printed and coded variants, `claimed_for` is the neighbouring relation of the authors' claim
    or of the sensitivities in their code ("" if they leave it open), and `understated` names costs
    that the declaration leaves out ("" if there are none). Receipts end with `remark`, a sentence
    on the coefficients.

    `link` is the link function of the coefficients, "identity" or "logit"; "" takes that of the
    losses in the graph, or the identity if the graph releases statistics of the squared loss.
    """

    paper: ClassVar[str] = Documented(_cited)  # type: ignore[assignment]
    variant: ClassVar[str] = "recommended"
    title: ClassVar[str] = ""
    use: ClassVar[str] = Documented(_advised)  # type: ignore[assignment]
    remark: ClassVar[str] = ""
    claimed_for: ClassVar[str] = ""
    understated: ClassVar[str] = ""
    link: ClassVar[str] = ""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Freeze the subclass."""
        super().__init_subclass__(**kwargs)
        if inspect.isfunction(cls.declare):
            _check_signature(cls)
        attrs.frozen(cls, slots=False, field_transformer=_exact_fields, repr=True)

    @property
    def full_name(self) -> str:
        """The name of the class, with that of a variant."""
        return type(self).__name__

    @abstractmethod
    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """The output of the graph: dp.post(...), a release, or a tuple of them."""

    def graph(self, setting: Setting, budget: Share) -> Graph:
        """The graph of this declaration in a setting, for a budget. Raises InvalidArgument."""
        return declared(self, *setting.nodes(), budget)


def _check_signature(cls: type[Regression]) -> None:
    given = inspect.signature(cls.declare)
    try:
        given.bind(None, None, None, None)
    except TypeError:
        way_out = "Hyperparameters are fields of the class."
        wanted, found = "def declare(self, X, y, budget)", Plain(f"declare{given}")
        raise InvalidArgument(f"declare of {cls.__name__}", wanted, found, way_out) from None


def declared(of: Regression, X: RowsNode, y: ColumnNode | None, budget: Share) -> Graph:
    """The graph of the output of a declaration. Raises InvalidArgument, also for a name that two
    releases have, and UnusedRelease if the output does not depend on every release: such a release
    would be neither drawn nor charged.
    """
    with noting() as made:
        graph = Graph.of(of.declare(X, y, budget))  # type: ignore[arg-type]
    reached = set(map(id, graph.nodes))
    # a procedure may hold graphs of its own, with releases that it pays for
    left_out = [] if graph.procedures else [node for node in made if id(node) not in reached]
    if left_out:
        names = ", ".join(node.label for node in left_out)
        read = ", ".join(one.label for one in graph.outputs)
        way_out = f"Return it too, as in `return theta, {left_out[0].label}`, or do not release it."
        wanted = f"one that reads everything released, also {names}"
        error = UnusedRelease("output of declare", wanted, read, way_out)
        error.regression, error.graph = of, Graph.of((*graph.outputs, *left_out))
        raise error
    _check_names(graph)
    return graph


def _check_names(graph: Graph) -> None:
    """Refuse a name that two releases have. Raises InvalidArgument."""
    named: dict[str, Release | Procedure] = {}
    for node in graph.charged:
        first = named.setdefault(node.name, node)
        if node.name and first is not node:
            what = " and ".join(_released(one) for one in (first, node))
            way_out = f"Name them apart, such as name='{node.name}_2'; in a loop, name=f'u{{i}}'."
            found = Plain(f"two named {node.name!r}, of {what}")
            raise InvalidArgument("releases", "of different names", found, way_out)


def _released(node: Release | Procedure) -> str:
    return node.statistic.label if isinstance(node, Release) else node.kind
