"""The one language of formulas in descriptions: arithmetic over declared names, statistics such as
X'X, and the named functions.

The grammar is that of dpframe.symbols.grammar with numbers for exponents, and one rule more, which
takes the place of an atom:

    joined  = atom (("'" | ".T") ("*" | "@")? joined)?      X'X, X.T @ y

Reading computes nothing. The size of a formula, its parts, its terms when multiplied out and its
nested powers, is limited before its value is built.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any, NoReturn

import attrs

from dpframe.errors import InvalidArgument, Plain, UnsafeFormula
from dpframe.graph import ColumnNode, DataNode, RowsNode
from dpframe.graph.statistics import Statistic
from dpframe.symbols import Expression, Number, add, constant, exact, multiply, power
from dpframe.symbols.grammar import FormulaReader

from . import limits
from .functions import Value
from .keys import OF_YOUR_OWN

if TYPE_CHECKING:
    from .scope import FormulaScope

TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?(?![.\w]))"
    r"|(?P<transpose>'|\.T(?![\w]))|(?P<name>[A-Za-z_][A-Za-z_0-9]*)|(?P<sign>\*\*|[-+*/^(),@]))",
    re.ASCII,
)
ONE = Fraction(1)


@attrs.frozen
class FormulaSize:
    """Parts of a formula, terms of its polynomial, the product of nested powers, and depth."""

    parts: int = 1
    terms: int = 1
    power: Fraction = ONE
    depth: int = 1

    @classmethod
    def over(cls, inside: list[FormulaSize], combine: Callable[[int, int], int]) -> FormulaSize:
        """The size of an operation on parts of these sizes."""
        terms = inside[0].terms if inside else 1
        for size in inside[1:]:
            terms = combine(terms, size.terms)
        return cls(
            sum(size.parts for size in inside) + 1,
            min(terms, 10**9),
            max((size.power for size in inside), default=ONE),
            max((size.depth for size in inside), default=0) + 1,
        )

    def raised(self, exponent: Fraction, text: str) -> FormulaSize:
        """The size of a power. Raises UnsafeFormula."""
        power, many = self.power * max(ONE, abs(exponent)), math.ceil(abs(exponent))
        if power > limits.POWER or exponent.denominator > limits.POWER:
            raise UnsafeFormula("formula", f"of powers of at most {limits.POWER} in all", text)
        terms = math.comb(self.terms + many - 1, many)
        return FormulaSize(self.parts + 1, terms, power, self.depth + 1)

    def check(self, text: str) -> None:
        """Raises UnsafeFormula beyond the limits."""
        for amount, most, what in (
            (self.parts, limits.PARTS, "parts, with the formulas of its names inserted"),
            (self.terms, limits.TERMS, "terms when it is multiplied out"),
            (self.depth, limits.DEEP, "operations inside each other"),
        ):
            if amount > most:
                raise UnsafeFormula("formula", f"of at most {most} {what}", text)


@attrs.frozen(eq=False)
class ParsedFormula:
    """A formula that was read: its size, and a function that builds its value. `name` is set for a
    single name, `constant` for a number.
    """

    size: FormulaSize
    value: Callable[[], Value]
    name: str = ""
    constant: Fraction | None = None


def read(text: str, names: FormulaScope) -> ParsedFormula:
    """The formula that the text spells, within the limits. Raises UnsafeFormula, in time linear in
    a short text.
    """
    if len(text) > limits.IN_FORMULA:
        length = Plain(f"{len(text)} characters")
        raise UnsafeFormula("formula", f"at most {limits.IN_FORMULA} characters", length)
    if not (text.isascii() and text.isprintable()):
        wanted = "letters, digits and operators of plain ASCII"
        raise UnsafeFormula("formula", wanted, text, "Spell Greek letters out: epsilon, delta.")
    formula = _FormulaReader(text, names).whole()
    formula.size.check(text)
    return formula


def _values(parts: list[tuple[bool, ParsedFormula]]) -> list[tuple[bool, Any]]:
    return [(inverse, part.value()) for inverse, part in parts]


class _FormulaReader(FormulaReader[ParsedFormula]):
    token, most = TOKEN, limits.BRACKETS

    def __init__(self, text: str, names: FormulaScope) -> None:
        super().__init__(text)
        self.names = names

    def stray(self, rest: str) -> NoReturn:
        self.refuse(OF_YOUR_OWN if rest[:1] == ":" else f"Unexpected {rest!r}.")

    def added(self, terms: list[tuple[bool, ParsedFormula]]) -> ParsedFormula:
        size = FormulaSize.over([one.size for _, one in terms], int.__add__)
        (minus, first), *others = terms
        negative = -first.constant if minus and not others and first.constant is not None else None
        return ParsedFormula(size, lambda: _sum(_values(terms)), constant=negative)

    def multiplied(self, factors: list[tuple[bool, ParsedFormula]]) -> ParsedFormula:
        size = FormulaSize.over([one.size for _, one in factors], int.__mul__)
        quotient = None
        match factors:
            case [
                (False, ParsedFormula(constant=Fraction() as top)),
                (True, ParsedFormula(constant=bottom)),
            ]:
                quotient = top / bottom if bottom else None
        return ParsedFormula(size, lambda: _product(_values(factors)), constant=quotient)

    def raised(self, base: ParsedFormula, exponent: ParsedFormula) -> ParsedFormula:
        number = exponent.constant
        if number is None:
            self.refuse("A power must be a number, such as ^2 or ^(1/2).")
        size = base.size.raised(number, self.text)
        return ParsedFormula(size, lambda: power(_number(base.value()), number))

    def literal(self, token: str) -> ParsedFormula:
        if abs(int(token.lower().partition("e")[2] or 0)) > 400:
            self.refuse("A number must be below 1e400.")
        number = Fraction(token)
        return ParsedFormula(FormulaSize(), lambda: Number(number), constant=number)

    def named(self, word: str) -> ParsedFormula:
        return ParsedFormula(self.names.size(word), lambda: self.names.name(word), name=word)

    def called(self, word: str, arguments: list[ParsedFormula]) -> ParsedFormula:
        size = FormulaSize.over([one.size for one in arguments], max)
        return ParsedFormula(size, lambda: self.names.call(word, arguments))

    def atom(self) -> ParsedFormula:
        left = super().atom()
        if self.at >= len(self.tokens) or self.tokens[self.at][0] != "transpose":
            return left
        self.at += 1
        self.take("*", "@")
        self.deeper()
        right = self.atom()
        self.depth -= 1
        size = FormulaSize.over([left.size, right.size], max)
        return ParsedFormula(size, lambda: _transposed(left.value(), right.value()))


def _number(value: Value) -> Expression:
    if isinstance(value, Expression):
        return value
    if isinstance(value, Statistic):
        return exact(value)
    raise InvalidArgument("power", "of a number", value.label)


def _sum(terms: list[tuple[bool, Any]]) -> Any:
    if all(isinstance(value, Expression) for _, value in terms):
        return add(*(multiply(-1, value) if minus else value for minus, value in terms))
    (minus, first), *rest = terms
    return reduce(_plus, rest, _times(constant(-1), first) if minus else first)


def _plus(left: Any, term: tuple[bool, Any]) -> Any:
    minus, right = term
    if isinstance(left, ColumnNode) and not _is_data(right):
        return left.scaled(1, minus=right if minus else -exact(right))
    if _is_data(left) or _is_data(right):
        way_out = "Rows are shifted by zscore(X) and the like; labels by y - c."
        raise InvalidArgument("sum", "of statistics or of numbers", _label(left, right), way_out)
    return left - right if minus else left + right


def _product(factors: list[tuple[bool, Any]]) -> Any:
    if all(isinstance(value, Expression) for _, value in factors):
        return multiply(*(power(value, -1) if below else value for below, value in factors))
    (_, product), *rest = factors
    for below, factor in rest:
        product = _over(product, factor) if below else _times(product, factor)
    return product


def _times(left: Any, right: Any) -> Any:
    if _is_data(right) and not _is_data(left):
        left, right = right, left
    if not _is_data(left):
        return left * right
    if _is_data(right):
        raise InvalidArgument("product", "written X'X, X'y or y'y", _label(left, right))
    return _over(left, power(exact(right), -1))


def _over(left: Any, right: Any) -> Any:
    if _is_data(right):
        raise InvalidArgument("divisor", "a number", _label(right))
    return left.scaled(exact(right)) if _is_data(left) else left / right


def _transposed(left: Any, right: Any) -> Any:
    if not (_is_data(left) and _is_data(right)):
        raise InvalidArgument("transpose", "written X'X, X'y or y'y", _label(left, right))
    if isinstance(left, ColumnNode) and isinstance(right, RowsNode):
        left, right = right, left  # y'X is X'y lying down
    if isinstance(left, RowsNode) == isinstance(right, RowsNode) and left != right:
        way_out = "Give the mapped rows a name in [let], and write Z'Z."
        raise InvalidArgument("transpose", "of the same rows", _label(left, right), way_out)
    return left.T @ right


def _is_data(value: Value) -> bool:
    """Rows or labels, which are no number."""
    return isinstance(value, (RowsNode, ColumnNode))


def _label(*values: Value) -> str:
    return " and ".join(v.label if isinstance(v, DataNode) else str(v) for v in values)
