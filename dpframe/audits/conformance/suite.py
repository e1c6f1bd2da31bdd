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
    """Properties in their order: what each says, the way out, and what yields contradictions."""

    properties: list[tuple[str, str, Property]] = attrs.field(factory=list)

    def holds(self, said: str, way_out: str) -> Callable[[Property], Property]:
        """Enter a property: a generator of what contradicts it, of which the first is reported."""

        def entered(test: Property) -> Property:
            self.properties.append((said, way_out, test))
            return test

        return entered

    def check(self, plugin: object, *given: Any) -> tuple[str, ...]:
        """The properties, all of which hold. Raises NonConforming, also for whatever a plug-in
        raises where an answer is wanted.
        """
        name = getattr(plugin, "name", "") or type(plugin).__name__
        for said, way_out, test in self.properties:
            try:
                found = next(test(*given), None)
            except Exception as error:
                raised = f"{type(error).__name__}: {error}"
                way = "Mend what raises; what is no argument is refused by dp.InvalidArgument."
                raise NonConforming(name, said, raised, way) from error
            if found is not None:
                raise NonConforming(name, said, found, way_out)
        return tuple(said for said, _, _ in self.properties)


def refused(ask: Callable[..., object], *arguments: Any) -> bool:
    """Whether a question is refused as dpframe refuses it."""
    try:
        ask(*arguments)
    except InvalidArgument:
        return True
    return False
