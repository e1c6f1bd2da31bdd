"""compose: what many mechanisms cost together, in one line."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import attrs

from dpframe import mechanisms
from dpframe.errors import InvalidArgument
from dpframe.numbers import Exact
from dpframe.numerics import Interval
from dpframe.pld import losses
from dpframe.privacy import (
    ADD_REMOVE,
    REPLACE_ONE,
    GaussianDP,
    Guarantee,
    Relation,
    ZeroConcentratedDP,
)
from dpframe.symbols import ONE

from . import (
    Accountant,
    NumericAccountant,
    Part,
    RenyiAccountant,
    count_of,
    parts_of,
)
from .base import Costed


@attrs.frozen(cache_hash=True)
class Composition:
    """Adaptive composition of parts, under one neighbouring relation, as one accountant adds it up.

    >>> from dpframe import Gaussian, Laplace, compose
    >>> spent = compose((Gaussian(std=4), 8), Laplace(scale=10)).epsilon(1e-6)
    >>> round(spent.upper, 8), spent.width < 1e-12
    (3.34102301, True)
    """

    parts: tuple[Part, ...]
    relation: Relation
    accountant: Accountant

    def epsilon(self, delta: Exact) -> Interval:
        """The least epsilon >= 0 at this delta, 0 < delta < 1: spend `upper`, claim `lower`."""
        return self._known(self.accountant.epsilon(self.parts, delta))

    def delta(self, epsilon: Exact) -> Interval:
        """The least delta at this epsilon >= 0: spend `upper`, claim `lower`."""
        return self._known(self.accountant.delta(self.parts, epsilon))

    def _known(self, found: Interval) -> Interval:
        """`lower` is 0 where a part may cost less than what bounds it."""
        bounded = any(part.above and part.count for part in self.parts)
        return Interval(0.0, found.upper) if bounded else found

    def __add__(self, other: Composition) -> Composition:
        """Both, one after the other."""
        if not isinstance(other, Composition):
            return NotImplemented
        if (self.relation, self.accountant) != (other.relation, other.accountant):
            way_out = "Compose the parts again."
            raise InvalidArgument("other", "of one relation and accountant", str(other), way_out)
        return attrs.evolve(self, parts=self.parts + other.parts)

    def __mul__(self, count: int) -> Composition:
        """`count` times over."""
        times = count_of(count)
        return attrs.evolve(
            self, parts=tuple(attrs.evolve(part, count=part.count * times) for part in self.parts)
        )


def compose(
    *things: object, relation: Relation = ADD_REMOVE, accountant: Accountant | None = None
) -> Composition:
    """What these cost together: mechanisms (at sensitivity 1), guarantees, privacy losses, or pairs
    (thing, count).

    `relation` is the one under which each sensitivity is 1; a mechanism whose cost under it is not
    known is refused. `accountant` is the certified numeric one unless another is given. For other
    sensitivities give `mechanism.loss(sensitivity, relation)`. Where a mechanism is added by a
    guarantee that it may not spend, `lower` is 0. Raises InvalidArgument.
    """
    if not isinstance(relation, Relation):
        raise InvalidArgument("relation", "dp.ADD_REMOVE or dp.REPLACE_ONE", relation)
    chosen = NumericAccountant() if accountant is None else accountant
    if not isinstance(chosen, Accountant):
        raise InvalidArgument("accountant", "one of dpframe's accountants", accountant)
    costs = [_cost(thing, relation, chosen) for thing in things]
    return Composition(parts_of(*costs), relation, chosen)


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


def _cost(thing: object, relation: Relation, accountant: Accountant) -> object:
    if isinstance(thing, tuple) and len(thing) == 2:
        if isinstance(thing[0], mechanisms.Mechanism):
            return attrs.evolve(_priced(thing[0], relation, accountant), count=thing[1])
        return (_cost(thing[0], relation, accountant), thing[1])
    if isinstance(thing, mechanisms.Mechanism):
        return _priced(thing, relation, accountant)
    return _symmetric(thing) if relation is REPLACE_ONE else thing


def _priced(thing: mechanisms.Mechanism, relation: Relation, accountant: Accountant) -> Part:
    what = _of_mechanism(thing, relation, accountant)
    return Part(what, above=not _attained(thing, what))


def _of_mechanism(
    thing: mechanisms.Mechanism, relation: Relation, accountant: Accountant
) -> Costed:
    concentrated = thing.gives is ZeroConcentratedDP or _given(thing) is ZeroConcentratedDP
    if accountant.reads_losses and not (concentrated and isinstance(accountant, RenyiAccountant)):
        return thing.loss(1, relation)
    if isinstance(thing, mechanisms.Subsampled):
        return thing.guarantee(ONE, relation)
    return thing.guarantee(ONE)


def _attained(thing: mechanisms.Mechanism, what: Costed) -> bool:
    """Whether some release of a mechanism costs all of `what`: Gaussian noise its guarantee, others
    their own loss, none the worst loss of a guarantee. A black box is whatever has its guarantee.
    """
    if isinstance(thing, mechanisms.BlackBox):
        return True
    if isinstance(what, Guarantee):
        return isinstance(what, GaussianDP)
    return not isinstance(what, losses.ResponseLoss)


def _symmetric(thing: object) -> object:
    """`thing`, unless it is a loss of one direction: replacing a record both removes and adds."""
    if isinstance(thing, losses.PrivacyLoss) and thing.reverse() != thing:
        way_out = 'Take the loss from a mechanism, or direction="both".'
        raise InvalidArgument("loss", "that of both directions under replace-one", thing, way_out)
    return thing


def _given(thing: mechanisms.Mechanism) -> type[Guarantee] | None:
    return type(thing.given) if isinstance(thing, mechanisms.BlackBox) else None
