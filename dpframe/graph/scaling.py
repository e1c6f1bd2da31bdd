"""Declaring again with other noise: releases inside `noise_times` draw a multiple of theirs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import attrs

from dpframe.guarantees import Share
from dpframe.symbols import Expression


@attrs.frozen
class Scaling:
    """All noise `factor` times as large. Under a pure budget each release then spends its guarantee
    divided by the factor: its share of `pure`. Else it has no share.
    """

    factor: Expression
    pure: Share | None = None

    def share(self, epsilon: Expression) -> Share | None:
        """The share of a release that was epsilon-DP before the scaling."""
        if self.pure is None:
            return None
        return self.pure.split(epsilon / (self.factor * self.pure.epsilon))[0]


_SCALING: ContextVar[Scaling | None] = ContextVar("scaling", default=None)


@contextmanager
def noise_times(factor: Expression, pure: Share | None = None) -> Iterator[None]:
    """Releases declared in this block draw `factor` times the noise that they state or that their
    theorem prescribes; their shares, which other noise no longer earns, are dropped. Blocks nest.
    """
    outer = _SCALING.get()
    token = _SCALING.set(Scaling(factor if outer is None else outer.factor * factor, pure))
    try:
        yield
    finally:
        _SCALING.reset(token)


def scaling() -> Scaling | None:
    """The scaling of the present block, None outside of any."""
    return _SCALING.get()
