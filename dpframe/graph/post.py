"""Post-processing: a named Python function of released values and public numbers; and loops, which
release a query repeatedly, each time at a point that such a function computes from earlier answers.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import types
from collections.abc import Callable
from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, TouchesData
from dpframe.identity import own_function
from dpframe.symbols import PUBLIC, RECORD, RELEASED, Expression, Scope, to_json

from .node import Node, Reading, reads, titled
from .release import Release

READS_NODE = "Pass released values as arguments: dp.post(function, release, ...)."
READS_ARRAY = (
    "It may be data. Release a statistic of data and pass the release as an argument; write a "
    "public array inside the function, such as np.array([0.1, 0.2])."
)
PLAIN = (str, int, float, bool, type(None))
MOST_NAMES = 8  # of constants in an assumption
Argument = Node | Expression | str | int | float | bool | None


class Calling(Node):
    """Abstract: the result of a function of released values and public numbers."""

    __slots__ = ()
    scope: ClassVar[Scope] = RELEASED
    function: Callable[..., Any]
    arguments: tuple[Argument, ...]

    @property
    def readings(self) -> dict[str, Reading]:
        """Its arguments that are formulas; they are evaluated after the releases they depend on,
        and may depend on the budgets of records.
        """
        return {
            f"argument {i + 1}": Reading(argument, RELEASED | RECORD)
            for i, argument in enumerate(self.arguments)
            if isinstance(argument, Expression)
        }

    @property
    def assumption(self) -> str:
        """Which constants of its surroundings the function reads; "" if it reads none."""
        names = [*dict.fromkeys(name.partition("[")[0] for name, _ in _constants(self.function))]
        if not names:
            return ""
        few = f"{', '.join(names[:MOST_NAMES])}{', ...' * (len(names) > MOST_NAMES)}"
        return f"constants that {self.function.__qualname__} reads are public: {few}"

    def record(self) -> dict[str, object]:
        """The location of the function, a digest of its source, and its public arguments."""
        return {
            "function": f"{self.function.__module__}:{self.function.__qualname__}",
            "digest": source_digest(self.function),
            "arguments": [argument_record(argument) for argument in self.arguments],
        }


@attrs.frozen(eq=False)
class Post(Calling):
    """function(*arguments), applied to released values."""

    kind: ClassVar[str] = "post"
    label = titled("{0.function.__qualname__}")
    function: Callable[..., Any]
    arguments: tuple[Argument, ...]


def post(function: Callable[..., Any], *arguments: Any) -> Post:
    """Apply `function` to releases, public formulas (numbers at execution) and constants. Costs no
    budget.

    The function must not capture local variables. Its source, and the numbers and texts of its
    module that it reads, are part of the certificate's hash, which lists these constants as assumed
    public: pass anything computed from data as a release. To save the certificate, the function
    must be importable as `module:name`.

    Raises InvalidArgument, or TouchesData if the function captures declared data.
    """
    checked_function(function)
    return Post(function, tuple(checked_argument(argument) for argument in arguments))


def checked_function(function: Callable[..., Any]) -> None:
    """Refuse an object that is not a function, and a function that captures variables or reads an
    array that is not an argument. Raises InvalidArgument, TouchesData.
    """
    if not inspect.isfunction(function):
        way_out = "Wrap it: def name(...): ..."
        raise InvalidArgument("function", "a function defined in a module", function, way_out)
    defaults = _defaults(function)
    captured = None
    if not own_function(function):
        from .ambient import ambient, described

        captured = ambient(function)
    if captured is not None:
        name, value = captured
        kind = f"{value.label}, declared data" if isinstance(value, Node) else described(value)
        raise TouchesData(
            f"{function.__qualname__} reads {name}, {kind}, which is not one of its arguments. "
            f"{READS_NODE if isinstance(value, Node) else READS_ARRAY}"
        )
    way_out = "Pass what it needs as arguments."
    if not all(type(value) in PLAIN for value in defaults):
        wanted = "free of defaults but numbers and text"
        raise InvalidArgument("function", wanted, defaults, way_out)
    if function.__closure__:
        got = function.__qualname__
        raise InvalidArgument("function", "free of captured variables", got, way_out)


def _defaults(function: Callable[..., Any]) -> list[Any]:
    return [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]


def checked_argument(argument: Any) -> Argument:
    """A node, a formula, a number or a text. Raises InvalidArgument."""
    if isinstance(argument, (Node, Expression)) or type(argument) in PLAIN:
        known: Argument = argument
        return known
    wanted = "a release, a public formula, a number or text"
    way_out = "Arrays cannot be certified; public arrays belong into the function."
    raise InvalidArgument("argument of post", wanted, argument, way_out)


def argument_record(argument: Argument) -> object:
    """An argument as JSON values."""
    if isinstance(argument, Node):
        return {"node": None}
    if isinstance(argument, Expression):
        return {"formula": to_json(argument)}
    return {"constant": argument}


def source_digest(function: Callable[..., Any]) -> str:
    """SHA-256 of the source of `function` (its byte code if there is none), its defaults, and the
    constants of its surroundings that it reads.
    """
    code = function.__code__
    source = _source(code, code.co_filename, function.__globals__.get("__name__"))
    constants = [one for one in _constants(function) if "[" not in one[0]]  # entries may change
    text = source + repr(_defaults(function)) + (repr(constants) if constants else "")
    return hashlib.sha256(text.encode()).hexdigest()


def _constants(function: Callable[..., Any]) -> tuple[tuple[str, str], ...]:
    if own_function(function):
        return ()
    from .ambient import constants

    return constants(function)


@functools.lru_cache(maxsize=4096)
def _source(code: types.CodeType, _file: str, module: str | None) -> str:
    """The source of a code object (equal code in another file may have other source). The module is
    passed because inspect otherwise searches all loaded modules for it.
    """
    cells = tuple(types.CellType() for _ in code.co_freevars)
    try:
        return inspect.getsource(types.FunctionType(code, {"__name__": module}, closure=cells))
    except (OSError, TypeError):
        return code.co_code.hex() + repr(code.co_consts)


# ---------------------------------------------------------------------------------------- loops
@attrs.frozen(eq=False)
class Iterate(Node):
    """The point of a loop, `size` numbers. It is computed from earlier releases of the loop, so it
    counts as released. It starts at zero.
    """

    kind: ClassVar[str] = "iterate"
    label = titled("{0.name}")
    scope: ClassVar[Scope] = RELEASED
    size: Expression = attrs.field(metadata=reads(may=PUBLIC))
    name: str = "theta"


@attrs.frozen(eq=False)
class Loop(Calling):
    """Every point of a loop, shape (times + 1, size). update(point, answer, round, *arguments)
    computes the next point from the answer of `step`, a release drawn anew in each round.
    """

    kind: ClassVar[str] = "loop"
    label = titled("loop of {0.update.__qualname__}")
    point: Iterate
    step: Release
    update: Callable[..., Any]
    arguments: tuple[Argument, ...]

    def __attrs_post_init__(self) -> None:
        """Check that the release reads the point, and that no argument depends on the release."""
        if not (isinstance(self.point, Iterate) and isinstance(self.step, Release)):
            way_out = "point = dp.iterate(X.columns); step = dp.release(..., times=T)."
            given = (self.point, self.step)
            raise InvalidArgument("loop", "over a point and a release", given, way_out)
        if self.point not in ancestors(self.step):
            way_out = "Its statistic takes the point: dp.graph.gradient(..., at=point)."
            wanted = f"a release that reads {self.point.label}"
            raise InvalidArgument("step", wanted, self.step.label, way_out)
        nodes = [argument for argument in self.arguments if isinstance(argument, Node)]
        if any(one is self.step or self.step in ancestors(one) for one in nodes):
            way_out = "update(point, answer, ...) is given each answer."
            raise InvalidArgument(
                "arguments", "known before the loop starts", self.step.label, way_out
            )

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The point; the arguments that are nodes, which are released before the loop; and the
        release.
        """
        nodes = tuple(argument for argument in self.arguments if isinstance(argument, Node))
        return (self.point, *nodes, self.step)

    @property
    def function(self) -> Callable[..., Any]:  # type: ignore[override]  # by its own name
        """The update."""
        return self.update


def iterate(size: Expression, *, name: str = "theta") -> Iterate:
    """The point of a loop, `size` numbers, for statistics to read. dp.loop updates it."""
    return Iterate(size, name)


def loop(point: Iterate, step: Release, update: Callable[..., Any], *arguments: Any) -> Loop:
    """Release `step`, whose statistic reads `point`, `times` times; after each answer,
    update(point, answer, round, *arguments) computes the next point.

    The guarantee of one answer holds at every point, so the answers compose as `times` adaptive
    draws. The update is post-processing and costs nothing. Raises InvalidArgument, TouchesData.
    """
    checked_function(update)
    return Loop(point, step, update, tuple(map(checked_argument, arguments)))


def ancestors(node: Node, *, through_loops: bool = True) -> tuple[Node, ...]:
    """Every node that a node depends on through its inputs, depth first; not through finished loops
    unless `through_loops`.
    """
    visited: dict[Node, None] = {}
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one not in visited:
            visited[one] = None
            waiting += reversed(one.inputs) if through_loops or not isinstance(one, Loop) else ()
    return tuple(visited)[1:]


def points_of(node: Node) -> tuple[Iterate, ...]:
    """The points of loops that a node depends on while the loop runs; a node that reads a finished
    loop depends on none.
    """
    depends_on = ancestors(node, through_loops=False)
    return tuple(one for one in depends_on if isinstance(one, Iterate))
