"""The kernel: the obligations of a certificate, node by node, each closed by a rule or a step;
and what was proved, in words.
"""

from __future__ import annotations

import gc
import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from dpframe.exact.documents import Json, Range, Refused, Unusable, domain, keys, number, plain
from dpframe.exact.formula import Enclosure, Formula, decimal, range_text, text_of
from dpframe.exact.interval import Interval
from dpframe.exact.ring import FUNCTIONS, NAME, Ring
from dpframe.exact.signs import Steps
from dpframe.theory import DERIVATIONS
from dpframe.theory.at import At
from dpframe.theory.derivations import named_theorems
from dpframe.theory.facts import Bound, Hypothesis, Known, OfBudgets, PerRecord, Procedure, Release
from dpframe.theory.guarantees import GUARANTEES, RELATIONS
from dpframe.theory.personal import committed, derive, each_record, learned
from dpframe.theory.procedures import nested

ENDS = {"upper": "label", "norm": "2-norm of a row", "bound": "size of an entry of a row"}


def bounds(c: At, nodes: Json) -> Iterator[str]:
    """Bounds and levels of the table's columns, as the nodes that read them before others say."""
    first: set[int] = set()
    for i, node in enumerate(nodes):
        own = [[ENDS[key], node.get("lower", "0"), node[key]] for key in ENDS if node.get(key)]
        clips, of_records = node.get("schema", own), isinstance(c.facts[i], PerRecord)
        if of_records and first.issuperset(node["inputs"]) and (clips or not node["inputs"]):
            first.add(i)
            for name, *ends in clips:
                levels = len(ends) == 1 or ends[1] == "simplex"
                shown = ends[0] if levels else [" to ".join(decimal(c.formula(e)) for e in ends)]
                yield f"{repr(name) if ':' in name else name}: {', '.join(shown)}"


def releases(c: At, nodes: Json) -> Iterator[str]:
    """What is charged: its noise, size, draws, rate of samples and share, as they were checked."""
    for node, fact in zip(nodes, c.facts, strict=True):
        if isinstance(fact, (Release, Procedure)):
            own, what = vars(fact), node["kind"]
            if isinstance(fact, Release):
                what, own = f"{node['mechanism']} noise ({fact.rule})", own | (fact.share or {})
            known = {key: one for key, one in own.items() if isinstance(one, (Formula, Fraction))}
            sizes = ", ".join(f"{key} {text_of(c.ring.lift(one))}" for key, one in known.items())
            of = ", ".join(f"{nodes[i]['kind']} (node {i})" for i in node["inputs"])
            yield f"{node['name']}: {of}; {what}, {sizes}"


def sentence(c: At, claimed: Json) -> str:
    """The statement in words: what holds between which tables, then for which numbers."""
    own, symbols = sorted(c.personal.own), claimed["symbols"]
    spans = {name: f"{name} {range_text(c.domains[name])}" for name in symbols}
    others = {n: symbols[n]["origin"] for n in symbols if n not in own}
    free = [spans[n] for n, origin in others.items() if origin is None]
    made = [spans[n] + source_text(c, of) for n, of in others.items() if of is not None]
    if own:
        free.append(f"all public budgets of the records{c.personal.groups}")
        free.append(f"each record, with its own {', '.join(spans[name] for name in own)}")
    rows = "one row" if c.rows.constant == 1 else f"up to {text_of(c.rows)} rows of one person"
    guarantee = c.guarantee.words.format(*map(decimal, c.personal.claimed or c.amounts))
    mine = f" with that record's own {' and '.join(own)}" if own else ""
    record = ", which is that record" if own else ""
    differ = f"every two tables that differ by {rows} {c.relation.words}{record}"
    sides = [f"{text_of(h.left)} {'<' if h.strict else '<='} {text_of(h.right)}" for h in c.region]
    parts = {
        "It holds for all": free,
        "It holds where": sides,
        "Given here:": [f"{n} = {decimal(c.formula(v))}" for n, v in claimed["values"].items()],
        "It holds for every value of these numbers, which the proof introduces:": made,
        "Proved over the reals and executed in floating point:": c.idealized,
        "On trust:": [f"{name} ({'; '.join(c.believed[name])})" for name in sorted(c.believed)],
    }
    sentences = [f"the released values together satisfy {guarantee}{mine}, for {differ}."]
    sentences += [f"{title} {'; '.join(part)}." for title, part in parts.items() if part]
    if claimed["derivation"] in c.believed:
        sentences.append(f"The total itself is what {claimed['derivation']} says that it is.")
    return " ".join(sentences)


def source_text(c: At, origin: int) -> str:
    """` (released, node 7)`: what a symbol stands for."""
    fact = c.facts[origin]
    if isinstance(fact, OfBudgets):
        what = f"the {fact.what} of {text_of(fact.formula)} over all records"
    elif isinstance(fact, Bound):
        what = f"released, a bound {'above' if fact.upper else 'below'} a statistic"
    else:
        what = "released" if isinstance(fact, Known) else "the number of rows"
    return f" ({what}, node {origin})"


def safe(text: str) -> str:
    """Text of a file without characters that could steer a terminal."""
    return "".join(ch if ch.isprintable() and ch.isascii() else f"<{ord(ch):x}>" for ch in text)


SCHEMA = "dpframe-certificate/3"


class Checker(At):
    """The obligations of one certificate."""

    hash, added = "", True

    def private_runs(self, graphs: Json, epsilon: Formula) -> None:
        """The obligation that every one of these graphs is epsilon-DP. Raises Refused."""
        fits = type(graphs) is list and graphs and not self.past.symbols
        self.require(fits, "graphs, of public numbers")
        for graph in graphs:
            nested(self, graph, epsilon)

    def run(self, document: Json, expect: str | None) -> str:
        """Every obligation; the sentence that they prove. Raises Refused, Unusable."""
        if type(document) is not dict or document.get("schema") != SCHEMA:
            raise Unusable(f"the schema is not {SCHEMA}")
        parts = {"statement": dict, "graph": dict, "declaration": dict, "assumptions": list}
        keys(document, "certificate", schema=str, **parts, proof=dict, hash=str)
        self.require(all(type(a) is str for a in document["assumptions"]), "assumptions are text")
        claimed, graph = document["statement"], document["graph"]
        self.hash = hash_of(claimed, graph, document["assumptions"])
        self.require(document["hash"] == self.hash, "not what its hash says: changed or damaged")
        if expect and (given := len(expect)) < 64:
            mine = self.hash[:given]
            raise Unusable(f"expect has {given} of 64 characters; the file's hash begins {mine}")
        self.require(expect in (None, self.hash), f"expected {expect}, but the hash is {self.hash}")
        assumed = [a.partition(" is trusted: ") for a in document["assumptions"]]
        self.trusted = frozenset(name for name, mark, _ in assumed if mark)
        self.where = "statement"
        parts = {"target": dict, "relation": str, "symbols": dict, "region": list, "values": dict}
        each = {"each": dict} if "each" in claimed else {}
        keys(claimed, self.where, **parts, rows_per_person=object, derivation=str, **each)
        keys(graph, "graph", nodes=list, output=list)
        self.require(claimed["relation"] in RELATIONS, f"relation: one of {sorted(RELATIONS)}")
        derivation = claimed["derivation"] if self.added else ""
        if ":" in derivation:
            self.trust(derivation)  # an accountant from outside: the total is on its word
        else:
            known = derivation in DERIVATIONS or not self.added
            self.require(known, f"one of {sorted(DERIVATIONS)}")
        self.relation = RELATIONS[claimed["relation"]]
        waiting = self.declare(claimed["symbols"])
        self.rows = self.whole(claimed["rows_per_person"], "rows_per_person")
        each_record(self, claimed.get("each"))
        for index, node in enumerate(graph["nodes"]):
            derive(self, node, index)
            for name in waiting.pop(index, ()):
                self.ring.symbols[name] = learned(self, name, self.facts[-1])
        self.where = "statement"
        self.require(not waiting, f"origins {sorted(waiting)} are no nodes")
        self.aim(claimed["target"], claimed["region"])
        committed(self, derivation)
        DERIVATIONS.get(derivation, named_theorems)(self)
        self.where = "statement"
        self.close(claimed["values"], graph["output"])
        listed = any(a.startswith("idealized numerics") for a in document["assumptions"])
        floating = f"assumptions must list idealized numerics, of {self.idealized}"
        self.require(listed or not self.idealized, floating)
        return sentence(self, claimed) + ("" if self.added else " The total was not checked.")

    def limit(self, trusted: Collection[str] | None) -> None:
        """Refuse what is taken on the word of other classes. Raises Refused."""
        others = set() if trusted is None else self.believed.keys() - set(trusted)
        if others:
            raise Refused(f"it trusts {', '.join(sorted(others))}, which you do not")

    def aim(self, target: Json, region: Json) -> None:
        """Read what is claimed, and under which hypotheses."""
        keys(target, "target", kind=str, amounts=list)
        self.require(target["kind"] in GUARANTEES, f"target: one of {sorted(GUARANTEES)}")
        self.guarantee = GUARANTEES[target["kind"]]
        few = len(target["amounts"]) == len(self.guarantee.currency)
        self.require(few, f"target: amounts of {self.guarantee.currency}")
        self.amounts = [self.positive(one, "an amount of the target") for one in target["amounts"]]
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
            spans = {name: self.narrowed(name) for name in self.domains}
            inside = self.ring.steps.closes(Inside(self.ring, self.region, spans, given))
            self.require(inside, "region: no point inside was given, with these values")
        self.require(output, "output: at least one node")
        for i in output:
            self.require(self.released(i), f"output {i!r:.20} is not released")


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
            return False
        at = {name: number(value, name) for name, value in step["at"].items()}
        placed = at.keys() == self.spans.keys() and all(at[n] in self.spans[n] for n in at)
        return placed and self.given.items() <= at.items() and self.holds(at)

    def holds(self, at: Mapping[str, Fraction]) -> bool:
        """Whether every line holds at a point, for certain."""
        box = {name: Interval(value, value) for name, value in at.items()}
        gaps = Enclosure(self.ring, box, 1000).ends(*(h.right - h.left for h in self.region))
        signs = zip(gaps or (), self.region, strict=False)
        return bool(gaps) and all(low > 0 or (low == 0 and not h.strict) for (low, _), h in signs)


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
    # Classes from outside whose word the sentence takes.
    trusted: tuple[str, ...] = ()
    # Of the columns of the table, and of its labels.
    bounds: tuple[str, ...] = ()
    releases: tuple[str, ...] = ()


def check(
    document: Json,
    expect: str | None = None,
    *,
    steps: Steps | None = None,
    trusted: Collection[str] | None = None,
    total: bool = True,
) -> Verdict:
    """Check a certificate given as JSON values, by its own proof unless `steps` are given.
    `expect` pins its hash; `trusted` names the only classes, module:Class, whose word it may take.
    Without the `total`, what it accepts is everything but the sum of the costs. Never raises.
    """
    proof = document.get("proof") if type(document) is dict else None
    own = proof.get("steps") if type(proof) is dict else None
    steps = Steps(own if type(own) is dict else {}) if steps is None else steps
    checker = Checker(Ring(steps))
    checker.added = total
    collecting = gc.isenabled()
    if collecting:
        gc.disable()  # what a check allocates is needed until it ends
    try:
        plain(document)
        proved = checker.run(document, expect)
        checker.require(proof is not None and proof.keys() == {"steps"}, "proof: exactly its steps")
        checker.limit(trusted)
        idle = sorted(steps.given.keys() - steps.used)
        checker.require(not idle, f"proof: steps that close nothing: {idle!s:.200}")
        shown = [tuple(f(checker, document["graph"]["nodes"])) for f in (bounds, releases)]
    except Unusable as error:
        return Verdict(False, "", "", 0, f"unusable: {error}")  # noqa: FBT003
    except Exception as error:  # noqa: BLE001 - what this checker does not foresee is refused
        unforeseen = f"{checker.where}: {type(error).__name__}: {error!s:.200}"
        reason = f"{error!s:.2000}" if isinstance(error, Refused) else unforeseen
        return Verdict(False, "", checker.hash, checker.count, reason)  # noqa: FBT003
    finally:
        if collecting:
            gc.enable()
    believed = tuple(sorted(checker.believed))
    return Verdict(True, proved, checker.hash, checker.count, "", believed, *shown)  # noqa: FBT003
