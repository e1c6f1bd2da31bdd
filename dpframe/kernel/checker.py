"""The kernel: the obligations of a certificate, node by node, each closed by a rule or a step."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from dpframe.exact.documents import domain, keys, number, plain
from dpframe.exact.enclosure import holds
from dpframe.exact.formula import Atom, Formula
from dpframe.exact.limits import Json, Refused, Unusable
from dpframe.exact.ranges import Range
from dpframe.exact.ring import FUNCTIONS, NAME, Ring
from dpframe.exact.steps import Steps
from dpframe.exact.text import text_of
from dpframe.theory import DERIVATIONS, KINDS
from dpframe.theory.boxes import narrowed
from dpframe.theory.facts import Bound, Hypothesis, Release, public
from dpframe.theory.guarantees import GUARANTEES, PURE
from dpframe.theory.personal import (
    Past,
    Personal,
    committed,
    each_record,
    learned,
    made,
    one_for_all,
)
from dpframe.theory.relations import RELATIONS

from .sentence import sentence

SCHEMA = "dpframe-certificate/2"
IDEALIZED, TRUSTED = "idealized numerics", " is trusted: "


class Checker:
    """The obligations of one certificate; `count` of them were shown so far."""

    def __init__(self, ring: Ring) -> None:
        self.ring, self.where, self.count, self.hash = ring, "certificate", 0, ""
        self.facts: list[Any] = []
        self.domains: dict[str, Range] = {}
        self.free: set[str] = set()  # symbols that stand for no statistic
        self.region: list[Hypothesis] = []
        self.lines: dict[object, list[Hypothesis]] = {}  # the same by their two sides
        self.idealized: list[str] = []  # releases that are computed in floating point
        self.trusted: frozenset[str] = frozenset()  # classes that the assumptions name
        self.believed: dict[str, list[str]] = {}  # what those that the graph uses state
        self.cells: dict[object, Any] = {}  # the cell of a partition that decides a fact
        self.past, self.personal = Past(), Personal()

    @property
    def replaced(self) -> bool:
        """Whether neighbours have as many rows."""
        return self.relation.replaced

    @property
    def releases(self) -> list[Release]:
        """Every release, whether or not the output needs it."""
        return [fact for fact in self.facts if isinstance(fact, Release)]

    def require(self, shown: object, rule: str) -> None:
        """One obligation. Raises Refused."""
        self.count += 1
        if not shown:
            raise Refused(f"{self.where}: {rule}")

    def at_least(self, f: Formula, g: Formula | int, rule: str, *, strict: bool = False) -> None:
        """The obligation g <= f (g < f where strict) on the whole domain. Raises Refused."""
        self.count += 1
        if not self.ring.prove(f - g if g else f, strict=strict):
            sides = f"{text_of(self.ring.lift(g))} {'<' if strict else '<='} {text_of(f)}"
            raise Refused(f"{self.where}: {rule}: {sides} was not shown")

    def equal(self, f: Formula, g: Formula, rule: str) -> None:
        """The obligation that f, which is positive, and g are the same formula. Raises Refused."""
        self.count += 1
        shown = f.key == g.key or not self.ring.clear(f - g)[0]
        if not shown and self.ring.prove(g, strict=True):
            shown = not self.ring.clear(f**2 - g**2)[0]
        if not shown:
            raise Refused(f"{self.where}: {rule}: {text_of(f)} is not shown to be {text_of(g)}")

    def number(self, value: int | Fraction) -> Formula:
        """A number as a formula."""
        return self.ring.lift(value)

    def minimum(self, *parts: Formula) -> Formula:
        """The smallest."""
        return self.ring.extremum("min", parts)

    def maximum(self, *parts: Formula) -> Formula:
        """The largest."""
        return self.ring.extremum("max", parts)

    def log(self, f: Formula) -> Formula:
        """The natural logarithm. Raises Refused."""
        return self.ring.log(f)

    def exp(self, f: Formula) -> Formula:
        """The exponential."""
        return self.ring.implicit("exp", [f])

    def total(self, parts: Iterable[Formula]) -> Formula:
        """The sum."""
        return self.ring.total(parts)

    def constant(self, f: Formula) -> Fraction | None:
        """The number that a formula is; None for any other."""
        return f.constant

    def same(self, f: Formula, g: Formula) -> bool:
        """Whether two formulas have one normal form."""
        return f.key == g.key

    def rational(self, value: Json) -> Fraction:
        """A number of the file. Raises Refused."""
        return number(value, self.where)

    def written(self, value: Fraction) -> str:
        """A number in words."""
        return str(value)

    def parameter(self, value: Json) -> bool:
        """Whether a value names a symbol that stands for no node."""
        return type(value) is str and value in self.free

    def readable(self, _: Formula) -> bool:
        """Every formula that could be read is: others name no symbol that is public yet."""
        return True

    def fixed(self, f: Formula) -> bool:
        """Whether a formula reads nothing that was released."""
        return not self.ring.depends(f) & self.past.symbols.keys()

    def seen(self, fact: object) -> bool:
        """Whether a node may be seen."""
        return public(fact)

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
        for name, known in self.past.symbols.items():
            if isinstance(known, Bound) and self.ring.symbols[name].key == f.key:
                return known
        return None

    def each(self, f: Formula) -> bool:
        """Whether a formula reads a record's own budget."""
        return bool(self.ring.depends(f) & self.personal.own)

    def shared(self, *formulas: Formula) -> None:
        """The obligation that formulas read no record's own budget. Raises Refused."""
        one_for_all(self, *formulas)

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
        found = self.formula(value)
        self.at_least(found, 0, f"{name} must be positive", strict=True)
        return found

    def whole(self, value: Json, name: str) -> Formula:
        """A formula that is a whole number, at least 1, on the whole domain. Raises Refused."""
        found = self.formula(value)
        atoms = [(self.ring.atoms[g], e) for mono in found.terms for g, e in mono]
        shown = found.den == 1 and all(
            atom.range.integer and e > 0 and e.denominator == 1 for atom, e in atoms
        )
        self.require(shown, f"{name} must be a whole number or symbol: {text_of(found)}")
        self.at_least(found, 1, f"{name} must be at least 1")
        return found

    def assume(self, f: Formula, g: Formula, *, strict: bool = False) -> bool:
        """Whether f <= g (f < g) follows from one line of `region`, or else on the whole domain."""
        same = self.lines.get((f.key, g.key), ())
        for h in (*same, *self.region[:32]):
            if h.strict >= strict and self.ring.prove(g - h.right) and self.ring.prove(h.left - f):
                for twin in self.lines[h.left.key, h.right.key]:
                    twin.used = True
                return True
        return self.ring.prove(g - f, strict=strict)

    def inside(self, epsilon: Formula) -> Checker:
        """A checker of a graph within, that is to be epsilon-DP."""
        inner = Checker(self.ring)
        inner.domains, inner.free = self.domains, self.free
        inner.trusted, inner.believed = self.trusted, self.believed
        inner.relation, inner.rows, inner.guarantee = self.relation, self.rows, PURE
        inner.amounts = [epsilon]
        return inner

    def run(self, document: Json, expect: str | None) -> str:
        """Every obligation; the sentence that they prove. Raises Refused, Unusable."""
        if type(document) is not dict or document.get("schema") != SCHEMA:
            raise Unusable(f"the schema is not {SCHEMA}")
        parts = {"statement": dict, "graph": dict, "declaration": dict, "assumptions": list}
        keys(document, "certificate", schema=str, **parts, proof=dict, hash=str)
        self.require(all(type(a) is str for a in document["assumptions"]), "assumptions are text")
        claimed, graph = document["statement"], document["graph"]
        self.hash = hash_of(claimed, graph, document["assumptions"])
        self.require(document["hash"] == self.hash, f"its hash must be {self.hash}")
        self.require(expect in (None, self.hash), f"expected {expect}, but the hash is {self.hash}")
        said = [a.partition(TRUSTED) for a in document["assumptions"]]
        self.trusted = frozenset(name for name, mark, _ in said if mark)
        self.where = "statement"
        parts = {"target": dict, "relation": str, "symbols": dict, "region": list, "values": dict}
        each = {"each": dict} if "each" in claimed else {}
        keys(claimed, self.where, **parts, rows_per_person=object, derivation=str, **each)
        keys(graph, "graph", nodes=list, output=list)
        self.require(claimed["relation"] in RELATIONS, f"relation: one of {sorted(RELATIONS)}")
        self.require(claimed["derivation"] in DERIVATIONS, f"one of {sorted(DERIVATIONS)}")
        self.relation = RELATIONS[claimed["relation"]]
        waiting = self.declare(claimed["symbols"])
        self.rows = self.whole(claimed["rows_per_person"], "rows_per_person")
        each_record(self, claimed.get("each"))
        for index, node in enumerate(graph["nodes"]):
            self.facts.append(self.derive(node, index))
            for name in waiting.pop(index, ()):
                self.ring.symbols[name] = learned(self, name, self.facts[-1])
        self.where = "statement"
        self.require(not waiting, f"origins {sorted(waiting)} are no nodes")
        self.aim(claimed["target"], claimed["region"])
        committed(self, claimed["derivation"])
        DERIVATIONS[claimed["derivation"]](self)
        self.where = "statement"
        self.close(claimed["values"], graph["output"])
        listed = any(a.startswith(IDEALIZED) for a in document["assumptions"])
        floating = f"assumptions must list {IDEALIZED}, of {self.idealized}"
        self.require(listed or not self.idealized, floating)
        return sentence(self, claimed)

    def aim(self, target: Json, region: Json) -> None:
        """Read what is claimed, and under which hypotheses."""
        keys(target, "target", kind=str, amounts=list)
        self.require(target["kind"] in GUARANTEES, f"target: one of {sorted(GUARANTEES)}")
        self.guarantee = GUARANTEES[target["kind"]]
        few = len(target["amounts"]) == len(self.guarantee.currency)
        self.require(few, f"target: amounts of {self.guarantee.currency}")
        self.amounts = [
            self.positive(value, "an amount of the target") for value in target["amounts"]
        ]
        for line in region:
            fits = type(line) is list and len(line) == 3 and type(line[2]) is bool
            self.require(fits, "a line of region is [left, right, strict]")
            h = Hypothesis(self.formula(line[0]), self.formula(line[1]), line[2])
            self.lines.setdefault((h.left.key, h.right.key), []).append(h)
            self.region.append(h)

    def declare(self, symbols: Json) -> dict[int, list[str]]:
        """Read the table of symbols; those that stand for a statistic's value wait for it."""
        waiting: dict[int, list[str]] = {}
        for name, spec in symbols.items():
            self.require(NAME.match(name) and name not in (*FUNCTIONS, "sqrt"), f"name {name!r}")
            self.domains[name] = domain(spec, f"symbol {name}")
            if spec["origin"] is None:
                self.free.add(name)
                self.ring.symbols[name] = self.symbol(name)
            else:
                waiting.setdefault(spec["origin"], []).append(name)
        return waiting

    def symbol(self, name: str) -> Formula:
        """A declared symbol as a formula."""
        span = self.domains[name]
        atom = Atom("symbol", span.sign, (), name, span)
        return self.ring.product([(self.ring.intern(("symbol", name), atom), 1)])

    def derive(self, node: Json, index: int) -> Any:
        """The facts of a node, by the table of kinds. Raises Refused."""
        self.where = f"node {index}"
        self.require(type(node) is dict and type(node.get("kind")) is str, "an object with a kind")
        self.where = f"node {index} ({node['kind']:.40})"
        self.require(node["kind"] in KINDS, f"kind must be one of {sorted(KINDS)}")
        kind = KINDS[node["kind"]]
        node = {**kind.defaults, **node}
        keys(node, self.where, id=int, kind=str, inputs=list, **dict.fromkeys(kind.names, object))
        ids = node["inputs"]
        self.require(node["id"] == index, "id must be its position")
        self.require(all(type(i) is int and 0 <= i < index for i in ids), "inputs come before it")
        inputs = [self.facts[i] for i in ids]
        if kind.many:
            right = all(isinstance(i, kind.takes) for i in inputs)
        else:
            right = list(map(type, inputs)) == list(kind.takes)
        takes = " or ".join(t.__name__ for t in kind.takes)
        self.require(right, f"its inputs must be {takes or 'none'}")
        return made(self, node, inputs)

    def close(self, values: Json, output: Json) -> None:
        """Hypotheses are those of theorems and hold somewhere; the output is released."""
        for h in self.region:
            fits = h.used or self.ring.prove(h.right - h.left, strict=h.strict)
            sides = f"{text_of(h.left)} <= {text_of(h.right)}"
            self.require(fits, f"region: no theorem needs {sides}, which carves the domain")
        given = {name: number(value, f"value of {name}") for name, value in values.items()}
        for name, value in given.items():
            chosen = name in self.domains.keys() - self.past.symbols - self.personal.fixed
            self.require(chosen and value in self.domains[name], f"value of {name}")
        if self.region:
            spans = {name: narrowed(self, name) for name in self.domains}
            inside = self.ring.steps.closes(Inside(self.ring, self.region, spans, given))
            self.require(inside, "region: no point inside was given, with these values")
        self.require(output, "output: at least one node")
        for i in output:
            known = type(i) is int and 0 <= i < len(self.facts)
            self.require(known and public(self.facts[i]), f"output {i!r:.20} is not released")


class Inside(NamedTuple):
    """The claim that some point of the domain is in the region."""

    ring: Ring
    region: Sequence[Hypothesis]
    spans: Mapping[str, Range]
    given: Mapping[str, Fraction]

    @property
    def key(self) -> str:
        """Of the one region."""
        return "a point of the region"

    def shown(self, step: Mapping[str, Json]) -> bool:
        """Whether the point of the step is one."""
        if step.keys() != {"by", "at"} or type(step["at"]) is not dict or step["by"] != "point":
            raise Refused(f"no step for a region: {step!r:.80}")
        at = {name: number(value, name) for name, value in step["at"].items()}
        placed = at.keys() == self.spans.keys() and all(at[n] in self.spans[n] for n in at)
        return placed and self.given.items() <= at.items() and self.holds(at)

    def holds(self, at: Mapping[str, Fraction]) -> bool:
        """Whether every line holds at a point, for certain."""
        lines = self.region
        return all(holds(self.ring, h.right - h.left, at, strict=h.strict) for h in lines)


def hash_of(claimed: Json, graph: Json, assumptions: Json) -> str:
    """SHA-256 of the canonical JSON of statement, graph and assumptions."""
    text = json.dumps([claimed, graph, assumptions], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Verdict:
    """What became of a certificate: `sentence` is proved if and only if `accepted`."""

    accepted: bool
    sentence: str
    hash: str
    obligations: int
    reason: str
    trusted: tuple[str, ...] = ()
    """Classes from outside whose word the sentence takes."""


def check(document: Json, expect: str | None = None, *, steps: Steps | None = None) -> Verdict:
    """Check a certificate given as JSON values, by its own proof unless `steps` are given.
    `expect` pins its hash. Never raises.
    """
    proof = document.get("proof") if type(document) is dict else None
    own = proof.get("steps") if type(proof) is dict else None
    steps = Steps(own if type(own) is dict else {}) if steps is None else steps
    checker = Checker(Ring(steps))
    try:
        plain(document)
        proved = checker.run(document, expect)
        checker.require(proof is not None and proof.keys() == {"steps"}, "proof: exactly its steps")
        idle = sorted(steps.given.keys() - steps.used)
        checker.require(not idle, f"proof: steps that close nothing: {idle!s:.200}")
    except Unusable as error:
        return Verdict(False, "", "", 0, f"unusable: {error}")  # noqa: FBT003
    except Refused as error:
        reason = f"{error!s:.2000}"
        return Verdict(False, "", checker.hash, checker.count, reason)  # noqa: FBT003
    except Exception as error:  # noqa: BLE001 - what this checker does not foresee is refused
        reason = f"{checker.where}: {type(error).__name__}: {error!s:.200}"
        return Verdict(False, "", checker.hash, checker.count, reason)  # noqa: FBT003
    believed = tuple(sorted(checker.believed))
    return Verdict(True, proved, checker.hash, checker.count, "", believed)  # noqa: FBT003
