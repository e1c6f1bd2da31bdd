"""Personalised budgets on a made-up table of medical costs: encodings, budgets, losses, labels."""

import csv
import json

import numpy as np
import pytest
from scipy.integrate import quad
from typer.testing import CliRunner

import dpframe as dp
from dpframe.cli import app
from dpframe.experiments import personalized_insurance as insurance
from dpframe.experiments.drawn_budgets import (
    GROUPS,
    LEVELS,
    MEAN,
    budgets,
    kept_share,
    members,
    rounded_down,
)
from dpframe.experiments.medical_costs import load, one_hot, views
from dpframe.experiments.methods import Standing
from dpframe.experiments.personal_methods import Draw, least_squares, mean_alone, zero
from dpframe.experiments.personalized_insurance import METHODS, SYNTHETIC, Entry, Experiment

HEADER = ["age", "sex", "bmi", "children", "smoker", "region", "charges"]
REGIONS = ["northeast", "northwest", "southeast", "southwest"]
COMMAND = ["experiment", "personalized-insurance", "--repeats", "2", "--draws", "1"]
SMALL = Experiment(repeats=2, draws=2, claimed=True)


def people(n=60, seed=0):
    """Lines of a table like that of the paper."""
    rng = np.random.default_rng(seed)
    smoker = rng.random(n) < 0.3
    age, bmi = rng.integers(18, 65, n), rng.uniform(16, 53, n).round(2)
    charges = 250 * age + 300 * bmi + 20000 * smoker + rng.normal(0, 3000, n)
    sex, region = rng.choice(["female", "male"], n), rng.choice(REGIONS, n)
    children = rng.integers(0, 6, n)
    told = np.where(smoker, "yes", "no")
    return [list(line) for line in zip(age, sex, bmi, children, told, region, charges, strict=True)]


def put(path, lines, header=None):
    """A file."""
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header or HEADER, *lines])
    return path


@pytest.fixture
def path(tmp_path, monkeypatch):
    """A small table."""
    monkeypatch.delenv("DPFRAME_INSURANCE", raising=False)
    return put(tmp_path / "costs.csv", people())


@pytest.fixture
def costs(path):
    """The table, read."""
    return load(path)


def call(*arguments, status=0, env=None):
    """What the command prints; it must exit with `status`."""
    done = CliRunner().invoke(app, [str(argument) for argument in arguments], env=env)
    assert done.exit_code == status, done.output
    return done.stdout if status == 0 else " ".join(done.stderr.split())


def test_rows_are_encoded_as_in_the_paper(tmp_path):
    """Numbers onto [0, 1], one column a level, a one; by hand."""
    lines = people(20)
    lines[0] = [18, "male", 16.0, 0, "yes", "southwest", 1000.0]
    lines[1] = [64, "female", 53.0, 5, "no", "northeast", 99000.0]
    lines[2] = [41, "female", 34.5, 1, "no", "southeast", 50000.0]
    found = load(put(tmp_path / "c.csv", [*lines[:3], *([lines[2]] * 17)]))
    rows, labels = one_hot(found)
    assert rows[0].tolist() == [0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 1]
    assert rows[1].tolist() == [1, 1, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1]
    assert rows[2] == pytest.approx([0.5, 0.5, 0.2, 1, 0, 1, 0, 0, 0, 1, 0, 1])
    assert labels[:3] == pytest.approx([0, 1, 0.5])


@pytest.mark.parametrize(
    "lines",
    [
        people(19),
        [*people(20), [18, "male", 20, 0, "perhaps", "southwest", 1]],
        [*people(20), [18, "male", 20, 0, "no", "nowhere", 1]],
        [*people(20), [18, "male", "nan", 0, "no", "southwest", 1]],
        [*people(20), ["young", "male", 20, 0, "no", "southwest", 1]],
        [*people(20), [18, "male"]],
        [[*line[:3], 2, *line[4:]] for line in people(20)],
    ],
    ids=["few", "no level", "no region", "nan", "a word", "short", "constant"],
)
def test_a_bad_table_is_refused(tmp_path, lines):
    """Few people, unknown levels, no numbers, lines cut short, a column that is constant."""
    with pytest.raises(dp.BadData):
        load(put(tmp_path / "bad.csv", lines))


def test_a_missing_column_or_file_is_refused(tmp_path):
    """By the file's name, with the header that is wanted."""
    without = put(tmp_path / "without.csv", people(), [*HEADER[:-1], "cost"])
    for wrong in (without, tmp_path / "none.csv"):
        with pytest.raises(dp.BadData, match=rf"{wrong.name}.*age, sex, bmi"):
            load(wrong)


def test_every_view_bounds_its_rows(costs):
    """What is declared of rows and labels holds, and is attained up to the range of the table."""
    norms = {}
    for view in views(costs):
        rows, column = view.setting(dp.REPLACE_ONE).nodes()
        found = float(str(rows.radius)[5:-1])  # sqrt(12), sqrt(7)
        assert (view.rows**2).sum(axis=1).max() <= found + 1e-12
        assert np.abs(view.labels).max() <= 1
        assert str(column.radius) == "1"
        norms[view.name] = found
    assert norms == {"|x|^2 <= d": 12, "|x|^2 <= 7": 7, "codebook": 7}


def test_least_squares_agree_in_every_view(costs):
    """The loss of numpy's least squares, for labels in [0, 1], whatever the encoding."""
    rows, labels = one_hot(costs)
    draw = insurance.split(60, np.random.default_rng(3))
    theta = np.linalg.lstsq(rows[draw.train], labels[draw.train], rcond=None)[0]
    want = np.mean((labels[draw.test] - rows[draw.test] @ theta) ** 2)
    for view in views(costs):
        found = view.loss(least_squares(view, draw, np.random.default_rng(0)), draw.test)
        assert found == pytest.approx(want, rel=1e-4)  # on a grid of 2^-16 or so


def test_baselines_by_hand(costs):
    """The mean alone, and zero."""
    view, draw = views(costs)[0], Draw(np.arange(40), np.arange(40, 60), np.ones(40))
    labels = view.labels
    found = view.loss(mean_alone(view, draw, np.random.default_rng(0)), draw.test)
    assert found == pytest.approx(np.mean((labels[40:] - labels[:40].mean()) ** 2))
    found = view.loss(zero(view, draw, np.random.default_rng(0)), draw.test)
    assert found == pytest.approx(np.mean(labels[40:] ** 2))


def test_a_split_is_a_partition():
    """A fifth is tested on, rounded up, as scikit-learn does."""
    draw = insurance.split(1338, np.random.default_rng(0))
    assert sorted([*draw.train, *draw.test]) == list(range(1338))
    assert (len(draw.train), len(draw.test), len(draw.budgets)) == (1070, 268, 1070)


def test_budgets_lie_in_their_groups():
    """Sizes 34%, 43% and the rest; between the ends of each."""
    own, places = budgets(1070, np.random.default_rng(0)), members(1070)
    assert [place.stop - place.start for place in places.values()] == [363, 460, 247]
    for (_, low, high), place in zip(GROUPS.values(), places.values(), strict=True):
        assert float(low) <= own[place].min() <= own[place].max() <= float(high)
    assert float(MEAN) == pytest.approx(0.34 * 0.105 + 0.43 * 0.6 + 0.23)


@pytest.mark.parametrize("threshold", [0.05, 0.2, 0.5, float(MEAN), 0.99, 1.0])
def test_the_share_that_a_sample_keeps(threshold):
    """By quadrature of the probability, group by group."""
    total = 0.0
    for share, low, high in GROUPS.values():
        a, b = float(low), float(high)

        def kept(own):
            return min(1.0, np.expm1(own) / np.expm1(threshold))

        middle = [threshold] if a < threshold < b else None
        mean = kept(a) if a == b else quad(kept, a, b, points=middle)[0] / (b - a)
        total += float(share) * mean
    assert kept_share(threshold) == pytest.approx(total, rel=1e-9)


def test_levels_are_at_most_the_budgets():
    """And less than a hundredth below."""
    own = np.concatenate([np.arange(1, 101) / 100, budgets(5000, np.random.default_rng(1))])
    found = np.array([float(LEVELS[name]) for name in rounded_down(own)])
    assert np.all(found <= own)
    assert np.all(found > own - 0.01 - 1e-12)


def expected(rows, labels, draw, rate):
    """The loss of weighted ridge regression with density exp(-rate |z|) added, over all noise:
    E zz' = (d + 1)/rate^2 I.
    """
    X, y, weights = rows[draw.train], labels[draw.train], draw.budgets / draw.budgets.sum()
    d = X.shape[1]
    theta = np.linalg.solve((X * weights[:, None]).T @ X + np.eye(d), X.T @ (weights * y))
    bias = np.mean((labels[draw.test] - rows[draw.test] @ theta) ** 2)
    return bias + (d + 1) / rate**2 * np.mean((rows[draw.test] ** 2).sum(axis=1))


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ["PDP-OP, printed", "PersonalizedRidge"])
@pytest.mark.parametrize("view", ["|x|^2 <= d", "|x|^2 <= 7", "codebook"])
def test_losses_are_those_of_the_rules(costs, name, view):
    """Means over noise, beside the closed form with the rate of [Acharya24, Thm 3.2] and with that
    of proofs/personalized, at penalty 1 and |y| <= 1.
    """
    of = next(one for one in views(costs) if one.name == view)
    draw = insurance.split(60, np.random.default_rng(3))
    method = next(one for one in METHODS if (one.name, one.view) == (name, view))
    B = np.sqrt(12 if view == "|x|^2 <= d" else 7)
    gap = 2 * B * (1 + B) if name == "PDP-OP, printed" else 2 * B + B**2 / 2
    rng = np.random.default_rng(4)
    losses = [of.loss(method.fit(of, draw, rng), draw.test) for _ in range(150)]
    want = of.factor * expected(of.rows, of.labels, draw, draw.budgets.sum() / gap)
    error = np.std(losses) / np.sqrt(150)
    assert error < 0.1 * want
    assert abs(np.mean(losses) - want) < 4 * error


def test_what_groups_pay(costs):
    """By the printed rule the same share of every budget: its sensitivity over that which it
    states, in the ball of radius 1 that it declares. By the sharp one, and SSP, all of it.
    """
    asked, paid = insurance.paid(costs, SMALL)
    assert list(asked) == list(GROUPS)
    for name, squared in (("PDP-OP, printed, |x|^2 <= d", 12), ("PDP-OP, printed, |x|^2 <= 7", 7)):
        B = np.sqrt(squared)
        share = (2 * B + B**2) / (2 * B * (1 + B))
        for group, own in asked.items():
            assert paid[name][group] == pytest.approx(own * share, rel=1e-9)
    for group, own in asked.items():
        assert paid["PersonalizedRidge, codebook"][group] <= own * (1 + 1e-12)


def test_spreads_by_hand():
    """The error is that of means by repeats; the spreads over repeats, and inside them."""
    entry = Entry(5, METHODS[0], np.array([[1.0, 3.0], [5.0, 7.0]]))
    assert entry.loss == 4
    assert entry.error == pytest.approx(np.std([2, 6], ddof=1) / np.sqrt(2))
    assert entry.spreads == (2.0, 1.0)
    assert np.isnan(Entry(5, METHODS[0], np.ones((1, 3))).error)


@pytest.mark.slow
def test_a_seed_repeats_itself_and_methods_do_not_meet(costs):
    """Leaving out what has no proof moves no other loss."""
    everything = {one.method: one.losses for one in insurance.entries(costs, SMALL)}
    proved = list(insurance.entries(costs, Experiment(repeats=2, draws=2)))
    assert len(everything) == len(METHODS)
    assert {one.method.standing for one in proved} == {Standing.BASELINE, Standing.CERTIFIED}
    for one in proved:
        assert np.array_equal(one.losses, everything[one.method])


@pytest.mark.slow
def test_what_has_no_proof_needs_leave(path):
    """Every line is labelled; the coded samples run with --not-private alone."""
    shown = call(*COMMAND, "--data", path)
    assert all(line.startswith("NOT PRIVATE") for line in shown.splitlines())
    assert "coded" not in shown
    assert "--not-private runs them" in shown
    assert "0.2607" in call(*COMMAND, "--data", path, "--not-private")


def test_records_are_labelled(path, tmp_path):
    """In JSON, one a method, finite."""
    file = tmp_path / "found.json"
    call(*COMMAND, "--json", file, env={"DPFRAME_INSURANCE": str(path)})
    records = json.loads(file.read_text())
    assert len(records) == sum(one.standing is not Standing.CLAIMED for one in METHODS)
    assert {one["label"] for one in records} == {"NOT PRIVATE"}
    assert all(np.isfinite(one["loss"]) and one["loss"] > 0 for one in records)


def test_without_a_file(tmp_path, monkeypatch):
    """It says what it wants."""
    monkeypatch.delenv("DPFRAME_INSURANCE", raising=False)
    assert "--synthetic" in call(*COMMAND, status=2)
    assert "none.csv" in call(*COMMAND, "--data", tmp_path / "none.csv", status=2)


def test_synthetic_rows(monkeypatch):
    """A column a size, with labels x'theta/sqrt(d) of rows in the unit box."""
    monkeypatch.setattr(insurance, "SIZES", (40, 80))
    shown = call(*COMMAND, "--synthetic")
    assert all(line.startswith("NOT PRIVATE") for line in shown.splitlines())
    assert "n = 40" in shown
    assert "n = 80: below zero" in shown
    view, draw = insurance.simulated(50, np.random.default_rng(0))
    rows, labels = view.rows, view.labels
    assert rows.shape == (2050, 30)
    assert (rows.min() >= 0) & (rows.max() <= 1)
    theta = np.linalg.lstsq(rows, labels, rcond=None)[0]
    assert np.linalg.norm(theta) == pytest.approx(1 / np.sqrt(30))
    assert np.abs(labels - rows @ theta).max() < 1e-12
    assert len(draw.budgets) == 50
    assert len({one.name for one in SYNTHETIC}) >= 7
