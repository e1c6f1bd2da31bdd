"""Public formulas as floating-point numbers, rounded in a stated direction, each evaluated once."""

from __future__ import annotations

import math
from collections.abc import Mapping

import attrs

from dpframe.errors import NotExecutable
from dpframe.symbols import Expression
from dpframe.verify import Certificate


@attrs.frozen(eq=False)
class PublicNumbers:
    """The numbers of one execution, from a certificate that lacks none."""

    certificate: Certificate
    _known: dict[tuple[Expression, bool], float] = attrs.field(factory=dict, init=False)

    @classmethod
    def of(cls, certificate: Certificate, sizes: Mapping[str, int]) -> PublicNumbers:
        """The numbers at the data's public sizes, inside the proof's region.

        What post-processing will ask for is evaluated now, so that a refusal costs nothing. Raises
        NotExecutable or InvalidArgument.
        """
        used = {name: size for name, size in sizes.items() if name in certificate.symbols}
        numbers = cls(certificate.at(**used))
        for post in certificate.graph.posts:
            for argument in post.arguments:
                if isinstance(argument, Expression):
                    numbers.up(argument)
        return numbers

    def up(self, formula: Expression) -> float:
        """At least the true value."""
        return self._number(formula, up=True)

    def towards_zero(self, formula: Expression) -> float:
        """At most the true value in size: a bound onto which data is clipped."""
        below, above = self._number(formula, up=False), self._number(formula, up=True)
        return below if below >= 0 else min(0.0, above)

    def _number(self, formula: Expression, *, up: bool) -> float:
        if (formula, up) not in self._known:
            value = self.certificate.number(formula, up=up)
            if not math.isfinite(value):
                raise NotExecutable(f"{formula} is no finite number here; give other parameters")
            self._known[formula, up] = value
        return self._known[formula, up]
