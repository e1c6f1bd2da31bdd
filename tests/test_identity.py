"""A class is dpframe's own by the code in its files: no name, module or attribute claims it."""

import enum
import sys
import types
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe import identity
from dpframe.accountants import ACCOUNTANTS
from dpframe.graph.maps.bounds import ClipNorm
from dpframe.graph.procedure import Logistic
from dpframe.graph.procedures.deep_point import DeepPoint
from dpframe.graph.release import Release
from dpframe.graph.rows import RowsNode
from dpframe.graph.statistics import Gram, Moment, Trace
from dpframe.identity import own, strangers
from dpframe.sensitivity import L2
from dpframe.symbols import Expression
from tests.support.samples import declared

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
TARGET = dp.ApproxDP(1, "1e-6")
KINDS = [Gram, ClipNorm, Logistic, dp.Gaussian, DeepPoint, Release, type(dp.Gaussian.analytic)]
KINDS += [dp.ApproxDP, dp.ZeroConcentratedDP, dp.Setting, *map(type, ACCOUNTANTS)]


class Loud(Gram):
    """A hundred times what it says."""

    @property
    def step(self):
        """Step."""
        return Gram.step.fget(self)

    def block(self, values):
        """Block."""
        return 100 * Gram.block(self, values)


def released(statistic):
    """Released."""
    return declared(
        lambda X, _, budget: dp.release(statistic(X), dp.Gaussian.analytic, budget, name="gram")
    )


def certified(regression):
    """Certified."""
    return dp.certify(regression, target=TARGET, setting=SETTING)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_classes_of_the_package_are_its_own(kind):
    """Classes of the package are its own."""
    assert own(kind)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_subclass_is_not_whatever_it_is_called(kind, monkeypatch):
    """A subclass is not whatever it is called."""
    inside = types.ModuleType("dpframe.evil")
    monkeypatch.setitem(sys.modules, "dpframe.evil", inside)
    for module in (inside, sys.modules[kind.__module__]):
        other = type(kind)("Other", (kind,), {"__module__": module.__name__, "__slots__": ()})
        monkeypatch.setattr(module, "Other", other, raising=False)
        assert not own(other)
    twin = type(kind)(kind.__name__, (kind,), {"__module__": kind.__module__, "__slots__": ()})
    twin.__qualname__ = kind.__qualname__
    assert not own(twin)
    monkeypatch.setattr(sys.modules[kind.__module__], kind.__name__, twin)
    assert not own(twin)


def test_a_module_with_the_spec_of_ours_claims_nothing(monkeypatch):
    """A module with the spec of ours claims nothing."""
    real = sys.modules[Gram.__module__]
    false = types.ModuleType(real.__name__)
    for name in ("__spec__", "__loader__", "__file__", "__path__"):
        setattr(false, name, getattr(real, name, None))
    loud = type("Gram", (Gram,), {"block": Loud.block, "__module__": real.__name__})
    false.Gram = loud
    monkeypatch.setitem(sys.modules, real.__name__, false)
    assert not own(loud)


def test_a_class_that_equals_one_of_ours_is_not_one():
    """A class that equals one of ours is not one."""

    class Same(type(Gram)):
        def __eq__(cls, other):
            return True

        def __hash__(cls):
            return hash(Gram)

    same = Same("Gram", (Gram,), {"__module__": Gram.__module__, "__slots__": ()})
    assert own(Gram)
    assert same == Gram
    assert not own(same)
    assert strangers([object.__new__(same)])
    assert strangers([same])


def test_an_impostor_is_refused_and_not_executed(monkeypatch):
    """An impostor is refused and not executed."""
    module = types.ModuleType("dpframe.evil")
    monkeypatch.setitem(sys.modules, "dpframe.evil", module)
    loud = type("Loud", (Gram,), {"block": Loud.block, "step": Loud.step})
    loud.__module__, loud.__qualname__, module.Loud = "dpframe.evil", "Loud", loud
    with pytest.raises(dp.Uncertified, match="not the class that dpframe's files have"):
        certified(released(loud))


def test_a_method_put_into_one_of_ours_is_seen(monkeypatch):
    """A method put into one of ours is seen."""
    monkeypatch.setattr(Gram, "block", Loud.block)
    with pytest.raises(dp.Uncertified, match="Gram"):
        certified(released(Gram))


def test_a_class_swapped_after_certification_is_not_executed():
    """A class swapped after certification is not executed."""
    run = certified(released(Gram))
    (release,) = run.graph.releases
    object.__setattr__(release, "__class__", type("Quiet", (Release,), {}))
    with pytest.raises(dp.NotExecutable, match="Quiet"):
        dp.execute(run, np.ones((3, 1)), np.ones(3), rng=0)


@pytest.mark.parametrize(
    "part",
    [
        lambda: property(lambda _: 1),
        lambda: Moment.__dict__["block"],
        lambda: None,
        lambda: staticmethod(lambda *_: 1),
        lambda: types.FunctionType(Gram.block.__code__, {"np": None}),
    ],
    ids=["property", "another method of ours", "nothing", "static", "other globals"],
)
def test_whatever_takes_the_place_of_a_method_is_seen(part, monkeypatch):
    """Whatever takes the place of a method is seen."""
    monkeypatch.setattr(Gram, "block", part())
    assert Gram in strangers([Gram.__new__(Gram)])


def test_code_that_was_replaced_inside_a_function_is_seen(monkeypatch):
    """Code that was replaced inside a function is seen."""
    monkeypatch.setattr(Gram.block, "__code__", Loud.block.__code__)
    assert Gram in strangers([Gram.__new__(Gram)])


def test_a_class_swapped_on_an_instance_is_seen():
    """A class swapped on an instance is seen."""

    def swapped(X, y, budget):
        release = dp.release(X.T @ X, dp.Gaussian.analytic, budget, name="gram")
        object.__setattr__(release, "__class__", type("Quiet", (Release,), {}))
        return release

    with pytest.raises(dp.Uncertified, match="Quiet"):
        certified(declared(swapped))


@pytest.mark.parametrize("name", ["guarantee", "noise", "anything"])
def test_attributes_that_shadow_a_class_are_seen(name):
    """Attributes that shadow a class are seen."""

    def shadowed(X, y, budget):
        release = dp.release(X.T @ X, dp.Gaussian.analytic, budget, name="gram")
        vars(release)[name] = dp.Laplace
        return release

    with pytest.raises(dp.Uncertified, match="hides what its class says"):
        certified(declared(shadowed))


def test_what_was_put_into_a_cache_is_not_read():
    """What was put into a cache is not read."""

    def planted(X, y, budget):
        noise = dp.Gaussian(dp.count(X) / 10)  # its size reads private data
        release = dp.release(X.T @ X, noise, name="gram")
        vars(release)["formulas"] = {}
        return release

    with pytest.raises(dp.Uncertified, match="must be public"):
        certified(declared(planted))


class Text(str):
    """Equal to everything."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other):
        return True


class Half(Fraction):
    """Below everything."""

    __slots__ = ()

    def __le__(self, other):
        return True


def holding_a_node():
    """Holding a node."""
    gram = certified(released(Gram)).graph.statistics[0]
    kind = type(gram.rows)
    other = object.__new__(type("Quiet", (kind,), {"__slots__": ()}))
    for field in attrs.fields(kind):
        object.__setattr__(other, field.name, getattr(gram.rows, field.name))
    return attrs.evolve(gram, rows=other)


def holding_a_number():
    """Holding a number."""
    number = dp.constant(1)
    object.__setattr__(number, "value", Half(1, 2))
    return (number * dp.parameter("a"),)


HOLDING = {
    "a node": holding_a_node,
    "a number": holding_a_number,
    "text": lambda: [SETTING, Text("name")],
    "a formula": lambda: {"x": type("Formula", (Expression,), {})()},
}


@pytest.mark.parametrize("holding", HOLDING.values(), ids=HOLDING)
def test_whatever_a_value_holds_is_looked_at(holding):
    """Whatever a value holds is looked at."""
    assert strangers([holding()])


def test_plain_values_are_no_strangers():
    """Plain values are no strangers."""
    assert not strangers([SETTING, TARGET, "text", 1, Fraction(1, 2), np.arange(3), np.float32(1)])


@pytest.mark.parametrize(
    "regression", [dp.SSP(), dp.AdaSSP(), dp.JointSSP(), dp.regressions.NoisySGD()]
)
def test_shipped_declarations_hold_nothing_strange(regression):
    """Shipped declarations hold nothing strange."""
    graph = regression.graph(SETTING, TARGET.budget)
    assert strangers(graph.nodes) == ()


def the(kind, run):
    """The node of a kind."""
    return next(node for node in run.graph.nodes if isinstance(node, kind))


CHANGES = {
    "other noise": lambda run: (the(Release, run), "stated", dp.Gaussian(std="0.01")),
    "a digit inside a formula": lambda run: (the(ClipNorm, run).norm.value, "_numerator", 1000),
    "longer rows": lambda run: (the(ClipNorm, run), "norm", dp.constant(1000)),
    "another promise": lambda run: (run.report.problem, "target", dp.ApproxDP(100, "1e-6")),
    "another graph": lambda run: (run.report.problem, "graph", certified(released(Trace)).graph),
}


ONES = np.ones((3, 1)), np.ones(3)
executions = pytest.mark.parametrize("executions", [0, 1])


@executions
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_values_changed_after_certification_are_not_executed(change, executions):
    """Nor executed again."""
    run = certified(released(Gram))
    for _ in range(executions):
        dp.execute(run, *ONES, rng=0)
    where, name, other = change(run)
    before = getattr(where, name)
    object.__setattr__(where, name, other)
    try:
        with pytest.raises(dp.NotExecutable, match="changed since"):
            dp.execute(run, *ONES, rng=0)
    finally:
        object.__setattr__(where, name, before)  # the setting is that of other tests too


@executions
def test_caches_planted_after_certification_are_not_read(executions):
    """Whether or not it was executed before."""
    run = certified(released(Gram))
    true = run.hash
    for _ in range(executions):
        dp.execute(run, *ONES, rng=0)
    vars(run.graph)["charged"], vars(run)["document"] = (), {"hash": "0"}
    found = dp.execute(run, np.ones((3, 1)), np.ones(3), rng=0)
    assert (list(found.released), found.receipt.certificate) == (["gram"], true)


def test_numbers_changed_between_executions_are_those_of_the_noise():
    """Nothing that was computed from the old ones is used."""
    target = dp.ApproxDP(dp.EPSILON, "1e-6")
    at_ten = dp.certify(released(Gram), target=target, setting=SETTING).at(epsilon=10)
    before = dp.execute(at_ten, *ONES, rng=0)
    assert before.receipt.guarantee == dp.ApproxDP(10, "1e-6")
    object.__setattr__(at_ten.values["epsilon"], "_numerator", 1)
    after = dp.execute(at_ten, *ONES, rng=0)
    assert after.receipt.guarantee == dp.ApproxDP(1, "1e-6")
    noise = [abs(one.released["gram"][0, 0] - 3) for one in (before, after)]
    assert noise[1] > 5 * noise[0]


@pytest.mark.parametrize(
    "part",
    [lambda: dp.constant(1), lambda: RowsNode.__dict__["norm"], lambda: RowsNode.norm.fget],
    ids=["a constant", "a property of ours", "a function of ours"],
)
def test_what_hides_an_inherited_rule_is_seen(part, monkeypatch):
    """Rows clipped to length 1000 do not pass for rows of length 1."""
    monkeypatch.setattr(ClipNorm, "radius", part(), raising=False)
    assert ClipNorm in strangers([ClipNorm.__new__(ClipNorm)])


def test_what_later_pythons_write_into_classes_is_known():
    """From 3.12 each enumeration wraps Python's own function anew; from 3.13 attrs writes one more
    method. Without both every declaration was refused there.
    """
    wrapped = staticmethod(enum.Enum._generate_next_value_)
    assert identity._behind(wrapped) == ()
    assert identity._behind(staticmethod(len)) == (None,)
    assert "__replace__" in identity.GENERATED


def in_two_stages(function, monkeypatch):
    """A certificate whose second release is drawn after `function`, which can reach it."""
    held = types.ModuleType("held_by_a_function")
    monkeypatch.setitem(sys.modules, held.__name__, held)

    def declare(X, y, budget):
        first = dp.release(y @ y, dp.Gaussian(std=10), name="first")
        width = dp.known(dp.post(function, first), "1/2", 1, name="width")
        rows = X.scaled(by=width).clip(norm=1)
        held.later = dp.release(rows.T @ y, dp.Gaussian(std=10), name="later")
        return dp.post(function, first, held.later)

    return certified(declared(declare))


def test_a_function_that_changes_the_graph_stops_the_run(monkeypatch):
    """Noise of a later stage is that of the certificate, or is not drawn."""
    run = in_two_stages(lessening, monkeypatch)
    with pytest.raises(dp.NotExecutable, match="changed since"):
        dp.execute(run, *ONES, rng=0)


def test_noise_that_a_function_puts_into_a_cache_is_not_drawn(monkeypatch):
    """Also where a later stage reads it."""
    found = dp.execute(in_two_stages(planting, monkeypatch), *ONES, rng=0)
    assert abs(found.released["later"][0] - 3) > 1


def test_an_update_that_changes_its_loop_stops_the_run(monkeypatch):
    """Every turn has the noise of the certificate."""
    held = types.ModuleType("held_by_a_function")
    monkeypatch.setitem(sys.modules, held.__name__, held)

    def declare(X, y, budget):
        point = dp.iterate(X.columns)
        descent = dp.graph.gradient(X, y, at=point, clip=1)
        held.later = dp.release(descent, dp.Gaussian(std=20), times=3)
        return dp.loop(point, held.later, lessening)

    run = certified(declared(declare))
    with pytest.raises(dp.NotExecutable, match="changed since"):
        dp.execute(run, *ONES, rng=0)


def planting(value, *_):
    """Store other noise where the release that the declaration left behind keeps its own."""
    vars(sys.modules["held_by_" + "a_function"].later)["mechanism"] = dp.Gaussian(std="0.001")
    return value


def lessening(value, *_):
    """Take the noise away from the release that the declaration left behind."""
    later = sys.modules["held_by_" + "a_function"].later
    object.__setattr__(later.stated, "std", dp.constant("0.001"))
    return value


def test_a_bound_changed_while_it_is_declared_is_the_one_that_counts():
    """Facts cached for the bound before are not found again."""

    def declare(X, y, budget):
        rows = X.clip(norm="1/2")
        gram = rows.T @ rows
        assert gram.sensitivity(L2).value == dp.constant("1/4")
        object.__setattr__(the_clip(gram.rows), "norm", dp.constant(1000))
        return dp.release(gram, dp.Gaussian.analytic, budget, name="gram")

    run = certified(declared(declare))
    assert run.graph.statistics[0].sensitivity(L2).value == dp.constant(10**6)
    assert run.verdict.accepted


def test_threads_read_one_graph_at_once():
    """Each empties the caches of the graph that the others fill."""
    graph = certified(released(Gram)).graph
    expected, switching = identity.state(graph), sys.getswitchinterval()

    def unchanged():
        found = []
        for _ in range(1000):
            found.append(identity.state(graph) == expected)
            assert graph.posts == graph.known == ()
        return all(found)

    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(6) as threads:
            assert all(one.result() for one in [threads.submit(unchanged) for _ in range(6)])
    finally:
        sys.setswitchinterval(switching)


def the_clip(rows):
    """The map below a grid that clips."""
    return rows if type(rows) is ClipNorm else the_clip(rows.source)
