"""Nobody inherits that a value is exact: a class says it itself, or it is not."""

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
from dpframe.theory import KINDS

X, Y = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE).nodes()
WAYS = ("block", "compute", "on_grid", "sample", "samples")
BASES = {Statistic: "step", AdditiveNoise: "exact", Procedure: "exact"}
ANY = (procedures.DeepPoint, Gaussian, Gram)  # imports the rest


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
