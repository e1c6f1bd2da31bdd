"""The link function of a declaration, and the labels that its loss reads. A regression on numbers
has coefficients in units of the label; a logistic regression has log-odds of the second class
against the first.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument, Plain
from dpframe.graph import Column, ColumnNode, Graph, Regression, RowsNode, Setting
from dpframe.graph.maps.base import ColumnMap
from dpframe.graph.maps.grid import OnGrid
from dpframe.graph.partition import CellColumn
from dpframe.graph.procedure import IDENTITY, LOGIT, Objective, everything
from dpframe.graph.rows import Class
from dpframe.privacy import Guarantee
from dpframe.prover import Certificate
from dpframe.prover.certify import graph_of
from dpframe.symbols import Expression, Number

from .units import check_undone

Array = NDArray[Any]
Numbers = Callable[[Expression], float]

STATED = f'link: ClassVar[str] = "{IDENTITY}", or "{LOGIT}", in the declaration says it.'
NO_COEFFICIENTS = (
    "A description names releases, not how coefficients follow from them: write both in `declare` "
    "of a dp.Regression. dp.execute(dp.certify(...)) returns the releases of a description."
)
DECLARED = 'Declare them: y=dp.Column("smoker", levels=["no", "yes"]), or classes=("no", "yes").'

ENDS = ((0, 1), (1, 2))  # of labels that are codes of classes, beside -Y and Y
CODES = tuple((Fraction(low), Fraction(high)) for low, high in ENDS)


def check_numbers(certificate: Certificate) -> None:
    """Refuse a declaration for log-odds. Raises InvalidArgument."""
    if link_of(certificate) != IDENTITY:
        name = type(certificate.regression).__name__
        way_out = "dp.PrivateClassifier(...) fits it, with predict_proba and log-odds."
        wanted = "one of labels that are numbers"
        raise InvalidArgument("regression", wanted, Plain(f"{name}, of two classes"), way_out)
    check_undone(certificate, ColumnNode, RowsNode)


def of_classes(regression: Regression, setting: Setting, target: Guarantee) -> bool:
    """Whether a declaration is one for dp.PrivateClassifier. Raises InvalidArgument."""
    return link(regression, graph_of(regression, setting, target)) == LOGIT


def link_of(certificate: Certificate) -> str:
    """The link function of a certificate. Raises InvalidArgument."""
    return link(certificate.regression, certificate.graph)


def link(regression: Regression, graph: Graph) -> str:
    """The link function, as the declaration states it or as its losses imply it. Raises
    InvalidArgument if they disagree, or leave it open.
    """
    if getattr(regression, "described", False):
        got = Plain("a description")
        raise InvalidArgument("regression", "a dp.Regression", got, NO_COEFFICIENTS)
    stated = type(regression).link
    links = {stated} if stated else {loss.link for loss in losses(graph)}
    if len(links) > 1:
        got = Plain(f"losses of the links {', '.join(map(repr, sorted(links)))}")
        raise InvalidArgument("regression", "of losses with one link", got, STATED)
    chosen = links.pop() if links else IDENTITY
    if chosen not in {IDENTITY, LOGIT}:
        wanted = f"of a loss whose link is {IDENTITY!r} or {LOGIT!r}"
        raise InvalidArgument("regression", wanted, chosen, STATED)
    return chosen


def losses(graph: Graph) -> list[Objective]:
    """Every loss of a graph, also inside its procedures."""
    within = everything(graph.nodes)
    return [one for node in within for one in (node, *node.inputs) if isinstance(one, Objective)]


def with_classes(setting: Setting, classes: tuple[Class, ...] | None) -> Setting:
    """The setting with classes for labels: its own levels, or `classes`, or both ends of its bounds
    on labels, which are public as well. Raises InvalidArgument.
    """
    column = Column(levels=classes) if setting.y is None and classes is not None else setting.y
    if column is None:
        raise InvalidArgument("setting", "a dp.Setting with classes for labels", None, DECLARED)
    own = column.levels
    if own is not None and classes is not None and set(own) != set(classes):
        wanted = "those of the setting, or left out"
        raise InvalidArgument("classes", wanted, classes, f"Its levels are {own}.")
    levels = own or classes or ends(column)
    return attrs.evolve(setting, y=Column(column.name, levels=levels))


def ends(column: Column) -> tuple[Class, Class]:
    """Both ends of a label's bounds, as classes. Raises InvalidArgument if they are symbols."""
    if column.lower is not None and column.upper is not None:
        low, high = column.lower, column.upper
    elif isinstance(column.bound, Number):
        low, high = -column.bound.value, column.bound.value
    else:
        raise InvalidArgument("setting", "with classes for labels", column.bound, DECLARED)
    if (low, high) not in CODES and low != -high:
        got = Plain(f"numbers from {float(low):g} to {float(high):g}")
        wanted = "two classes, or bounded by two codes of them"
        raise InvalidArgument("labels", wanted, got, DECLARED)
    first, second = (int(end) if end == int(end) else float(end) for end in (low, high))
    return first, second


@attrs.frozen(eq=False)
class Odds:
    """`classes` in order, as in scikit-learn, shape (2,); `factor` x'theta are the log-odds of the
    second against the first.
    """

    classes: Array
    factor: float

    @classmethod
    def of(cls, certificate: Certificate, number: Numbers) -> Odds:
        """From a declaration with a loss for two classes. Raises InvalidArgument."""
        name, column = type(certificate.regression).__name__, certificate.setting.y
        if link_of(certificate) != LOGIT:
            way_out = "dp.regressions.LogisticDescent() is one; or dp.PrivateRegressor."
            wanted = "one of two classes, whose loss has the link 'logit'"
            raise InvalidArgument("regression", wanted, Plain(f"{name}, of numbers"), way_out)
        if column is None or column.levels is None:
            raise InvalidArgument("setting", "a dp.Setting with classes for labels", None, DECLARED)
        first, second = column.levels
        turned = not first < second
        levels = [second, first] if turned else [first, second]
        factor = factor_of(certificate, number)
        return cls(np.array(levels), -factor if turned else factor)


def factor_of(certificate: Certificate, number: Numbers) -> float:
    """a, if the losses read labels -a and a: log(1 + exp(-y t)) then has log-odds a t. Raises
    InvalidArgument otherwise.
    """
    codes = set()
    for node in everything(certificate.graph.nodes):
        if any(isinstance(one, Objective) and one.link == LOGIT for one in node.inputs):
            column = getattr(node, "column", None)
            labels = coded(column, number) if isinstance(column, ColumnNode) else np.zeros(2)
            codes.add((float(labels[0]), float(labels[1])))
    low, high = codes.pop() if len(codes) == 1 else (0.0, 0.0) if codes else (-1.0, 1.0)
    if not high == -low > 0:
        wanted = "one whose losses read both classes as -a and a"
        got = Plain(f"{type(certificate.regression).__name__}, which maps them otherwise")
        raise InvalidArgument("regression", wanted, got, "Leave the labels as they are declared.")
    return high


def coded(column: ColumnNode, number: Numbers) -> Array:
    """The values that a loss reads for labels 0 and 1; zeros if they depend on more."""
    labels = np.array([0.0, 1.0])
    steps: list[ColumnMap] = []
    while column.inputs:
        if isinstance(column, ColumnMap) and not isinstance(column, OnGrid):
            steps.append(column)
        elif not isinstance(column, (OnGrid, CellColumn)):
            return np.zeros(2)
        column = getattr(column, "source")  # noqa: B009 - every map of labels has one
    for step in reversed(steps):
        labels = step.apply(labels, number)
    return labels
