"""One thing that must hold, and what became of it."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from fractions import Fraction

import attrs

from dpframe.symbols import Expression, Symbol, plain

from .edit import Edit


class Verdict(enum.Enum):
    """proved; refuted, with a counterexample; unproved, with what would help."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNPROVED = "unproved"

    def __str__(self) -> str:
        """The word."""
        return self.value


PROVED, REFUTED, UNPROVED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNPROVED


@attrs.frozen
class Witness:
    """A counterexample: exact numbers for symbols, and what happens there."""

    values: Mapping[str, Fraction] = attrs.field(factory=dict, hash=False)
    says: str = ""

    def __str__(self) -> str:
        """`at gamma = 1/2, epsilon = 1: the shares sum to 6/5 > 1`."""
        where = ", ".join(f"{name} = {shown(value)}" for name, value in self.values.items())
        return (
            f"at {where}: {self.says}"
            if where and self.says
            else self.says or (f"at {where}" if where else "")
        )


@attrs.frozen
class Obligation:
    """What must hold at `node` by `rule`, with operand `facts`; refuted ones carry a witness, open
    ones a repair, and the `edit` that it asks for where a program can make it. `count` equal ones
    are one object.
    """

    kind: str
    node: str
    rule: str
    facts: tuple[str, ...]
    verdict: Verdict
    witness: Witness | None = None
    repair: str = ""
    count: int = 1
    edit: Edit | None = attrs.field(default=None, eq=False, repr=False)

    def __str__(self) -> str:
        """As many lines as a person needs: one when proved."""
        many = f" (x{self.count})" if self.count > 1 else ""
        head = f"{self.verdict}: {self.node}{many}: {self.rule}"
        lines = [head, *(f"    {fact}" for fact in self.facts)]
        if self.witness is not None:
            lines.append(f"    counterexample {self.witness}")
        if self.repair:
            lines.append(f"    way out: {self.repair}")
        return (
            "\n".join(lines)
            if self.verdict is not PROVED
            else head + (f" [{'; '.join(self.facts)}]" if self.facts else "")
        )


@attrs.frozen
class Constraint:
    """left <= right (or < where `strict`): a theorem's hypothesis that carves the domain."""

    left: Expression
    right: Expression
    strict: bool = False
    source: str = ""

    def __str__(self) -> str:
        """`gamma*epsilon <= 4*log(2)`."""
        return f"{self.left} {'<' if self.strict else '<='} {self.right}"


def shown(value: Fraction) -> str:
    """A number as a person writes it: exact where that is short, twelve digits otherwise."""
    text = plain(value)
    return text if len(text) <= 14 else f"{float(value):.12g}"


def named(point: Mapping[Symbol, Fraction], *formulas: Expression) -> dict[str, Fraction]:
    """The values at a point of just those symbols that occur in `formulas`."""
    used = set().union(*(formula.symbols() for formula in formulas))
    return {
        symbol.name: value
        for symbol, value in sorted(point.items(), key=lambda item: item[0].name)
        if symbol in used
    }
