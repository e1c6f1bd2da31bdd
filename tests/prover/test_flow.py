"""Who reads what: into every field of every kind of node a number of each scope is planted, and
what the field may not read is refused, with the way from the source to the field.
"""

from __future__ import annotations

import copy
from functools import cache, cached_property

import attrs
import pytest

import dpframe as dp
from dpframe.audits.descriptions.stated import StatedStatistic
from dpframe.graph import Graph, Node, Reading, Release, facts
from dpframe.graph import statistics as st
from dpframe.graph.maps.residuals import clipped_error
from dpframe.graph.maps.scaled import DividedColumns, divided_records
from dpframe.graph.maps.weighted import thinned
from dpframe.graph.statistics.base import OneRow, Statistic
from dpframe.identity import own
from dpframe.literature.catalogue import example
from dpframe.literature.every import everything
from dpframe.prover import Verdict
from dpframe.prover.flow import flow, where
from dpframe.prover.problem import Problem
from dpframe.prover.report import verify
from dpframe.sensitivity import L2
from dpframe.symbols import DATA, PUBLIC, RECORD, RELEASED, Expression, Scope
from tests.support.samples import STATISTICS, final_subclasses, setting

BOTH = RELEASED | RECORD
FIELDS = {  # kind -> what its fields may read besides public numbers
    "ApproximateMinimum": {PUBLIC: "noise_share.weights noise_share.wholes", RELEASED: "tolerance"},
    "Argmin": {RELEASED: "penalty radius tolerance", RECORD: "weight"},
    "BlockEstimates": {RELEASED: "penalty radius"},
    "Bound": {PUBLIC: "failure", RELEASED: "margin stds"},
    "BoundedMonomials": {RELEASED: "lower square_of upper"},
    "Box": {RELEASED: "bound"},
    "Capped": {RELEASED: "bound"},
    "ClipColumn": {RELEASED: "lower upper"},
    "ClipNorm": {RELEASED: "norm"},
    "DeepPoint": {RELEASED: "grain penalty radius rate"},
    "DepthSample": {RELEASED: "rate"},
    "DividedColumns": {RELEASED: "lower upper"},
    "GaussianMixing": {RELEASED: "floor", PUBLIC: "rows sketches"},
    "Huber": {RELEASED: "knee"},
    "Intercept": {RELEASED: "value"},
    "Iterate": {PUBLIC: "size"},
    "Linear": {RELEASED: "coefficients"},
    "LogResidual": {RELEASED: "floor penalty"},
    "Loop": {BOTH: "arguments"},
    "OfBudgets": {RECORD: "formula noise"},
    "PerturbedMinimum": {PUBLIC: "noise_share", RELEASED: "penalty radius stated"},
    "Post": {BOTH: "arguments"},
    "Posterior": {RELEASED: "floor log_residual penalty temperature"},
    "RandomStopping": {PUBLIC: "graphs"},
    "Release": {PUBLIC: "sampled times", BOTH: "stated.scale stated.std"},
    "RowSource": {PUBLIC: "columns"},
    "Scaled": {RELEASED: "by"},
    "ScaledLabels": {RELEASED: "by minus"},
    "ShrunkLabels": {RELEASED: "norm"},
    "StatedStatistic": {RELEASED: "given sensitivity_of_row", PUBLIC: "size"},
    "TestedDistance": {RELEASED: "scale threshold", PUBLIC: "unsafe"},
    "TestedMedian": {RELEASED: "passed"},
    "TestedPoint": {RELEASED: "grain penalty radius rate", PUBLIC: "test"},
    "Thinning": {PUBLIC: "delta threshold", RECORD: "epsilon"},
    "TiltedMinimum": {PUBLIC: "noise_share", RELEASED: "penalty", RECORD: "weight"},
    "ToUnitInterval": {RELEASED: "lower upper"},
    "TransposedPosterior": {RELEASED: "floor penalty temperature"},
    "Weight": {RECORD: "factor"},
}
MAY = {  # (kind, field) -> the same
    (kind, field): may
    for kind, own in FIELDS.items()
    for may, fields in own.items()
    for field in fields.split()
} | {
    (charged, f"share.{part}"): RECORD if charged in {"Release", "TiltedMinimum"} else PUBLIC
    for part in ("weights", "wholes")
    for charged in (
        *("ApproximateMinimum", "BoundedMonomials", "DeepPoint", "DepthSample", "GaussianMixing"),
        *("PerturbedMinimum", "Posterior", "RandomStopping", "Release", "TestedDistance"),
        *("TestedPoint", "TiltedMinimum", "TransposedPosterior"),
    )
}
SCOPES = {"public": PUBLIC, "released": RELEASED, "each record's": RECORD, "of the data": DATA}
NO_FORMULAS = {"unit", "cuts"}  # the unit is the setting's; cuts are numbers, of no symbol
CLAIMS = (
    dp.ApproxDP(1, "1e-6"),
    dp.PureDP(1),
    dp.ZeroConcentratedDP(1),
    dp.PersonalizedDP(dp.each("epsilon"), "1e-6"),
)
PERSONAL = CLAIMS[-1]


def of(statistic) -> Release:
    """A release with stated noise."""
    return dp.release(statistic, dp.Gaussian(std=1))


def stated(X) -> StatedStatistic:
    """A statistic known by its sensitivity alone."""
    one = dp.parameter("stated", 0)
    return StatedStatistic("own", X, None, one, L2, dp.ADD_REMOVE, "it is", one, one)


FURTHER = {  # kinds that no shipped declaration reads, or reads only as a part of others
    "weighted": lambda X, y: of(X.weighted(2).T @ y.weighted(2)),
    "log residual": lambda X, y: of(dp.graph.log_residual(X.T @ X, X.T @ y, 4)),
    "linear": lambda X, y: of(2 * (X.T @ y) - dp.total(X)),
    "trace": lambda X, y: of(dp.trace(X.T @ X)),
    "stack": lambda X, y: of(dp.graph.stack(X.T @ X, X.T @ y)),
    "identity": lambda X, y: of(st.Identity(X)),
    "count": lambda X, y: of(dp.graph.partition_at(X, y, [0]).count(1)),
    "intercept": lambda X, y: of(dp.total(X.with_intercept(2))),
    "residuals": lambda X, y: of(clipped_error(X, y, of(X.T @ y), bound=1)),
    "norms": lambda X, y: of(X.T @ divided_records(X, y, bound=1)[1]),
    "linear map": lambda X, y: of(
        dp.total(X.times(dp.graph.public_array([[1, 0], [0, 2]])).clip(norm=1))
    ),
    "shrunk labels": lambda X, y: of(X.clip(norm=1).T @ y.shrunk_with(X, norm=1)),
    "rows by norms": lambda X, y: of(dp.total(divided_records(X, y, bound=1)[0])),
    "scaled columns": lambda X, y: of(dp.total(X.scaled_columns(by=(1, 2)).clip(norm=1))),
    "squares": lambda X, y: of(dp.graph.column_squares(X)),
    "stated": lambda X, y: of(stated(X)),
    "square root": lambda X, y: of(STATISTICS[st.Factored](X, y)),
    "tested median": lambda X, y: of(STATISTICS[st.TestedMedian](X, y)),
}
SETTINGS = {
    "ball": setting(),
    "box": dp.Setting(X=dp.Rows(box=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE),
    "schema": dp.Setting(
        X=dp.Rows(columns=[dp.Numeric("a", 0, 1), dp.Categorical("b", ("c", "d"))]),
        y=dp.Column(lower=0, upper=3),
        relation=dp.ADD_REMOVE,
    ),
}


@attrs.frozen
class Case:
    """A declaration, as one budget or another lets it be made."""

    name: str
    setting: str = "ball"
    claim: dp.Guarantee = CLAIMS[0]

    def outputs(self) -> object:
        """Declared anew: nodes of its own."""
        X, y = SETTINGS[self.setting].nodes()
        if self.name in FURTHER:
            return FURTHER[self.name](X, y)
        declared = {cls.__name__: cls for cls in everything()}[self.name]
        return example(declared).graph(SETTINGS[self.setting], self.claim.budget).output


def parts(node: object, *, within: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The fields of a node, or of a value that it holds, that hold formulas."""
    found = []
    for field in attrs.fields(type(node)):
        if field.init and field.name not in NO_FORMULAS:
            value = getattr(node, field.name)
            for one in value if isinstance(value, tuple) else (value,):
                where = (*within, field.name)
                if isinstance(one, (Expression, Graph)):
                    found.append(where)
                elif attrs.has(type(one)) and not isinstance(one, Node):
                    found += parts(one, within=where)
    return list(dict.fromkeys(found))


@cache
def declared() -> tuple[dict[tuple[str, str], Case], set[type]]:
    """For every kind and field a declaration that has it; every kind that some declaration has."""
    budgets = (CLAIMS[:-1], CLAIMS[-1:])
    cases = [[Case(name, kind)] for kind in SETTINGS for name in FURTHER]
    cases += [
        [Case(cls.__name__, claim=claim) for claim in claims]
        for cls in everything()
        for claims in budgets
    ]
    places: dict[tuple[str, str], Case] = {}
    kinds: set[type] = set()
    for ways in cases:
        for case in ways:
            try:
                graph = Graph.of(case.outputs())
            except dp.DPFrameError:
                continue  # it needs another budget, or other rows
            for node in graph.nodes:
                kinds.add(type(node))
                for steps in parts(node):
                    places.setdefault((type(node).__name__, ".".join(steps)), case)
            break
    return places, kinds


def fresh(node: object) -> None:
    """Forget what was computed of a node before."""
    for name in list(getattr(node, "__dict__", ())):
        if isinstance(getattr(type(node), name, None), cached_property):
            del vars(node)[name]


def planted(value: object, where: tuple[str, ...], symbol: Expression) -> object:
    """The value of a field with a formula of it that reads the symbol too."""
    if isinstance(value, Expression):
        return value + symbol
    if isinstance(value, Graph):
        release = value.releases[0]
        plant(release, ("stated", *where) if where else parts(release)[0], symbol)
        return value
    if isinstance(value, tuple):
        i = next(i for i, one in enumerate(value) if isinstance(one, (Expression, Graph)))
        return (*value[:i], planted(value[i], where, symbol), *value[i + 1 :])
    other = copy.copy(value)
    plant(other, where, symbol)
    return other


def plant(node: object, where: tuple[str, ...], symbol: Expression) -> None:
    """Past every converter and validator: it is the proof that must refuse."""
    fresh(node)
    value = planted(getattr(node, where[0]), where[1:], symbol)
    object.__setattr__(node, where[0], value)
    fresh(node)
    facts._stated.cache_clear()
    facts._facts.cache_clear()


def source(scope: Scope) -> tuple[Expression, str]:
    """A number of a scope, and how the way from it begins."""
    X, y = setting().nodes()
    if scope is PUBLIC:
        return dp.parameter("planted", 0), ""
    if scope is RELEASED:
        known = dp.known(of(dp.total(y.clip(-1, 1))), 1, 2, name="planted")
        return known, "y -> clip to [-2, 2] -> clip to [-1, 1] -> sum(y) -> release of sum(y) -> pl"
    if scope is RECORD:
        return dp.each("epsilon"), "epsilon of each record -> "
    rows = X.clip(norm="7/11")
    way = "X -> clip to norm 3/2 -> clip to norm 7/11 -> trace(X'X) -> "
    return 1 + dp.trace(rows.T @ rows), way


def refusals(output: object, case: Case) -> set[tuple[str, str]]:
    """What flow refuses of a graph: rules, and the fields at the end of the ways that they name."""
    problem = Problem.of(Graph.of(output), PERSONAL, SETTINGS[case.setting])
    return {(one.node, one.rule) for one in flow(problem)}


def reading(node: object, field: str) -> tuple[Node, ...]:
    """The nodes that read a field: the weight of a loss is read by the weights of records."""
    return node.weights.inputs if field == "weight" else (node,)


def where_it_is(output: object, case: Case, node: Node) -> str:
    """What a refusal calls the node."""
    return where(Problem.of(Graph.of(output), PERSONAL, SETTINGS[case.setting]), node)


@pytest.mark.parametrize("place", MAY, ids=".".join)
def test_a_field_reads_what_it_may_and_nothing_else(place):
    """What it may not read is refused, by structure, and the refusal names the way to it."""
    kind, field = place
    case, steps = declared()[0][place], tuple(field.split("."))
    for scope in SCOPES.values():
        output = case.outputs()
        before = refusals(output, case)
        node = next(
            n for n in Graph.of(output).nodes if type(n).__name__ == kind and steps in parts(n)
        )
        number, way = source(scope)
        plant(node, steps, number)
        assert any(one is node for one in Graph.of(output).nodes)
        found = refusals(output, case) - before
        here = {where_it_is(output, case, one) for one in reading(node, field)}
        ways = [rule for label, rule in found if label in here and way and way in rule]
        assert bool(ways) == (scope not in MAY[place]), (scope, found)
        if ways:
            report = verify(Problem.of(Graph.of(output), PERSONAL, SETTINGS[case.setting]))
            assert not report.proved
            assert set(ways) <= {one.rule for one in report.open_obligations}


def test_every_kind_and_every_field_with_a_formula_is_in_the_table():
    """A new kind of node needs a sample here, and a new field a line of the table."""
    places, kinds = declared()
    missing = {kind for kind in final_subclasses(Node) if own(kind)} - kinds
    assert missing == set(), "no declaration has them: add one to FURTHER"
    assert set(places) == set(MAY)


@attrs.frozen
class Silent(Statistic):
    """A statistic of somebody else's: a formula of whose scope it says nothing. [tests]"""

    kind = "silent"
    label = "silent"
    rows: Node
    factor: Expression
    size: Expression

    unit = property(lambda self: self.rows.unit)
    inputs = property(lambda self: (self.rows,))
    shape = property(lambda self: (self.size,))
    formulas = property(lambda self: {"factor": self.factor})

    def one_row(self, norm, relation):
        """A move of 1."""
        return OneRow(dp.constant(1), "stated")

    def compute(self, values, number):
        """Nothing."""

    def record(self):
        """Nothing."""
        return {}


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("field", ["factor", "size"])
def test_a_field_that_says_nothing_and_a_shape_read_public_numbers_only(field, scope):
    """The strictest is what is meant where nothing is said."""
    one, (number, _) = dp.constant(1), source(SCOPES[scope])
    X, _ = setting().nodes()
    found = refusals(of(Silent(X, **{"factor": one, "size": one, field: number})), Case(""))
    assert bool(found) == (SCOPES[scope] is not PUBLIC)


@pytest.mark.parametrize("origin", [object(), "the data", of(dp.total(setting().nodes()[1]))])
def test_a_symbol_of_which_nobody_knows_what_it_stands_for_is_of_the_data(origin):
    """Also where that is a node: a release is read through dp.known, in its range."""
    strange = attrs.evolve(dp.parameter("planted", 0), origin=origin)
    y = setting().nodes()[1]
    assert strange.scope is DATA
    (rule,) = {rule for _, rule in refusals(dp.release(y @ y, dp.Gaussian(std=strange)), Case(""))}
    assert rule == "std must be public, and planted has no declared meaning"


def sample(X, y):
    """The rows of a secret sample, and their release."""
    rows, labels, budget = thinned(X, y, PERSONAL.budget, 1)
    return rows, dp.release(rows.T @ labels, dp.Gaussian.analytic, budget)


def first(value, *others):
    """One of its arguments."""
    del others
    return value


@pytest.mark.parametrize("way", ["output", "post"])
def test_who_is_in_a_secret_sample_is_not_released(way):
    """The coins are no data of the table, and as secret."""
    rows, release = sample(*setting().nodes())
    coins = rows.thinning
    output = (release, coins) if way == "output" else dp.post(first, release, coins)
    report = verify(Problem.of(Graph.of(output), PERSONAL, setting()))
    (open_one,) = report.open_obligations
    end = "output" if way == "output" else "first"
    assert open_one.verdict is Verdict.UNPROVED
    way = f"sample at threshold 1 -> {end}"
    assert f"private data reaches it without noise: {way}" in open_one.rule
    with pytest.raises(dp.InvalidArgument, match="a released vector"):
        DividedColumns(rows, coins, None, 1, 2)


def test_the_target_reads_public_numbers_and_each_records_own_where_they_have_some():
    """Neither what is released nor, where all have one budget, that of each."""
    y = setting().nodes()[1]
    graph = Graph.of(of(y @ y))
    released, _ = source(RELEASED)
    for amount, count in ((1, 0), (dp.each("epsilon"), 1), (released, 1)):
        problem = Problem.of(graph, dp.PureDP(amount), setting())
        assert [one.node for one in flow(problem)] == ["target"] * count
    assert flow(Problem.of(graph, PERSONAL, setting())) == []


def test_scopes_are_a_lattice():
    """A formula depends on all that its symbols depend on; public numbers are read everywhere."""
    released, own = source(RELEASED)[0], dp.each("epsilon")
    assert (released * own + 1).scope is BOTH
    assert dp.constant(1).scope is dp.EPSILON.scope is PUBLIC
    assert all(PUBLIC in scope for scope in SCOPES.values())
    assert RECORD not in RELEASED
    assert RELEASED not in RECORD
    assert setting().nodes()[0].rows.scope is DATA
    assert setting(dp.REPLACE_ONE).nodes()[0].rows.scope is PUBLIC


def test_a_reading_is_of_public_numbers_unless_it_says_more():
    """What a node forgets to say is refused, not granted."""
    assert Reading(dp.constant(1)).may is PUBLIC
    assert Node.scope is DATA
