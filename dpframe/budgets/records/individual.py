"""The individual privacy filter: records pay what they really cost, and leave when they cannot."""

from __future__ import annotations

import os
from threading import Lock
from typing import NoReturn

import numpy as np

from dpframe.errors import InvalidArgument
from dpframe.privacy import ADD_REMOVE, GaussianDP, Guarantee, Relation, ZeroConcentratedDP

from ..filters.prices import Kind
from .amounts import ByRecord, array_of, is_one
from .opening import opened
from .quantum import Mask

PRIVATE = (
    "It depends on the rows: keep it in the process that holds them, and begin a new one there."
)


class IndividualFilter:
    """Admits each record to a release while its own exact total of *realised* costs stays within
    its public budget; the others contribute nothing. [FeldmanZ21] [KoskelaTH23]

    `kind` is dp.ZeroConcentratedDP (rho adds) or dp.GaussianDP (mu squared adds), and `relation`
    dp.ADD_REMOVE: all releases together then satisfy, between any table and the same without
    record i, the guarantee of the budget of i. `budgets` are as for a RecordLedger, public, and do
    not depend on values in records.

    That is a theorem where, at each release, (1) query, noise and end depend on earlier releases
    only, never on a mask; (2) the cost of a record is at least what its presence costs, given the
    earlier releases, and depends on that record and them alone; (3) whoever the mask leaves out
    contributes 0; (4) each release was preceded by one `admit`. Proved in
    docs/proofs/individual.md.

    Under replace-one it is refused: two records in one place have two costs, and one may be in
    while the other is out. Mask and totals are as private as the records, so nothing here shows,
    copies or saves them.
    """

    __slots__ = ("_columns", "_kind", "_lock", "_process", "_releases")

    def __init__(
        self,
        budgets: object,
        groups: object = None,
        *,
        kind: type[Guarantee],
        relation: Relation,
    ) -> None:
        """Begin with nothing spent. Raises InvalidArgument."""
        if kind is not ZeroConcentratedDP and kind is not GaussianDP:
            wanted = "dp.ZeroConcentratedDP or dp.GaussianDP"
            raise InvalidArgument("kind", wanted, kind, "The theorem is for these.")
        if relation is not ADD_REMOVE:
            way_out = (
                "A replaced record has two realised costs. Count a replacement as a removal and an "
                "addition: add/remove with a quarter of the budget."
            )
            raise InvalidArgument("relation", "dp.ADD_REMOVE", relation, way_out)
        self._kind: Kind = kind
        self._columns, self._releases = opened(budgets, groups, kind), 0
        self._lock, self._process = Lock(), os.getpid()

    @property
    def kind(self) -> Kind:
        """What it adds up: a class of guarantees."""
        return self._kind

    @property
    def releases(self) -> int:
        """How many times it was asked; public, as the releases are."""
        return self._releases

    def admit(self, cost: object) -> Mask:
        """Charge a release to every record that it fits, and say which those are: shape (n,).

        `cost` has one number a record, in rho or mu squared: an upper bound on what its presence
        costs (`gaussian_cost`), given what was released; 0 for a record that does not matter, inf
        for one that must stay out. Doubles are read as their shortest decimal, and rounded up to a
        public quantum. The mask is private.
        Raises InvalidArgument, which shows no cost; then nobody is charged.
        """
        if os.getpid() != self._process:
            raise InvalidArgument("filter", "one of this process", "a fork of one", PRIVATE)
        column = self._columns[0]
        if is_one(cost, self._kind):
            wanted = "an array of one realised cost a record"
            raise InvalidArgument("cost", wanted, "one for all", "dp.Filter charges worst cases.")
        values = array_of("cost", cost, column.members.n, private=True)
        if values.dtype == object:
            values = np.array([column.quantum.up(each) for each in values], np.int64)
        bill = column.counted(ByRecord(values))
        with self._lock:
            column = self._columns[0]
            mask = column.affordable(bill)
            charged = column.charged(bill, mask)
            assert charged is not None  # noqa: S101  # only whom it fits were charged
            self._columns, self._releases = (charged,), self._releases + 1
        return mask

    def __repr__(self) -> str:
        """`IndividualFilter(zcdp, add/remove: private state, 3 releases)`."""
        name = f"{self._kind.kind}, {ADD_REMOVE}"
        return f"IndividualFilter({name}: private state, {self._releases} releases)"

    def __reduce__(self) -> NoReturn:
        """Refuse copies, pickles and files."""
        raise InvalidArgument("filter", "kept, not copied, pickled or saved", "a copy", PRIVATE)
