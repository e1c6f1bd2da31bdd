"""Entries of the rule book: no list elsewhere names their kinds; they use no machine numbers."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import dpframe
import dpframe as dp
from dpframe import theory
from dpframe.graph import facts
from dpframe.graph.maps.base import MappedColumn, MappedRows
from dpframe.graph.node import Node
from dpframe.graph.rows import ColumnNode, RowsNode
from dpframe.graph.statistics import LambdaMin, Linear, OneRow, Statistic
from dpframe.mechanisms import Mechanism
from dpframe.privacy import Guarantee, Relation
from dpframe.privacy import guarantees as language
from dpframe.sensitivity import L1, L2, OPERATOR
from dpframe.theory import KINDS
from dpframe.theory.guarantees import GUARANTEES, RELATIONS
from dpframe.theory.mechanisms import NOISES
from tests.support import samples

# -------------------------------------------------------------------------------- No list elsewhere
# A list outside a kind's own entry stays silent about the kind that it forgets. Kinds are those
# of nodes, mechanisms, guarantees and relations, by their class or by the name that documents
# have for them. What other rules ask of a kind, its entry in `dpframe/theory` answers.

PACKAGE = Path(dpframe.__file__).parent
Found = tuple[str, tuple[str, ...]]  # a file, and the kinds that a list in it names

EXEMPT = (
    "theory/",  # the rule book itself
    "regressions/",  # a declaration names the releases that it makes
    "check.py",  # the checker of files of the first schema
)

GRIDS, LOSSES, SPENT = ("BoxGrid", "Grid"), ("GaussianDP", "PureDP"), ("gaussian", "zcdp")
SAID = "names of derivations, as people read them"
PERMITTED: dict[Found, str] = {  # each with its reason; every other list is refused
    ("accountants/basic.py", ("ApproxDP", "PureDP")): "what this accountant adds, in its own file",
    ("accountants/concentrated.py", ("GaussianDP", "ZeroConcentratedDP")): "the same",
    ("accountants/events.py", ("ApproxDP", "PureDP")): "written by their loss; others are refused",
    ("accountants/events.py", ("GaussianDP", "ZeroConcentratedDP")): "the same, by their events",
    ("accountants/from_events.py", ("ApproxDP", "PureDP", "ZeroConcentratedDP")): (
        "the measures of OpenDP and Tumult, by their names"
    ),
    ("accountants/conversions.py", ("ApproxDP", "PureDP")): "cited conversions, one a guarantee",
    ("literature/catalogue.py", SPENT): SAID,
    ("audits/record_costs.py", ("PureDP", "ZeroConcentratedDP")): "adds amounts of one kind each",
    ("cli/ledger.py", SPENT): "options of a command",
    ("cli/ledger.py", ("ApproxDP", "GaussianDP", "ZeroConcentratedDP")): "what the options mean",
    ("audits/descriptions/bounds.py", ("bound", "box")): "keys of a description, no kinds",
    (
        "audits/descriptions/functions.py",
        ("Gram", "Moment"),
    ): "what one function of descriptions takes",
    ("estimators/units.py", ("Box", "ClipNorm")): "maps whose coefficients have units of their own",
    ("execution/stages.py", ("Known", "Post")): "how functions of releases are carried out",
    ("budgets/filters/prices.py", ("ApproxDP", "PureDP")): "one implication: pure is approximate",
    ("graph/maps/grid.py", GRIDS): "what is on a grid is put on no other",
    ("graph/procedures/perturbed.py", ("gaussian", "l2_laplace")): "the noise of one procedure",
    ("graph/procedures/perturbed.py", ("Gaussian", "L2Laplace")): "the same",
    (
        "budgets/ledger/plan.py",
        ("GaussianDP", "ZeroConcentratedDP"),
    ): "the order in which totals are tried",
    ("prover/structure.py", ("Known", "Post", "Release")): "what was released",
    ("prover/neighbours.py", ("Scaled", "ScaledLabels")): "what divides records: for refutations",
    ("graph/rewriting.py", ("Grid", "GridColumn")): "nodes that stand on what they round",
    ("graph/rewriting.py", ("Known", "Release")): "what symbols stand for",
    ("graph/rewriting.py", ("Loop", "Post")): "functions of released values, told their noise",
    ("graph/rewriting.py", ("ColumnSource", "RowSource")): "the tables of a draft",
    ("graph/release.py", ("ColumnSource", "RowSource")): "the tables of a draft",
    ("graph/ways_out.py", ("gram", "moment")): "names that people look for in dpframe",
    ("prover/mixture.py", LOSSES): "the losses that are added",
    ("prover/document.py", ("box", "grid")): "fields of a setting, no kinds",
    ("prover/plan.py", ("GaussianDP", "ZeroConcentratedDP")): "words of one refusal",
    (
        "audits/splits/resplit.py",
        ("gram", "moment"),
    ): "the joint rule again, differentiated (docs/splits)",
}


def families() -> tuple[set[str], set[str]]:
    """Names of classes and of relations, and the texts that documents have for kinds."""
    for place in ("graph", "mechanisms", "privacy"):
        for module in pkgutil.walk_packages([str(PACKAGE / place)], f"dpframe.{place}."):
            importlib.import_module(module.name)
    bases = (Node, Mechanism, Guarantee)
    found = {one for base in bases for one in below(base) if "kind" in vars(one)}
    own = {one for one in found if one.__module__.startswith("dpframe.")}
    texts = {one.kind for one in own} | {way for one in Relation for way in (one.value, one.option)}
    classes = {one.__name__ for one in own} | {one.name for one in Relation}
    return classes, texts | {*KINDS, *NOISES, *GUARANTEES, *RELATIONS}


def test_the_language_and_the_book_have_the_same_notions():
    """Guarantees whose amounts composition adds, with these amounts; relations."""
    families()  # imports every class
    currencies = {
        one.kind: one.currency for one in below(Guarantee) if one.__module__.startswith("dpframe.")
    }
    added = {kind: own for kind, own in currencies.items() if isinstance(own, tuple) and own}
    assert added == {one.name: one.currency for one in GUARANTEES.values()}
    assert language.GUARANTEES.keys() == GUARANTEES.keys()
    assert {one.value for one in Relation} == RELATIONS.keys()


def below(cls: type) -> Iterator[Any]:
    """Every class derived from one."""
    for one in cls.__subclasses__():
        yield one
        yield from below(one)


def parts(node: ast.AST) -> list[list[ast.AST]]:
    """The members of a collection, of the classes of an isinstance, of the cases of a pattern."""
    match node:
        case ast.Set(elts) | ast.List(elts) | ast.Tuple(elts):
            tuples = [one for one in elts if isinstance(one, ast.Tuple) and one.elts]
            return [[*elts], [one.elts[0] for one in tuples]]
        case ast.Dict(keys, values):
            return [[one for one in keys if one is not None], [*values]]
        case ast.Call(ast.Name("isinstance" | "issubclass"), [_, ast.BinOp() as union]):
            return [[*ast.walk(union)]]
        case ast.Call(ast.Name("dict"), keywords=given):
            return [[ast.Constant(one.arg) for one in given]]
        case ast.MatchOr(patterns):
            cases = [getattr(one, "cls", getattr(one, "value", one)) for one in patterns]
            return [[*cases]]
    return []


def kind_in(node: ast.AST, classes: set[str], texts: set[str]) -> str:
    """The class or the text of a kind that a member of a list is."""
    match node:
        case ast.Name(name) | ast.Attribute(attr=name) if name in classes:
            return name
        case ast.Constant(str(text)) if text in texts:
            return text
    return ""


def lists(source: str, classes: set[str], texts: set[str]) -> Iterator[tuple[str, ...]]:
    """The kinds that each list of a module names, where it names two or more."""
    for node in ast.walk(ast.parse(source)):
        for members in parts(node):
            named = {kind_in(one, classes, texts) for one in members} - {""}
            if len(named) > 1:
                yield tuple(sorted(named))


def in_package() -> set[Found]:
    """Every list of the package but of what is exempt, and of what modules export."""
    names, found = families(), set()
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE).as_posix()
        if path.name != "__init__.py" and not place.startswith(EXEMPT):
            found |= {(place, named) for named in lists(path.read_text(), *names)}
    return found


def test_no_kind_is_named_in_a_list_outside_its_entry():
    """Ask the entry instead: `answers(node)`, `noise_of(mechanism)`, `GUARANTEES`, `Relation`."""
    found = in_package()
    assert not found - PERMITTED.keys()
    assert not PERMITTED.keys() - found, "these lists are gone: permit them no longer"


@pytest.mark.parametrize(
    "planted",
    [
        "SUMS = (Argmin, Count, Gram, LabelSum, Linear, Moment, RowSum, Squares, Stack)",
        "MAPS = frozenset({ClipNorm, ClipColumn, Scaled, Box, BoxGrid, Grid})",
        'ROLES = {Gram: "gram", Moment: "moment", LambdaMin: "floor", Squares: "squares"}',
        'WORDS = {1: "gram", 2: "moment"}',
        'REACHED = {"gaussian", "mirrored_gaussian"}',
        'ALIKE = {("mirrored_gaussian", "stated"): "gaussian", ("laplace", "stated"): "laplace"}',
        'ZEROS |= {"sufficient_statistics", "monomials", "gradient_at", "norm_counts"}',
        'TARGETS = {"pure": 1, "approx": 2, "zcdp": 1, "gaussian": 1}',
        "RELATIONS = (ADD_REMOVE, privacy.REPLACE_ONE)",
        'SAYS = {"add_remove": "added or removed", "replace_one": "replaced"}',
        "def f(node):\n    return type(node) in (CellRows, CellColumn, CellCount)",
        "def f(node):\n    return isinstance(node, Grid | BoxGrid)",
        "def f(node):\n    match node:\n        case Gram() | Moment():\n            return 1",
        'def f(node):\n    match node.kind:\n        case "gram" | "moment":\n            return 1',
        "PARTS = dict(gram=1, moment=2)",
        'BY_L1 = ["laplace", "discrete_laplace"]',
    ],
)
def test_such_a_list_is_found(planted):
    """Each of these, or one like it, stood in the package."""
    assert list(lists(planted, *families()))


@pytest.mark.parametrize(
    "plain", ["X, y = rows, column", "def f(a: Gram | Moment) -> None: ...", 'KEYS = {"gram", "n"}']
)
def test_what_is_no_list_of_kinds_is_not_found(plain):
    """Variables, annotations, and lists of one kind."""
    assert not list(lists(plain, *families()))


# ------------------------------------------------------------------------------- Generic in numbers
FOLDER = Path(theory.__file__).parent
GENERIC = ["rows.py", "statistics.py", "cells.py"]
WHOLE = {"gcd", "lcm"}  # of whole numbers, exactly


def complaints(source: str) -> list[str]:
    """Floats, functions of math but those of whole numbers, divisions and roots of literals."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Constant(value=float() | complex()):
                found.append(f"{node.lineno}: a float")
            case ast.Name(id="float" | "complex"):
                found.append(f"{node.lineno}: float")
            case ast.Attribute(value=ast.Name(id="math"), attr=name) if name not in WHOLE:
                found.append(f"{node.lineno}: math.{name}")
            case ast.ImportFrom(module="math" | "cmath") | ast.ImportFrom(module="numpy"):
                found.append(f"{node.lineno}: {ast.unparse(node)}")
            case ast.BinOp(left=ast.Constant(), op=ast.Div(), right=ast.Constant()):
                found.append(f"{node.lineno}: a division of literals")
            case ast.BinOp(left=ast.Constant(), op=ast.Pow(), right=right) if not isinstance(
                right, (ast.Constant, ast.Name)
            ) or (isinstance(right, ast.Name) and right.id == "HALF"):
                found.append(f"{node.lineno}: a root of a literal")
    return found


@pytest.mark.parametrize("name", GENERIC)
def test_no_machine_number_enters_a_sensitivity(name):
    """Numbers are formulas of whoever calls; what is exact stays exact."""
    assert complaints((FOLDER / name).read_text()) == []


@pytest.mark.parametrize("name", GENERIC)
def test_entries_ask_the_small_context_only(name):
    """Neither the kernel's ring nor its past: then the language can call them too."""
    tree = ast.parse((FOLDER / name).read_text())
    asked = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "at"
    }
    assert asked <= {one for one in dir(facts.SymbolicContext) if not one.startswith("_")} | {
        "where"
    } | {
        "replaced",
        "changes",
    }


@pytest.mark.parametrize(
    "source", ["1 / 2", "2 ** HALF", "math.sqrt(2)", "x * 0.5", "float(x)", "from math import pi"]
)
def test_a_machine_number_is_noticed(source):
    """The reader sees every way of making one."""
    assert complaints(source)


OWN_WORD = {"norm", "norm1", "entry", "ball", "box", "extreme", "unit_norm", "one_row", "step"}


@pytest.mark.parametrize(
    "base", [MappedRows, MappedColumn, Statistic], ids=lambda one: one.__name__
)
def test_no_kind_states_its_mathematics_beside_the_book(base):
    """A class of the language has no bound, move or step of its own."""
    waiting, seen = [base], set()
    while waiting:
        cls = waiting.pop()
        waiting += cls.__subclasses__()
        if cls is not base and cls.__module__.startswith("dpframe.graph."):
            own = {n for n, v in vars(cls).items() if isinstance(v, property) or callable(v)}
            seen |= {(cls, name) for name in OWN_WORD & own}
    told = {(cls.__name__, name) for cls, name in seen}
    unbounded = {("RawAggregate", "one_row"), ("Identity", "one_row")}
    assert told <= {*unbounded, ("RecordWeights", "ball")}


class Doubled(LambdaMin):
    """A class of one's own, derived from one of the language."""

    def one_row(self, norm, relation):
        """Twice as much."""
        one = super().one_row(norm, relation)
        return OneRow(2 * one.value, "stated by its author")


@pytest.mark.parametrize(("norm", "relation"), [*product((L1, L2, OPERATOR), samples.RELATIONS)])
def test_a_rule_of_ones_own_reaches_what_is_made_of_it(norm, relation):
    """A combination of it moves as it says, not as the class that it is derived from."""
    X, _ = samples.setting(relation).nodes()
    plain, own = LambdaMin(X.T @ X), Doubled(X.T @ X)
    moves = [
        Linear((dp.constant(3),), (one,)).one_row(norm, relation).value for one in (plain, own)
    ]
    assert moves[1] == 2 * moves[0]


def test_what_reads_a_secret_bounds_nothing():
    """Rows divided by an aggregate of the data keep no bound; a refused kind has no move."""
    X, y = samples.setting().nodes()
    assert X.scaled(dp.graph.aggregate("max_abs", X)).norm is None
    assert y.scaled(dp.graph.aggregate("max_abs", y)).bound is None
    assert dp.graph.aggregate("max_abs", X).one_row(L2, dp.ADD_REMOVE) is None
    assert isinstance(X, RowsNode)
    assert isinstance(y, ColumnNode)
