"""The main job tells its story, in a file as on a terminal, and its numbers are right."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dpframe as dp
from demo import __main__ as demo
from demo.declaration import CODEBOOK, REGRESSION, SETTING
from demo.story import CANDIDATES, NORMS
from demo.survey import (
    LeastSquares,
    Table,
    explained,
    made_up,
    noise_std,
    simulated,
    survey,
    typical_error,
)


@pytest.fixture(scope="module")
def women() -> Table:
    """The survey."""
    return survey()


@pytest.mark.slow
def test_it_tells_the_whole_story(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight sections, no colour codes in a file, every line at most 102 columns, a picture."""
    monkeypatch.chdir(tmp_path)
    assert demo.main() == 0
    told = capsys.readouterr().out
    assert re.findall(r"^(\d)  ", told, re.MULTILINE) == list("12345678")
    assert "\x1b" not in told
    assert max(map(len, told.splitlines())) <= 102
    assert "satisfy (epsilon, delta)-differential privacy" in told
    assert "refuted" in told
    assert "Noise: operating system" in told
    assert (tmp_path / demo.PICTURE).read_bytes().startswith(b"\x89PNG")


def test_the_codebook_holds_for_made_up_and_for_real_women(women: Table) -> None:
    """No answer lies outside the published bounds, so scaling clips nobody."""
    for table in (women, made_up()):
        X = np.asarray(table.X)
        assert (X >= [float(column.lower) for column in CODEBOOK]).all()
        assert (X <= [float(column.upper) for column in CODEBOOK]).all()
        assert set(np.unique(table.y)) <= {1, 2, 3, 4, 5}


@pytest.mark.slow
def test_the_stated_noise_is_the_noise_of_repeats(women: Table) -> None:
    """noise_std, from one fit's released values, agrees with the spread of simulated fits."""
    fits = list(simulated(REGRESSION, women, range(100)))
    spread = np.std([fit.coef_ for fit in fits], axis=0)
    stated = np.median([noise_std(fit) for fit in fits], axis=0)
    assert stated == pytest.approx(spread, rel=0.3)


@pytest.mark.slow
def test_what_is_declared_is_what_does_best_on_made_up_women() -> None:
    """The choice of section 5, made without data: no other regression or bound errs less."""
    table = made_up()
    declared = typical_error(REGRESSION, table, "2", 60)
    others = [typical_error(one, table, norm, 60) for one in CANDIDATES for norm in NORMS]
    assert declared == min(others)


def test_with_a_large_budget_the_fit_is_least_squares() -> None:
    """On made-up women without noise the private fit predicts as ordinary least squares does."""
    table = made_up()
    model = dp.PrivateRegressor(REGRESSION, epsilon=10**9, delta="1e-6", setting=SETTING, rng=0)
    private = explained(table, model.fit(table.X, table.y).predict(table.X))
    assert private == pytest.approx(
        explained(table, LeastSquares.of(table).predict(table.X)), abs=0.01
    )


def test_least_squares_agrees_with_statsmodels(women: Table) -> None:
    """The columns without privacy are those of a statistician."""
    from statsmodels.api import OLS, add_constant

    known = OLS(women.y, add_constant(women.X, prepend=False)).fit()
    found = LeastSquares.of(women)
    assert found.coefficients == pytest.approx(known.params[:-1].to_numpy())
    assert found.std == pytest.approx(known.bse[:-1].to_numpy())


def test_without_statsmodels_the_extra_is_named() -> None:
    """One sentence, no traceback, nothing half told."""
    program = (
        "import sys; sys.modules['statsmodels'] = None\n"
        "from demo.__main__ import main\n"
        "sys.exit(main())"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    assert "dpframe[demo]" in run.stderr
    assert "Traceback" not in run.stderr
    assert not run.stdout
