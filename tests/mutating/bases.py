"""Declarations that are edited, and where each is certified."""

from __future__ import annotations

from typing import Any

import attrs

from dpframe.errors import DPFrameError
from dpframe.graph import (
    Column,
    ColumnNode,
    Regression,
    Rows,
    RowsNode,
    Setting,
    partition,
    release,
)
from dpframe.mechanisms import Gaussian, Laplace
from dpframe.privacy import ADD_REMOVE, ApproxDP, Guarantee, PureDP, Relation, Share
from dpframe.prover import examine
from dpframe.prover.certify import CALIBRATIONS, calibrated
from dpframe.symbols import DELTA, EPSILON, Number, Symbol, exact, parameter

CELLS = 3


class CellCounts(Regression):
    """How many records each cell of a public partition has. [McSherry09]"""

    title = "counts by cell"
    paper = "McSherry09"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Each cell with the whole budget; half of it where a record may change its cell."""
        cells = partition(X, y, cells=CELLS)
        share = budget if X.unit.relation is ADD_REMOVE else budget.split_evenly(2)[0]
        counts = [cells.count(j) for j in range(CELLS)]
        return tuple(
            release(one, Laplace.pure, share, name=f"cell{j}") for j, one in enumerate(counts)
        )


class CellMoments(Regression):
    """X'X of each cell of a public partition. [McSherry09]"""

    title = "moments by cell"
    paper = "McSherry09"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Each cell with the whole budget; half of it where a record may change its cell."""
        cells = partition(X, y, cells=CELLS)
        share = budget if X.unit.relation is ADD_REMOVE else budget.split_evenly(2)[0]
        rows = [cells.cell(j)[0] for j in range(CELLS)]
        return tuple(
            release(one.T @ one, Gaussian.analytic, share, name=f"gram{j}")
            for j, one in enumerate(rows)
        )


EXAMPLES = (CellCounts(), CellMoments())


# ----------------------------------------------------------------- Where a declaration is certified
RELATIONS = tuple(Relation)
B, Y = 2, 3  # at numbers, where a forgotten bound must show


@attrs.frozen(eq=False)
class Base:
    """A certified declaration, with its target and setting."""

    regression: Regression
    target: Guarantee
    setting: Setting


def bases(regression: Regression) -> tuple[Base, ...]:
    """A declaration under each relation, for every epsilon, delta, B and Y, and at numbers: epsilon
    = 1, delta = 1e-6 (pure where it is), B = 2, Y = 3, 2 rows a person or 1. As declared where that
    is certified, else calibrated jointly; left out where neither is.
    """
    tried = [
        _first(regression, _places(regression, one, numbers=n))
        for one in RELATIONS
        for n in (False, True)
    ]
    return tuple(found for found in tried if found is not None)


def _places(
    regression: Regression, relation: Relation, *, numbers: bool
) -> list[tuple[Guarantee, Setting]]:
    if not numbers:
        pure, approx = PureDP(EPSILON), ApproxDP(EPSILON, DELTA)
        settings = [_setting(relation, parameter("B"), parameter("Y"), 1)]
    else:
        pure, approx = PureDP(1), ApproxDP(1, "1e-6")
        settings = [_setting(relation, B, Y, 2), _setting(relation, B, Y, 1)]
    target: Guarantee = pure if _pure(regression, settings[0], pure) else approx
    return [(target, setting) for setting in settings]


def _setting(relation: Relation, norm: object, bound: object, rows: int) -> Setting:
    return Setting(
        X=Rows(norm=norm), y=Column(bound=bound), relation=relation, rows_per_person=exact(rows)
    )


def _pure(regression: Regression, setting: Setting, target: Guarantee) -> bool:
    """Whether a budget of epsilon alone is enough for all that it releases."""
    try:
        graph = regression.graph(setting, target.budget)
    except (DPFrameError, ArithmeticError):
        return False
    return bool(graph.charged) and all(one.gives is PureDP for one in graph.charged)


def _numbered(regression: Regression) -> Regression:
    """With a number of its range for each field that is a free parameter."""
    kind: Any = type(regression)
    values = {field.name: getattr(regression, field.name) for field in attrs.fields(kind)}
    numbers = {
        name: one.domain.example()
        for name, one in values.items()
        if isinstance(one, Symbol) and one.origin is None
    }
    known = {name: value for name, value in numbers.items() if value is not None}
    return kind(**{**values, **known})  # type: ignore[no-any-return]


def _first(regression: Regression, places: list[tuple[Guarantee, Setting]]) -> Base | None:
    for how in CALIBRATIONS:
        for target, setting in places:
            numbers = isinstance(target.amounts[0], Number)
            chosen = calibrated(_numbered(regression) if numbers else regression, how)
            try:
                proved = examine(chosen, target=target, setting=setting).proved
            except (DPFrameError, ArithmeticError):
                continue
            if proved:
                return Base(chosen, target, setting)
    return None
