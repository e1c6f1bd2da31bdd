"""Entries of the rule book use no machine numbers, and stand once for kernel and language."""

import ast
from itertools import product
from pathlib import Path

import pytest

import dpframe as dp
from dpframe import theory
from dpframe.graph import facts
from dpframe.graph.columns import Column
from dpframe.graph.maps.base import MappedColumn, MappedRows
from dpframe.graph.rows import Rows
from dpframe.graph.statistics import LambdaMin, Linear, OneRow, Statistic
from dpframe.sensitivity import L1, L2, OPERATOR
from tests.support import samples

FOLDER = Path(theory.__file__).parent
GENERIC = ["rows.py", "statistics.py", "cells.py", "estimates.py"]
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
    assert asked <= {one for one in dir(facts.Symbolic) if not one.startswith("_")} | {"where"} | {
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
    assert isinstance(X, Rows)
    assert isinstance(y, Column)
