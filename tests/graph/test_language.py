"""What a declaration may write, and what it is told to write instead."""

from __future__ import annotations

import copy
import operator
import pickle
import pydoc

import numpy as np
import pytest

import dpframe as dp
from dpframe.graph.statistics import LabelSum, RowSum
from dpframe.graph.statistics.combined import combine
from tests.support.samples import setting

TARGET = dp.ApproxDP(dp.EPSILON, dp.DELTA)
analytic = dp.Gaussian.analytic
NODES = {one.__name__: one for one in (RowSum, LabelSum, combine)}


def first(value):
    """Post-processing."""
    return value[0]


def names(relation=dp.REPLACE_ONE):
    """What a declaration has at hand."""
    X, y = setting(relation).nodes()
    A = dp.release(X.T @ X, analytic, TARGET.budget, name="A")
    b = dp.release(X.T @ y, analytic, TARGET.budget, name="b")
    n = dp.release(dp.count(X), dp.Gaussian(std=1), name="n")
    theta = dp.post(first, A)
    point = dp.iterate(X.columns)
    return {"X": X, "y": y, "G": X.T @ X, "A": A, "b": b, "n": n, "theta": theta, "point": point}


OF_ROWS = {  # on X and on y alike: what is written, and the words that the answer needs
    "{} ** 2": "dp.graph.column_squares(X)",
    "-{}": "X.scaled_columns(by=[...], minus=[...])",
    "1 - {}": "y.scaled(by, minus=c)",
    "abs({})": "before it is given to dp.execute",
    "{} > 0": "dp.graph.bin_counts(X, cuts)",
    "0 < {}": "dp.graph.bin_counts(X, cuts)",
    "{}[0]": "dp.Rows(columns=[dp.Numeric(...), ...])",
    "{}[:, :2]": "dp.graph.partition_at",
    "len({})": "X.rows",
    "{}.shape": "X.rows",
    "{}.std()": "divide in dp.post",
    "{}.max()": "dp.graph.bin_counts",
    "{} * X": "X.scaled_columns(by=[...])",
    "{} * np.ones(3)": "X.weighted(w)",
    "np.ones(3) * {}": "X.weighted(w)",
    "np.ones(3) - {}": "X.scaled_columns(by=[...], minus=[...])",
    "{} @ np.eye(3)": "X.T @ y",
    "np.eye(3) @ {}": "X.T @ y",
    "{} @ theta": "y.residuals(X, theta)",
    "np.sum({})": "dp.post",
    "np.exp({})": "dp.post",
    "np.linalg.norm({})": "dp.post",
    "np.asarray({})": "dp.post",
    "float({})": "dp.post",
    "[1 for _ in {}]": "dp.post",
    "1 if {} else 0": "dp.post",
    "1 in {}": "dp.post",
    "{} // 2": "X.weighted(w)",
    "{} % 2": "X.weighted(w)",
    "{} & {}": "dp.post",
    "{}.foo": "dp.post",
}
OF_RELEASED = {  # the words are the function to write
    "{} + 1": "{} + 1",
    "2 - {}": "2 - {}",
    "{} * dp.EPSILON": "{} * epsilon",
    "dp.EPSILON * {}": "epsilon * {}",
    "{} @ {}": "{} @ {}",
    "{} / 2": "{} / 2",
    "{} ** 2": "{} ** 2",
    "-{}": "-{}",
    "abs({})": "abs({})",
    "round({})": "round({})",
    "{}.T": "{}.T",
    "{}[0]": "{}[0]",
    "{}[:, 1:3]": "{}[:, 1:3]",
    "float({})": "float({})",
    "len({})": "len({})",
    "list({})": "list({})",
    "bool({})": "bool({})",
    "{} > 0": "{} > 0",
    "1 in {}": "1 in {}",
    "{}.foo": "{}.foo",
    "np.linalg.inv({})": "np.linalg.inv({})",
    "np.stack([{}, {}])": "np.stack([{}, {}])",
    "np.exp({})": "np.exp({})",
    "np.ones(3) @ {}": "... @ {}",
    "np.float64(2) * {}": "... * {}",
    "np.asarray({})": "np.asarray({})",
}
OTHERS = {
    "A @ b": "def function(A, b): return A @ b, and in the declaration dp.post(function, A, b)",
    "np.linalg.solve(A, b)": "def function(A, b): return np.linalg.solve(A, b)",
    "n + 1": 'dp.known(n, lower, upper, name="...")',
    "X.clip(norm=n)": 'dp.known(n, lower, upper, name="...")',
    "X.clip(1)": "X.clip(norm=1) shortens rows",
    "X.clip(-1, 1)": "X.boxed(1) clips entries to [-1, 1]",
    "dp.sqrt(n)": 'dp.known(n, lower, upper, name="...")',
    "dp.Gaussian(std=n)": 'dp.known(n, lower, upper, name="...")',
    "X / n": "X.divided(by=release, ...)",
    "A + G": "Release X'X too",
    "y - X @ theta": "y.residuals(X, theta)",
    "X.T @ (y - X @ theta)": "y.residuals(X, theta)",
    "y.mean()": "y.sum() / X.rows",
    "X + 1": "X.scaled_columns(by=[...], minus=[...])",
    "X - 1": "X.scaled_columns(by=[...], minus=[...])",
    "X @ y": "X.T @ y",
    "X @ X.T": "X.T @ X",
    "X.dot(y)": "X.T @ y",
    "X.T @ A": "X.T @ X and X.T @ y are statistics",
    "X.T @ X.T": "X.T @ X and X.T @ y are statistics",
    "X.T + 1": "X.T @ X and X.T @ y are statistics",
    "X.T[0]": "X.T @ X and X.T @ y are statistics",
    "X.T.dot(X)": "X.T @ X and X.T @ y are statistics",
    "np.sum(X.T)": "X.T @ X and X.T @ y are statistics",
    "G @ G": "dp.release(statistic",
    "G[0, 0]": "dp.release(statistic",
    "G.T": "dp.release(statistic",
    "G % 2": "dp.release(statistic",
    "G > 0": "dp.release(statistic",
    "np.sqrt(G)": "dp.release(statistic",
    "np.linalg.inv(G)": "dp.release(statistic",
    "dp.release(G + 1, analytic, TARGET.budget)": "computed of what is released, in dp.post",
    "X.clipnorm": "Did you mean 'clip'?",
    "X.normalised": "Did you mean 'normalized'?",
    "y.residual": "Did you mean 'residuals'?",
    "A.shares": "Did you mean 'share'?",
    "dp.Gausian": "Did you mean 'Gaussian'?",
    "dp.AdaSSp": "Did you mean 'AdaSSP'?",
    "dp.polynomial(X, 2)": "before it is given to dp.execute",
    "dp.mean(y)": "y.sum() / X.rows",
    "dp.gram(X)": "X.T @ X",
    "np.log(4 / TARGET.budget.delta)": "dp.log",
    "np.sqrt(dp.EPSILON)": "dp.sqrt",
    "TARGET.budget / 2": "budget.split_evenly(2)",
    "TARGET.budget[0]": "budget.split_evenly(2)",
    "TARGET.budget.eps": "Did you mean 'epsilon'?",
}
TABLE = [
    *((code.replace("{}", it), words) for it in "Xy" for code, words in OF_ROWS.items()),
    *(
        (
            code.replace("{}", it),
            words.replace("{}", "a" if it == "theta" else "theta" if it == "point" else it),
        )
        for it in ("A", "b", "n", "theta", "point")
        for code, words in OF_RELEASED.items()
    ),
    *OTHERS.items(),
]


@pytest.mark.parametrize("part", range(12))
def test_the_answer_says_what_to_write(part):
    """It is one of dpframe's errors, and its text holds the essential words."""
    for code, words in TABLE[part::12]:
        with pytest.raises(dp.DPFrameError) as caught:
            eval(code, {**globals(), **names()})
        assert words in str(caught.value), code


SAME = {  # what is written, and the statistic or map that stands for it
    "X.sum()": "dp.total(X)",
    "X.sum(axis=0)": "RowSum(X)",
    "y.sum()": "LabelSum(y)",
    "X.mean(axis=0)": "combine((1 / dp.maximum(X.rows, 1), dp.total(X)))",
    "y.sum() / X.rows": "combine((1 / dp.maximum(X.rows, 1), dp.total(y)))",
    "X / 2": "X.scaled(2)",
    "X / X.radius": "X.scaled(X.radius)",
    "X * 2": "X.scaled('1/2')",
    "2 * X": "X.scaled('1/2')",
    "np.float64(2) * X": "X.scaled('1/2')",
    "y / 2": "y.scaled(2)",
    "y * 2": "y.scaled('1/2')",
    "y - 1": "y.scaled(1, minus=1)",
    "y + 1": "y.scaled(1, minus=-1)",
    "1 + y": "y.scaled(1, minus=-1)",
    "(y - 1) / 2": "y.scaled(1, minus=1).scaled(2)",
    "y.T @ X": "X.T @ y",
    "np.float64(2) * G": "2 * G",
    "np.float64(2) + dp.EPSILON": "2 + dp.EPSILON",
}


@pytest.mark.parametrize(("short", "long"), SAME.items())
def test_shorthands_make_the_same_nodes(short, long):
    """They have no rule of their own."""
    given = {**globals(), **NODES, **names()}
    assert eval(short, given) == eval(long, given)


class Mean(dp.Regression):
    """A mean. [tests]"""

    of: str = "y.sum() / X.rows"

    def declare(self, X, y, budget):
        """One release."""
        return dp.release(eval(self.of, {"X": X, "y": y}), analytic, budget, name="mean")


@pytest.mark.parametrize("of", ["y.sum() / X.rows", "X.mean()"])
def test_means_are_proved_where_the_number_of_rows_is_public(of):
    """Under replace-one; under add/remove they are refused."""
    proof = dp.certify(Mean(of), target=TARGET, setting=setting(dp.REPLACE_ONE))
    run = proof.at(epsilon=1, delta="1e-6", **({"d": 2} if "d" in proof.symbols else {}))
    found = dp.execute(run, np.full((1000, 2), 0.1), np.full(1000, 0.5), rng=1)
    assert np.all(np.abs(np.asarray(found.output) - (0.5 if of.startswith("y") else 0.1)) < 0.1)
    with pytest.raises(dp.InvalidArgument, match=r"statistic|private under add/remove"):
        dp.certify(Mean(of), target=TARGET, setting=setting(dp.ADD_REMOVE))


@pytest.mark.parametrize("scale", [0, -1, "x", float("nan"), True])
def test_rows_are_scaled_by_positive_numbers(scale):
    """Nothing else makes a map."""
    X, y = setting().nodes()
    for data in (X, y):
        with pytest.raises((dp.InvalidArgument, dp.errors.TouchesData, ZeroDivisionError)):
            _ = data / scale


@pytest.mark.parametrize(("name", "value"), [("regression", dp.SSP), ("setting", dp.Setting)])
def test_a_class_in_place_of_its_instance(name, value):
    """The answer is to call it."""
    given = {"regression": dp.SSP(), "target": TARGET, "setting": setting(), name: value}
    regression = given.pop("regression")
    with pytest.raises(dp.InvalidArgument, match="Make one"):
        dp.certify(regression, **given)


WRONG = {  # of a setting: field -> values, and the words of the way out
    "relation": (["add-remove", "replace one", None, 1, "foo"], "dp.ADD_REMOVE or dp.REPLACE_ONE"),
    "X": ([None, dp.Rows, dp.Column(bound=1), np.ones((2, 2))], "X=dp.Rows(norm=1)"),
    "y": ([1, dp.Column, dp.Rows(norm=1), np.ones(2)], "y=dp.Column(bound=1)"),
    "rows_per_person": ([0, -1, 1.5, "3/2", dp.EPSILON], "a whole number of at least 1"),
    "grid": ([3, 25, True, "20", 20.0], "whole bits from 4 to 24, or None"),
}


@pytest.mark.parametrize(
    ("field", "value"), [(field, value) for field, (values, _) in WRONG.items() for value in values]
)
def test_a_setting_is_checked_when_it_is_written(field, value):
    """The error names the field, what it must be and the way out."""
    good = {"X": dp.Rows(norm=1), "y": dp.Column(bound=1), "relation": dp.ADD_REMOVE}
    with pytest.raises(dp.InvalidArgument) as caught:
        dp.Setting(**{**good, field: value})
    assert str(caught.value).startswith(f"{field} must be ")
    assert WRONG[field][1] in str(caught.value)


def test_a_relation_in_words_is_recognised():
    """Which one was meant."""
    with pytest.raises(dp.InvalidArgument, match=r"Did you mean 'dp.REPLACE_ONE'\?"):
        dp.Setting(X=dp.Rows(norm=1), relation="replace-one")


def test_misspelt_parameters_of_a_certificate_are_recognised():
    """Which one was meant."""
    proof = dp.certify(dp.SSP(), target=TARGET, setting=setting())
    with pytest.raises(dp.InvalidArgument, match=r"Did you mean 'delta'\?"):
        proof.at(dleta="1e-6")


@pytest.mark.parametrize("name", ["X", "y", "G", "A", "n", "theta", "point"])
def test_protocols_of_python_go_on_working(name):
    """Copies, pickles, help and questions for optional methods are as for any object."""
    node = names()[name]
    assert not hasattr(node, "_repr_html_")
    assert not hasattr(node, "_ipython_canary_method_should_not_exist_")
    assert not hasattr(node, "__array_interface__")
    assert not hasattr(node, "foo")
    assert getattr(node, "foo", None) is None
    assert repr(node)
    assert node == node  # noqa: PLR0124 - that is the claim
    assert node != 1
    assert isinstance(hash(node), int)
    assert type(copy.copy(node)) is type(copy.deepcopy(node)) is type(node)
    assert type(pickle.loads(pickle.dumps(node))) is type(node)
    assert pydoc.render_doc(type(node))
    assert not operator.eq(np.float64(1), node)
    assert operator.ne(np.float64(1), node)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda A, _: dp.total(A),
        lambda A, _: dp.count(A),
        lambda A, _: dp.graph.column_squares(A),
        lambda A, y: dp.graph.histogram(A, y, cells=2),
        dp.graph.sufficient_statistics,
        lambda A, y: dp.graph.argmin(A, y, dp.graph.Huber(1), 1),
    ],
)
def test_a_statistic_of_what_is_released_is_refused_where_it_is_written(wrong):
    """With the way to compute with it."""
    with pytest.raises(dp.InvalidArgument, match=r"declared rows.*dp\.post\(function, release\)"):
        wrong(names()["A"], names()["y"])


def test_a_share_may_be_tested_for_being_there():
    """Nobody reads a number by that."""
    assert TARGET.budget


def test_an_unknown_name_survives_pickling():
    """Its text is made when it is read."""
    with pytest.raises(AttributeError) as caught:
        _ = names()["X"].clipnorm
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert isinstance(again, dp.DPFrameError)


def test_a_property_that_fails_says_why_itself():
    """An AttributeError inside a property is not taken for an unknown name."""

    class Broken(type(names()["X"])):
        """Its label fails. [tests]"""

        @property
        def label(self):
            """Raises."""
            return None.strange

    with pytest.raises(AttributeError, match="strange"):
        _ = Broken(names()["X"].source, 1).label


def test_a_sum_divided_by_a_private_number_of_rows_says_what_is_private():
    """Under add/remove; under replace-one a mean is a statistic, and other products are not."""
    for relation, words in ((dp.ADD_REMOVE, "number of rows is private"), (dp.REPLACE_ONE, "Sums")):
        X, y = setting(relation).nodes()
        with pytest.raises(dp.InvalidArgument, match=words):
            dp.release((X.T @ y) * (y @ y) / X.rows, analytic, TARGET.budget)
    for formula, words in ((dp.analytic_sigma(1, "1e-6"), "gaussian_sigma"), (dp.EPSILON, "at")):
        with pytest.raises(dp.errors.TouchesData, match=f"no single float.*{words}"):
            float(formula)


class Forgetful(dp.Regression):
    """Releases X'X, or the minimiser of a perturbed objective, which it may forget to return."""

    procedure: bool = False
    returned: bool = False

    def declare(self, X, y, budget):
        lost = (
            dp.graph.perturbed_minimum(
                X.T @ X, X.T @ y, penalty=3, radius=1, share=budget.split("0.3")[0], name="lost"
            )
            if self.procedure
            else dp.release(X.T @ X, analytic, budget.split("0.3")[0], name="lost")
        )
        kept = dp.release(X.T @ y, analytic, budget.split("0.8")[0])
        return (kept, lost) if self.returned else kept


@pytest.mark.parametrize(
    "wrap", [lambda of: of, lambda of: dp.regressions.Jointly(of=of)], ids=["itself", "jointly"]
)
@pytest.mark.parametrize("procedure", [False, True])
def test_a_release_that_the_output_does_not_read_is_refused(procedure, wrap):
    """It would be neither drawn nor charged, though all shares sum to more than the budget."""
    target = dp.ApproxDP(1, "1e-6")
    with pytest.raises(dp.errors.UnusedRelease, match="released, also lost") as found:
        dp.certify(wrap(Forgetful(procedure)), target=target, setting=setting(dp.ADD_REMOVE))
    if not procedure and type(wrap(Forgetful(False))) is Forgetful:
        assert "With it returned:" in str(found.value)  # what else is open, in one round
        assert "shares of epsilon" in str(found.value)
    whole = Forgetful(procedure, returned=True)
    with pytest.raises(dp.Uncertified, match="sum to at most"):
        dp.certify(whole, target=target, setting=setting(dp.ADD_REMOVE), accountant="basic")


class TwoOfOneName(dp.Regression):
    """Two releases, named alike or apart."""

    second: str = "u"

    def declare(self, X, y, budget):
        """Two sums."""
        first, rest = budget.split_evenly(2)
        total = dp.release(y.sum(), dp.Gaussian.analytic, first, name="u")
        return total, dp.release(X.T @ y, dp.Gaussian.analytic, rest, name=self.second)


def test_two_releases_of_one_name_are_refused():
    """As in descriptions; releases without a name, or read twice, are not."""
    target = dp.ApproxDP(1, "1e-6")
    given = {"target": target, "setting": setting(dp.ADD_REMOVE)}
    with pytest.raises(dp.InvalidArgument, match=r"two named 'u', of sum\(y\) and X'y\. Name them"):
        dp.certify(TwoOfOneName(), **given)
    for second in ("v", ""):
        assert dp.certify(TwoOfOneName(second=second), **given).verdict.accepted


@pytest.mark.parametrize("weight", ["-1/2", 0])
def test_a_weight_of_jointly_is_positive(weight):
    """By its name, and without its value, which may be private."""
    X, y = setting(dp.ADD_REMOVE).nodes()
    budget = dp.ApproxDP(1, "1e-6").budget
    with pytest.raises(
        dp.InvalidArgument, match=r"^weight must be positive; got a number of 0 or less\."
    ):
        dp.jointly(budget, [X.T @ X, X.T @ y], ["1/2", weight])


class Clipping(dp.Regression):
    """Rows and labels are clipped again."""

    def declare(self, X, y, budget):
        """One product."""
        return dp.release(X.clip(norm="1/2").T @ y.clip("-1/4", "1/4"), analytic, budget)


def test_certificates_list_the_clips_of_the_declaration():
    """Beside the bounds of the setting."""
    text = str(dp.certify(Clipping(), target=TARGET, setting=setting(dp.ADD_REMOVE)))
    assert "  rows: clip to norm 1/2, by the declaration" in text
    assert "  labels: clip to [-1/4, 1/4], by the declaration" in text
    assert text.count("by the declaration") == 2
