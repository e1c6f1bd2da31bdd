"""A suite of properties that one kind of plug-in has, checked one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import attrs

from dpframe.errors import InvalidArgument, NonConforming

Contradictions = Iterator[str]
Property = Callable[..., Contradictions]


@attrs.frozen(eq=False)
class Suite:
    """Properties in their order: the statement, the way out, and a generator of contradictions."""

    properties: list[tuple[str, str, Property]] = attrs.field(factory=list)
    raised: dict[type[Exception], tuple[str, str]] = attrs.field(factory=dict)
    """The property that an exception contradicts, whichever is checked, and the way out."""

    def holds(self, statement: str, way_out: str) -> Callable[[Property], Property]:
        """Add a property: a generator of contradictions, of which the first is reported."""

        def added(test: Property) -> Property:
            self.properties.append((statement, way_out, test))
            return test

        return added

    def check(self, plugin: object, *arguments: Any) -> tuple[str, ...]:
        """The properties, all of which hold. Raises NonConforming, also for any exception that a
        plug-in raises where an answer is required.
        """
        name = getattr(plugin, "name", "") or type(plugin).__name__
        for statement, way_out, test in self.properties:
            try:
                contradiction = next(test(*arguments), None)
            except Exception as error:
                if type(error) in self.raised:
                    contradicted, way = self.raised[type(error)]
                    raise NonConforming(name, contradicted, str(error), way) from error
                raised = f"{type(error).__name__}: {error}"
                way = "Fix the exception; refuse an invalid argument by dp.InvalidArgument."
                raise NonConforming(name, statement, raised, way) from error
            if contradiction is not None:
                raise NonConforming(name, statement, contradiction, way_out)
        return tuple(statement for statement, _, _ in self.properties)


def refused(function: Callable[..., object], *arguments: Any) -> bool:
    """A call raises InvalidArgument."""
    try:
        function(*arguments)
    except InvalidArgument:
        return True
    return False
