"""One thing that must hold, and what became of it."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from fractions import Fraction

import attrs

from dpframe.graph import Joint, Node
from dpframe.graph.graph import Class
from dpframe.symbols import Expression, Symbol, plain

TABLE, PUBLIC, CLIP, FIELD, RELEASE = "table", "public", "clip", "field", "release"
DROP, SHARES, NOISE = "drop", "shares", "noise"
EVEN, ALL_NOISE = "even shares", "all noise"
EDITS = (TABLE, PUBLIC, CLIP, FIELD, RELEASE, DROP, SHARES, EVEN, NOISE, ALL_NOISE)


@attrs.frozen(eq=False)
class Edit:
    """One edit of a graph, for the reader of a refusal: no part of any proof, and of no file.

    table: read the table of the setting. public: put a public number in place of the symbol
    `value`. clip: clip what the statistic `node` reads. field: the formula `name` of `node` becomes
    `value` (None: the theorem's own). release: release the raw `node`, at a share. drop: read the
    raw `node` nowhere. shares: multiply all shares of `name` (of the graphs in the procedure
    `node`, where there is one) by `value`. even shares: one even share for each release. noise:
    calibrate the release `node` by the theorem `value`. all noise: scale all noise to the target.
    """

    what: str = attrs.field(validator=attrs.validators.in_(EDITS))
    node: Node | None = None
    value: object = None
    name: str = ""


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


ALL = "all releases together"


@attrs.frozen
class Attempt:
    """A derivation by `name`, its obligations, and the hypotheses that carve the domain."""

    name: str
    obligations: tuple[Obligation, ...]
    constraints: tuple[Constraint, ...] = ()

    @property
    def proved(self) -> bool:
        """Whether every obligation is."""
        return all(obligation.verdict is PROVED for obligation in self.obligations)


def joint_moves(rows: Expression, joint: Joint, grouped: Sequence[Class]) -> list[Expression]:
    """m_i, the squared mu at rows times size_i ((rows size_i/std_i)^2), times the draws."""
    return [
        release.guarantee(rows * size).amounts[0] * release.times * count
        for size, (release, count) in zip(joint.sizes, grouped, strict=True)
    ]
