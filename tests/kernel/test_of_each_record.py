"""Certificates for budgets of each record: true ones are accepted, and edits are refused."""

import itertools
import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

import dpframe as dp
from tests.kernel.writing import (
    APPROX,
    DELETED,
    EACH_AT,
    EPSILON,
    LESS,
    OWN,
    RELATION,
    SYMBOLS,
    Change,
    Graph,
    Json,
    Weighed,
    add,
    certificate,
    each_own,
    edited,
    minus,
    mul,
    over,
    placed,
    power,
    root,
    spliced,
    symbol,
)
from tests.support import checking as check

GROUPS = {"careful": "1/10", "open": dp.parameter("most")}


def first_of(first: Any, *_: Any) -> Any:
    """The first argument."""
    return first


class WeightedStatistics(dp.Regression):
    """X'WX and X'Wy, whose noise is calibrated jointly for every record."""

    def declare(self, X: Any, y: Any, budget: Any) -> Any:
        """Two releases."""
        own = budget.mu if budget.currency == ("mu^2",) else getattr(budget, budget.currency[0])
        weight = own / X.largest(own)
        rows, labels = X.weighted(weight), y.weighted(weight)
        square, product = rows.T @ rows, rows.T @ labels
        noise, other = dp.jointly(budget, [square, product])
        gram = dp.release(square, noise, name="gram")
        return dp.post(first_of, gram, dp.release(product, other, name="moment"), gram.std)


PEOPLE = {
    "weighted": dp.PersonalizedRidge(penalty=dp.parameter("lam")),
    "weighted, public total": dp.PersonalizedRidge(
        penalty=dp.parameter("lam"), total=dp.parameter("S")
    ),
    "printed": dp.literature.PersonalizedRidgePrinted(penalty=dp.parameter("lam")),
    "printed, public total": dp.literature.PersonalizedRidgePrinted(
        penalty=1, total=dp.parameter("S")
    ),
    "uniform": dp.literature.UniformRidge(penalty=dp.parameter("lam")),
    "tilted": dp.regressions.PersonalizedObjective(),
    "tilted, public total": dp.regressions.PersonalizedObjective(
        penalty=dp.parameter("lam"), total=dp.parameter("S")
    ),
    "sampled": dp.regressions.SampledRidge(penalty=dp.parameter("lam")),
    "sampled, average": dp.regressions.SampledRidge(threshold="average"),
    "sampled, public threshold": dp.regressions.SampledRidge(threshold=dp.parameter("t")),
    "statistics": WeightedStatistics(),
    "statistics, capped": dp.regressions.PersonalizedSSP(),
}
EVERYBODY = {
    "each": dp.PersonalizedDP(OWN),
    "groups": dp.PersonalizedDP(GROUPS, shares={"careful": "1/3", "open": "2/3"}),
    "list": dp.PersonalizedDP([0.1, 0.5, 2.0, 2.0]),
    "each, delta": dp.PersonalizedDP(OWN, "1/1000000"),
    "each, each": dp.PersonalizedDP(OWN, dp.each("delta")),
    "groups, groups": dp.PersonalizedDP(GROUPS, {"careful": "1/1000000", "open": "1/10000"}),
    "rho": dp.PersonalizedDP(rho=dp.each("rho")),
    "mu": dp.PersonalizedDP(mu=dp.each("mu")),
}
EVERYBODY_OWN = {"rho": ["rho"], "mu": ["mu"]}
EVERYBODY_OWN |= {key: ["delta", "epsilon"] for key in ("each, each", "groups, groups")}
REPLACED_ONLY = (
    "weighted",
    "printed",
    "uniform",
    "tilted",
)  # they read what differs under add/remove


def of_people(name: str, relation: str = "replace_one", target: str = "each") -> Json:
    """The file of a personalised certificate. Raises dp.Uncertified."""
    data = {"X": dp.Rows(norm=dp.parameter("B")), "y": dp.Column(bound=dp.parameter("Y"))}
    setting = dp.Setting(relation=dp.Relation(relation), **data)
    made = dp.certify(PEOPLE[name], target=EVERYBODY[target], setting=setting)
    return json.loads(json.dumps(made.document))


def known_to_fail(name: str, relation: str) -> bool:
    """No proof: totals and counts under add/remove, samples of replaced records."""
    if name.startswith("sampled"):
        return relation == "replace_one"
    return relation == "add_remove" and name in REPLACED_ONLY


@pytest.mark.parametrize("relation", check.RELATIONS)
@pytest.mark.parametrize("name", PEOPLE)
def test_personalised_certificates_of_dpframe_are_accepted(name: str, relation: str) -> None:
    """For budgets of any kind; the sentence says for whom it holds."""
    pure = not name.startswith("statistics")
    targets = list(EVERYBODY)[:3] if pure else list(EVERYBODY)[3:]
    for target in targets:
        if known_to_fail(name, relation):
            with pytest.raises(dp.Uncertified):
                of_people(name, relation, target)
            continue
        verdict = check.check(of_people(name, relation, target))
        assert verdict.accepted, (target, verdict.reason)
        assert "all public budgets of the records" in verdict.sentence
        assert ", which is that record. It holds for all " in verdict.sentence
        own = " and ".join(EVERYBODY_OWN.get(target, ["epsilon"]))
        assert f"with that record's own {own}" in verdict.sentence
        assert ('"careful": epsilon 1/10' in verdict.sentence) == target.startswith("groups")


PERSON, PRINTED_RULE = ("weighted", "replace_one", "each"), ("printed", "replace_one", "each")
SAMPLE, TWO = ("sampled", "add_remove", "groups"), ("statistics", "replace_one", "each, delta")
GROUPED = ("weighted", "replace_one", "groups")
DELTAS = ("statistics", "add_remove", "groups, groups")
TILTED = ("tilted, public total", "add_remove", "each")
TILTED_MOVE = ("tilted", "replace_one", "each")
TOTAL, LARGEST = f"{SYMBOLS}/total_epsilon", f"{SYMBOLS}/largest_epsilon"
UNFAIR = [  # certificate, place, values
    # what differs between neighbours
    (PERSON, RELATION, "add_remove"),
    (PRINTED_RULE, RELATION, "add_remove"),
    (SAMPLE, RELATION, "replace_one"),
    (PERSON, "statement/rows_per_person", "2"),
    # what is one number for all records
    (PERSON, "argmin/penalty", "epsilon", mul("lam", "epsilon")),
    (PERSON, "argmin/radius", "epsilon"),
    (PERSON, "clip_norm/norm", "epsilon", mul("B", ["max", "1", "epsilon"])),
    (TWO, "clip_norm/norm", "epsilon"),
    (TWO, "release/times", "epsilon"),
    (DELTAS, "clip_norm/norm", "delta"),
    # weights and noise
    (PERSON, "weight/factor", mul("2", over("epsilon", "total_epsilon"))),
    (PERSON, "argmin/weight", mul("2", over("epsilon", "total_epsilon")), DELETED, None),
    (PERSON, "argmin/tolerance", "1/2", "-1"),
    (PERSON, "argmin/inputs", [2, 5, 6], [1, 5, 6, 10]),
    (PERSON, "record_weights/inputs", [2, 9], [1, 7, 9], [2, 7]),
    (PERSON, "release/share/epsilon", "total_epsilon", mul("2", "epsilon")),
    (PRINTED_RULE, "release/share/epsilon", mul("11/10", "epsilon")),
    (PRINTED_RULE, "argmin/radius", "3"),
    (PRINTED_RULE, "weight/factor", "1"),
    (TWO, "weight/factor", "epsilon", "1", minus("epsilon", "1")),
    (TWO, "weighted_rows/inputs", [1, 4], [1, 2]),
    (TWO, "weighted_rows/kind", "weighted_column"),
    (TWO, "moment/inputs", [7, 11], [1, 13]),
    (TWO, "gram/inputs", [5]),  # in floating point, which no assumption says
    (TWO, "gram/inputs", [1]),
    (TWO, "weighted_grid/inputs", [1]),
    (TWO, "weighted_grid/bits", 30),
    (TWO, "weighted_grid/kind", "grid", "normalize"),
    # numbers of all budgets
    (TWO, "of_budgets.1/what", "smallest"),  # a step that is not the common one
    (TWO, "of_budgets.1/formula", "epsilon", mul("2", "epsilon")),
    (PERSON, "of_budgets/what", "mean"),
    (PERSON, "of_budgets/formula", "1", "lam", minus("epsilon", "1")),
    (PERSON, "of_budgets/noise", "1"),
    (PERSON, f"{TOTAL}/lower", "1"),
    (PERSON, f"{TOTAL}/upper", "1"),
    (PERSON, f"{TOTAL}/closed", "left"),
    (PERSON, f"{TOTAL}/integer", True),
    (PERSON, f"{TOTAL}/origin", 7, 9),
    (TWO, f"{LARGEST}/lower", "1/10"),
    # samples
    (SAMPLE, "thinning/threshold", "epsilon", mul("2", "epsilon"), mul("9/10", "largest_epsilon")),
    (SAMPLE, "thinning/threshold", "0"),
    (SAMPLE, "thinning/epsilon", mul("2", "epsilon"), "largest_epsilon"),
    (SAMPLE, "thinning/delta", "1/1000000"),
    (SAMPLE, "grid/inputs", [1]),  # the rows of everybody
    (SAMPLE, "grid_column/inputs", [8]),
    (SAMPLE, "sampled_rows/inputs", [1, 4]),
    (SAMPLE, "sampled_rows/kind", "sampled_column"),
    (SAMPLE, "release/share/epsilon", "epsilon"),
    # the minimiser of a tilted objective
    (TILTED, "tilted_minimum/formulas/penalty", "lam", mul("9/10", ["max", "lam", over("8", "S")])),
    (TILTED, "tilted_minimum/formulas/penalty", mul("epsilon", power("B", "2"), over("8", "S"))),
    (TILTED, "tilted_minimum/formulas/noise_share", "9/10", "1/2", "0"),
    (TILTED, "tilted_minimum/formulas/more", "1"),
    (TILTED, "tilted_minimum/weight", "1", None),
    (TILTED, "tilted_minimum/share/epsilon", mul("9/10", "epsilon"), mul("2", "epsilon")),
    (TILTED, "tilted_minimum/inputs", [1, 3, 4]),
    (TILTED, "weight/factor", mul("11/10", over("epsilon", "S")), over(power("epsilon", "2"), "S")),
    (TILTED, "huber/kind", "squared"),
    (TILTED, "huber/knee", mul("11/20", "Y")),
    (TILTED, RELATION, "replace_one"),
    (TILTED, "statement/rows_per_person", "2"),
    (TILTED, "assumptions", []),
    (TILTED, EACH_AT, DELETED),
    (TILTED_MOVE, RELATION, "add_remove"),
    # the target, and who it is of
    (PERSON, EACH_AT, DELETED),
    (TWO, EACH_AT, DELETED),
    (SAMPLE, EACH_AT, DELETED),
    (PERSON, EACH_AT, {}),
    (PERSON, f"{EACH_AT}/own", [], ["lam"], ["epsilon", "lam"], ["epsilon", "epsilon"]),
    (PERSON, f"{EACH_AT}/own", ["total_epsilon"], "epsilon", [["epsilon"]]),
    (PERSON, f"{EACH_AT}/more", 1),
    (PERSON, f"{SYMBOLS}/epsilon/integer", True),
    (PERSON, f"{SYMBOLS}/epsilon/lower", "-1"),
    (PERSON, f"{SYMBOLS}/epsilon/origin", 8),
    (PERSON, "statement/target/amounts/0", "1/100", "total_epsilon", mul("9/10", "epsilon")),
    (PERSON, "statement/target/amounts/0", ["min", "epsilon", "total_epsilon"]),
    (PERSON, "statement/target/amounts/0", add("epsilon", "total_epsilon")),
    (PERSON, "statement/values", {"epsilon": "1"}, {"total_epsilon": "1"}),
    (PERSON, "statement/derivation", "numeric"),
    (TWO, "statement/target/amounts/1", "1/2000000"),
    (DELTAS, f"{EACH_AT}/own", ["epsilon"]),
    # groups
    (GROUPED, f"{EACH_AT}/groups", ["one", "one"], ["one", ""], ["one"], DELETED),
    (GROUPED, f"{EACH_AT}/amounts", {}),
    (GROUPED, f"{EACH_AT}/amounts/lam", ["1", "2"]),
    (GROUPED, f"{EACH_AT}/amounts/epsilon", ["1/10"]),
    (GROUPED, f"{EACH_AT}/amounts/epsilon/0", "-1/10", "0", "epsilon", "total_epsilon", "unknown"),
    (GROUPED, f"{SYMBOLS}/epsilon/upper", "2"),  # `most` may be above it
    (GROUPED, f"{SYMBOLS}/epsilon/lower", "1/10"),  # without the end
    (GROUPED, f"{EACH_AT}/shares/0", "1/2"),
    (GROUPED, f"{EACH_AT}/shares", ["1"], ["4/3", "-1/3"], ["1/3", 0.5]),
]


def noises(document: Json) -> Iterator[Change]:
    """Where the sizes of noise are, and what they are."""
    for i, node in enumerate(document["graph"]["nodes"]):
        if node["kind"] == "release":
            yield f"graph/nodes/{i}/size", node["size"]
        if node["kind"] == "tilted_minimum":
            yield f"graph/nodes/{i}/formulas/size", node["formulas"]["size"]


def test_false_certificates_of_personalised_targets_are_refused() -> None:
    """One edit each, with a reason of the checker's own; less noise than there is; no noise that
    is decided by what all records share.
    """
    files = {key: of_people(*key) for key in dict.fromkeys(key for key, *_ in UNFAIR)}
    assert all(check.check(document).accepted for document in files.values())
    edits = [
        (key, placed(files[key], path), value) for key, path, *values in UNFAIR for value in values
    ]
    for key, document in files.items():
        for place, size in noises(document):
            edits.append((key, place, mul("99/100", size)))
            edits.append((key, place, over(size, add("1", "epsilon"))))
    for key, path, value in edits:
        changed = edited(files[key], (path, value))
        assert changed != files[key], (key, path)
        verdict = check.check(changed)
        assert not verdict.accepted, (key, path, value)
        assert verdict.reason, (key, path)
        assert "Error:" not in verdict.reason, (key, path, verdict.reason)


@pytest.mark.parametrize("key", [PERSON, PRINTED_RULE, SAMPLE, TWO, TILTED], ids=lambda key: key[0])
def test_no_node_of_a_personalised_file_may_be_left_out(key: tuple[str, str, str]) -> None:
    """Nodes renamed, and nodes taken out where others read what went into them."""
    document = of_people(*key)
    harmless = ("grid", "grid_column", "post", "clip_column")
    for i, node in enumerate(document["graph"]["nodes"]):
        assert not check.check(edited(document, (f"graph/nodes/{i}/kind", "identity"))).accepted
        if node["inputs"] and node["kind"] not in harmless:
            assert not check.check(spliced(document, i)).accepted, node["kind"]


WEIGHT = over("epsilon", "total")
SUMS_OF_ONE = {  # kind: (inputs, how far one record of weight WEIGHT moves it)
    "count": (("rows",), "1"),  # more than 0, which it is
    "gram": (("rows",), mul(root("2"), power(WEIGHT, "2"))),
    "moment": (("rows", "labels"), mul("2", power(WEIGHT, "2"))),
    "row_sum": (("rows",), mul("2", WEIGHT)),
    "label_sum": (("labels",), mul("2", WEIGHT)),
    "squares": (("labels",), power(WEIGHT, "2")),
}
LAST_BUT = {  # these may not read weighed records, whatever is claimed of them
    "trace": (("rows",), {}),
    "column_squares": (("rows",), {}),
    "bin_counts": (("rows",), {"cuts": ["0"], "absolute": False}),
    "histogram": (("rows", "labels"), {"cells": 4}),
    "sufficient_statistics": (("rows", "labels"), {"constant": True}),
}


@pytest.mark.parametrize("kind", SUMS_OF_ONE)
def test_sums_of_weighed_records_move_as_the_record_weighs(kind: str) -> None:
    """Accepted at the move of one record, refused below it."""
    inputs, move = SUMS_OF_ONE[kind]
    for less in ("1", LESS):
        graph = Weighed()
        statistic = graph.node(kind, *(getattr(graph, name) for name in inputs))
        verdict = check.check(graph.pure((statistic, mul(less, move))))
        assert verdict.accepted == (less == "1" or kind == "count"), verdict.reason


@pytest.mark.parametrize("kind", LAST_BUT)
def test_other_statistics_do_not_read_weighed_records(kind: str) -> None:
    """Nor do maps of rows, or what reads bounds of all records."""
    inputs, keys = LAST_BUT[kind]
    graph = Weighed()
    statistic = graph.node(kind, *(getattr(graph, name) for name in inputs), **keys)
    assert "weighed last" in check.check(graph.pure((statistic, "1000000"))).reason
    for outer, more in (("clip_norm", {"norm": "1"}), ("scale", {"by": "1"}), ("normalize", {})):
        graph = Weighed()
        rows = graph.node(outer, graph.rows, **more)
        assert "weighed last" in check.check(graph.pure((graph.node("gram", rows), "9"))).reason
    graph = Weighed()
    gram, moment = graph.node("gram", graph.rows), graph.node("moment", graph.rows, graph.labels)
    logarithm = graph.node("log_residual", gram, moment, penalty="1", floor="0")
    assert "those of all records" in check.check(graph.pure((logarithm, "1000000"))).reason


LOSSES = {  # loss: (its keys, the slope for |x| <= 1, |y| <= 1 and |theta| <= 2)
    "squared": ({}, "3"),
    "logistic": ({}, "1"),
    "huber": ({"knee": "1/2"}, "1/2"),
}


@pytest.mark.parametrize("relation", check.RELATIONS)
@pytest.mark.parametrize("loss", LOSSES)
def test_weighed_losses_move_as_the_record_weighs(loss: str, relation: str) -> None:
    """By w slope B/penalty and the tolerance; replaced, twice, or by w B (B R + 2 Y)/penalty."""
    keys, slope = LOSSES[loss]
    for less, tolerance in itertools.product(("1", "999/1000"), ("1/4", "0")):
        graph = Weighed()
        factor = over("epsilon", "S")
        weights = graph.node("weight", factor=factor)
        weights = graph.node("record_weights", graph.x, graph.budgets, weights)
        inputs = graph.x, graph.y, graph.node(loss, **keys), weights
        own = {"weight": factor, "penalty": "lam", "radius": "2", "tolerance": tolerance}
        once = over(mul(factor, slope), "lam")
        twice = once if relation == "add_remove" else mul("2", once)
        if loss == "squared" and relation == "replace_one":
            twice = over(mul("4", factor), "lam")
        move = add(twice, mul("2", tolerance, once))
        document = graph.pure((graph.node("argmin", *inputs, **own), mul(less, move)))
        statement = document["statement"]
        statement["symbols"] |= {"S": symbol(), "lam": symbol()}
        del statement["symbols"]["total"], statement["symbols"]["top"]
        nodes = document["graph"]["nodes"]
        for i in (graph.weight, graph.top):
            nodes[i]["factor" if i == graph.weight else "formula"] = "epsilon"
        statement["symbols"]["top"] = symbol(origin=graph.top)
        verdict = check.check(check.sealed(edited(document, (RELATION, relation))))
        fine = less == "1" and (tolerance != "0" or loss == "squared")
        assert verdict.accepted == fine, verdict.reason


def test_eigenvalues_of_weighed_records_are_not_on_a_grid() -> None:
    """Rounded down to a step of the largest weight, a light record would move them by all of it."""
    for noise, accepted in (("laplace", True), ("discrete_laplace", False)):
        graph = Weighed()
        floor = graph.node("lambda_min", graph.node("gram", graph.rows))
        document = graph.pure((floor, power(WEIGHT, "2")), noise=noise)
        assert check.check(document).accepted == accepted
        assert not check.check(check.sealed({**document, "assumptions": []})).accepted


def test_budgets_of_each_record_are_spent_on_noise_only() -> None:
    """No bound that may fail, no procedure, whatever they cost."""
    graph = Weighed()
    gram, moment = graph.node("gram", graph.x), graph.node("moment", graph.x, graph.y)
    formulas = {"penalty": "1000", "radius": "1", "noise_share": "1/2", "size": "4000000"}
    keys = {"share": {"epsilon": "1/1000"}, "name": "", "noise": "l2_laplace", "stated": None}
    graph.node("perturbed_minimum", gram, moment, formulas=formulas, **keys)
    document = graph.pure((graph.node("row_sum", graph.rows), mul("2", WEIGHT)))
    assert not check.check(document).accepted
    statistic = Graph()
    floor = statistic.release(statistic.node("label_sum", statistic.y), "1000000")
    keys = {"name": "most", "upper": True, "stds": "9", "margin": "9", "failure": "1/1000"}
    statistic.node("bound", floor, **keys)
    more = {"relation": "replace_one"}
    made = certificate(
        statistic, "approx", ["epsilon", "1/2"], {"epsilon": EPSILON}, "basic", **more
    )
    share = {"epsilon": "epsilon", "delta": "1/4"}
    shared = edited(made, (f"graph/nodes/{floor}/share", share))
    size = mul("4", ["analytic_sigma", "epsilon", "1/4"])
    shared = edited(shared, (f"graph/nodes/{floor}/size", size))
    assert check.check(shared).accepted
    assert "no bounds" in check.check(each_own(shared)).reason


def sample(*, whole: bool = False, count: bool = False) -> Json:
    """X'y of a sample of threshold 1; of everybody as well; with noise that follows the count."""
    graph = Graph()
    budgets = graph.node("budgets")
    coins = graph.node("thinning", threshold="1", epsilon="epsilon")
    rows = graph.node("sampled_rows", graph.x, budgets, coins)
    labels = graph.node("sampled_column", graph.y, budgets, coins)
    parts = [(rows, labels), (graph.x, graph.y)] if whole else [(rows, labels)]
    share = str(Fraction(1, len(parts)))
    n = graph.node("count", graph.x) if count else None
    size = mul(str(len(parts)), power("n", "-1") if count else "1")
    for part in parts:
        graph.release(graph.node("moment", *part), size, {"epsilon": share}, noise="l2_laplace")
    symbols = {"epsilon": EPSILON, **({"n": symbol("1", None, "left", origin=n)} if count else {})}
    return each_own(certificate(graph, "pure", ["epsilon"], symbols, "basic"))


def test_everything_that_is_released_reads_the_sample() -> None:
    """At the threshold, whatever a record's own epsilon is; and never for replaced records."""
    graph = sample()
    assert check.check(graph).accepted
    assert not check.check(edited(graph, (placed(graph, "release/size"), "1/2"))).accepted
    counted = edited(graph, ("graph/nodes/10", {"id": 10, "kind": "count", "inputs": [0]}))
    reasons = [check.check(one).reason for one in (sample(whole=True), counted)]
    assert all("must read the sample" in reason for reason in reasons)
    assert "not constant over neighbours" in check.check(sample(count=True)).reason
    doubled = edited(graph, (placed(graph, "release/size"), "2"))
    assert check.check(doubled).accepted
    assert "add/remove only" in check.check(edited(doubled, (RELATION, "replace_one"))).reason


def test_a_sample_of_one_graph_is_drawn_once() -> None:
    """Two samples would be paid twice, once here."""
    graph = Graph()
    budgets = graph.node("budgets")
    for _ in range(2):
        coins = graph.node("thinning", threshold="1", epsilon="epsilon")
        rows = graph.node("sampled_rows", graph.x, budgets, coins)
        share = {"epsilon": "1/2"}
        graph.release(graph.node("row_sum", rows), "2", share, noise="l2_laplace")
    symbols = {"epsilon": EPSILON}
    assert (
        "one sample"
        in check.check(each_own(certificate(graph, "pure", ["epsilon"], symbols, "basic"))).reason
    )


def test_a_sample_has_one_delta() -> None:
    """Theorem and target have the same delta, which is no record's own."""
    graph = Graph()
    budgets = graph.node("budgets")
    coins = graph.node("thinning", threshold="1", epsilon="epsilon", delta="delta")
    rows = graph.node("sampled_rows", graph.x, budgets, coins)
    share = {"epsilon": "1", "delta": "delta"}
    size = ["analytic_sigma", "1", "delta"]
    graph.release(graph.node("row_sum", rows), size, share, "Gaussian.analytic")
    document = certificate(graph, "approx", ["epsilon", "delta"], APPROX, "basic")
    assert check.check(each_own(document)).accepted
    both = edited(each_own(document), (f"{EACH_AT}/own", ["epsilon", "delta"]))
    assert "one number for all records" in check.check(both).reason
    other = edited(each_own(document), (placed(document, "thinning/delta"), mul("2", "delta")))
    assert "delta must be the target's" in check.check(other).reason


def alone(*nodes: tuple[str, list[int], Json], move: Json, own: Json = "epsilon") -> Json:
    """A file of a table, these nodes (the first is 4) and a release of the last but for budgets."""
    graph = Weighed()
    graph.nodes[:] = graph.nodes[:4]
    for kind, inputs, keys in nodes:
        graph.node(kind, *inputs, **keys)
    graph.release(len(graph.nodes) - 1, over(move, "epsilon"), {"epsilon": own}, noise="l2_laplace")
    symbols, more = {"epsilon": EPSILON, "S": symbol()}, {"relation": "replace_one"}
    return each_own(certificate(graph, "pure", ["epsilon"], symbols, "basic", **more))


def test_what_all_records_share_is_no_number_of_one_record() -> None:
    """With noise that would be right: the same files pass where a public number stands instead."""
    move = mul("2", "S")
    clipped = [("clip_norm", [0], {"norm": "S"}), ("row_sum", [4], {})]
    own = {"penalty": "S", "radius": None, "tolerance": "1/2"}
    penalised = [("logistic", [], {}), ("argmin", [1, 3, 4], own)]
    scaled = [("scale", [1], {"by": "S"}), ("row_sum", [4], {})]
    combined = [("row_sum", [1], {}), ("linear", [4], {"coefficients": ["S"]})]
    for nodes, size in [
        (clipped, move),
        (penalised, over("3", "S")),
        (scaled, over("2", "S")),
        (combined, move),
    ]:
        document = alone(*nodes, move=size)
        assert check.check(document).accepted, check.check(document).reason
        text = json.dumps({k: document[k] for k in ("statement", "graph")})
        unfair = json.loads(text.replace('"S"', '"epsilon"'))
        reason = check.check(check.sealed({**document, **unfair})).reason
        assert "one number for all records" in reason


def test_what_a_personalised_file_must_not_say() -> None:
    """Files whose noise is right, each refused for one thing only."""
    fine = alone(("row_sum", [1], {}), move="2")
    assert check.check(fine).accepted
    spare = edited(fine, (f"{SYMBOLS}/k", symbol()), (f"{EACH_AT}/own", ["epsilon", "k"]))
    assert "must occur in the target" in check.check(spare).reason
    several = alone(("row_sum", [1], {}), move="4")
    several = edited(several, ("statement/rows_per_person", "2"))
    assert "one row each" in check.check(several).reason
    weight = {"weight": "1/2", "penalty": "1", "radius": None, "tolerance": "1/2"}
    stated = alone(("logistic", [], {}), ("argmin", [1, 3, 4], weight), move="100")
    assert "weights where it has any" in check.check(stated).reason
    cap = {"what": "cap", "formula": "epsilon", "noise": "S"}
    capped = alone(("of_budgets", [], cap), ("row_sum", [1], {}), move="2")
    assert check.check(capped).accepted
    uncapped = edited(capped, (placed(capped, "of_budgets/noise"), "epsilon"))
    assert "one number for all records" in check.check(uncapped).reason
    known = [{"id": 6, "kind": "known", "inputs": [5], "name": "total"}]
    known += [{"id": 7, "kind": "of_budgets", "inputs": [], "what": "total", "formula": "epsilon"}]
    twice = edited(fine, *((f"graph/nodes/{node['id']}", node) for node in known))
    twice = edited(twice, (f"{SYMBOLS}/total", symbol(origin=7)))
    assert "its own name" in check.check(twice).reason
    budgets = edited(fine, ("graph/nodes/6", {"id": 6, "kind": "budgets", "inputs": []}))
    assert check.check(budgets).accepted
    without = edited(budgets, (EACH_AT, DELETED))
    assert "no budgets of each record" in check.check(without).reason


def test_a_tilted_minimum_has_one_penalty() -> None:
    """And one way to split: both read public numbers only."""
    for penalty, part in (("1/2", "1/2"), (over("2", "epsilon"), "1/2"), ("1", minus("1", "S"))):
        size = over("4", "epsilon")
        formulas = {"penalty": penalty, "noise_share": part, "size": size}
        keys = {"formulas": formulas, "name": "", "weight": None, "share": {"epsilon": "epsilon"}}
        nodes = ("logistic", [], {}), ("tilted_minimum", [1, 3, 4], keys)
        document = alone(*nodes, ("row_sum", [1], {}), move="2")
        nodes = document["graph"]["nodes"]
        document = edited(document, ("graph/nodes", nodes[:6]), ("graph/output", [5]))
        verdict = check.check(document)
        if penalty == "1/2":  # 1/4 of curvature: 1/2 <= epsilon/2 only for epsilon of 1 or more
            wide = edited(document, (f"{SYMBOLS}/epsilon/lower", "1"))
            assert check.check(wide).accepted, check.check(wide).reason
        if penalty[0] == "*":
            assert "one number for all records" in verdict.reason
        assert not verdict.accepted
