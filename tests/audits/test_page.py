"""The page of an audit, and the table of calibrations, on a screen narrower than 100 columns."""

import dpframe as dp
from dpframe.audits import audit, compare
from dpframe.audits.page import page

SETTING = dp.Setting(
    X=dp.Rows(norm=dp.parameter("B")), y=dp.Column(bound=1), relation=dp.ADD_REMOVE
)


def test_statistics_move_below_a_table_that_is_too_wide():
    """They are a column of the wide page."""
    done = audit(dp.literature.AdaSSPWang(), target=dp.ApproxDP(1, "1e-6"), setting=SETTING)
    assert "floor: lambda_min(X'X); gram: X'X; moment: X'y" in page(done, 80)
    assert "floor    lambda_min(X'X)" in page(done) == str(done)


def test_a_comparison_fits_80_columns():
    """Columns are named without the family that all of them share."""
    found = compare(epsilon=["0.1", 3, 10], delta="1e-6")
    narrow = found.text(80)
    assert max(map(len, narrow.splitlines())) <= 80
    assert "Std of Gaussian noise" in narrow
    assert "[KamathU20, Lem 2.4]" in narrow
