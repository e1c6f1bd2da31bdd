"""Graphs rebuilt with other releases, and declarations calibrated anew by rewriting them."""

from fractions import Fraction

import attrs
import pytest

import dpframe as dp
from dpframe.graph import Graph, Known, Release
from dpframe.graph.rewriting import Scaling, recalibrated, rewritten

SETTING = dp.Setting(X=dp.Rows(norm=2), y=dp.Column(bound=3), relation=dp.ADD_REMOVE)
TARGET = dp.ApproxDP(1, "1e-6")
X, Y = SETTING.nodes()


def keep(*released):
    """What was released."""
    return released


def twice(release):
    """A release with twice the noise."""
    return Scaling(dp.constant(2)).release(release)


class Told(dp.Regression):
    """X'X and X'y; a function is told half the std of the first."""

    def declare(self, X, y, budget):
        gram = dp.release(X.T @ X, dp.Gaussian(std=6), name="gram")
        moment = dp.release(X.T @ y, dp.Gaussian(std=5), name="moment")
        return dp.post(keep, gram, moment, gram.std / 2, moment.std)


class Copied(dp.Regression):
    """The noise of one release is stated by the std of another."""

    def declare(self, X, y, budget):
        gram = dp.release(X.T @ X, dp.Gaussian(std=6), name="gram")
        moment = dp.release(X.T @ y, dp.Gaussian(std=2 * gram.std), name="moment")
        return dp.post(keep, gram, moment, moment.std)


class Clipped(dp.Regression):
    """Labels clipped at a released number, whose std a function is told."""

    def declare(self, X, y, budget):
        labels = dp.release(dp.total(y), dp.Gaussian(std=4), name="labels")
        level = dp.known(dp.post(keep, labels, labels.std), 1, 3, name="level")
        clipped = y.scaled(by=level).clip(-1, 1)
        return dp.release(X.T @ clipped, dp.Gaussian(std=3), name="moment")


def graph_of(regression):
    """Its graph for the target."""
    return regression.graph(SETTING, TARGET.budget)


def formulas(graph):
    """Every formula of a graph."""
    return [formula for node in graph.nodes for formula in node.formulas.values()]


def chain(length):
    """Releases of X'y, each of which clips labels at a number learned from the one before."""
    last = dp.release(dp.total(Y), dp.Gaussian(std=3), name="r0")
    first = last
    for turn in range(1, length):
        level = dp.known(last, 1, 2, name=f"level{turn}")
        labels = Y.scaled(by=level).clip(-1, 1)
        last = dp.release(dp.total(labels), dp.Gaussian(std=3), name=f"r{turn}")
    return first, last


def test_what_reads_no_replaced_node_stays_the_same_object():
    """One release is replaced; the other one and both statistics are kept."""
    gram = dp.release(X.T @ X, dp.Gaussian(std=6), name="gram")
    moment = dp.release(X.T @ Y, dp.Gaussian(std=5), name="moment")
    post = dp.post(keep, gram, moment)
    again = rewritten(post, {gram: twice})
    assert again.arguments[1] is moment
    assert again.arguments[0].statistic is gram.statistic
    assert again.arguments[0].std == dp.constant(12)
    assert rewritten(post, {}) is post


def test_formulas_speak_of_the_new_release():
    """A known number of a replaced release is another, everywhere where it is read."""
    first, last = chain(3)
    graph = Graph.of(rewritten(last, {first: twice}))
    known = {node for node in graph.nodes if isinstance(node, Known)}
    read = {symbol.origin for formula in formulas(graph) for symbol in formula.symbols()}
    assert read == known
    assert [release.name for release in graph.releases] == ["r0", "r1", "r2"]
    assert first not in graph.nodes


def test_a_graph_of_any_length_is_rewritten():
    """A thousand rounds, each reading the one before."""
    first, last = chain(1000)
    graph = Graph.of(rewritten(last, {first: twice}))
    assert len(graph.releases) == 1000
    assert graph.releases[0].std == dp.constant(6)


def test_noise_that_reads_a_later_release_is_refused():
    """Of two rounds the first cannot draw by what the second released."""
    first, last = chain(3)
    level = last.statistic.column.source.source.by
    late = attrs.evolve(first, stated=dp.Gaussian(std=level))
    with pytest.raises(dp.InvalidArgument, match="nothing later"):
        rewritten(last, {first: lambda _: late})


def test_a_function_is_told_the_new_std():
    """Of noise scaled jointly, of noise divided anew, and of both."""
    divided = dp.audits.Resplit(of=Told(), weights=(1, 2))
    for regression in (
        dp.regressions.Jointly(of=Told()),
        divided,
        dp.regressions.Jointly(of=divided),
    ):
        post = graph_of(regression).output
        gram, moment, half, whole = post.arguments
        assert (half, whole) == (gram.std / 2, moment.std)
        assert gram.std != dp.constant(6)


def test_noise_stated_by_another_std_is_scaled_once():
    """Proportions stay: one std is twice the other, and the whole budget is spent."""
    proof = dp.certify(Copied(), target=TARGET, setting=SETTING, calibrate="jointly")
    gram, moment = proof.graph.releases
    assert proof.derivation == "gaussian"
    assert moment.std == 2 * gram.std
    assert proof.graph.output.arguments[2] == moment.std


@pytest.mark.parametrize(
    "regression",
    [
        dp.regressions.Jointly(of=Clipped()),
        dp.audits.Resplit(of=Clipped(), weights=(1, 1)),
        dp.regressions.Jointly(of=dp.audits.Resplit(of=Clipped(), weights=(1, 3))),
    ],
    ids=str,
)
def test_what_is_learned_is_released_once(regression):
    """An adaptive declaration has as many releases as before, and is proved."""
    proof = dp.certify(regression, target=TARGET, setting=SETTING)
    assert [release.name for release in proof.graph.releases] == ["labels", "moment"]


def test_an_adaptive_declaration_divided_anew_draws_as_often():
    """Every release of a shipped one, in its order, and no other."""
    of = dp.regressions.AdaptiveGradientDescent()
    names = [release.name for release in graph_of(of).releases]
    divided = graph_of(dp.audits.Resplit(of=of, weights=(1,) * len(names)))
    assert [release.name for release in divided.releases] == names


@pytest.mark.parametrize("of", [Told(), Copied(), Clipped()], ids=str)
def test_no_trace_of_a_draft_is_left(of):
    """Tables are those of the setting, and no formula has the std of a release as a symbol."""
    graph = Graph.of(recalibrated(of, X, Y, TARGET.budget, lambda _: twice))
    assert set(graph.sources) <= set(Graph.of((X, Y)).sources)
    origins = {symbol.origin for formula in formulas(graph) for symbol in formula.symbols()}
    assert not any(isinstance(origin, Release) for origin in origins)
    plain = graph_of(of)
    sizes = [release.std for release in graph.releases]
    assert sizes == [2 * release.std for release in plain.releases]


def test_the_graph_is_that_of_a_declaration_with_this_noise():
    """Node by node, as if it had been declared so."""

    class Written(dp.Regression):
        def declare(self, X, y, budget):
            gram = dp.release(X.T @ X, dp.Gaussian(std=12), name="gram")
            moment = dp.release(X.T @ y, dp.Gaussian(std=10), name="moment")
            return dp.post(keep, gram, moment, gram.std * Fraction(1, 2), moment.std)

    graph = Graph.of(recalibrated(Told(), X, Y, TARGET.budget, lambda _: twice))
    assert graph.records == graph_of(Written()).records
