"""The benchmark of coverage by laws of labels, and its table in the documentation."""

import numpy as np
import pytest

from benchmarks import laws
from docs.generate.pages import coverage

HEAD = ",".join([*laws.KEY, *laws.SCORES])


def test_the_pages_have_the_kept_tables():
    """python -m docs.generate.pages.coverage"""
    kept = laws.lines(coverage.KEPT)
    assert len({tuple(line[name] for name in coverage.CELL) for line in kept}) == len(kept) > 60
    assert coverage.between(coverage.PAGE.read_text("utf-8"))[1] == coverage.section(kept)
    assert coverage.between(coverage.SUMMARY.read_text("utf-8"))[1] == coverage.summary(kept)


def test_a_page_without_the_marks_is_not_written():
    """Nor any that would lose what stands after the table."""
    page = f"before {coverage.FIRST}table{coverage.LAST} after"
    assert "".join(coverage.between(page)) == page
    for broken in ("", coverage.FIRST, page.replace("\n\n<", "\n<")):
        with pytest.raises(ValueError, match="unpack"):
            coverage.between(broken)


def test_a_cell_by_hand(tmp_path):
    """Of three tables one is refused; half of the slopes of another are covered."""
    lines = ["1,1,2.0,3.0,0", "0.5,1,4.0,5.0,1", "nan,nan,nan,nan,nan"]
    tables = tmp_path / "laws.csv"
    rows = [f"normal,2000,3,1,{place},{line}" for place, line in enumerate(lines)]
    tables.write_text("\n".join([HEAD, *rows]), "utf-8")
    (cell,) = coverage.cells(laws.lines(tables))
    assert cell["tables"] == "3"
    assert (cell["refused"], cell["predicted"]) == ("33.33", "intervals")
    assert (cell["slopes"], cell["slopes_error"]) == ("75.00", "25.00")
    assert (cell["intercept"], cell["length"], cell["clipped"]) == ("100.00", "3.000", "50.0")
    text = coverage.section([cell])
    assert "0 of 1 cells cover 93 to 97.5%, 0 more, 1 less; the lowest is 75.0 ± 25.0%" in text
    assert "| normal | 2,000 | 3 | 1 | 3 | intervals | 33.3 | 75.0 ± 25.0 | 100.0 ± 0.0 |" in text


@pytest.mark.parametrize("law", ["counts", "binary, 3%"])
def test_replayed_fits_are_those_that_are_executed(law):
    """With hardly any noise: what was released and every interval, but for the grid of sums."""
    cell = (400, 3, "1000000")
    columns, labels = laws.table(law, 400, 3, np.random.default_rng(1))
    executed = laws.fitted(laws.RIVALS[0], cell, columns, labels, 1)
    rows = np.column_stack([columns, np.ones(400)])
    replayed = laws.replayed(cell, rows, labels, np.random.default_rng(2))
    first, second = (model.result_.output.evidence for model in (executed, replayed))
    assert first.gram == pytest.approx(second.gram, abs=0.01)
    assert first.counts.observed == pytest.approx(second.counts.observed, abs=0.1)
    assert first.meat.observed == pytest.approx(second.meat.observed, rel=0.02, abs=0.1)
    for name in ("gram_std", "squares_std", "count_std", "lost_std"):
        assert getattr(first, name) == pytest.approx(getattr(second, name), rel=1e-6)
    assert first.moments[0].std == pytest.approx(second.moments[0].std, rel=1e-6)
    assert first.meat.std == pytest.approx(second.meat.std, rel=1e-2)
    ends = [model.inference().conf_int() for model in (executed, replayed)]
    assert ends[0] == pytest.approx(ends[1], abs=2e-3)


def test_lengths_are_over_those_of_statsmodels():
    """White's standard errors, HC0."""
    statsmodels = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(-1, 1, (500, 2)), np.ones(500)])
    y = X @ [0.1, 0.2, 0.3] + np.abs(X[:, 0]) * rng.standard_normal(500)
    assert laws.white(X, y) == pytest.approx(statsmodels.OLS(y, X).fit(cov_type="HC0").bse)
