"""Single charges, read from the file again: a book keeps their sums alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from dpframe.errors import InvalidArgument
from dpframe.privacy import Unit

from . import documents
from .account import Charge
from .chain import Entry, believed


def charge_of(entry: Entry, content: Mapping[str, Any], unit: Unit) -> Charge:
    """The charge that an entry states."""
    return Charge(
        number=entry.number,
        hash=entry.hash,
        dataset=entry.dataset,
        cost=documents.cost(content["cost"], unit),
        prices={kind: documents.amounts(one) for kind, one in content["prices"].items()},
        time=documents.time(entry.time),
    )


def charges_of(entries: Iterable[Entry], units: Mapping[str, Unit]) -> dict[int, Charge]:
    """The charges of data sets of these units, by number, in order. Raises BadLedger for what is no
    charge.
    """
    found: dict[int, Charge] = {}

    def read(entry: Entry, content: Mapping[str, Any]) -> None:
        if entry.action == "charge":
            found[entry.number] = charge_of(entry, content, units[entry.dataset])
            return
        charge = found[content["charge"]]
        if charge.released is not None or charge.dataset != entry.dataset:
            raise InvalidArgument("charge", "one of this data set, released once", "another")
        found[charge.number] = attrs.evolve(charge, released=documents.time(entry.time))

    for entry in entries:
        if entry.action in {"charge", "released"} and entry.dataset in units:
            believed(entry, read)
    return found
