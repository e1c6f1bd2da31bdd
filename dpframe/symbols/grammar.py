"""The one grammar of formulas as text; what a sum, a power or a name becomes is up to each reader.

    sum     = product (("+" | "-") product)*
    product = signed (("*" | "/") signed)*
    signed  = ("+" | "-")* power
    power   = atom (("^" | "**") signed)?
    atom    = number | name | name "(" [sum ("," sum)*] ")" | "(" sum ")"

Descriptions of algorithms add transposes to it.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import ClassVar, Generic, NoReturn, TypeVar

from dpframe.errors import UnsafeFormula

MAX_DIGITS = 40
Made = TypeVar("Made")


class FormulaReader(ABC, Generic[Made]):
    """Abstract: recursive descent with a limit on the depth, in time linear in the text. Raises
    UnsafeFormula.
    """

    token: ClassVar[re.Pattern[str]]
    """With the groups number, name and sign."""
    most: ClassVar[int]
    """Levels of brackets and exponents."""

    def __init__(self, text: str) -> None:
        """Cut the text into tokens."""
        self.text, self.at, self.depth = text, 0, 0
        self.tokens: list[tuple[str, str]] = []
        position, end = 0, len(text.rstrip())
        while position < end:
            found = self.token.match(text, position)
            if found is None:
                self.stray(text[position : position + 12].strip())
            self.tokens.append((str(found.lastgroup), found[str(found.lastgroup)]))
            position = found.end()

    @abstractmethod
    def added(self, terms: list[tuple[bool, Made]]) -> Made:
        """A sum, or one term that is negative; each with whether it is subtracted."""

    @abstractmethod
    def multiplied(self, factors: list[tuple[bool, Made]]) -> Made:
        """A product of two or more; each with whether it divides."""

    @abstractmethod
    def raised(self, base: Made, exponent: Made) -> Made:
        """A power."""

    @abstractmethod
    def literal(self, token: str) -> Made:
        """A number."""

    @abstractmethod
    def named(self, word: str) -> Made:
        """A name."""

    @abstractmethod
    def called(self, word: str, arguments: list[Made]) -> Made:
        """A function of its arguments."""

    def refuse(self, way_out: str) -> NoReturn:
        """Raise UnsafeFormula."""
        raise UnsafeFormula("formula", "arithmetic over declared names", self.text, way_out)

    def stray(self, rest: str) -> NoReturn:
        """Refuse what is no token."""
        self.refuse(f"Unexpected {rest!r}.")

    def take(self, *wanted: str) -> str:
        """The next token, if it is one of these; else ""."""
        found = self.tokens[self.at][1] if self.at < len(self.tokens) else ""
        self.at += found in wanted
        return found if found in wanted else ""

    def deeper(self) -> None:
        """Enter brackets or an exponent."""
        self.depth += 1
        if self.depth > self.most:
            self.refuse(f"More than {self.most} levels of brackets.")

    def whole(self) -> Made:
        """What the whole text spells."""
        found = self.sum()
        if self.at < len(self.tokens):
            self.refuse(f"Unexpected {self.tokens[self.at][1]!r}.")
        return found

    def sum(self) -> Made:
        """Terms."""
        self.deeper()
        terms = [(False, self.product())]
        while sign := self.take("+", "-"):
            terms.append((sign == "-", self.product()))
        self.depth -= 1
        return self.added(terms) if len(terms) > 1 else terms[0][1]

    def product(self) -> Made:
        """Factors."""
        factors = [(False, self.signed())]
        while sign := self.take("*", "/"):
            factors.append((sign == "/", self.signed()))
        return self.multiplied(factors) if len(factors) > 1 else factors[0][1]

    def signed(self) -> Made:
        """A power, perhaps negative."""
        negative = False
        while sign := self.take("-", "+"):
            negative ^= sign == "-"
        found = self.power()
        return self.added([(True, found)]) if negative else found

    def power(self) -> Made:
        """An atom, perhaps with an exponent."""
        base = self.atom()
        if not self.take("^", "**"):
            return base
        self.deeper()
        exponent = self.signed()
        self.depth -= 1
        return self.raised(base, exponent)

    def atom(self) -> Made:
        """A number, a name, a call or brackets."""
        if self.take("("):
            found = self.sum()
            self.close()
            return found
        if self.at >= len(self.tokens):
            self.refuse("It ends too early.")
        kind, token = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            if len(token) > MAX_DIGITS:
                self.refuse(f"A number may have {MAX_DIGITS} characters.")
            return self.literal(token)
        if kind != "name":
            self.refuse(f"Unexpected {token!r}.")
        return self.called(token, self.arguments()) if self.take("(") else self.named(token)

    def arguments(self) -> list[Made]:
        """Sums between commas, up to the bracket."""
        if self.take(")"):
            return []
        found = [self.sum()]
        while self.take(","):
            found.append(self.sum())
        self.close()
        return found

    def close(self) -> None:
        """The end of brackets."""
        if not self.take(")"):
            self.refuse("A bracket is not closed.")
