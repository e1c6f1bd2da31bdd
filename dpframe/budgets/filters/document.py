"""A filter or an odometer as a document: exact amounts, no data; and what its header is."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from dpframe.errors import InvalidArgument, listed_words
from dpframe.privacy import ApproxDP, number

from ..kept import AMOUNT, Document, headed, identity_and_count
from .ledger import State, state_of
from .prices import KINDS, MAX_BITS, Kind, exactly, fixed
from .targets import is_inside

SCHEMA = "dpframe-ledger/1"


class Header(NamedTuple):
    """What never changes in the life of a ledger."""

    identity: str
    kind: Kind
    ceiling: tuple[Fraction, ...] | None
    target: ApproxDP | None


def document_of(header: Header, state: State) -> Document:
    """All that there is to save."""
    identity, kind, ceiling, target = header
    inside = None if target is None else [str(number("target", part)) for part in target.amounts]
    body = {
        **headed(SCHEMA, identity, kind),
        "ceiling": None if ceiling is None else list(map(str, ceiling)),
        "target": inside,
        "queries": state.queries,
        "spent": list(map(str, state.spent)),
    }
    return Document(body, header, state.queries)


def ledger_of(body: Mapping[str, Any]) -> tuple[Header, State]:
    """The ledger that `document_of` wrote. Raises DPFrameError, ValueError, TypeError, KeyError."""
    kind = KINDS[body["kind"]]
    identity, queries = identity_and_count(body, "queries")
    header = Header(identity, kind, _ceiling(body["ceiling"], kind), _target(body["target"]))
    _check_target(header)
    return header, _state(header, _amounts(body["spent"], kind), queries)


def _amounts(values: Any, kind: Kind) -> tuple[Fraction, ...]:
    if not isinstance(values, list) or len(values) != len(kind.currency):
        raise InvalidArgument("amounts", f"a list of {', '.join(kind.currency)}", values)
    for value in values:
        if not (isinstance(value, str) and AMOUNT.fullmatch(value)):
            raise InvalidArgument("amount", "an exact number of at least 0, as text", value)
    return tuple(map(Fraction, values))


def _ceiling(values: Any, kind: Kind) -> tuple[Fraction, ...] | None:
    if values is None:
        return None
    amounts = _amounts(values, kind)
    exactly(kind, amounts)  # refuses what is out of range
    return amounts


def _target(values: Any) -> ApproxDP | None:
    return None if values is None else ApproxDP(*_amounts(values, ApproxDP))


def _check_target(header: Header) -> None:
    _, kind, ceiling, target = header
    if target is not None and not (ceiling and is_inside(kind, ceiling, target)):
        raise InvalidArgument("ceiling", f"inside {target}", ceiling)


def _state(header: Header, spent: tuple[Fraction, ...], queries: int) -> State:
    _, kind, ceiling, _ = header
    if any(spent) and not queries:
        raise InvalidArgument("queries", "at least 1 where something is spent", queries)
    most = None if ceiling is None else fixed("ceiling", kind.currency, ceiling)
    state = state_of(fixed("total", kind.currency, spent, 4 * MAX_BITS), most, queries)
    if any(left < 0 for left in state.remaining):
        raise InvalidArgument("spent", "within the ceiling", listed_words(spent))
    if state.denominator.bit_length() > 2 * MAX_BITS:
        raise InvalidArgument("spent", f"over at most {2 * MAX_BITS} bits", "a huge denominator")
    return state
