"""What a split is to make small: a criterion of public numbers, as a formula or by simulation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument
from dpframe.graph import Graph
from dpframe.prover.at_numbers import is_size
from dpframe.prover.unproved import Unproved
from dpframe.symbols import Expression, Number, Symbol, rational

Array = NDArray[np.float64]


class Criterion(ABC):
    """Abstract: a number that a split makes small, made of public numbers alone."""

    @property
    @abstractmethod
    def sentence(self) -> str:
        """What it is, in words, with its public numbers."""

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the caller says is public or true."""
        return ()


class FormulaCriterion(Criterion):
    """Abstract: a criterion that is a formula of the noise of a graph."""

    @property
    @abstractmethod
    def sizes(self) -> Mapping[str, Expression]:
        """The public sizes of the table, d and perhaps n, by name."""

    @abstractmethod
    def formula(self, graph: Graph) -> Expression:
        """The criterion of a graph, in its symbols but for the sizes. Raises InvalidArgument."""

    def of(self, graph: Graph, free: Sequence[Symbol] = ()) -> Expression:
        """The formula, checked to read nothing but the symbols `free`. Raises InvalidArgument."""
        found = self.formula(graph).substitute(dict(self.sizes))
        for symbol in sorted(found.symbols() - set(free), key=lambda one: one.name):
            _refuse(symbol)
        return found


def _refuse(symbol: Symbol) -> None:
    if is_size(symbol):
        wanted, way_out = "given to the criterion", f"Give it {symbol.name}=..., a public number."
    elif symbol.origin is not None:
        wanted = "no part of a criterion: it is not public before the release"
        way_out = "A split is chosen from public numbers; simulate on a table that is public."
    else:
        wanted, way_out = "a number", "Give the target, the setting and other fields numbers."
    raise InvalidArgument(symbol.name, wanted, f"the symbol {symbol}", way_out)


class SampledCriterion(Criterion):
    """Abstract: a criterion that is the mean of simulations."""

    @abstractmethod
    def errors(self, draft: Unproved, points: Sequence[Mapping[str, Fraction]]) -> Array:
        """One number for each point and repeat, shape (points, repeats). Repeat j draws the same
        table and the same noise, but for its size, at every point. Raises InvalidArgument.
        """


def whole(name: str, value: Any, least: int) -> int:
    """A whole number of at least `least`, as it was given. Raises InvalidArgument."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        way_out = "It is public: a number that you know without looking at the data."
        raise InvalidArgument(name, f"a whole number of at least {least}", value, way_out)
    if value < least:
        raise InvalidArgument(name, f"a whole number of at least {least}", value)
    return int(value)


def columns(value: Any) -> int:
    """d >= 1. Raises InvalidArgument."""
    return whole("d", value, 1)


def rows(value: Any) -> int:
    """n >= 1. Raises InvalidArgument."""
    return whole("n", value, 1)


def condition(value: Any) -> Fraction:
    """A condition >= 1. Raises InvalidArgument."""
    found = public_number("condition", value)
    if found < 1:
        raise InvalidArgument("condition", "at least 1", value)
    return found


def public_number(name: str, value: Any, *, zero: bool = False) -> Fraction:
    """A positive number, exact (0 too where `zero`). Raises InvalidArgument, also for a symbol."""
    if isinstance(value, Expression) and not isinstance(value, Number):
        way_out = "A split is chosen from public numbers, before any data is touched."
        raise InvalidArgument(name, "a public number", str(value), way_out)
    number = rational(value, name)
    if number < 0 or (number == 0 and not zero):
        raise InvalidArgument(name, "0 or more" if zero else "positive", value)
    return number
