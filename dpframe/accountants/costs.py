"""What anything costs, as one Composition: the way into every exchange with others."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from .composed import Composition, compose


@runtime_checkable
class Composed(Protocol):
    """What knows its own cost, such as a certificate."""

    def as_composition(self) -> Composition:
        """Its releases together. Raises InvalidArgument."""


def composition_of(thing: object) -> Composition:
    """`thing` as a Composition: itself, what a certificate's releases cost, or `compose(thing)` at
    sensitivity 1 under add/remove. Raises InvalidArgument.
    """
    if isinstance(thing, Composition):
        return thing
    return thing.as_composition() if isinstance(thing, Composed) else compose(thing)
