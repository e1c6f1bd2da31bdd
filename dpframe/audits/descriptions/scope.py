"""What names mean in a setting, and the value of a formula there."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import reduce
from itertools import zip_longest
from typing import Any, NoReturn

import attrs

from dpframe.errors import InvalidArgument, TouchesData, UnsafeFormula
from dpframe.graph import ColumnNode, DataNode, Post, RowsNode
from dpframe.graph.statistics import Statistic
from dpframe.privacy import Share
from dpframe.privacy.guarantees import order_of
from dpframe.symbols import Expression, Number, Symbol, add, constant, exact, multiply, power

from .functions import FUNCTIONS, STATISTICS, Function, Value
from .keys import OF_YOUR_OWN
from .language import (
    Added,
    Call,
    Literal,
    Multiplied,
    Name,
    Raised,
    Size,
    Tree,
    Turned,
    measured,
    read,
)
from .limits import MOST_BITS


@attrs.frozen
class Scope:
    """Values by name; named formulas are read anew wherever they are used."""

    values: Mapping[str, Value]
    named: Mapping[str, Tree] = attrs.field(factory=dict)
    sizes: Mapping[str, Size] = attrs.field(factory=dict)
    released: frozenset[str] = frozenset()
    arrays: Mapping[str, Post] = attrs.field(factory=dict)
    """What is made of earlier releases, by their names."""
    functions: Mapping[str, Function] = FUNCTIONS

    @classmethod
    def of(cls, X: RowsNode, y: ColumnNode | None, budget: Share) -> Scope:
        """The names that every description shares, in this setting."""
        found: dict[str, Value] = {"X": X, "n": X.rows, "d": X.columns}
        found |= {} if X.norm is None else {"B": X.norm}
        found |= {} if X.entry is None else {"box": X.entry}
        if y is not None:
            found |= {"y": y} if y.bound is None else {"y": y, "Y": y.bound}
        order = order_of(budget.currency)
        if order is not None:
            return cls(found | {"epsilon": budget.amounts[0], "order": Number(order)})
        roots = {"mu^2": "mu"}
        amounts = [roots.get(name, name) for name in budget.currency]
        return cls(found | {name: getattr(budget, name) for name in amounts})

    def with_value(self, name: str, value: Expression) -> Scope:
        """The same with one name more."""
        return attrs.evolve(self, values={**self.values, name: value})

    def with_formula(self, name: str, text: str) -> Scope:
        """The same with a named formula more, over the names so far. Raises UnsafeFormula."""
        tree = read(text)
        size = measured(tree, self.sizes, text)
        named = {**self.named, name: tree}
        return attrs.evolve(self, named=named, sizes={**self.sizes, name: size})

    def knows(self, name: str) -> bool:
        """Whether a name means something: a value, a formula, or a release."""
        return name in self.values or name in self.named or name in self.released

    def value(self, text: str) -> Value:
        """What the text spells. Raises UnsafeFormula, InvalidArgument."""
        tree = read(text)
        measured(tree, self.sizes, text)
        try:
            found = self._value(tree)
            return _small(found, text) if isinstance(found, Expression) else found
        except UnsafeFormula:
            raise
        except (InvalidArgument, TouchesData) as error:
            wanted = "arithmetic that is defined"
            raise UnsafeFormula("formula", wanted, text, f"{error}") from None

    def formula(self, text: str) -> Expression:
        """A number or a formula. A statistic counts as its value, which taints what it reaches."""
        found = self.value(text)
        if isinstance(found, Statistic):
            return exact(found)
        if not isinstance(found, Expression):
            way_out = "sum, trace and the like make numbers of rows and labels."
            raise UnsafeFormula("formula", "a number", found.label, way_out)
        return found

    def statistic(self, text: str) -> DataNode:
        """A statistic of the data. Raises UnsafeFormula for a formula."""
        found = self.value(text)
        if isinstance(found, Symbol) and found == self.values.get("n"):
            return STATISTICS["count"].of([self.values["X"]])  # type: ignore[return-value]
        if isinstance(found, DataNode):
            return found
        way_out = (
            "Such as X'X, X'y, y'y, sum(X), n, lambda_min(X'X). A public constant that is added "
            'moves nothing: leave it out. Where there is no rule, write statistic = "other".'
        )
        raise UnsafeFormula("statistic", "a statistic of X and y", text, way_out)

    def _value(self, tree: Tree) -> Value:
        match tree:
            case Literal(value):
                return Number(value)
            case Name(word):
                return self._name(word)
            case Added(terms):
                return _sum([(minus, self._value(term)) for minus, term in terms])
            case Multiplied(factors):
                return _product([(below, self._value(factor)) for below, factor in factors])
            case Raised(base, exponent):
                return power(_number(self._value(base)), exponent)
            case Turned(left, right):
                return _turned(self._value(left), self._value(right))
            case Call(word, arguments):
                if word not in self.functions:
                    _unknown("function", word, self.functions)
                function = self.functions[word]
                takes = zip_longest(arguments, function.takes[: len(arguments)])
                return function.of([self._argument(tree, kind) for tree, kind in takes])
        raise TypeError(tree)

    def _argument(self, tree: Tree, kind: type | None) -> Any:
        """What an argument spells; of earlier releases where the function takes those."""
        made = self.arrays.get(tree.word) if isinstance(tree, Name) and kind is Post else None
        return self._value(tree) if made is None else made

    def _name(self, word: str) -> Value:
        if word in self.values:
            return self.values[word]
        if word in self.named:
            return self._value(self.named[word])
        if word in self.released:
            way_out = "Noise that follows a released number needs a dp.Regression: see dp.known."
            raise UnsafeFormula("formula", "over public names", word, way_out)
        if word in {"y", "Y"}:
            way_out = "Add labels: [labels] bound = 1."
            raise UnsafeFormula("formula", f"free of {word}: there are no labels", word, way_out)
        return _unknown("name", word, {**self.values, **self.named})


def _unknown(what: str, word: str, known: Mapping[str, object]) -> NoReturn:
    near = ["log"] if word == "ln" and "log" in known else get_close_matches(word, known, 1)
    names = ", ".join(sorted(known, key=str.lower))
    way_out = f"Did you mean {near[0]}?" if near else f"Known: {names}."
    if what == "function" and not near:
        way_out = f"{way_out} {OF_YOUR_OWN}"
    if word == "delta":
        way_out = "The claim has no delta above 0."
    raise UnsafeFormula("formula", f"of known {what}s", word, way_out)


def _number(value: Value) -> Expression:
    if isinstance(value, Expression):
        return value
    if isinstance(value, Statistic):
        return exact(value)
    raise InvalidArgument("power", "of a number", value.label)


def _sum(terms: list[tuple[bool, Value]]) -> Value:
    if all(isinstance(value, Expression) for _, value in terms):
        return add(*(multiply(-1, value) if minus else value for minus, value in terms))
    (minus, first), *rest = terms
    return reduce(_plus, rest, _times(constant(-1), first) if minus else first)


def _plus(left: Value, term: tuple[bool, Value]) -> Value:
    minus, right = term
    if isinstance(left, ColumnNode) and not _is_data(right):
        return left.scaled(1, minus=right if minus else -exact(right))
    if _is_data(left) or _is_data(right):
        way_out = "Rows are shifted by zscore(X) and the like; labels by y - c."
        raise InvalidArgument("sum", "of statistics or of numbers", _label(left, right), way_out)
    found: Any = left
    total: Value = found - right if minus else found + right
    return total


def _product(factors: list[tuple[bool, Value]]) -> Value:
    if all(isinstance(value, Expression) for _, value in factors):
        return multiply(*(power(value, -1) if below else value for below, value in factors))
    (_, first), *rest = factors
    return reduce(_by, rest, first)


def _by(left: Value, factor: tuple[bool, Value]) -> Value:
    below, right = factor
    return _over(left, right) if below else _times(left, right)


def _times(left: Value, right: Value) -> Value:
    if _is_data(right) and not _is_data(left):
        left, right = right, left
    if _is_data(left) and not _is_data(right):
        return _over(left, power(exact(right), -1))
    if _is_data(left):
        raise InvalidArgument("product", "written X'X, X'y or y'y", _label(left, right))
    found: Any = left
    total: Value = found * right
    return total


def _over(left: Value, right: Value) -> Value:
    if _is_data(right):
        raise InvalidArgument("divisor", "a number", _label(right))
    if isinstance(left, (RowsNode, ColumnNode)):
        return left.scaled(exact(right))
    found: Any = left
    total: Value = found / right
    return total


def _turned(left: Value, right: Value) -> Value:
    if not isinstance(left, (RowsNode, ColumnNode)) or not _is_data(right):
        raise InvalidArgument("transpose", "written X'X, X'y or y'y", _label(left, right))
    if isinstance(left, ColumnNode) and isinstance(right, RowsNode):
        left, right = right, left  # y'X is X'y lying down
    if isinstance(left, RowsNode) == isinstance(right, RowsNode) and left != right:
        way_out = "Give the mapped rows a name in [let], and write Z'Z."
        raise InvalidArgument("transpose", "of the same rows", _label(left, right), way_out)
    turned: Any = left
    product: Value = turned.T @ right
    return product


def _is_data(value: Value) -> bool:
    """Whether it is rows or labels, which are no number."""
    return isinstance(value, (RowsNode, ColumnNode))


def _label(*values: Value) -> str:
    return " and ".join(v.label if isinstance(v, DataNode) else str(v) for v in values)


def _small(formula: Expression, text: str) -> Expression:
    """The formula, if all its numbers are in proportion. Raises UnsafeFormula."""
    waiting = [formula]
    while waiting:
        part = waiting.pop()
        waiting.extend(part.parts)
        if isinstance(part, Number) and _bits(part) > MOST_BITS:
            raise UnsafeFormula("formula", "of numbers below 1e1200", text)
    return formula


def _bits(number: Number) -> int:
    return max(map(int.bit_length, number.value.as_integer_ratio()))
