"""The medical costs: encodings, budgets, what rules pay, losses beside the closed form."""

import numpy as np
import pytest
from scipy.integrate import quad

import dpframe as dp
from dpframe.experiments.catalogue import ITEMS
from dpframe.experiments.declared import squared_error
from dpframe.experiments.medical_costs import load, one_hot, synthetic, views
from dpframe.experiments.worlds import (
    GROUPS,
    INSURANCE,
    LEVELS,
    MEAN,
    UNIFORM,
    drawn,
    kept_share,
    members,
    rounded_down,
)

from .standing_in import HEADER, people, put_all, put_people

METHODS = {one.name: one for one in ITEMS["acharya-beyond-insurance"].run.methods}
POINT = {"f_c": 0.34, "f_m": 0.43, "eps_c": 0.01, "eps_m": 0.2, "fraction": 1}


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A small table."""
    monkeypatch.delenv("DPFRAME_INSURANCE", raising=False)
    return put_all(tmp_path, "yacht")


@pytest.fixture
def costs(data):
    """The table, read."""
    return load(data.costs)


def split(data, rows="|x|^2 <= d", seed=3, **of):
    """One draw of rows and budgets."""
    point = {**POINT, "rows": rows, **of}
    (one,) = INSURANCE.splits(point, np.random.default_rng(seed), data)
    return one


def loss(method, one, rng=None):
    """Of one fit."""
    rng = np.random.default_rng(0) if rng is None else rng
    return squared_error(one, METHODS[method].fit(one, {}, rng), {})


def test_rows_are_encoded_as_in_the_paper(tmp_path):
    """Numbers onto [0, 1], one column a level, a one; by hand."""
    lines = people(20)
    lines[0] = [18, "male", 16.0, 0, "yes", "southwest", 1000.0]
    lines[1] = [64, "female", 53.0, 5, "no", "northeast", 99000.0]
    lines[2] = [41, "female", 34.5, 1, "no", "southeast", 50000.0]
    found = load(put_people(tmp_path / "c.csv", [*lines[:3], *([lines[2]] * 17)]))
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
    """Few people, unknown levels, no numbers, short lines, a constant column; a missing column or
    file by its name, with the header.
    """
    with pytest.raises(dp.BadData):
        load(put_people(tmp_path / "bad.csv", lines))
    without = put_people(tmp_path / "without.csv", people(), [*HEADER[:-1], "cost"])
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


def test_least_squares_agree_in_every_view(data, costs):
    """The loss of numpy's least squares, for labels in [0, 1], whatever the encoding."""
    rows, labels = one_hot(costs)
    places = np.random.default_rng(3).permutation(60)
    train, test = places[12:], places[:12]
    theta = np.linalg.lstsq(rows[train], labels[train], rcond=None)[0]
    want = np.mean((labels[test] - rows[test] @ theta) ** 2)
    for view in views(costs):
        found = loss("least squares", split(data, view.name))
        assert found == pytest.approx(want, rel=1e-4)  # on a grid of 2^-16 or so


def test_baselines_by_hand(data, costs):
    """Zero, and the mean of the training labels alone, in every view."""
    places, labels = np.random.default_rng(3).permutation(60), one_hot(costs)[1]
    test, train = labels[places[:12]], labels[places[12:]]
    for view in views(costs):
        one = split(data, view.name)
        want = np.mean((test - train.mean()) ** 2)
        assert loss("mean alone", one) == pytest.approx(want, rel=1e-4)
    assert loss("zero", split(data)) == pytest.approx(np.mean(test**2))


def test_a_split_is_a_partition(data):
    """A fifth is tested on, rounded up, as scikit-learn does; a fraction of the others is used."""
    for fraction, used in ((1, 48), (0.5, 24), (0.1, 5)):
        one = split(data, fraction=fraction)
        assert (len(one.y), len(one.labels), len(one.budgets)) == (used, 12, used)
    whole = split(data)
    rows = {tuple(row) for row in np.vstack([whole.X, whole.rows])}
    assert len(rows) == 60


def test_budgets_lie_in_their_groups():
    """Sizes 34%, 43% and the rest; between the ends of each."""
    own, places = drawn(1070, np.random.default_rng(0)), members(1070)
    assert [place.stop - place.start for place in places.values()] == [363, 460, 247]
    for (_, low, high), place in zip(GROUPS.values(), places.values(), strict=True):
        assert float(low) <= own[place].min() <= own[place].max() <= float(high)
    assert float(MEAN) == pytest.approx(0.34 * 0.105 + 0.43 * 0.6 + 0.23)


def test_groups_are_those_of_the_point(data):
    """Other shares and ends than the usual."""
    one = split(data, f_c=0.5, f_m=0.3, eps_c=0.4, eps_m=0.5)
    assert np.sum(one.budgets == 1) == 48 - 24 - 14
    assert np.all((one.budgets[:24] >= 0.4) & (one.budgets[:24] <= 0.5))
    assert np.all((one.budgets[24:38] >= 0.5) & (one.budgets[24:38] <= 1))


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
    own = np.concatenate([np.arange(1, 101) / 100, drawn(5000, np.random.default_rng(1))])
    found = np.array([float(LEVELS[name]) for name in rounded_down(own)])
    assert np.all(found <= own)
    assert np.all(found > own - 0.01 - 1e-12)


def expected(one, rate):
    """The loss of weighted ridge regression with density exp(-rate |z|) added, over all noise:
    E zz' = (d + 1)/rate^2 I.
    """
    X, y, weights = one.X, one.y, one.budgets / one.budgets.sum()
    d = X.shape[1]
    theta = np.linalg.solve((X * weights[:, None]).T @ X + np.eye(d), X.T @ (weights * y))
    bias = np.mean((one.labels - one.rows @ theta) ** 2)
    return bias + (d + 1) / rate**2 * np.mean((one.rows**2).sum(axis=1))


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ["PDP-OP", "PersonalizedRidge"])
@pytest.mark.parametrize("rows", ["|x|^2 <= d", "|x|^2 <= 7"])
def test_losses_are_those_of_the_rules(data, name, rows):
    """Means over noise, beside the closed form with the rate of [Acharya24, Thm 3.2] and with that
    of proofs/personalized, at penalty 1 and |y| <= 1.
    """
    one = split(data, rows)
    B = np.sqrt(12 if rows == "|x|^2 <= d" else 7)
    gap = 2 * B * (1 + B) if name == "PDP-OP" else 2 * B + B**2 / 2
    rng = np.random.default_rng(4)
    losses = [loss(name, one, rng) for _ in range(150)]
    want = expected(one, one.budgets.sum() / gap)
    error = np.std(losses) / np.sqrt(150)
    assert error < 0.1 * want
    assert abs(np.mean(losses) - want) < 4 * error


def test_what_groups_pay(costs):
    """By the printed rule the same share of every budget: its sensitivity over that which it
    states, in the ball of radius 1 that it declares. By the sharp one all of it.
    """
    own = drawn(48, np.random.default_rng(0))
    target = dp.PersonalizedDP(dp.each("epsilon"))
    for view in views(costs)[:2]:
        B = np.sqrt(12 if view.name == "|x|^2 <= d" else 7)
        share = (2 * B + B**2) / (2 * B * (1 + B))
        for declaration, most in (
            (dp.literature.PersonalizedRidgePrinted(), share),
            (dp.PersonalizedRidge(), 1),
        ):
            setting = view.setting(dp.REPLACE_ONE)
            proof = dp.certify(declaration, target=target, setting=setting)
            report = dp.audits.budget_report(proof, own, d=12)
            paid = report.costs[np.unique(own, return_inverse=True)[1]]
            assert paid == pytest.approx(own * most, rel=1e-9)
            assert np.all(paid <= own * (1 + 1e-12))


def test_synthetic_rows():
    """Labels x'theta/sqrt(d) of rows in the unit box; a fifth is tested on."""
    view = synthetic(2050, 30, np.random.default_rng(0))
    rows, labels = view.rows, view.labels
    assert rows.shape == (2050, 30)
    assert rows.min() >= 0
    assert rows.max() <= 1
    theta = np.linalg.lstsq(rows, labels, rcond=None)[0]
    assert np.linalg.norm(theta) == pytest.approx(1 / np.sqrt(30))
    assert np.abs(labels - rows @ theta).max() < 1e-12
    (one,) = UNIFORM.splits({**POINT, "n": 100}, np.random.default_rng(0), None)
    assert (len(one.y), len(one.labels)) == (80, 20)
