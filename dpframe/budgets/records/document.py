"""A ledger of records as text: public amounts and a seal over them. Reading believes nothing.

The text is JSON; arrays are base64 of little-endian whole numbers, under their SHA-256.
"""

from __future__ import annotations

import base64
import hashlib
import json
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpframe import documents
from dpframe.errors import BadLedger, DPFrameError, InvalidArgument, StaleLedger
from dpframe.privacy import Unit

from ..filters import registry
from ..filters.document import (
    AMOUNT,
    IDENTITY,
    MAX_QUERIES,
    WAY_OUT,
    Header,
    Ledger,
    _canonical,
    _check_seal,
    _tag,
)
from ..filters.ledger import State
from ..filters.prices import KINDS, Kind, exactly
from ..filters.units import check_unit, of_unit, unit_of
from .column import Column
from .grouped import GroupColumn, groups_of
from .members import Members, members
from .quantum import FINE, MOST, PLACES, Counts, Quantum, quantum_for
from .single import SingleColumn

OLD, SCHEMA = "dpframe-records/1", "dpframe-records/2"  # the old one does not say the unit
MOST_BYTES = 2**30  # of a file: its arrays have a few numbers for every record
Arrays = dict[str, NDArray[Any]]


class Saved(NamedTuple):
    """All that there is to save."""

    identity: str
    kind: Kind
    releases: int
    columns: tuple[Column, ...]
    unit: Unit | None = None


class Read(NamedTuple):
    """A ledger from a text, and the seal that it has there."""

    saved: Saved
    seal: str


def seal_of(saved: Saved) -> str:
    """SHA-256 of the ledger, 64 hexadecimal digits. Whoever can edit a file can compute it."""
    return hashlib.sha256(_canonical(_body(saved, _arrays(saved.columns), SCHEMA))).hexdigest()


def text_of(saved: Saved, key: bytes | None = None, schema: str = SCHEMA) -> str:
    """The ledger as JSON with its seal; with a key also an HMAC-SHA256."""
    arrays = _arrays(saved.columns)
    body = _body(saved, arrays, schema)
    whole = {
        "ledger": body,
        "seal": hashlib.sha256(_canonical(body)).hexdigest(),
        "hmac": None if key is None else _tag(body, key),
        "arrays": {
            name: base64.b64encode(array.tobytes()).decode() for name, array in arrays.items()
        },
    }
    return json.dumps(whole, indent=1) + "\n"


def read_text(text: object, key: bytes | None, unit: Unit | None) -> Read:
    """The ledger that `text_of` wrote, of this or the old schema. Raises BadLedger for any other
    text; InvalidArgument where it is for another unit than `unit`, or does not say for which.
    """
    try:
        whole = _parsed(text)
        _check_seal(whole, key)
        saved = _saved(whole["ledger"], _decoded(whole))
    except BadLedger:
        raise
    except (DPFrameError, ValueError, TypeError, KeyError, RecursionError, OverflowError) as error:
        raise _bad("a ledger within its own budgets", type(error).__name__) from None
    schema = whole["ledger"]["schema"]
    if schema not in {OLD, SCHEMA} or text_of(saved, key, schema) != text:
        raise _bad("written exactly as this version writes it", "another text")
    return Read(_stated(saved, unit, schema), whole["seal"])


def seal_in(text: object, key: bytes | None) -> str:
    """The seal of a text of either schema. Raises BadLedger where it is not that of its body."""
    whole = _parsed(text)
    _check_seal(whole, key)
    return str(whole["seal"])


def _stated(saved: Saved, unit: Unit | None, schema: str) -> Saved:
    """The ledger with the unit that a caller states for it, where the text has none."""
    if unit is None and schema == OLD and saved.releases:
        wanted = "one that says whose privacy its releases were for"
        way_out = (
            "Where you know: load(..., unit=certificate.setting.unit), that of every release so "
            "far. Otherwise spend nothing more from it."
        )
        raise _bad(wanted, "a file of an older version", way_out)
    check_held(saved.unit, unit)
    return saved._replace(unit=unit or saved.unit)


def check_held(held: Unit | None, unit: Unit | None) -> None:
    """Refuse another unit of privacy than the ledger's: epsilon of a record that joins is not that
    of one that is replaced, nor that of a person with more rows. Raises InvalidArgument.
    """
    if unit is not None and held not in {None, check_unit(unit)}:
        way_out = "Keep another ledger for it, or certify for this unit."
        raise InvalidArgument("unit", f"{held}, as before", str(unit), way_out)


def check_expected(found: Read, expect: object, at_least: object) -> None:
    """Refuse a ledger with another seal, fewer releases than the caller knows of, or older than
    one that this process has saved or opened.
    """
    saved, seal = found
    if expect is not None and not isinstance(expect, str):
        raise InvalidArgument("expect", "a seal, as ledger.seal gives it", expect)
    if type(at_least) is not int or at_least < 0:
        raise InvalidArgument("at_least", "a whole number of at least 0", at_least)
    if saved.releases < at_least:
        wanted = f"of at least {at_least} releases"
        raise StaleLedger("the saved ledger", wanted, saved.releases, WAY_OUT)
    if expect is None:
        registry.check(_known(saved))
    elif expect != seal:
        raise StaleLedger("the saved ledger", f"the one with seal {expect}", "another", WAY_OUT)
    note(saved)


def note(saved: Saved) -> None:
    """Remember that this state was saved or opened."""
    registry.note(_known(saved))


def same(one: Saved, other: Saved) -> bool:
    """Whether kind, unit, records, budgets, exact totals, and number of releases are equal."""
    if (one.kind, one.unit, one.releases) != (other.kind, other.unit, other.releases):
        return False
    return all(_same(a, b) for a, b in zip(one.columns, other.columns, strict=True))


def _same(one: Column, other: Column) -> bool:
    if type(one) is not type(other) or one.quantum != other.quantum:
        return False
    if not one.members.same(other.members):
        return False
    if isinstance(one, GroupColumn) and isinstance(other, GroupColumn):
        return one.budgets == other.budgets and _same_totals(one, other)
    return all(np.array_equal(a, b) for a, b in zip(_own(one), _own(other), strict=True))


def _same_totals(one: GroupColumn, other: GroupColumn) -> bool:
    """Totals are `common` and `own` together, so that one may make up for the other."""
    pairs = zip(one.common, other.common, one.present, strict=True)
    moved = [(a - b) * one.quantum.per_one if there else Fraction(0) for a, b, there in pairs]
    if any(each.denominator > 1 or abs(each) > MOST for each in moved):
        return False
    table = np.array([int(each) for each in moved], np.int64)
    if one.own is None and other.own is None:
        return not table.any()
    codes: Any = one.members.codes
    mine, theirs = (0 if column.own is None else column.own for column in (one, other))
    return bool(np.all(mine + table.take(codes) == theirs))


def _own(column: Column) -> tuple[Counts, ...]:
    assert isinstance(column, SingleColumn)  # noqa: S101  # there are two classes
    return column.own, column.most


def _known(saved: Saved) -> Ledger:
    """What the registry compares: identity, number of releases, and the seal as a number."""
    header = Header(saved.identity, saved.kind, None, None)
    return Ledger(header, State(saved.releases, 1, (int(seal_of(saved), 16),), ()))


def _arrays(columns: tuple[Column, ...]) -> Arrays:
    found: Arrays = {}
    if columns[0].members.codes is not None:
        found["codes"] = columns[0].members.codes
    for place, column in enumerate(columns):
        if column.own is not None:
            found[f"own {place}"] = column.own
        if isinstance(column, SingleColumn):
            found[f"most {place}"] = column.most
    return {
        name: array.astype(array.dtype.newbyteorder("<"), copy=False)
        for name, array in found.items()
    }


def _body(saved: Saved, arrays: Arrays, schema: str) -> dict[str, object]:
    first = saved.columns[0]
    grouped = [column for column in saved.columns if isinstance(column, GroupColumn)]
    digests = {
        name: {"type": array.dtype.str, "sha256": hashlib.sha256(array.data).hexdigest()}
        for name, array in arrays.items()
    }
    whose = None if saved.unit is None else of_unit(saved.unit)
    return {
        "schema": schema,
        **({} if schema == OLD else {"unit": whose}),
        "identity": saved.identity,
        "kind": saved.kind.kind,
        "currency": list(saved.kind.currency),
        "records": first.members.n,
        "groups": list(first.members.names),
        "budgets": [list(map(str, column.budgets)) for column in grouped],
        "common": [list(map(str, column.common)) for column in grouped],
        "places": [column.quantum.places for column in saved.columns],
        "releases": saved.releases,
        "arrays": digests,
    }


def _parsed(text: object) -> dict[str, Any]:
    if not isinstance(text, str):
        raise _bad("text", type(text).__name__)
    whole = documents.json_of(text, "the saved ledger", BadLedger)
    if not isinstance(whole, dict) or set(whole) != {"ledger", "seal", "hmac", "arrays"}:
        raise _bad("an object with ledger, seal, hmac and arrays", "something else")
    return whole


def _decoded(whole: dict[str, Any]) -> Arrays:
    stated, given = whole["ledger"]["arrays"], whole["arrays"]
    found = {}
    for name, facts in stated.items():
        if facts["type"] not in {"|u1", "<u2", "<i8"}:
            raise _bad("of arrays of whole numbers", "another type")
        raw = base64.b64decode(given[name], validate=True)
        if hashlib.sha256(raw).hexdigest() != facts["sha256"]:
            raise _bad("of the arrays that its seal names", "another array")
        found[name] = np.frombuffer(raw, facts["type"])
    return found


def _saved(body: dict[str, Any], arrays: Arrays) -> Saved:
    kind, releases, identity = KINDS[body["kind"]], body["releases"], body["identity"]
    if type(releases) is not int or not 0 <= releases <= MAX_QUERIES:
        raise _bad(f"of 0 to {MAX_QUERIES} releases", "another number")
    if not IDENTITY.fullmatch(identity):
        raise _bad("with an identity of 32 hexadecimal digits", "another")
    if any(not _whole(places) for places in body["places"]):
        raise _bad(f"in quanta of 0 to {PLACES} places", "others")
    columns = _groups(body, kind, arrays) if body["groups"] else _singles(body, kind, arrays)
    if not releases and any(column.spent().any() for column in columns):
        raise _bad("of at least 1 release where something is spent", "of none")
    unit = None if body.get("unit") is None else unit_of(body["unit"])
    return Saved(identity, kind, releases, columns, unit)


def _whole(places: object) -> bool:
    return type(places) is int and 0 <= places <= PLACES


def _groups(body: dict[str, Any], kind: Kind, arrays: Arrays) -> tuple[Column, ...]:
    everybody = members(body["groups"], arrays["codes"])
    budgets, common = (_table(body[name], kind, everybody) for name in ("budgets", "common"))
    for amounts in zip(*budgets, strict=True):
        exactly(kind, amounts)
        if not amounts[0]:
            raise _bad("of budgets above 0", "one of 0")
    found = []
    for place, (most, total) in enumerate(zip(budgets, common, strict=True)):
        own = arrays.get(f"own {place}")
        quantum = quantum_for(min(most), max(most))
        if own is not None:
            _check_counts(own, everybody)
        column = groups_of(everybody, quantum, most, total, own)
        if (np.array(column.peaks) > column.table).any():
            raise _bad("within its budgets", "one beyond them")
        found.append(column)
    return tuple(found)


def _table(values: Any, kind: Kind, everybody: Members) -> list[tuple[Fraction, ...]]:
    if len(values) != len(kind.currency) or any(len(v) != everybody.groups for v in values):
        raise _bad("of one amount a currency and group", "others")
    if not all(isinstance(text, str) and AMOUNT.fullmatch(text) for v in values for text in v):
        raise _bad("of exact numbers of at least 0, as text", "others")
    return [tuple(map(Fraction, column)) for column in values]


def _singles(body: dict[str, Any], kind: Kind, arrays: Arrays) -> tuple[Column, ...]:
    if len(body["places"]) != len(kind.currency):
        raise _bad("with a quantum a currency", "others")
    found = []
    for place, places in enumerate(body["places"]):
        everybody = Members(body["records"])
        own, most = arrays[f"own {place}"], arrays[f"most {place}"]
        for counts in (own, most):
            _check_counts(counts, everybody)
        if most.min() < FINE or most.max() > MOST or (own > most).any():
            raise _bad("within its budgets", "one beyond them")
        room = int((most - own).min())
        found.append(SingleColumn(everybody, Quantum(places), own, most, room))
    largest = [column.quantum.amount(int(column.most.max())) for column in found]
    exactly(kind, largest)  # refuses a delta of at least 1
    return tuple(found)


def _check_counts(counts: NDArray[Any], everybody: Members) -> None:
    if counts.dtype != np.int64 or counts.shape != (everybody.n,) or counts.min() < 0:
        raise _bad("of one total of at least 0 a record", "others")


def _bad(requirement: str, value: object, way_out: str = WAY_OUT) -> BadLedger:
    return BadLedger("the saved ledger", requirement, value, way_out)
