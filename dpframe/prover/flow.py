"""Information flow: which numbers may be read where, in one pass over all readings.

Each number has a scope (`dpframe.symbols.Scope`), and each reading states the scopes it may depend
on (public by default). A refusal shows the path from the source to the reading.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial

import attrs

from dpframe.errors import InvalidArgument
from dpframe.graph import ColumnNode, Node, OfBudgets, Reading, Release, path
from dpframe.graph.maps.base import MappedRows
from dpframe.graph.post import Calling, ancestors
from dpframe.graph.release import symbols_of
from dpframe.graph.statistics import Linear, RawAggregate, Statistic
from dpframe.privacy import PureDP
from dpframe.sensitivity import L2
from dpframe.symbols import DATA, PUBLIC, RECORD, RELEASED, ZERO, Symbol
from dpframe.wording import PUBLIC_NUMBER, Code, Formula, Text, joined, release_of, say, ways

from .neighbours import differs, moves, occurs, tables, unclipped, varies
from .problem import (
    REFUTED,
    UNPROVED,
    Edit,
    Obligation,
    Problem,
    Verdict,
    Witness,
    on_nodes,
    opened,
)

EXACT = "without noise"


@attrs.frozen
class Place:
    """The formula `name` of the node `label`."""

    label: str
    name: Formula = attrs.field(converter=Formula)
    reading: Reading
    node: Node | None = None

    @property
    def fact(self) -> Text:
        """`bound = 2*B`."""
        return say("{} = {}", self.name, self.reading.formula)

    def read_by(self, way: str) -> Text:
        """`X -> max_abs -> divisor of scale`."""
        return say("{} $->$ {} of {}", way, self.name, self.label)


def flow(problem: Problem) -> list[Obligation]:
    """Every forbidden reading, each once: refuted if two neighbours differ in it; unproved if that
    depends on later functions.
    """
    wrong = on_nodes(problem.graph, partial(_formulas, problem))
    forbidden = (*wrong, *_arguments(problem), *_outputs(problem))
    return list(dict.fromkeys(forbidden))


def where(problem: Problem, node: Node) -> str:
    """The description of a node in refusals: for a map of rows also what it maps, and for data the
    released statistic that reads it.
    """
    label: Text | Formula = Formula(node.title)
    if isinstance(node, MappedRows):
        label = say("{} $->$ {}", path(node.inputs[0]), label)
    tainted = any(DATA in formula.scope for formula in node.formulas.values())
    if not tainted or not isinstance(node, (MappedRows, ColumnNode)):
        return label
    statistics = [release.statistic for release in problem.graph.releases]
    reader = next((one for one in statistics if node in ancestors(one)), None)
    return label if reader is None else say("{} $->$ {}", label, Formula(reader.label))


def _places(problem: Problem, nodes: Sequence[Node]) -> Iterator[tuple[Node | None, str, Reading]]:
    """Every reading of a formula with numbers that are not public: those of the target and the
    unit, without a node, and those of these nodes.
    """
    target, own = problem.target, PUBLIC if problem.personal is None else RECORD
    for name in target.parameters:
        yield None, name, Reading(getattr(target, name), own)
    yield None, "rows_per_person", Reading(problem.rows)
    for node in nodes:
        public = problem.public or all(symbol.origin is None for symbol in symbols_of(node))
        readings = {} if public else node.readings
        for name, formula in () if public else node.formulas.items():
            found = readings.get(name)
            if found is None or found.formula is not formula:
                found = Reading(formula, PUBLIC if found is None else found.may)
            yield node, name, found
        for name, reading in node.derived.items():
            yield node, name, reading


# ------------------------------------------------------------------------------------- formulas
def _formulas(problem: Problem, nodes: Sequence[Node]) -> Iterator[Obligation]:
    for node, name, reading in _places(problem, nodes):
        formula, may = reading.formula, reading.may
        scope = formula.scope
        if scope is not PUBLIC and scope not in may:
            label = "target" if node is None else where(problem, node)
            place = Place(label, name, reading, node)
            for symbol in sorted(formula.symbols(), key=lambda one: one.name):
                if symbol.scope not in may:
                    yield _refused(problem, place, symbol)


def _refused(problem: Problem, place: Place, symbol: Symbol) -> Obligation:
    """A symbol outside the scopes of a reading."""
    if symbol.scope is RELEASED:
        return _released(place, symbol)
    if symbol.scope is RECORD:
        return _not_one(place, symbol)
    if isinstance(symbol.origin, OfBudgets):
        return _differing(problem, place, symbol.origin)
    if isinstance(symbol.origin, Statistic):
        return _tainted(problem, place, symbol, symbol.origin)
    rule = say(
        "{} must be public, and {} has no declared meaning", place.name, Formula(symbol.name)
    )
    fix = say("make symbols by `dp.parameter`, `dp.known` and `X.rows`.")
    return opened("structure", place.label, rule, (place.fact,), fix)


def _released(place: Place, symbol: Symbol) -> Obligation:
    source = path(symbol.origin) if isinstance(symbol.origin, Node) else symbol.name
    way = place.read_by(source)
    rule = say("{} must not depend on what is released: {}", place.name, way)
    fix = "read public numbers there; budgets are divided, and records weighed, by public numbers."
    return opened("structure", place.label, rule, (place.fact,), fix)


def _not_one(place: Place, symbol: Symbol) -> Obligation:
    rule = say(
        "{} is one number for all records, and this reads each record's own budget: "
        "{} of each record $->$ {} of {}",
        *(place.name, Formula(symbol.name), place.name, place.label),
    )
    fix = say(
        "read a number of all budgets, such as `X.total(...)`, `X.largest(...)` or "
        "`X.smallest(...)`; or weigh the records: `X.weighted(w)`."
    )
    witness = Witness(says="two records with budgets 1/10 and 1 need different numbers")
    return opened("personal", place.label, rule, (place.fact,), fix, witness, verdict=UNPROVED)


def _differing(problem: Problem, place: Place, origin: OfBudgets) -> Obligation:
    """A formula that depends on a sum over the records present, under add/remove."""
    rule = say(
        "{} must be public, but it reads the {} over the records that are there: a "
        "record that joins or leaves changes it: {} $->$ {} of {}",
        *(place.name, Formula(origin.label), Formula(origin.label), place.name, place.label),
    )
    facts = (
        place.fact,
        say("the {} is private under {}", Formula(origin.label), origin.unit.relation),
    )
    says = say(
        "budget vectors (1, ..., 1) of n and of n + 1 records: the noise rates of the"
        " two neighbours differ, so that the log-ratio of densities grows without "
        "bound with the noise: no finite $epsilon$"
    )
    fix = say(
        "give a public number S instead, no less than the sum of all budgets that may"
        " take part (total=S); or use `dp.REPLACE_ONE`."
    )
    noise = isinstance(place.node, Release) and place.name == place.node.noise.noise
    verdict = REFUTED if noise and problem.target.currency == ("epsilon",) else UNPROVED
    witness = Witness(says=says)
    return opened("structure", place.label, rule, facts, fix, witness, verdict=verdict)


def _tainted(problem: Problem, place: Place, symbol: Symbol, origin: Statistic) -> Obligation:
    if isinstance(place.node, Release) and place.name in place.node.derived:
        return _of_shape(place.node, origin)
    way = place.read_by(path(origin))
    rule = say("{} must be public, but it reads the data: {}", place.name, way)
    argument = isinstance(place.node, Calling)
    if argument:
        rule = say("{} must be public, but it reads the data {}: {}", place.name, EXACT, way)
    facts = (place.fact, say("{} is private under {}", Formula(origin.label), origin.unit.relation))
    says = _broken(problem, place, symbol, origin)
    verdict = UNPROVED if says is None else REFUTED
    witness, fix = Witness(says=says or moves(origin)), _public_way_out(problem, origin)
    edit = Edit("public", value=symbol, name="" if argument else place.name)
    return opened("structure", place.label, rule, facts, fix, witness, edit, verdict=verdict)


def _broken(problem: Problem, place: Place, symbol: Symbol, origin: Statistic) -> str | None:
    """Why no claim holds if such an aggregate, times a factor independent of it, is the noise size,
    or divides the summed records.
    """
    node, formula = place.node, place.reading.formula
    single = origin.parts[0] if isinstance(origin, Linear) and len(origin.parts) == 1 else origin
    if not isinstance(single, RawAggregate) or not single.vanishes:
        return None
    if not varies(single.data):
        return None
    if isinstance(node, Release) and place.name == node.noise.noise and not node.noise.selects:
        with suppress(InvalidArgument):  # raised where the formula has no value at 0
            if formula.substitute({symbol.name: ZERO}) == ZERO:
                return say(
                    "records near 0 make {} and the noise arbitrarily small; one more record "
                    "makes them large",
                    Formula(origin.label),
                )
        return None
    by, minus = getattr(node, "by", None), getattr(node, "minus", ZERO)
    if place.name != "divisor" or by != symbol or minus != ZERO or single.name == "maximum":
        return None
    if single.data not in getattr(node, "inputs", ()):
        return None
    fixed = (release for release in problem.graph.releases if _fixed(release))
    if not any(_summed(release.statistic, node) for release in fixed):
        return None
    return say(
        "one record determines {}, which divides all n others: all n move", Formula(origin.label)
    )


def _fixed(release: Release) -> bool:
    """Whether its noise is added to each number, with the same size for every n."""
    sampled = ZERO if release.sampled is None else release.sampled
    read = (release.mechanism.formula, release.times, sampled)
    plain = all(symbol.origin is None for formula in read for symbol in formula.symbols())
    return plain and not release.noise.selects


def _summed(statistic: Statistic, divided: Node | None) -> bool:
    """Whether it is a sum of these rows or labels, clipped or not, and of others that may occur."""
    read = [(one, unclipped(one)) for one in tables(statistic)]
    others = (one for one, before in read if before is not divided)
    there = statistic.unbounded and all(map(occurs, others))
    return there and divided in [one for _, one in read]


def _of_shape(release: Release, origin: Statistic) -> Obligation:
    what = "number of candidates" if release.noise.selects else "shape"
    of = "a selection" if release.noise.selects else "a release"
    rule = say(
        "the {} of {} must be public, but it depends on the data: {} $->$ {}",
        *(what, of, path(release.statistic), what),
    )
    facts = (
        say("shape = ({})", joined(", ", release.statistic.shape)),
        say("{} is private under {}", Formula(origin.label), origin.unit.relation),
    )
    verdict, says = REFUTED, "neighbours of 1 and 2 rows release arrays of different length"
    if release.noise.selects:  # with unknown probability
        verdict = UNPROVED
        says = "a candidate that one of two neighbours lacks is released by the other alone"
    fix = say("release a statistic of public shape: sums, `X.T @ X`, `X.T @ y`.")
    witness = Witness(says=says)
    return opened("structure", release.label, rule, facts, fix, witness, verdict=verdict)


def _release_of(problem: Problem, statistic: Statistic) -> str:
    """The call that releases a statistic."""
    pure = isinstance(problem.target, PureDP)
    return release_of(statistic.code, *(("Laplace", "pure") if pure else ("Gaussian", "analytic")))


def _assumed(statistic: Statistic) -> str:
    """How to declare a number that is public knowledge."""
    if statistic.shape:
        return ""
    return say(", or, where a number is known without this table, {} in its place", PUBLIC_NUMBER)


def _public_way_out(problem: Problem, origin: Statistic) -> str:
    if origin.kind == "count":
        return ways(
            say("declare a public number instead, {}", PUBLIC_NUMBER),
            say("use `dp.REPLACE_ONE`, under which n is public"),
            say("release the count and pay for it: {}", _release_of(problem, origin)),
            signs=("; ", "; or "),
        )
    if isinstance(origin, RawAggregate):
        return "declare a public number from a codebook, not from the data."
    return (
        "declare a public bound (from a codebook, not from the data), or release the quantity "
        "and pay a share for it."
    )


# ---------------------------------------------------------------------------------------- nodes
def _arguments(problem: Problem) -> Iterator[Obligation]:
    for node in problem.graph.calls:
        for argument in node.arguments:
            if isinstance(argument, Node) and argument.scope not in RELEASED | RECORD:
                code = Code(f"dp.post({node.label}, ...)")
                rule = say("{} must read released values only", code)
                way = say("{} $->$ {}", path(argument), Formula(node.label))
                yield _raw(problem, way, argument, rule, UNPROVED)


def _outputs(problem: Problem) -> Iterator[Obligation]:
    for node in problem.graph.outputs:
        if node.scope not in RELEASED | RECORD:
            rule, verdict = "the output must be released", REFUTED if differs(node) else UNPROVED
            yield _raw(problem, say("{} $->$ output", path(node)), node, rule, verdict)


def _raw(problem: Problem, way: str, node: Node, rule: str, verdict: Verdict) -> Obligation:
    changed = say("one row changes {}", Formula(node.label))
    says = moves(node) if isinstance(node, Statistic) else changed
    fix, edit = _instead(problem, node)
    text = say("{}, but private data reaches it {}: {}", rule, EXACT, way)
    facts = (say("no noise is added to {}", Formula(node.title)),)
    witness = Witness(says=says)
    label = Formula(node.title)
    return opened("structure", label, text, facts, fix, witness, edit, verdict=verdict)


def _instead(problem: Problem, node: Node) -> tuple[str, Edit | None]:
    """What to read instead: an existing release, a possible one, or a statistic."""
    there = (one.label for one in problem.graph.releases if one.statistic == node)
    label = next(there, None)
    if label is not None:
        return say("read {} instead, which is its release with noise.", label), Edit(
            "release", node
        )
    if isinstance(node, Statistic) and node.sensitivity(L2) is not None:
        call, assumed = _release_of(problem, node), _assumed(node)
        fix = say("release it with noise and pay a share: {}{}.", call, assumed)
        return fix, Edit("release", node)
    fix = say(
        "leave it out; or release a bounded statistic of it, such as `X.T @ y`, and pay a share."
    )
    return fix, Edit("drop", node)
