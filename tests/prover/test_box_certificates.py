"""The checker's rules for boxes, coefficients and cells: true files pass, false ones fail."""

from __future__ import annotations

import copy
import itertools

import pytest

import dpframe as dp
from tests.support import checking as check

MAKE = {
    "monomials with y'y": dp.graph.monomials,
    "monomials": lambda X, y: dp.graph.monomials(X, y, constant=False),
    "statistics with y'y": lambda X, y: dp.graph.sufficient_statistics(X, y, constant=True),
    "statistics": dp.graph.sufficient_statistics,
    "cells": lambda X, y: dp.graph.histogram(X, y, 3),
}
ROWS = {
    "box": dp.Rows(box=dp.parameter("B")),
    "box and intercept": dp.Rows(box=1, intercept=True),
    "wide box and intercept": dp.Rows(box=3, intercept=True),
    "box and ball": dp.Rows(box=1, norm=dp.parameter("R")),
    "ball": dp.Rows(norm=dp.parameter("R")),
    "numeric codebook": dp.Rows(columns=[dp.Numeric("a", 0, 1), dp.Numeric("b", 0, 1)], box=1),
    "codebook": dp.Rows(columns=[dp.Numeric("a", 0, 1), dp.Categorical("b", [1, 2])], box=1),
}
CASES = list(itertools.product(MAKE, ROWS, (dp.ADD_REMOVE, dp.REPLACE_ONE)))


class Released(dp.Regression):
    """One statistic with Laplace noise. [tests]"""

    what: str = ""
    divisor: str = "1"

    def declare(self, X, y, budget):
        """By the rows' own map where it is divided."""
        rows = X if self.divisor == "1" else X.scaled(dp.constant(self.divisor))
        return dp.release(MAKE[self.what](rows, y), dp.Laplace.pure, budget)


def document(what, rows="box", relation=dp.ADD_REMOVE, divisor="1", grid=20, **more):
    """The file of a certificate for every parameter."""
    setting = dp.Setting(
        X=ROWS[rows], y=dp.Column(bound=dp.parameter("Y")), relation=relation, grid=grid, **more
    )
    proof = dp.certify(Released(what, divisor), target=dp.PureDP(dp.EPSILON), setting=setting)
    return check.file_of(proof)


def node(found, kind):
    """The node of a kind."""
    return next(node for node in found["graph"]["nodes"] if node["kind"] == kind)


@pytest.mark.parametrize(("what", "rows", "relation"), CASES, ids=str)
def test_true_files_pass_and_a_billionth_less_noise_fails(what, rows, relation):
    """The checker's sensitivity is the verifier's, to the last digit."""
    found = document(what, rows, relation)
    verdict = check.check(found)
    assert verdict.accepted, verdict.reason
    release = node(found, "release")
    # a stated size is judged by the checker's own sensitivity; the theorem wants equality
    for rule in ("Laplace.pure", "stated"):
        less = copy.deepcopy(found)
        node(less, "release").update(size=["*", "999999999/1000000000", release["size"]], rule=rule)
        assert not check.check(check.sealed(less)).accepted


@pytest.mark.parametrize("what", MAKE)
@pytest.mark.parametrize("rows", ["box", "ball"])
def test_other_ways_to_the_same_rows(what, rows):
    """Three rows a person; rows divided by a public number; no grid asked for."""
    for more in ({"rows_per_person": 3}, {"divisor": "2"}, {"grid": None}, {"grid": 4}):
        verdict = check.check(document(what, rows, **more))
        assert verdict.accepted, verdict.reason


def lie(kind, **keys):
    """Change keys of the node of a kind."""

    def change(found):
        node(found, kind).update(keys)

    return change


def without_a_box(found):
    """The grid of entries on rows of a ball."""
    box = node(found, "box")
    box["kind"], box["norm"] = "clip_norm", box.pop("bound")


def two_grids(found):
    """Labels in more steps than rows."""
    node(found, "grid_column")["bits"] = 21


def raw_labels(found):
    """Labels that nothing bounds."""
    node(found, "sufficient_statistics")["inputs"][1] = node(found, "column")["id"]


def raw_rows(found):
    """Rows that nothing bounds."""
    node(found, "sufficient_statistics")["inputs"][0] = node(found, "rows")["id"]


LIES = {
    "a box of side 0": lie("box", bound="0"),
    "a box of a negative side": lie("box", bound="-1"),
    "bits of a grid": lie("box_grid", bits=3),
    "bits that are no number": lie("box_grid", bits="20"),
    "y'y hidden": lie("sufficient_statistics", constant=False),
    "constant that is no truth value": lie("sufficient_statistics", constant=1),
    "a ball": without_a_box,
    "two grids": two_grids,
    "raw labels": raw_labels,
    "raw rows": raw_rows,
}


@pytest.mark.parametrize("name", LIES)
@pytest.mark.parametrize("what", ["monomials with y'y", "statistics with y'y"])
def test_false_files_fail(name, what):
    """Each lie about the rows or what is among the statistics is refused."""
    # replaced, (d + 1)^2 is right without y'y too
    found = document(what, relation=dp.ADD_REMOVE if "y'y" in name else dp.REPLACE_ONE)
    assert check.check(check.sealed(copy.deepcopy(found))).accepted
    LIES[name](found)
    assert not check.check(check.sealed(found)).accepted


def test_monomials_are_of_sufficient_statistics():
    """Of another statistic they have no rule."""
    found = document("monomials", "box")
    other = node(found, "sufficient_statistics")
    other["kind"] = "moment"
    del other["constant"]
    assert not check.check(check.sealed(found)).accepted


@pytest.mark.parametrize("cells", [1, 0, -2, 1001, "3", True, None])
def test_cells_are_a_whole_number(cells):
    """From 2 to 1000."""
    found = document("cells")
    assert check.check(check.sealed(copy.deepcopy(found))).accepted
    node(found, "histogram")["cells"] = cells
    assert not check.check(check.sealed(found)).accepted


def test_a_projection_loses_the_box():
    """The grid of entries does not stand on rows that were projected onto a ball."""
    found = document("statistics", "box and ball")
    node(found, "grid")["kind"] = "box_grid"
    assert not check.check(check.sealed(found)).accepted
