"""The published table was typed in right, and its half-widths follow the code that printed it."""

import math

import pytest

from dpframe.experiments.published import COLUMNS, PRIVATE, Cell, table3

SHRINK = 2 / math.sqrt(10)
SUMS = {  # of errors and spreads, added from the printed table in decimals
    "trivial": (4.3903, 0.40845),
    "non-private": (1.98306, 0.256349),
    "ObjPert": (6.387, 1.60771),
    "OPS": (6.5192, 2.00108),
    "SSP": (25214.8989, 49385.962712),
    "AdaOPS": (3.541, 0.714412),
    "AdaSSP": (3.64102, 0.750359),
}


def test_every_set_and_column_is_there():
    """36 sets of seven columns, positive and finite."""
    cells = [cell for row in table3().values() for cell in row.values()]
    assert len(table3()) == 36
    assert all(tuple(row) == COLUMNS for row in table3().values())
    assert all(0 < cell.error < math.inf and 0 < cell.spread < math.inf for cell in cells)


@pytest.mark.parametrize(
    ("name", "column", "error", "spread"),
    [
        ("3droad", "trivial", 0.0275, 0.00014),
        ("airfoil", "ObjPert", 0.356, 0.064),
        ("autos", "SSP", 1700, 2500),
        ("breastcancer", "AdaSSP", 0.196, 0.051),
        ("houseelectric", "AdaSSP", 0.0136, 2.2e-5),
        ("keggundirected", "non-private", 0.00475, 8.9e-5),
        ("pumadyn32nm", "OPS", 0.111, 0.005),
        ("yacht", "AdaOPS", 0.0967, 0.035),
        ("yacht", "AdaSSP", 0.109, 0.03),
    ],
)
def test_cells_as_printed(name, column, error, spread):
    """From the first row to the last."""
    cell = table3()[name][column]
    assert (cell.error, cell.spread) == (error, spread)


def test_sums_of_columns():
    """Every number counts: one digit typed wrong moves a sum."""
    sums = {
        name: (
            round(math.fsum(row[name].error for row in table3().values()), 9),
            round(math.fsum(row[name].spread for row in table3().values()), 9),
        )
        for name in COLUMNS
    }
    assert sums == SUMS


def test_bold_cells_print_a_std():
    """The least private error is bold; one far above it is not; a baseline never is."""
    airfoil, concrete = table3()["airfoil"], table3()["concrete"]
    assert airfoil["AdaSSP"] == Cell(0.0878, 0.014, bold=True)
    assert airfoil["AdaSSP"].half_width == pytest.approx(0.014 * SHRINK)
    assert airfoil["ObjPert"].half_width == 0.064
    assert concrete["SSP"].half_width == 1.8
    assert not any(row[name].bold for row in table3().values() for name in COLUMNS[:2])


def test_bold_follows_from_its_rule_wherever_the_rule_decides():
    """A cell whose std is below its error is bold just where the rule says so of that std."""
    decided = 0
    for row in table3().values():
        best = min(row[name].error for name in PRIVATE)
        for cell in (row[name] for name in PRIVATE):
            std = cell.spread if cell.bold else cell.spread / SHRINK
            if std < cell.error:
                decided += 1
                assert cell.bold == (cell.error - SHRINK * std < best)
    assert decided > 100
