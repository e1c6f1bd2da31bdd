"""Events of dp_accounting as declarations: queries whose sensitivity is 1 on the event's word.

Events of dp_accounting as text, read without running it: what `repr` of an event prints.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, NotExecutable
from dpframe.graph import Graph, Node, Regression, Release, RowsNode, Setting, iterate, loop
from dpframe.graph.loop import Iterate
from dpframe.graph.statistics import RecordSum
from dpframe.graph.statistics.base import OneRow
from dpframe.mechanisms import AdditiveNoise, Gaussian, Laplace
from dpframe.privacy import Relation, Share, Unit
from dpframe.sensitivity import L1, L2, Norm
from dpframe.symbols import Expression, Number, add, exact, sqrt

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


MOST_CHARACTERS, MOST_DEPTH = 1 << 20, 40
FIELDS: Mapping[str, tuple[str, ...]] = {
    "NoOpDpEvent": (),
    "GaussianDpEvent": ("noise_multiplier",),
    "LaplaceDpEvent": ("noise_multiplier",),
    "SelfComposedDpEvent": ("event", "count"),
    "ComposedDpEvent": ("events",),
    "PoissonSampledDpEvent": ("sampling_probability", "event"),
}
KNOWN = ", ".join(name.removesuffix("DpEvent") for name in FIELDS)
WAY_OUT = (
    "The page knows noise that is added to a query. dp.compose adds up randomised response, zCDP "
    "and guarantees; dp_accounting's other events have no counterpart that is as tight."
)
EXAMPLE = "Such as SelfComposedDpEvent(GaussianDpEvent(4), 100)."


@attrs.frozen
class Event:
    """An event by the name of its class: exact numbers, other events, tuples of them."""

    kind: str
    fields: Mapping[str, Any]

    def __str__(self) -> str:
        """Its kind."""
        return f"{self.kind}(...)"

    def __getitem__(self, name: str) -> Any:
        """A field."""
        return self.fields[name]


def read_event(given: object) -> Event:
    """The event that a text spells, or that an object of dp_accounting is. Numbers are exact: those
    of the text. Raises InvalidArgument.
    """
    text = text_of(given)
    if len(text) > MOST_CHARACTERS:
        raise _bad(f"of at most {MOST_CHARACTERS} characters", f"{len(text)} characters")
    if _depth(text) > 2 * MOST_DEPTH:
        raise _bad(f"nested at most {MOST_DEPTH} deep", "more")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _bad("as dp_accounting prints it", f"{type(error).__name__}", EXAMPLE) from None
    found = _value(tree.body, 0)
    if not isinstance(found, Event):
        raise _bad("an event", text[:80], EXAMPLE)
    return found


def text_of(given: object) -> str:
    """A text as it is, an object of dp_accounting as it is printed. Raises InvalidArgument."""
    if isinstance(given, str):
        return given
    if type(given) is not getattr(sys.modules.get("dp_accounting"), type(given).__name__, None):
        raise _bad("an event of dp_accounting, or its text", given, EXAMPLE)
    return repr(given)


def _depth(text: str) -> int:
    """How deep brackets are nested, before a parser sees them."""
    deepest = depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    return deepest


def _value(node: ast.expr, depth: int) -> Any:
    if depth > MOST_DEPTH:
        raise _bad(f"nested at most {MOST_DEPTH} deep", "more")
    match node:
        case ast.Call():
            return _call(node, depth)
        case ast.List() | ast.Tuple():
            return tuple(_value(one, depth + 1) for one in node.elts)
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            return Fraction(_written(node))
    raise _bad("of events, lists and numbers", ast.unparse(node)[:80], EXAMPLE)


def _written(node: ast.Constant) -> Any:
    """A whole number, or a double as its shortest decimal, which is how it was written."""
    value = node.value
    if isinstance(value, float) and value - value != 0:
        raise _bad("of finite numbers", str(value))
    if isinstance(value, int) and value.bit_length() > 256:
        raise _bad("of numbers below 1e77", "a larger one")
    return value if isinstance(value, int) else str(value)


def _call(node: ast.Call, depth: int) -> Event:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    name = node.func.id if isinstance(node.func, ast.Name) else name
    fields = _known(name)
    words = {one.arg: one.value for one in node.keywords if one.arg is not None}
    repeated = len(words) != len(node.keywords) or set(fields[: len(node.args)]) & set(words)
    given = dict(zip(fields, node.args, strict=False)) | words
    if repeated or len(node.args) > len(fields) or set(given) != set(fields):
        raise _bad(f"{name}({', '.join(fields)})", ast.unparse(node)[:80])
    return Event(name, {key: _value(one, depth + 1) for key, one in given.items()})


def _known(name: str) -> tuple[str, ...]:
    if name not in FIELDS:
        raise _bad(f"made of {KNOWN}", name or "something else", WAY_OUT)
    return FIELDS[name]


def _bad(wanted: str, value: object, way_out: str = "") -> InvalidArgument:
    return InvalidArgument("event", wanted, value, way_out)


MOST_RELEASES, MOST_DRAWS = 1000, 10**9
LEAST = Fraction(1, 10**100)  # of a noise multiplier
ONE = Number(Fraction(1))
GAUSSIAN, LAPLACE = "GaussianDpEvent", "LaplaceDpEvent"
NORMS: Mapping[str, Norm] = {GAUSSIAN: L2, LAPLACE: L1}


@attrs.frozen(cache_hash=True)
class EventQuery(RecordSum):
    """A query of which an event says that one row moves it, also on a sample, by at most 1."""

    kind: ClassVar[str] = "event_query"
    name: str
    X: RowsNode
    norm: Norm
    point: Iterate | None = None
    """what earlier answers made it ask, where each answer reads a fresh sample"""

    @property
    def inputs(self) -> tuple[Node, ...]:
        """X, and the point where there is one."""
        return (self.X,) if self.point is None else (self.X, self.point)

    @property
    def unit(self) -> Unit:
        """The table's."""
        return self.X.unit

    @property
    def shape(self) -> tuple[Expression, ...]:
        """One number: its size does not matter."""
        return ()

    @property
    def label(self) -> str:
        """The name."""
        return self.name

    @property
    def assumption(self) -> str:
        """What is taken on its word."""
        return (
            f"the sensitivity of {self.name} is stated, not derived: one row moves it by at most 1 "
            f"in {self.norm}, because the event gives its noise as a multiple of it"
        )

    def record(self) -> dict[str, object]:
        """All that is stated."""
        return {"name": self.name, "norm": str(self.norm)}

    def one_row(self, norm: Norm, relation: Relation) -> OneRow | None:
        """1, under the relation in which the event is read; None in another norm. Events speak of
        the worst pair of neighbours, the same for all of them: it is attained.
        """
        del relation
        return OneRow(ONE, "stated by the event", attained=True) if norm is self.norm else None

    def block(self, values: Mapping[Node, Array]) -> Array:
        """Never: an event does not say what was asked. Raises NotExecutable."""
        del values
        raise NotExecutable(f"{self.name} is known by an event only, which cannot be run.")


@attrs.frozen
class Draw:
    """Noise of an event: its kind, its size as a multiple of the sensitivity, how often it is
    drawn, and the rate of the sample that it reads (1: all rows).
    """

    kind: str
    size: Expression
    times: int
    rate: Fraction


@lru_cache(maxsize=64)
def _draws(text: str) -> tuple[Draw, ...]:
    return draws(read_event(text))


def draws(event: Event) -> tuple[Draw, ...]:
    """What an event adds, equal draws together. Raises InvalidArgument."""
    found: dict[tuple[str, Expression, Fraction], int] = {}
    for one in _each(event, 1, Fraction(1)):
        key = (one.kind, one.size, one.rate)
        found[key] = found.get(key, 0) + one.times
        if len(found) > MOST_RELEASES or found[key] > MOST_DRAWS:
            wanted = f"of at most {MOST_RELEASES} different draws, each at most 1e9 times"
            raise InvalidArgument("event", wanted, "more")
    return tuple(Draw(kind, size, times, rate) for (kind, size, rate), times in found.items())


def _each(event: object, times: int, rate: Fraction) -> Iterator[Draw]:
    if not isinstance(event, Event):
        raise InvalidArgument("event", "made of events", str(event)[:80])
    match event.kind:
        case "NoOpDpEvent":
            return
        case "ComposedDpEvent":
            for part in _listed(event["events"]):
                yield from _each(part, times, rate)
        case "SelfComposedDpEvent":
            yield from _each(event["event"], times * _count(event["count"]), rate)
        case "PoissonSampledDpEvent":
            yield from _sampled(event, times, rate)
        case _:
            yield Draw(event.kind, _multiplier(event["noise_multiplier"]), times, rate)


def _listed(events: object) -> tuple[object, ...]:
    if isinstance(events, tuple):
        return events
    raise InvalidArgument("events", "a list of events", str(events)[:80])


def _sampled(event: Event, times: int, rate: Fraction) -> Iterator[Draw]:
    """All Gaussian noise on one sample is one draw of Gaussian noise: squares of 1/sigma add."""
    chance = event["sampling_probability"]
    if not isinstance(chance, Fraction) or not 0 <= chance <= 1:
        raise InvalidArgument("sampling_probability", "a number in [0, 1]", str(chance))
    inner = draws(event["event"])
    kind = event["event"].kind
    if rate != 1 or any(one.kind != GAUSSIAN or one.rate != 1 for one in inner):
        wanted = "a sample of Gaussian noise"
        raise InvalidArgument("PoissonSampledDpEvent", wanted, kind, WAY_OUT)
    if not inner or not chance:
        return
    alone = len(inner) == 1 and inner[0].times == 1
    squares = add(*(exact(one.times) / (one.size * one.size) for one in inner))
    yield Draw(GAUSSIAN, inner[0].size if alone else 1 / sqrt(squares), times, chance)


def _count(count: object) -> int:
    if not isinstance(count, Fraction) or count.denominator != 1 or not 0 < count <= MOST_DRAWS:
        raise InvalidArgument("count", "a whole number from 1 to 1e9", str(count))
    return int(count)


def _multiplier(size: object) -> Expression:
    if not isinstance(size, Fraction) or not LEAST <= size <= 1 / LEAST:
        raise InvalidArgument("noise_multiplier", "a number from 1e-100 to 1e100", str(size))
    return Number(size)


@Regression.register  # one for every purpose, but not one of those that dpframe offers to fit
@attrs.frozen(slots=False)
class EventRegression:
    """What an event of dp_accounting says was released: its text, of which the graph is built.

    Noise multipliers are taken as those of the relation in use. Numbers are read as the decimals
    that the text has.
    """

    text: str = attrs.field(converter=text_of)

    def __attrs_post_init__(self) -> None:
        """Text that is no event, or one that is not known, is refused at once."""
        if not _draws(self.text):
            raise InvalidArgument("event", "one that releases something", self.text[:80])

    def graph(self, setting: Setting, budget: Share) -> Graph:
        """One release for each different draw. Raises InvalidArgument."""
        X, _ = setting.nodes()
        found = enumerate(_draws(self.text), 1)
        return Graph.of(tuple(_node(k, one, X, budget) for k, one in found))

    def __str__(self) -> str:
        """Its text, shortened."""
        return self.text if len(self.text) <= 100 else f"{self.text[:60]} ... {self.text[-30:]}"


def _node(number: int, one: Draw, X: RowsNode, budget: Share) -> Node:
    """The release of a draw; draws on samples as the rounds of a loop. A pure budget pays each
    draw what it costs.
    """
    pure = budget.currency == ("epsilon",) and one.kind == LAPLACE
    cost = X.unit.rows_per_person / one.size
    share = budget.split(cost / budget.epsilon)[0] if pure else None
    noise: AdditiveNoise = Gaussian(one.size) if one.kind == GAUSSIAN else Laplace(one.size)
    name, norm, times = f"query {number}", NORMS[one.kind], exact(one.times)
    if one.rate == 1:
        return Release(EventQuery(name, X, norm), noise, share, times, f"draw_{number}")
    point = iterate(ONE, name=f"answers to {name}")
    query = EventQuery(name, X, norm, point)
    step = Release(query, noise, None, times, f"draw_{number}", Number(one.rate))
    return loop(point, step, answered)


def answered(point: Any, answer: Any, k: int) -> Any:
    """What is asked next may depend on all answers before: the event does not say how."""
    del point, k
    return answer
