"""Loops: a query released repeatedly, each time at a point computed from earlier answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.symbols import PUBLIC, RELEASED, Expression, Scope

from .node import Node, reads, titled
from .post import Argument, Calling, checked_argument, checked_function
from .release import Release


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


def ancestors(node: Node) -> set[Node]:
    """Every node that a node depends on through its inputs."""
    visited: set[Node] = set()
    waiting = list(node.inputs)
    while waiting:
        one = waiting.pop()
        if one not in visited:
            visited.add(one)
            waiting.extend(one.inputs)
    return visited


def points_of(node: Node) -> tuple[Iterate, ...]:
    """The points of loops that a node depends on while the loop runs; a node that reads a finished
    loop depends on none.
    """
    visited: dict[Node, None] = {}
    waiting = [] if isinstance(node, Loop) else list(reversed(node.inputs))
    while waiting:
        one = waiting.pop()
        if one not in visited:
            visited[one] = None
            waiting += [] if isinstance(one, Loop) else reversed(one.inputs)
    return tuple(one for one in visited if isinstance(one, Iterate))
