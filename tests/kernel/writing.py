"""Certificates written by hand: formulas, graphs, files, and edits of files."""

import copy
from fractions import Fraction
from typing import Any

import dpframe as dp
from tests.support import checking as check

Json = Any
LESS = "9/10"


def symbol(lower="0", upper=None, closed="neither", *, integer=False, origin=None) -> Json:
    """One line of the table of symbols."""
    return {
        "lower": lower,
        "upper": upper,
        "closed": closed,
        "integer": integer,
        "origin": origin,
    }


def mul(*factors: Json) -> Json:
    """A product."""
    return ["*", *factors]


def add(*terms: Json) -> Json:
    """A sum."""
    return ["+", *terms]


def power(base: Json, exponent: str) -> Json:
    """A power."""
    return ["^", base, exponent]


def over(top: Json, bottom: Json) -> Json:
    """A quotient."""
    return mul(top, power(bottom, "-1"))


def root(value: Json) -> Json:
    """A square root."""
    return power(value, "1/2")


def minus(a: Json, b: Json) -> Json:
    """A difference."""
    return add(a, mul("-1", b))


def log(value: Json) -> Json:
    """A logarithm."""
    return ["log", value]


class Graph:
    """Nodes in order; every method returns the id of the node that it adds."""

    def __init__(self, norm: Json = "1", bound: str = "1", columns: Json = "d") -> None:
        self.nodes: list[Json] = []
        x = self.node("rows", name="X", columns=columns)
        self.x = self.node("clip_norm", x, norm=norm)
        y = self.node("column", name="y")
        lower = mul("-1", bound) if bound.isidentifier() else f"-{bound}"
        self.y = self.node("clip_column", y, lower=lower, upper=bound)

    def node(self, kind: str, *inputs: int, **keys: Json) -> int:
        """A node of any kind."""
        self.nodes.append({"id": len(self.nodes), "kind": kind, "inputs": [*inputs], **keys})
        return len(self.nodes) - 1

    def release(self, statistic, size, share=None, rule="stated", noise="gaussian", *, times="1"):
        """A release of a statistic."""
        keys = {"mechanism": noise, "size": size, "rule": rule, "share": share, "times": times}
        return self.node("release", statistic, **keys, name="")

    def post(self, *inputs: int, arguments: Json = ()) -> int:
        """A function of released values."""
        nodes = [{"node": None}] * len(inputs)
        keys = {"function": "m:f", "digest": "00", "arguments": [*nodes, *arguments]}
        return self.node("post", *inputs, **keys)


def certificate(graph, kind, amounts, symbols, derivation, *output, **more: Json) -> Json:
    """A certificate file."""
    statement = {
        "target": {"kind": kind, "amounts": amounts},
        "relation": more.get("relation", "add_remove"),
        "rows_per_person": more.get("rows", "1"),
        "symbols": {"d": symbol("1", closed="left", integer=True), **symbols},
        "region": more.get("region", []),
        "derivation": derivation,
        "values": more.get("values", {}),
    }
    releases = [node["id"] for node in graph.nodes if node["kind"] == "release"]
    document = {
        "schema": "dpframe-certificate/3",
        "statement": statement,
        "graph": {"nodes": graph.nodes, "output": [*output] or releases},
        "declaration": {"class": "m:C", "fields": {}, "setting": {}},
        "assumptions": ["idealized numerics"],
        "proof": {"steps": {}},
    }
    return check.sealed(document)


EPSILON, DELTA = symbol(), symbol("0", "1")
APPROX = {"epsilon": EPSILON, "delta": DELTA}
UNIT = {"B": symbol(), "Y": symbol()}
LOG2 = log("2")


def classical(epsilon: Json, delta: Json, sensitivity: Json, constant: str) -> Json:
    """sqrt(2 log(constant/delta)) sensitivity/epsilon."""
    return over(mul(root(mul("2", log(over(constant, delta)))), sensitivity), epsilon)


DELETED = object()
Change = tuple[str, Json]


def edited(document: Json, *changes: Change) -> Json:
    """A copy with values set (or deleted) at paths like `graph/nodes/3/size`; hash made right."""
    found = copy.deepcopy(document)
    for path, value in changes:
        *way, last = [int(step) if step.isdigit() else step for step in path.split("/")]
        place = found
        for step in way:
            place = place[step]
        if value is DELETED:
            del place[last]
        elif isinstance(place, list) and last == len(place):
            place.append(value)
        else:
            place[last] = value
    whole = found.keys() >= {"statement", "graph", "assumptions", "hash"}
    return check.sealed(found) if whole else found


def released(document: Json) -> list[int]:
    """The ids of the releases."""
    return [node["id"] for node in document["graph"]["nodes"] if node["kind"] == "release"]


SYMBOLS = "statement/symbols"


def placed(document: Json, path: str) -> str:
    """A path to `kind.2/key`: of the third node of this kind."""
    kind, _, rest = path.partition("/")
    name, _, which = kind.partition(".")
    ids = [node["id"] for node in document["graph"]["nodes"] if node["kind"] == name]
    return f"graph/nodes/{ids[int(which or 0)]}/{rest}" if ids else path


def spliced(document: Json, out: int) -> Json:
    """Without a node: what read it reads its first input."""
    found = copy.deepcopy(document)
    nodes, symbols = found["graph"]["nodes"], found["statement"]["symbols"]
    first = nodes.pop(out)["inputs"][0]

    def moved(i: int | None) -> int | None:
        return i if i is None else first if i == out else i - (i > out)

    for node in nodes:
        node["id"], node["inputs"] = moved(node["id"]), [moved(i) for i in node["inputs"]]
    for spec in symbols.values():
        spec["origin"] = moved(spec["origin"])
    found["graph"]["output"] = [moved(i) for i in found["graph"]["output"]]
    return check.sealed(found)


OWN, EACH = dp.each("epsilon"), {"own": ["epsilon"]}
EACH_AT, RELATION = "statement/each", "statement/relation"


def each_own(document: Json, **symbols: Json) -> Json:
    """The same for epsilons of each record."""
    statement = {**document["statement"], "each": EACH}
    statement["symbols"] = {**statement["symbols"], **symbols}
    return check.sealed({**document, "statement": statement})


class Weighed(Graph):
    """X and y with weights epsilon/total, on their common grid."""

    def __init__(self, columns: Json = "d") -> None:
        super().__init__("1", "1", columns)
        self.budgets = self.node("budgets")
        self.total = self.node("of_budgets", what="total", formula="epsilon")
        factor = over("epsilon", "total")
        self.weight = self.node("weight", factor=factor)
        self.top = self.node("of_budgets", what="largest", formula=factor)
        rows = self.node("weighted_rows", self.x, self.budgets, self.weight)
        labels = self.node("weighted_column", self.y, self.budgets, self.weight)
        self.rows = self.node("weighted_grid", rows, bits=20)
        self.labels = self.node("weighted_grid_column", labels, bits=20)

    def pure(self, *statistics: tuple[int, Json], noise: str = "l2_laplace", **more: Json) -> Json:
        """The file of statistics and moves of theirs, which share epsilon equally."""
        share = mul(str(Fraction(1, len(statistics))), "epsilon")
        for statistic, move in statistics:
            self.release(statistic, over(move, share), {"epsilon": share}, "stated", noise)
        more = {"relation": "replace_one", **more}
        made = certificate(self, "pure", ["epsilon"], {"epsilon": EPSILON}, "basic", **more)
        numbers = {"total": symbol(origin=self.total), "top": symbol(origin=self.top)}
        return each_own(made, **numbers)
