"""dpframe split: what it prints, saves, draws and refuses."""

import json
from functools import partial

import pytest

import dpframe as dp
from tests.support import commands

HERE = ["--epsilon", "1", "--delta", "1e-6", "--norm", "1", "--bound", "1", "-d", "10"]


call = partial(commands.call, "split")


def test_gamma_by_noise(tmp_path):
    """The page; the certificate in a file."""
    path = tmp_path / "certificate.json"
    text = call("AdaSSPBudget", *HERE, "--out", str(path))
    assert "chosen      gamma = 0.119" in text
    assert "31190 for gamma = 1/3, 1.58 times as much" in text
    assert max(map(len, text.splitlines())) <= 100
    assert dp.load(path).regression == dp.literature.AdaSSPBudget(gamma="0.119")


def test_shares_as_json():
    """Every number."""
    found = json.loads(
        call("AdaSSP", *HERE, "--json", "--weight", "floor=2", "--weight", "gram=0.5")
    )
    assert found["over"] == "shares"
    assert found["exact"]
    assert found["currency"] == "squared mu"
    assert sum(found["shares"].values()) == pytest.approx(1)
    assert "weighted floor 2, gram 1/2" in found["criterion"]


def test_symbols():
    """Without numbers the rule itself, for all parameters."""
    text = call("SSP", "-d", "10")
    assert "gram = sqrt(55)*B^2, moment = sqrt(10)*B*Y" in text
    assert "satisfy (epsilon, delta)-differential privacy" in text


@pytest.mark.parametrize("relation", ["add-remove", "replace-one"])
def test_error(relation):
    """The other criterion, under both relations."""
    given = [*HERE, "-n", "20000", "--relation", relation]
    text = call("AdaSSPBudgetTight", *given, "--criterion", "error", "--within", "0.001,0.5")
    assert "a bound on the expected excess squared error at n = 20,000" in text


def test_a_picture(tmp_path):
    """In the file that is named."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    path = tmp_path / "curve.svg"
    call("AdaSSPBudget", *HERE, "--plot", str(path))
    assert path.read_text().lstrip().startswith("<?xml")


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["SSP", *HERE, "--criterion", "error"], 2, "-n"),
        (["SSP", *HERE, "--weight", "gram"], 2, "name=number"),
        (["SSP", *HERE, "--over", "gamma"], 2, "shares"),
        (["AdaSSPBudget", *HERE, "--within", "0.5"], 2, "(lower, upper)"),
        (["ObjPert", *HERE], 2, "only adds noise"),
        (["AdaSSPBudget", "-d", "10"], 2, "must be a number"),
        (["SSP", *HERE, "--plot", "/nowhere/curve.svg"], 2, "--plot"),
        (["SSP", "--epsilon", "1", "--delta", "1e-6", "-d", "2", "--plot", "x.svg"], 2, "drawn"),
    ],
)
def test_refused(arguments, status, says):
    """With a sentence, without a traceback."""
    assert says in call(*arguments, status=status)
