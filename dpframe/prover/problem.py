"""The problem: a graph, a target and a unit of privacy, over the domains of all symbols.

An `Obligation` is a statement that must hold, with its verdict; an `Attempt` is a derivation of the
total with its obligations and hypotheses; an `Edit` is a repair that a program can carry out.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

import attrs

from dpframe.accountants import Accountant
from dpframe.errors import InvalidArgument, Plain
from dpframe.graph import DataNode, Graph, Joint, Known, Node, Procedure, Release, Setting
from dpframe.graph.graph import Class
from dpframe.graph.maps.weighted import Thinning
from dpframe.graph.release import symbols_of
from dpframe.identity import kind_of, own, own_state, strangers
from dpframe.privacy import Each, Guarantee, PersonalizedDP
from dpframe.symbols import ONE, Expression, Number, Symbol, plain
from dpframe.theory.book import answers_of
from dpframe.wording import Formula, Text, joined, say

from .algebra import Field

EDITS = (  # in the order in which a program tries them
    *("table", "public", "clip", "field", "release", "drop"),
    *("shares", "even shares", "noise", "all noise"),
)


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

    @property
    def where(self) -> Text:
        """`at gamma = 1/2, epsilon = 1`; "" without values."""
        numbers = [
            say("{} = {}", Formula(name), Formula(shown(value)))
            for name, value in self.values.items()
        ]
        return say("at {}", joined(", ", numbers)) if numbers else Text(())

    @property
    def text(self) -> Text:
        """`at gamma = 1/2, epsilon = 1: the shares sum to 6/5 > 1`."""
        return joined(": ", filter(None, (self.where, self.says)))

    def __str__(self) -> str:
        """The text."""
        return str(self.text)


@attrs.frozen
class Overspent(Witness):
    """Numbers at which the shares `of` a currency sum to too `much`: to `6/5, more than 1`."""

    of: str = ""
    much: str = ""
    shares: tuple[str, ...] = ()

    @property
    def summed(self) -> Text:
        """`the shares of epsilon sum to 6/5, more than 1 (gram: 3/5; moment: 3/5)`."""
        shares = joined("; ", self.shares)
        said = say("the shares of {} sum to {} ({})", self.of, self.much, shares)
        return joined(": ", filter(None, (self.where, said)))


@attrs.frozen
class Obligation:
    """The requirement `rule` on `node`, with operand `facts`. Refuted ones have a witness, open
    ones a repair, and an `edit` if a program can carry it out. `count` equal ones are one object.
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

    @property
    def proved(self) -> bool:
        """Whether it is proved."""
        return self.verdict is PROVED

    @property
    def refuted(self) -> bool:
        """Whether it has a counterexample."""
        return self.verdict is REFUTED

    @property
    def example(self) -> str:
        """The witness in words; "" without one."""
        return "" if self.witness is None else self.witness.text

    @property
    def shows(self) -> str:
        """Whether the witness is a counterexample to the claim, or an example of an open case."""
        return "counterexample" if self.refuted else "for example"

    def __str__(self) -> str:
        """One line if proved, more otherwise."""
        many = f" (x{self.count})" if self.count > 1 else ""
        head = f"{self.verdict}: {self.node}{many}: {self.rule}"
        if self.proved:
            return head + (f" [{'; '.join(self.facts)}]" if self.facts else "")
        lines = [head, *(f"    {fact}" for fact in self.facts)]
        if self.witness is not None:
            colon = "" if self.witness.where else ":"
            lines.append(f"    {self.shows}{colon} {self.witness}")
        if self.repair:
            lines.append(f"    way out: {self.repair}")
        return "\n".join(lines)


def opened(  # noqa: PLR0917 - the fields of an obligation
    kind: str,
    node: str,
    rule: str,
    facts: tuple[str, ...],
    repair: str,
    witness: Witness | None = None,
    edit: Edit | None = None,
    *,
    verdict: Verdict | None = None,
) -> Obligation:
    """An open obligation. Without a `verdict` it is refuted if there is a witness."""
    decided = verdict or (UNPROVED if witness is None else REFUTED)
    return Obligation(kind, node, rule, facts, decided, witness, repair, edit=edit)


@attrs.frozen
class Constraint:
    """left <= right (or < if `strict`): a hypothesis of a theorem that restricts the domain."""

    left: Expression
    right: Expression
    strict: bool = False
    source: str = ""

    def __str__(self) -> str:
        """`gamma*epsilon <= 4*log(2)`."""
        return f"{self.left} {'<' if self.strict else '<='} {self.right}"


def shown(value: Fraction) -> str:
    """A number for reading: exact if that is short, otherwise twelve digits."""
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
ON_TRUST = " (on trust)"  # what a class of your own, or a description, states


@attrs.frozen
class Attempt:
    """A derivation of the total: its obligations, and the hypotheses that restrict the domain."""

    obligations: tuple[Obligation, ...]
    constraints: tuple[Constraint, ...] = ()
    name: str = ""
    """Of the derivation that made it, which sets it."""

    @property
    def proved(self) -> bool:
        """Whether every obligation is."""
        return all(obligation.proved for obligation in self.obligations)


def alone(part: Sequence[Release], attempt: Attempt) -> Attempt:
    """The attempt as one on a part of the releases, which its obligations name."""
    names = joined(", ", [one.label for one in part[:3]])
    node = say("{}{} alone", names, f" and {len(part) - 3} more" * (len(part) > 3))
    named_ones = (attrs.evolve(one, node=node) for one in attempt.obligations)
    return attrs.evolve(attempt, obligations=tuple(named_ones))


def totalled(rule: str, facts: Sequence[str], repair: str, *, proved: bool) -> Attempt:
    """The derivation of a total by one requirement, proved or open."""
    if proved:
        return Attempt((Obligation("total", ALL, rule, tuple(facts), PROVED),))
    edit = Edit("all noise")
    return Attempt((opened("total", ALL, rule, tuple(facts), repair, edit=edit),))


def joint_moves(rows: Expression, joint: Joint, grouped: Sequence[Class]) -> list[Expression]:
    """m_i, the squared mu at rows times size_i ((rows size_i/std_i)^2), times the draws."""
    return [
        release.guarantee(rows * size).amounts[0] * release.times * count
        for size, (release, count) in zip(joint.sizes, grouped, strict=True)
    ]


Found = TypeVar("Found")


def _read(nodes: Sequence[Node]) -> Iterator[object]:
    """Everything that a proof about nodes reads: the nodes, those inside procedures, and noise
    calibrated by theorems from outside.
    """
    yield from nodes
    for node in nodes:
        if isinstance(node, Procedure):
            yield from _read(node.within)
        elif isinstance(node, Release) and node.rule is not None and not own(type(node.rule)):
            yield node.mechanism


@attrs.frozen(slots=False, eq=False)
class Problem:
    """`graph` shall satisfy `target` in `setting`, for all values of the symbols."""

    graph: Graph
    target: Guarantee
    setting: Setting
    trust: tuple[type, ...] = ()
    accountant: Accountant | None = None
    """One of the user's own, that the total is derived with."""
    personal: PersonalizedDP | None = None
    """Where every record has a budget of its own; `target` is then that of one record, or what
    must be shown of a sample.
    """

    @classmethod
    def of(
        cls,
        graph: Graph,
        target: Guarantee,
        setting: Setting,
        trust: tuple[type, ...] = (),
        accountant: Accountant | None = None,
    ) -> Problem:
        """The problem of a target, personalised or not."""
        personal = target if isinstance(target, PersonalizedDP) else None
        shown = target if personal is None else personal.each
        return cls(graph, claim_of(graph, shown), setting, trust, accountant, personal)

    @cached_property
    def public(self) -> bool:
        """Whether every symbol is a public parameter."""
        return all(symbol.origin is None for symbol in self.symbols)

    @property
    def claimed(self) -> Guarantee:
        """The target as it was given."""
        return self.target if self.personal is None else self.personal

    @cached_property
    def foreign(self) -> tuple[type, ...]:
        """Classes from outside, whose stated facts the proof would have to trust."""
        inside = [one for node in self.graph.procedures for one in _read(node.within)]
        return strangers(self.parts) if self.made_of is None or strangers(inside) else ()

    @cached_property
    def made_of(self) -> tuple[object, ...] | None:
        """A flat list of all its parts at the first reading; None if a class is from outside, or
        trusted.
        """
        return None if self.trust else own_state(self.graph, self.given)

    @property
    def given(self) -> tuple[object, ...]:
        """The claim, its setting, and the trusted classes."""
        return (self.target, self.personal, self.setting, self.trust, self.accountant)

    @property
    def trusted(self) -> tuple[str, ...]:
        """The classes from outside that `trust` names, as module:Class."""
        return tuple(place(kind) for kind in self.foreign if kind in self.trust)

    @property
    def parts(self) -> tuple[object, ...]:
        """Everything that a proof reads."""
        own_parts = (self.setting, self.target, self.personal, self.accountant)
        return (*_read(self.graph.nodes), *own_parts)

    @property
    def data(self) -> Iterator[DataNode]:
        """Every data node, also inside procedures."""
        return (one for one in _read(self.graph.nodes) if isinstance(one, DataNode))

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """Every symbol of the target, the unit and the graph, by name."""
        own = () if self.personal is None else self.personal.formulas
        formulas = (*self.target.amounts, *own, self.rows)
        read = map(symbols_of, self.graph.distinct)
        every = frozenset().union(*(formula.symbols() for formula in formulas), *read)
        symbols = sorted(every, key=lambda symbol: symbol.name)
        for symbol in symbols:
            if symbol.origin is None and not symbol.name.isidentifier():
                way_out = "dp.parameter makes parameters."
                raise InvalidArgument("parameter", "with a Python name", symbol.name, way_out)
        for one, other in pairwise(symbols):
            if one.name == other.name:
                ranges = Plain(f"{one.domain}{_reading(one)} and {other.domain}{_reading(other)}")
                wanted = "one parameter with one range"
                way_out = "Use another name, or the same range everywhere."
                raise InvalidArgument(f"parameter {one.name}", wanted, ranges, way_out)
        return tuple(symbols)

    @cached_property
    def classes(self) -> tuple[Class, ...]:
        """One representative, and the size, of each class of releases with the same obligation."""
        return self.graph.classes

    @cached_property
    def epsilons(self) -> frozenset[Expression]:
        """The shares of epsilon, which the plan proves to be positive."""
        given = dict.fromkeys(charged.share for charged in self.graph.charged)
        return frozenset(s.epsilon for s in given if s is not None and "epsilon" in s.currency)

    @cached_property
    def of_cells(self) -> bool:
        """Whether a node reads one cell of a public partition."""
        return any(answers_of(kind_of(cls)).one_cell for cls in self.graph.kinds.values())

    @cached_property
    def field(self) -> Field:
        """The exact algebra of these symbols."""
        return Field(self.symbols)

    @property
    def rows(self) -> Expression:
        """Rows per person."""
        return self.setting.unit.rows_per_person


def on_nodes(graph: Graph, find: Callable[[Sequence[Node]], Iterator[Found]]) -> list[Found]:
    """The results of a check at nodes, at the first of equal releases."""
    return list(find(graph.nodes)) if any(True for _ in find(graph.distinct)) else []


def place(kind: type) -> str:
    """`module:Class`."""
    return f"{kind.__module__}:{kind.__qualname__}"


def trusted_classes(trust: object) -> tuple[type, ...]:
    """The classes that a proof may trust. Raises InvalidArgument."""
    if not isinstance(trust, Collection) or not all(isinstance(one, type) for one in trust):
        way_out = "Each is named by itself: what derives from it is not meant."
        named = trust if isinstance(trust, str) else next(iter(_texts(trust)), "")
        module, colon, name = named.partition(":")
        if colon and module.isidentifier() and name.isidentifier():
            way_out = f"Give the class itself: from {module} import {name}; trust=[{name}]."
        raise InvalidArgument("trust", "a list of classes, such as [MyNoise]", trust, way_out)
    return tuple(trust)


def _texts(trust: object) -> list[str]:
    return [one for one in trust if isinstance(one, str)] if isinstance(trust, Collection) else []


def _reading(symbol: Symbol) -> str:
    if isinstance(symbol.origin, Known):
        return " (released)"
    if isinstance(symbol.origin, Each):
        return " (of each record)"
    return "" if symbol.origin is None else " (read from the data)"


def claim_of(graph: Graph, target: Guarantee) -> Guarantee:
    """The claim about all releases: the threshold for a sample, the target for the table."""
    samples = thinnings(graph)
    return samples[0].base if len(samples) == 1 else target


def thinnings(graph: Graph) -> tuple[Thinning, ...]:
    """The samples of a graph, in which each record has its own inclusion indicator."""
    return graph.of_kind(Thinning)


def sampling(times: Expression, rate: Number | None) -> str:
    """`each of 50 draws reads a fresh, secret Poisson sample at rate 1/100`."""
    one = "the draw" if times == ONE else f"each of {times} draws"
    return f"{one} reads a fresh, secret Poisson sample at rate {rate}"
