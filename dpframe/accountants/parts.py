"""What accountants add: guarantees and privacy losses, each so many times."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import attrs

from dpframe.errors import InvalidArgument
from dpframe.pld import losses
from dpframe.privacy import Guarantee

Costed: TypeAlias = "Guarantee | losses.PrivacyLoss"


def _what(value: object) -> Costed:
    if isinstance(value, (Guarantee, losses.PrivacyLoss)):
        return value
    way_out = "Of a mechanism, take mechanism.loss(sensitivity) or .guarantee(sensitivity)."
    raise InvalidArgument("part", "a guarantee or a privacy loss", value, way_out)


def count_of(value: object) -> int:
    """`value` as a whole number of at least 0, never a bool. Raises InvalidArgument."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InvalidArgument("count", "a whole number of at least 0", value)
    return value


@attrs.frozen(cache_hash=True)
class Part:
    """`count` releases that each cost `what`."""

    what: Costed = attrs.field(converter=_what)
    count: int = attrs.field(default=1, converter=count_of)

    @property
    def loss(self) -> losses.PrivacyLoss:
        """The loss of one of them; InvalidArgument where no single pair dominates."""
        if isinstance(self.what, losses.PrivacyLoss):
            return self.what
        loss = self.what.loss
        if loss is None:
            way_out = "The RDP and zCDP accountants add it."
            raise InvalidArgument("part", "dominated by one pair", str(self.what), way_out)
        return loss


def parts_of(*things: object) -> tuple[Part, ...]:
    """A Part for each thing: a guarantee, a loss, a Part, or a pair (thing, count).

    Equal things keep their places: accountants group them.
    """
    return tuple(_part(thing) for thing in things)


def _part(thing: object) -> Part:
    if isinstance(thing, Part):
        return thing
    if isinstance(thing, tuple) and len(thing) == 2:
        return Part(*thing)
    return Part(thing)


def grouped(parts: Iterable[Part]) -> dict[Costed, int]:
    """How often each distinct cost occurs; nothing that occurs 0 times."""
    counts: dict[Costed, int] = {}
    for part in parts:
        if part.count:
            counts[part.what] = counts.get(part.what, 0) + part.count
    return counts
