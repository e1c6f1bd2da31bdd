"""What nodes read of releases before them and of records' own budgets."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dpframe.exact.documents import ZERO, Json, Range, keys, number
from dpframe.exact.formula import Formula

from .at import At, Context
from .book import KINDS, answers_of
from .facts import (
    RELEASED,
    Bound,
    Known,
    LabelFacts,
    OfBudgets,
    Procedure,
    RecordWeights,
    Release,
    RowFacts,
    StatisticFacts,
    Thinning,
    Tilted,
)
from .guarantees import APPROX, PURE


def each_record(c: At, each: Json) -> None:
    """Read which symbols of the target every record has of its own, and the groups of records."""
    if each is None:
        return
    grouped = {"groups": list, "amounts": dict, "shares": (list, type(None))}
    keys(each, "each", own=list, **(grouped if "groups" in each else {}))
    own = each["own"]
    c.require(own and all(type(name) is str for name in own), "each: names of the target's symbols")
    known = len(set(own)) == len(own) and all(name in c.free for name in own)
    known = known and not any(c.domains[name].integer for name in own)  # so `times` reads none
    c.require(known, "each: a record's own numbers are symbols that stand for no node")
    c.personal.own, c.personal.fixed = frozenset(own), set(own)
    if "groups" in each:
        grouped_records(c, each)


def grouped_records(c: At, each: Json) -> None:
    """Every group has its amounts, inside the ranges of the symbols. Raises Refused."""
    names, amounts, shares = each["groups"], each["amounts"], each["shares"]
    texts = names and all(type(name) is str and name for name in names)
    c.require(texts and len(set(names)) == len(names), "groups: different names")
    known = amounts and amounts.keys() <= c.personal.own
    c.require(known, "amounts: of what each record has of its own")
    for name, values in amounts.items():
        fits = type(values) is list and len(values) == len(names)
        c.require(fits, f"{name}: one amount for each group")
        for value in values:
            amount = c.positive(value, f"{name} of a group")
            c.shared(amount)
            span, rule = c.domains[name], f"{name} of a group must lie in its range"
            if span.lower is not None:
                c.at_least(amount, c.ring.lift(span.lower), rule, strict=not span.left)
            if span.upper is not None:
                c.at_least(c.ring.lift(span.upper), amount, rule, strict=not span.right)
    parts = [number(share, "shares") for share in shares or ()]
    whole = len(parts) == len(names) and min(parts) > 0 and sum(parts) == 1
    c.require(shares is None or whole, "shares: one for each group, positive, of sum 1")
    c.personal.groups = groups_text(each)


def promised(c: At) -> None:
    """Requirements of personalised budgets on the whole graph: the noise of a release is the
    largest that any budget requires, more noise never costs more, and every record's move follows
    from its own budget. Then what is shown for one record's symbols holds for every record. Raises
    Refused.
    """
    samples = [fact for fact in c.facts if isinstance(fact, Thinning)]
    if not c.personal.own:
        return  # then no node reads budgets
    silent = sorted(c.personal.own - c.ring.depends(*c.amounts))
    c.require(not silent, f"each: {silent} must occur in the target")
    common = sorted(c.ring.depends(*c.amounts) & (c.personal.fixed - c.personal.own))
    c.require(not common, f"the target must not read numbers of all budgets: {common}")
    c.require(c.rows.constant == 1, "budgets of each record are for people with one row each")
    others = [fact for fact in c.facts if isinstance(fact, (Procedure, Bound))]
    rule = "budgets of each record are spent on noise: no bounds, no procedures but tilted_minimum"
    c.require(all(isinstance(fact, Tilted) for fact in others), rule)
    for sample in samples:
        on_sample(c, sample)


def on_sample(c: At, sample: Thinning) -> None:
    """A graph that costs `threshold` on the sample costs each record its own epsilon: that is then
    to be shown. [JorgensenYC15, Thm 1] Raises Refused.
    """
    mixed = f"everything that is released must read the sample: {c.personal.bare}"
    c.require(not c.personal.bare, mixed)
    c.require(not c.relation.replaced, "a sample hides whether a record is there: add/remove only")
    base = [sample.threshold] if sample.delta is None else [sample.threshold, sample.delta]
    kind_of = PURE if sample.delta is None else APPROX
    c.require(c.guarantee is kind_of, "a sample proves its own kind")
    own = [sample.epsilon, *base[1:]]
    same = all(mine.key == other.key for mine, other in zip(own, c.amounts, strict=True))
    c.require(same, "records must be sampled by the target's epsilon; delta must be the target's")
    c.shared(*base)
    c.personal.claimed, c.amounts = c.amounts, base


def apart(at: Context, fact: object) -> bool:
    """Whether bounds on rows or labels differ from record to record."""
    weighed = fact.weighed if isinstance(fact, (RowFacts, LabelFacts)) else None
    return weighed is not None and at.each(weighed[0])


def by_record(c: At, node: Mapping[str, Json], inputs: Sequence[Any], fact: Any) -> None:
    """Records are weighed last; a record's own numbers are read where each record is meant, or all
    budgets; what reads kept records only is a statistic of the sample. Raises Refused.
    """
    answers, own = answers_of(node["kind"]), c.personal
    weighed = any(apart(c, i) or i in own.mixed for i in inputs)
    rule = "rows and labels are weighed last, and summed"
    c.require(answers.record_by_record or not weighed, rule)
    own.mixed.update({fact} if weighed and isinstance(fact, StatisticFacts) else ())
    mine = sorted(c.past.reads & own.own)
    rule = f"one number for all records must not read a record's own {mine}"
    c.require(answers.reads_own_budget or not mine, rule)
    data = [i for i in inputs if isinstance(i, (RowFacts, LabelFacts, RecordWeights))]
    if answers.samples or (data and all(i in own.kept for i in data)):
        own.kept.add(fact)
    elif (data or "trusted" in node) and isinstance(fact, (StatisticFacts, Procedure)):
        own.bare.append(c.where)


def learned(c: At, name: str, fact: object) -> Formula:
    """The symbol of a node: its own released number, whose range execution enforces, or the number
    of rows where that is constant over neighbours. Raises Refused.
    """
    if isinstance(fact, OfBudgets):
        return of_all(c, name, fact)
    span = c.domains[name]
    if not isinstance(fact, Known):
        rows = isinstance(fact, StatisticFacts) and fact.invariant and fact.counts
        own = rows and not named(c, name)
        c.require(own, f"{name} reads a value that is not constant over neighbours")
        c.past.counts.append(c.symbol(name))
        return c.symbol(name)
    c.require(fact.name == name, f"{name} must have the name of its node, {fact.name}")
    ends = span.left == (span.lower is not None) and span.right == (span.upper is not None)
    c.require(ends and not span.integer, f"{name}: the range of a released number has its ends")
    if isinstance(fact, Bound):
        floor = ZERO if fact.statistic.part == "floor" and not fact.upper else None
        c.require(span[:2] == (floor, None), f"{name}: the range of a bound is its statistic's")
    c.past.symbols[name] = fact
    return c.symbol(name)


def of_all(c: At, name: str, fact: OfBudgets) -> Formula:
    """The symbol of a number of all budgets, of which only its sign is known. Raises Refused."""
    counted = f"{name} is a total over the records that are there: neighbours differ in it"
    c.require(c.relation.replaced or fact.what != "total", counted)
    c.require(c.domains[name] == Range(ZERO, None), f"{name}: its range is (0, inf)")
    c.require(not named(c, name), f"{name} must be its own name")
    c.personal.fixed.add(name)
    if fact.what == "largest":
        c.personal.largest[fact.formula.key] = c.symbol(name)
    return c.symbol(name)


def named(c: At, name: str) -> bool:
    """Whether some released number has this name."""
    return any(isinstance(fact, Known) and fact.name == name for fact in c.facts)


def committed(c: At, derivation: str) -> None:
    """Requirements of adaptive composition on the whole graph. Raises Refused."""
    promised(c)
    c.settled(*c.amounts, *(side for h in c.region for side in (h.left, h.right)))
    others = any(isinstance(fact, (Procedure, Bound)) for fact in c.facts)
    alone = "only basic composition adds procedures, and bounds that may fail"
    c.require(derivation == "basic" or not others, alone)
    for fact in c.facts:
        if isinstance(fact, (Release, Procedure)):
            points = c.past.points[fact]
            queried = len(points) == 1 and c.past.loops.get(*points) is fact
            once = "a release that reads a point is the query of one loop"
            c.require(queried or not points, f"{fact.where}: {once}")


def derive(c: At, node: Json, index: int) -> None:
    """Read a node: its facts, by the table of kinds. Raises Refused."""
    c.where = f"node {index}"
    c.require(type(node) is dict and type(node.get("kind")) is str, "an object with a kind")
    c.where = f"node {index} ({node['kind']:.40})"
    c.require(node["kind"] in KINDS, "kind must be one of the rule book")
    kind = KINDS[node["kind"]]
    node = {**dict.fromkeys(kind.optional), **node}
    keys(node, c.where, id=int, kind=str, inputs=list, **dict.fromkeys(kind.keys, object))
    ids = node["inputs"]
    c.require(node["id"] == index, "id must be its position")
    c.require(all(type(i) is int and 0 <= i < index for i in ids), "inputs come before it")
    inputs = [c.facts[i] for i in ids]
    c.require(kind.fits(inputs), "its inputs must be what its rule takes")
    c.past.reads = set()
    fact = kind.make(c, *inputs, **{name: node[name] for name in kind.keys})
    c.facts.append(fact)
    c.past.keep(fact, inputs)
    by_record(c, node, inputs, fact)
    c.past.sums.update({fact} if kind.answers.sum_over_records else ())
    data = [i for i in inputs if not isinstance(i, RELEASED)]
    cells = {c.cells.get(i) for i in data} if kind.answers.keeps_zeros(node) else set()
    if len(cells) == 1 and None not in cells:  # it stays in the cell of its inputs
        c.cells[fact] = cells.pop()


def groups_text(each: Mapping[str, Json]) -> str:
    """` (groups "a": epsilon 1/10, share 1/3; ...)`, as the file has it."""
    parts = []
    for i, name in enumerate(each["groups"]):
        amounts = [f"{own} {formula_text(values[i])}" for own, values in each["amounts"].items()]
        share = [] if each["shares"] is None else [f"share {each['shares'][i]}"]
        parts.append(f"{json.dumps(name)}: {', '.join(amounts + share)}")
    return f" (groups {'; '.join(parts)})"


def formula_text(value: Json) -> str:
    """A formula of a file."""
    return value if type(value) is str else json.dumps(value)
