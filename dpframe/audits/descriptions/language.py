"""The one language of descriptions: arithmetic over declared names, statistics such as X'X, and the
named functions. Text becomes a tree here; nothing is computed, and nothing else can be spelled.

    sum     = product (("+" | "-") product)*
    product = signed (("*" | "/") signed)*
    signed  = ("+" | "-")* power
    power   = joined (("^" | "**") exponent)?
    joined  = atom (("'" | ".T") ("*" | "@")? joined)?      X'X, X.T @ y
    atom    = number | name | name "(" sum ("," sum)* ")" | "(" sum ")"
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NoReturn

import attrs

from dpframe.errors import UnsafeFormula

from .keys import IN_PYTHON
from .limits import MOST_BRACKETS, MOST_DIGITS, MOST_IN_FORMULA

TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?(?![.\w]))"
    r"|(?P<turned>'|\.T(?![\w]))|(?P<name>[A-Za-z_][A-Za-z_0-9]*)|(?P<sign>\*\*|[-+*/^(),@]))",
    re.ASCII,
)


class Tree:
    """Abstract: a piece of a formula as it is written."""

    __slots__ = ()


@attrs.frozen
class Literal(Tree):
    """A number, exactly as written."""

    value: Fraction


@attrs.frozen
class Name(Tree):
    """A name."""

    word: str


@attrs.frozen
class Call(Tree):
    """A named function of its arguments."""

    word: str
    arguments: tuple[Tree, ...]


@attrs.frozen
class Added(Tree):
    """A sum; each term with whether it is subtracted."""

    terms: tuple[tuple[bool, Tree], ...]


@attrs.frozen
class Multiplied(Tree):
    """A product; each factor with whether it divides."""

    factors: tuple[tuple[bool, Tree], ...]


@attrs.frozen
class Raised(Tree):
    """A power with a number as exponent."""

    base: Tree
    exponent: Fraction


@attrs.frozen
class Turned(Tree):
    """left' right: the product of a transpose and what it stands before."""

    left: Tree
    right: Tree


def read(text: str) -> Tree:
    """The tree that the text spells. Raises UnsafeFormula, in time linear in a short text."""
    if len(text) > MOST_IN_FORMULA:
        found = f"{len(text)} characters"
        raise UnsafeFormula("formula", f"at most {MOST_IN_FORMULA} characters", found)
    if not (text.isascii() and text.isprintable()):
        wanted = "letters, digits and operators of plain ASCII"
        raise UnsafeFormula("formula", wanted, text, "Spell Greek letters out: epsilon, delta.")
    return _Reader(text).whole()


class _Reader:
    """Recursive descent with a limit on the depth."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.depth = text, 0, 0
        self.tokens = self.split()

    def refuse(self, way_out: str) -> NoReturn:
        raise UnsafeFormula("formula", "arithmetic over declared names", self.text, way_out)

    def split(self) -> list[tuple[str, str]]:
        found, position, end = [], 0, len(self.text.rstrip())
        while position < end:
            match = TOKEN.match(self.text, position)
            if match is None:
                rest = self.text[position:].strip()
                self.refuse(IN_PYTHON if rest[:1] == ":" else f"Unexpected {rest[:12]!r}.")
            found.append((str(match.lastgroup), match[str(match.lastgroup)]))
            position = match.end()
        return found

    @property
    def kind(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def take(self, *wanted: str) -> str:
        found = self.tokens[self.at][1] if self.at < len(self.tokens) else ""
        self.at += found in wanted
        return found if found in wanted else ""

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MOST_BRACKETS:
            self.refuse(f"More than {MOST_BRACKETS} levels of brackets.")

    def whole(self) -> Tree:
        found = self.sum()
        if self.at < len(self.tokens):
            self.refuse(f"Unexpected {self.tokens[self.at][1]!r}.")
        return found

    def sum(self) -> Tree:
        self.deeper()
        terms = [(False, self.product())]
        while sign := self.take("+", "-"):
            terms.append((sign == "-", self.product()))
        self.depth -= 1
        return Added(tuple(terms)) if len(terms) > 1 else terms[0][1]

    def product(self) -> Tree:
        factors = [(False, self.signed())]
        while sign := self.take("*", "/"):
            factors.append((sign == "/", self.signed()))
        return Multiplied(tuple(factors)) if len(factors) > 1 else factors[0][1]

    def signed(self) -> Tree:
        negative = False
        while sign := self.take("-", "+"):
            negative ^= sign == "-"
        found = self.power()
        return Added(((True, found),)) if negative else found

    def power(self) -> Tree:
        base = self.joined()
        if not self.take("^", "**"):
            return base
        exponent = _number(self.signed_atom())
        if exponent is None:
            self.refuse("A power must be a number, such as ^2 or ^(1/2).")
        if self.take("^", "**"):
            self.refuse("A power of a power: write brackets.")
        return Raised(base, exponent)

    def signed_atom(self) -> Tree:
        negative = self.take("-", "+") == "-"
        found = self.atom()
        return Added(((True, found),)) if negative else found

    def joined(self) -> Tree:
        left = self.atom()
        if self.kind != "turned":
            return left
        self.at += 1
        self.take("*", "@")
        self.deeper()
        right = self.joined()
        self.depth -= 1
        return Turned(left, right)

    def atom(self) -> Tree:
        if self.take("("):
            found = self.sum()
            self.close()
            return found
        if not self.kind:
            self.refuse("It ends too early.")
        kind, token = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            return self.number(token)
        if kind != "name":
            self.refuse(f"Unexpected {token!r}.")
        return self.call(token) if self.take("(") else Name(token)

    def number(self, token: str) -> Tree:
        if len(token) > MOST_DIGITS:
            self.refuse(f"A number may have {MOST_DIGITS} characters.")
        if abs(int(token.lower().partition("e")[2] or 0)) > 400:
            self.refuse("A number must be below 1e400.")
        return Literal(Fraction(token))

    def call(self, word: str) -> Tree:
        if self.take(")"):
            return Call(word, ())
        arguments = [self.sum()]
        while self.take(","):
            arguments.append(self.sum())
        self.close()
        return Call(word, tuple(arguments))

    def close(self) -> None:
        if not self.take(")"):
            self.refuse("A bracket is not closed.")


def _number(tree: Tree) -> Fraction | None:
    """A literal, its negative, or a quotient of two."""
    match tree:
        case Literal(value):
            return value
        case Added(((True, inside),)):
            found = _number(inside)
            return None if found is None else -found
        case Multiplied(((False, Literal(top)), (True, Literal(bottom)))) if bottom:
            return top / bottom
    return None
