"""Formulas given as text, read by a parser that can only build arithmetic: no eval, no attributes,
no calls but the five functions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NoReturn

from dpframe.errors import InvalidArgument, UnsafeFormula

from .arithmetic import MAX_POWER, add, call, multiply, power
from .exactness import rational
from .expression import FUNCTIONS, Expression, Number

MAX_LENGTH, MAX_DEPTH, MAX_DIGITS = 4000, 40, 40
TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,3})?|\.[0-9]+(?:[eE][+-]?[0-9]{1,3})?)|(?P<name>[A-Za-z_][A-Za-z_0-9]*)|(?P<sign>\*\*|[-+*/^(),]))"
)


def parse(formula: str, symbols: Mapping[str, Expression]) -> Expression:
    """The exact expression that `formula` spells over the names in `symbols`.

    Operators + - * / ^ (or **), functions sqrt, log, exp, min, max, analytic_sigma. Raises
    UnsafeFormula for anything else,
    within microseconds: at most 4000 characters, 40 levels, 40 digits, powers of at most 64.

    >>> from dpframe.symbols import DELTA, EPSILON
    >>> parse("sqrt(2*log(2/delta))/(epsilon/3)", {"epsilon": EPSILON, "delta": DELTA})
    3*sqrt(2*log(2/delta))/epsilon
    """
    if not isinstance(formula, str):
        raise InvalidArgument("formula", "text", formula, "")
    if len(formula) > MAX_LENGTH:
        raise UnsafeFormula(
            "formula", f"at most {MAX_LENGTH} characters", f"{len(formula)} characters", ""
        )
    try:
        return _Parser(_tokens(formula), symbols, formula).whole()
    except UnsafeFormula:
        raise
    except InvalidArgument as error:
        raise UnsafeFormula("formula", "arithmetic that is defined", formula, str(error)) from None


def _tokens(formula: str) -> list[tuple[str, str]]:
    tokens, position, end = [], 0, len(formula.rstrip())
    while position < end:
        match = TOKEN.match(formula, position)
        if match is None:
            raise UnsafeFormula(
                "formula",
                "arithmetic over declared names",
                formula,
                f"Unexpected {formula[position : position + 12].strip()!r}.",
            )
        kind = str(match.lastgroup)
        tokens.append((kind, match.group(kind)))
        position = match.end()
    return tokens


class _Parser:
    """Recursive descent with a depth limit: sum > product > sign > power > atom."""

    def __init__(
        self, tokens: list[tuple[str, str]], symbols: Mapping[str, Expression], formula: str
    ) -> None:
        self.tokens, self.symbols, self.formula = tokens, symbols, formula
        self.position = self.depth = 0

    def refuse(self, way_out: str) -> NoReturn:
        raise UnsafeFormula("formula", "arithmetic over declared names", self.formula, way_out)

    def peek(self) -> str:
        return self.tokens[self.position][1] if self.position < len(self.tokens) else ""

    def take(self, *wanted: str) -> str:
        found = self.peek()
        if found in wanted and found:
            self.position += 1
            return found
        return ""

    def whole(self) -> Expression:
        result = self.sum()
        if self.position < len(self.tokens):
            self.refuse(f"Unexpected {self.peek()!r}.")
        return result

    def sum(self) -> Expression:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.refuse(f"More than {MAX_DEPTH} levels of brackets.")
        terms = [self.product()]
        while operator := self.take("+", "-"):
            term = self.product()
            terms.append(term if operator == "+" else multiply(-1, term))
        self.depth -= 1
        return add(*terms) if len(terms) > 1 else terms[0]

    def product(self) -> Expression:
        factors = [self.signed()]
        while operator := self.take("*", "/"):
            factor = self.signed()
            factors.append(factor if operator == "*" else power(factor, -1))
        return multiply(*factors) if len(factors) > 1 else factors[0]

    def signed(self) -> Expression:
        negative = False
        while operator := self.take("-", "+"):
            negative ^= operator == "-"
        value = self.power()
        return multiply(-1, value) if negative else value

    def power(self) -> Expression:
        base = self.atom()
        if not self.take("^", "**"):
            return base
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.refuse(f"More than {MAX_DEPTH} levels.")
        exponent = self.signed()
        self.depth -= 1
        if not isinstance(exponent, Number) or abs(exponent.value) > MAX_POWER:
            self.refuse(f"A power must be a number of at most {MAX_POWER}.")
        return power(base, exponent.value)

    def atom(self) -> Expression:
        if self.take("("):
            inside = self.sum()
            if not self.take(")"):
                self.refuse("A bracket is not closed.")
            return inside
        if self.position >= len(self.tokens):
            self.refuse("It ends too early.")
        kind, token = self.tokens[self.position]
        self.position += 1
        if kind == "number":
            return self.number(token)
        if kind == "name":
            return self.name(token)
        return self.refuse(f"Unexpected {token!r}.")

    def number(self, token: str) -> Expression:
        if len(token) > MAX_DIGITS:
            self.refuse(f"A number may have {MAX_DIGITS} characters.")
        return Number(rational(token))

    def name(self, word: str) -> Expression:
        if self.take("("):
            return self.function(word)
        if word not in self.symbols:
            self.refuse(
                f"Unknown name {word!r}; known: {', '.join(sorted(self.symbols)) or 'none'}."
            )
        return self.symbols[word]

    def function(self, word: str) -> Expression:
        if word != "sqrt" and word not in FUNCTIONS:
            self.refuse(f"Unknown function {word!r}; known: sqrt, {', '.join(FUNCTIONS)}.")
        arguments = [self.sum()]
        while self.take(","):
            arguments.append(self.sum())
        if not self.take(")"):
            self.refuse("A bracket is not closed.")
        if word == "sqrt" and len(arguments) == 1:
            return power(arguments[0], "1/2")
        return call(word, *arguments)
