"""Budgets as they are given: one number a record, or named groups. Checked before anything else."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import attrs

from dpframe.errors import InvalidArgument, Plain, listed_words
from dpframe.numbers import doubles, shortest
from dpframe.symbols import Expression, Number, Symbol, exact
from dpframe.symbols.expression import Domain

from .each import BUDGETS, Each

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

REAL = "iuf"
WAY_OUT = "Give everybody a positive number, or leave out who wants to give nothing."


@attrs.frozen(eq=False)
class Listed:
    """One number a record: doubles, shape (n,), each meaning its shortest decimal."""

    name: str
    numbers: Array

    @property
    def domain(self) -> Domain:
        """From the least to the largest."""
        ends = (self.numbers.min(), self.numbers.max())
        low, high = (shortest(float(end)) for end in ends)
        return Domain(low, high, lower_closed=True, upper_closed=True)


@attrs.frozen
class Grouped:
    """One number or parameter a group, by the groups' names."""

    name: str
    names: tuple[str, ...]
    amounts: tuple[Expression, ...]

    @property
    def domain(self) -> Domain:
        """From the least to the largest where all are numbers; whatever it may be otherwise."""
        values = [one.value for one in self.amounts if isinstance(one, Number)]
        if len(values) < len(self.amounts):
            return whole_range(self.name)
        return Domain(min(values), max(values), lower_closed=True, upper_closed=True)


Given = Expression | Listed | Grouped


def whole_range(name: str) -> Domain:
    """Every budget of this name."""
    most = BUDGETS[name]
    return Domain(Fraction(0), None if most is None else Fraction(most))


def given(name: str, value: object) -> Given:
    """A budget as it is given: a number or formula for all, a mapping from groups to numbers, or
    an array of numbers. Raises InvalidArgument.
    """
    if isinstance(value, (Grouped, Listed)):
        return value
    if isinstance(value, Mapping):
        return _grouped(name, value)
    if isinstance(value, Expression) or not _is_list(value):
        return _checked(name, exact(value, name))
    return _listed(name, value)


def symbol_of(budget: Listed | Grouped, *, public: bool) -> Symbol:
    """The symbol that stands for each record's number."""
    return Symbol(budget.name, budget.domain, Each(public))


def _is_list(value: object) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes))


def _checked(name: str, formula: Expression) -> Expression:
    """A budget of one group: a number in range, or a parameter whose range is."""
    whole = whole_range(name)
    if isinstance(formula, Number) and formula.value not in whole:
        raise InvalidArgument(f"budget {name}", str(whole), Plain("another number"), WAY_OUT)
    if isinstance(formula, Symbol) and formula.domain.positive:
        return formula
    if not isinstance(formula, Number):
        wanted = "a number, or a parameter with a positive range"
        raise InvalidArgument(f"budget {name}", wanted, str(formula), WAY_OUT)
    return formula


def _is_name(group: object) -> bool:
    return isinstance(group, str) and bool(group) and group.isprintable()


def _grouped(name: str, groups: Mapping[Any, object]) -> Grouped:
    if not groups or not all(map(_is_name, groups)):
        way_out = "Such as {'careful': 0.1, 'open': 1}; arrays of texts lose NULs at their ends."
        raise InvalidArgument(f"groups of {name}", "a mapping from names", dict(groups), way_out)
    amounts = tuple(
        _checked(name, exact(value, f"{name} of {group}")) for group, value in groups.items()
    )
    if any(symbol.origin is not None for one in amounts for symbol in one.symbols()):
        wanted = "a number or a public parameter for each group"
        raise InvalidArgument(f"groups of {name}", wanted, listed_words(amounts))
    return Grouped(name, tuple(groups), amounts)


def _listed(name: str, value: Any) -> Listed:
    """The array of an argument, every entry of which is a budget."""
    import numpy as np

    try:
        numbers = np.asarray(value)
    except (TypeError, ValueError):
        raise InvalidArgument(f"budgets {name}", "one list of numbers", type(value)) from None
    if numbers.ndim != 1 or not numbers.size:
        wanted = "one number a record, in one dimension"
        raise InvalidArgument(f"budgets {name}", wanted, f"shape {numbers.shape}", WAY_OUT)
    if numbers.dtype.kind not in REAL:
        wanted, found = "real numbers", f"entries of type {numbers.dtype}"
        raise InvalidArgument(f"budgets {name}", wanted, found, WAY_OUT)
    return Listed(name, _sound(name, doubles(numbers).copy()))


def _sound(name: str, numbers: Array) -> Array:
    """Positive, finite, below the end of their range, with a finite sum."""
    import numpy as np

    most = BUDGETS[name] or math.inf
    good = np.isfinite(numbers) & (numbers > 0) & (numbers < most)
    if not good.all():
        found = f"{np.count_nonzero(~good)} of {len(numbers)} that are not"
        raise InvalidArgument(f"budgets {name}", str(whole_range(name)), found, WAY_OUT)
    with np.errstate(over="ignore"):
        total = numbers.sum()
    if not math.isfinite(total):
        way_out = "No budget that means something is so large."
        raise InvalidArgument(f"budgets {name}", "of a finite sum", "an overflow", way_out)
    numbers.flags.writeable = False
    return numbers
