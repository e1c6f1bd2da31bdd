"""One class of every kind from outside, through every face: refused by name without trust; with it
certified, named, audited, saved, loaded, checked and fitted.
"""

from __future__ import annotations

import json
import pickle
from typing import Any

import attrs
import numpy as np
import pytest
from sklearn.base import clone
from typer.testing import CliRunner

import dpframe as dp
from dpframe.audits.findings import findings
from dpframe.audits.html import html
from dpframe.cli import app
from dpframe.identity import Shadow
from dpframe.kernel import check
from tests.support import checking

from . import outside

HOME = outside.__name__
SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


@attrs.frozen
class Case:
    """A declaration, the classes whose word its proof takes, and who adds up."""

    declaration: dp.Regression
    trust: list[type]
    target: dp.Guarantee = dp.ApproxDP(1, "1e-6")
    accountant: Any = "auto"

    def asked(self, **more: Any) -> dict[str, Any]:
        """What every face is asked."""
        return {"target": self.target, "setting": SETTING, "accountant": self.accountant, **more}

    def certified(self) -> dp.Certificate:
        """With trust."""
        return dp.certify(self.declaration, **self.asked(trust=self.trust))

    def model(self, **more: Any) -> dp.PrivateRegressor:
        """An estimator of it."""
        spent = dict(zip(("epsilon", "delta"), self.target.amounts, strict=False))
        given = {"delta": 0, **spent, "accountant": self.accountant, "rng": 1, **more}
        return dp.PrivateRegressor(self.declaration, setting=SETTING, **given)

    def words(self, *, trust: list[type] | None = None) -> list[str]:
        """What a person types after the name of a command."""
        name = f"{HOME}:{type(self.declaration).__name__}"
        delta = "0" if len(self.target.amounts) == 1 else "1e-6"
        own = [] if self.accountant == "auto" else ["--accountant", place(type(self.accountant))]
        given = self.trust if trust is None else trust
        told = [word for kind in given for word in ("--trust", place(kind))]
        return [name, "--epsilon", "1", "--delta", delta, *BALL, *own, *told]


BALL = ["--norm", "1", "--bound", "1"]
STATISTICS = [
    outside.Halved,
    outside.Folded,
    outside.Positives,
    outside.LogisticPure,
    outside.Logistic,
    outside.Coin,
]
CASES = {
    "statistic, maps, mechanism, theorem, procedure": Case(outside.OfStatistics(), STATISTICS),
    "loss": Case(outside.OfLoss(), [outside.LogCosh]),
    "weight": Case(outside.Weighed(), [outside.Capped]),
    "accountant": Case(outside.Pure(), [outside.Padded], dp.PureDP(1), outside.Padded()),
}
EVERY = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
EACH = [(case, kind) for case in CASES.values() for kind in case.trust]
EACH_CLASS = pytest.mark.parametrize(("case", "kind"), EACH, ids=[k.__name__ for _, k in EACH])


def place(kind: type) -> str:
    """`module:Class`."""
    return f"{kind.__module__}:{kind.__qualname__}"


def call(*words: str, status: int = 0) -> str:
    """What a command prints, unfolded."""
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == status, done.output
    return " ".join(done.output.split())


def table(n: int = 60) -> tuple[Any, Any]:
    """Rows of the unit ball, and labels."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.5, 0.5, (n, 3))
    return X, np.clip(X @ [1.0, -1.0, 0.5], -1, 1)


@EACH_CLASS
@pytest.mark.some(9)
def test_without_its_name_every_face_refuses_it(case, kind, tmp_path):
    """One class left out: the message names it, and what to write."""
    others = [one for one in case.trust if one is not kind]
    way_out = rf"trust=\[{kind.__name__}\]"
    asked = case.asked(trust=others)
    with pytest.raises(dp.Uncertified, match=way_out):
        dp.certify(case.declaration, **asked)
    with pytest.raises(dp.Uncertified, match=way_out):
        case.model(trust=others).fit(*table())
    said = dp.audit(case.declaration, **asked)
    assert said.certificate is None
    assert f"trust=[{kind.__name__}]" in str(said)
    assert f"--trust {place(kind)}" in call("certify", *case.words(trust=others), status=1)
    assert f"--trust {place(kind)}" in call("audit", *case.words(trust=others), status=1)
    case.certified().save(tmp_path / "proof.json")
    with pytest.raises(dp.errors.BadCertificate, match=rf"trust=\[{kind.__name__}\]"):
        dp.load(tmp_path / "proof.json", trust=others)


@EACH_CLASS
def test_trust_in_a_class_is_none_in_its_bases_and_heirs(case, kind):
    """Exact classes: what derives from one, or what it derives from, is not meant."""
    heir = type(kind.__name__, (kind,), {"__slots__": ()})
    others = [one for one in case.trust if one is not kind]
    for instead in (heir, kind.__mro__[1], object, Shadow):
        with pytest.raises(dp.Uncertified, match=rf"trust=\[{kind.__name__}\]"):
            dp.certify(case.declaration, **case.asked(trust=[*others, instead]))


@EVERY
@pytest.mark.some(4)
def test_a_certificate_names_what_it_trusts(case):
    """On its page, among its assumptions."""
    made = case.certified()
    said = [one for one in made.assumptions if " is trusted: " in one]
    assert {one.partition(" ")[0] for one in said} == set(map(place, case.trust))
    assert all(place(kind) in str(made) for kind in case.trust)


@EVERY
@pytest.mark.some(4)
def test_the_kernel_accepts_it_as_trusted(case):
    """In the verdict and its sentence; not where another list of classes is all that may be."""
    document = json.loads(json.dumps(case.certified().document))
    verdict = check(document)
    names = sorted(map(place, case.trust))
    assert verdict.accepted, verdict.reason
    assert list(verdict.trusted) == names
    assert all(name in verdict.sentence for name in names)
    assert check(document, trusted=[*names, "some:Other"]).accepted
    for known in ([], names[1:], ["none"]):
        refused = check(document, trusted=known)
        assert not refused.accepted
        assert names[0] in refused.reason


@EVERY
@pytest.mark.some(4)
def test_no_file_is_accepted_whose_assumptions_leave_a_class_out(case):
    """Whatever its hash says."""
    document = json.loads(json.dumps(case.certified().document))
    for name in map(place, case.trust):
        kept = [one for one in document["assumptions"] if not one.startswith(name)]
        verdict = check(checking.sealed({**document, "assumptions": kept}))
        assert "is trusted" in verdict.reason


@EVERY
@pytest.mark.some(4)
def test_it_is_saved_and_loaded(case, tmp_path):
    """By whoever trusts the same classes; pickles bring theirs along."""
    made = case.certified()
    made.save(tmp_path / "proof.json")
    assert dp.load(tmp_path / "proof.json", trust=case.trust).hash == made.hash
    assert pickle.loads(pickle.dumps(made)).hash == made.hash


@EVERY
@pytest.mark.some(4)
def test_the_audit_names_what_it_trusts(case):
    """In text, JSON and HTML, where it says what is proved."""
    done = dp.audit(case.declaration, **case.asked(trust=case.trust))
    names = set(map(place, case.trust))
    assert str(done.verdict) == "proved"
    assert set(done.trusted) == set(done.records()["trusted"]) == names
    proof = done.text(details=True).partition("Why it holds")[2].partition("\n\n")[0]
    shown = html(findings(done))
    for name in names:
        assert name in " ".join(proof.split()).replace("- ", "-")
        assert name in done.sentence
        stated = " ".join(str(done).split()).replace("- ", "-")
        assert f"{name} is trusted: what it states of" in stated
        assert "On trust in " in shown
        assert shown.count(name) >= 3


@EVERY
@pytest.mark.some(4)
def test_it_is_fitted(case):
    """On a small table, after `clone`, which keeps whom it trusts; and pickled."""
    model = clone(case.model(trust=case.trust))
    assert model.get_params()["trust"] == case.trust
    fitted = model.fit(*table())
    assert fitted.coef_.shape == (3,)
    assert np.isfinite(fitted.coef_).all()
    again = pickle.loads(pickle.dumps(fitted))
    assert again.certificate_.hash == fitted.certificate_.hash
    run = dp.certify(case.declaration, **case.asked(trust=case.trust))
    assert dp.execute(run, *table(), rng=1).receipt.certificate == fitted.certificate_.hash
    assert "expected noise" in str(run.preview(n=60, d=3))


@EVERY
@pytest.mark.some(4)
def test_on_the_command_line(case, tmp_path):
    """certify, check, audit and fit, by the names that a person types."""
    place_of, csv = str(tmp_path / "proof.json"), tmp_path / "table.csv"
    names = sorted(map(place, case.trust))
    assert "is trusted" in call("certify", *case.words(), "--out", place_of)
    said = call("check", place_of)
    assert all(f"on trust: {name}" in said for name in names)
    assert "rejected: it trusts" in call("check", place_of, "--trusted", "none", status=1)
    told = [word for name in names for word in ("--trusted", name)]
    assert "accepted" in call("check", place_of, *told)
    assert json.loads(call("check", place_of, "--json"))["trusted"] == names
    assert json.loads(call("audit", *case.words(), "--json"))["trusted"]
    X, y = table()
    cells = np.column_stack([X, y]).tolist()
    lines = [",".join(map(repr, row)) for row in cells]
    csv.write_text("\n".join(["a,b,c,label", *lines, ""]))
    fitted = call("fit", case.words()[0], str(csv), "--target", "label", *case.words()[1:])
    assert "intercept" in fitted


def test_the_kernel_alone_says_it_too(tmp_path):
    """`python -m dpframe.kernel FILE --trusted NAME`."""
    from dpframe.kernel.__main__ import main

    case = CASES["loss"]
    case.certified().save(tmp_path / "proof.json")
    place_of = str(tmp_path / "proof.json")
    assert main([place_of, "--trusted", place(outside.LogCosh)]) == 0
    assert main([place_of, "--trusted", "none"]) == 1


def test_a_split_of_the_budget():
    """best_split."""
    counted, criterion = outside.Counted(), dp.audits.NoiseCriterion(d=3)
    asked = {"target": dp.PureDP(1), "setting": SETTING, "criterion": criterion}
    with pytest.raises(dp.Uncertified, match=r"trust=\[Positives\]"):
        dp.best_split(counted, **asked)
    found = dp.best_split(counted, trust=[outside.Positives], **asked)
    assert place(outside.Positives) in str(found.certificate)


def test_a_comparison_says_whose_theorem_it_is():
    """A calibration of ones own beside dpframe's."""
    own = outside.Logistic.pure
    asked = {"epsilon": 1, "delta": "1e-6"}
    with pytest.raises(dp.InvalidArgument, match=r"trust=\[LogisticPure\]"):
        dp.compare(own, **asked)
    found = dp.compare(own, trust=[outside.LogisticPure, outside.Logistic], **asked)
    assert f"Logistic.pure: on trust in {place(outside.LogisticPure)}." in str(found)
    assert found.records()[0]["trusted"] == place(outside.LogisticPure)


@pytest.mark.parametrize("trust", [outside.Halved, "Halved", [HOME], 3, None], ids=repr)
@pytest.mark.some(5)
def test_trust_is_a_list_of_classes(trust):
    """Anything else is refused by name."""
    case = CASES["loss"]
    for ask in (dp.certify, dp.audit):
        with pytest.raises(dp.InvalidArgument, match="trust must be a list of classes"):
            ask(case.declaration, **case.asked(trust=trust))


def test_the_text_of_a_class_is_answered_with_its_import():
    """As the command line takes it."""
    case = CASES["loss"]
    with pytest.raises(dp.InvalidArgument, match=r"from plug import Mine; trust=\[Mine\]"):
        dp.certify(case.declaration, **case.asked(trust=["plug:Mine"]))


def test_misspelt_names_of_the_command_line_are_answered_with_the_near_one():
    """The option is named, and the class that was meant."""
    told = call("certify", f"{HOME}:OfLoss", "--trust", f"{HOME}:Halvd", status=2)
    assert told.startswith("--trust must be")
    assert "Did you mean 'Halved'?" in told


def test_names_of_the_command_line_are_those_of_classes():
    """A module alone, or what is no class."""
    for name in (HOME, f"{HOME}:solved", f"{HOME}:Nobody", "nowhere:Class"):
        call("certify", f"{HOME}:OfLoss", "--trust", name, status=2)


@pytest.mark.parametrize(
    "line",
    ['mechanism = "mine:Logistic"', 'calibration = "mine:Pure"', 'statistic = "mine:Positives(y)"'],
)
@pytest.mark.some(3)
def test_a_description_names_no_classes(line):
    """It imports nothing; the message says what does."""
    key = line.partition(" ")[0]
    written = {"mechanism": 'mechanism = "laplace"', "statistic": 'statistic = "X\'y"'}
    noise = {} if key == "calibration" else {"calibration": "scale = 1"}
    text = HEAD + "\n".join({**written, **noise, key: line}.values())
    with pytest.raises(dp.InvalidArgument, match=r"imports nothing.*--trust"):
        dp.audits.parse_description(text).regression.graph(SETTING, dp.PureDP(1).budget)


HEAD = """
title = "t"
relation = "add-remove"
[claim]
epsilon = 1
[rows]
norm = 1
[labels]
bound = 1
[[release]]
name = "moment"
"""


def test_an_accountant_adds_up_a_description(tmp_path):
    """That a person names, beside the file."""
    noise = 'statistic = "X\'y"\nmechanism = "laplace"\ncalibration = "pure"\nshare = "epsilon"\n'
    (tmp_path / "paper.toml").write_text(HEAD + noise)
    padded = place(outside.Padded)
    words = ["audit", str(tmp_path / "paper.toml"), "--accountant", padded]
    assert f"--trust {padded}" in call(*words, status=1)
    assert f"On trust in {padded}" in call(*words, "--trust", padded, "--details")
    assert f"{padded} is trusted" in call(*words, "--trust", padded)


OWN_KINDS = """
statistic = "positives(folded(y))"
mechanism = "logistic"
calibration = "pure"
share = "epsilon"
"""
OF_FILE = [outside.Positives, outside.Folded, outside.Logistic, outside.LogisticPure]


def test_a_description_names_the_kinds_of_trusted_classes(tmp_path):
    """In every face: audit, certify, load, check, execute, page; the file imports nothing."""
    file = tmp_path / "paper.toml"
    file.write_text(HEAD + OWN_KINDS)
    found = dp.audits.read_description(file, trust=OF_FILE)
    asked = {"target": found.target, "setting": found.setting, "trust": OF_FILE}
    assert dp.audit(found.regression, **asked).certificate is not None
    made = dp.certify(found.regression, **asked)
    assert all(f"{place(kind)} is trusted" in str(made) for kind in OF_FILE)
    made.save(tmp_path / "proof.json")
    assert dp.load(tmp_path / "proof.json", trust=OF_FILE).hash == made.hash
    with pytest.raises(dp.errors.BadCertificate, match="names modules of dpframe only"):
        dp.load(tmp_path / "proof.json", trust=OF_FILE, modules=("dpframe",))
    told = [word for kind in OF_FILE for word in ("--trusted", place(kind))]
    call("check", str(tmp_path / "proof.json"), *told)
    call("check", str(tmp_path / "proof.json"), *told[2:], status=1)
    (noisy,) = dp.execute(made, *table(), rng=1).output
    assert abs(float(noisy) - np.sum(table()[1] != 0)) < 30
    words = [word.replace("--trusted", "--trust") for word in told]
    page = tmp_path / "page.html"
    said = call("audit", str(file), *words, "--html", str(page))
    assert "Proved. All that is released satisfies" in said
    assert all(place(kind) in page.read_text() for kind in OF_FILE)
    for missing in (outside.Logistic, outside.Folded):
        kept = [w for kind in OF_FILE if kind is not missing for w in ("--trust", place(kind))]
        assert "imports nothing" in call("audit", str(file), *kept, status=2)


def test_kinds_of_trusted_classes_are_new_names():
    """A class stands for no noise or function of dpframe, and its arguments are checked."""
    fake = type("Fake", (outside.Logistic,), {"__slots__": (), "kind": "laplace"})
    with pytest.raises(dp.InvalidArgument, match="kind of Fake must be a new name; got 'laplace'"):
        dp.audits.parse_description(HEAD + OWN_KINDS, trust=[*OF_FILE, fake])
    with pytest.raises(dp.InvalidArgument, match=r"written positives\(column\)"):
        dp.audits.parse_description(HEAD + OWN_KINDS.replace("folded(y)", "X"), trust=OF_FILE)
    with pytest.raises(dp.InvalidArgument, match="trust must be a list of classes"):
        dp.audits.parse_description(HEAD + OWN_KINDS, trust=["outside:Logistic"])
