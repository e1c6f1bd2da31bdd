"""A ledger as text: exact amounts and a seal over them, no data. Reading believes nothing.

The text is canonical: what is read must be, character for character, what would be written.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from fractions import Fraction
from typing import Any, NamedTuple

from dpframe import documents
from dpframe.errors import BadLedger, DPFrameError, InvalidArgument, StaleLedger, listed_words
from dpframe.privacy import ApproxDP, number

from .ledger import State, state_of
from .prices import KINDS, MAX_BITS, Kind, exactly, fixed
from .targets import is_inside

SCHEMA = "dpframe-ledger/1"
MAX_CHARACTERS = 1 << 16
MAX_QUERIES = 1 << 62
AMOUNT = re.compile(r"(0|[1-9][0-9]{0,4000})(/[1-9][0-9]{0,4000})?")
IDENTITY = re.compile(r"[0-9a-f]{32}")
LEAST_KEY = 16
WAY_OUT = "Restore the newest copy that you trust; never begin anew on the same data."


class Header(NamedTuple):
    """What never changes in the life of a ledger."""

    identity: str
    kind: Kind
    ceiling: tuple[Fraction, ...] | None
    target: ApproxDP | None


class Ledger(NamedTuple):
    """A header and a state: all that there is to save."""

    header: Header
    state: State


def seal_of(ledger: Ledger) -> str:
    """SHA-256 of the ledger, 64 hexadecimal digits. Whoever can edit a file can compute it."""
    return hashlib.sha256(_canonical(_body(ledger))).hexdigest()


def text_of(ledger: Ledger, key: bytes | None = None) -> str:
    """The ledger as JSON with its seal; with a key also an HMAC-SHA256."""
    body = _body(ledger)
    tag = None if key is None else _tag(body, key)
    whole = {"ledger": body, "seal": hashlib.sha256(_canonical(body)).hexdigest(), "hmac": tag}
    return json.dumps(whole, indent=1) + "\n"


def ledger_of(text: object, key: bytes | None = None) -> Ledger:
    """The ledger that `text_of` wrote. Raises BadLedger for any other text."""
    try:
        whole = _parsed(text)
        _check_seal(whole, key)
        ledger = _ledger(whole["ledger"])
    except BadLedger:
        raise
    except (DPFrameError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise _bad("a ledger within its own ceiling", str(error)) from None
    if text_of(ledger, key) != text:
        raise _bad("written exactly as this version writes it", "another text")
    return ledger


def check_expected(ledger: Ledger, expect: object, at_least: object) -> None:
    """Refuse a ledger that has another seal or fewer queries than the caller knows of."""
    if expect is not None and not isinstance(expect, str):
        raise InvalidArgument("expect", "a seal, as ledger.seal gives it", expect)
    if type(at_least) is not int or at_least < 0:
        raise InvalidArgument("at_least", "a whole number of at least 0", at_least)
    if ledger.state.queries < at_least:
        requirement = f"of at least {at_least} queries"
        raise StaleLedger("the saved ledger", requirement, ledger.state.queries, WAY_OUT)
    if expect is not None and not _equal(expect, seal_of(ledger)):
        raise StaleLedger("the saved ledger", f"the one with seal {expect}", "another", WAY_OUT)


def key_of(key: object) -> bytes | None:
    """`key` as at least 16 secret bytes, or None. Raises InvalidArgument."""
    if key is None or (type(key) is bytes and len(key) >= LEAST_KEY):
        return key
    raise InvalidArgument(
        "key", f"at least {LEAST_KEY} bytes", type(key).__name__, "Take secrets.token_bytes(32)."
    )


def _body(ledger: Ledger) -> dict[str, object]:
    (identity, kind, ceiling, target), state = ledger
    inside = None if target is None else [str(number("target", part)) for part in target.amounts]
    return {
        "schema": SCHEMA,
        "identity": identity,
        "kind": kind.kind,
        "currency": list(kind.currency),
        "ceiling": None if ceiling is None else list(map(str, ceiling)),
        "target": inside,
        "queries": state.queries,
        "spent": list(map(str, state.spent)),
    }


def _canonical(body: object) -> bytes:
    return json.dumps(body, sort_keys=True, separators=(",", ":")).encode("ascii")


def _tag(body: object, key: bytes) -> str:
    return hmac.new(key, _canonical(body), hashlib.sha256).hexdigest()


def _parsed(text: object) -> dict[str, Any]:
    if not isinstance(text, str) or len(text) > MAX_CHARACTERS:
        raise _bad(f"text of at most {MAX_CHARACTERS} characters", type(text).__name__)
    whole = documents.json_of(text, "the saved ledger", BadLedger)
    if not isinstance(whole, dict) or set(whole) != {"ledger", "seal", "hmac"}:
        raise _bad("an object with ledger, seal and hmac", "something else")
    return whole


def _check_seal(whole: dict[str, Any], key: bytes | None) -> None:
    body, tag = whole["ledger"], whole["hmac"]
    if (key is None) != (tag is None):
        with_key, way_out = ("without", "Give no key.") if key else ("with", "Give key=.")
        raise _bad(f"opened as it was saved, {with_key} a key", "the other", way_out)
    if key is not None and not _equal(tag, _tag(body, key)):
        raise _bad("sealed with this key", "another HMAC")
    if not _equal(whole["seal"], hashlib.sha256(_canonical(body)).hexdigest()):
        raise _bad("what its seal says", "another SHA-256")


def _equal(given: object, computed: str) -> bool:
    return isinstance(given, str) and given.isascii() and hmac.compare_digest(given, computed)


def _ledger(body: dict[str, Any]) -> Ledger:
    kind, queries, identity = KINDS[body["kind"]], body["queries"], body["identity"]
    if type(queries) is not int or not 0 <= queries <= MAX_QUERIES:
        raise InvalidArgument("queries", f"a whole number from 0 to {MAX_QUERIES}", queries)
    if not IDENTITY.fullmatch(identity):
        raise InvalidArgument("identity", "32 hexadecimal digits", identity)
    header = Header(identity, kind, _ceiling(body["ceiling"], kind), _target(body["target"]))
    _check_target(header)
    return Ledger(header, _state(header, _amounts(body["spent"], kind), queries))


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


def _bad(requirement: str, value: object, way_out: str = WAY_OUT) -> BadLedger:
    return BadLedger("the saved ledger", requirement, value, way_out)
