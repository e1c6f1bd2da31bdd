"""Certificates of every shipped regression are accepted, and edits of them are refused."""

import copy

import attrs
import pytest

import dpframe as dp
from dpframe.literature.catalogue import example
from tests.kernel.writing import (
    LESS,
    SYMBOLS,
    Json,
    add,
    edited,
    log,
    mul,
    over,
    placed,
    power,
    root,
    spliced,
    symbol,
)
from tests.support import checking as check
from tests.support import samples
from tests.support.cases import named

WITHIN = dp.regressions.FunctionalRidge()
SHIPPED = {cls.__name__: example(cls) for cls in dp.literature.REGRESSIONS}
SHIPPED["Tuned"] = dp.regressions.Tuned(of=WITHIN, field="lam", candidates=(1, 10))
REFUSED = {("NoisySGD", "add_remove", "number")}  # what samples amplify is not counted here
TARGETS = {
    "formula": dp.ApproxDP(dp.parameter("epsilon", 0), dp.parameter("delta", 0, 1)),
    "number": dp.ApproxDP("3/2", "1/1000000"),
    "pure": dp.PureDP(dp.parameter("epsilon", 0)),
    "gaussian": dp.GaussianDP(dp.parameter("mu", 0)),
}


def shipped(name: str, relation: str, target: str) -> Json:
    """The file of a certificate. Raises dp.Uncertified."""
    norm, bound = (dp.parameter("B", 0), dp.parameter("Y", 0)) if target != "number" else (1, 2)
    data = {"X": dp.Rows(norm=norm), "y": dp.Column(bound=bound)}
    setting = dp.Setting(relation=dp.Relation(relation), **data)
    made = dp.certify(SHIPPED[name], target=TARGETS[target], setting=setting)
    return check.file_of(made)


@pytest.mark.parametrize("relation", check.RELATIONS)
@pytest.mark.parametrize("name", SHIPPED)
def test_what_dpframe_certifies_is_accepted(name: str, relation: str) -> None:
    """Every shipped regression that can be certified, for formulas and at numbers."""
    for target in TARGETS:
        try:
            document = shipped(name, relation, target)
        except (dp.Uncertified, dp.InvalidArgument):
            continue
        verdict = check.check(document)
        assert verdict.accepted == ((name, relation, target) not in REFUSED), verdict.reason
        assert verdict.accepted or "none on samples" in verdict.reason


FREE = {  # fields that may be symbols of (0, 1)
    *("alpha", "average", "clip", "gamma", "grain", "knee", "lam", "level", "pace", "penalty"),
    *("radius", "rho", "ridge", "scaling", "shrinkage", "test"),
}
ONE_ROW = {  # proved for one row of each person, or for a number of them
    *("AMBSSGD", "HessianMixing", "ObjPert", "ObjPertPure", "ObjPertPrinted"),
    *("ApproximateMinima", "AdaOPS", "AdaOPSRepaired"),
}


@pytest.mark.parametrize(("cls", "relation"), samples.certified(), ids=named)
def test_parameters_may_be_symbols(cls: type, relation: dp.Relation) -> None:
    """Every recommended regression, for every value of its parameters and any rows of a person."""
    names = {field.name for field in attrs.fields(cls)} & FREE
    if cls.variant != "recommended" or not names or "Personalized" in cls.__name__:
        pytest.skip("no parameter is free, or a table of tests/mutants has it free")
    declared = attrs.evolve(example(cls), **{name: dp.parameter(name, 0, 1) for name in names})
    rows = {"rows_per_person": 1} if cls.__name__ in ONE_ROW else {}
    setting = samples.wide(relation, **rows)
    if "Functional" in cls.__name__:
        setting = attrs.evolve(setting, X=dp.Rows(box=dp.parameter("B", 0)))
    verdict = check.check(check.document(declared, TARGETS["formula"], setting))
    assert verdict.accepted, verdict.reason


SCALE, FLOOR, RESIDUAL, PENALTY = "label_std", "floor_bound", "residual_bound", "penalty"
ADA, OPS = ("AdaOPS", "add_remove", "formula"), ("OPSBalanced", "replace_one", "formula")
OBJ, LOOP = ("ObjPert", "add_remove", "formula"), ("BoostedAdaSSP", "add_remove", "formula")
PURE_OBJ = ("ObjPertPure", "replace_one", "number")
STD, TUNED = ("Standardised", "add_remove", "gaussian"), ("Tuned", "add_remove", "pure")
REPLACED = ("ObjPert", "replace_one", "formula")
PRINTED = ("ObjPertPrinted", "add_remove", "formula")
TESTED, DEEP = ("Tukey", "add_remove", "number"), ("TukeyPure", "add_remove", "number")
SLOPES, SLOPES_OF_OTHERS = (("TheilSen", relation, "pure") for relation in check.RELATIONS)
BLOCKS, BLOCKS_ADDED = ("SubAggPure", "replace_one", "pure"), ("SubAggPure", "add_remove", "pure")
SIGMA = ["analytic_sigma", mul("1/2", "epsilon"), "delta"]
FALSE = [  # certificate, place (`kind/key`, `kind.2/key` for its third node), values
    # released numbers and their ranges
    (ADA, f"{SYMBOLS}/{PENALTY}/closed", "neither"),
    (ADA, f"{SYMBOLS}/{PENALTY}/lower", "-1"),
    (ADA, f"{SYMBOLS}/{PENALTY}/integer", True),
    (ADA, f"{SYMBOLS}/{PENALTY}/origin", None, 10),
    (ADA, f"{SYMBOLS}/{FLOOR}/origin", None, 12),
    (ADA, f"{SYMBOLS}/{FLOOR}/lower", "1"),
    (ADA, f"{SYMBOLS}/{RESIDUAL}/lower", "0"),
    (ADA, f"{SYMBOLS}/{RESIDUAL}/origin", 10),
    (OPS, f"{SYMBOLS}/{PENALTY}/origin", 8),
    (OPS, f"{SYMBOLS}/n/origin", None, 3),
    (ADA, "known/name", FLOOR, "other"),
    (ADA, "known/inputs", [3], [8], []),
    (ADA, "known/kind", "post"),
    (ADA, "statement/values", {PENALTY: "1"}),
    (ADA, "statement/target/amounts/0", mul("epsilon", PENALTY)),
    (ADA, "statement/region", [[PENALTY, "1000", False]], [[PENALTY, "1000000000000000", False]]),
    (ADA, "statement/derivation", "gaussian"),
    (ADA, "statement/rows_per_person", "2"),
    (ADA, "statement/relation", "replace_one"),
    (OPS, "statement/relation", "add_remove"),
    (OBJ, "statement/relation", "replace_one"),
    (STD, "statement/relation", "replace_one"),
    # bounds
    (ADA, "bound/failure", mul("1/12", "delta"), mul("1/5", "delta"), "0"),
    (ADA, "bound/failure", mul("1/6", "delta", power(add("1", FLOOR), "-1"))),
    (ADA, "bound.1/failure", mul("1/6", "delta", power(PENALTY, "-1"), "1/1000000000")),
    (ADA, "bound/stds", mul(LESS, root(mul("2", log(over("3", "delta")))))),
    (ADA, "bound/stds", mul("-1", root(mul("2", log(over("3", "delta")))))),
    (ADA, "bound/stds", root(mul("2", log(over("29/10", "delta")))), "6"),
    (ADA, "bound/margin", mul(LESS, power("B", "2")), "0"),
    (ADA, "bound.1/margin", "0"),
    (ADA, "bound/upper", True),
    (ADA, "bound.1/upper", False),
    (ADA, "bound/name", PENALTY),
    (ADA, "bound.1/name", FLOOR),
    (ADA, "bound/inputs", [8]),
    (ADA, "bound/kind", "known"),
    (ADA, "release/times", "2"),
    (ADA, "release/mechanism", "laplace"),
    (ADA, "release/share/delta", mul("1/6", "delta", over("1", PENALTY))),
    (ADA, "release.1/share/epsilon", over("epsilon", add("5", FLOOR))),
    (ADA, "release.1/size", mul("2", ["analytic_sigma", "epsilon", "delta"])),
    # posterior samples
    (ADA, "log_residual/floor", mul("2", FLOOR), PENALTY, "B", "0"),
    (ADA, "log_residual/penalty", "0", mul("2", PENALTY, power("B", "2"))),
    (ADA, "log_residual/inputs", [7, 3]),
    (ADA, "posterior/formulas/floor", "0", RESIDUAL),
    (ADA, "posterior/formulas/penalty", PENALTY, "0"),
    (ADA, "posterior/formulas/residual", mul(LESS, ["exp", RESIDUAL]), ["exp", FLOOR], "Y"),
    (ADA, "posterior/formulas/temperature", "1"),
    (ADA, "posterior/share/epsilon", "epsilon"),
    (ADA, "posterior/share/delta", "delta", "0"),
    (ADA, "posterior/share", {"epsilon": mul("3/5", "epsilon")}),
    (ADA, "posterior/inputs", [3, 8]),
    (ADA, "posterior/kind", "transposed_posterior"),
    (OPS, "posterior/formulas/residual", ["exp", PENALTY]),
    (OPS, "posterior/formulas/residual", add("Y", mul(LESS, "B", "Y", root("n")))),
    (OPS, "posterior/formulas/floor", PENALTY),
    # perturbed objectives
    (OBJ, "perturbed_minimum/formulas/penalty", over(power("B", "2"), "epsilon")),
    (OBJ, "perturbed_minimum/formulas/noise_share", "51/100", "49/100"),
    (OBJ, "perturbed_minimum/formulas/radius", "2", "0"),
    (OBJ, "perturbed_minimum/formulas/size", mul("B", add("B", "Y"), SIGMA)),
    (OBJ, "perturbed_minimum/share/delta", mul("1/2", "delta")),
    (OBJ, "perturbed_minimum/share/epsilon", mul("1/2", "epsilon")),
    (OBJ, "perturbed_minimum/noise", "l2_laplace", "laplace"),
    (OBJ, "perturbed_minimum/stated", "1"),
    (OBJ, "statement/rows_per_person", "2"),
    (PURE_OBJ, "perturbed_minimum/noise", "gaussian"),
    (PURE_OBJ, "perturbed_minimum/formulas/size", "1"),
    (PURE_OBJ, "perturbed_minimum/formulas/size", "6"),  # A/own is 4, twice that is needed
    (OBJ, "statement/derivation", "gaussian", "zcdp"),
    (REPLACED, "perturbed_minimum/formulas/size", mul("2", "B", add("B", "Y"), SIGMA)),
    (PRINTED, "perturbed_minimum/formulas/noise_share", "49/100"),
    # loops
    (LOOP, "release.2/times", "6"),
    (LOOP, "release.2/sampled", "2", 1),
    (LOOP, "release/sampled", "1/10"),
    (LOOP, "gradient/inputs", [2, 9, 10, 0]),
    (LOOP, "iterate/size", "3"),
    (LOOP, "clip_norm.1/norm", mul("2", "B", "Y")),
    (LOOP, "clip_norm.1/inputs", [2]),
    (LOOP, "loop/inputs", [0, 6, 7], [15], [0, 6, 15, 15], [0, 6, 4, 15]),
    (LOOP, "loop/kind", "post"),
    (LOOP, "graph/output", [0]),
    (LOOP, "post/inputs", [0]),
    # released scales
    (STD, "divided_columns/inputs", [1, 3], [1]),
    (STD, "divided_columns/centred", True),
    (STD, "divided_columns/lower", "0"),
    (STD, "clip_norm.1/norm", mul("2", root("d"))),
    (STD, "grid.1/inputs", [8]),
    (STD, "scaled_labels/by", "0", mul("-1", SCALE)),
    (STD, "clip_column.1/upper", "6"),
    (STD, "grid_column.1/inputs", [20]),
    (STD, "release.2/size", mul(SCALE, over("d", "mu"))),
    (STD, "release/times", add("1", SCALE)),
    (STD, "statement/target/amounts/0", mul(power("mu", "2"), SCALE)),
    (STD, "statement/derivation", "numeric"),
    # random stopping
    (TUNED, "random_stopping/share/epsilon", mul("1/2", "epsilon")),
    (TUNED, "random_stopping/gamma", "0", "2"),
    (TUNED, "random_stopping/graphs", []),
    (TUNED, "random_stopping/graphs/0/1", [0, 1], []),
    (TUNED, "random_stopping/graphs/1/0/0/columns", "3"),
    (TUNED, "statement/derivation", "gaussian"),
    # points of some depth
    (TESTED, "tested_point/formulas/rate", "2", "-1"),
    (TESTED, "tested_point/formulas/radius", "0"),
    (TESTED, "tested_point/formulas/more", "1"),
    (TESTED, "tested_point/share/epsilon", "1", "2"),
    (TESTED, "statement/relation", "replace_one"),
    (TESTED, "statement/rows_per_person", "2"),
    (DEEP, "deep_point/formulas/rate", "2", "-1"),
    (DEEP, "deep_point/formulas/radius", "0"),
    (DEEP, "deep_point/formulas/more", "1"),
    (DEEP, "deep_point/share/epsilon", "1", "2"),
    (DEEP, "statement/relation", "replace_one"),
    (DEEP, "statement/rows_per_person", "2"),
    (TESTED, "tested_point/formulas/test", "9/8"),
    (TESTED, "tested_point/share/delta", "0"),
    (TESTED, "tested_point/least", 0),
    (SLOPES, "deep_point/formulas/rate", mul("1/2", "epsilon")),  # of one matching
    (SLOPES, "deep_point/inputs", [], [0]),
    (SLOPES_OF_OTHERS, "deep_point/formulas/rate", mul("1/4", "epsilon")),
    (SLOPES_OF_OTHERS, "deep_point/inputs", [], [0]),
    # means of cells
    (BLOCKS, "cell_sums/partition/cells", 9, 0),
    (BLOCKS, "block_estimates/radius", "2", "-1"),
    (BLOCKS, "assumptions", []),
    (BLOCKS_ADDED, "statement/relation", "replace_one"),
]


def test_false_certificates_of_shipped_regressions_are_refused() -> None:
    """One edit each, with a reason of the checker's own; the unedited ones pass."""
    files = {key: shipped(*key) for key in dict.fromkeys(key for key, *_ in FALSE)}
    assert all(check.check(document).accepted for document in files.values())
    edits = ((key, path, value) for key, path, *values in FALSE for value in values)
    for key, path, value in edits:
        verdict = check.check(edited(files[key], (placed(files[key], path), value)))
        assert not verdict.accepted, (key, path, value)
        assert "Error:" not in verdict.reason, (key, path, verdict.reason)


@pytest.mark.parametrize("key", [ADA, OPS, LOOP, STD], ids=lambda key: key[0])
def test_no_node_may_be_left_out_or_be_of_another_kind(key: tuple[str, str, str]) -> None:
    """Nodes renamed, and nodes taken out where others read what went into them."""
    document = shipped(*key)
    harmless = ("grid", "grid_column", "post", "divided_columns", "scaled_labels", "clip_column")
    for i, node in enumerate(document["graph"]["nodes"]):
        renamed = edited(document, (f"graph/nodes/{i}/kind", "identity"))
        assert not check.check(renamed).accepted
        if node["inputs"] and node["kind"] not in (*harmless, "lambda_min"):
            assert not check.check(spliced(document, i)).accepted, node["kind"]


def test_only_a_lower_bound_is_a_floor() -> None:
    """A bound above lambda_min, in its own range, is none below it."""
    document = shipped(*ADA)
    span = symbol(None, None, origin=document["statement"]["symbols"][FLOOR]["origin"])
    changes = [(placed(document, "bound/upper"), True), (f"{SYMBOLS}/{FLOOR}", span)]
    verdict = check.check(edited(document, *changes))
    assert "a bound below lambda_min" in verdict.reason


def test_a_tail_is_worth_what_it_says() -> None:
    """stds at numbers, by enclosure: Pr[Z > 5] is below exp(-25/2)/2 = 1.86e-6."""
    document = shipped("AdaOPS", "add_remove", "number")
    where = placed(document, "bound/")
    for failure, stds, holds in [("1/10000000", "6", True), ("1/10000000", "5", False)]:
        changes = ((f"{where}failure", failure), (f"{where}stds", stds))
        assert check.check(edited(document, *changes)).accepted == holds


def test_arguments_of_a_loop_are_known_before_it() -> None:
    """A number that is learned from the answers steers nothing that asks for them."""
    document = shipped(*LOOP)
    step = placed(document, "release.2/").split("/")[2]
    nodes = document["graph"]["nodes"]
    late = {"id": len(nodes) - 2, "kind": "known", "inputs": [int(step)], "name": "late"}
    loop, last = copy.deepcopy(nodes[-2]), copy.deepcopy(nodes[-1])
    loop["id"], last["id"], last["inputs"] = len(nodes) - 1, len(nodes), [len(nodes) - 1]
    loop["arguments"][-1] = {"formula": "late"}
    changes = [
        ("graph/nodes", [*nodes[:-2], late, loop, last]),
        ("graph/output", [len(nodes)]),
        ("statement/symbols/late", symbol("0", "1", "both", origin=len(nodes) - 2)),
    ]
    verdict = check.check(edited(document, *changes))
    assert "arguments are known before the loop" in verdict.reason
    changes[0][1][-2]["arguments"][-1] = {"formula": "1/20"}
    assert check.check(edited(document, *changes)).accepted


@pytest.mark.parametrize(
    "name", ["OPSBalanced", "ObjPert", "ObjPertPure", "ApproximateMinima", "OutputPerturbation"]
)
def test_what_procedures_compute_in_doubles_is_listed(name: str) -> None:
    """Striking out the assumption is noticed."""
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.REPLACE_ONE)
    proof = dp.certify(SHIPPED[name], target=dp.ApproxDP(1, "1e-6"), setting=setting)
    document = check.file_of(proof)
    assert check.check(document).accepted
    kept = [one for one in document["assumptions"] if not one.startswith("idealized")]
    assert len(kept) < len(document["assumptions"])
    assert not check.check(check.sealed({**document, "assumptions": kept})).accepted
