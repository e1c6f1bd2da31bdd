"""Which mutants break privacy for certain, by no code of the verifier: data leave without noise, or
a pair of neighbouring tables costs more than is claimed, by the brute force of tests/oracle. What
is not known there is not said to break.
"""

from functools import cache, lru_cache
from types import SimpleNamespace

from dpframe.graph import DataNode, Loop, Post, Procedure, Release
from dpframe.graph.graph import origins
from dpframe.graph.statistics import (
    ColumnSquares,
    Gram,
    Moment,
    RawAggregate,
    RowSum,
    Squares,
    Trace,
)
from dpframe.graph.statistics.sums import Count
from dpframe.privacy import ADD_REMOVE
from dpframe.prover import examine
from dpframe.prover.document import statement
from dpframe.symbols import RELEASED, Product, Symbol
from tests.mutating.judged import Outcome
from tests.oracle import truth

PLACES, TABLES = 2, 20  # points of a claim, and pairs of tables at each
MOVED_BY_ALL = {"scaled by std", "bound by quantile"}
"""One record then changes what every other counts as: a sum over n rows moves by a multiple of n,
for every n, and its noise does not."""
SUMS = (Gram, Moment, ColumnSquares, RowSum, Squares, Trace)


def certain(one):
    """Why a mutant breaks its claim for certain: `raw`, `noise` or `cost`; "" where that is not
    known.
    """
    if one.graph is None:
        return ""
    if leaks(one.graph, still=one.setting.relation is not ADD_REMOVE):
        return "raw"
    return reads(one) or ("cost" if broken(one) else "")


def breaking(found):
    """The refused mutants that break for certain, with why."""
    pairs = [(one, certain(one)) for one in found.of(Outcome.REFUSED)]
    return [(one, why) for one, why in pairs if why]


@cache
def broken(one):
    """Whether brute force breaks its claim where what was edited is proved; None if unknown."""
    if one.report is None:
        return None
    graph = one.report.problem.graph
    region = _region(one.mutant.of, one.target, one.setting)
    told = {"report": one.report, "graph": graph, "region": region, "derivation": "", "values": {}}
    nodes = {"nodes": list(graph.records), "output": graph.output_ids}
    document = {"statement": statement(SimpleNamespace(**told)), "graph": nodes}
    return truth.broken(document, PLACES, TABLES)


@lru_cache(maxsize=512)
def _region(regression, target, setting):
    chosen = examine(regression, target=target, setting=setting).chosen
    return () if chosen is None else chosen.constraints


def leaks(graph, *, still):
    """Whether an output, or a function on the way to one, reads data that no release covers; n is
    public where it stands `still`, where records are replaced.
    """
    seen, stack = set(), list(graph.outputs)
    while stack:
        node = stack.pop()
        if id(node) in seen or isinstance(node, (Release, Procedure)):
            continue
        seen.add(id(node))
        if still and type(node) is Count:
            continue
        if isinstance(node, DataNode):
            return True
        if isinstance(node, (Post, Loop)):
            stack.extend((*node.inputs, *origins(node)))
    return False


def adaptive(graph):
    """Whether a release depends on another: its statistic or its noise reads what was released."""
    return any(
        RELEASED in release.mechanism.formula.scope
        or any(isinstance(node, (Release, Procedure)) for node in _below(release.statistic))
        for release in graph.releases
    )


def reads(one):
    """`noise` where its size, or the bound that it is for, is read from the data in a way that no
    size of it covers.
    """
    for release in one.graph.releases:
        if _vanishes(release.mechanism.formula, "max_abs"):
            return "noise"  # rows of zeros have none
        if any(type(symbol.origin) is Count for symbol in release.times.symbols()):
            return "noise"  # the number of draws is n
        bad = any(isinstance(node, RawAggregate) for node in _below(release.statistic))
        if one.operator.name in MOVED_BY_ALL and bad and isinstance(release.statistic, SUMS):
            return "noise"
    return ""


def _raw(symbol, name):
    return isinstance(symbol.origin, RawAggregate) and symbol.origin.name == name


def _vanishes(formula, name):
    """Whether an aggregate of the data is a factor of a formula."""
    parts = formula.parts if isinstance(formula, Product) else (formula,)
    return any(isinstance(part, Symbol) and _raw(part, name) for part in parts)


def _below(node):
    found, stack = {}, [node]
    while stack:
        one = stack.pop()
        if id(one) not in found:
            found[id(one)] = one
            stack.extend((*one.inputs, *origins(one)))
    return found.values()
