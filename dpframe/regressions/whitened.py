"""Rows whitened by the second moment of public rows, which spends no budget. Public rows unlike the
table cost accuracy, not privacy. Privacy: docs/proofs/divided; statistics: docs/flagship.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Self

import attrs
import numpy as np

from dpframe.errors import InvalidArgument, Plain
from dpframe.graph import ColumnNode, RowsNode
from dpframe.graph.maps.bounds import Intercept
from dpframe.graph.maps.residuals import decoded, encoded, public_array
from dpframe.symbols import Number, exact

from .released_units import InUnits
from .solve import Array

START = "whitening by public rows: "
SMALLEST, LARGEST = 1e-100, 1e100  # limits of the largest entry: squares do not under- or overflow
FLOORS = (1e-6, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0)  # added to eigenvalues, over their mean
BEYOND = (0.2, 0.1, 0.05, 0.01, 0.0)  # shares of public rows that exceed the norm


class PublicRows(str):
    """The whitening computed from public, unlabelled rows (m, d), with and without an intercept, as
    the text that a certificate contains.
    """

    __slots__ = ()

    @classmethod
    def of(cls, given: Any) -> Self | None:
        """From rows in the units of the declared ones, without an intercept; None for None. Raises
        InvalidArgument.
        """
        if given is None or isinstance(given, cls):
            return given
        if isinstance(given, str) and given.startswith(START):  # from a certificate
            return cls(given)
        try:
            rows = np.array(given, dtype=float)
        except Exception:  # noqa: BLE001 - any error of a foreign array type, which may quote data
            rows = np.array(np.nan)
        largest = np.max(np.abs(rows), initial=0.0)
        if rows.ndim != 2 or not SMALLEST <= largest <= LARGEST:
            way_out = "Give rows of another, public table, without labels."
            wanted = f"a table (m, d) of numbers up to {LARGEST:g} in size, not all of them zero"
            raise InvalidArgument("public", wanted, type(given).__name__, way_out)
        beside = np.column_stack([rows, np.ones(len(rows))])
        both = {"alone": whitening(rows), "beside": whitening(beside)}
        return cls(START + json.dumps([rows.shape, both], default=attrs.asdict))

    def __repr__(self) -> str:
        (m, d), _ = json.loads(self.removeprefix(START))
        return f"<{m} x {d} public rows>"

    def whitening(self, *, intercept: bool) -> Whitening:
        """The whitening of rows, or of rows with an intercept of 1."""
        _, both = json.loads(self.removeprefix(START))
        return Whitening(**both["beside" if intercept else "alone"])


@attrs.frozen
class Whitening:
    """Rows are multiplied by `matrix` (d, d), encoded as text, and shrunk to `norm`. `weight` is
    the mean of min(1, norm/|x|)^2 less two standard errors; `cost` is n times the mean squared
    error of predictions from noise of std `norm` on X'y.
    """

    matrix: Sequence[str] = attrs.field(repr=False)
    norm: float
    weight: float
    cost: float

    @classmethod
    def of(cls, rows: Array, matrix: Array, norm: float) -> Self:
        """Evaluate a matrix and a norm on public rows (m, d)."""
        turned = rows @ matrix
        lengths = np.linalg.norm(turned, axis=1)
        factors = np.minimum(1.0, norm / np.maximum(lengths, norm)) ** 2
        whole = turned.T @ turned / len(rows)
        shrunk = (turned * factors[:, None]).T @ turned / len(rows)
        shrunk += np.trace(whole) / len(rows) / len(whole) * np.eye(len(whole))
        inverse = np.linalg.inv(shrunk)
        cost = norm**2 * float(np.trace(inverse @ whole @ inverse))
        weight = float(factors.mean() - 2 * factors.std() / np.sqrt(len(rows)))
        return cls(encoded(matrix), norm, weight, cost)


def whitening(rows: Array) -> Whitening:
    """The whitening of least cost on public rows (m, d), with or without division of columns by
    their root mean squares. Eigenvalues of the second moment are raised by one of FLOORS, so that
    directions of small variance do not make rows long; a share of BEYOND exceeds the norm.
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
    """Whiten rows, with their intercept, and shrink long records. Raises InvalidArgument."""
    intercept = isinstance(X, Intercept)
    chosen = public.whitening(intercept=intercept)
    matrix = decoded(*chosen.matrix)
    if isinstance(X, Intercept):
        if not isinstance(X.value, Number):
            way_out = "With public rows write the constant as a number: with_intercept(1)."
            raise InvalidArgument("intercept", "a number", X.value, way_out)
        matrix[-1] /= float(X.value.value)
    if isinstance(X.columns, Number) and X.columns.value != len(matrix):
        wanted = f"rows of {X.columns.value - intercept} columns, as the table's"
        raise InvalidArgument("public", wanted, Plain(f"{len(matrix) - intercept} columns"))
    units = public_array(matrix)
    return InUnits.of(X.times(units), y, units, exact(chosen.norm), chosen.weight)
