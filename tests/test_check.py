"""The independent checker: true certificates are accepted, false ones are not, bounds are bounds."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dpframe import check

Json = Any
SOURCE = Path(check.__file__)
LESS = "9/10"


# ------------------------------------------------------------------------- writing certificates
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
    return ["*", *factors]


def add(*terms: Json) -> Json:
    return ["+", *terms]


def power(base: Json, exponent: str) -> Json:
    return ["^", base, exponent]


def over(top: Json, bottom: Json) -> Json:
    return mul(top, power(bottom, "-1"))


def root(value: Json) -> Json:
    return power(value, "1/2")


def minus(a: Json, b: Json) -> Json:
    return add(a, mul("-1", b))


def log(value: Json) -> Json:
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
        self.nodes.append({"id": len(self.nodes), "kind": kind, "inputs": [*inputs], **keys})
        return len(self.nodes) - 1

    def release(self, statistic, size, share=None, rule="stated", noise="gaussian", times="1"):
        keys = {"mechanism": noise, "size": size, "rule": rule, "share": share, "times": times}
        return self.node("release", statistic, **keys, name="")

    def post(self, *inputs: int, arguments: Json = ()) -> int:
        nodes = [{"node": None}] * len(inputs)
        keys = {"function": "m:f", "digest": "00", "arguments": [*nodes, *arguments]}
        return self.node("post", *inputs, **keys)


def sealed(document: Json) -> Json:
    """The document with its hash made right."""
    return {**document, "hash": check.hash_of(document["statement"], document["graph"])}


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
        "schema": "dpframe-certificate/1",
        "statement": statement,
        "graph": {"nodes": graph.nodes, "output": [*output] or releases},
        "declaration": {"class": "m:C", "fields": {}, "setting": {}},
        "assumptions": ["idealized numerics"],
        "hints": {},
    }
    return sealed(document)


EPSILON, DELTA = symbol(), symbol("0", "1")
APPROX = {"epsilon": EPSILON, "delta": DELTA}
UNIT = {"B": symbol(), "Y": symbol()}
LOG2 = log("2")


def classical(epsilon: Json, delta: Json, sensitivity: Json, constant: str) -> Json:
    """sqrt(2 log(constant/delta)) sensitivity/epsilon."""
    return over(mul(root(mul("2", log(over(constant, delta)))), sensitivity), epsilon)


def adassp_budget(constant="2", rule="Gaussian.kamath_ullman", **more: Json) -> Json:
    """adaSSPbudget: shares gamma, (1-gamma)/2, (1-gamma)/2 of everything."""
    graph = Graph("B", "Y")
    gram, moment = graph.node("gram", graph.x), graph.node("moment", graph.x, graph.y)
    half = mul("1/2", minus("1", "gamma"))
    square, product = power("B", "2"), mul("B", "Y")
    parts = [(graph.node("lambda_min", gram), "gamma", square), (gram, half, square)]
    released, region = [], []
    for statistic, weight, size in [*parts, (moment, half, product)]:
        e, d = mul(weight, "epsilon"), mul(weight, "delta")
        std = classical(e, d, size, constant)
        released.append(graph.release(statistic, std, {"epsilon": e, "delta": d}, rule))
        limit = ["1", True] if constant == "5/4" else [mul("4", LOG2), False]
        region.append([e, *limit])
    arguments = [{"formula": mul("gamma", "delta")}, {"constant": 0.05}]
    output = graph.post(*released, arguments=arguments)
    symbols = {**APPROX, **UNIT, "gamma": symbol("0", "1")}
    target = ["epsilon", "delta"]
    more = {"region": region, **more}
    return certificate(graph, "approx", target, symbols, "basic", output, **more)


def wang(epsilon: Json = "epsilon", delta: Json = "delta", **more: Json) -> Json:
    """Wang's adaSSP, jointly: std sqrt(log(6/delta))/(epsilon/3) times each sensitivity."""
    graph = Graph("B", "Y")
    gram, moment = graph.node("gram", graph.x), graph.node("moment", graph.x, graph.y)
    std = over(root(log(over("6", delta))), mul("1/3", epsilon))
    for statistic, size in [
        (graph.node("lambda_min", gram), power("B", "2")),
        (gram, power("B", "2")),
        (moment, mul("B", "Y")),
    ]:
        graph.release(statistic, mul(std, size))
    bound = add(mul("2", LOG2), mul("3", log("6")), log(over("1", delta)))
    free = epsilon == "epsilon"
    symbols = {**UNIT, **(APPROX if free else {})}
    more = {"region": [[epsilon, bound, False]] if free else [], **more}
    return certificate(graph, "approx", [epsilon, delta], symbols, "gaussian", **more)


def numeric(std, kind, amounts, derivation="gaussian", **more: Json) -> Json:
    """X'X, X'y and lambda_min with one stated std."""
    graph = Graph(columns="8")
    gram, moment = graph.node("gram", graph.x), graph.node("moment", graph.x, graph.y)
    for statistic in (gram, moment, graph.node("lambda_min", gram)):
        graph.release(statistic, std)
    return certificate(graph, kind, amounts, {}, derivation, **more)


def laplace(**more: Json) -> Json:
    """X'X and X'y with Laplace noise from their L1 sensitivities, one row added or removed."""
    graph = Graph("B", "Y")
    gram, moment = graph.node("gram", graph.x), graph.node("moment", graph.x, graph.y)
    half = mul("1/2", "epsilon")
    one = mul("1/2", add("1", "d"), power("B", "2"))
    other = mul(root("d"), "B", "Y")
    for statistic, size in ((gram, one), (moment, other)):
        noise = over(size, half)
        graph.release(statistic, noise, {"epsilon": half}, "Laplace.pure", "laplace")
    symbols = {"epsilon": EPSILON, **UNIT}
    return certificate(graph, "pure", ["epsilon"], symbols, "basic", **more)


def laplace_codebook() -> Json:
    """A coded table under replace-one: |x|_1 <= 2, |x|^2 <= 2; the smaller of two L1 bounds."""
    graph = Graph(columns="2")
    graph.nodes[1] = {
        "id": 1,
        "kind": "encode",
        "inputs": [0],
        "schema": [["age", "18", "90"], ["sex", ["f", "m", "other"]]],
    }
    gram, moment = graph.node("gram", graph.x), graph.node("moment", graph.x, graph.y)
    share = {"epsilon": "1/2", "delta": "0"}
    graph.release(gram, "12", share, "stated", "laplace")  # min(2 (4 + 2)/2, sqrt(14) 2)/(1/2)
    graph.release(moment, "8", share, "stated", "laplace")
    amounts = ["1", "1/1000000"]
    return certificate(graph, "approx", amounts, {}, "basic", relation="replace_one")


def currency(kind: str, name: str, **more: Json) -> Json:
    """X'X and X'y share rho or mu^2 as gamma and 1 - gamma; a Laplace release too under zCDP."""
    graph = Graph("B", "Y")
    gram, moment = graph.node("gram", graph.x), graph.node("moment", graph.x, graph.y)
    twice = "2" if kind == "zcdp" else "1"
    spare = "1/5" if kind == "zcdp" else "0"
    for statistic, weight, size in [
        (gram, "gamma", power("B", "2")),
        (moment, minus(minus("1", spare), "gamma"), mul("B", "Y")),
    ]:
        worth = mul(weight, name)
        std = over(mul("k", size), root(mul(twice, worth)))
        graph.release(statistic, std, {name if kind == "zcdp" else "mu^2": worth})
    if kind == "zcdp":
        scale = over("k", root(mul("2", spare, name)))
        graph.release(graph.node("count", graph.x), scale, noise="laplace")
    symbols = {name: symbol(), **UNIT, "gamma": symbol("0", "4/5"), "k": symbol("1", None, "left")}
    symbols["k"]["integer"] = True
    derivation = "zcdp" if kind == "zcdp" else "gaussian"
    return certificate(graph, kind, [name], symbols, derivation, rows="k", **more)


def analytic(derivation="basic", **more: Json) -> Json:
    """One X'X with analytic_sigma(epsilon, delta) sqrt(2) B^2, rows replaced."""
    graph = Graph("B", "Y")
    gram = graph.node("gram", graph.x)
    std = mul(["analytic_sigma", "epsilon", "delta"], root("2"), power("B", "2"))
    share = {"epsilon": "epsilon", "delta": "delta"}
    graph.release(gram, std, share, "Gaussian.analytic")
    more = {"relation": "replace_one", **more}
    target = ["epsilon", "delta"]
    return certificate(graph, "approx", target, {**APPROX, **UNIT}, derivation, **more)


def on_boxes(low="1/10", high="9/10", closed="both", **more: Json) -> Json:
    """Two releases of (5, 1e-6) split by gamma, jointly: beyond E1, so by the profile on boxes."""
    graph = Graph()
    gram, moment = graph.node("gram", graph.x), graph.node("moment", graph.x, graph.y)
    for statistic, weight in ((gram, "gamma"), (moment, minus("1", "gamma"))):
        delta = mul("1/1000000", weight)
        graph.release(statistic, classical(mul("5", weight), delta, "1", "2"))
    symbols = {"gamma": symbol(low, high, closed)}
    amounts = ["5", "1/1000000"]
    return certificate(graph, "approx", amounts, symbols, "gaussian", **more)


def loop(**more: Json) -> Json:
    """T rounds, each paid from epsilon/T; T is whole."""
    graph = Graph("1", "1")
    moment = graph.node("moment", graph.x, graph.y)
    e, d = over("epsilon", "T"), over("delta", "T")
    std, share = classical(e, d, "1", "2"), {"epsilon": e, "delta": d}
    graph.release(moment, std, share, "Gaussian.kamath_ullman", times="T")
    symbols = {**APPROX, "T": symbol("0", integer=True)}
    region = [["epsilon", mul("4", LOG2), False]]
    target = ["epsilon", "delta"]
    more = {"region": region, **more}
    return certificate(graph, "approx", target, symbols, "basic", **more)


def public_size(**more: Json) -> Json:
    """Under replace-one n is public, delta = 1/(1 + n)^2 may depend on it, and the trace of unit
    rows is constant.
    """
    graph = Graph()
    unit = graph.node("normalize", graph.x)
    n = graph.node("count", graph.x)
    trace = graph.node("trace", unit)
    moment = graph.node("moment", unit, graph.y)
    delta = power(add("1", "n"), "-2")
    share = {"epsilon": "1", "delta": delta}
    std = mul(["analytic_sigma", "1", delta], "2")
    released = graph.release(moment, std, share, "Gaussian.analytic")
    output = graph.post(released, trace, arguments=[{"formula": "n"}])
    symbols = {"n": symbol("1", closed="left", integer=True, origin=n)}
    more = {"relation": "replace_one", **more}
    return certificate(graph, "approx", ["1", delta], symbols, "basic", output, trace, **more)


def stacked(**more: Json) -> Json:
    """(X'X, X'y, lambda_min, y'y) as one release under replace-one: 2 + 1 >= 1, so A = 3 B^4."""
    graph = Graph(columns="8")
    gram, moment = graph.node("gram", graph.x), graph.node("moment", graph.x, graph.y)
    floor, squares = graph.node("lambda_min", gram), graph.node("squares", graph.y)
    stack = graph.node("stack", gram, moment, floor, squares)
    graph.release(stack, over(root("16/3"), "mu"))
    symbols = {"mu": symbol()}
    more = {"relation": "replace_one", **more}
    return certificate(graph, "gaussian", [power("mu", "2")], symbols, "gaussian", **more)


def many_kinds(**more: Json) -> Json:
    """Sums, counts, combinations, an intercept and a scaling, all jointly under add/remove."""
    graph = Graph(norm="3")
    scaled = graph.node("scale", graph.x, by="2")
    rows = graph.node("intercept", scaled, value="2")  # |x|^2 <= 9/4 + 4 = 25/4
    label = graph.node("unit_interval", graph.y, lower="-1", upper="1")
    gram = graph.node("gram", rows)
    combined = graph.node("linear", gram, gram, coefficients=["2", mul("-1", "c")])
    for statistic, size in [
        (combined, mul(add("2", "c"), "25/4")),
        (graph.node("row_sum", rows), "5/2"),
        (graph.node("label_sum", label), "1"),
        (graph.node("trace", rows), "25/4"),
        (graph.node("count", rows), "1"),
        (graph.node("moment", rows, label), "5/2"),
    ]:
        graph.release(statistic, over(mul(size, root("6")), "mu"))
    symbols = {"mu": symbol(), "c": symbol("0", "1")}
    return certificate(graph, "gaussian", [power("mu", "2")], symbols, "gaussian", **more)


def true_certificates() -> dict[str, Json]:
    """Certificates whose statement is true, and tight: 9/10 of any noise is too little."""
    wang_values = {"epsilon": "13/2", "delta": "1/1000000", "B": "1", "Y": "2"}
    return {
        "adaSSPbudget": adassp_budget(),
        "adaSSPbudget, classical": adassp_budget("5/4", "Gaussian.classical"),
        "adaSSPbudget, one line for all": adassp_budget(
            region=[["epsilon", mul("4", LOG2), False]]
        ),
        "Wang": wang(),
        "Wang at numbers": wang(values=wang_values),
        "Wang beyond E1": wang("30", "1/1000000"),
        "SSP": numeric("9/5", "approx", ["47/10", "1/1000000"]),
        "SSP, replace-one": numeric("4", "gaussian", ["1/3"], relation="replace_one"),
        "SSP, zCDP": numeric("4", "zcdp", ["3/32"], "zcdp"),
        "SSP, zCDP to approximate": numeric("4", "approx", ["12/5", "1/1000000"], "zcdp"),
        "Laplace": laplace(),
        "Laplace, codebook": laplace_codebook(),
        "zCDP": currency("zcdp", "rho"),
        "Gaussian DP": currency("gaussian", "m"),
        "analytic": analytic(),
        "analytic, by definition": analytic("gaussian"),
        "boxes": on_boxes(),
        "boxes, compact region": on_boxes(
            "0", "1", "neither", region=[["1/1000", "gamma", False], ["gamma", "999/1000", False]]
        ),
        "loop": loop(),
        "public size": public_size(),
        "stack": stacked(),
        "many kinds": many_kinds(),
    }


TRUE = true_certificates()


@pytest.mark.parametrize("name", TRUE)
def test_a_true_certificate_is_accepted(name: str) -> None:
    """Every true certificate is accepted, and its hash is recomputed."""
    verdict = check.check(TRUE[name])
    assert verdict.accepted, verdict.reason
    assert verdict.hash == TRUE[name]["hash"]
    assert verdict.obligations > 10
    assert verdict.sentence.startswith("For ")


# ----------------------------------------------------------------------------- false certificates
DELETED = object()


def edited(document: Json, *changes: tuple[str, Json]) -> Json:
    """A copy with values set (or deleted) at paths such as `graph/nodes/3/size`; hash made right."""
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
    return sealed(found) if "statement" in found and "graph" in found else found


def releases(document: Json) -> list[int]:
    return [node["id"] for node in document["graph"]["nodes"] if node["kind"] == "release"]


def used(document: Json, name: str) -> bool:
    """Whether a symbol occurs in the graph."""
    return json.dumps(name) in json.dumps([node for node in document["graph"]["nodes"]])


def broken_files(name: str, document: Json) -> Iterator[tuple[str, Json]]:
    """Keys missing, added or renamed, and values of another type, with the hash made right."""
    for part in ("", "statement", "graph", "statement/target"):
        place = document
        for step in part.split("/") if part else ():
            place = place[step]
        prefix = f"{part}/" if part else ""
        for key in place:
            if part == "statement/target" or part or key not in ("statement", "graph"):
                yield (
                    f"{name}: {prefix}{key} missing",
                    edited(document, (f"{prefix}{key}", DELETED)),
                )
                renamed = (f"{prefix}{key}", DELETED), (f"{prefix}{key}_", place[key])
                yield f"{name}: {prefix}{key} renamed", edited(document, *renamed)
        yield f"{name}: {prefix}extra", edited(document, (f"{prefix}extra", None))
    for index, node in enumerate(document["graph"]["nodes"]):
        where = f"graph/nodes/{index}"
        for key in node:
            yield f"{name}: {where}/{key} missing", edited(document, (f"{where}/{key}", DELETED))
        yield f"{name}: {where} extra", edited(document, (f"{where}/note", ""))
        yield f"{name}: {where} other id", edited(document, (f"{where}/id", index + 1))
        yield f"{name}: {where} other kind", edited(document, (f"{where}/kind", "identity"))
        yield f"{name}: {where} itself", edited(document, (f"{where}/inputs", [index]))


def tampered(name: str, document: Json) -> Iterator[tuple[str, Json]]:
    """Any change to statement or graph that leaves the hash alone, and hashes of nothing."""
    yield f"{name}: another hash", {**document, "hash": "0" * 64}
    yield f"{name}: no hash", {**document, "hash": ""}
    yield f"{name}: graph changed", {**document, "graph": {**document["graph"], "output": [0, 1]}}
    changed = edited(document, ("statement/symbols/d/lower", "2"))
    yield f"{name}: statement changed", {**changed, "hash": document["hash"]}


def less_private(name: str, document: Json) -> Iterator[tuple[str, Json]]:
    """Less noise, more draws, more rows, smaller targets: every true certificate is tight."""
    target = document["statement"]["target"]
    for i in releases(document):
        where = f"graph/nodes/{i}"
        node = document["graph"]["nodes"][i]
        still = document["graph"]["nodes"][node["inputs"][0]]["kind"] == "count"
        size = mul(LESS, node["size"])
        yield f"{name}: {where} less noise", edited(document, (f"{where}/size", size))
        if name != "loop":
            yield f"{name}: {where} drawn twice", edited(document, (f"{where}/times", "2"))
        for times in ("0", "-1", "1/2", "3/2", ["^", "2", "1/2"], 1):
            yield f"{name}: {where} times {times}", edited(document, (f"{where}/times", times))
        for size in ("0", "-1", ["log", "0"], power("0", "-1"), mul("-1", node["size"]), 5):
            yield f"{name}: {where} size {size}", edited(document, (f"{where}/size", size))
        other = "laplace" if node["mechanism"] == "gaussian" else "gaussian"
        yield f"{name}: {where} {other}", edited(document, (f"{where}/mechanism", other))
        yield f"{name}: {where} rule", edited(document, (f"{where}/rule", "Gaussian.exact"))
        del still
    rows = document["statement"]["rows_per_person"]
    more = "2" if rows == "1" else mul("2", rows)
    for value in (more, "0", "-1", "3/2", 1, None):
        yield f"{name}: {value} rows", edited(document, ("statement/rows_per_person", value))
    for i, amount in enumerate(target["amounts"]):
        factor = "1/100" if amount == "1/1000000" else "4/5"
        smaller = (f"statement/target/amounts/{i}", mul(factor, amount))
        if not (name == "Laplace, codebook" and i == 1):
            yield f"{name}: amount {i} smaller", edited(document, smaller)
        for value in ("0", "-1", mul("-1", amount), None, "inf"):
            change = (f"statement/target/amounts/{i}", value)
            yield f"{name}: amount {i} = {value}", edited(document, change)
    yield f"{name}: no amounts", edited(document, ("statement/target/amounts", []))
    for kind in {"pure", "approx", "zcdp", "gaussian", "renyi"} - {target["kind"]}:
        if not {kind, target["kind"]} <= {"zcdp", "gaussian", "pure"}:
            yield f"{name}: {kind}", edited(document, ("statement/target/kind", kind))


def other_shares(name: str, document: Json) -> Iterator[tuple[str, Json]]:
    """Shares that are larger, negative, missing or in another currency; basic composition only."""
    if document["statement"]["derivation"] != "basic":
        return
    for i in releases(document):
        share = document["graph"]["nodes"][i]["share"]
        where = f"graph/nodes/{i}/share"
        for key, amount in share.items():
            for value in (mul("2", amount), mul("-1", amount), "0", None, minus(amount, "1")):
                if not (name == "Laplace, codebook" and key == "delta" and value in ("0", None)):
                    if not (amount == "0" and value == mul("-1", amount)):
                        if not (amount == "0" and value == mul("2", amount)):
                            change = edited(document, (f"{where}/{key}", value))
                            yield f"{name}: share {i} {key} = {value}", change
        yield f"{name}: no share {i}", edited(document, (where, None))
        yield f"{name}: share {i} of rho", edited(document, (where, {"rho": "1"}))
        yield f"{name}: share {i} of more", edited(document, (where, {**share, "rho": "1"}))


def other_domains(name: str, document: Json) -> Iterator[tuple[str, Json]]:
    """Symbols that may be anything, private, undeclared, or lie nowhere; values out of range."""
    for key, spec in document["statement"]["symbols"].items():
        where = f"statement/symbols/{key}"
        changes = {
            "may be negative": {**spec, "lower": "-1"},
            "may be 0": {**spec, "lower": "0", "closed": "left", "integer": False},
            "is nowhere": {**spec, "lower": "1", "upper": "0"},
            "is open at one point": {**spec, "lower": "1", "upper": "1", "closed": "left"},
            "is closed at infinity": {**spec, "upper": None, "closed": "both"},
            "stands for a node": {**spec, "origin": 0},
            "stands for nothing": {**spec, "origin": 999},
            "has a number for an end": {**spec, "lower": 0},
            "is closed somewhere": {**spec, "closed": "somewhere"},
            "is badly spelt": {**spec, "integers": True},
        }
        for what, changed in changes.items():
            if key in ("d", "T", "k", "n") or what != "may be 0" or key in ("epsilon", "delta"):
                if not (what == "may be 0" and key == "n"):
                    yield f"{name}: {key} {what}", edited(document, (where, changed))
        if key not in ("d",) or any('"d"' in json.dumps(n) for n in document["graph"]["nodes"]):
            yield f"{name}: {key} undeclared", edited(document, (where, DELETED))
        for value in ("-1000000", "x", 1, None, "1e3", " 1", "1/0", "nan"):
            change = ("statement/values", {key: value})
            yield f"{name}: {key} = {value}", edited(document, change)
    yield f"{name}: unknown value", edited(document, ("statement/values", {"unknown": "1"}))


def other_structure(name: str, document: Json) -> Iterator[tuple[str, Json]]:
    """Raw statistics that get out, bounds that are none, kinds and derivations that are unknown."""
    nodes = document["graph"]["nodes"]
    end = len(nodes)
    for i in [*(n["id"] for n in nodes if n["kind"] in ("rows", "gram", "moment")), -1, end, True]:
        yield f"{name}: outputs {i}", edited(document, ("graph/output", [i]))
    yield f"{name}: outputs nothing", edited(document, ("graph/output", []))
    for n in (n["id"] for n in nodes if n["kind"] in ("gram", "moment", "lambda_min")):
        keys = {"function": "m:f", "digest": "0", "arguments": [{"node": None}]}
        leak = {"id": end, "kind": "post", "inputs": [n], **keys}
        yield f"{name}: post reads {n}", edited(document, (f"graph/nodes/{end}", leak))
    raw = {"id": end, "kind": "raw", "inputs": [1], "name": "max_abs"}
    yield f"{name}: raw", edited(document, (f"graph/nodes/{end}", raw))
    for n in nodes:
        where = f"graph/nodes/{n['id']}"
        for key in {"norm", "value", "by"} & n.keys():
            for bound in ("0", "-1", mul("2", n[key]), "N", log("1"), 3):
                yield f"{name}: {key} {bound}", edited(document, (f"{where}/{key}", bound))
        if n["kind"] == "clip_column":
            for bound in ("-1", "0", mul("2", n["upper"]), n["lower"], "d"):
                yield f"{name}: labels to {bound}", edited(document, (f"{where}/upper", bound))
    for word in ("", "rdp", "pure", None):
        yield f"{name}: derivation {word}", edited(document, ("statement/derivation", word))
    for word in ("add/remove", "", None):
        yield f"{name}: relation {word}", edited(document, ("statement/relation", word))
    if document["statement"]["relation"] == "add_remove":
        swapped = ("statement/relation", "replace_one")
        yield f"{name}: rows replaced", edited(document, swapped)
    yield f"{name}: schema", edited(document, ("schema", "dpframe-certificate/2"))
    yield f"{name}: assumption", edited(document, ("assumptions", [1]))


def other_regions(name: str, document: Json) -> Iterator[tuple[str, Json]]:
    """Hypotheses left out, weakened, invented, or true nowhere."""
    lines = document["statement"]["region"]
    for i, (left, right, strict) in enumerate(lines):
        where = f"statement/region/{i}"
        if lines.count(lines[i]) == 1:
            yield f"{name}: line {i} missing", edited(document, (where, DELETED))
        if strict:
            yield (
                f"{name}: line {i} weak",
                edited(document, ("statement/region", [[*line[:2], False] for line in lines])),
            )
        if lines.count(lines[i]) == 1:
            weaker = [left, add(right, "1/100"), strict]
            yield f"{name}: line {i} weaker", edited(document, (where, weaker))
        turned = [right, left, strict]
        yield f"{name}: line {i} turned", edited(document, (where, turned))
        yield f"{name}: line {i} short", edited(document, (where, [left, right]))
        yield f"{name}: line {i} untyped", edited(document, (where, [left, right, 0]))
    end = f"statement/region/{len(lines)}"
    for line in (["2", "1", False], ["1", "1", True], ["d", "5", False], ["1", log("d"), False]):
        yield f"{name}: region {line}", edited(document, (end, line))


def false_certificates() -> dict[str, Json]:
    """Certificates that must be refused: their statement is false, or they are not well formed."""
    makers = (tampered, less_private, other_shares, other_domains, other_structure, other_regions)
    found: dict[str, Json] = {}
    for name, document in TRUE.items():
        for maker in makers:
            found.update(maker(name, document))
    for name in ("adaSSPbudget", "public size", "many kinds"):
        found.update(broken_files(name, TRUE[name]))
    return found


FALSE = false_certificates()


def test_there_are_many_false_certificates() -> None:
    """At least 200 distinct ones, none of them a true one."""
    texts = {json.dumps(document, sort_keys=True) for document in FALSE.values()}
    assert len(texts) >= 200
    assert texts.isdisjoint(json.dumps(document, sort_keys=True) for document in TRUE.values())


def test_a_false_certificate_is_refused() -> None:
    """Every false certificate is refused, with a reason, and none by an unforeseen error."""
    verdicts = {name: check.check(document) for name, document in FALSE.items()}
    assert [name for name, verdict in verdicts.items() if verdict.accepted] == []
    assert [name for name, verdict in verdicts.items() if not verdict.reason] == []
    assert [name for name, verdict in verdicts.items() if "Error: " in verdict.reason] == []
