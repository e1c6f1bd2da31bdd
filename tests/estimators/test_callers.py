"""What stands in front of an estimator, and where it is fitted, is seen: neither is certified."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.decomposition import PCA
from sklearn.ensemble import StackingRegressor
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV, cross_val_score
from sklearn.pipeline import FeatureUnion, make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    Normalizer,
    PolynomialFeatures,
    StandardScaler,
)

import dpframe as dp
from dpframe.estimators.fits import Fits

SETTING = dp.Setting(X=dp.Rows(norm=10), y=dp.Column(bound=10), relation=dp.ADD_REMOVE)
RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3))
Y = X[:, 0]


def model(**changes: Any) -> Any:
    """A private estimator."""
    given = {"epsilon": 1, "delta": "1e-6", "setting": SETTING, **changes}
    return dp.PrivateRegressor(dp.SSP(), **given)


class Center(TransformerMixin, BaseEstimator):
    """Learns means, and says so by no underscore."""

    def fit(self, X: Any, y: Any = None) -> Center:
        self.mean = X.mean(axis=0)
        return self

    def transform(self, X: Any) -> Any:
        return X - self.mean


LEARNING = {
    "center": Center(),
    "standardscaler": StandardScaler(),
    "pca": PCA(2),
    "selectkbest": SelectKBest(f_regression, k=2),
    "columntransformer": ColumnTransformer([("scaled", StandardScaler(), [0, 1])]),
    "featureunion": make_union(StandardScaler(), PCA(1)),
    "pipeline": make_pipeline(FunctionTransformer(), StandardScaler()),
}


@pytest.mark.parametrize("name", LEARNING)
@pytest.mark.parametrize("rng", [None, 0])
def test_a_step_that_learned_from_the_same_records_is_refused_by_name(name: str, rng: Any) -> None:
    """Before data is read; with a way out."""
    pipeline = make_pipeline(clone(LEARNING[name]), model(rng=rng))
    with pytest.raises(dp.InvalidArgument, match=f"step '{name}'.*dp.Numeric"):
        pipeline.fit(X, Y)


def test_it_is_seen_through_searches_and_outer_pipelines() -> None:
    """However deep the estimator stands."""
    inner = make_pipeline(FunctionTransformer(), model())
    search = GridSearchCV(model(rng=0), {"epsilon": [1, 2]}, cv=2)
    for last in (inner, search):
        with pytest.raises(ValueError, match="step 'standardscaler'"):
            make_pipeline(StandardScaler(), last).fit(X, Y)
    with pytest.raises(ValueError, match="step 'standardscaler'"):
        cross_val_score(make_pipeline(StandardScaler(), model()), X, Y, cv=2)


def test_labels_that_are_scaled_by_themselves_are_refused() -> None:
    """TransformedTargetRegressor learns from labels."""
    scaled = TransformedTargetRegressor(model(), transformer=StandardScaler())
    with pytest.raises(dp.InvalidArgument, match="transformer_"):
        scaled.fit(X, Y)
    public = TransformedTargetRegressor(model(rng=0), func=np.log1p, inverse_func=np.expm1)
    assert public.fit(X, np.abs(Y)).predict(X).shape == Y.shape


@pytest.mark.parametrize("kind", [CalibratedClassifierCV, TunedThresholdClassifierCV])
def test_what_fits_one_more_model_to_the_same_labels_is_refused(kind: Any) -> None:
    """By name: no certificate covers it. Around a fit that is frozen it reads other records."""
    rows = dp.Setting(X=SETTING.X, y=dp.Column(levels=[0, 1]), relation=dp.ADD_REMOVE)
    given = {"epsilon": 1, "delta": "1e-6", "setting": rows, "rng": 0}
    classes = (Y > 0).astype(int)
    with pytest.raises(dp.InvalidArgument, match=rf"{kind.__name__}.*FrozenEstimator"):
        kind(dp.PrivateClassifier(**given)).fit(X, classes)
    frozen = FrozenEstimator(dp.PrivateClassifier(**given).fit(X, classes))
    assert CalibratedClassifierCV(frozen).fit(X[:50], classes[:50]).predict(X).shape == Y.shape


def test_stacking_is_refused() -> None:
    """It fits its last model to raw labels."""
    with pytest.raises(dp.InvalidArgument, match="StackingRegressor"):
        StackingRegressor([("a", model(rng=0))]).fit(X, Y)


def test_steps_that_learn_nothing_of_the_table_pass() -> None:
    """Public functions, and what was fitted on public data before."""
    public = FrozenEstimator(StandardScaler().fit(RNG.normal(size=(50, 3))))
    steps = [FunctionTransformer(np.tanh), Normalizer(), PolynomialFeatures(2), public]
    union = FeatureUnion([("a", FunctionTransformer()), ("b", Normalizer())])
    for step in [*steps, union, "passthrough"]:
        pipeline = make_pipeline(step, model(rng=0)).fit(X, Y)
        assert np.isfinite(pipeline.predict(X)).all()


# fits elsewhere ------------------------------------------------------------------------------

WORKERS = """
import sys
import numpy as np
from joblib import parallel_config
from sklearn.model_selection import cross_val_score
import dpframe as dp

setting = dp.Setting(X=dp.Rows(norm=10), y=dp.Column(bound=10), relation=dp.ADD_REMOVE)
X = np.random.default_rng(0).normal(size=(90, 2))
plain = {"epsilon": 1, "delta": "1e-6", "setting": setting}
ledger = {"ledger": dp.Ledger(sys.argv[1]), "dataset": "survey"}
for options in ({}, ledger, {"rng": 0}):
    model = dp.PrivateRegressor(dp.SSP(), **plain, **options)
    try:
        with parallel_config(backend="multiprocessing"):  # which starts sooner than loky
            print(np.isfinite(cross_val_score(model, X, X[:, 0], cv=2, n_jobs=2)).all())
    except ValueError as error:
        print("ledger must be given where fits run in other processes" in str(error))
"""


@pytest.mark.slow
def test_fits_in_workers_ask_for_a_ledger(tmp_path: Any) -> None:
    """There nobody would add them up: they are refused, charged, or simulations."""
    path = str(tmp_path / "ledger.sqlite")
    ledger = dp.Ledger(path)
    ledger.create("survey", dp.ApproxDP(10, "1e-3"), relation=dp.ADD_REMOVE)
    command = [sys.executable, "-c", WORKERS, path]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True", "True", "True"]
    assert len(ledger.charges("survey")) == 2


def test_a_copy_that_is_unpickled_elsewhere_knows_it() -> None:
    """By the process in which the original counts."""
    here = Fits()
    home, name = here.__reduce__()[1]
    assert pickle.loads(pickle.dumps(here)) is here
    here.check_counted()
    elsewhere = type(here)("of another process", name)
    with pytest.raises(dp.InvalidArgument, match="ledger must be given"):
        elsewhere.check_counted()
    assert home != elsewhere.home


def test_copies_that_are_pickled_here_count_with_the_original() -> None:
    """As threads of a search have them."""
    first = model()
    second = pickle.loads(pickle.dumps(first))
    first.fit(X.copy(), Y)
    with pytest.warns(dp.PrivacyWarning, match="Fit 2 of this estimator"):
        second.fit(X.copy(), Y)
