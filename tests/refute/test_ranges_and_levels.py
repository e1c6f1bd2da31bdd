"""Ranges of a proof, levels and row numbers: what is certified is what is executed."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import pytest

import dpframe as dp
from tests.support.samples import declared

APPROX = dp.ApproxDP(1, Fraction(1, 10**6))
X, Y = np.ones((5, 2)), np.ones(5)


def setting(relation: dp.Relation = dp.ADD_REMOVE, **rows: Any) -> dp.Setting:
    """Rows of norm 1, labels of bound 1."""
    return dp.Setting(X=dp.Rows(**{"norm": 1, **rows}), y=dp.Column(bound=1), relation=relation)


@pytest.mark.parametrize("closed", ["neither", "left"])
def test_thinning_keeps_the_compact_ranges_of_boxes(closed: str) -> None:
    """Ten stds 600000 (1 - g_i), proved by boxes for g_i <= 999/1000, are not certified near 1."""
    names = [f"g{i}" for i in range(10)]
    gs = [dp.parameter(name, 0, 1, closed=closed) for name in names]

    def build(_: Any, y: Any, budget: Any) -> Any:
        shares = budget.split_evenly(10)
        stds = [600_000 * (1 - g) for g in gs]
        pairs = zip(stds, shares, strict=True)
        return tuple(dp.release(dp.total(y), dp.Gaussian(std=std), s) for std, s in pairs)

    target = dp.ApproxDP(Fraction(1, 2), Fraction(1, 10**6))
    certificate = dp.certify(declared(build), target=target, setting=setting())
    with pytest.raises(dp.InvalidArgument):
        certificate.at(**dict.fromkeys(names, 1 - Fraction(1, 10**9)))


def test_thinning_keeps_what_a_stated_std_needs_beside_a_named_theorem() -> None:
    """std 20, proved for epsilon >= 1, is not certified at 1/1000 beside ten named theorems."""
    epsilon = dp.parameter("epsilon", 0, 1000, closed="right")
    gamma = dp.parameter("gamma", 0, 1, closed="right")

    def build(_: Any, y: Any, budget: Any) -> Any:
        first, *others = budget.split("1/2", *[gamma**i / 20 for i in range(1, 11)])
        stated = dp.release(dp.total(y), dp.Gaussian(std=20), first)
        return (stated, *(dp.release(dp.total(y), dp.Gaussian.kamath_ullman, s) for s in others))

    target = dp.ApproxDP(epsilon, Fraction(1, 10**6))
    certificate = dp.certify(declared(build), target=target, setting=setting())
    with pytest.raises(dp.InvalidArgument):
        certificate.at(epsilon=Fraction(1, 1000), gamma=Fraction(1, 2))


def test_a_row_has_at_most_one_level() -> None:
    """Levels 2^53 and 2^53 + 1, one number as doubles, do not give a row two indicators."""
    level = 2**53
    try:
        rows = dp.Rows(columns=[dp.Categorical("a", (level, level + 1))])
    except dp.InvalidArgument:
        return
    table = dp.Setting(X=rows, relation=dp.ADD_REMOVE)
    loose = dp.ApproxDP(10**30, Fraction(1, 10))
    build = lambda X, _, __: dp.release(dp.total(X), dp.Gaussian(std=Fraction(1, 10**9)))  # noqa: E731
    certificate = dp.certify(declared(build), target=loose, setting=table)
    result = dp.execute(certificate, np.full((1, 1), float(level)), rng=0)
    assert np.sum(next(iter(result.released.values()))) < 3 / 2


def test_levels_of_different_types_are_different_declarations() -> None:
    """The levels 1, 2 and '1', '2' have different hashes."""

    def of(levels: tuple[Any, ...]) -> str:
        table = dp.Setting(X=dp.Rows(columns=[dp.Categorical("a", levels)]), relation=dp.ADD_REMOVE)
        build = lambda X, _, budget: dp.release(dp.total(X), dp.Gaussian.analytic, budget)  # noqa: E731
        return str(dp.certify(declared(build), target=APPROX, setting=table).hash)

    assert of((1, 2)) != of(("1", "2"))


def test_a_certificate_keeps_the_problem_that_was_proved() -> None:
    """A report whose problem was exchanged makes no certificate."""
    build = lambda _, y, budget: dp.release(dp.total(y), dp.Gaussian.analytic, budget)  # noqa: E731
    proved = dp.certify(declared(build), target=APPROX, setting=setting())
    forged = attrs.evolve(proved.report.problem, target=dp.PureDP(Fraction(1, 10**9)))
    with pytest.raises((dp.DPFrameError, TypeError)):
        attrs.evolve(proved, report=attrs.evolve(proved.report, problem=forged))


def identity(value: Any, other: Any) -> Any:
    """Both."""
    return value, other


@pytest.mark.parametrize("posted", [False, True])
def test_what_is_certified_constant_is_executed(posted: bool) -> None:
    """A count under replace-one, in the output or in post-processing, is executed too."""

    def build(X: Any, y: Any, budget: Any) -> Any:
        noisy = dp.release(dp.total(y), dp.Gaussian.analytic, budget)
        return dp.post(identity, noisy, dp.count(X)) if posted else (noisy, dp.count(X))

    certificate = dp.certify(declared(build), target=APPROX, setting=setting(dp.REPLACE_ONE))
    assert dp.execute(certificate, X, Y, rng=0).output[1] == len(Y)


def test_one_n_for_every_view_of_a_table() -> None:
    """X.rows of two row maps of one table is one number, n."""

    def build(X: Any, y: Any, budget: Any) -> Any:
        noisy = dp.release(dp.total(y), dp.Gaussian.analytic, budget)
        return dp.post(identity, noisy, X.rows + X.with_intercept().rows)

    certificate = dp.certify(declared(build), target=APPROX, setting=setting(dp.REPLACE_ONE))
    assert dp.execute(certificate, X, Y, rng=0).output[1] == 2 * len(Y)
