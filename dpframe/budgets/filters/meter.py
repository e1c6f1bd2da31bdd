"""What a filter and an odometer share: exact totals of queries, charged atomically."""

from __future__ import annotations

import secrets
from abc import abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar, NoReturn, Self, TypeAlias

from dpframe.privacy import ApproxDP, Guarantee, Share

from ..kept import Document, Kept, bad
from .document import Header, document_of, ledger_of
from .ledger import State, after, state_of
from .prices import Kind, Price, fixed, price, share_of

Cost: TypeAlias = Guarantee | Share


class Meter(Kept):
    """Abstract: exact totals of adaptively chosen queries, in the currency of one kind."""

    __slots__ = ("_header", "_state")
    counted, most = "queries", 1 << 16
    endless: ClassVar[bool]
    """Whether it has no ceiling."""

    def __init__(self, header: Header, state: State) -> None:
        """Begin at `state`; callers use Filter, Odometer and their `load`."""
        self._header, self._state = header, state
        self._hold()

    @property
    def kind(self) -> Kind:
        """What it adds up: a class of guarantees."""
        return self._header.kind

    @property
    def spent(self) -> Share:
        """What the queries so far have cost, exactly."""
        return share_of(self.kind, self._state.spent)

    @property
    def queries(self) -> int:
        """How many queries were charged."""
        return self._state.queries

    def spend(self, cost: Cost) -> None:
        """Charge one query, before it is answered.

        `cost` holds for whatever was released before; it may depend on that. Raises
        InvalidArgument, and in a filter BudgetExceeded; then nothing is charged.
        """
        amounts = price(cost, self._header.kind)
        self._check_process()
        with self._lock:
            state = after(self._state, amounts)
            if state is not None:
                self._state = state
                return
        self._refuse(cost)

    @abstractmethod
    def _refuse(self, cost: Cost) -> NoReturn:
        """Say why `cost` was not charged."""

    def _document(self) -> Document:
        return document_of(self._header, self._state)

    @classmethod
    def _read(cls, body: dict[str, Any], _: Mapping[str, str]) -> Self:
        header, state = ledger_of(body)
        if (header.ceiling is None) != cls.endless:
            raise bad(f"that of a {cls.__name__}", "another class")
        meter = cls.__new__(cls)
        Meter.__init__(meter, header, state)
        return meter


def new_header(kind: Kind, ceiling: tuple[Fraction, ...] | None, target: ApproxDP | None) -> Header:
    """The header of a ledger that begins now, with a random identity."""
    return Header(secrets.token_hex(16), kind, ceiling, target)


def empty(kind: Kind, ceiling: Price | None) -> State:
    """No queries, nothing spent."""
    nothing = fixed("total", kind.currency, (Fraction(0),) * len(kind.currency))
    return state_of(nothing, ceiling, 0)
