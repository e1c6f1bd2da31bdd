"""The one language of descriptions: arithmetic over declared names, statistics such as X'X, and the
named functions. Text becomes a tree here; nothing is computed, and nothing else can be spelled.

The grammar is that of dpframe.symbols.grammar with numbers for exponents, and one rule more:

    joined  = atom (("'" | ".T") ("*" | "@")? joined)?      X'X, X.T @ y

It stands where the others have an atom.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NoReturn

import attrs

from dpframe.errors import UnsafeFormula
from dpframe.symbols.grammar import Reader

from .keys import IN_PYTHON
from .limits import MOST_BRACKETS, MOST_IN_FORMULA

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


class _Reader(Reader[Tree]):
    token, most = TOKEN, MOST_BRACKETS

    def stray(self, rest: str) -> NoReturn:
        self.refuse(IN_PYTHON if rest[:1] == ":" else f"Unexpected {rest!r}.")

    def added(self, terms: list[tuple[bool, Tree]]) -> Tree:
        return Added(tuple(terms))

    def multiplied(self, factors: list[tuple[bool, Tree]]) -> Tree:
        return Multiplied(tuple(factors))

    def raised(self, base: Tree, exponent: Tree) -> Tree:
        if isinstance(exponent, Raised):
            self.refuse("A power of a power: write brackets.")
        found = _number(exponent)
        if found is None:
            self.refuse("A power must be a number, such as ^2 or ^(1/2).")
        return Raised(base, found)

    def literal(self, token: str) -> Tree:
        if abs(int(token.lower().partition("e")[2] or 0)) > 400:
            self.refuse("A number must be below 1e400.")
        return Literal(Fraction(token))

    def named(self, word: str) -> Tree:
        return Name(word)

    def called(self, word: str, arguments: list[Tree]) -> Tree:
        return Call(word, tuple(arguments))

    def atom(self) -> Tree:
        left = super().atom()
        if self.at >= len(self.tokens) or self.tokens[self.at][0] != "turned":
            return left
        self.at += 1
        self.take("*", "@")
        self.deeper()
        right = self.atom()
        self.depth -= 1
        return Turned(left, right)


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
