"""Bad input is a DPFrameError that names the argument and what it must be."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import dpframe as dp
from tests.support.samples import setting

NAN, INF = float("nan"), float("inf")
TARGET = dp.ApproxDP(dp.EPSILON, dp.DELTA)


@cache
def proof():
    """A certificate with three symbols."""
    return dp.certify(dp.literature.AdaSSPBudget(), target=TARGET, setting=setting())


def rows(**more):
    """A setting with these rows."""
    return dp.Setting(X=dp.Rows(**more), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


def labels(**more):
    """A setting with these labels."""
    return dp.Setting(X=dp.Rows(norm=1), y=dp.Column(**more), relation=dp.ADD_REMOVE)


def capturing():
    """A function that captures a variable."""
    secret = 1
    return lambda x: x + secret


BAD = {
    "epsilon": [
        lambda v=v: dp.ApproxDP(v, "1e-6") for v in (0, -1, NAN, INF, "one", True, None, [1])
    ]
    + [lambda v=v: dp.PureDP(v) for v in (0, -1, NAN, True, np.True_)]
    + [lambda v=v: proof().at(epsilon=v) for v in (0, -1, "-1", NAN, INF, True, "one", None, 1j)],
    "delta": [
        lambda v=v: dp.ApproxDP(1, v) for v in (0, 1, 2, -1e-6, NAN, INF, "small", True, None)
    ]
    + [lambda v=v: proof().at(delta=v) for v in (0, 1, -1e-6, 2, NAN, False, "x")],
    "rho": [lambda v=v: dp.ZeroConcentratedDP(v) for v in (-1, NAN, INF, True, "x")],
    "mu": [lambda v=v: dp.GaussianDP(v) for v in (-1, NAN, INF, True, "x")],
    "gamma": [
        lambda v=v: dp.literature.AdaSSPBudget(gamma=v) for v in (0, 1, -1, 2, NAN, True, "x", [1])
    ]
    + [lambda v=v: proof().at(gamma=v) for v in (0, 1, "1", 1.0, -0.5, NAN, True)],
    "norm": [lambda v=v: rows(norm=v) for v in (0, -1, NAN, INF, "x", True, [1], np.eye(2))]
    + [lambda: setting().nodes()[0].clip(norm=0)],
    "bound": [lambda v=v: labels(bound=v) for v in (0, -1, NAN, INF, "x", True, [1])],
    "lower": [lambda: labels(lower=NAN, upper=1), lambda: labels(lower=True, upper=2)],
    "y": [
        lambda: labels(lower=1, upper=1),
        lambda: labels(lower=2, upper=1),
        lambda: labels(lower=1),
        lambda: labels(bound=1, lower=0, upper=1),
        dp.Column,
    ],
    "X": [dp.Rows],
    "columns": [
        lambda v=v: rows(columns=v) for v in ([], ["age"], [1], "age", dp.Numeric("a", 0, 1))
    ],
    "bounds of age": [lambda v=v: dp.Numeric("age", *v) for v in ((1, 1), (2, 1))],
    "levels of city": [lambda v=v: dp.Categorical("city", v) for v in ([], [1, 1])],
    "levels": [lambda v=v: dp.Categorical("city", v) for v in ("", "no", 1)],
    "rows_per_person": [
        lambda v=v: setting(rows_per_person=v).unit for v in (0, -1, 1.5, "x", True, NAN)
    ],
    "k": [lambda v=v: TARGET.budget.split_evenly(v) for v in (0, True, 1.5)],
    "times": [
        lambda v=v: dp.release(
            setting().nodes()[1] @ setting().nodes()[1],
            dp.Gaussian.analytic,
            TARGET.budget,
            times=v,
        )
        for v in (0, -1, 1.5, True, "x", NAN)
    ],
    "by": [lambda v=v: setting().nodes()[0].scaled(v) for v in (0, -1, True, NAN)],
    "accountant": [
        lambda v=v: dp.examine(dp.SSP(), target=TARGET, setting=setting(), accountant=v)
        for v in ("best", "")
    ],
    "target": [
        lambda v=v: dp.certify(dp.SSP(), target=v, setting=setting()) for v in (1, None, (1, 1e-6))
    ],
    "setting": [lambda v=v: dp.certify(dp.SSP(), target=TARGET, setting=v) for v in (None, {})],
    "regression": [
        lambda v=v: dp.certify(v, target=TARGET, setting=setting()) for v in (None, dp.SSP, "SSP")
    ],
    "sigma": [lambda: proof().at(sigma=1)],
    "n": [lambda v=v: ready().preview(n=v, d=3) for v in (-1, 1.5, True, "x", NAN)],
    "d": [lambda v=v: ready().preview(n=100, d=v) for v in (0, -1, 1.5, True)],
    "statistic": [
        lambda v=v: dp.release(v, dp.Gaussian.analytic, TARGET.budget) for v in (1, np.eye(2), "X")
    ],
    "mechanism": [
        lambda v=v: dp.release(setting().nodes()[1] @ setting().nodes()[1], v, TARGET.budget)
        for v in (None, 1, "gaussian", dp.Gaussian)
    ],
    "share": [
        lambda v=v: dp.release(setting().nodes()[1] @ setting().nodes()[1], dp.Gaussian.analytic, v)
        for v in (None, 1, 0.5, "half")
    ],
    "function": [lambda v=v: dp.post(v, 1) for v in (None, 1, len, "f", capturing())],
    "aggregate": [lambda: dp.graph.aggregate("median", setting().nodes()[0])],
}


def ready():
    """The same at numbers."""
    return proof().at(epsilon=1, delta="1e-6", gamma="1/3")


@pytest.mark.parametrize("name", BAD)
def test_bad_input_names_its_argument(name):
    """An InvalidArgument, which is also a ValueError, whose text begins with the argument."""
    for make in BAD[name]:
        with pytest.raises(dp.InvalidArgument) as caught:
            make()
        assert isinstance(caught.value, ValueError)
        assert name in str(caught.value).partition(" must be ")[0]
        assert " must be " in str(caught.value)


@pytest.mark.parametrize("relation", [None, "add_remove", 1])
def test_the_relation_is_always_written(relation):
    """A setting needs dp.ADD_REMOVE or dp.REPLACE_ONE."""
    with pytest.raises((dp.DPFrameError, TypeError)):
        setting(relation).nodes()
    with pytest.raises(dp.InvalidArgument, match="relation must be"):
        dp.Setting(X=dp.Rows(norm=1))


@pytest.mark.parametrize(
    "touch",
    [
        np.asarray,
        np.linalg.inv,
        np.sum,
        lambda data: np.eye(2) @ data,
        lambda data: data @ np.eye(2),
        lambda data: data[0],
        lambda data: data > 0,
        bool,
        float,
        int,
        len,
        list,
        lambda data: [1 for _ in data],
        lambda data: 1 if data else 0,
    ],
)
def test_data_cannot_be_touched(touch):
    """numpy and Python's control flow on declared data raise TouchesData, a TypeError."""
    X, y = setting().nodes()
    for data in (X, y, X.T @ X, X.T @ y, dp.lambda_min(X.T @ X), dp.graph.stack(X.T @ X, X.T @ y)):
        with pytest.raises(dp.errors.TouchesData) as caught:
            touch(data)
        assert isinstance(caught.value, TypeError)


def test_an_uncertified_graph_lists_every_obligation():
    """The error carries all open obligations, and its text counts them."""
    with pytest.raises(dp.Uncertified) as caught:
        dp.certify(dp.literature.SSPPiazza(), target=TARGET, setting=setting(dp.REPLACE_ONE))
    assert len(caught.value.obligations) == len(caught.value.report.open_obligations) > 1
    assert f"({len(caught.value.obligations)}) " in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"schema": "dpframe-certificate/3"}'])
def test_a_file_that_is_no_certificate(tmp_path, text):
    """Loading anything else raises BadCertificate."""
    path = tmp_path / "file.json"
    path.write_text(text)
    with pytest.raises(dp.errors.BadCertificate):
        dp.load(path)
    with pytest.raises(dp.errors.BadCertificate):
        dp.load(tmp_path / "missing.json")


def test_numbers_given_twice_must_agree():
    """A certificate at numbers does not move to others."""
    run = proof().at(epsilon=1)
    assert run.at(epsilon="1").values == run.values
    with pytest.raises(dp.InvalidArgument, match="epsilon"):
        run.at(epsilon=2)


def test_nothing_is_executed_but_a_complete_certificate():
    """A regression, a report, a symbolic certificate: NotExecutable or InvalidArgument."""
    X, y = np.zeros((3, 2)), np.zeros(3)
    report = dp.examine(dp.SSP(), target=TARGET, setting=setting())
    for thing in (dp.SSP(), report, proof(), proof().at(epsilon=1), None, "certificate"):
        with pytest.raises((dp.NotExecutable, dp.InvalidArgument)):
            dp.execute(thing, X, y)


def needing_delta():
    """Every way that a declaration comes to need a delta."""
    from dpframe.audits import parse_description

    text = """
    title = "t"
    relation = "add-remove"
    claim = {{epsilon = 1}}
    rows = {{norm = 1}}
    labels = {{bound = 1}}
    [[release]]
    name = "s"
    statistic = "sum(y)"
    mechanism = "gaussian"
    {}
    """
    at = {"target": dp.PureDP(1), "setting": setting()}
    for made in (
        dp.literature.AdaSSPWang,  # divides by delta
        dp.literature.SSPStatsmodels,  # splits it
        dp.literature.BoostedAdaSSPKendall,
        dp.AdaSSP,
        dp.JointSSP,
    ):
        yield pytest.param(lambda made=made: dp.audits.audit(made(), **at), id=made.__name__)
    for noise in ("calibration = 'jointly'", "std = '1/delta'\nshare = 'epsilon, delta'"):
        yield pytest.param(lambda noise=noise: parse_description(text.format(noise)), id=noise)


@pytest.mark.parametrize("make", [*needing_delta()])
def test_a_delta_that_is_missing_is_named(make):
    """The declaration divides by it, splits it, or gives it to a theorem."""
    with pytest.raises(dp.InvalidArgument, match="delta must be above 0 for Gaussian noise"):
        make()


def test_a_bound_that_never_fails_is_refused_by_its_failure():
    """No std is enough for a Gaussian tail of 0."""
    rows = setting().nodes()[0]
    floor = dp.release(dp.lambda_min(rows.T @ rows), dp.Gaussian(std=1), name="floor")
    with pytest.raises(dp.InvalidArgument, match=r"failure must be in \(0, 1\)"):
        dp.graph.lower_bound(floor, 0, name="low")


class PublicCount(dp.Regression):
    """n with noise."""

    noise: object
    shared: bool = False

    def declare(self, X, y, budget):
        """One release."""
        return dp.release(dp.count(X), self.noise, budget if self.shared else None, name="n")


@pytest.mark.parametrize("noise", [dp.Laplace(1), dp.L2Laplace(1), dp.Gaussian(1)])
@pytest.mark.parametrize("target", [dp.PureDP(1), dp.ZeroConcentratedDP(1), dp.GaussianDP(1)])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.some(4)
def test_noise_on_what_is_public_is_judged(noise, target, shared):
    """n under replace-one moves by 0: with Gaussian noise at no cost; other noise is named."""
    setting = dp.Setting(X=dp.Rows(norm=1), relation=dp.REPLACE_ONE)
    found = dp.audit(PublicCount(noise, shared), target=target, setting=setting)
    if not isinstance(noise, dp.Gaussian):
        assert "is public here: use it without a release" in str(found)
    elif not isinstance(target, dp.PureDP):
        assert found.certificate is not None
