"""`dpframe fit` fits classes by the estimator of classes: log-odds, in the codebook's units."""

import json

import numpy as np
import pandas as pd
import pytest

import dpframe as dp
from tests.support.commands import call

LABELS = {
    "text": (["no", "yes"], {"levels": ["no", "yes"]}),
    "zero and one": ([0, 1], {"lower": 0, "upper": 1}),
    "signs": ([-1, 1], {"bound": 1}),
}


@pytest.fixture(params=["csv", "parquet"])
def survey(request, tmp_path):
    """Ages, and labels under three codings, in a file; and a codebook of each."""
    rng = np.random.default_rng(1)
    age = rng.uniform(18, 90, 2000)
    place = (rng.random(2000) < 1 / (1 + np.exp((60 - age) / 10))).astype(int)
    frame = pd.DataFrame({"age": age} | {k: np.array(v)[place] for k, (v, _) in LABELS.items()})
    frame["count"] = rng.poisson(3, 2000)
    path = tmp_path / f"t.{request.param}"
    frame.to_csv(path, index=False) if request.param == "csv" else frame.to_parquet(path)
    columns = [{"name": "age", "lower": 18, "upper": 90}]
    for name, (_, target) in LABELS.items():
        codebook = {"columns": columns, "target": target, "intercept": True}
        (tmp_path / f"{name}.json").write_text(json.dumps(codebook))
    return path, frame


def fitted(path, name, codebook, *more, status=0):
    """A simulation at much budget."""
    data = [str(path), "--target", name, "--schema", str(path.parent / f"{codebook}.json")]
    spent = ["--epsilon", "1000000000", "--delta", "1e-6", "--simulate", "3"]
    spent += ["--set", "penalty=1"]
    return call("fit", "LogisticOutputPerturbation", *data, *spent, *more, status=status)


def test_every_coding_has_the_log_odds_of_the_classifier(survey):
    """Whatever the labels are called."""
    path, frame = survey
    rows = dp.Rows(columns=[dp.Numeric("age", 18, 90)], intercept=True)
    setting = dp.Setting(X=rows, y=dp.Column(levels=["no", "yes"]), relation=dp.ADD_REMOVE)
    given = {"epsilon": 10**9, "delta": "1e-6", "setting": setting, "rng": 3}
    model = dp.PrivateClassifier(dp.regressions.LogisticOutputPerturbation(penalty=1), **given)
    model.fit(frame[["age"]], frame["text"])
    for name, (classes, _) in LABELS.items():
        record = json.loads(fitted(path, name, name, "--json"))
        assert record["classes"] == classes
        assert record["coefficients"]["age"] == pytest.approx(model.coef_[0, 0], rel=1e-6)
        assert record["intercept"] == pytest.approx(model.intercept_[0], rel=1e-6)
    assert "of yes against no" in fitted(path, "text", "text")


def test_counts_are_refused(survey):
    """By the classes that they are none of."""
    path, _ = survey
    assert "must be 0 or 1" in fitted(path, "count", "zero and one", status=2)


def test_a_penalty_is_asked_for(survey):
    """It has no default that fits most tables; what needs none is named."""
    path, _ = survey
    data = [str(path), "--target", "text", "--schema", str(path.parent / "text.json")]
    spent = ["--epsilon", "1", "--delta", "1e-6", "--simulate", "3"]
    said = call("fit", "LogisticOutputPerturbation", *data, *spent, status=2)
    assert "penalty must be given" in said
    assert "LogisticDescent" in said
    assert "of yes against no" in call("fit", "LogisticDescent", *data, *spent)
