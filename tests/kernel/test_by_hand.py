"""Certificates written by hand: true ones are accepted, and edits of them are refused."""

import itertools
import json
from collections.abc import Iterator

import pytest

from tests.kernel.true_by_hand import TRUE
from tests.kernel.writing import (
    DELETED,
    LESS,
    Change,
    Json,
    add,
    edited,
    log,
    minus,
    mul,
    power,
    released,
    root,
)
from tests.support import checking as check


@pytest.mark.parametrize("name", TRUE)
def test_a_true_certificate_is_accepted(name: str) -> None:
    """Every true certificate is accepted, and its hash is recomputed."""
    verdict = check.check(TRUE[name])
    assert verdict.accepted, verdict.reason
    assert verdict.hash == TRUE[name]["hash"]
    assert verdict.obligations > 10
    assert verdict.sentence.startswith("the released values together satisfy ")


def broken_files(document: Json) -> Iterator[Change]:
    """Keys missing, added or renamed."""
    statement, graph = document["statement"], document["graph"]
    parts = {"": document, "statement/": statement, "graph/": graph}
    parts["statement/target/"] = statement["target"]
    parts |= {f"graph/nodes/{node['id']}/": node for node in graph["nodes"]}
    for prefix, part in parts.items():
        yield f"{prefix}extra", None
        for key in part:
            yield f"{prefix}{key}", DELETED


def less_private(document: Json) -> Iterator[Change]:
    """Less noise, more draws, more rows, a smaller target: every true certificate is tight."""
    statement = document["statement"]
    for i in released(document):
        node = document["graph"]["nodes"][i]
        size, times = node["size"], node["times"]
        for value in (mul(LESS, size), "0", "-1", log("0"), power("0", "-1"), mul("-1", size), 5):
            yield f"graph/nodes/{i}/size", value
        for value in (mul("2", times), "0", "-1", "1/2", "3/2", root("2"), 1, "epsilon"):
            yield f"graph/nodes/{i}/times", value
        yield f"graph/nodes/{i}/mechanism", "exponential"
        yield f"graph/nodes/{i}/rule", "Gaussian.exact"
    for value in (mul("2", statement["rows_per_person"]), "0", "-1", "3/2", 1, None):
        yield "statement/rows_per_person", value
    kind, amounts = statement["target"]["kind"], statement["target"]["amounts"]
    for i, amount in enumerate(amounts):
        less = mul("1/100" if amount == "1/1000000" else "4/5", amount)
        for value in (less, "0", "-1", mul("-1", amount), None, "inf"):
            yield f"statement/target/amounts/{i}", value
    yield "statement/target/amounts", []
    for other in {"pure": ["approx", "renyi"], "approx": ["pure", "zcdp"]}.get(kind, ["approx"]):
        yield "statement/target/kind", other


def other_shares(document: Json) -> Iterator[Change]:
    """Shares that are larger, negative, missing or in another currency; basic composition only."""
    if document["statement"]["derivation"] != "basic":
        return
    for i in released(document):
        share = document["graph"]["nodes"][i]["share"]
        for key, amount in share.items():
            larger = [mul("2", amount), mul("-1", amount), minus(amount, "1"), "0"]
            for value in [None, *(larger if amount != "0" else ["-1"])]:
                yield f"graph/nodes/{i}/share/{key}", value
        for value in (None, {"rho": "1"}, {**share, "rho": "1"}, {}, "1", {"delta": "1/2"}):
            yield f"graph/nodes/{i}/share", value


def other_domains(document: Json) -> Iterator[Change]:
    """Symbols that are private, undeclared, negative, or lie nowhere; values out of range."""
    for name, spec in document["statement"]["symbols"].items():
        where = f"statement/symbols/{name}"
        yield where, {**spec, "lower": "1", "upper": "0"}
        yield where, {**spec, "lower": "1", "upper": "1", "closed": "left"}
        yield where, {**spec, "upper": None, "closed": "both"}
        yield where, {**spec, "origin": 0}
        yield where, {**spec, "origin": 999}
        yield where, {**spec, "lower": 0}
        yield where, {**spec, "closed": "somewhere"}
        yield where, {**spec, "integers": True}
        if f'"{name}"' in json.dumps(document["graph"]):
            yield where, DELETED
            yield where, {**spec, "lower": "-1"}
            if name not in ("gamma", "c", "n"):  # where 0 is no point of the claim
                yield where, {**spec, "lower": "0", "closed": "left", "integer": False}
        for value in ("-1000000", "x", 1, None, "1e3", " 1", "1/0", "nan"):
            yield "statement/values", {name: value}
    yield "statement/values", {"unknown": "1"}


def other_structure(document: Json) -> Iterator[Change]:
    """Raw statistics that get out, bounds that are none, kinds and derivations that are unknown."""
    nodes = document["graph"]["nodes"]
    end = len(nodes)
    for i in (0, 1, 2, 3, 4, -1, end, True, "5", None):
        yield "graph/output", [i]
    yield "graph/output", []
    raw = {"id": end, "kind": "raw", "inputs": [1], "name": "max_abs"}
    leak = {"id": end, "kind": "post", "inputs": [4], "function": "m:f", "digest": "0"}
    for node in (
        raw,
        {**raw, "kind": "mean"},
        {"id": end, "kind": "identity", "inputs": [1]},
        {"id": end, "kind": "lambda_min", "inputs": [1]},
        {"id": end, "kind": "rows", "inputs": [], "name": "Z", "columns": "2"},
        {"id": end, "kind": "count", "inputs": [0], "note": ""},
        {"id": end, "kind": "count", "inputs": []},
        {"id": end, "kind": "count", "inputs": [end]},
        {"id": end, "kind": "count", "inputs": [-1]},
        {"id": end + 1, "kind": "count", "inputs": [0]},
        {**leak, "arguments": [{"node": None}]},
        {**leak, "inputs": [], "arguments": [{"node": None}]},
        {**leak, "inputs": [], "arguments": [{"formula": "unknown"}]},
        {**leak, "inputs": [], "arguments": [{"constant": 1, "formula": "1"}]},
        [],
    ):
        yield f"graph/nodes/{end}", node
    for i, node in enumerate(nodes):
        yield f"graph/nodes/{i}/id", i + 1
        yield f"graph/nodes/{i}/id", str(i)
        yield f"graph/nodes/{i}/kind", "identity"
        yield f"graph/nodes/{i}/inputs", [i]
        yield f"graph/nodes/{i}/inputs", 0
        for key in {"norm", "value", "by"} & node.keys():
            for bound in ("0", "-1", mul("2", node[key]), "N", log("1"), 3):
                yield f"graph/nodes/{i}/{key}", bound
        if node["kind"] == "clip_column":
            for bound in ("-1", "unknown", mul("2", node["upper"]), node["lower"], "d"):
                yield f"graph/nodes/{i}/upper", bound
    for word in ("", "rdp", "pure", None):
        yield "statement/derivation", word
    for word in ("add/remove", "", None):
        yield "statement/relation", word
    if document["statement"]["relation"] == "add_remove":
        yield "statement/relation", "replace_one"
    yield "schema", "dpframe-certificate/1"
    yield "assumptions", [1]


def other_regions(document: Json) -> Iterator[Change]:
    """Hypotheses left out, weakened, invented, or true nowhere."""
    lines = document["statement"]["region"]
    for i, (left, right, strict) in enumerate(lines):
        where = f"statement/region/{i}"
        if lines.count(lines[i]) == 1:
            yield where, DELETED
            yield where, [left, add(right, "1/100"), strict]
        if strict:
            yield "statement/region", [[a, b, False] for a, b, _ in lines]
        yield where, [right, left, strict]
        yield where, [left, right]
        yield where, [left, right, 0]
    for line in (["2", "1", False], ["1", "1", True], ["d", "5", False], ["1", log("d"), False]):
        yield f"statement/region/{len(lines)}", line


EDITS = (less_private, other_shares, other_domains, other_structure, other_regions)
VARIED = (
    "preprocessed",
    "approximate minimum",
    "adaSSPbudget",
    "Laplace, codebook",
    "zCDP",
    "loop",
    "public size",
    "many kinds",
)
STILL_TRUE = {  # where the edit changes nothing that matters
    ("public size", "graph/nodes/1/norm"),
    ("preprocessed", "graph/nodes/3/upper"),
    ("preprocessed", "graph/nodes/14/by"),
    ("preprocessed", "graph/nodes/15/upper"),  # "-1" alone: labels in [-3, -1]
    ("many kinds", "graph/nodes/4/by"),
    ("many kinds", "graph/nodes/3/upper"),
    ("Laplace, codebook", "statement/target/amounts/1"),
}


def false_certificates(name: str) -> Iterator[tuple[str, Json]]:
    """(what was edited, file): false statements, or files not well formed."""
    document = TRUE[name]
    shape = broken_files(document) if name in ("adaSSPbudget", "public size") else ()
    edits = EDITS if name in VARIED else (less_private, other_regions)
    for path, value in itertools.chain(shape, *(edit(document) for edit in edits)):
        changed = edited(document, (path, value))
        yield path, changed
        if name == "loop" and changed.get("hash") not in (None, document["hash"]):
            yield f"{path}, hash kept", {**changed, "hash": document["hash"]}
    yield "hash", {**document, "hash": "0" * 64}


@pytest.mark.parametrize("name", TRUE)
def test_false_certificates_are_refused(name: str) -> None:
    """Each with a reason of the checker's own."""
    reasons = {}
    for path, document in false_certificates(name):
        verdict = check.check(document)
        if verdict.accepted:
            assert (name, path) in STILL_TRUE
        else:
            reasons[path] = verdict.reason
    assert reasons
    assert all(reasons.values())
    assert [reason for reason in reasons.values() if "Error:" in reason] == []
