"""PrivateRegressor where records have budgets of their own: who gives them, and who is refused."""

import pickle
import warnings

import attrs
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import dpframe as dp
from dpframe.literature.personalized_published import UniformRidge
from dpframe.regressions.personalized import PersonalizedRidge, SampledRidge

REPLACED = dp.Setting(X=dp.Rows(norm=1), y=dp.Column("y", bound=1), relation=dp.REPLACE_ONE)
JOINING = attrs.evolve(REPLACED, relation=dp.ADD_REMOVE)
CODEBOOK = attrs.evolve(
    REPLACED, X=dp.Rows(columns=[dp.Numeric("a", -1, 1), dp.Numeric("b", -1, 1)], norm=1)
)
GROUPS = {"careful": 0.1, "open": 1}
N = 60


@pytest.fixture
def frame():
    """Two features, labels, an epsilon and a group a record."""
    rng = np.random.default_rng(5)
    a, b = rng.uniform(-0.5, 0.5, (2, N))
    own = rng.choice([0.1, 0.4, 1.0, 2.0], N)
    names = np.where(own > 0.5, "open", "careful")
    return pd.DataFrame({"a": a, "b": b, "y": 0.6 * a - 0.2 * b, "own": own, "group": names})


@pytest.fixture
def routed():
    """scikit-learn hands metadata on."""
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def model(epsilon=None, regression=None, *, setting=REPLACED, delta=None, rng=0, **more):
    """An estimator that simulates."""
    chosen = PersonalizedRidge() if regression is None else regression
    given = {"epsilon": epsilon, "delta": delta, "setting": setting, "rng": rng, **more}
    return dp.PrivateRegressor(chosen, **given)


def expected(frame, own):
    """What execute releases from the same seed for these budgets."""
    target = dp.PersonalizedDP(dp.each("epsilon"))
    run = dp.certify(PersonalizedRidge(), target=target, setting=REPLACED)
    done = dp.execute(run, frame[["a", "b"]].to_numpy(), frame["y"], budgets=own, rng=0)
    return done.output.coefficients


# ways to give budgets ------------------------------------------------------------------------

WAYS = {
    "fit, array": (None, lambda f: f["own"].to_numpy()),
    "fit, list": (None, lambda f: list(f["own"])),
    "fit, series": (None, lambda f: f["own"]),
    "each": (dp.each("epsilon"), lambda f: f["own"]),
    "fit instead of a column": ("elsewhere", lambda f: f["own"]),
    "fit instead of an array": ([1.0, 2.0], lambda f: f["own"]),
}


@pytest.mark.parametrize(("epsilon", "given"), WAYS.values(), ids=WAYS)
def test_budgets_beside_the_table(frame, epsilon, given):
    """However they are given to fit, they weigh and protect as in execute."""
    fitted = model(epsilon).fit(frame[["a", "b"]], frame["y"], epsilon=given(frame))
    assert fitted.coef_.tolist() == expected(frame, frame["own"]).tolist()
    assert isinstance(fitted.receipt_.guarantee, dp.PersonalizedDP)


def test_an_array_of_the_estimator_is_for_tables_of_its_length(frame):
    """It is the target's own list; a shorter table is refused."""
    X, y, own = frame[["a", "b"]], frame["y"], frame["own"].to_numpy()
    assert model(own).fit(X, y).coef_ == pytest.approx(expected(frame, own))
    with pytest.raises(dp.BadData, match="as long as X"):
        model(own).fit(X[:-1], y[:-1])


@pytest.mark.parametrize("setting", [REPLACED, CODEBOOK], ids=["ball", "codebook"])
@pytest.mark.parametrize("at_fit", [False, True])
def test_a_column_of_a_frame_is_no_feature(frame, setting, at_fit):
    """Neither for fit nor for predict, whether or not it is there."""
    table = frame.drop(columns="group")
    estimator = model(None if at_fit else "own", setting=setting)
    fitted = estimator.fit(table, epsilon="own" if at_fit else None)
    assert list(fitted.feature_names_in_) == ["a", "b"]
    assert fitted.coef_.shape == (2,)
    bare = table[["a", "b"]]
    wide = fitted.predict(table.drop(columns="y"))
    assert wide.tolist() == fitted.predict(bare).tolist()
    assert wide == pytest.approx(bare.to_numpy() @ fitted.coef_ + fitted.intercept_)


@pytest.mark.parametrize("how", ["array", "column"])
@pytest.mark.parametrize("setting", [REPLACED, JOINING], ids=["replaced", "joining"])
def test_groups(frame, how, setting):
    """A mapping, and at fit the name of each record's group; both relations."""
    regression = SampledRidge(records=N) if setting is JOINING else UniformRidge()
    estimator = model(GROUPS, regression, setting=setting)
    if how == "column":
        fitted = estimator.fit(frame.drop(columns="own"), epsilon="group")
    else:
        fitted = estimator.fit(frame[["a", "b"]], frame["y"], epsilon=frame["group"])
    report = fitted.budget_report_
    assert report.groups == ("careful", "open")
    if setting is JOINING:
        assert report.counts is None
        assert report.costs == pytest.approx([0.1, 1])
    else:
        people = [(frame["group"] == name).sum() for name in report.groups]
        assert report.counts.tolist() == people
        assert report.costs == pytest.approx([0.075, 0.075])  # the printed noise is 4/3 of enough


def test_deltas_of_records_and_of_groups(frame):
    """A number, an array, or a mapping beside epsilons of the same kind."""
    X, y, own = frame[["a", "b"]], frame["y"], frame["own"].to_numpy()
    deltas = own * 1e-6
    fitted = model(None, dp.regressions.PersonalizedSSP(), delta=deltas).fit(X, y, epsilon=own)
    assert fitted.budget_report_.deltas == pytest.approx(np.unique(own) * 1e-6)
    same = model(own, dp.regressions.PersonalizedSSP(), delta=deltas).fit(X, y)
    assert same.coef_.tolist() == fitted.coef_.tolist()
    groups = {"careful": "1e-8", "open": "1e-6"}
    by_name = model(GROUPS, dp.SSP(), delta=groups, setting=JOINING)
    report = by_name.fit(X, y, epsilon=frame["group"]).budget_report_
    assert report.deltas == pytest.approx([1e-8, 1e-6])


def test_files_have_columns_of_budgets(frame, tmp_path):
    """Read first, then the table."""
    path = tmp_path / "table.csv"
    frame.drop(columns="group").to_csv(path, index=False)
    fitted = model("own").fit(str(path))
    assert fitted.coef_ == pytest.approx(expected(frame, frame["own"]))
    assert fitted.budget_report_.counts.sum() == N


# what the report says ------------------------------------------------------------------------


def test_the_report_is_that_of_the_certificate(frame):
    """A line a budget, with its records; of a uniform fit there is none."""
    fitted = model(None, UniformRidge()).fit(frame[["a", "b"]], frame["y"], epsilon=frame["own"])
    report = fitted.budget_report_
    planned = dp.audits.budget_report(fitted.certificate_, frame["own"].to_numpy(), d=2)
    assert report.records() == planned.records()
    assert report.counts.tolist() == np.unique(frame["own"], return_counts=True)[1].tolist()
    plain = model(1, dp.SSP(), delta="1e-4").fit(frame[["a", "b"]], frame["y"])
    assert not hasattr(plain, "budget_report_")
    assert not hasattr(model(), "budget_report_")


# scikit-learn's habits -----------------------------------------------------------------------

PARAMETERS = {
    "array": np.linspace(0.1, 1, N),
    "groups": GROUPS,
    "each": dp.each("epsilon"),
    "column": "own",
    "none": None,
}


@pytest.mark.parametrize("epsilon", PARAMETERS.values(), ids=PARAMETERS)
def test_parameters_are_kept_as_they_are(epsilon):
    """clone, get_params, set_params, pickle and repr."""
    first = model(epsilon)
    assert first.get_params()["epsilon"] is epsilon
    for copy in (clone(first), pickle.loads(pickle.dumps(first))):
        found = copy.get_params()["epsilon"]
        same = found == epsilon
        assert np.all(same) if isinstance(epsilon, np.ndarray) else bool(same)
    assert "PrivateRegressor(" in repr(first)
    assert first.set_params(epsilon=3).epsilon == 3


@pytest.mark.parametrize("epsilon", [None, GROUPS], ids=["numbers", "groups"])
def test_a_fit_survives_pickling(frame, epsilon):
    """With its report and its predictions."""
    X, y = frame[["a", "b"]], frame["y"]
    given = frame["own"] if epsilon is None else frame["group"]
    fitted = model(epsilon, UniformRidge()).fit(X, y, epsilon=given)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.predict(X).tolist() == fitted.predict(X).tolist()
    assert str(again.budget_report_) == str(fitted.budget_report_)


@pytest.mark.usefixtures("routed")
def test_cross_validation_indexes_budgets_like_rows(frame):
    """Each fold's fit has the budgets of its own rows."""
    X, y, own = frame[["a", "b"]], frame["y"], frame["own"].to_numpy()
    estimator = model().set_fit_request(epsilon=True)
    folds = [(np.arange(40), np.arange(40, N)), (np.arange(20, N), np.arange(20))]
    done = cross_validate(estimator, X, y, cv=folds, params={"epsilon": own}, return_estimator=True)
    for fitted, (train, _) in zip(done["estimator"], folds, strict=True):
        counts = np.unique(own[train], return_counts=True)[1]
        assert fitted.budget_report_.counts.tolist() == counts.tolist()
        wanted = expected(frame.iloc[train], own[train])
        assert fitted.coef_.tolist() == wanted.tolist()


@pytest.mark.usefixtures("routed")
@pytest.mark.parametrize(("epsilon", "column"), [(None, "own"), (GROUPS, "group")])
def test_pipelines_hand_budgets_on(frame, epsilon, column):
    """Through steps that know nothing of them, also below cross_val_score and a search."""
    X, y, own = frame[["a", "b"]], frame["y"], frame[column].to_numpy()
    last = model(epsilon, UniformRidge()).set_fit_request(epsilon=True)
    pipeline = make_pipeline(FunctionTransformer(), last)
    alone = clone(last).fit(X, y, epsilon=own)
    assert pipeline.fit(X, y, epsilon=own).predict(X) == pytest.approx(alone.predict(X))
    scores = cross_val_score(pipeline, X, y, cv=3, params={"epsilon": own})
    assert scores.shape == (3,)
    assert np.isfinite(scores).all()
    grid = {"privateregressor__regression": [UniformRidge(), UniformRidge(penalty=2)]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(X, y, epsilon=own)
    assert np.isfinite(search.best_score_)


@pytest.mark.usefixtures("routed")
def test_what_is_not_requested_is_not_handed_on(frame):
    """scikit-learn says so itself."""
    X, y = frame[["a", "b"]], frame["y"]
    pipeline = make_pipeline(FunctionTransformer(), model())
    with pytest.raises(ValueError, match="epsilon"):
        pipeline.fit(X, y, epsilon=frame["own"])


@pytest.mark.usefixtures("routed")
def test_a_meta_estimator_that_does_not_route_is_refused_by_it(frame):
    """Budgets are never dropped on the way: without them nothing is fitted."""
    X, y = frame[["a", "b"]], frame["y"]
    with pytest.raises(dp.InvalidArgument, match="given, to the estimator or to fit"):
        TransformedTargetRegressor(model()).fit(X, y)


def test_cross_validation_of_a_frame_with_a_column(frame):
    """The column is split with the rows; no routing is needed."""
    table = frame.drop(columns=["group", "y"])
    scores = cross_val_score(model("own"), table, frame["y"], cv=3)
    assert np.isfinite(scores).all()


# warnings ------------------------------------------------------------------------------------


def messages(run):
    """What a call warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run()
    return [str(one.message) for one in caught]


def test_fits_of_groups_are_not_added_up(frame):
    """Three folds: nobody knows here who was in which group."""
    X, y = frame[["a", "b"]].to_numpy(), frame["y"].to_numpy()
    estimator = model(GROUPS, UniformRidge(), rng=None)
    said = []
    for start in (0, 1, 2):
        part = slice(start, None, 3)
        names = frame["group"][part]
        fit = clone(estimator).fit
        said += messages(lambda p=part, g=names, f=fit: f(X[p].copy(), y[p].copy(), epsilon=g))
    assert len(said) == 2
    assert "each record pays the sum over those that it is part of" in said[0]
    assert "3 times personalised" in said[1]
    assert "scores are computed without noise" in said[1]


def test_fits_of_numbers_say_what_a_record_pays(frame):
    """Of the same array twice: execute warns; no sum that nobody knows is made up."""
    X, y = frame[["a", "b"]].to_numpy(), frame["y"].to_numpy()
    estimator = model(rng=None)
    estimator.fit(X, y, epsilon=frame["own"])
    (same,) = messages(lambda: estimator.fit(X, y, epsilon=frame["own"]))
    assert "2 times personalised epsilon-differential privacy" in same
    assert "each record pays the sum over those that it is part of" in same
    (other,) = messages(lambda: estimator.fit(X.copy(), y, epsilon=frame["own"]))
    assert "3 times personalised" in other


# refusals ------------------------------------------------------------------------------------


class Untouchable:
    """Data that no one may look at."""

    def __getattribute__(self, name):
        raise AssertionError(f"the data was asked for its {name}")


BEFORE_DATA = {
    "nothing": (model(), None, "epsilon must be given, to the estimator or to fit"),
    "each alone": (model(dp.each("epsilon")), None, "epsilon must be given, to the estimator"),
    "no names": (model(GROUPS), None, "epsilon of fit must be given, where there are groups"),
    "unknown group": (model(GROUPS), ["open", "shy"], "names of groups: careful, open"),
    "numbers for names": (model(GROUPS), [0.1, 1.0], "names of groups: careful, open"),
    "both": (model(1), [1.0, 2.0], "epsilon of fit must be left out: one is given for all"),
    "one number at fit": (model(), 0.5, "one number or name of a group for each record"),
    "names for numbers": (model(), ["open"], "epsilon must be real numbers"),
    "zero": (model(), [0.0, 1.0], r"epsilon must be in \(0, inf\)"),
    "infinite": (model(), [np.inf, 1.0], r"epsilon must be in \(0, inf\)"),
    "bad array": (model([1.0, -1.0]), None, r"epsilon must be in \(0, inf\)"),
    "bad group": (model({"a": 0}), ["a"], "budget epsilon must be"),
    "above each": (model(dp.each("epsilon", upper=1)), [0.5, 2.0], r"all in \(0, 1\)"),
    "deltas and groups": (model(GROUPS, delta=[0.1]), ["open"], "same groups, or for the same"),
    "deltas and a column": (model("own", delta=[0.1]), None, "delta must be one number"),
    "joining": (model(setting=JOINING), [0.1, 1.0], "a mapping from groups, under add/remove"),
    "joining, column": (model("own", setting=JOINING), None, "a number, under add"),
    "sample": (model(GROUPS, SampledRidge()), ["open"], "sampling hides whether a record is there"),
}


@pytest.mark.parametrize(("estimator", "given", "says"), BEFORE_DATA.values(), ids=BEFORE_DATA)
def test_bad_budgets_are_refused_before_data_is_touched(estimator, given, says):
    """By name."""
    with pytest.raises(dp.DPFrameError, match=says):
        estimator.fit(Untouchable(), Untouchable(), epsilon=given)


def test_budgets_that_do_not_fit_the_table(frame):
    """Of another length, of no column, of a feature, of the labels; read once; with a ledger."""
    X, y = frame[["a", "b"]], frame["y"]
    with pytest.raises(dp.BadData, match="as long as X"):
        model().fit(X, y, epsilon=frame["own"][:-1])
    with pytest.raises(dp.BadData, match="'elsewhere'"):
        model("elsewhere").fit(X, y)
    with pytest.raises(dp.BadData, match="no column of the codebook"):
        model("a", setting=CODEBOOK).fit(frame)
    with pytest.raises(dp.BadData, match="something else than the labels"):
        model("y").fit(frame[["a", "b", "y"]])
    for regression, setting in ((UniformRidge(), REPLACED), (SampledRidge(), JOINING)):
        some = model({"open": 1}, regression, setting=setting)
        with pytest.raises(dp.BadData, match="among the groups open"):
            some.fit(frame.drop(columns="own"), epsilon="group")
    blocks = iter([(X.to_numpy(), y.to_numpy(), frame["group"].to_numpy())])
    names = model(GROUPS, SampledRidge(), setting=JOINING)
    with pytest.raises(dp.DPFrameError, match="budgets"):
        names.fit(blocks, epsilon="group")


def pasted(error, **names):
    """The accounts after the lines of a way out were run with these names."""
    text = str(error).partition("each record: ")[2]
    exec(text.removesuffix("."), {"dp": dp, **names}, names)
    return names["records"]


@pytest.mark.parametrize(
    ("given", "column"),
    [
        ((GROUPS, "1e-6", None), "group"),
        ((GROUPS, 0, None), "group"),
        ((dp.each("epsilon"), 0, PersonalizedRidge()), "own"),
        ((None, "1e-6", dp.regressions.PersonalizedSSP()), "own"),
        (("list", 0, PersonalizedRidge()), None),
    ],
    ids=["groups", "pure", "each", "numbers", "listed"],
)
def test_a_ledger_has_one_budget_for_all(frame, tmp_path, given, column):
    """Refused, and nothing is charged; the way out works when pasted."""
    ledger = dp.Ledger(tmp_path / "ledger.sqlite")
    ledger.create("people", dp.ApproxDP(5, "1e-5"))
    epsilon, delta, regression = given
    estimator = dp.PrivateRegressor(
        regression,
        epsilon=frame["own"].to_numpy() if column is None else epsilon,
        delta=delta,
        setting=REPLACED,
        ledger=ledger,
        dataset="people",
    )
    X, y = frame[["a", "b"]].to_numpy(), frame["y"].to_numpy()
    budgets = frame[column or "own"].to_numpy()
    with pytest.raises(dp.InvalidArgument, match="one budget for all records") as refused:
        estimator.fit(X, y, epsilon=None if column is None else budgets)
    assert "ledger.sqlite" in str(refused.value)
    assert ledger.account("people").runs == 0
    accounts = pasted(refused.value, model=estimator, X=X, y=y, budgets=budgets)
    assert (accounts.n, accounts.releases) == (N, 1)


@pytest.mark.parametrize("column", ["group", "own"])
def test_execute_refuses_a_ledger_alike(frame, tmp_path, column):
    """With lines that work when pasted."""
    ledger = dp.Ledger(tmp_path / "ledger.sqlite")
    ledger.create("people", dp.PureDP(5))
    target = dp.PersonalizedDP(GROUPS if column == "group" else dp.each("epsilon"))
    run = dp.certify(PersonalizedRidge(), target=target, setting=REPLACED)
    X, y, budgets = frame[["a", "b"]].to_numpy(), frame["y"].to_numpy(), frame[column].to_numpy()
    with pytest.raises(dp.InvalidArgument, match="one budget for all") as refused:
        dp.execute(run, X, y, budgets=budgets, ledger=ledger, dataset="people")
    assert pasted(refused.value, run=run, X=X, y=y, budgets=budgets).releases == 1
