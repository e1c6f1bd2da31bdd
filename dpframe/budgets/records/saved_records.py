"""A ledger of records as a document: public amounts, and arrays of one number for each record."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpframe.privacy import Unit

from ..filters.prices import KINDS, NOTHING, Kind, exactly
from ..saved_ledger import (
    Document,
    bad_ledger,
    exact_amounts,
    header_of,
    identity_and_count,
    of_unit,
    unit_of,
)
from .amounts import FINE, MOST, PLACES, Quantum, quantum_for
from .columns import Members, RecordTotals, SpendingColumn, members

SCHEMA = "dpframe-records/2"
Arrays = dict[str, NDArray[Any]]


class Saved(NamedTuple):
    """The state of a ledger of records."""

    identity: str
    kind: Kind
    releases: int
    columns: tuple[SpendingColumn, ...]
    unit: Unit | None = None


def document_of(saved: Saved) -> Document:
    """The content of a file: public amounts, and arrays of whole numbers under their SHA-256."""
    arrays = _arrays(saved.columns)
    return Document(_body(saved, arrays), saved.kind, saved.releases, arrays)


def _arrays(columns: tuple[SpendingColumn, ...]) -> Arrays:
    found: Arrays = {}
    if columns[0].members.codes is not None:
        found["codes"] = columns[0].members.codes
    for place, column in enumerate(columns):
        if column.own is not None:
            found[f"own {place}"] = column.own.counts
        if column.most is not None:
            found[f"most {place}"] = column.most
    return {
        name: array.astype(array.dtype.newbyteorder("<"), copy=False)
        for name, array in found.items()
    }


def _body(saved: Saved, arrays: Arrays) -> dict[str, Any]:
    first = saved.columns[0]
    grouped = [column for column in saved.columns if column.most is None]
    digests = {
        name: {"type": array.dtype.str, "sha256": hashlib.sha256(array.data).hexdigest()}
        for name, array in arrays.items()
    }
    return {
        **header_of(SCHEMA, saved.identity, saved.kind, unit=of_unit(saved.unit)),
        "records": first.members.n,
        "groups": list(first.members.names),
        "budgets": [list(map(str, column.budgets)) for column in grouped],
        "common": [list(map(str, column.common)) for column in grouped],
        "places": [column.quantum.places for column in saved.columns],
        "releases": saved.releases,
        "arrays": digests,
    }


def _decoded(stated: Mapping[str, Any], given: Mapping[str, str]) -> Arrays:
    found = {}
    for name, facts in stated.items():
        if facts["type"] not in {"|u1", "<u2", "<i8"}:
            raise bad_ledger("of arrays of whole numbers", "another type")
        raw = base64.b64decode(given[name], validate=True)
        if hashlib.sha256(raw).hexdigest() != facts["sha256"]:
            raise bad_ledger("of the arrays that its seal names", "another array")
        found[name] = np.frombuffer(raw, facts["type"])
    return found


def saved_of(body: Mapping[str, Any], texts: Mapping[str, str]) -> Saved:
    """The ledger that `document_of` wrote. Raises DPFrameError, ValueError, TypeError, KeyError."""
    kind, arrays = KINDS[body["kind"]], _decoded(body["arrays"], texts)
    identity, releases = identity_and_count(body, "releases")
    if any(not _whole(places) for places in body["places"]):
        raise bad_ledger(f"in quanta of 0 to {PLACES} places", "others")
    columns = _groups(body, kind, arrays) if body["groups"] else _singles(body, kind, arrays)
    if not releases and any(column.spent().any() for column in columns):
        raise bad_ledger("of at least 1 release where something is spent", "of none")
    return Saved(identity, kind, releases, columns, unit_of(body["unit"]))


def _whole(places: object) -> bool:
    return type(places) is int and 0 <= places <= PLACES


def _groups(body: Mapping[str, Any], kind: Kind, arrays: Arrays) -> tuple[SpendingColumn, ...]:
    membership = members(body["groups"], arrays["codes"])
    budgets, common = (_table(body[name], kind, membership) for name in ("budgets", "common"))
    for amounts in zip(*budgets, strict=True):
        exactly(kind, amounts)
        if not amounts[0]:
            raise bad_ledger("of budgets above 0", "one of 0")
    found = []
    for place, (most, total) in enumerate(zip(budgets, common, strict=True)):
        own = arrays.get(f"own {place}")
        column = SpendingColumn(
            members=membership,
            quantum=quantum_for(min(most), max(most)),
            own=None if own is None else _totals(own, membership),
            common=total,
            budgets=most,
        )
        if column.exceeded:
            raise bad_ledger("within its budgets", "one beyond them")
        found.append(column)
    return tuple(found)


def _table(values: Any, kind: Kind, membership: Members) -> list[tuple[Fraction, ...]]:
    if len(values) != len(kind.currency) or any(len(v) != membership.groups for v in values):
        raise bad_ledger("of one amount a currency and group", "others")
    return list(map(exact_amounts, values))


def _singles(body: Mapping[str, Any], kind: Kind, arrays: Arrays) -> tuple[SpendingColumn, ...]:
    if len(body["places"]) != len(kind.currency):
        raise bad_ledger("with a quantum a currency", "others")
    found, largest, membership = [], [], Members(body["records"])
    for place, places in enumerate(body["places"]):
        own = _totals(arrays[f"own {place}"], membership)
        most = _totals(arrays[f"most {place}"], membership).counts
        column = SpendingColumn(
            members=membership, quantum=Quantum(places), own=own, common=(NOTHING,), most=most
        )
        if most.min() < FINE or most.max() > MOST or column.exceeded:
            raise bad_ledger("within its budgets", "one beyond them")
        found.append(column)
        largest.append(column.quantum.amount(int(most.max())))
    exactly(kind, largest)  # refuses a delta of at least 1
    return tuple(found)


def _totals(counts: NDArray[Any], membership: Members) -> RecordTotals:
    if counts.dtype != np.int64 or counts.shape != (membership.n,) or counts.min() < 0:
        raise bad_ledger("of one total of at least 0 a record", "others")
    return RecordTotals(counts, membership)
