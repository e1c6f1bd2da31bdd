"""Rows whitened by public ones: no privacy is spent, and public rows that are unlike the table's
cost accuracy, never privacy. Privacy: docs/proofs/divided; statistics: docs/flagship.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Self

import attrs
import numpy as np

from dpframe.errors import InvalidArgument
from dpframe.graph import ColumnNode, RowsNode
from dpframe.graph.maps.bounds import Intercept
from dpframe.graph.maps.linear import decoded, encoded, public_array
from dpframe.symbols import Number, exact

from .released_units import InUnits
from .solve import Array

START = "whitening by public rows: "
SMALLEST, LARGEST = 1e-100, 1e100  # of the largest entry: squares neither vanish nor overflow
FLOORS = (1e-6, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0)  # of the mean eigenvalue, beside every eigenvalue
BEYOND = (0.2, 0.1, 0.05, 0.01, 0.0)  # shares of public rows that are longer than a norm


class PublicRows(str):
    """What unlabelled rows (m, d) that anybody may see say of rows like them, as a text that stands
    in the certificate: how to whiten them, and with an intercept beside them.
    """

    __slots__ = ()

    @classmethod
    def of(cls, given: Any) -> Self | None:
        """Of rows in the units of the declared ones, without an intercept; None for None. Raises
        InvalidArgument.
        """
        if given is None or isinstance(given, cls):
            return given
        if isinstance(given, str) and given.startswith(START):  # as a certificate has it
            return cls(given)
        try:
            rows = np.array(given, dtype=float)
        except Exception:  # noqa: BLE001 - whatever others' arrays raise, which may quote data
            rows = np.array(np.nan)
        largest = np.max(np.abs(rows), initial=0.0)
        if rows.ndim != 2 or not SMALLEST <= largest <= LARGEST:
            way_out = "Rows of another table that may be published, without labels."
            wanted = f"a table (m, d) of numbers up to {LARGEST:g} in size, not all of them zero"
            raise InvalidArgument("public", wanted, type(given).__name__, way_out)
        beside = np.column_stack([rows, np.ones(len(rows))])
        found = {"alone": whitening(rows), "beside": whitening(beside)}
        return cls(START + json.dumps([rows.shape, found], default=attrs.asdict))

    def __repr__(self) -> str:
        (m, d), _ = json.loads(self.removeprefix(START))
        return f"<{m} x {d} public rows>"

    def whitening(self, *, intercept: bool) -> Whitening:
        """Of rows, or of rows with an intercept of 1."""
        _, found = json.loads(self.removeprefix(START))
        return Whitening(**found["beside" if intercept else "alone"])


@attrs.frozen
class Whitening:
    """Rows x `matrix` (d, d), as a text, shrunk to `norm`: the mean of min(1, norm/|x|)^2 is
    about `weight`, less two standard errors; and by what noise of std `norm` on X'y is multiplied
    in the mean square of predictions, times the number of records, `cost`.
    """

    matrix: Sequence[str] = attrs.field(repr=False)
    norm: float
    weight: float
    cost: float

    @classmethod
    def of(cls, rows: Array, matrix: Array, norm: float) -> Self:
        """As public rows (m, d) have it."""
        turned = rows @ matrix
        lengths = np.linalg.norm(turned, axis=1)
        factors = np.minimum(1.0, norm / np.maximum(lengths, norm)) ** 2
        whole = turned.T @ turned / len(rows)
        kept = (turned * factors[:, None]).T @ turned / len(rows)
        kept += np.trace(whole) / len(rows) / len(whole) * np.eye(len(whole))
        inverse = np.linalg.inv(kept)
        cost = norm**2 * float(np.trace(inverse @ whole @ inverse))
        weight = float(factors.mean() - 2 * factors.std() / np.sqrt(len(rows)))
        return cls(encoded(matrix), norm, weight, cost)


def whitening(rows: Array) -> Whitening:
    """The one that costs least on public rows (m, d), of columns as they are or over their root
    mean squares; of matrices that make the second moment I but for a part of FLOORS, so that
    directions in which few rows lie do not make these long; and of norms that a share of BEYOND
    exceeds.
    """
    sizes = np.sqrt(np.mean(rows**2, axis=0))
    sizes[sizes == 0] = sizes.max()
    tried = []
    for divisors in (np.full(len(sizes), np.sqrt(np.mean(sizes**2))), sizes):
        scaled = rows / divisors
        values, vectors = np.linalg.eigh(scaled.T @ scaled / len(rows))
        for floor in FLOORS:
            turn = vectors / np.sqrt(np.maximum(values, 0.0) + floor * np.mean(values))
            matrix = turn / divisors[:, None]
            lengths = np.linalg.norm(rows @ matrix, axis=1)
            norms = np.quantile(lengths, 1 - np.array(BEYOND))
            tried += [Whitening.of(rows, matrix, float(norm)) for norm in norms if norm > 0]
    return min(tried, key=lambda one: one.cost)


def in_public_units(X: RowsNode, y: ColumnNode, public: PublicRows) -> InUnits:
    """Whiten, an intercept too, and shrink records that are long then. Raises InvalidArgument."""
    intercept = isinstance(X, Intercept)
    found = public.whitening(intercept=intercept)
    matrix = decoded(*found.matrix)
    if isinstance(X, Intercept):
        if not isinstance(X.value, Number):
            way_out = "With public rows the constant is written, with_intercept(1)."
            raise InvalidArgument("intercept", "a number", X.value, way_out)
        matrix[-1] /= float(X.value.value)
    if isinstance(X.columns, Number) and X.columns.value != len(matrix):
        wanted = f"rows of {X.columns.value - intercept} columns, as the table's"
        raise InvalidArgument("public", wanted, f"{len(matrix) - intercept} columns")
    units = public_array(matrix)
    return InUnits.of(X.times(units), y, units, exact(found.norm), found.weight)
