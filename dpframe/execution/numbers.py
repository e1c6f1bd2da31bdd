"""Public formulas as floating-point numbers, rounded in a stated direction, each evaluated once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import attrs

from dpframe.errors import NotExecutable
from dpframe.graph import Loop, Post, reads_released
from dpframe.symbols import Expression
from dpframe.verify.at_numbers import AtNumbers


@attrs.frozen(eq=False)
class PublicNumbers:
    """The numbers of one execution, from a certificate that lacks none but those that are released
    on the way.
    """

    certificate: AtNumbers
    _known: dict[tuple[Expression, bool], float] = attrs.field(factory=dict, init=False)
    _released: dict[str, Fraction] = attrs.field(factory=dict, init=False)

    @classmethod
    def of(cls, certificate: AtNumbers, sizes: Mapping[str, int]) -> PublicNumbers:
        """The numbers at the data's public sizes, inside the proof's region.

        What post-processing will ask for is evaluated now, so that a refusal costs nothing. Raises
        NotExecutable or InvalidArgument.
        """
        used = {name: size for name, size in sizes.items() if name in certificate.symbols}
        numbers = cls(certificate.at(**used))
        functions: list[Post | Loop] = [*certificate.graph.posts, *certificate.graph.loops]
        for function in functions:
            for argument in function.arguments:
                if isinstance(argument, Expression) and not reads_released(argument):
                    numbers.up(argument)
        return numbers

    def learn(self, name: str, value: Fraction) -> None:
        """A number that was released: formulas may read it from now on."""
        self._released[name] = value

    def up(self, formula: Expression) -> float:
        """At least the true value."""
        return self._number(formula, up=True)

    def down(self, formula: Expression) -> float:
        """At most the true value."""
        return self._number(formula, up=False)

    def towards_zero(self, formula: Expression) -> float:
        """At most the true value in size: a bound onto which data is clipped."""
        below, above = self._number(formula, up=False), self._number(formula, up=True)
        return below if below >= 0 else min(0.0, above)

    def _number(self, formula: Expression, *, up: bool) -> float:
        if (formula, up) not in self._known:
            value = self.certificate.number(formula, up=up, released=self._released)
            if not math.isfinite(value):
                raise NotExecutable(f"{formula} is no finite number here; give other parameters")
            self._known[formula, up] = value
        return self._known[formula, up]
