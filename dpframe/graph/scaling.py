"""Declaring again with other noise: releases inside `noise_times` draw a multiple of theirs, inside
`noise_by` what a rule says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

import attrs

from dpframe.privacy import Share
from dpframe.symbols import Expression

if TYPE_CHECKING:
    from .release import Release


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


_RULE: ContextVar[Callable[[Release], Release] | None] = ContextVar("rule", default=None)


@contextmanager
def noise_by(rule: Callable[[Release], Release]) -> Iterator[None]:
    """Releases declared in this block are what `rule` makes of them; then they are scaled."""
    token = _RULE.set(rule)
    try:
        yield
    finally:
        _RULE.reset(token)


def ruled(declared: Release) -> Release:
    """What the rule of the present block makes of a release; itself outside of any."""
    rule = _RULE.get()
    return declared if rule is None else rule(declared)
