"""What a filter and an odometer share: one ledger, charged atomically, in one process."""

from __future__ import annotations

import os
import secrets
from abc import ABC, abstractmethod
from fractions import Fraction
from pathlib import Path
from threading import Lock
from typing import ClassVar, NoReturn, Self, TypeAlias

from dpframe.errors import BadLedger, InvalidArgument, StaleLedger
from dpframe.privacy import ApproxDP, Guarantee, Share

from . import files, registry
from .document import Header, Ledger, check_expected, key_of, ledger_of, seal_of, text_of
from .ledger import State, after, state_of
from .prices import Kind, Price, fixed, price, share_of

Cost: TypeAlias = Guarantee | Share
ELSEWHERE = "Charge in the process that holds the ledger; or save it, and load it where it is used."


class Meter(ABC):
    """Abstract: exact totals of adaptively chosen queries, in the currency of one kind.

    Its state is one immutable value, replaced under a lock: threads never lose a charge, and what
    fails changes nothing. It cannot be copied or pickled, since a copy would spend again.
    """

    __slots__ = ("_header", "_lock", "_process", "_seen", "_state")
    endless: ClassVar[bool]
    """Whether it has no ceiling."""

    def __init__(self, header: Header, state: State, seen: dict[str, str] | None = None) -> None:
        """Begin at `state`; callers use Filter, Odometer and their `load`."""
        self._header, self._state = header, state
        self._lock, self._process = Lock(), os.getpid()
        self._seen = seen or {}  # the seal that each file has, as far as this ledger knows

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

    @property
    def seal(self) -> str:
        """SHA-256 of identity, ceiling, queries and totals: equal seals are equal ledgers.

        Kept elsewhere, it tells at `load` whether a file is the newest one.
        """
        return seal_of(Ledger(self._header, self._state))

    def spend(self, cost: Cost) -> None:
        """Charge one query, before it is answered.

        `cost` holds for whatever was released before; it may depend on that. Raises
        InvalidArgument, and in a filter BudgetExceeded; then nothing is charged.
        """
        amounts = price(cost, self._header.kind)
        if os.getpid() != self._process:
            raise InvalidArgument("ledger", "one of this process", "a fork of one", ELSEWHERE)
        with self._lock:
            state = after(self._state, amounts)
            if state is not None:
                self._state = state
                return
        self._refuse(cost)

    @abstractmethod
    def _refuse(self, cost: Cost) -> NoReturn:
        """Say why `cost` was not charged."""

    def to_json(self, *, key: bytes | None = None) -> str:
        """The ledger as text: identity, ceiling, queries and exact totals, and no data.

        With a `key` of at least 16 secret bytes it is sealed by HMAC-SHA256 as well.
        """
        ledger = Ledger(self._header, self._state)
        text = text_of(ledger, key_of(key))
        registry.note(ledger)
        return text

    @classmethod
    def from_json(
        cls,
        text: str,
        *,
        key: bytes | None = None,
        expect: str | None = None,
        at_least: int = 0,
    ) -> Self:
        """The ledger that `to_json` wrote, and it spends as that would.

        `expect` is the seal that it must have, `at_least` the least number of queries: both from
        elsewhere than the text. Raises BadLedger for a text that was edited or cut short;
        StaleLedger for one older than expected, or than this process has seen.
        """
        ledger = ledger_of(text, key_of(key))
        check_expected(ledger, expect, at_least)
        return cls._opened(ledger, {}, certain=expect is not None)

    @classmethod
    def _opened(cls, ledger: Ledger, seen: dict[str, str], *, certain: bool) -> Self:
        if (ledger.header.ceiling is None) != cls.endless:
            raise BadLedger("the saved ledger", f"that of a {cls.__name__}", "another class")
        if not certain:
            registry.check(ledger)
        registry.note(ledger)
        meter = cls.__new__(cls)
        Meter.__init__(meter, *ledger, seen)
        return meter

    def save(self, path: files.Where, *, key: bytes | None = None) -> None:
        """Replace the file, whole or not at all, unless someone else has moved it on.

        Spend, save, then release: a release that was saved first cannot be forgotten. Raises
        StaleLedger where the file is not the one that this ledger saved or was loaded from.
        """
        where, secret = files.place(path), key_of(key)
        with files.one_writer(where):
            ledger = Ledger(self._header, self._state)
            self._compare(where, secret)
            files.replace(where, text_of(ledger, secret))
            self._seen[str(where)] = seal_of(ledger)
        registry.note(ledger)

    def _compare(self, where: Path, key: bytes | None) -> None:
        if not where.exists():
            return
        on_disk, known = seal_of(ledger_of(files.read(where), key)), self._seen.get(str(where))
        if known != on_disk:
            expected = "the one that this ledger saved or was loaded from"
            way_out = "Release nothing; load the file, and spend again from there."
            raise StaleLedger("the file", expected, str(where), way_out)

    @classmethod
    def load(
        cls,
        path: files.Where,
        *,
        key: bytes | None = None,
        expect: str | None = None,
        at_least: int = 0,
    ) -> Self:
        """The ledger in a file that `save` wrote; arguments and errors as for `from_json`.

        Raises OSError where there is no such file.
        """
        where = files.place(path)
        ledger = ledger_of(files.read(where), key_of(key))
        check_expected(ledger, expect, at_least)
        return cls._opened(ledger, {str(where): seal_of(ledger)}, certain=expect is not None)

    def __reduce__(self) -> NoReturn:
        """Refuse copies and pickles: a copy would spend the same budget again."""
        way_out = "A copy would spend again: save it, and load it elsewhere."
        raise InvalidArgument("ledger", "one, never a copy", type(self).__name__, way_out)


def new_header(kind: Kind, ceiling: tuple[Fraction, ...] | None, target: ApproxDP | None) -> Header:
    """The header of a ledger that begins now, with a random identity."""
    return Header(secrets.token_hex(16), kind, ceiling, target)


def empty(kind: Kind, ceiling: Price | None) -> State:
    """No queries, nothing spent."""
    nothing = fixed("total", kind.currency, (Fraction(0),) * len(kind.currency))
    return state_of(nothing, ceiling, 0)
