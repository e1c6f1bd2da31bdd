"""What to write instead of an operator, a numpy function or a name that a node does not support."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dpframe.errors import nearest
from dpframe.mechanisms import AdditiveNoise, Calibration
from dpframe.operators import LONG, Operation
from dpframe.symbols import DATA, Expression

from .node import READ, DataNode, Node
from .rows import Transposed
from .statistics import Count

STATE = {  # what the node is, by its `spoken`
    "rows": "declared data",
    "labels": "declared data",
    "statistic": "declared data",
    "data": "declared data",
    "transpose": "declared data",
    "released": "known only once it is released",
}
GENERAL = {
    "data": (
        "Data is touched at execution only: compute with statistics (X.T @ X, X.T @ y, X.sum(), "
        "dp.lambda_min, ...), release them, and put numpy into dp.post."
    ),
    "statistic": (
        "Release it, dp.release(statistic, mechanism, share), and compute with what is released: "
        "dp.post(function, release)."
    ),
    "transpose": "X.T waits for its right factor: X.T @ X and X.T @ y are statistics.",
}
BEFOREHAND = (
    "A public map of each record by itself may also be made of the table before it is given to "
    "dp.execute; the setting bounds what it gives."
)
COUNTED = "X.rows is the number of rows and X.columns that of columns; dp.count(X) is released."
SQUARED = (
    "Squares are summed by dp.graph.column_squares(X), by dp.trace(X.T @ X) over all columns, and "
    f"of labels by y @ y. {BEFOREHAND}"
)
SPREAD = (
    "Release sums, squares and the number of records, X.sum(), dp.graph.column_squares(X), "
    "y.sum(), y @ y, dp.count(X), and divide in dp.post."
)
EXTREME = (
    "One record may move an extreme or a quantile without bound: take public bounds from the "
    "codebook, or release dp.graph.bin_counts(X, cuts) of public cuts."
)
BINNED = (
    "dp.graph.bin_counts(X, cuts) and dp.graph.bin_counts(y, cuts) count between public cuts; "
    "X.clip(norm=...), X.boxed(b) and y.clip(-Y, Y) bound."
)
MEAN = (
    "Where n is public (dp.REPLACE_ONE), X.sum() / X.rows and y.sum() / X.rows are statistics; "
    "else release X.sum() or y.sum() and dp.count(X), and divide in dp.post."
)
CHOSEN = (
    "dp.Rows(columns=[dp.Numeric(...), ...]) reads the columns that it names; "
    "dp.graph.partition_at(X, y, cuts, column=0) takes records by public cuts, dp.partition(X, y, "
    "cells=k) in k parts; entries of what is released are taken in dp.post."
)
RESIDUALS = "Residuals at released coefficients are y.residuals(X, theta); clip what it gives."
PRODUCT = f"X.T @ X, X.T @ y and y @ y are statistics. {RESIDUALS} {BEFOREHAND}"
SHIFTED = (
    "X.scaled_columns(by=[...], minus=[...]) shifts and divides columns by public numbers, "
    "y.scaled(by, minus=c) labels, X.divided(by=..., ...) by released ones; clip what they give. "
    "X.sum() and y.sum() are sums."
)
WEIGHED = (
    "X / c and X * c scale by one public positive number, or c = dp.known(...), "
    "X.scaled_columns(by=[...]) each column, X.divided(by=release, ...) by released numbers; "
    "X.weighted(w) and y.weighted(w) weigh records by a formula of each one's budget; X.T @ y is "
    "the sum of products."
)
STANDARDISED = (
    "X.scaled_columns(by=stds, minus=means).clip(norm=...) standardises by public numbers, "
    "dp.regressions.Standardised() by released ones."
)
DECLARED: dict[str, str] = {  # for rows and labels: the operation, or the attribute
    **dict.fromkeys(("added", "subtracted", "negated"), SHIFTED),
    **dict.fromkeys(("divided", "* multiplied"), WEIGHED),
    **dict.fromkeys(("@ multiplied", "dot"), PRODUCT),
    **dict.fromkeys(("raised to a power", "square"), SQUARED),
    **dict.fromkeys(("indexed", "iloc", "loc", "head"), CHOSEN),
    **dict.fromkeys(("measured", "shape", "size", "ndim", "n"), COUNTED),
    **dict.fromkeys(("std", "var", "cov", "corr"), SPREAD),
    **dict.fromkeys(("max", "min", "median", "quantile", "argmax", "argmin"), EXTREME),
    **dict.fromkeys(("compared", "value_counts"), BINNED),
    **dict.fromkeys(("taken in absolute value", "abs", "map", "apply", "round"), BEFOREHAND),
    **dict.fromkeys(("zscore", "standardize", "standardise", "standardized"), STANDARDISED),
    "mean": MEAN,
}
CLASSES = "Labels of two classes are fitted by dp.PrivateClassifier(...)."
ELSEWHERE = {  # names in the namespace of dpframe
    "polynomial": f"No map of rows makes polynomial features. {BEFOREHAND}",
    "interactions": f"No map of rows makes interactions. {BEFOREHAND}",
    "mean": MEAN,
    "sum": "The sum of rows or labels is X.sum() or y.sum(), that is dp.total.",
    **dict.fromkeys(("var", "std", "cov", "corr"), SPREAD),
    **dict.fromkeys(("max", "min", "median", "quantile"), EXTREME),
    "abs": "|a| is dp.maximum(a, -a).",
    **dict.fromkeys(("LogisticRegression", "PrivateLogisticRegression", "Logistic"), CLASSES),
    "declare": "declare is a method of a class Mine(dp.Regression): declare(self, X, y, budget).",
    "gram": "X'X is X.T @ X.",
    "moment": "X'y is X.T @ y.",
    "inv": "Matrices are inverted in functions of released values: dp.post(function, release).",
    "solve": "Equations are solved in functions of released values: dp.post(function, release).",
}


def refusal(node: Node, operation: Operation) -> str:
    """Why an operation is refused, and what to write instead."""
    kind, done = node.spoken, operation.done
    way_out = _released(operation) if kind == "released" else _declared(kind, operation)
    return f"{node.label} is {STATE[kind]} and cannot be {done}. {way_out}"


def missing(node: Node, name: str) -> str:
    """The error message for an unknown name of a node."""
    kind = node.spoken
    if kind == "released":
        near = nearest(name, dir(node))
        way_out = _released(Operation("", "{}." + name, (node,)))
        return f"{node.label} is {STATE[kind]} and has no {name!r}.{near} {way_out}"
    instead = DECLARED.get(name) if kind in {"rows", "labels"} else None
    near = nearest(name, dir(node)) if instead is None else ""
    return f"{node.label} is {STATE[kind]} and has no {name!r}.{near} {instead or _general(kind)}"


def _declared(kind: str, operation: Operation) -> str:
    if kind not in {"rows", "labels"}:
        return _general(kind)
    done = operation.done
    if done == "multiplied":
        done = f"{'@' if '@' in operation.code else '*'} {done}"
    return DECLARED.get(done, _general(kind))


def _general(kind: str) -> str:
    return GENERAL.get(kind, GENERAL["data"])


def _released(operation: Operation) -> str:
    """The function to write for an operation on released values."""
    nodes = list(dict.fromkeys(_nodes(operation.operands)))
    data = [node for node in nodes if isinstance(node, DataNode)]
    if data:
        return f"Release {data[0].label} too, and compute with both: dp.post(function, a, b)."
    names = {id(node): _name(node, nodes) for node in nodes}
    given, first = ", ".join(names.values()), names[id(nodes[0])]
    code = operation.spelled(lambda operand: names.get(id(operand)) or _formula(operand))
    post = (
        f"Compute with it in a function: def function({given}): return {code}, and in the "
        f"declaration dp.post(function, {given})."
    )
    known = (
        f'In formulas, a released number is dp.known({first}, lower, upper, name="..."), in a '
        "public range."
    )
    if operation.done == READ:
        return f"{known} All else is computed in dp.post(function, {given})."
    return f"{post} {known}" if _may_be_number(nodes[0]) else post


def _formula(operand: object) -> str:
    """A short formula unchanged; nothing of other operands, which may be data."""
    text = str(operand) if isinstance(operand, Expression) else ""
    return text if 0 < len(text) <= LONG else "..."


def _may_be_number(node: Node) -> bool:
    statistic = node.inputs[0] if len(node.inputs) == 1 else None
    return getattr(statistic, "shape", ()) == ()


def _nodes(operands: Iterable[Any]) -> Iterable[Node]:
    for one in operands:
        if isinstance(one, Node):
            yield one
        elif type(one) in {tuple, list}:
            yield from _nodes(one)


def _name(node: Node, nodes: list[Node]) -> str:
    """The name of a release or a point, if it has one; else a letter."""
    taken = [getattr(one, "name", "") for one in nodes]
    own = taken[nodes.index(node)]
    return own if own and taken.count(own) == 1 else "abcdefgh"[nodes.index(node) % 8]


def instead_of_mechanism(value: object) -> str:
    """What to release with, in place of what is no mechanism."""
    if isinstance(value, type) and issubclass(value, AdditiveNoise):
        rules = [name for name, one in vars(value).items() if isinstance(one, Calibration)]
        named = " or ".join(f"dp.{value.__name__}.{name}" for name in rules)
        if named:
            return f"{named} is as much of that noise as the share needs."
    return (
        "Selections, black boxes and the like are accounted, not released: take their "
        ".guarantee(sensitivity) or .loss(sensitivity)."
    )


def instead_of_release(value: object) -> str:
    """What to release, in place of what is no statistic."""
    if isinstance(value, Expression) and DATA in value.scope:
        if any(isinstance(one.origin, Count) and DATA in one.scope for one in value.symbols()):
            return (
                "The number of rows is private under dp.ADD_REMOVE: release dp.count(X) as well, "
                "and divide what is released, in dp.post."
            )
        return (
            "Sums, differences and public multiples of statistics are statistics; everything else "
            "is computed of what is released, in dp.post. The number of rows is public under "
            "dp.REPLACE_ONE only; under dp.ADD_REMOVE release dp.count(X)."
        )
    if isinstance(value, Transposed):
        return GENERAL["transpose"]
    return "Public and released values need no release."
