"""Certificates that were tampered with: one or two edits, drawn by a seed, and the hash made right.

Some are false, some are badly formed, some are as true as before (more noise, a weaker claim): what
is accepted is judged by `truth`. `KINDS` are the ways to edit; each changes a document in place and
says what it did, or gives None where the document has nothing to edit in this way.
"""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import attrs

from dpframe.exact.documents import CLOSED
from dpframe.exact.ring import FUNCTIONS
from dpframe.theory import DERIVATIONS, THEOREMS
from dpframe.theory import KINDS as NODES
from dpframe.theory.guarantees import GUARANTEES
from tests.support import checking

Json = Any
Path = tuple[Any, ...]
Edit = Callable[[random.Random, Json], str | None]
NUMBER = re.compile(r"-?[0-9]+(/[0-9]+)?\Z")
NEAR = ("999999/1000000", "1000001/1000000", "999/1000", "1001/1000")
FACTORS = (*NEAR, *NEAR, "9/10", "11/10", "1/2", "2", "1/4", "4", "-1")
TWICE = 5  # one in so many documents is edited twice
KINDS: dict[str, Edit] = {}


@attrs.frozen
class Tampered:
    """A document, of which shipped one it was made, and what was done."""

    base: str
    kind: str
    edit: str
    document: Json


def edit(name: str) -> Callable[[Edit], Edit]:
    """Enter a way to edit."""

    def enter(make: Edit) -> Edit:
        KINDS[name] = make
        return make

    return enter


# --------------------------------------------------------------------------------- documents
def sealed(document: Json) -> Json:
    """The same with its hash made right; what is no certificate any more is left as it is."""
    if type(document) is not dict or not {"statement", "graph", "assumptions"} <= document.keys():
        return document
    return checking.sealed(document)


def leaves(value: Json, path: Path = ()) -> Iterator[tuple[Path, Json]]:
    """Every value that is no list and no object, with the way to it."""
    if isinstance(value, dict):
        for key in sorted(value):
            yield from leaves(value[key], (*path, key))
    elif isinstance(value, list):
        for i, part in enumerate(value):
            yield from leaves(part, (*path, i))
    else:
        yield path, value


def formulas(value: Json, path: Path = ()) -> Iterator[tuple[Path, Json]]:
    """Every list that begins with an operation, with the way to it."""
    if isinstance(value, dict):
        for key in sorted(value):
            yield from formulas(value[key], (*path, key))
    elif isinstance(value, list):
        if len(value) > 1 and value[0] in (*FUNCTIONS, "^"):
            yield path, value
        for i, part in enumerate(value):
            yield from formulas(part, (*path, i))


def at(document: Json, path: Path) -> Json:
    """The value at a path."""
    for step in path:
        document = document[step]
    return document


def put(document: Json, path: Path, value: Json) -> str:
    """Set it; what was done in words."""
    before = at(document, path)
    at(document, path[:-1])[path[-1]] = value
    return f"{'/'.join(map(str, path))}: {brief(before)} -> {brief(value)}"


def brief(value: Json) -> str:
    """The value on a short line."""
    text = json.dumps(value)
    return text if len(text) <= 90 else f"{text[:87]}..."


def told(document: Json) -> list[tuple[Path, Json]]:
    """Leaves of what is claimed and of the graph, but for names of functions."""
    parts = [(("statement",), document["statement"]), (("graph",), document["graph"])]
    return [
        (path, value)
        for start, part in parts
        for path, value in leaves(part, start)
        if path[-1] not in ("digest", "id") and "inputs" not in path
    ]


def numbers(document: Json) -> list[tuple[Path, str]]:
    """Numbers in text."""
    return [(p, v) for p, v in told(document) if isinstance(v, str) and NUMBER.match(v)]


def nodes_of(document: Json, *kinds: str) -> list[int]:
    """Nodes of these kinds, or all."""
    nodes = document["graph"]["nodes"]
    return [i for i, node in enumerate(nodes) if not kinds or node["kind"] in kinds]


def times(factor: str, value: Json) -> Json:
    """A product."""
    return ["*", factor, value]


def chosen(rng: random.Random, values: Sequence[Any]) -> Any:
    """One of them, or None."""
    return rng.choice(values) if values else None


# ------------------------------------------------------------------------------------ numbers
@edit("number")
def _number(rng: random.Random, document: Json) -> str | None:
    """A number up or down."""
    found = chosen(rng, numbers(document))
    if found is None:
        return None
    path, text = found
    value = Fraction(text)
    tries = [value * Fraction(f) for f in FACTORS]
    tries += [value + 1, value - 1, value / 10, value * 10, Fraction(0), Fraction(1)]
    return put(document, path, str(rng.choice([t for t in tries if t != value])))


@edit("whole number")
def _whole(rng: random.Random, document: Json) -> str | None:
    """A number of cells, bits, a cell, a number of columns; true and false."""
    ints = [(p, v) for p, v in told(document) if isinstance(v, int) and p[-1] != "origin"]
    found = chosen(rng, ints)
    if found is None:
        return None
    path, value = found
    if isinstance(value, bool):
        return put(document, path, not value)
    return put(document, path, rng.choice([value + 1, value - 1, 2 * value + 1, 0, value // 2]))


@edit("scale")
def _scale(rng: random.Random, document: Json) -> str | None:
    """A formula times a factor near 1 or not."""
    nodes = document["graph"]["nodes"]
    sizes = [("graph", "nodes", i, "size") for i in nodes_of(document, "release")]
    amounts = [("statement", "target", "amounts", i) for i in range(len(_amounts(document)))]
    keys = ("norm", "bound", "by", "penalty", "radius", "stds", "margin", "failure", "value")
    more = [("graph", "nodes", i, k) for i, node in enumerate(nodes) for k in keys if k in node]
    parts = [
        ("graph", "nodes", i, "formulas", k)
        for i, node in enumerate(nodes)
        for k in node.get("formulas", ())
    ]
    path = chosen(rng, rng.choice([sizes, sizes, sizes, amounts, more, parts]))
    if path is None or not isinstance(at(document, path), (str, list)):
        return None
    if path[-1] == "by" and isinstance(at(document, path), list):
        return None
    return put(document, path, times(rng.choice(FACTORS), at(document, path)))


def _amounts(document: Json) -> list[Json]:
    return document["statement"]["target"]["amounts"]


@edit("factor")
def _factor(rng: random.Random, document: Json) -> str | None:
    """A factor of a product, a term of a sum, an argument of a minimum is dropped."""
    found = chosen(rng, [(p, f) for p, f in formulas(document) if len(f) > 2 and f[0] != "^"])
    if found is None:
        return None
    path, formula = found
    i = rng.randrange(1, len(formula))
    left = [part for k, part in enumerate(formula) if k != i]
    return put(document, path, left if len(left) > 2 else left[1])


@edit("factor 2")
def _factor_two(rng: random.Random, document: Json) -> str | None:
    """A 2 becomes 1, a power of 2 is divided by 2."""
    even = [(p, v) for p, v in numbers(document) if Fraction(v).numerator in (2, 4, 8, 16, -2)]
    even += [(p, v) for p, v in numbers(document) if Fraction(v).denominator in (2, 4, 8)]
    found = chosen(rng, even)
    if found is None:
        return None
    path, text = found
    return put(document, path, str(Fraction(text) * rng.choice([Fraction(1, 2), Fraction(2)])))


@edit("operation")
def _operation(rng: random.Random, document: Json) -> str | None:
    """Minimum and maximum, sum and product, a logarithm without its argument's."""
    found = chosen(rng, list(formulas(document)))
    if found is None:
        return None
    path, formula = found
    turned = {"min": "max", "max": "min", "+": "*", "*": "+", "log": "exp", "exp": "log"}
    if formula[0] in turned and rng.random() < 0.7:
        return put(document, (*path, 0), turned[formula[0]])
    if formula[0] == "analytic_sigma":
        return put(document, path, ["analytic_sigma", formula[2], formula[1]])
    return put(document, path, formula[1])


@edit("formula")
def _formula(rng: random.Random, document: Json) -> str | None:
    """A formula in the place of another."""
    found = [path for path, _ in formulas(document)]
    if len(found) < 2:
        return None
    one, other = rng.sample(found, 2)
    return put(document, one, copy.deepcopy(at(document, other)))


@edit("symbol")
def _symbol(rng: random.Random, document: Json) -> str | None:
    """A symbol or a number in the place of a symbol."""
    names = list(document["statement"]["symbols"])
    used = [(p, v) for p, v in told(document) if isinstance(v, str) and v in names]
    found = chosen(rng, used)
    if found is None:
        return None
    path, name = found
    others = [other for other in names if other != name] + ["1", "2", "1/1000000"]
    return put(document, path, rng.choice(others))


# ------------------------------------------------------------------------------------ the claim
@edit("domain")
def _domain(rng: random.Random, document: Json) -> str | None:
    """The ends of a symbol's range, whether they belong to it, whether it is whole."""
    symbols = document["statement"]["symbols"]
    name = chosen(rng, sorted(symbols))
    if name is None:
        return None
    spec, where = symbols[name], ("statement", "symbols", name)
    if rng.random() < 0.4:
        return put(document, (*where, "closed"), rng.choice(sorted(CLOSED)))
    if rng.random() < 0.2:
        return put(document, (*where, "integer"), not spec["integer"])
    end = rng.choice(["lower", "upper"])
    value = spec[end]
    tries = [None, "0", "1", "1/2", "1/1000", "2", "-1"]
    if value is not None:
        tries += [str(Fraction(value) * Fraction(f)) for f in ("9/10", "11/10", "2", "1/2")]
    said = put(document, (*where, end), rng.choice([t for t in tries if t != value]))
    closed = {"lower": "right", "upper": "left"}[end]
    if spec[end] is None and spec["closed"] in ("both", end.replace("lower", "left")):
        put(document, (*where, "closed"), closed if spec["closed"] == "both" else "neither")
    if spec[end] is not None and rng.random() < 0.5:
        put(document, (*where, "closed"), rng.choice(["both", "left", "right"]))
    return said


@edit("region")
def _region(rng: random.Random, document: Json) -> str | None:
    """A line is dropped, turned, made strict or weak, wider, narrower, or is new."""
    region = document["statement"]["region"]
    symbols = sorted(document["statement"]["symbols"])
    where = ("statement", "region")
    if not region or rng.random() < 0.2:
        name = chosen(rng, symbols)
        if name is None:
            return None
        line = rng.choice([[name, "1", False], ["1", name, False], ["1/1000", name, True]])
        return put(document, where, [*region, line])
    i = rng.randrange(len(region))
    left, right, strict = region[i]
    factor = rng.choice(FACTORS)
    lines = [
        None,
        [left, right, not strict],
        [right, left, strict],
        [left, times(factor, right), strict],
        [times(factor, left), right, strict],
        [left, ["+", right, "1/100"], strict],
        [left, ["+", right, "-1/100"], strict],
    ]
    line = rng.choice(lines)
    return put(document, where, [*region[:i], *([] if line is None else [line]), *region[i + 1 :]])


@edit("relation")
def _relation(_: random.Random, document: Json) -> str | None:
    """The other relation."""
    own = document["statement"]["relation"]
    return put(
        document,
        ("statement", "relation"),
        "add_remove" if own == "replace_one" else "replace_one",
    )


@edit("derivation")
def _derivation(rng: random.Random, document: Json) -> str | None:
    """Another derivation, or another kind of target."""
    statement = document["statement"]
    if rng.random() < 0.6:
        others = sorted({*DERIVATIONS, "auto"} - {statement["derivation"]})
        return put(document, ("statement", "derivation"), rng.choice(others))
    kind = rng.choice(sorted(GUARANTEES.keys() - {statement["target"]["kind"]}))
    count = len(GUARANTEES[kind].currency)
    amounts = [*_amounts(document), "1/1000000"][:count]
    put(document, ("statement", "target", "amounts"), amounts)
    return put(document, ("statement", "target", "kind"), kind)


@edit("rows per person, draws")
def _counts(rng: random.Random, document: Json) -> str | None:
    """How many rows a person has, how often noise is drawn, at which rate records are sampled."""
    nodes = document["graph"]["nodes"]
    places: list[Path] = [("statement", "rows_per_person")]
    places += [("graph", "nodes", i, "times") for i in nodes_of(document, "release")]
    if rng.random() < 0.3 and len(places) > 1:
        i = rng.choice(places[1:])[2]
        before = nodes[i].get("sampled")
        nodes[i]["sampled"] = rng.choice([v for v in (None, "1", "1/2", "0", "2") if v != before])
        return f"node {i}, sampled: {before} -> {nodes[i]['sampled']}"
    path = rng.choice(places)
    own = at(document, path)
    others = ["0", "1", "2", "3", "-1", "1/2", times("2", own), "d", 1]
    return put(document, path, rng.choice([value for value in others if value != own]))


@edit("each")
def _each(rng: random.Random, document: Json) -> str | None:
    """Whose own numbers there are, and the groups' amounts."""
    statement = document["statement"]
    if "each" not in statement:
        if rng.random() < 0.9:
            return None
        statement["each"] = {"own": [rng.choice(["epsilon", "delta", "B"])]}
        return f"each: {statement['each']}"
    each = statement["each"]
    if rng.random() < 0.3:
        del statement["each"]
        return "each: dropped"
    if "groups" in each and rng.random() < 0.5:
        return put(document, ("statement", "each", "groups"), each["groups"][:-1])
    own = rng.choice([each["own"][:-1], [*each["own"], "B"], [*each["own"], "d"], ["delta"]])
    return put(document, ("statement", "each", "own"), own)


@edit("origin")
def _origin(rng: random.Random, document: Json) -> str | None:
    """The node that a symbol stands for; its name."""
    symbols = document["statement"]["symbols"]
    if not symbols:
        return None
    learned = [name for name in sorted(symbols) if symbols[name]["origin"] is not None]
    name = rng.choice(learned or sorted(symbols))
    if rng.random() < 0.3:
        renamed = rng.choice([*sorted(symbols), "z"])
        symbols[renamed] = symbols.pop(name)
        return f"symbol {name} is called {renamed}"
    count = len(document["graph"]["nodes"])
    own = symbols[name]["origin"]
    others = [value for value in (None, *range(count), count) if value != own]
    return put(document, ("statement", "symbols", name, "origin"), rng.choice(others))


@edit("values")
def _values(rng: random.Random, document: Json) -> str | None:
    """Numbers that the sentence gives to symbols."""
    name = chosen(rng, sorted(document["statement"]["symbols"]))
    given = [{name: value} for value in ("1", "-1", "1/2")] if name else []
    values = rng.choice([{}, {"z": "1"}, *given])
    if values == document["statement"]["values"]:
        return None
    return put(document, ("statement", "values"), values)


@edit("output")
def _output(rng: random.Random, document: Json) -> str | None:
    """Which nodes are the output."""
    count = len(document["graph"]["nodes"])
    own = document["graph"]["output"]
    i = rng.randrange(count)
    tries = [[], [0], [count], [-1], [i], [*own, i], own[::-1]]
    return put(document, ("graph", "output"), rng.choice(tries))


@edit("assumptions")
def _assumptions(rng: random.Random, document: Json) -> str | None:
    """One is dropped, or all, or there are others."""
    own = document["assumptions"]
    i = rng.randrange(len(own)) if own else 0
    tries = [[], own[:i] + own[i + 1 :], [*own, "idealized numerics"], ["none"], [1], own[::-1]]
    return put(document, ("assumptions",), rng.choice(tries))


# ------------------------------------------------------------------------------------ the graph
def renumbered(document: Json, order: Sequence[int]) -> None:
    """The nodes in this order, each at most once more: ids, inputs, output, origins follow the
    first copy; what refers to a node that is gone refers to none (or to the node before).
    """
    graph, place = document["graph"], {}
    for new, old in enumerate(order):
        place.setdefault(old, new)

    def moved(i: Json) -> Json:
        return place.get(i, max(i - 1, 0)) if type(i) is int else i

    made = []
    for new, old in enumerate(order):
        node = copy.deepcopy(graph["nodes"][old])
        node["id"], node["inputs"] = new, [moved(i) for i in node["inputs"]]
        made.append(node)
    graph["nodes"], graph["output"] = made, [moved(i) for i in graph["output"]]
    for spec in document["statement"]["symbols"].values():
        spec["origin"] = moved(spec["origin"])


@edit("nodes")
def _nodes(rng: random.Random, document: Json) -> str | None:
    """A node is dropped, is there twice, or stands elsewhere."""
    count = len(document["graph"]["nodes"])
    if not count:
        return None
    order, i, j = list(range(count)), rng.randrange(count), rng.randrange(count)
    kind = document["graph"]["nodes"][i]["kind"]
    how = rng.choice(["dropped", "twice", "spliced", "moved"])
    if how == "spliced" and not document["graph"]["nodes"][i]["inputs"]:
        how = "dropped"
    if how == "dropped":
        renumbered(document, order[:i] + order[i + 1 :])
    elif how == "twice":
        renumbered(document, [*order, i])
    elif how == "moved":
        rest = order[:i] + order[i + 1 :]
        renumbered(document, [*rest[:j], i, *rest[j:]])
    else:
        source = document["graph"]["nodes"][i]["inputs"][0]
        for node in document["graph"]["nodes"]:
            node["inputs"] = [source if k == i else k for k in node["inputs"]]
        renumbered(document, order[:i] + order[i + 1 :])
    return f"node {i} ({kind}) {how}"


@edit("inputs")
def _inputs(rng: random.Random, document: Json) -> str | None:
    """Inputs change places, or are others."""
    nodes = [n for n in document["graph"]["nodes"] if n["inputs"]]
    node = chosen(rng, nodes)
    if node is None:
        return None
    own, where = node["inputs"], ("graph", "nodes", node["id"], "inputs")
    if type(node["id"]) is not int:
        return None
    if len(own) > 1 and rng.random() < 0.4:
        i, j = rng.sample(range(len(own)), 2)
        found = list(own)
        found[i], found[j] = own[j], own[i]
        return put(document, where, found)
    i = rng.randrange(len(own))
    other = rng.randrange(max(1, node["id"]))
    tries = [[*own[:i], other, *own[i + 1 :]], [*own, other], own[:i] + own[i + 1 :]]
    return put(document, where, rng.choice([tries[0], tries[0], *tries]))


@edit("kind")
def _kind(rng: random.Random, document: Json) -> str | None:
    """A node of another kind, with the same inputs; its keys as far as they fit."""
    node = chosen(rng, document["graph"]["nodes"])
    if node is None or node["kind"] not in NODES:
        return None
    own = NODES[node["kind"]]
    like = [
        name
        for name, other in NODES.items()
        if name != node["kind"] and (other.takes == own.takes or other.many)
    ]
    same = [name for name in like if NODES[name].keys.keys() == own.keys.keys()]
    kind = rng.choice(same if same and rng.random() < 0.7 else like)
    before = node["kind"]
    for key in sorted(NODES[kind].keys.keys() - NODES[kind].optional - node.keys()):
        node[key] = DEFAULTS.get(key)
    for key in own.keys.keys() - NODES[kind].keys.keys():
        node.pop(key, None)
    node["kind"] = kind
    return f"node {node['id']}: {before} -> {kind}"


DEFAULTS: dict[str, Json] = {
    "name": "n",
    "bits": 20,
    "norm": "1",
    "bound": "1",
    "by": "1",
    "minus": "0",
    "value": "1",
    "lower": "-1",
    "upper": "1",
    "constant": True,
    "cells": 2,
    "cuts": ["1/2", "1"],
    "absolute": True,
    "penalty": "1",
    "radius": "1",
    "floor": "0",
    "tolerance": "1/1000",
    "knee": "1",
    "coefficients": ["1"],
    "size": "1",
    "mechanism": "gaussian",
    "rule": "stated",
    "times": "1",
    "share": {"epsilon": "epsilon"},
    "function": "m:f",
    "digest": "00",
    "arguments": [{"node": None}],
    "columns": "d",
    "centred": False,
    "partition": {"assignment": "hashed", "cells": 2, "salt": "s"},
    "cell": 0,
}


@edit("noise")
def _noise(rng: random.Random, document: Json) -> str | None:
    """Another mechanism, another rule, or both."""
    i = chosen(rng, nodes_of(document, "release"))
    if i is None:
        return None
    node = document["graph"]["nodes"][i]
    before = node["mechanism"], node["rule"]
    mechanism, rule = rng.choice([p for p in sorted(THEOREMS) if p != before])
    if rng.random() < 0.4:
        node["mechanism"] = mechanism
    else:
        node["mechanism"], node["rule"] = mechanism, rule
    if rng.random() < 0.3:
        node["mechanism"], node["rule"] = before[0], "stated"
    after = node["mechanism"], node["rule"]
    return None if before == after else f"node {i}: {before} -> {after}"


@edit("share")
def _share(rng: random.Random, document: Json) -> str | None:
    """What a release claims of the budget: of another, more, less, nothing."""
    nodes = document["graph"]["nodes"]
    places = [i for i, node in enumerate(nodes) if "share" in node]
    i = chosen(rng, places)
    if i is None:
        return None
    own, where = nodes[i]["share"], ("graph", "nodes", i, "share")
    if not isinstance(own, dict) or rng.random() < 0.2:
        target = ["epsilon", "delta"][: len(_amounts(document))]
        whole = dict(zip(target, _amounts(document), strict=False))
        return put(document, where, rng.choice([None, {}, whole, {"epsilon": "1", "delta": "0"}]))
    key = rng.choice(sorted(own)) if own else "epsilon"
    other = nodes[rng.choice(places)]["share"]
    scaled = {**own, key: times(rng.choice(FACTORS), own.get(key, "1"))}
    less = {name: value for name, value in own.items() if name != key}
    return put(document, where, rng.choice([scaled, scaled, less, {**own, key: "0"}, other]))


@edit("sizes")
def _sizes(rng: random.Random, document: Json) -> str | None:
    """Two releases change their noise; or one is another's."""
    nodes = document["graph"]["nodes"]
    releases = nodes_of(document, "release")
    if len(releases) < 2:
        return None
    i, j = rng.sample(releases, 2)
    one, other = nodes[i]["size"], nodes[j]["size"]
    if one == other:
        return None
    nodes[i]["size"] = other
    if rng.random() < 0.5:
        nodes[j]["size"] = one
    return f"sizes of nodes {i} and {j}"


# ------------------------------------------------------------------------------------ witnesses
@edit("proof")
def _proof(rng: random.Random, document: Json) -> str | None:
    """Steps of witnesses are dropped, change places, or have other numbers; the hash is of none."""
    proof = document.get("proof")
    if not proof or not proof.get("steps"):
        document["proof"] = rng.choice([{"steps": {}}, {"atoms": []}, [], None, {"proved": True}])
        return f"proof: {brief(document['proof'])}"
    places = [(p, v) for p, v in leaves(proof) if p]
    path, value = rng.choice(places) if places else ((min(proof),), None)
    holder = at(proof, path[:-1])
    how = rng.choice(["dropped", "turned", "other"])
    if how == "dropped":
        del holder[path[-1]]
    elif how == "turned" and isinstance(holder, list):
        holder.reverse()
    elif isinstance(value, str) and NUMBER.match(value):
        holder[path[-1]] = str(Fraction(value) * Fraction(rng.choice(FACTORS)))
    elif isinstance(value, int):
        holder[path[-1]] = value + rng.choice([-1, 1])
    else:
        holder[path[-1]] = rng.choice(["", "affine", "0", None])
    return f"proof/{'/'.join(map(str, path))} {how}"


# -------------------------------------------------------------------------------------- vacuity
def _no_releases(document: Json) -> None:
    gone = set(nodes_of(document, "release", "post", "loop", "known", "bound"))
    renumbered(document, [i for i in range(len(document["graph"]["nodes"])) if i not in gone])
    document["graph"]["output"] = []


def _only_public(document: Json) -> None:
    """A function of nothing is the output."""
    call = {"function": "m:f", "digest": "00", "arguments": []}
    document["graph"]["nodes"] = [{"id": 0, "kind": "post", "inputs": [], **call}]
    document["graph"]["output"] = [0]
    for spec in document["statement"]["symbols"].values():
        spec["origin"] = None


def _of_itself(document: Json) -> None:
    node = document["graph"]["nodes"][-1]
    node["inputs"] = [node["id"]] * max(1, len(node["inputs"]))


def _nested_outside(document: Json) -> None:
    """The output is a node of a graph within."""
    within = next((n for n in document["graph"]["nodes"] if n["kind"] == "random_stopping"), None)
    if within is None:
        document["graph"]["output"] = [[0, 0]]
    else:
        document["graph"]["nodes"] = within["graphs"][0][0]
        document["graph"]["output"] = within["graphs"][0][1]


def _set(*path: Any, value: Json) -> Callable[[Json], None]:
    def change(document: Json) -> None:
        holder = document
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = copy.deepcopy(value)

    return change


def _in_nodes(key: str, value: Json) -> Callable[[Json], None]:
    def change(document: Json) -> None:
        for node in document["graph"]["nodes"]:
            if key in node:
                node[key] = copy.deepcopy(value)

    return change


def _in_symbols(**spec: Json) -> Callable[[Json], None]:
    def change(document: Json) -> None:
        for own in document["statement"]["symbols"].values():
            own.update(spec)

    return change


VACUOUS: dict[str, Callable[[Json], None]] = {
    "no releases": _no_releases,
    "no nodes": _set("graph", "nodes", value=[]),
    "no nodes and no output": _set("graph", value={"nodes": [], "output": []}),
    "no graph": _set("graph", value={}),
    "no output": _set("graph", "output", value=[]),
    "a function of nothing": _only_public,
    "no statement": _set("statement", value={}),
    "no amounts": _set("statement", "target", "amounts", value=[]),
    "amounts 0": _set("statement", "target", "amounts", value=["0", "0"]),
    "target without kind": _set("statement", "target", value={}),
    "no symbols": _set("statement", "symbols", value={}),
    "no region": _set("statement", "region", value=[]),
    "a region that is empty": _set("statement", "region", value=[["2", "1", False]]),
    "a region of one strict point": _set("statement", "region", value=[["1", "1", True]]),
    "ranges that are empty": _in_symbols(lower="1", upper="0"),
    "ranges of one open point": _in_symbols(lower="1", upper="1", closed="neither"),
    "ranges of one point": _in_symbols(lower="1", upper="1", closed="both", integer=False),
    "whole numbers between 0 and 1": _in_symbols(
        lower="0", upper="1", closed="neither", integer=True
    ),
    "symbols of node 0": _in_symbols(origin=0),
    "times 0": _in_nodes("times", "0"),
    "no inputs": _in_nodes("inputs", []),
    "an input is itself": _of_itself,
    "every input is node 0": _in_nodes("inputs", [0]),
    "no arguments": _in_nodes("arguments", []),
    "no graphs within": _in_nodes("graphs", []),
    "empty graphs within": _in_nodes("graphs", [[[], []]]),
    "an empty schema": _in_nodes("schema", []),
    "no cuts": _in_nodes("cuts", []),
    "no coefficients": _in_nodes("coefficients", []),
    "no shares": _in_nodes("share", None),
    "empty shares": _in_nodes("share", {}),
    "shares 0": _in_nodes("share", {"epsilon": "0", "delta": "0"}),
    "sizes 0": _in_nodes("size", "0"),
    "formulas without any": _in_nodes("formulas", {}),
    "empty formulas": _in_nodes("size", []),
    "a sum of nothing": _in_nodes("size", ["+"]),
    "no rows a person": _set("statement", "rows_per_person", value="0"),
    "nobody's own": _set("statement", "each", value={"own": []}),
    "each of nothing": _set("statement", "each", value={}),
    "no derivation": _set("statement", "derivation", value=""),
    "no assumptions": _set("assumptions", value=[]),
    "a node of a graph within": _nested_outside,
    "no proof": _set("proof", value=None),
    "a step that refers to itself": _set("proof", value={"steps": {"a": {"by": "a"}}}),
    "no schema": _set("schema", value=""),
    "no declaration": _set("declaration", value={}),
}


@edit("vacuity")
def _vacuity(rng: random.Random, document: Json) -> str | None:
    """What is shown of nothing."""
    name = rng.choice(list(VACUOUS))
    VACUOUS[name](document)
    return name


# ----------------------------------------------------------------------------------------- all
Shipped = Sequence[tuple[str, str, Json]]


Family = list[tuple[str, str, Json]]


def families(shipped: Shipped) -> list[Family]:
    """Documents of one declaration, so that each declaration is drawn as often."""
    found: dict[str, Family] = {}
    for one in shipped:
        found.setdefault(" | ".join(one[1].split(" | ")[:2]), []).append(one)
    return list(found.values())


def tampered(drawn: Sequence[Family], number: int, seed: int) -> Tampered:
    """The so manyeth of a seed: the same whichever others are asked for."""
    rng = random.Random(f"{seed}, {number}")
    kinds = list(KINDS)
    while True:
        family = drawn[rng.randrange(len(drawn))]
        _, key, base = family[rng.randrange(len(family))]
        document = copy.deepcopy(base)
        kind = kinds[number % len(kinds)] if rng.random() < 0.5 else rng.choice(kinds)
        said = [KINDS[kind](rng, document)]
        try:
            if said[0] is not None and not rng.randrange(TWICE):
                said.append(KINDS[rng.choice(kinds)](rng, document))
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            pass  # nothing of this shape is left to edit
        words = "; ".join(one for one in said if one is not None)
        if said[0] is not None and differs(base, document):
            return Tampered(key, kind, words, sealed(document))


def differs(base: Json, document: Json) -> bool:
    """Whether anything changed."""
    return json.dumps(base, sort_keys=True) != json.dumps(document, sort_keys=True)
