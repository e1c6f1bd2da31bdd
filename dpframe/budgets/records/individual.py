"""The individual privacy filter: records pay their realised costs, and leave when they cannot; and
the cost of a Gaussian release of a sum for each record in it, rounded up in doubles.
"""

from __future__ import annotations

import os
from fractions import Fraction
from threading import Lock
from typing import Any, NoReturn

import numpy as np

from dpframe.errors import InvalidArgument, Plain
from dpframe.numerics import next_down, to_float
from dpframe.privacy import ADD_REMOVE, GaussianDP, Guarantee, Relation, ZeroConcentratedDP
from dpframe.symbols import rational

from ..filters.prices import Kind
from .amounts import Doubles, Mask, array_of, is_one
from .columns import opened

UP = 1 + 2.0**-50  # over four roundings, and the reading as a decimal
TINY = 2.0**-1070  # over what underflow loses


def gaussian_cost(norms: object, std: object, *, kind: Kind) -> Doubles:
    """At least |g_i|^2/std^2 (dp.GaussianDP: mu squared), or half of it (dp.ZeroConcentratedDP:
    rho), for the noise N(0, std^2) in every coordinate of a sum of g_i.

    `norms` of shape (n,) are at least the 2-norms of the contributions of records (`row_norms`).
    `std` > 0 is public: it depends on earlier releases only. A cost beyond doubles is inf, 0 where
    the norm is 0. Rounding up adds less than 1e-14 of it: costs that fill a budget on paper
    exceed it. Raises InvalidArgument, which shows no norms. [BunS16, Prop 1.6]
    [DongRS22, Thm 2.7]
    """
    if kind is not GaussianDP and kind is not ZeroConcentratedDP:
        raise InvalidArgument("kind", "dp.GaussianDP or dp.ZeroConcentratedDP", kind)
    lengths = _doubles(array_of("norm", norms, None, private=True))
    with np.errstate(over="ignore", under="ignore"):
        mu = lengths / _below(std)
        cost = mu * mu * UP + TINY
        return np.where(lengths > 0, cost if kind is GaussianDP else cost / 2 + TINY, 0.0)


def row_norms(rows: object) -> Doubles:
    """At least the 2-norm of each row of `rows`, shape (n, d) -> (n,).

    Raises InvalidArgument for another shape and for nan, which shows no entries.
    """
    given = np.asarray(rows)
    if given.ndim != 2 or 0 in given.shape or given.dtype.kind not in "iuf":
        raise InvalidArgument("rows", "numbers of shape (n, d)", Plain("another shape or type"))
    sizes = np.abs(given.astype(np.float64))
    if np.isnan(sizes).any():
        raise InvalidArgument(
            "rows", "without nan", Plain("an array with nan"), "Drop or fill those."
        )
    largest = sizes.max(axis=1, keepdims=True)
    scaled = np.divide(
        sizes, largest, out=np.zeros_like(sizes), where=np.isfinite(largest) & (largest > 0)
    )
    # in units of the last place: 3 + d in the sum of squares, and its root, product and halves
    slack = 1 + (given.shape[1] + 10) * 2.0**-52
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        norms = np.sqrt((scaled * scaled).sum(axis=1)) * largest[:, 0] * slack
    return np.where(np.isfinite(largest[:, 0]), norms, np.inf) + np.where(norms > 0, TINY, 0.0)


def _below(std: object) -> float:
    """A double below `std`, read as its shortest decimal or as the double that it is."""
    found = Fraction(0) if isinstance(std, str) else rational(std, "std")
    low = next_down(to_float(found, up=False))
    if low <= 0:
        raise InvalidArgument("std", "a number above 0", std)
    return low


def _doubles(values: Any) -> Doubles:
    """Object arrays of Fractions as doubles, rounded up."""
    if values.dtype == object:
        return np.array([to_float(each, up=True) for each in values])
    return np.asarray(values, dtype=np.float64)


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
    earlier releases, and depends on that record and them alone; (3) a record that the mask leaves
    out contributes 0; (4) each release was preceded by one `admit`. Proved in
    docs/proofs/individual.md.

    Under replace-one it is refused: two records in one place have two costs, and one may be in
    while the other is out. Mask and totals are as private as the records, so nothing here shows,
    copies or saves them.
    """

    __slots__ = ("_columns", "_kind", "_lock", "_process", "_releases")

    def __init__(
        self, budgets: object, groups: object = None, *, kind: type[Guarantee], relation: Relation
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
        """The class of guarantees that it adds up."""
        return self._kind

    @property
    def releases(self) -> int:
        """The number of its releases, which is public."""
        return self._releases

    def admit(self, cost: object) -> Mask:
        """Charge a release to every record that it fits, and return the mask of these, shape (n,).

        `cost` has one number a record, in rho or mu squared: an upper bound on what its presence
        costs (`gaussian_cost`), given what was released; 0 for a record that does not matter, inf
        for one that must stay out. Doubles are read as their shortest decimal, and rounded up to a
        public quantum. The mask is private.
        Raises InvalidArgument, which shows no cost; then no record is charged.
        """
        if os.getpid() != self._process:
            raise InvalidArgument("filter", "one of this process", Plain("a fork of one"), PRIVATE)
        column = self._columns[0]
        if is_one(cost, self._kind):
            wanted = "an array of one realised cost a record"
            raise InvalidArgument(
                "cost", wanted, Plain("one for all"), "dp.Filter charges worst cases."
            )
        values = array_of("cost", cost, column.members.n, private=True)
        charges = column.counted(column.quantum.of_objects(values))
        with self._lock:
            column = self._columns[0]
            mask = column.affordable(charges)
            charged = column.charged(charges, mask)
            assert charged is not None  # noqa: S101  # only records that it fits were charged
            self._columns, self._releases = (charged,), self._releases + 1
        return mask

    def __repr__(self) -> str:
        """`IndividualFilter(zcdp, add/remove: private state, 3 releases)`."""
        name = f"{self._kind.kind}, {ADD_REMOVE}"
        return f"IndividualFilter({name}: private state, {self._releases} releases)"

    def __reduce__(self) -> NoReturn:
        """Refuse copies, pickles and files."""
        raise InvalidArgument(
            "filter", "kept, not copied, pickled or saved", Plain("a copy"), PRIVATE
        )
