"""docs/splits.md: its numbers are fresh, its claims about them hold."""

import pytest

import dpframe as dp
from docs.generate.pages import splits as page

CHEAP = ("page", "noise", "error", "shares")


def blocks():
    """Every block of the page, as it is written there."""
    text = page.PAGE.read_text("utf-8")
    return {
        found[2]: found[0][len(found[1]) : -len(found[3])] for found in page.BLOCK.finditer(text)
    }


@pytest.mark.page
@pytest.mark.parametrize("name", CHEAP)
@pytest.mark.slow
def test_fresh(name):
    """As `python -m docs.generate.pages.splits` writes it."""
    assert blocks()[name] == page.BLOCKS[name]()


def test_the_picture_is_there():
    """The page shows it."""
    assert page.PICTURE.exists()
    assert f"images/{page.PICTURE.name}" in page.PAGE.read_text("utf-8")


def test_gammas_that_are_alike_in_every_row():
    """0.02 to 0.08 is within a tenth of the least bound, with joint calibration."""
    for n, epsilon, condition in page.SIZES:
        criterion = dp.audits.ErrorCriterion(n=n, d=10, condition=condition)
        found = page.best(dp.regressions.AdaSSPBudgetTight(), epsilon, criterion, dp.ADD_REMOVE)
        low, high = page.alike(dp.regressions.AdaSSPBudgetTight(), epsilon, found)
        assert low <= 0.02
        assert high >= 0.08


@pytest.mark.parametrize(("radius", "d"), [("1/3", 10), (1, 10), ("7/5", 200)])
def test_the_ratio_of_moment_and_gram(radius, d):
    """sqrt(2d/(d + 1)) Y/(B R), for large n and no ridge; Y/(B R) where noise is mirrored."""
    criterion = dp.audits.ErrorCriterion(n=10**10, d=d, radius=radius)
    declared = {dp.SSP(ridge="1e-9"): (2 * d / (d + 1)) ** 0.5, dp.literature.SSPWang(): 1}
    for regression, factor in declared.items():
        found = dp.best_split(
            regression,
            target=page.target("1"),
            setting=page.BALL,
            criterion=criterion,
            over="shares",
        )
        ratio = found.shares["moment"] / found.shares["gram"]
        assert ratio == pytest.approx(factor / float(criterion.radius), rel=0.02)
