"""Structure: everything that leaves goes through a release; noise, parameters and shapes read
public values only.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from dpframe.accountants import Accountant
from dpframe.errors import InvalidArgument
from dpframe.graph import (
    ColumnNode,
    DataNode,
    Loop,
    Node,
    OfBudgets,
    Post,
    is_public,
    path,
    public_symbol,
    reads_released,
)
from dpframe.graph.loop import ancestors
from dpframe.graph.maps.base import MappedRows
from dpframe.graph.maps.weighted import BudgetSource
from dpframe.graph.statistics import AGGREGATES, RawAggregate, Statistic
from dpframe.identity import Shadow
from dpframe.privacy import ADD_REMOVE
from dpframe.sensitivity import L2
from dpframe.symbols import Expression, Number, Symbol

from .adaptive import adaptive
from .edit import DROP, PUBLIC, RELEASE, TABLE, Edit
from .individual import differing, individual
from .obligation import PROVED, REFUTED, UNPROVED, Obligation, Witness, named
from .problem import Problem
from .sign import positive, positive_size
from .thinning import thinning

ZERO = Number(Fraction(0))


def obligations(problem: Problem) -> list[Obligation]:
    """Every structural obligation; the proved ones as one object a kind."""
    failing = [
        *_foreign(problem),
        *_target(problem),
        *adaptive(problem),
        *(one for one in individual(problem) if one.verdict is not PROVED),
        *(one for one in thinning(problem) if one.verdict is not PROVED),
        *_sources(problem),
        *_parameters(problem),
        *_shapes(problem),
        *_posts(problem),
        *_nothing(problem),
        *_outputs(problem),
    ]
    count = len(problem.graph.nodes)
    summary = Obligation(
        "structure",
        "graph",
        "outputs and post-processing read releases and public values only; shapes are public",
        (),
        PROVED,
        count=count,
    )
    return failing or [summary]


def _parameters(problem: Problem) -> Iterator[Obligation]:
    for node in problem.graph.nodes:
        formulas = node.formulas
        if formulas:
            label = (
                f"{path(node.inputs[0])} -> {node.label}"
                if isinstance(node, MappedRows)
                else node.label
            )
            if not all(map(is_public, formulas.values())):
                label += _onward(problem, node)
            yield from _private_parameters(label, formulas)
            yield from _not_positive(
                problem, label, {name: formulas[name] for name in node.positive}
            )


def _onward(problem: Problem, node: Node) -> str:
    """` -> X'X`: which released statistic reads a map of rows or labels."""
    if not isinstance(node, (MappedRows, ColumnNode)):
        return ""
    asked = [release.statistic for release in problem.graph.releases]
    reached = next((one for one in asked if node in ancestors(one)), None)
    return "" if reached is None else f" -> {reached.label}"


def _not_positive(
    problem: Problem, label: str, formulas: dict[str, Expression]
) -> Iterator[Obligation]:
    for name, formula in formulas.items():
        if positive_size(formula, problem.field):
            continue
        decision = positive(formula, problem.field)
        witness = None
        if decision.witness is not None:
            witness = Witness(named(decision.witness, formula), f"{name} is not positive there")
        rule = f"{name} must be positive for every parameter value"
        repair = "declare the parameter on a range where it is positive."
        open_ended = witness is None or reads_released(formula)  # nobody says that it is reached
        verdict = UNPROVED if open_ended else REFUTED
        fact = f"{name} = {formula}"
        yield Obligation("domain", label, rule, (fact,), verdict, witness, repair)


def _target(problem: Problem) -> Iterator[Obligation]:
    target = problem.target
    amounts = {name: getattr(target, name) for name in target.parameters}
    yield from _private_parameters("target", {**amounts, "rows_per_person": problem.rows})
    for name, amount in amounts.items():
        below = name != "delta" or positive(1 - amount, problem.field).proved
        if not (below and positive_size(amount, problem.field)):
            rule = (
                "the target must be meaningful for every parameter value: amounts positive, "
                "delta below 1"
            )
            yield Obligation(
                "structure",
                "target",
                rule,
                (f"{name} = {amount}",),
                UNPROVED,
                repair=(
                    "declare its parameters on open ranges: epsilon in (0, inf), delta in (0, 1)."
                ),
            )


def _foreign(problem: Problem) -> Iterator[Obligation]:
    for kind in problem.foreign:
        if kind not in problem.trust:
            name = f"{kind.__module__}:{kind.__qualname__}"
            rule = "a class of your own is believed only when you say so"
            yield Obligation("trust", name, rule, (_said(kind, name),), UNPROVED, repair=_fix(kind))


def _said(kind: type, name: str) -> str:
    if kind is Shadow:
        return "an attribute that was set on a value of the graph hides what its class says"
    if name.startswith("dpframe."):
        return f"{name} is not the class that dpframe's files have under that name"
    if issubclass(kind, (str, int, float, Fraction)):
        return f"a {kind.__name__} compares and computes as it likes"
    if issubclass(kind, Accountant):
        return f"{name} states what releases cost together"
    return f"{name} states its own sensitivity, noise or theorem"


def _fix(kind: type) -> str:
    if kind is Shadow or kind.__module__.startswith("dpframe."):
        return "build it from dpframe's own classes; after an update, start Python anew."
    if issubclass(kind, (str, int, float, Fraction)):
        return "give plain text and numbers of Python."
    return f"dp.certify(..., trust=[{kind.__name__}]) certifies, and prints the assumption."


def _sources(problem: Problem) -> Iterator[Obligation]:
    own = {node for node in problem.setting.nodes() if node is not None}
    declared = {source for node in own for source in sources(node)}
    for source in problem.graph.sources:
        if source not in declared and source != BudgetSource(problem.setting.unit):
            rule = "every statistic reads the X and y of this setting"
            yield Obligation(
                "structure",
                source.label,
                rule,
                (f"{source.label} for {source.unit}",),
                REFUTED,
                Witness(says="a table of another setting"),
                "use the X and y that declare is given.",
                edit=Edit(TABLE),
            )


def sources(node: Node) -> list[Node]:
    """The sources that a node reads."""
    return (
        [node]
        if not node.inputs
        else [source for child in node.inputs for source in sources(child)]
    )


def _private_parameters(label: str, formulas: dict[str, Expression]) -> Iterator[Obligation]:
    for name, formula in formulas.items():
        if is_public(formula):
            continue
        for symbol in sorted(formula.symbols(), key=lambda symbol: symbol.name):
            if not public_symbol(symbol):
                yield _tainted(label, name, formula, symbol)


def _tainted(label: str, name: str, formula: Expression, symbol: Symbol) -> Obligation:
    origin = symbol.origin
    if isinstance(origin, OfBudgets):
        return differing(label, name, formula, origin)
    if not isinstance(origin, Statistic):
        raise InvalidArgument("origin of a symbol", "a statistic", origin, "")
    way = f"{path(origin)} -> {name} of {label}"
    return Obligation(
        "structure",
        label,
        f"{name} must be public, but it reads the data: {way}",
        (f"{name} = {formula}", f"{origin.label} is private under {origin.unit.relation}"),
        REFUTED,
        Witness(says=moves(origin)),
        _public_way_out(origin),
        edit=Edit(PUBLIC, value=symbol),
    )


def _public_way_out(origin: Statistic) -> str:
    if origin.kind == "count":
        return (
            "n is private under add/remove: declare a public number instead, use "
            "dp.REPLACE_ONE, or release the count and pay for it."
        )
    if isinstance(origin, RawAggregate):
        return "declare a public number from a codebook, not from the data."
    return (
        "declare a public bound (from a codebook, not from the data), or release the quantity "
        "and pay a share for it."
    )


def moves(statistic: Statistic) -> str:
    """Two neighbours on which the statistic differs, in words."""
    if isinstance(statistic, RawAggregate):
        what, before, after = AGGREGATES[statistic.name]
        return f"{what}: {before}; {after}"
    sensitivity = statistic.sensitivity(L2)
    if statistic.kind == "count":
        return "a table of 1 row and its neighbour of 2 rows give n = 1 and n = 2"
    if sensitivity is None:
        return f"one row changes {statistic.label}, by an amount that no rule bounds"
    return (
        f"one unit moves {statistic.label} by {sensitivity.value}: from 0 to "
        f"{sensitivity.value} between two neighbours, with no noise in between"
    )


def _shapes(problem: Problem) -> Iterator[Obligation]:
    for release in problem.graph.releases:
        if (
            any(not is_public(size) for size in release.statistic.shape)
            and problem.setting.relation is ADD_REMOVE
        ):
            yield Obligation(
                "structure",
                release.label,
                "the shape of a release must be public, but it depends on the data: "
                f"{path(release.statistic)} -> shape",
                (
                    f"shape = ({', '.join(map(str, release.statistic.shape))})",
                    "n is private under add/remove",
                ),
                REFUTED,
                Witness(says="neighbours of 1 and 2 rows release arrays of different length"),
                "release a statistic of public shape: sums, X.T @ X, X.T @ y.",
            )


def _posts(problem: Problem) -> Iterator[Obligation]:
    functions: list[Post | Loop] = [*problem.graph.posts, *problem.graph.loops]
    for node in functions:
        for argument in node.arguments:
            if isinstance(argument, DataNode) and not constant(argument):
                yield _raw(
                    problem,
                    f"{path(argument)} -> {node.label}",
                    argument,
                    f"dp.post({node.label}, ...) must read released values only",
                )


def _nothing(problem: Problem) -> Iterator[Obligation]:
    if not problem.graph.charged:
        rule = "a certificate is about what is released, and nothing is"
        facts = tuple(node.label for node in problem.graph.outputs)
        fix = "release a statistic: dp.release(X.T @ X, dp.Gaussian.analytic, share)."
        yield Obligation("structure", "graph", rule, facts, UNPROVED, repair=fix)


def _outputs(problem: Problem) -> Iterator[Obligation]:
    for node in problem.graph.outputs:
        if isinstance(node, DataNode) and not constant(node):
            rule = "the output must be released"
            yield _raw(problem, f"{path(node)} -> output", node, rule)


def _raw(problem: Problem, way: str, node: DataNode, rule: str) -> Obligation:
    says = moves(node) if isinstance(node, Statistic) else f"one row changes {node.label}"
    fix, edit = _released(problem, node)
    return Obligation(
        "structure",
        node.label,
        f"{rule}, but private data reaches it: {way}",
        (f"{node.label} is raw",),
        REFUTED,
        Witness(says=says),
        fix,
        edit=edit,
    )


def _released(problem: Problem, node: DataNode) -> tuple[str, Edit | None]:
    """What to read instead: the release that there is, one that there could be, or a statistic."""
    there = (one.label for one in problem.graph.releases if one.statistic == node)
    label = next(there, None)
    if label is not None:
        return f"read {label} instead, its release.", Edit(RELEASE, node)
    if isinstance(node, Statistic) and node.sensitivity(L2) is not None:
        call = f"dp.release({node.label}, dp.Gaussian.analytic, share)"
        return f"release it and pay a share: {call}.", Edit(RELEASE, node)
    fix = "leave it out; or release a bounded statistic of it, such as X.T @ y, and pay a share."
    return fix, Edit(DROP, node)


def constant(node: DataNode) -> bool:
    """Whether the node is constant over neighbours: a statistic of sensitivity exactly 0."""
    moved = node.sensitivity(L2) if isinstance(node, Statistic) else None
    return moved is not None and moved.value == ZERO
