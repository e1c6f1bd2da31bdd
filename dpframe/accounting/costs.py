"""What anything costs, as one Composition: the way into every exchange with others."""

from __future__ import annotations

from functools import singledispatch

from .composed import Composition, compose


@singledispatch
def composition_of(thing: object) -> Composition:
    """`thing` as a Composition: itself, or `compose(thing)` at sensitivity 1 under add/remove.

    dpframe.prover registers its certificates here. Raises InvalidArgument.
    """
    return thing if isinstance(thing, Composition) else compose(thing)
