"""What may be read, and what may be called exact: a class says it itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs
import pytest

import dpframe as dp
from dpframe.graph import Procedure, procedures
from dpframe.graph.statistics import Gram, Stack, Statistic
from dpframe.identity import own
from dpframe.mechanisms import AdditiveNoise, Gaussian
from dpframe.prover import Verdict
from dpframe.theory import KINDS
from tests.support.samples import setting

# --------------------------------------------------------------------------------- What may be read
TARGET = dp.ApproxDP(dp.EPSILON, dp.DELTA)
analytic = dp.Gaussian.analytic


def identity(*values):
    """Post-processing that does nothing."""
    return values


def gram(rows):
    """X'X of mapped rows."""
    return rows.T @ rows


PLACES = {  # a graph that reads the formula f at one place; all places: prover/test_flow.py
    "std": lambda X, y, b, f: dp.release(X.T @ y, dp.Gaussian(std=f)),
    "share": lambda X, y, b, f: dp.release(X.T @ y, analytic, b.split(1 / f)[0]),
    "divisor": lambda X, y, b, f: dp.release(gram(X.scaled(f)), analytic, b),
    "post": lambda X, y, b, f: dp.post(identity, dp.release(X.T @ y, analytic, b), f),
}
VALUES = {  # a formula of the data
    "n + 1": lambda X, y: 1 + X.rows,
    "max_abs": lambda X, y: dp.graph.aggregate("max_abs", X) + 1,
}


class Reads(dp.Regression):
    """A graph that reads a formula at a place. [tests]"""

    place: str = ""
    formula: str = ""

    def declare(self, X, y, budget):
        """The place's graph."""
        return PLACES[self.place](X, y, budget, VALUES[self.formula](X, y))


STD = dp.Gaussian(std=10**6)


def largest(X):
    """The largest entry."""
    return dp.graph.aggregate("max_abs", X).__expression__()


HARMLESS = {  # claims that are true although a formula reads the data
    "noise": lambda X: dp.release(X.sum(), dp.Gaussian(std=10**6 + largest(X))),
    "a mean": lambda X: dp.release(X.scaled(X.rows).sum(), STD),
    "not larger": lambda X: dp.release(X.scaled(dp.maximum(5, largest(X))).sum(), STD),
    "no clip": lambda X: dp.release(X.clip(norm=dp.sqrt(X.columns) * largest(X)).sum(), STD),
    "no row": lambda X: dp.release(dp.count(X.scaled(largest(X))), STD),
    "unit rows": lambda X: dp.release(X.scaled(largest(X)).normalized().sum(), STD),
    "nothing": lambda X: dp.post(nothing, dp.release(X.sum(), STD), dp.trace(X.T @ X)),
}


def nothing(released, raw):
    """Of what is raw."""
    del raw
    return released


class Harmless(dp.Regression):
    """One of these. [tests]"""

    case: str = ""

    def declare(self, X, y, budget):
        """Its graph."""
        del y, budget
        return HARMLESS[self.case](X)


@pytest.mark.some(9)
@pytest.mark.parametrize("case", HARMLESS)
def test_what_reads_private_data_may_be_private(case):
    """Noise of a million stds hides what each of these sums moves by: neither proved nor
    refuted.
    """
    done = dp.audit(Harmless(case), target=dp.ApproxDP(1, "0.1"), setting=setting())
    assert done.verdict is Verdict.UNPROVED


@pytest.mark.parametrize("place", ["std", "post", "divisor", "share"])
def test_public_sizes_are_public_under_replace_one(place):
    """n is public under replace-one: nothing is refused for reading it."""
    table = setting(dp.REPLACE_ONE)
    report = dp.examine(Reads(place, "n + 1"), target=TARGET, setting=table)
    assert not any("must be public" in o.rule for o in report.open_obligations)


def test_a_function_that_captures_data_is_refused():
    """A closure, a default or a global that holds a node is an error; so is a nested function."""
    X, y = setting().nodes()
    statistic = X.T @ y

    def closing(value):
        return value, statistic

    def defaulting(value, other=statistic):
        return value, other

    for function in (closing, defaulting, lambda value: statistic):
        with pytest.raises((dp.errors.TouchesData, dp.InvalidArgument)):
            dp.post(function, 1)


def test_a_graph_is_a_value():
    """Graphs of one declaration are equal and hash alike; another share is another graph."""
    graphs = [dp.literature.AdaSSPBudget().graph(setting(), TARGET.budget) for _ in range(2)]
    assert graphs[0] == graphs[1]
    assert len(set(graphs)) == 1
    other = dp.literature.AdaSSPBudget(gamma="1/3").graph(setting(), TARGET.budget)
    assert other != graphs[0]
    assert len({graphs[0].hash, other.hash}) == 2


def test_what_a_declaration_returns_is_checked():
    """Numbers, arrays and nothing are no output."""

    class Wrong(dp.Regression):
        """Returns no node. [tests]"""

        def declare(self, X, y, budget):
            """A number."""
            return 1

    with pytest.raises(dp.InvalidArgument, match="output of declare"):
        Wrong().graph(setting(), TARGET.budget)


def test_the_path_is_named():
    """A refusal spells the way from the source to where the data leaves."""
    report = dp.examine(Reads("divisor", "max_abs"), target=TARGET, setting=setting())
    told = " ".join(str(obligation) for obligation in report.open_obligations)
    assert "X -> clip to norm 3/2 -> max_abs -> divisor of" in told


# ------------------------------------------------------------ Nobody inherits that a value is exact
X, Y = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE).nodes()
WAYS = ("block", "compute", "on_grid", "sample", "samples")
BASES = {Statistic: "step", AdditiveNoise: "exact", Procedure: "exact"}


def derived(base: type) -> Iterator[type]:
    """Every class below."""
    for one in base.__subclasses__():
        yield one
        yield from derived(one)


def exact(base: type) -> list[type]:
    """Our classes below that say that they are exact."""
    name = BASES[base]
    found = [one for one in dict.fromkeys(derived(base)) if own(one)]
    if base is Statistic:  # their steps stand in the rule book
        return [one for one in found if vars(one).get("kind") in KINDS]
    return [one for one in found if getattr(one, name) is not vars(base)[name]]


CASES = [(base, kind) for base in BASES for kind in exact(base)]


def test_there_are_exact_ones_of_each_sort():
    """So the cases below say something."""
    assert {base for base, _ in CASES} == set(BASES)
    assert {Gram, Gaussian, procedures.DeepPoint, procedures.TestedPoint} <= {k for _, k in CASES}


@pytest.mark.some(6)
@pytest.mark.parametrize(("base", "kind"), CASES, ids=lambda one: one.__name__)
def test_what_is_derived_from_an_exact_class_is_not(base, kind):
    """Whichever way of computing it replaces; also by a mixin, one class below, and of attrs."""
    name = BASES[base]
    default = None if base is Statistic else vars(base)[name]
    for way in (way for way in WAYS if hasattr(kind, way)):
        body: dict[str, Any] = {way: vars(kind).get(way, None)}
        other = type("Other", (kind,), body)
        mixed = type("Mixed", (type("Mixin", (), body), kind), {})
        again = type("Again", (other,), {})
        slotted = attrs.frozen(type("Slotted", (kind,), dict(body)), eq=False)
        for one in (other, mixed, again, slotted):
            assert getattr(one, name) is default, way


def test_a_class_that_says_it_again_is_exact():
    """Both what it computes and on which step."""

    class Doubled(Gram):
        step = property(lambda self: Gram(self.rows).step)

        def block(self, values):
            return 2 * super().block(values)

    class Drawn(Gaussian):
        exact = True

        @staticmethod
        def on_grid(size, n, bits):
            return Gaussian.on_grid(size, n, bits)

    assert Doubled(X).step == Gram(X).step
    assert Drawn(3).exact


def test_parts_of_a_stack_do_not_speak_for_one_of_ones_own():
    """Which may combine them otherwise."""

    class Reversed(Stack):
        def compute(self, values, number):
            return super().compute(values, number)[::-1]

    parts = (X.T @ X, X.T @ Y)
    assert Stack(parts).exact
    assert not Reversed(parts).exact
