"""Every statistic, map of rows, procedure and regression: what each states is so."""

import contextlib
import itertools
import re
from pathlib import Path

import numpy as np
import pytest

import dpframe as dp
from dpframe.graph import Procedure, procedures
from dpframe.graph import statistics as st
from dpframe.graph.maps.base import OfOne
from dpframe.graph.maps.grid import OnGrid
from dpframe.graph.procedure import Objective, WithoutTheorem
from dpframe.graph.rows import RowsNode, RowsOrLabels
from dpframe.identity import own
from dpframe.literature.catalogue import example
from dpframe.prover.procedures import WAYS_OUT
from dpframe.sensitivity import L1, L2, OPERATOR
from dpframe.theory import KINDS as ENTRIES
from dpframe.theory import procedures as book
from dpframe.theory.book import answers_of
from tests.support import samples
from tests.support.oracles import value

# ---------------------------------------------- Statistics: sensitivities scale, values are numpy's
NORMS = (L1, L2, OPERATOR)
LEFT_OUT = samples.UNBOUNDED | samples.CONDITIONAL
BOUNDED = [cls for cls in samples.STATISTICS if cls not in LEFT_OUT]
every_bounded = pytest.mark.parametrize("cls", BOUNDED, ids=lambda cls: cls.__name__)
# degree of the sensitivity in (|x| bound, |y| bound); those that mix degrees are left out
DEGREES = {
    **dict.fromkeys((st.Gram, st.LambdaMin, st.Trace, st.ColumnSquares), (2, 0)),
    **dict.fromkeys((st.RowSum, st.BinnedSums, st.Factored), (1, 0)),
    **dict.fromkeys((st.Count, st.BinCounts, st.MedianDistance, st.SufficientStatistics), (0, 0)),
    **dict.fromkeys((st.Monomials, st.Histogram, st.CellCount, st.CellSums), (0, 0)),
    st.BlockEstimates: (0, 0),
    st.Moment: (1, 1),
    st.Squares: (0, 2),
    st.LabelSum: (0, 1),
}


def moved(cls, in_norm=L2, relation=dp.ADD_REMOVE, **more):
    """The sensitivity in numbers, at d = 3."""
    X, y = samples.setting(relation, **more).nodes()
    found = samples.STATISTICS[cls](X, y).sensitivity(in_norm)
    return value(found.value, {"d": 3})


@every_bounded
@pytest.mark.parametrize("norm", NORMS, ids=str)
def test_replacing_costs_between_once_and_twice(cls, norm):
    """Replace-one is remove and add: at most twice; and what is constant then is n or the like."""
    once, replaced = (moved(cls, norm, relation) for relation in samples.RELATIONS)
    assert replaced <= 2 * once + 1e-12
    assert cls is st.Count or once <= replaced


@every_bounded
@pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
def test_rows_of_a_person_and_norms(cls, relation):
    """k rows cost k times, by the triangle inequality along k one-row steps. Operator is at most L2
    (Frobenius), L2 at most sqrt 2 times L1 of the upper triangle.
    """
    once, five = ([moved(cls, norm, relation, rows_per_person=k) for norm in NORMS] for k in (1, 5))
    assert all(abs(many - 5 * one) < 1e-12 for one, many in zip(once, five, strict=True))
    one, two, operator = once
    assert operator <= two + 1e-12
    assert two <= one * 1.5


@pytest.mark.parametrize("cls", DEGREES, ids=lambda cls: cls.__name__)
def test_the_sensitivity_scales_with_the_bounds(cls):
    """Twice the bound of x or y multiplies by 2 to its degree."""
    in_x, in_y = DEGREES[cls]
    for norm, relation in itertools.product(NORMS, samples.RELATIONS):
        base = moved(cls, norm, relation)
        wider = moved(cls, norm, relation, norm=2 * samples.NORM)
        taller = moved(cls, norm, relation, bound=2 * samples.BOUND)
        assert abs(wider - 2**in_x * base) < 1e-12
        assert abs(taller - 2**in_y * base) < 1e-12


@pytest.mark.some(len(BOUNDED))
@every_bounded
def test_a_statistic_conforms(cls):
    """As one from outside must: neighbours stay inside its bounds, and blocks add up. A sensitivity
    is a value with its rule, norm and unit.
    """
    dp.audits.check_statistic(samples.STATISTICS[cls], samples.setting())
    setting = samples.setting(rows_per_person=2)
    found = samples.STATISTICS[cls](*setting.nodes()).sensitivity(L2)
    assert found.rule
    assert (found.norm, found.unit) == (L2, setting.unit)
    assert str(found.value) in str(found)


@pytest.mark.parametrize("cls", sorted(samples.UNBOUNDED, key=lambda c: c.__name__))
def test_what_no_rule_bounds_has_no_sensitivity(cls):
    """Raw aggregates and raw rows are unbounded in every norm under every relation."""
    for relation in samples.RELATIONS:
        statistic = samples.STATISTICS[cls](*samples.setting(relation).nodes())
        assert all(statistic.sensitivity(norm) is None for norm in NORMS)


def test_an_unflattened_stack_is_its_matrix():
    """The upper triangle of a stack, times sqrt 2 off the diagonal, leads back to the matrix."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(6, 4))
    X_node = samples.setting(grid=None).nodes()[0]
    flat = samples.evaluate(dp.graph.stack(X_node.T @ X_node), X, np.zeros(6))
    assert np.allclose(st.unflatten(flat, 4), X.T @ X)
    assert np.isclose(np.linalg.norm(flat), np.linalg.norm(X.T @ X))


# ------------------------------------- Maps of rows and labels: what their rules say of each record
for_all_maps = pytest.mark.some(len(samples.MAPS))
maps = pytest.mark.parametrize("cls", samples.MAPS, ids=lambda cls: cls.__name__)


def made(cls):
    """The sample of a map, of a table that no grid stands under."""
    return samples.MAPS[cls](*samples.setting(grid=None).nodes())


def number(formula):
    """A formula of numbers, in doubles."""
    return float(value(formula, {"d": 3}))


@for_all_maps
@maps
def test_a_map_conforms(cls):
    """As one from outside must: its bounds hold, each record by itself; rows of one norm have it,
    and zeros stay zeros, where the rule says so: other rules rely on that answer.
    """
    dp.audits.check_map(samples.MAPS[cls], samples.setting(grid=None), columns=3)
    node = made(cls)
    if isinstance(node, RowsNode) and node.unit_norm:
        found = node.apply(np.random.default_rng(8).normal(size=(30, 3)), number)
        assert np.allclose(np.linalg.norm(found, axis=1), number(node.norm), rtol=1e-12)
    if answers_of(cls.kind).keeps_zeros(node.record()):
        zeros = np.zeros((2, 3) if isinstance(node.source, RowsNode) else 2)
        assert not np.any(node.apply(zeros, number))


def test_every_map_has_a_sample():
    """But for maps onto a grid, which have tests of their own."""
    found = {cls for cls in samples.final_subclasses(OfOne) if not issubclass(cls, OnGrid)}
    assert found == set(samples.MAPS) | samples.MAPS_OF_OTHERS


@pytest.mark.parametrize("cls", samples.MAPS, ids=lambda cls: cls.__name__)
def test_every_map_says_which_records_may_occur(cls):
    """Where it does not, claims that are false about it are not refuted."""
    assert cls.occurs is not RowsOrLabels.occurs


# -------------------------------------------------------------- Procedures: exported, proved, cited
DOCS = Path(dp.__file__).parents[1] / "docs"
KINDS = samples.final_subclasses(Procedure)
assert len(KINDS) >= 5
every_procedure = pytest.mark.parametrize("cls", KINDS, ids=lambda cls: cls.__name__)


@pytest.mark.some(len(KINDS))
@every_procedure
def test_a_procedure_is_exported_and_proved(cls):
    """The rule book's entry proves it, on a page that its docstring names; or nothing does, and it
    is literature's. Certificates distinguish kinds by name.
    """
    assert [one.kind for one in KINDS].count(cls.kind) == 1
    assert (cls.kind in ENTRIES) != issubclass(cls, WithoutTheorem)
    if issubclass(cls, WithoutTheorem):
        assert cls.__module__ == "dpframe.literature.without_theorem"
    else:
        assert getattr(procedures, cls.__name__) is cls
        assert cls.__name__ in procedures.__all__
    text = " ".join((cls.__doc__ or "").split())
    named = re.search(r"[Pp]roof page: proofs/(\w+)", text)
    assert named or "never certified" in text
    assert not named or (DOCS / "proofs" / f"{named[1]}.md").is_file()


def test_a_subclass_elsewhere_is_foreign():
    """It is believed only with trust, for any theorem of its base."""
    assert not own(type("Mine", (procedures.PerturbedMinimum,), {}))


def test_every_hypothesis_of_a_theorem_has_a_way_out():
    """The sentences of the rule book that a person may meet, but for what execution chooses."""
    words = {one for name, one in vars(book).items() if name.isupper() and isinstance(one, str)}
    chosen = {book.LEAST, book.LARGEST, book.SKETCH}
    assert words | set(book.SIZES.values()) == set(WAYS_OUT) | chosen


@pytest.mark.parametrize("cls", samples.final_subclasses(Objective), ids=lambda cls: cls.__name__)
def test_every_objective_is_exported_and_sampled(cls):
    """As for statistics."""
    assert getattr(dp.graph, cls.__name__) is cls
    assert cls in samples.OBJECTIVES


# ---------------------------------------- Regressions: cited, certified or refused as stated, saved
every_regression = pytest.mark.parametrize("cls", samples.REGRESSIONS, ids=lambda cls: cls.__name__)
TARGET = dp.ApproxDP(dp.EPSILON, dp.DELTA)


def test_each_cites_its_paper():
    """The docstring cites a paper that the class names; title and variant are filled in."""
    for cls in samples.REGRESSIONS:
        assert cls.paper, cls
        assert any(key.strip() in cls.__doc__ for key in cls.paper.split(";")), cls
        assert re.search(r"\[[^\]]+\]", cls.__doc__), cls
        assert cls.title, cls
        assert cls.variant in ("printed", "coded", "recommended", "baseline"), cls


@every_regression
def test_its_graph_is_stable(cls):
    """Two declarations make one hash; another setting makes another."""
    hashes = [example(cls).graph(samples.setting(), TARGET.budget).hash for _ in range(2)]
    assert hashes[0] == hashes[1]
    other = example(cls).graph(samples.setting(norm=5), TARGET.budget)
    assert other.hash != hashes[0] or not other.sources
    assert other != example(cls).graph(samples.setting(), TARGET.budget) or not other.sources


@every_regression
def test_its_certificate_saves_and_loads(cls, tmp_path):
    """A saved certificate is proved again on loading, with the same hash and numbers; its text
    names its target, its unit and its assumptions.
    """
    for relation, stated in zip(samples.RELATIONS, samples.REGRESSIONS[cls], strict=True):
        if stated:
            proof = dp.certify(example(cls), target=TARGET, setting=samples.setting(relation))
            said = ("For all", relation.words, "satisfy", "Derivation", "Assumed")
            assert all(part in str(proof) for part in said)
            for certificate in (proof, proof.at(epsilon=1), proof.at(epsilon=1, delta="1e-6")):
                path = tmp_path / "certificate.json"
                certificate.save(path)
                loaded = dp.load(path)
                assert loaded.hash == certificate.hash
                assert loaded.values == certificate.values
                assert loaded.document == certificate.document


@every_regression
def test_it_is_certified_for_other_currencies_or_refused_in_words(cls):
    """Under zCDP and Gaussian DP the answer is a report or a deliberate error."""
    for target in (dp.ZeroConcentratedDP(dp.RHO), dp.GaussianDP(dp.MU), dp.PureDP(dp.EPSILON)):
        with contextlib.suppress(dp.InvalidArgument, dp.errors.OutsideTheorem):
            report = dp.examine(example(cls), target=target, setting=samples.setting())
            assert report.proved or report.open_obligations


def test_hyperparameters_are_exact():
    """A float is its shortest decimal; text and Fractions are taken as they are."""
    for cls in samples.REGRESSIONS:
        if "rho" in {field.name for field in cls.__attrs_attrs__}:
            assert cls(rho=0.05) == cls(rho="0.05") == cls()
            for wrong in (True, float("nan"), [1], "1/0"):
                with pytest.raises(dp.InvalidArgument, match="rho"):
                    cls(rho=wrong)
