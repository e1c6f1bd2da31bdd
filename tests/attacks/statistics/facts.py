"""What a statistic states of itself, attacked: how far neighbouring tables move it, exactly."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import DPFrameError, InvalidArgument
from dpframe.execution.totals import Pass, derived
from dpframe.execution.views import needed, views
from dpframe.graph import Categorical, ColumnNode, Graph, RowsNode, Setting
from dpframe.graph.maps.bounds import Encoded
from dpframe.graph.statistics import Statistic
from dpframe.numerics.rounding import arb_lower, arb_upper
from dpframe.privacy import ADD_REMOVE
from dpframe.prover.algebra import enclose, number, rational_ball
from dpframe.sensitivity import L1, L2, OPERATOR, Norm
from dpframe.sources.column_values import column_reader
from dpframe.sources.table import Block
from dpframe.symbols import Expression, Number
from tests.attacks.statistics.table_pairs import (
    Palette,
    Shows,
    TablePair,
    described,
    invented,
    simpler,
    varied,
)

# ----------------------------------------------------- How far a statistic moves between two tables
Array = NDArray[Any]
UNDEFINED = (ArithmeticError, ValueError, IndexError)  # no value on a table is no move
DIGITS = 60  # binary ones, of a square root that is rounded down


@attrs.frozen(eq=False, slots=False)
class Measured:
    """A statistic on tables whose rows have `width` columns where no codebook says otherwise."""

    statistic: Statistic
    width: int
    _numbers: dict[Expression, float] = attrs.field(factory=dict, init=False)

    @cached_property
    def graph(self) -> Graph:
        """Everything that it reads."""
        return Graph.of(self.statistic)

    @cached_property
    def columns(self) -> int:
        """How many columns the table has."""
        given = [node.columns for node in self.graph.sources if isinstance(node, RowsNode)]
        known = [one.value for one in given if isinstance(one, Number)]
        return int(known[0]) if known else self.width

    @cached_property
    def shows(self) -> Shows:
        """Whether it reads rows, and labels."""
        kinds = [type(node) for node in self.graph.sources]
        return Shows(
            *(any(issubclass(one, base) for one in kinds) for base in (RowsNode, ColumnNode))
        )

    @cached_property
    def records(self) -> int:
        """How many records one person may have. Raises InvalidArgument."""
        low, high = self._ends(self.statistic.unit.rows_per_person)
        if low != high or low.denominator != 1:
            raise InvalidArgument("rows_per_person", "a whole number", str(low))
        return int(low)

    @cached_property
    def step(self) -> Fraction:
        """The step of its values, rounded down; 1 where they are doubles."""
        step = self.statistic.step
        return Fraction(1) if step is None else self._ends(step)[0]

    @cached_property
    def reading(self) -> Pass:
        """The pass over a table. Raises InvalidArgument."""
        return Pass.of(self.graph, self.number, Block(np.zeros((0, self.columns)), np.zeros(0)))

    def number(self, formula: Expression) -> float:
        """A public bound, rounded towards zero as in execution. Raises InvalidArgument."""
        if formula not in self._numbers:
            self._ends(formula)
            below, above = (number(formula, self._known(1), up=up) for up in (False, True))
            self._numbers[formula] = below if below >= 0 else min(0.0, above)
        return self._numbers[formula]

    def stated(self, norm: Norm, pair: TablePair) -> Fraction:
        """At least its sensitivity, for tables of the size of the larger one. Raises
        InvalidArgument.
        """
        sensitivity = self.statistic.sensitivity(norm)
        if sensitivity is None:
            raise InvalidArgument("norm", "one in which a sensitivity is stated", norm)
        return self._ends(sensitivity.value, pair.size)[1]

    def moved(self, pair: TablePair, norm: Norm) -> Fraction:
        """At most how far it moves between the two tables, exactly; 0 where it has no value."""
        values = self._values(pair)
        if values is None:
            return Fraction(0)
        first, second = (np.vectorize(Fraction, otypes=[object])(one) for one in values)
        return self.step * _size(second - first, norm, symmetric=self.statistic.symmetric)

    def ratio(self, pair: TablePair, norm: Norm) -> float:
        """moved/stated in doubles, to rank pairs by."""
        values = self._values(pair)
        if values is None:
            return 0.0
        difference = (values[1] - values[0]).astype(float)
        moved = _in_doubles(difference, norm, symmetric=self.statistic.symmetric) * float(self.step)
        stated = float(self.stated(norm, pair))
        return moved / stated if stated else math.inf if moved else 0.0

    def _values(self, pair: TablePair) -> tuple[Array, Array] | None:
        try:
            first, second = (self.value(*table) for table in pair.tables)
        except DPFrameError:
            raise
        except UNDEFINED:
            return None
        real = first.dtype.kind == "f"
        if first.shape != second.shape or (real and not np.isfinite(first + second).all()):
            return None
        return first, second

    def value(self, rows: Array, labels: Array) -> Array:
        """The value on a table, of at least one dimension: Python integers of steps, or doubles."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            block = Block(self._read(rows), labels)
            seen = views(self._maps, block, self.number).reals()
            sums, read = self.reading([block]), self.reading.sums
            found = derived(self.graph, read, sums, self.number, before=seen)
            if self.statistic not in found:
                found[self.statistic] = self.statistic.compute(seen, self.number)
        value = np.atleast_1d(found[self.statistic])
        return value if self.statistic.exact else value.astype(float)

    def _read(self, rows: Array) -> Array:
        """Rows as a source reads them: levels of a codebook by their positions, others as zeros."""
        schemas = [node.schema for node in self.graph.nodes if isinstance(node, Encoded)]
        if not schemas:
            return rows
        parts = [
            attrs.evolve(part, unknown="zeros") if isinstance(part, Categorical) else part
            for part in schemas[0]
        ]
        pairs = zip(parts, rows.T, strict=True)
        return np.column_stack([column_reader(part)(cells) for part, cells in pairs])

    @cached_property
    def _maps(self) -> tuple[Any, ...]:
        """The rows and labels that some statistic reads as a whole table."""
        read = set(self.reading.sums)
        whole = [one for one in self.graph.statistics if one not in read]
        return needed(self.graph, whole)

    def _known(self, size: int) -> dict[str, Fraction]:
        return {"d": Fraction(self.columns), "n": Fraction(size)}

    def _ends(self, formula: Expression, size: int = 1) -> tuple[Fraction, Fraction]:
        known = self._known(size)
        unknown = sorted(one.name for one in formula.symbols() if one.name not in known)
        if unknown:
            way_out = f"Give {', '.join(unknown)} numbers in the setting."
            raise InvalidArgument("what is stated", "in numbers", str(formula), way_out)
        ball = enclose(formula, {name: rational_ball(one) for name, one in known.items()})
        return arb_lower(ball), arb_upper(ball)


def _size(difference: Array, norm: Norm, *, symmetric: bool) -> Fraction:
    """At most the norm of exact numbers; of a symmetric matrix L1 counts the upper triangle."""
    if norm is L1:
        counted = difference[np.triu_indices(len(difference))] if symmetric else difference
        return sum((abs(one) for one in np.ravel(counted)), Fraction(0))
    if norm is OPERATOR and difference.ndim == 2:
        vector = np.linalg.svd(difference.astype(float))[2][0]
        exact = np.vectorize(Fraction, otypes=[object])(vector)
        return _root(_squares(difference @ exact) / _squares(exact))
    return _root(_squares(difference))


def _in_doubles(difference: Array, norm: Norm, *, symmetric: bool) -> float:
    if norm is L1:
        counted = difference[np.triu_indices(len(difference))] if symmetric else difference
        return float(np.sum(np.abs(counted)))
    if norm is OPERATOR and difference.ndim == 2:
        return float(np.linalg.norm(difference, 2))
    return float(np.linalg.norm(np.ravel(difference)))


def _squares(values: Array) -> Fraction:
    return sum((one * one for one in np.ravel(values)), Fraction(0))


def _root(square: Fraction) -> Fraction:
    """At most the square root; exact for squares."""
    top, bottom = square.numerator, square.denominator
    return Fraction(math.isqrt(top * bottom << 2 * DIGITS), bottom << DIGITS)


# --------------------------------------------------------------------------------------- The search
ROUNDING = Fraction(1, 10**9)  # of what is stated: doubles added in another order differ


@attrs.frozen(eq=False)
class Attacked:
    """What `tried` pairs of neighbouring tables say of what a statistic states in one norm: the
    worst of them, or, where it breaks the claim, a simpler `pair` that breaks it too.

    `moved` is at most the true move and `stated` at least what is stated for tables of that size,
    both exact; so `refuted` is a fact, and its absence proves nothing. `slack` is the share of
    `stated` that rounding may add: 0 for statistics in whole steps. `ratio` is the largest
    moved/stated that was seen, in doubles.
    """

    label: str
    norm: Norm
    unit: str
    stated: Fraction
    moved: Fraction
    pair: TablePair
    tried: int
    slack: Fraction
    ratio: float
    shows: Shows

    @property
    def refuted(self) -> bool:
        """Whether the pair breaks what is stated."""
        return self.moved > self.stated * (1 + self.slack)

    @property
    def _more(self) -> bool:
        return self.stated > 0 and self.ratio > 1.01 * float(self.moved / self.stated)

    def __str__(self) -> str:
        """`refuted: ...` with the two tables, or how near the search came."""
        states = f"{self.label} states {_shown(self.stated)} in {self.norm} ({self.unit})"
        far = _shown(self.moved)
        if not self.refuted:
            return f"not refuted: {states}; the worst of {self.tried} pairs moves it by {far}"
        pair = described(self.pair, self.shows)
        more = f"; others by {self.ratio:.4g} times what it states" if self._more else ""
        return f"refuted: {states}; these neighbours move it by {far}{more}\n{pair}"


def attack_statistic(
    make: Callable[..., object],
    setting: Setting,
    *,
    columns: int = 2,
    norms: tuple[Norm, ...] = (L1, L2),
    tries: int = 1000,
    rng: np.random.Generator | int = 0,
) -> tuple[Attacked, ...]:
    """Look for two neighbouring tables between which `make(X, y)` moves further than it states: one
    answer for each of the norms in which it states anything, for a number one at most.

    Tables are random, at the ends of the declared intervals and beyond, and made for floating
    point: many equal records, and records that differ in the last bit. Half of the `tries`, for
    each norm, vary the worst pair so far. Rows have so many `columns`, or those of a codebook.
    What is stated may read d and, under replace-one, n. Values are those that the machine computes,
    compared exactly.

    >>> import dpframe as dp
    >>> table = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    >>> print(*attack_statistic(lambda X, y: X.T @ y, table, norms=(L2,), tries=50))
    not refuted: X'y states 1 in L2 (one row added or removed); the worst of 50 pairs moves it by 1
    """
    statistic = make(*setting.nodes())
    measured = Measured(statistic, columns)
    palette = Palette.of(measured.graph, measured.columns, measured.number)
    asked = [norm for norm in norms if statistic.sensitivity(norm) is not None]
    asked = asked if statistic.shape else asked[:1]
    random = np.random.default_rng(rng)
    return tuple(_attacked(measured, palette, norm, tries, random) for norm in asked)


def _attacked(
    measured: Measured, palette: Palette, norm: Norm, tries: int, rng: np.random.Generator
) -> Attacked:
    statistic = measured.statistic
    removes, k = statistic.unit.relation is ADD_REMOVE, measured.records
    worst = invented(palette, k, removes=removes, rng=rng)
    most = measured.ratio(worst, norm)
    for turn in range(1, tries):
        large = 2 * turn < tries
        pair = (
            invented(palette, k, removes=removes, rng=rng)
            if large
            else varied(worst, palette, rng=rng)
        )
        ratio = measured.ratio(pair, norm)
        if ratio > most:
            worst, most = pair, ratio
    slack = Fraction(0) if statistic.exact else ROUNDING
    pair = _simplified(measured, worst, norm, slack)
    return Attacked(
        label=statistic.label,
        norm=norm,
        unit=str(statistic.unit),
        stated=measured.stated(norm, pair),
        moved=measured.moved(pair, norm),
        pair=pair,
        tried=tries,
        slack=slack,
        ratio=max(most, measured.ratio(pair, norm)),
        shows=measured.shows,
    )


def _simplified(measured: Measured, worst: TablePair, norm: Norm, slack: Fraction) -> TablePair:
    """The pair made simpler, step by step, as long as it breaks what is stated."""

    def breaks(pair: TablePair) -> bool:
        return measured.moved(pair, norm) > measured.stated(norm, pair) * (1 + slack)

    found: TablePair | None = worst if breaks(worst) else None
    while found is not None:
        worst, found = found, next(filter(breaks, simpler(found)), None)
    return worst


def _shown(value: Fraction) -> str:
    return f"{float(value):.6g}"
