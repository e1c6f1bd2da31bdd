"""Public formulas as floating-point numbers, rounded in a stated direction, each evaluated once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import attrs
import numpy as np

from dpframe.budgets.roster import Roster
from dpframe.errors import InvalidArgument, NotExecutable, Plain
from dpframe.graph import OfBudgets
from dpframe.graph.known import reads_budgets
from dpframe.prover.at_numbers import AtNumbers
from dpframe.symbols import RECORD, RELEASED, Expression, Number

LONGEST = 200  # letters of a formula in an error


@attrs.frozen(eq=False)
class PublicNumbers:
    """The numbers of one execution, from a certificate that lacks none but those that are released
    on the way.
    """

    certificate: AtNumbers
    roster: Roster | None = None
    _known: dict[tuple[Expression, bool], float] = attrs.field(factory=dict, init=False)
    _released: dict[str, Fraction] = attrs.field(factory=dict, init=False)

    @classmethod
    def of(
        cls, certificate: AtNumbers, sizes: Mapping[str, int], roster: Roster | None = None
    ) -> PublicNumbers:
        """The numbers at the data's public sizes and the budgets of all records, inside the
        region of the proof.

        The arguments of post-processing are evaluated now, so that a refusal costs nothing. Raises
        NotExecutable or InvalidArgument.
        """
        used = {name: size for name, size in sizes.items() if name in certificate.symbols}
        numbers = cls(certificate.at(**used), roster)
        for node in certificate.graph.nodes:
            if isinstance(node, OfBudgets):
                numbers.learn(node.symbol.name, of_all(node, numbers))
        numbers.check_region()
        for function in certificate.graph.calls:
            for argument in function.arguments:
                if isinstance(argument, Expression) and RELEASED not in argument.scope:
                    numbers.up(argument)
        return numbers

    @property
    def listed(self) -> Roster:
        """The budgets of all records. Raises NotExecutable where there are none."""
        if self.roster is None:
            raise NotExecutable(
                "the certificate is for any budgets: give those of all records, "
                "dp.execute(..., budgets=...)"
            )
        return self.roster

    @property
    def common(self) -> dict[str, Fraction]:
        """The numbers that all records share, by name."""
        return {**self.certificate.values, **self._released}

    def each(self, formula: Expression) -> Any:
        """A formula that is not negative, for every different budget, shape (k,), from 0 to the
        true value; shape (1,) where it reads none. Raises NotExecutable.
        """
        if RECORD not in formula.scope:
            return np.array([max(0.0, self.down(formula))])
        low, high = self.listed.ends(formula, self.common)
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            raise NotExecutable(f"{formula} is no finite number for some budget; give others")
        return np.maximum(low, 0.0)

    def check_region(self) -> None:
        """The hypotheses of the proof hold for every record's budget. Raises NotExecutable."""
        for constraint in getattr(self.certificate, "region", ()):
            gap = constraint.right - constraint.left
            if not reads_budgets(gap):
                continue
            low, _ = self.listed.ends(gap, self.common)
            holds = low > 0 if constraint.strict else low >= 0
            if not (np.isfinite(low).all() and holds.all()):
                raise NotExecutable(
                    f"a theorem of the proof holds where {constraint} ({constraint.source}), and "
                    "some budgets lie beyond: use dp.Gaussian.analytic, or smaller budgets"
                )

    @property
    def learned(self) -> Mapping[str, Fraction]:
        """The numbers that were released, by name."""
        return self._released

    def supposing(self, values: Mapping[str, Fraction]) -> PublicNumbers:
        """Numbers of their own, as they would be if these were released."""
        found = PublicNumbers(self.certificate, self.roster)
        for name, value in {**self._released, **values}.items():
            found.learn(name, value)
        return found

    def learn(self, name: str, value: Fraction) -> None:
        """A number that was released: formulas may read it from now on."""
        self._released[name] = value

    def up(self, formula: Expression) -> float:
        """At least the true value; of a size of noise that reads each record's budget, the largest
        over all.
        """
        return self._number(formula, up=True)

    def exactly(self, formula: Expression) -> Fraction:
        """The value itself if it is rational, else rounded up: of discrete Gaussian noise a larger
        std may cost more.
        """
        value = formula.substitute({name: Number(one) for name, one in self.common.items()})
        return value.value if isinstance(value, Number) else Fraction(self.up(formula))

    def down(self, formula: Expression) -> float:
        """At most the true value. Raises NotExecutable for a formula of each record's budget."""
        if RECORD in formula.scope:
            raise NotExecutable(
                f"{formula} differs from record to record, and one number is needed"
            )
        return self._number(formula, up=False)

    def towards_zero(self, formula: Expression) -> float:
        """At most the true value in size: a bound onto which data is clipped. Raises NotExecutable
        for a formula of each record's budget.
        """
        below, above = self.down(formula), self.up(formula)
        return below if below >= 0 else min(0.0, above)

    def _number(self, formula: Expression, *, up: bool) -> float:
        if (formula, up) not in self._known:
            value = self._value(formula, up=up)
            if not math.isfinite(value):
                text = str(formula)
                if len(text) > LONGEST:
                    text = f"{text[: LONGEST // 2]} ... {text[-LONGEST // 2 :]}"
                raise NotExecutable(f"{text} is no finite number here; give other parameters")
            self._known[formula, up] = value
        return self._known[formula, up]

    def _value(self, formula: Expression, *, up: bool) -> float:
        """Of a formula that reads each record's budget, the largest over all."""
        if RECORD in formula.scope:
            return self.listed.largest(formula, self.common, up=up)
        return self.certificate.number(formula, up=up, released=self._released)


def of_all(node: OfBudgets, numbers: PublicNumbers) -> Fraction:
    """A number of all budgets, in the range for which everything was proved. Raises
    InvalidArgument.
    """
    value = numbers.listed.number(node, numbers.common)
    if value not in node.symbol.domain:
        wanted, way_out = f"{node.symbol.domain}, as was proved", "Give other budgets."
        raise InvalidArgument(f"the {node.label}", wanted, Plain(float(value)), way_out)
    return value
