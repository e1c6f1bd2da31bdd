"""Sub-Agg: its noise by hand, its certificates, the checker, and what it fits."""

from __future__ import annotations

import copy
from fractions import Fraction

import numpy as np
import pytest

import dpframe as dp
from dpframe.errors import InvalidArgument, Uncertified
from tests.support import checking as check
from tests.support import samples
from tests.support.oracles import sigma_of, value

APPROX, PURE = dp.ApproxDP(dp.EPSILON, dp.DELTA), dp.PureDP(dp.EPSILON)
CLASSES = [dp.regressions.SubAgg, dp.regressions.SubAggPure, dp.literature.SubAggSmith]
every = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
relations = pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
CHANGED = {dp.ADD_REMOVE: 1, dp.REPLACE_ONE: 2}


def symbolic(cls, cells=8):
    """With a free penalty and radius."""
    return cls(cells=cells, penalty=dp.parameter("penalty", 0), radius=dp.parameter("R", 0))


def wide(relation):
    """A setting whose norm, bound and rows per person are parameters."""
    k = dp.parameter("k", 1, integer=True, closed="left")
    norm, bound = dp.parameter("B", 0), dp.parameter("Y", 0)
    return samples.setting(relation, norm=norm, bound=bound, rows_per_person=k)


def document(declared, target, setting):
    """Its certificate as it is saved."""
    return check.file_of(dp.certify(declared, target=target, setting=setting))


@pytest.mark.parametrize("target", [APPROX, PURE], ids=["approximate", "pure"])
@relations
def test_the_derived_noise_is_proved_for_every_parameter(relation, target):
    """B, Y, penalty, radius, rows per person free; the checker agrees."""
    for cls in (
        [dp.regressions.SubAggPure]
        if target is PURE
        else [dp.regressions.SubAgg, dp.regressions.SubAggPure]
    ):
        verdict = check.check(document(symbolic(cls), target, wide(relation)))
        assert verdict.accepted, verdict.reason


@relations
def test_the_noise_by_hand(relation):
    """2R/k, twice that under replace-one, over epsilon; sigma(epsilon, delta) for Gaussians."""
    sensitivity = CHANGED[relation] * 2 * Fraction(3) / 20
    graphs = [
        cls(cells=20, radius=3).graph(samples.setting(relation), APPROX.budget)
        for cls in (dp.regressions.SubAgg, dp.regressions.SubAggPure)
    ]
    gaussian, pure = (graph.releases[0].mechanism for graph in graphs)
    numbers = {"epsilon": Fraction(1, 2), "delta": Fraction(1, 10**6)}
    assert np.isclose(value(pure.scale, numbers), float(2 * sensitivity))
    expected = float(sensitivity) * float(sigma_of(0.5, 1e-6))
    assert np.isclose(value(gaussian.std, numbers), expected, rtol=1e-9)


def test_the_printed_noise_is_for_one_block():
    """Proved under add/remove; under replace-one a record may change its cell: refused."""
    assert check.check(document(dp.literature.SubAggSmith(), PURE, samples.setting())).accepted
    with pytest.raises(Uncertified, match=r"2\*epsilon-differential privacy, is inside its share"):
        dp.certify(
            dp.literature.SubAggSmith(), target=PURE, setting=samples.setting(dp.REPLACE_ONE)
        )
    one = dp.literature.SubAggSmith(cells=1)  # with one cell a record has no other
    assert dp.certify(one, target=PURE, setting=samples.setting(dp.REPLACE_ONE))


def test_files_that_claim_less_sensitivity_are_refused():
    """More cells or a smaller ball than were computed with the noise; another relation; no word of
    idealized numerics.
    """
    found = document(dp.regressions.SubAggPure(), PURE, samples.setting(dp.REPLACE_ONE))
    assert check.check(check.bent(found, "none")).accepted
    fewer = {"assignment": "hashed", "cells": 9, "salt": "Sub-Agg"}
    bent = [
        check.bent(found, "cell_sums", partition=fewer),
        check.bent(found, "cell_sums", partition={**fewer, "cells": 0}),
        check.bent(found, "block_estimates", radius="2"),
        check.bent(found, "block_estimates", radius="-1"),
        check.bent({**found, "assumptions": []}, "none"),
    ]
    assert not any(check.check(one).accepted for one in bent)
    once = copy.deepcopy(document(dp.regressions.SubAggPure(), PURE, samples.setting()))
    once["statement"]["relation"] = "replace_one"
    assert not check.check(check.bent(once, "none")).accepted


def linear(n=4000):
    """y = x'(0.5, -0.3) and a little noise, inside the bounds."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(n, 2))
    return X, X @ [0.5, -0.3] + 0.05 * rng.normal(size=n)


@every
def test_it_fits_where_noise_is_small(cls):
    """At epsilon = 1000: the coefficients to 1%; the released mean is the output."""
    X, y = linear()
    setting = samples.setting()
    target = dp.ApproxDP(1000, "1e-6")
    run = dp.certify(cls(cells=20, penalty=0), target=target, setting=setting)
    result = dp.execute(run, X, y, rng=1)
    assert np.allclose(result.output.coefficients, [0.5, -0.3], atol=0.01)
    assert result.output.ridge_was_zero
    assert np.all(result.output.coefficients == result.released["coefficients"])


def test_the_same_from_any_source_and_order():
    """A simulation of one seed: arrays, shuffled blocks."""
    X, y = linear(1000)
    run = dp.certify(
        dp.regressions.SubAgg(), target=dp.ApproxDP(1, "1e-6"), setting=samples.setting()
    )
    whole = dp.execute(run, X, y, rng=1).output.coefficients
    order = np.random.default_rng(1).permutation(1000)
    shuffled = dp.execute(run, X[order], y[order], rng=1).output.coefficients
    assert np.all(whole == shuffled)


@pytest.mark.parametrize("cells", ["1/2", 0, 1001, dp.parameter("k", 1, integer=True)])
def test_cells_are_a_number_before_anything_is_drawn(cells):
    """From 1 to 1000."""
    with pytest.raises(InvalidArgument):
        dp.certify(dp.regressions.SubAgg(cells=cells), target=APPROX, setting=samples.setting())
