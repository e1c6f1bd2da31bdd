"""`dpframe fit`: budgets of records, classes, and cells that hold line breaks."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import dpframe as dp
from dpframe.cli import app, new_rows
from dpframe.regressions.personalized import PersonalizedRidge
from tests.support.commands import both_streams, call

# ----------------------------------------------------------- Budgets of records on the command line
BALL = ["--norm", "1", "--bound", "1"]
TARGET = ["--target", "y"]
PURE = ["--delta", "0"]
REPLACED = ["--relation", "replace-one"]
GROUPS = ["--groups", "careful=0.1,open=1"]
SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column("y", bound=1), relation=dp.REPLACE_ONE)


@pytest.fixture
def frame():
    """Two features, labels, an epsilon a record."""
    rng = np.random.default_rng(3)
    a, b = rng.uniform(-0.5, 0.5, (2, 80))
    own = rng.choice([0.1, 0.5, 1.0], 80)
    return pd.DataFrame({"a": a, "b": b, "y": 0.6 * a - 0.2 * b, "own": own})


@pytest.fixture
def numbers(frame, tmp_path):
    """A CSV file with a column of epsilons."""
    frame.to_csv(tmp_path / "numbers.csv", index=False)
    return str(tmp_path / "numbers.csv")


@pytest.fixture
def names(frame, tmp_path):
    """A CSV file with a column of names of groups."""
    group = np.where(frame["own"] < 0.2, "careful", "open")
    frame.drop(columns="own").assign(group=group).to_csv(tmp_path / "names.csv", index=False)
    return str(tmp_path / "names.csv")


def test_fit_with_a_column_of_epsilons(frame, numbers):
    """The same as fit in Python, and what each budget pays."""
    options = [*TARGET, *PURE, *BALL, *REPLACED, "--epsilon-column", "own", "--simulate", "1"]
    record = json.loads(call("fit", "PersonalizedRidge", numbers, *options, "--json"))
    model = dp.PrivateRegressor(PersonalizedRidge(), epsilon=None, delta=0, setting=SETTING, rng=1)
    model.fit(frame[["a", "b"]], frame["y"], epsilon=frame["own"])
    assert list(record["coef_"]) == ["a", "b"]
    assert list(record["coef_"].values()) == pytest.approx(model.coef_.tolist())
    assert record["budgets"] == model.budget_report_.records()
    assert [line["records"] for line in record["budgets"]] == [
        int((frame["own"] == own).sum()) for own in (0.1, 0.5, 1.0)
    ]
    assert "personalised epsilon-differential privacy" in record["receipt"]["guarantee"]
    printed = call("fit", "PersonalizedRidge", numbers, *options)
    assert "noise wasted" in printed
    assert max(map(len, printed.splitlines())) <= 100


@pytest.mark.parametrize("relation", ["add-remove", "replace-one"])
def test_fit_with_a_column_of_groups(names, relation):
    """Under add/remove nobody is counted; the noise is that of the careful."""
    options = [*TARGET, "--delta", "1e-6", *BALL, *GROUPS, "--epsilon-column", "group"]
    options += ["--relation", relation, "--simulate", "1"]
    record = json.loads(call("fit", "SSP", names, *options, "--json"))
    assert [line["group"] for line in record["budgets"]] == ["careful", "open"]
    assert [line["cost"] for line in record["budgets"]] == pytest.approx([0.1, 0.1], rel=1e-6)
    assert ("records" in record["budgets"][0]) == (relation == "replace-one")


def test_a_uniform_fit_is_as_before(numbers):
    """Without a column there are no budgets to report."""
    options = [*TARGET, "--epsilon", "1", "--delta", "1e-6", *BALL, "--simulate", "1", "--json"]
    assert "budgets" not in json.loads(call("fit", "SSP", numbers, *options))


COLUMN = ["--epsilon-column", "own"]
REFUSED = {
    "neither": ([], "--epsilon must be a number for all records, or --epsilon-column NAME"),
    "both": ([*COLUMN, "--epsilon", "1"], "or --epsilon-column NAME; got both"),
    "groups alone": (["--epsilon", "1", *GROUPS], "--epsilon-column must be given with --groups"),
    "joining": (COLUMN, "--relation must be replace-one with a column of epsilons"),
    "no column": (
        ["--epsilon-column", "nope", *REPLACED],
        "--epsilon-column must be the name of a column; got 'nope'",
    ),
    "the labels": (["--epsilon-column", "y", *REPLACED], "something else than the labels"),
    "numbers for names": ([*COLUMN, *GROUPS, *REPLACED], "budgets must be"),
}


@pytest.mark.parametrize(("options", "says"), REFUSED.values(), ids=REFUSED)
def test_fit_refuses(numbers, options, says):
    """In one sentence."""
    given = [*TARGET, *PURE, *BALL, "--simulate", "1", *options]
    assert says in call("fit", "PersonalizedRidge", numbers, *given, status=2)


# certify and audit ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "target"),
    [
        (["--each-epsilon"], dp.PersonalizedDP(dp.each("epsilon"))),
        (["--each-epsilon", *PURE], dp.PersonalizedDP(dp.each("epsilon"))),
        (GROUPS, dp.PersonalizedDP({"careful": "0.1", "open": 1})),
    ],
    ids=["each", "each, delta 0", "groups"],
)
def test_certify_for_public_budgets(options, target, tmp_path):
    """The certificate of Python, whole, and what check accepts is what was printed."""
    path = str(tmp_path / "certificate.json")
    given = [*options, *BALL, *REPLACED, "--out", path]
    printed = call("certify", "PersonalizedRidge", *given)
    proof = dp.certify(
        PersonalizedRidge(),
        target=target,
        setting=dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.REPLACE_ONE),
    )
    assert proof.hash[:12] in printed
    assert dp.load(path).hash == proof.hash
    assert "each record's own epsilon" in " ".join(printed.split())


def test_certify_with_a_delta_for_all():
    """(epsilon, delta), each record's own epsilon; as JSON too."""
    given = ["PersonalizedSSP", "--each-epsilon", "--delta", "1e-6"]
    assert "(epsilon, 1e-6)-differential privacy" in call("certify", *given)
    assert json.loads(call("certify", *given, "--json"))["hash"]


@pytest.mark.parametrize("extra", [[], ["--json"]])
def test_audit_says_whose_budget(extra):
    """The page and its sentence are of personalised privacy; exit 1 where nothing is proved."""
    given = ["PersonalizedRidge", "--each-epsilon", *BALL]
    assert "personalised" in call("audit", *given, *REPLACED, *extra)
    refused = call("audit", *given, *extra, status=1)
    assert ("unproved" if extra else "Not proved") in refused


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--each-epsilon", "--epsilon", "1"], "by --epsilon, --each-epsilon or --groups"),
        (["--each-epsilon", *GROUPS], "by --epsilon, --each-epsilon or --groups"),
        (["--groups", "careful"], "--groups must be written name=number, once for each name"),
        (["--groups", "a=1,a=2"], "--groups must be written name=number, once for each name"),
        (["--groups", "a=1,b=x"], "epsilon of b"),
        (["--groups", "a=0"], "budget epsilon must be"),
        (["--each-epsilon", "--delta", "2"], "delta"),
    ],
)
@pytest.mark.parametrize("command", ["certify", "audit"])
def test_certify_and_audit_refuse(command, options, says):
    """As a person wrote it."""
    assert says in call(command, "PersonalizedRidge", *options, status=2)


# ------------------------------------------- `dpframe fit` fits classes by the estimator of classes
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
        assert record["coef_"]["age"] == pytest.approx(model.coef_[0, 0], rel=1e-6)
        assert record["intercept_"] == pytest.approx(model.intercept_[0], rel=1e-6)
    assert "of yes against no" in fitted(path, "text", "text")


def test_a_penalty_is_asked_for(survey):
    """It has no default that fits most tables; what needs none is named."""
    path, _ = survey
    data = [str(path), "--target", "text", "--schema", str(path.parent / "text.json")]
    spent = ["--epsilon", "1", "--delta", "1e-6", "--simulate", "3"]
    said = call("fit", "LogisticOutputPerturbation", *data, *spent, status=2)
    assert "penalty must be given" in said
    assert "LogisticDescent" in said
    assert "of yes against no" in call("fit", "LogisticDescent", *data, *spent)


def test_counts_are_refused(survey):
    """By the classes that they are none of."""
    path, _ = survey
    assert "must be 0 or 1" in fitted(path, "count", "zero and one", status=2)


# ---------------------------------------- Cells of CSV that hold line breaks, from the command line
TABLE = 'note,u,y\n"two\nlines",0.5,0.25\nplain,-0.5,0.5\n'
CODEBOOK = (
    '{"columns": [{"name": "u", "lower": -1, "upper": 1}], "target": {"lower": 0, "upper": 1}}'
)


@pytest.fixture
def fitted_lines(tmp_path):
    """Fits the table with more options."""
    (tmp_path / "t.csv").write_text(TABLE)
    (tmp_path / "c.json").write_text(CODEBOOK)
    options = ["--target", "y", "--epsilon", "1", "--delta", "1e-6", "--simulate", "0"]
    paths = [str(tmp_path / "t.csv"), "--schema", str(tmp_path / "c.json")]
    return lambda *more: CliRunner().invoke(app, ["fit", "SSP", *paths, *options, *more])


def test_cells_of_several_lines_are_asked_for(fitted_lines):
    """Refused with the way out; read where they are asked for, and the receipt says what for."""
    refused, read = fitted_lines(), fitted_lines("--multiline", "--notes")
    assert refused.exit_code != 0
    assert "no table of equal rows" in refused.output
    assert read.exit_code == 0, read.output
    assert "every quote in the CSV files is closed" in " ".join(read.output.split())


# --------------------------------------------------------------------- Contrasts and predictions
BOOK = {
    "columns": [
        {"name": "age", "lower": 18, "upper": 64},
        {"name": "smoker", "levels": ["no", "yes"]},
    ],
    "target": {"lower": 0, "upper": 100},
    "intercept": True,
}


@pytest.fixture
def people(tmp_path, monkeypatch):
    """A table, a codebook and rows to predict, in the current folder."""
    rng = np.random.default_rng(5)
    table = pd.DataFrame(
        {"age": rng.integers(18, 65, 3000), "smoker": rng.choice(["no", "yes"], 3000)}
    )
    table["cost"] = table["age"] + 20.0 * (table["smoker"] == "yes")
    monkeypatch.chdir(tmp_path)
    table.to_csv("people.csv", index=False)
    table[["smoker", "age"]].head(7).to_csv("new.csv", index=False)
    (tmp_path / "book.json").write_text(json.dumps(BOOK))
    return table


BAD_ROWS = [
    ("age,smoker\n20,no\n30,maybe\n", r"row 2 of bad0.csv, column smoker .* got another value"),
    ("age,smoker\n20,no\n,no\n", r"row 2 of bad1.csv, column age must .* missing or infinite"),
    ("age,smoker\nten,no\n", r"row 1 of bad2.csv, column age must .* got another value"),
    ("age,smoker\n20,no\n20\n", r"row 2 of bad3.csv must be of 2 cells"),
    ("age\n20\n", r"got 0 of that name. bad4.csv has"),
]
FIT = ["fit", "JointSSP", "people.csv", "--target", "cost", "--schema", "book.json"]
FIT += ["--epsilon", "3", "--delta", "1e-6"]


def test_fit_tests_contrasts_and_predicts(people):
    """The same as t_test and predict, which also reads a file, in Python."""
    options = ["--simulate", "1", "--json", "--contrast", "smoker[yes] - 10 age"]
    record = json.loads(call(*FIT, *options, "--predict", "new.csv", "--predictions", "p.csv"))
    setting = dp.Setting(
        X=dp.Rows(
            columns=[dp.Numeric("age", 18, 64), dp.Categorical("smoker", ["no", "yes"])],
            intercept=True,
        ),
        y=dp.Column("cost", lower=0, upper=100),
        relation=dp.ADD_REMOVE,
    )
    model = dp.PrivateRegressor(dp.JointSSP(), epsilon=3, delta="1e-6", setting=setting, rng=1)
    model.fit(people[["age", "smoker"]], people["cost"])
    (found,) = record["contrasts"]
    beside = json.loads(call(*FIT, *options[:3], "--contrast", "smoker[yes] - smoker[no]"))
    (level,) = model.inference().t_test("smoker[yes]").effect
    assert beside["contrasts"][0]["coef"] == pytest.approx(float(level))
    tested = model.inference().t_test({"smoker[yes]": 1, "age": -10})
    assert found["coef"] == pytest.approx(float(tested.effect[0]))
    assert [found["lower"], found["upper"]] == pytest.approx(tested.conf_int()[0].tolist())
    saved = pd.read_csv("p.csv")
    assert saved["prediction"].to_numpy() == pytest.approx(
        model.predict(people[["age", "smoker"]].head(7))
    )
    assert saved["prediction"].to_numpy() == pytest.approx(model.predict("new.csv"))
    new = model.inference().get_prediction("new.csv")
    assert saved[["lower", "upper"]].to_numpy() == pytest.approx(new.conf_int(obs=True))
    assert saved[["mean_lower", "mean_upper"]].to_numpy() == pytest.approx(new.conf_int())
    assert saved["mean_se"].to_numpy() == pytest.approx(new.se_mean)
    law = model.inference()
    variance = record["residual_variance"]
    assert variance["interval"] == pytest.approx(law.scale_conf_int().tolist())
    files = ["--predict", "new.csv", "--predictions", "n.csv", "--residuals", "normal"]
    said = both_streams(*FIT, "--simulate", "1", *files)
    assert "for normal residuals" in " ".join(said.split())
    normal = pd.read_csv("n.csv")[["lower", "upper"]].to_numpy()
    new = model.inference().get_prediction("new.csv", residuals="normal")
    assert normal == pytest.approx(new.conf_int(obs=True))
    assert np.diff(normal).sum() < np.diff(saved[["lower", "upper"]].to_numpy()).sum()


@pytest.mark.filterwarnings("default")
def test_predictions_report_clipped_rows_and_a_lost_residual_variance(people):
    """In a line each, where they occur."""
    Path("new.csv").write_text("age,smoker\n30,no\n90,yes\n")
    options = ["--simulate", "1", "--predict", "new.csv", "--predictions", "p.csv", "--force"]
    given = [*FIT[:-3], "0.05", *FIT[-2:], *options]
    printed = " ".join(both_streams(*given).split())
    assert "Clipped to the bounds: 1 of 2 rows to predict, in age [18, 64]." in printed
    assert "use an upper confidence bound" in printed
    scattered = people["cost"] + np.random.default_rng(6).uniform(-15, 15, len(people))
    people.assign(cost=scattered).to_csv("people.csv", index=False)
    assert "upper confidence bound" not in both_streams(*FIT, *options)


def test_a_classifier_predicts_classes_and_probabilities(people, tmp_path):
    """The probability is that of the second class."""
    book = json.loads((tmp_path / "book.json").read_text())
    book["columns"], book["target"] = book["columns"][:1], {"levels": ["no", "yes"]}
    (tmp_path / "classes.json").write_text(json.dumps(book))
    given = ["fit", "LogisticDescent", "people.csv", "--target", "smoker", *FIT[-4:]]
    given += ["--schema", "classes.json", "--simulate", "1"]
    call(*given, "--predict", "people.csv", "--predictions", "p.csv")
    saved = pd.read_csv("p.csv")
    assert len(saved) == len(people)
    assert ((saved["probability[yes]"] > 0.5) == (saved["prediction"] == "yes")).all()


def test_log_odds_have_intervals_contrasts_and_a_plot(people, tmp_path):
    """Of the variant for intervals; the default refuses these options before it spends."""
    book = json.loads((tmp_path / "book.json").read_text())
    book["columns"], book["target"] = book["columns"][:1], {"levels": ["no", "yes"]}
    (tmp_path / "classes.json").write_text(json.dumps(book))
    given = ["people.csv", "--target", "smoker", "--schema", "classes.json", "--simulate", "1"]
    given += ["--epsilon", "1000", "--delta", "1e-6"]
    wanted = ["--contrast", "age", "--alpha", "0.1"]
    said = call("fit", "LogisticDescent", *given, *wanted, status=2)
    assert "LogisticDescent.for_intervals has intervals" in said
    variant = ["fit", "LogisticDescent.for_intervals", *given]
    printed = call(*variant, *wanted, "--plot", "plot.png", "--out", "fit.json")
    assert Path("plot.png").exists()
    assert "odds ratio" in printed
    record = json.loads(Path("fit.json").read_text())
    first, (contrast,) = record["summary"]["coefficients"][0], record["contrasts"]
    assert first["lower"] < first["coef"] < first["upper"]
    assert contrast["coef"] == pytest.approx(first["coef"])
    assert record["summary"]["alpha"] == 0.1
    call(*variant, "--predict", "people.csv", "--predictions", "p.csv")
    saved = pd.read_csv("p.csv")
    assert len(saved) == len(people)
    assert ((saved["probability[yes]"] > 0.5) == (saved["prediction"] == "yes")).all()


@pytest.mark.usefixtures("people")
@pytest.mark.parametrize("name", ["people.csv", "link.csv", "hard.csv"])
def test_a_table_that_is_predicted_shows_no_value(name):
    """The fitted file is private, also where it is the file of rows to predict, by any name."""
    Path("people.csv").write_text("age,smoker,cost\n20,no,4\n,secret,5\n")
    Path("link.csv").symlink_to("people.csv")
    Path("hard.csv").hardlink_to("people.csv")
    said = call(*FIT, "--predict", name, "--predictions", "p.csv", status=2)
    assert "secret" not in said
    assert "row 2" not in said
    assert "column smoker" in said


COPIES = ["20,no,4\n30,5173secret,5\n", "20,no,4\n5173secret,no,5\n", "20,no,4\n5173secret,no\n"]
COPIES += ['20,no,4\n5173secret,"no,5\n', "20,no,4\n5173,no,5\n51731e999,no,5\n"]


@pytest.mark.usefixtures("people")
@pytest.mark.parametrize("rows", COPIES)
def test_no_cell_of_rows_to_predict_is_printed(rows):
    """They may be a copy of the private table, which cannot be known."""
    Path("people.csv").write_text(f"age,smoker,cost\n{rows}")
    Path("copy.csv").write_text(f"age,smoker,cost\n{rows}")
    options = ["--drop", "--predict", "copy.csv", "--predictions", "p.csv"]
    said = both_streams(*FIT, *options, status=2)
    assert "5173" not in said
    assert re.search("row [23] of copy.csv", said)


@pytest.mark.filterwarnings("default")
def test_of_a_table_that_is_predicted_no_count_is_printed(people):
    """Neither of its rows nor of those outside the bounds."""
    people.assign(age=people["age"] + 5).to_csv("people.csv", index=False)
    options = ["--simulate", "1", "--predict", "people.csv", "--predictions", "p.csv"]
    said = both_streams(*FIT, *options)
    assert "p.csv has a line for each, and is private" in said
    assert "Clipped to the bounds" not in said
    assert "of 3,000" not in said
    assert len(pd.read_csv("p.csv")) == len(people)


def test_a_failure_after_the_fit_says_that_it_was_made(people, monkeypatch):
    """The fit is printed all the same."""

    def fail(*_):
        raise RuntimeError(people["cost"][0])

    monkeypatch.setattr(new_rows, "write_predictions", fail)
    options = ["--simulate", "1", "--predict", "new.csv", "--predictions", "p.csv"]
    printed = both_streams(*FIT, *options, status=3)
    assert "R-squared" in printed
    assert "The fit was made, its budget is spent" in printed


def test_the_printout_fits_one_screen(people, tmp_path):
    """40 lines of 100 signs for 8 coefficients, with the notes on hidden directions."""
    rng = np.random.default_rng(1)
    book = json.loads((tmp_path / "book.json").read_text())
    levels = ["north", "east", "south", "west"]
    book["columns"] += [
        {"name": "bmi", "lower": 15, "upper": 55},
        {"name": "children", "lower": 0, "upper": 5},
        {"name": "region", "levels": levels},
    ]
    (tmp_path / "wide.json").write_text(json.dumps(book))
    wide = people.head(1300).assign(
        bmi=rng.normal(30, 6, 1300), children=0, region=rng.choice(levels, 1300)
    )
    wide.to_csv("wide.csv", index=False)
    given = [*FIT[:2], "wide.csv", "--target", "cost", "--schema", "wide.json"]
    lines = call(*given, "--epsilon", "1", "--delta", "1e-6", "--simulate", "1").splitlines()
    assert any("directions, mostly along" in line for line in lines)
    assert any(line.startswith("fitted is drawn") for line in lines)
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--contrast", "smoker"], r"--contrast must be .* Did you mean 'smoker\[yes\]'\?$"),
        (["--contrast", "smoker"], r"Write 'age' or 'age - 2 intercept'\. Did"),
        (["--contrast", "age - smoker[no]"], r"smoker\[no\] is the baseline; its effect is 0"),
        (["--predict", "new.csv"], "--predict and --predictions must be given together"),
        (["--residuals", "normal"], "--residuals must be left out without --predict"),
        (["--predict", "no.csv", "--predictions", "p.csv"], "--predict must be an existing file"),
        (["--predict", "book.json", "--predictions", "p.csv"], "--predict must be"),
        *(
            (["--predict", f"bad{k}.csv", "--predictions", "p.csv"], f"{says}.*nothing has been")
            for k, (_, says) in enumerate(BAD_ROWS)
        ),
    ],
)
@pytest.mark.usefixtures("people")
def test_what_cannot_be_tested_or_predicted_spends_nothing(options, says):
    """It is refused before the fit; of the file of rows the place is named."""
    for k, (text, _) in enumerate(BAD_ROWS):
        Path(f"bad{k}.csv").write_text(text)
    call("ledger", "create", "l.sqlite", "panel", "--epsilon", "9", "--delta", "1e-4")
    charged = ["--ledger", "l.sqlite", "--dataset", "panel"]
    assert re.search(says, call(*FIT, *charged, *options, status=2))
    assert dp.Ledger("l.sqlite").account("panel").runs == 0
