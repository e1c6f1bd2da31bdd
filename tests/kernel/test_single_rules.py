"""Single rules of the kernel: samples, cells, loops, constants, totals, records over row norms."""

import pytest

from tests.kernel.true_by_hand import TRUE, small_delta
from tests.kernel.writing import (
    LESS,
    Change,
    Graph,
    Json,
    add,
    certificate,
    edited,
    mul,
    over,
    placed,
    power,
    released,
    root,
    symbol,
)
from tests.support import checking as check


def test_parts_of_an_approximate_minimum_are_paid() -> None:
    """The difference is hidden, and both parts fit the share."""
    document = TRUE["approximate minimum"]
    where = placed(document, "approximate_minimum/")
    more = {"epsilon": mul("1/5", "epsilon"), "delta": mul("1/10", "delta")}
    std = document["graph"]["nodes"][-1]["formulas"]["std"]
    wrong = [("formulas/std", mul(LESS, std)), ("formulas/tolerance", "1/999")]
    wrong += [("difference", more), ("minimum", {"epsilon": "epsilon", "delta": "delta"})]
    for key, value in wrong:
        assert not check.check(edited(document, (where + key, value))).accepted, key


def test_the_wider_rule_asks_for_a_small_delta() -> None:
    """Constant 5/4 at delta up to 1: what the rule promises is false there."""
    assert check.check(small_delta("1/2")).accepted
    assert not check.check(small_delta("1")).accepted
    assert not check.check(small_delta("2/3")).accepted


def descent(kind: str = "", *, rate: Json = "1/3", again: bool = False) -> Json:
    """Three rounds of clipped gradients on samples; with another statistic, or two loops."""
    graph = Graph(columns="2")
    point, loss = graph.node("iterate", name="theta", size="2"), graph.node("squared")
    gradient = graph.node("gradient", graph.x, graph.y, point, loss)
    total = graph.node("row_sum", graph.node("clip_norm", gradient, norm="2"))
    asked = (
        graph.node(kind, total, **({} if kind == "stack" else {"coefficients": ["1"]}))
        if kind
        else total
    )
    step = graph.release(asked, mul("2", root("3")), times="3")
    graph.nodes[step] |= {} if rate is None else {"sampled": rate}
    arguments = {"function": "m:f", "digest": "00", "arguments": []}
    for _ in range(1 + again):
        path = graph.node("loop", point, step, **arguments)
    return certificate(graph, "gaussian", ["1"], {}, "gaussian", path)


def test_samples_are_of_sums_and_a_point_has_one_loop() -> None:
    """What is sampled must be bounded on every table; rounds are charged as if none were."""
    assert check.check(descent()).accepted
    assert check.check(descent("stack", rate=None)).accepted
    assert not check.check(descent(rate="0")).accepted
    for refused in (descent("stack"), descent("linear"), descent(again=True)):
        assert not check.check(refused).accepted
    step = released(descent())[0]
    for change in ((f"graph/nodes/{step}/times", "4"), ("statement/target/amounts/0", "9/10")):
        assert not check.check(edited(descent(), change)).accepted
    document = descent()
    document["graph"]["nodes"].pop()
    document["graph"]["output"] = [step]
    assert "the query of one loop" in check.check(check.sealed(document)).reason


def after(reads: str, *, size: str = "2", loss: str = "logistic", **more: Json) -> Json:
    """A loop of mu^2 = 1, and then one of 1 by gradients at what it released: at a function of the
    path, at the path, at the point, or at a function of it with the rows of another loop's point.
    """
    graph = Graph(columns="2")
    point, squared = graph.node("iterate", name="theta", size="2"), graph.node("squared")
    rows = graph.node("gradient", graph.x, graph.y, point, squared)
    total = graph.node("row_sum", graph.node("clip_norm", rows, norm="2"))
    step = graph.release(total, mul("2", root("3")), times="3")
    arguments = {"function": "m:f", "digest": "00"}
    path = graph.node("loop", point, step, **arguments, arguments=[])
    last = graph.node("post", path, **arguments, arguments=[{"node": None}])
    other = graph.node("iterate", name="other", size="2")
    source = rows if reads == "both" else graph.x
    at = {"path": path, "point": point, "data": graph.y, "other": other}.get(reads, last)
    made = graph.node("gradient_at", source, graph.y, at, graph.node(loss), **more)
    graph.release(graph.node("row_sum", graph.node("clip_norm", made, norm="2")), size)
    return certificate(graph, "gaussian", ["2"], {}, "gaussian", last)


def test_a_loop_ends_its_point() -> None:
    """A release may read what a loop released, not the point of a loop, nor data in its place."""
    for reads in ("last", "path"):
        for more in ({}, {"curved": True}, {"curved": False}):
            assert check.check(after(reads, **more)).accepted, (reads, more)
    assert check.check(after("last", loss="squared")).accepted
    for reads in ("point", "both", "data", "other"):
        assert not check.check(after(reads)).accepted, reads
    assert not check.check(after("last", size=mul(LESS, "2"))).accepted
    assert not check.check(after("last", curved="yes")).accepted


def two_cells(*, learned: bool, stds: str, size: str = "1") -> Json:
    """X'X of two cells of a partition, each released; cells may follow what was released."""
    graph = Graph(columns="2")
    counted = graph.release(graph.node("label_sum", graph.y), stds)
    known = graph.node("known", counted, name="c")
    rows = graph.node("scale", graph.x, by="c") if learned else graph.x
    parts = {"partition": {"assignment": "cut", "cuts": ["0"], "column": 0}}
    for cell in range(2):
        own = graph.node("cell_rows", rows, cell=cell, **parts)
        own = graph.node("clip_norm", graph.node("scale", own, by="c"), norm="1")
        graph.release(graph.node("gram", own), size)
    symbols = {"c": symbol("1", "2", "both", origin=known)}
    return certificate(graph, "gaussian", ["2"], symbols, "gaussian")


def test_cells_that_follow_what_was_released_are_all_charged() -> None:
    """Cells of a fixed partition are charged once, also where their rows are scaled later."""
    assert check.check(two_cells(learned=False, stds="1")).accepted
    assert not check.check(two_cells(learned=True, stds="1")).accepted
    assert check.check(two_cells(learned=True, stds="1", size=root("2"))).accepted


def test_a_numeric_total_does_not_follow_what_was_released() -> None:
    """Which losses are composed must be fixed."""
    document = TRUE["numeric"]
    step = released(document)[0]
    node = {"id": len(document["graph"]["nodes"]), "kind": "known", "inputs": [step], "name": "c"}
    graph = {**document["graph"], "nodes": [*document["graph"]["nodes"], node]}
    last = dict(document["graph"]["nodes"][released(document)[1]], id=node["id"] + 1)
    fixed = {**last, "size": mul("100", last["size"])}
    changes = [
        ("graph", graph),
        ("statement/symbols/c", symbol("1", "2", "both", origin=node["id"])),
    ]
    changes.append((f"graph/nodes/{released(document)[1]}/size", "28/5"))
    assert check.check(
        edited(document, *changes, (f"graph/nodes/{node['id'] + 1}", fixed))
    ).accepted
    late = {**last, "size": mul("100", "c", last["size"])}
    verdict = check.check(edited(document, *changes, (f"graph/nodes/{node['id'] + 1}", late)))
    assert "must not depend on what is released" in verdict.reason


def test_records_over_row_norms() -> None:
    """(x, y)/|x|: rows of norm 1 at most, labels that must be clipped."""
    graph = Graph("7", "5", columns="2")
    records = graph.node("divided_records", graph.x, graph.y)
    rows, labels = graph.node("record_rows", records), graph.node("record_labels", records)
    clipped = graph.node("clip_column", labels, lower="-3", upper="3")
    moment = graph.release(graph.node("moment", rows, clipped), "3")
    document = certificate(graph, "gaussian", ["1"], {}, "gaussian")
    assert check.check(document).accepted
    where = f"graph/nodes/{moment}/size"
    assert not check.check(edited(document, (where, "29/10"))).accepted
    assert not check.check(
        edited(document, (f"graph/nodes/{moment - 1}/inputs", [rows, labels]))
    ).accepted
    assert not check.check(edited(document, (f"graph/nodes/{rows}/inputs", [graph.x]))).accepted
    assert not check.check(
        edited(document, (f"graph/nodes/{moment - 1}/inputs", [records, 3]))
    ).accepted


def test_the_wrong_hash_is_refused() -> None:
    """`expect` pins the hash."""
    document = TRUE["Wang"]
    assert check.check(document, document["hash"]).accepted
    assert not check.check(document, "0" * 64).accepted
    assert not check.check(document, "").accepted


@pytest.mark.parametrize(
    "change",
    [
        ("graph/nodes/6/times", "1" + "0" * 300),
        ("graph/nodes/6/times", "1" + "0" * 20),
        ("graph/nodes/6/size", "1/1" + "0" * 600),
    ],
)
def test_numeric_totals_are_not_kept_busy(change: Change) -> None:
    """A googol of draws, and noise far below doubles, are refused in words."""
    verdict = check.check(edited(TRUE["numeric"], change))
    assert not verdict.accepted
    assert "Error" not in verdict.reason


def test_the_checker_never_raises() -> None:
    """Values of any type, anywhere in a certificate, are refused."""
    documents = [None, 1, [], {}, "x", float("nan"), {1: 2}, {"schema": b""}]
    for path in ("statement", "graph", "graph/nodes", "statement/symbols", "statement/region"):
        values = (None, True, 3, 0.5, "x", [], {}, [[]], [None], {"x": None}, {"x": {}})
        documents += [edited(TRUE["loop"], (path, value)) for value in values]
    assert not any(check.check(document).accepted for document in documents)


def laundered(*, target: bool) -> Json:
    """A released number c that comes back as the constant statistic s = c n."""
    graph = Graph(columns="1" if target else "2")
    count = graph.node("count", graph.x)
    share = {"epsilon": "1"}
    size = "2" if target else "40"
    first = graph.release(graph.node("label_sum", graph.y), size, share, noise="laplace")
    known = graph.node("known", first, name="c")
    still = graph.node("linear", count, coefficients=["c"])
    moment = graph.node("moment", graph.x, graph.y)
    graph.release(moment, mul("2", power("s", "-1")), {"epsilon": "s"}, noise="laplace")
    symbols = {"c": symbol("1", "2", "both", origin=known)}
    symbols["s"] = symbol("1", "2", "both", origin=still)
    amounts = [add("1", "s")] if target else ["3"]
    return certificate(graph, "pure", amounts, symbols, "basic", relation="replace_one")


@pytest.mark.parametrize("target", [True, False])
def test_a_released_number_does_not_come_back_as_a_constant(target: bool) -> None:
    """A claim, or a share, that reads what was released before is about nothing: of constant
    statistics, formulas read the number of rows alone.
    """
    verdict = check.check(laundered(target=target))
    assert not verdict.accepted
    assert "not constant over neighbours" in verdict.reason


def test_a_constant_of_any_range_is_no_parameter() -> None:
    """0 times the sum of labels, declared in [5, 10]."""
    graph = Graph()
    zero = graph.node("linear", graph.node("label_sum", graph.y), coefficients=["0"])
    moment = graph.node("moment", graph.x, graph.y)
    graph.release(moment, over("40", "s"), {"epsilon": "s"}, noise="laplace")
    symbols = {"s": symbol("5", "10", "both", origin=zero)}
    assert not check.check(certificate(graph, "pure", ["s"], symbols, "basic")).accepted


@pytest.mark.parametrize(("by", "accepted"), [(["1"], False), (["1", "1", "1"], True)])
def test_columns_are_scaled_by_one_number_each(by: list[str], accepted: bool) -> None:
    """One for three would be read for all by broadcasting."""
    g = Graph(columns="3")
    rows = g.node("scaled_columns", g.x, by=by, minus=["0"] * len(by))
    g.release(
        g.node("row_sum", rows),
        over("1", root(mul("2", "rho"))),
        {"rho": "rho"},
        "Gaussian.analytic",
    )
    of = {"relation": "add_remove"}
    verdict = check.check(certificate(g, "zcdp", ["rho"], {"rho": symbol()}, "gaussian", **of))
    assert verdict.accepted is accepted, verdict.reason
