"""Joint calibration: one factor for all noise, certified, saved, checked; nothing is lost by it."""

import json
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import dpframe as dp
from dpframe.graph.statistics import RawAggregate
from dpframe.literature.catalogue import example
from dpframe.mechanisms import Laplace
from dpframe.sensitivity import L2
from dpframe.symbols import exp, to_json
from tests.pld.composition import truths
from tests.support import checking as check
from tests.support import samples
from tests.support.oracles import delta_of

SYMBOLIC = dp.ApproxDP(dp.EPSILON, dp.DELTA)


def only_gaussian(cls):
    """Whether a declaration adds Gaussian noise to bounded statistics, and nothing else."""
    graph = example(cls).graph(samples.setting(), SYMBOLIC.budget)
    bounded = all(one.statistic.sensitivity(L2) is not None for one in graph.releases)
    gaussian = all(one.noise is dp.Gaussian for one in graph.releases)
    bounded &= not any(isinstance(node, RawAggregate) for node in graph.nodes)
    return graph.additive and bool(graph.releases) and gaussian and bounded


CLEAR = (  # they read data in the clear
    dp.literature.SSPStatsmodels,
    dp.literature.NoisyGradientDescentPrinted,
    dp.literature.LeastSquaresDPrivStats,
)
GAUSSIAN = [
    cls
    for cls in samples.REGRESSIONS
    if cls not in (dp.literature.AdaSSPBudget, *CLEAR) and only_gaussian(cls)
]


def keep(*released):
    """What was released."""
    return released[0]


class Mixed(dp.Regression):
    """Laplace noise on n, Gaussian noise on X'X and X'y."""

    def declare(self, X, y, budget):
        n = dp.release(dp.count(X), dp.Laplace(scale=2), name="n")
        gram = dp.release(X.T @ X, dp.Gaussian(std=3), name="gram")
        moment = dp.release(X.T @ y, dp.Gaussian(std=2), name="moment")
        return dp.post(keep, n, gram, moment)


class Pure(dp.Regression):
    """Laplace noise on the sums of squares and of labels."""

    def declare(self, X, y, budget):
        squares = dp.release(dp.trace(X.T @ X), dp.Laplace(scale=2), name="squares")
        labels = dp.release(dp.total(y), dp.Laplace(scale=3), name="labels")
        return dp.post(keep, squares, labels)


def unit(relation=dp.ADD_REMOVE):
    """Rows and labels of size at most 1."""
    return samples.setting(relation, norm=1, bound=1)


def checked(certificate):
    """The verdict of the standalone checker on the certificate's file."""
    return check.check(check.read(json.dumps(certificate.document)))


def mixed_delta(epsilon, mu, x):
    """The profile of N(mu, 1) and Laplace noise at x: its loss is +-x or spread between."""
    with mpmath.workdps(40):
        x, epsilon = mpmath.mpf(x), mpmath.mpf(epsilon)
        return truths.after_laplace(x, lambda e: truths.gaussian(mpmath.mpf(mu), e), epsilon, [])


@pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
@pytest.mark.parametrize("cls", GAUSSIAN, ids=lambda cls: cls.__name__)
def test_every_gaussian_declaration_is_calibrated_for_all_epsilon_and_delta(cls, relation):
    """Also those that are refused as declared; and the standalone checker agrees."""
    proof = dp.certify(
        example(cls), target=SYMBOLIC, setting=samples.setting(relation), calibrate="jointly"
    )
    assert proof.derivation == "gaussian"
    assert not proof.region
    kinds = {record["kind"] for record in proof.graph.records}
    assert checked(proof).accepted or not kinds <= set(check.KINDS)


def test_wang_needs_0617_of_his_noise():
    """adaSSP at epsilon 1, delta 1e-6: 0.617, and with less the exact profile is above delta."""
    declared = dp.certify(dp.literature.AdaSSPWang(), target=SYMBOLIC, setting=unit())
    jointly = dp.certify(
        dp.literature.AdaSSPWang(), target=SYMBOLIC, setting=unit(), calibrate="jointly"
    )
    stds = []
    for proof in (declared, jointly):
        at = proof.at(epsilon=1, delta="1e-6")
        stds.append([at.number(release.std, up=True) for release in at.graph.releases])
    ratios = np.array(stds[1]) / np.array(stds[0])
    assert np.all(np.abs(ratios - 0.617) < 5e-4)
    mu = np.sqrt(sum(1 / std**2 for std in stds[1]))
    assert delta_of(1, mu * (1 - 1e-14)) <= 1e-6
    assert delta_of(1, mu * (1 + 1e-9)) > 1e-6


def test_the_certificate_names_it():
    """In its first line, in its file, and after loading."""
    proof = dp.certify(
        dp.literature.AdaSSPWang(), target=SYMBOLIC, setting=unit(), calibrate="jointly"
    )
    assert "AdaSSPWang(rho=1/20), all noise calibrated jointly" in str(proof)
    assert dp.load(proof.document).hash == proof.hash
    assert dp.load(proof.document).regression == dp.regressions.Jointly(
        of=dp.literature.AdaSSPWang()
    )


def test_another_word_is_refused():
    """calibrate is 'as declared' or 'jointly'."""
    with pytest.raises(dp.InvalidArgument, match="calibrate"):
        dp.certify(dp.SSP(), target=SYMBOLIC, setting=unit(), calibrate="well")


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(1, "1e-6"), ("1/10", "1e-9"), (8, "1e-12"), ("1e-3", "1/10")]
)
def test_gaussian_and_laplace_noise_together(epsilon, delta):
    """A mixed graph spends its whole budget, by an integral over the Laplace loss at 40 digits."""
    proof = dp.certify(
        Mixed(), target=dp.ApproxDP(epsilon, delta), setting=unit(), calibrate="jointly"
    )
    assert proof.derivation == "numeric"
    n, gram, moment = (release.mechanism.formula.value for release in proof.graph.releases)
    assert (gram / n, moment / n) == (Fraction(3, 2), 1)
    mu = mpmath.sqrt(mpmath.mpf(1) / gram**2 + mpmath.mpf(1) / moment**2)
    spent = mixed_delta(Fraction(epsilon), mu, 1 / n)
    assert spent <= Fraction(delta)
    assert spent >= Fraction(delta) * (1 - Fraction(1, 10**9))
    assert dp.load(proof.document).hash == proof.hash
    assert checked(proof).accepted


@pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
@pytest.mark.some(1)
def test_pure_noise_under_every_budget(relation):
    """Laplace noise alone: all of epsilon, all of rho, and by the numeric total."""
    for target, derivation in (
        (dp.PureDP(dp.EPSILON), "basic"),
        (dp.ZeroConcentratedDP(dp.RHO), "zcdp"),
        (dp.ApproxDP(1, "1e-6"), "numeric"),
    ):
        proof = dp.certify(Pure(), target=target, setting=unit(relation), calibrate="jointly")
        assert proof.derivation == derivation
        if derivation != "numeric":  # the checker composes pure noise alone by shares or zCDP
            assert checked(proof).accepted


def test_mixed_noise_under_zcdp_is_a_formula():
    """rho is spent exactly: mu^2/2 of the Gaussians and epsilon^2/2 of the Laplace release."""
    proof = dp.certify(
        Mixed(), target=dp.ZeroConcentratedDP(dp.RHO), setting=unit(), calibrate="jointly"
    )
    n, gram, moment = (
        proof.at(rho="1/8").number(release.mechanism.formula, up=True)
        for release in proof.graph.releases
    )
    assert np.isclose(1 / (2 * n**2) + 1 / (2 * gram**2) + 1 / (2 * moment**2), 1 / 8)
    assert checked(proof).accepted


def test_what_does_not_move_needs_no_noise():
    """Under replace-one n is public."""
    setting = unit(dp.REPLACE_ONE)
    with pytest.raises(dp.InvalidArgument, match="without a release"):
        dp.certify(Mixed(), target=dp.ApproxDP(1, "1e-6"), setting=setting, calibrate="jointly")


def test_symbols_in_a_mixed_graph_are_refused_with_a_way_out():
    """The numeric accountant needs numbers."""
    with pytest.raises(dp.InvalidArgument, match="give them"):
        dp.certify(Mixed(), target=SYMBOLIC, setting=unit(), calibrate="jointly")


def test_less_noise_is_refused_by_prover_and_checker():
    """A part in a million below the calibrated noise, in each release in turn."""
    target = dp.ApproxDP(1, "1e-6")
    proof = dp.certify(Mixed(), target=target, setting=unit(), calibrate="jointly")
    for index, node in enumerate(proof.document["graph"]["nodes"]):
        if node["kind"] != "release":
            continue
        mutant = json.loads(json.dumps(proof.document))
        size = proof.graph.nodes[index].mechanism.formula.value
        mutant["graph"]["nodes"][index]["size"] = to_json(
            dp.constant(size * (1 - Fraction(1, 10**6)))
        )
        assert not check.check(check.read(json.dumps(mutant))).accepted
    assert not dp.examine(Mixed(), target=target, setting=unit(), accountant="numeric").proved


def test_the_numeric_total_is_not_used_where_a_cost_is_a_formula():
    """A graph with a symbol in its noise gets no numeric derivation."""

    class Open(dp.Regression):
        """Noise exp(epsilon)."""

        def declare(self, X, y, budget):
            return dp.release(dp.count(X), Laplace(scale=exp(dp.EPSILON)), name="n")

    report = dp.examine(Open(), target=dp.ApproxDP(1, "1e-6"), setting=unit(), accountant="numeric")
    assert not report.proved


def test_mechanisms_are_calibrated_as_graphs_are():
    """dp.calibrate: the same factor as that of the graph, and hardly a waste."""
    found = dp.calibrate(
        dp.Laplace(scale=2), dp.Gaussian(std=3), dp.Gaussian(std=2), target=dp.ApproxDP(1, "1e-6")
    )
    proof = dp.certify(Mixed(), target=dp.ApproxDP(1, "1e-6"), setting=unit(), calibrate="jointly")
    scale = proof.graph.releases[0].mechanism.formula.value
    assert abs(float(found.factor * 2 / scale) - 1) < 1e-12
    cost = found.composition.epsilon("1e-6")
    assert cost.upper <= 1
    assert cost.lower >= 1 - 1e-9


def test_what_is_not_noise_keeps_its_cost():
    """A stated guarantee is paid before the rest; one that is too dear is refused."""
    fixed = dp.ApproxDP("1/2", "1e-7")
    found = dp.calibrate(fixed, dp.Gaussian(std=1), target=dp.ApproxDP(1, "1e-6"))
    alone = dp.calibrate(dp.Gaussian(std=1), target=dp.ApproxDP(1, "1e-6"))
    assert found.factor > alone.factor
    assert found.things[0] is fixed
    for wrong in (dp.PureDP(2), dp.ApproxDP("1/2", "1e-5")):
        with pytest.raises(dp.InvalidArgument, match="Raise epsilon or delta"):
            dp.calibrate(wrong, dp.Gaussian(std=1), target=dp.ApproxDP(1, "1e-6"))
