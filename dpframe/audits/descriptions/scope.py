"""The values of names in a setting, and of formulas over them."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from itertools import zip_longest
from typing import NoReturn

import attrs

from dpframe.errors import InvalidArgument, TouchesData, UnsafeFormula, some
from dpframe.graph import ColumnNode, DataNode, Post, RowsNode
from dpframe.graph.statistics import Statistic
from dpframe.privacy import Share
from dpframe.privacy.guarantees import order_of
from dpframe.symbols import Expression, Number, Symbol, exact

from . import limits
from .formulas import FormulaSize, ParsedFormula, read
from .functions import FUNCTIONS, STATISTICS, Function, Value
from .keys import LISTED, OF_YOUR_OWN


@attrs.frozen
class FormulaScope:
    """Values by name; the values of named formulas are built anew wherever they are used. `arrays`
    are functions of earlier releases, by their names.
    """

    values: Mapping[str, Value]
    named: Mapping[str, ParsedFormula] = attrs.field(factory=dict)
    released: frozenset[str] = frozenset()
    arrays: Mapping[str, Post] = attrs.field(factory=dict)
    functions: Mapping[str, Function] = FUNCTIONS

    @classmethod
    def of(cls, X: RowsNode, y: ColumnNode | None, budget: Share) -> FormulaScope:
        """The names that every description shares, in this setting."""
        names: dict[str, Value | None] = {"X": X, "n": X.rows, "d": X.columns}
        names |= {"B": X.norm, "box": X.entry, "y": y, "Y": None if y is None else y.bound}
        order = order_of(budget.currency)
        if order is None:
            amounts = ["mu" if name == "mu^2" else name for name in budget.currency]
            names |= {name: getattr(budget, name) for name in amounts}
        else:
            names |= {"epsilon": budget.amounts[0], "order": Number(order)}
        return cls({name: value for name, value in names.items() if value is not None})

    def with_value(self, name: str, value: Expression) -> FormulaScope:
        """The same with one more name."""
        return attrs.evolve(self, values={**self.values, name: value})

    def with_formula(self, name: str, text: str) -> FormulaScope:
        """The same with one more named formula, over the names so far. Raises UnsafeFormula."""
        self.value(text)
        return attrs.evolve(self, named={**self.named, name: read(text, self)})

    def knows(self, name: str) -> bool:
        """A name is that of a value, a formula, or a release."""
        return name in self.values or name in self.named or name in self.released

    def value(self, text: str) -> Value:
        """The value that the text spells. Raises UnsafeFormula, InvalidArgument."""
        formula = read(text, self)
        try:
            value = formula.value()
        except UnsafeFormula:
            raise
        except (InvalidArgument, TouchesData) as error:
            wanted = "arithmetic that is defined"
            raise UnsafeFormula("formula", wanted, text, f"{error}") from None
        if isinstance(value, Expression):
            _check_numbers(value, text)
        return value

    def formula(self, text: str) -> Expression:
        """A number or a formula. A statistic counts as its value, which taints what it reaches."""
        value = self.value(text)
        if isinstance(value, Statistic):
            return exact(value)
        if not isinstance(value, Expression):
            way_out = "sum, trace and the like make numbers of rows and labels."
            raise UnsafeFormula("formula", "a number", value.label, way_out)
        return value

    def statistic(self, text: str) -> DataNode:
        """A statistic of the data. Raises UnsafeFormula for a formula."""
        value = self.value(text)
        if isinstance(value, Symbol) and value == self.values.get("n"):
            value = STATISTICS["count"].of([self.values["X"]])
        if isinstance(value, DataNode):
            return value
        way_out = (
            "Such as X'X, X'y, y'y, sum(X), n, lambda_min(X'X). A public constant that is added "
            'moves nothing: leave it out. Where there is no rule, write statistic = "other".'
        )
        raise UnsafeFormula("statistic", "a statistic of X and y", text, way_out)

    def size(self, name: str) -> FormulaSize:
        """Of a named formula; 1 of other names."""
        return self.named[name].size if name in self.named else FormulaSize()

    def name(self, name: str) -> Value:
        """The value of a name. Raises UnsafeFormula."""
        if name in self.values:
            return self.values[name]
        if name in self.named:
            return self.named[name].value()
        if name in self.released:
            way_out = "Noise that follows a released number needs a dp.Regression: see dp.known."
            raise UnsafeFormula("formula", "over public names", name, way_out)
        if name in {"y", "Y"}:
            way_out = "Add labels: [labels] bound = 1."
            raise UnsafeFormula("formula", f"free of {name}: there are no labels", name, way_out)
        return _refuse_name("name", name, {**self.values, **self.named})

    def call(self, name: str, arguments: list[ParsedFormula]) -> Value:
        """A named function of its arguments; of earlier releases where the function takes those."""
        if name not in self.functions:
            _refuse_name("function", name, self.functions)
        function = self.functions[name]
        values: list[Value | Post] = []
        for one, kind in zip_longest(arguments, function.takes[: len(arguments)]):
            array = self.arrays.get(one.name) if kind is Post else None
            values.append(one.value() if array is None else array)
        return function.of(values)  # type: ignore[no-any-return]


def _refuse_name(what: str, word: str, names: Mapping[str, object]) -> NoReturn:
    near = ["log"] if word == "ln" and "log" in names else get_close_matches(word, names, 1)
    listed = some(sorted(names, key=str.lower), word, LISTED)
    way_out = f"Did you mean {near[0]}?" if near else f"Known: {listed}."
    if what == "function" and not near:
        way_out = f"{way_out} {OF_YOUR_OWN}"
    if word == "delta":
        way_out = "The claim has no delta above 0."
    raise UnsafeFormula("formula", f"of known {what}s", word, way_out)


def _check_numbers(formula: Expression, text: str) -> None:
    """Refuse huge numbers. Raises UnsafeFormula."""
    waiting = [formula]
    while waiting:
        part = waiting.pop()
        waiting.extend(part.parts)
        bits = part.value.as_integer_ratio() if isinstance(part, Number) else (0,)
        if max(map(int.bit_length, bits)) > limits.BITS:
            raise UnsafeFormula("formula", "of numbers below 1e1200", text)
