"""Cells of CSV that hold line breaks, from the command line."""

import pytest
from typer.testing import CliRunner

from dpframe.cli import app

TABLE = 'note,u,y\n"two\nlines",0.5,0.25\nplain,-0.5,0.5\n'
CODEBOOK = (
    '{"columns": [{"name": "u", "lower": -1, "upper": 1}], "target": {"lower": 0, "upper": 1}}'
)


@pytest.fixture
def fitted(tmp_path):
    """Fits the table with more options."""
    (tmp_path / "t.csv").write_text(TABLE)
    (tmp_path / "c.json").write_text(CODEBOOK)
    options = ["--target", "y", "--epsilon", "1", "--delta", "1e-6", "--simulate", "0"]
    paths = [str(tmp_path / "t.csv"), "--schema", str(tmp_path / "c.json")]
    return lambda *more: CliRunner().invoke(app, ["fit", "SSP", *paths, *options, *more])


def test_cells_of_several_lines_are_asked_for(fitted):
    """Refused with the way out; read where they are asked for, and the receipt says what for."""
    refused, read = fitted(), fitted("--multiline")
    assert refused.exit_code != 0
    assert "no table of equal rows" in refused.output
    assert read.exit_code == 0, read.output
    assert "every quote in the CSV files is closed" in " ".join(read.output.split())
