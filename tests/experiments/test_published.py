"""Published numbers were taken over right; a number is rounded where its digits end."""

import math

import pytest

from dpframe.experiments.estimates import PublishedNumber, published

SUMS = {  # of errors and of what stands behind them, added from the printed table in decimals
    "trivial": (4.3903, 0.40845),
    "non-private": (1.98306, 0.256349),
    "ObjPert": (6.387, 1.60771),
    "OPS": (6.5192, 2.00108),
    "SSP": (25214.8989, 49385.962712),
    "AdaOPS": (3.541, 0.714412),
    "AdaSSP": (3.64102, 0.750359),
}


def test_sums_of_the_printed_table():
    """Every number of 36 sets counts: one digit typed wrong moves a sum."""
    cells = published("wang-table-3").cells
    assert len(cells) == 36 * 7
    for column, (errors, spreads) in SUMS.items():
        mine = [cell for (_, method, _), cell in cells.items() if method == column]
        assert math.fsum(cell.value for cell in mine) == pytest.approx(errors, abs=1e-9)
        assert math.fsum(float(cell.spread) for cell in mine) == pytest.approx(spreads, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "point", "method", "metric", "value"),
    [
        ("wang-table-3", {"set": "airfoil"}, "ObjPert", "error", 0.356),
        ("wang-table-3", {"set": "yacht"}, "AdaSSP", "error", 0.109),
        ("wang-uci", {"set": "bike", "epsilon": 1}, "AdaSSP", "error", 0.0287),
        ("wang-uci", {"set": "bike", "epsilon": 1}, "OPS", "error", 0.0367),
        ("acharya-insurance-penalty", {"penalty": 1}, "PDP-OP", "unregularised", 0.2154),
        ("acharya-insurance-penalty", {"penalty": 1}, "uniform", "unregularised", 344.6),
        ("acharya-insurance-penalty", {"penalty": 1}, "Jorgensen mean", "unregularised", 0.4762),
        ("acharya-synthetic-conservative", {"eps_c": 0.2}, "uniform", "regularised", 7.21),
        ("acharya-synthetic-medium", {"eps_m": 0.3}, "uniform", "unregularised", 1.48),
        ("acharya-synthetic-share", {"f_c": 0.6}, "PDP-OP", "regularised", 2.92),
    ],
)
def test_numbers_of_the_papers(name, point, method, metric, value):
    """As the papers print them, to their digits."""
    cell = published(name).cell(point, method, metric)
    assert cell.value == pytest.approx(value, rel=3e-3)


def test_the_printed_numbers_of_table_11():
    """Five, in the place of those that the code has kept; the others are these."""
    kept, ours = published("acharya-synthetic-size").cells, published("acharya-table-11").cells
    other = {place[0]: cell.text for place, cell in ours.items() if cell != kept[place]}
    assert other == {"0.3": "8.97", "0.4": "2.37", "0.7": "7.97", "0.9": "6.36", "1": "1.98"}
    assert len(ours) == 40


def test_what_is_not_published_is_none():
    """Other points, other methods, no file."""
    known = published("wang-uci")
    assert known.cell({"set": "bike", "epsilon": 3}, "SSP", "error") is None
    assert known.cell({"set": "bike"}, "SSP", "error") is None
    assert published(None).cell({"set": "bike"}, "SSP", "error") is None


@pytest.mark.parametrize(
    ("text", "rounding"), [("0.232", 5e-4), ("1.7e+03", 50), ("12", 0.5), ("8.9e-05", 5e-7)]
)
def test_rounding(text, rounding):
    """Half a unit of the last digit."""
    assert PublishedNumber(text).rounding == pytest.approx(rounding)
    assert PublishedNumber(text).inside(float(text) + 0.9 * rounding, math.inf)
    assert not PublishedNumber(text).inside(float(text) + 1.1 * rounding, math.inf)
