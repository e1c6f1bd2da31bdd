"""The context of entries of the rule book: obligations, formulas and what was read before; claims
that hold on every box of a subdivision of the domain, by enclosure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, Self

from dpframe.exact.documents import Json, Range, Refused, number
from dpframe.exact.formula import Enclosure, Formula, digest, text_of
from dpframe.exact.interval import Interval, middle
from dpframe.exact.ring import Ring
from dpframe.exact.signs import covered

from .facts import RELEASED, Bound, Hypothesis, Iterate, Known, Post, Release, public
from .guarantees import Guarantee, Relation


class History:
    """What nodes read of what was released before them."""

    def __init__(self) -> None:
        self.reads: set[str] = set()  # symbols that the present node reads
        self.symbols: dict[str, Known] = {}  # those that stand for released numbers
        self.counts: list[Formula] = []  # those that stand for the number of rows
        self.points: dict[object, frozenset[object]] = {}  # for each fact, points of open loops
        self.late: set[object] = set()  # facts that a released value decides
        self.sums: set[object] = set()  # statistics that may be of a sample of the rows
        self.loops: dict[object, Release] = {}  # for each point, the release that reads it

    def read(self, f: Formula) -> Formula:
        """Note what a formula reads."""
        self.reads |= f.ring.depends(f)
        return f

    def keep(self, fact: object, inputs: Sequence[object]) -> None:
        """Note what a new fact reads, through its inputs and its formulas. A loop ends its point:
        all answers there were released.
        """
        before = [*inputs, *(self.symbols[name] for name in self.reads & self.symbols.keys())]
        own = {fact} if isinstance(fact, Iterate) else set()
        ended = inputs[:1] if isinstance(fact, Post) else ()  # of a loop its point
        self.points[fact] = frozenset(own).union(*(self.points[one] for one in before)) - {*ended}
        if isinstance(fact, (*RELEASED, Iterate)) or any(one in self.late for one in before):
            self.late.add(fact)


class Personal:
    """Budgets of each record: whose symbols they are, and what is made of them."""

    def __init__(self) -> None:
        self.own: frozenset[str] = frozenset()  # symbols that differ from record to record
        self.fixed: set[str] = set()  # these, and numbers of all budgets: no user chooses them
        self.groups = ""  # in words
        self.largest: dict[object, Formula] = {}  # by the formula's key
        self.kept: set[object] = set()  # facts about records that a sample keeps
        self.bare: list[str] = []  # statistics of other records
        self.mixed: set[object] = set()  # statistics of weighed records
        self.claimed: list[Formula] | None = None  # where a sample's claim is another


class Context:
    """The context of entries of rows, labels, statistics and losses. The language has a context
    of its own, whose formulas are expressions and whose prover states obligations elsewhere; so
    these entries call nothing but the methods here, and numbers of either are added, multiplied,
    divided and raised to exact powers. Obligations that are not shown raise Refused; `count` of
    them were shown so far.
    """

    relation: Relation
    rows: Formula
    guarantee: Guarantee
    amounts: list[Formula]

    def __init__(self, ring: Ring) -> None:
        self.ring, self.where, self.count = ring, "certificate", 0
        self.number, self.total, self.log = ring.lift, ring.total, ring.log
        self.facts: list[Any] = []
        self.domains: dict[str, Range] = {}
        self.free: set[str] = set()  # symbols that stand for no statistic
        self.region: list[Hypothesis] = []
        self.lines: dict[object, list[Hypothesis]] = {}  # the same by their two sides
        self.idealized: list[str] = []  # releases that are computed in floating point
        self.trusted: frozenset[str] = frozenset()  # classes that the assumptions name
        self.believed: dict[str, list[str]] = {}  # what those that the graph uses state
        self.cells: dict[object, Any] = {}  # the cell of a partition that decides a fact
        self.past, self.personal = History(), Personal()

    @property
    def replaced(self) -> bool:
        """Whether neighbours have as many rows."""
        return self.relation.replaced

    @property
    def changes(self) -> int:
        """In how many places one changed row may be."""
        return self.relation.changes

    def require(self, shown: object, rule: str, *about: Formula) -> None:
        """One obligation, about some formulas. Raises Refused."""
        self.count += 1
        if not shown:
            operands = f": {', '.join(map(text_of, about))}" if about else ""
            raise Refused(f"{self.where}: {rule}{operands}")

    def at_least(self, f: Formula, g: Formula | int, rule: str, *, strict: bool = False) -> None:
        """The obligation g <= f (g < f where strict) on the whole domain. Raises Refused."""
        self.count += 1
        if not self.ring.prove(f - g if g else f, strict=strict):
            sides = f"{text_of(self.ring.lift(g))} {'<' if strict else '<='} {text_of(f)}"
            raise Refused(f"{self.where}: {rule}: {sides} was not shown")

    def equal(self, f: Formula, g: Formula, rule: str) -> None:
        """The obligation that f, which is positive, and g are the same formula. Raises Refused."""
        shown = f.key == g.key or not self.ring.clear(f - g)[0]
        if not shown and self.ring.prove(g, strict=True):
            shown = not self.ring.clear(f**2 - g**2)[0]
        self.require(shown, f"{rule} is not shown to be", f, g)

    def minimum(self, *parts: Formula) -> Formula:
        """The smallest."""
        return self.ring.extremum("min", parts)

    def maximum(self, *parts: Formula) -> Formula:
        """The largest."""
        return self.ring.extremum("max", parts)

    def exp(self, f: Formula) -> Formula:
        """The exponential."""
        return self.ring.implicit("exp", [f])

    def analytic_sigma(self, epsilon: Formula, delta: Formula) -> Formula:
        """The least std of Gaussian noise that makes a move of 1 (epsilon, delta)-DP."""
        return self.ring.implicit("analytic_sigma", [epsilon, delta])

    def constant(self, f: Formula) -> Fraction | None:
        """The number that a formula is; None for any other."""
        return f.constant

    def same(self, f: Formula, g: Formula) -> bool:
        """Whether two formulas have one normal form."""
        return f.key == g.key

    def rational(self, value: Json) -> Fraction:
        """A number of the file. Raises Refused."""
        return number(value, self.where)

    def single(self) -> bool:
        """Whether a person has one row."""
        return self.rows.constant == 1

    def sole(self, kind_of: type, rule: str) -> None:
        """The obligation that there is no fact of this very type yet. Raises Refused."""
        self.require(not any(type(fact) is kind_of for fact in self.facts), rule)

    def place(self, fact: object, inputs: Iterable[object], cell: object) -> None:
        """Note the cell of a fact, if nothing that was released moves the cells."""
        if not any(node in self.past.late for node in inputs):
            self.cells[fact] = cell

    def bound(self, f: Formula) -> Bound | None:
        """The bound that a formula is."""
        return next((known for symbol, known in self.bounds() if symbol.key == f.key), None)

    def bounds(self) -> list[tuple[Formula, Bound]]:
        """Every bound on a statistic, and its symbol."""
        known = self.past.symbols.items()
        return [(self.ring.symbols[name], one) for name, one in known if isinstance(one, Bound)]

    def each(self, f: Formula) -> bool:
        """Whether a formula reads a record's own budget."""
        return bool(self.ring.depends(f) & self.personal.own)

    def shared(self, *formulas: Formula) -> None:
        """The obligation that what all records share reads no record's own budget. Raises
        Refused.
        """
        mine = sorted(self.ring.depends(*formulas) & self.personal.own)
        self.require(not mine, f"one number for all records must not read a record's own {mine}")

    def personal_budgets(self) -> bool:
        """Whether records have budgets of their own."""
        return bool(self.personal.own)

    def largest(self, factor: Formula) -> Formula | None:
        """The largest of a weight over all records; None where it has no symbol."""
        known: Formula | None = self.personal.largest.get(factor.key)
        return known if self.each(factor) else factor

    def of_record(self, value: Json) -> Formula:
        """A formula that an input of the node has too, and has noted what it reads. Raises
        Refused.
        """
        return self.ring.formula(value, self.where)

    def formula(self, value: Json) -> Formula:
        """A formula of public symbols. Raises Refused."""
        return self.past.read(self.ring.formula(value, self.where))

    def positive(self, value: Json, name: str) -> Formula:
        """A formula that is positive on the whole domain. Raises Refused."""
        formula = self.formula(value)
        self.at_least(formula, 0, f"{name} must be positive", strict=True)
        return formula

    def whole(self, value: Json, name: str) -> Formula:
        """A formula that is a whole number, at least 1, on the whole domain. Raises Refused."""
        formula = self.formula(value)
        atoms = [(self.ring.atoms[g].range, e) for mono in formula.terms for g, e in mono]
        whole_powers = all(span.integer and e > 0 and e.denominator == 1 for span, e in atoms)
        rule = f"{name} must be a whole number or symbol"
        self.require(formula.den == 1 and whole_powers, rule, formula)
        self.at_least(formula, 1, f"{name} must be at least 1")
        return formula


class AtGraph(Context):
    """The context of theorems of procedures and calibrations: obligations on the whole graph. The
    prover has a context of its own, which keeps what is not shown for its report.
    """

    private_runs: Callable[[Json, Formula], None]
    """The obligation that every one of these graphs is epsilon-DP by itself. Raises Refused."""

    def counts(self) -> list[Formula]:
        """The symbols that stand for a public number of rows."""
        return self.past.counts

    def steady(self, fact: object) -> bool:
        """Whether no loop moves what a fact is about."""
        return not self.past.points[fact]

    def settled(self, *formulas: Formula) -> None:
        """The obligation that formulas read nothing that was released: budgets, failures and
        numbers of draws are divided before. Raises Refused.
        """
        late = sorted(self.ring.depends(*formulas) & self.past.symbols.keys())
        rule = f"shares, draws and claims must not depend on what is released: {late}"
        self.require(not late, rule)

    def shown(self, f: Formula) -> bool:
        """Whether a formula is shown to be at least 0 on the whole domain."""
        return self.ring.prove(f)

    def at_least_one(self, f: Formula, bounds: Iterable[Formula], rule: str) -> None:
        """The obligation that f is at least one of some formulas. Raises Refused."""
        self.require(any(self.ring.prove(f - bound) for bound in bounds), f"{rule}, not shown", f)

    def computed(self, *what: str) -> None:
        """Note what the program computes, in floating point, which no formula of the graph says."""
        self.idealized.append(self.where)


class At(AtGraph):
    """A graph that is read node by node."""

    @property
    def releases(self) -> list[Release]:
        """Every release, whether or not the output needs it."""
        return [fact for fact in self.facts if isinstance(fact, Release)]

    def assume(self, f: Formula, g: Formula, *, strict: bool = False) -> bool:
        """Whether f <= g (f < g) follows from one line of `region`, or else on the whole domain."""
        same = self.lines.get((f.key, g.key), ())
        for h in (*same, *self.region[:32]):
            if h.strict >= strict and self.ring.prove(g - h.right) and self.ring.prove(h.left - f):
                for twin in self.lines[h.left.key, h.right.key]:
                    twin.used = True
                return True
        return self.ring.prove(g - f, strict=strict)

    def narrowed(self, name: str) -> Range:
        """The domain of a symbol, between the numbers that `region` sets for it."""
        span, own = self.domains[name], self.ring.symbols[name].key
        for h in self.region:
            low, high = h.left.constant, h.right.constant
            if low is not None and h.right.key == own and (span.lower is None or low > span.lower):
                span, h.used = span._replace(lower=low, left=True), True
            if high is not None and h.left.key == own and (span.upper is None or high < span.upper):
                span, h.used = span._replace(upper=high, right=True), True
        return span

    def on_boxes(self, name: str, parts: Sequence[Formula], decide: Decide) -> bool:
        """Whether `decide` says yes to enclosures of `parts` on boxes that cover the domain."""
        spans = {name: self.narrowed(name) for name in sorted(self.ring.depends(*parts))}
        return bool(self.ring.steps.closes(Boxes(self.ring, name, parts, spans, decide)))

    def released(self, place: Json) -> bool:
        """Whether there is a node at a place of the graph, which may be seen."""
        known = type(place) is int and 0 <= place < len(self.facts)
        return known and public(self.facts[place])

    def symbol(self, name: str) -> Formula:
        """A declared symbol as a formula."""
        return self.ring.symbol(name, self.domains[name])

    def trust(self, name: Json) -> str:
        """A class, written module:name, that an assumption names. Raises Refused."""
        parts = re.split(r"[.:]", name) if type(name) is str else []
        written = len(parts) > 1 and name.count(":") == 1 and all(map(str.isidentifier, parts))
        self.require(written and name.isascii(), "trusted: a class, written module:name")
        self.require(name in self.trusted, f"assumptions must say that {name} is trusted")
        self.believed.setdefault(name, [])
        return str(name)

    def state(self, name: str, what: str) -> None:
        """Note for the sentence what a class that is trusted states of this node."""
        self.believed[name].append(f"{self.where.partition(' (')[0]}: {what}")

    def inside(self, guarantee: Guarantee, epsilon: Formula) -> Self:
        """A graph within, that is to be epsilon-DP."""
        inner = type(self)(self.ring)
        inner.domains, inner.free = self.domains, self.free
        inner.trusted, inner.believed = self.trusted, self.believed
        inner.relation, inner.rows, inner.guarantee = self.relation, self.rows, guarantee
        inner.amounts = [epsilon]
        return inner


Box = Mapping[str, Interval]
Decide = Callable[[Sequence[Interval]], bool]


class Boxes(NamedTuple):
    """The claim that `decide` says yes on the whole domain, `spans`."""

    ring: Ring
    name: str
    parts: Sequence[Formula]
    spans: Mapping[str, Range]
    decide: Decide

    @property
    def key(self) -> str:
        """`profile at epsilon; delta; mu^2`."""
        return digest(f"{self.name} at {'; '.join(map(text_of, self.parts))}")

    @property
    def whole(self) -> Box | None:
        """The whole domain; None where it is unbounded."""
        ends = {}
        for name, span in self.spans.items():
            if span.lower is None or span.upper is None:
                return None
            ends[name] = Interval(span.lower, span.upper)
        return ends

    def holds(self, box: Box, bits: int = 96) -> bool:
        """Whether `decide` says yes on a box."""
        self.ring.spend(100)
        ends = Enclosure(self.ring, box, bits).ends(*self.parts)
        return ends is not None and self.decide(ends)

    def shown(self, step: Mapping[str, Json]) -> bool:
        """Whether the step shows it: `.` is a leaf, the name of a symbol halves its side; the last
        box comes first.
        """
        match step:
            case {"by": "boxes", "tree": str(tree), "bits": 96 | 300 as bits}:
                good = partial(self.holds, bits=bits)
                return self.whole is not None and covered(self.whole, tree.split(), good, halved)
        return False


def halved(box: Box, name: str) -> list[Box]:
    """The lower and the upper half along one side; none where it has no such side."""
    if name not in box:
        return []
    low, high = box[name]
    at = middle(low, high)
    return [{**box, name: Interval(low, at)}, {**box, name: Interval(at, high)}]
