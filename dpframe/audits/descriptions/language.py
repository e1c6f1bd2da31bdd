"""The one language of descriptions: arithmetic over declared names, statistics such as X'X, and the
named functions. Text becomes a tree here; nothing is computed, and nothing else can be spelled.

The grammar is that of dpframe.symbols.grammar with numbers for exponents, and one rule more:

    joined  = atom (("'" | ".T") ("*" | "@")? joined)?      X'X, X.T @ y

It stands where the others have an atom. How much work a tree makes, its parts, its terms when
multiplied out and the powers that stand on each other, is known before anything is built of it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import NoReturn

import attrs

from dpframe.errors import UnsafeFormula
from dpframe.symbols.grammar import FormulaReader

from .keys import OF_YOUR_OWN
from .limits import MOST_BRACKETS, MOST_DEEP, MOST_IN_FORMULA, MOST_PARTS, MOST_POWER, MOST_TERMS

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


class _Reader(FormulaReader[Tree]):
    token, most = TOKEN, MOST_BRACKETS

    def stray(self, rest: str) -> NoReturn:
        self.refuse(OF_YOUR_OWN if rest[:1] == ":" else f"Unexpected {rest!r}.")

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


ONE = Fraction(1)


@attrs.frozen
class Size:
    """Parts of the tree, terms of the polynomial, depth, and the product of nested powers."""

    parts: int = 1
    terms: int = 1
    power: Fraction = ONE
    depth: int = 1

    def over(self, inside: tuple[Size, ...], combine: Callable[[int, int], int]) -> Size:
        """The size of an operation on parts of these sizes."""
        terms = 1
        for k, size in enumerate(inside):
            terms = combine(terms, size.terms) if k else size.terms
        return Size(
            sum(size.parts for size in inside) + 1,
            min(terms, 10**9),
            max((size.power for size in inside), default=ONE),
            max((size.depth for size in inside), default=0) + 1,
        )


def measured(tree: Tree, named: Mapping[str, Size], text: str) -> Size:
    """The size of a formula over names of known sizes. Raises UnsafeFormula beyond the limits."""
    found = _size(tree, named, text)
    for amount, most, what in (
        (found.parts, MOST_PARTS, "parts, with all that it names put in"),
        (found.terms, MOST_TERMS, "terms when it is multiplied out"),
        (found.depth, MOST_DEEP, "operations inside each other"),
    ):
        if amount > most:
            raise UnsafeFormula("formula", f"of at most {most} {what}", text)
    return found


def _size(tree: Tree, named: Mapping[str, Size], text: str) -> Size:
    match tree:
        case Name(word):
            return named.get(word, Size())
        case Literal():
            return Size()
        case Added(terms):
            inside = tuple(_size(term, named, text) for _, term in terms)
            return Size().over(inside, int.__add__)
        case Multiplied(factors):
            inside = tuple(_size(factor, named, text) for _, factor in factors)
            return Size().over(inside, int.__mul__)
        case Raised(base, exponent):
            return _raised(_size(base, named, text), exponent, text)
        case Call(_, arguments):
            inside = tuple(_size(argument, named, text) for argument in arguments)
            return Size().over(inside, max)
        case Turned(left, right):
            inside = (_size(left, named, text), _size(right, named, text))
            return Size().over(inside, max)
    raise TypeError(tree)


def _raised(base: Size, exponent: Fraction, text: str) -> Size:
    power = base.power * max(ONE, abs(exponent))
    if power > MOST_POWER or exponent.denominator > MOST_POWER:
        raise UnsafeFormula("formula", f"of powers of at most {MOST_POWER} in all", text)
    many = math.ceil(abs(exponent))
    return Size(base.parts + 1, math.comb(base.terms + many - 1, many), power, base.depth + 1)
