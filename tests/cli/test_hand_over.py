"""What a fit hands over to a privacy officer: the proof, the result, the whole hash; and what the
officer reads in the proof.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dpframe as dp
from dpframe.prover.text import bounds
from tests.support.commands import both_streams

BOOK = {
    "columns": [
        {"name": "age", "lower": "18.5", "upper": 64},
        {"name": "smoker", "levels": ["no", "yes"]},
    ],
    "target": {"lower": 0, "upper": 60000},
    "intercept": True,
}
AGE, SMOKER = dp.Numeric("age", "18.5", 64), dp.Categorical("smoker", ["no", "yes"])
ROWS = dp.Rows(columns=[AGE, SMOKER], intercept=True)


def setting_of(upper: int = 60_000) -> dp.Setting:
    """That of the codebook."""
    y = dp.Column("charges", lower=0, upper=upper)
    return dp.Setting(X=ROWS, y=y, relation=dp.ADD_REMOVE)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A table and its codebook, in the current folder."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.uniform(18, 64, 300)})
    frame["smoker"] = rng.choice(["no", "yes"], 300)
    frame["charges"] = 500 * frame["age"]
    frame.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "book.json").write_text(json.dumps(BOOK))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fit(*more, status=0):
    """A fit of the table."""
    given = ("--target", "charges", "--epsilon", "1", "--delta", "1e-6", "--schema", "book.json")
    return both_streams("fit", "SSP", "t.csv", *given, "--simulate", 1, *more, status=status)


def checked(upper: int, folder, *more, status=0):
    """What the kernel says of the certificate of a fit with labels up to `upper`."""
    target = dp.ApproxDP(1, "1e-6")
    certificate = dp.certify(dp.SSP(), target=target, setting=setting_of(upper))
    certificate.save(folder / "c.json")
    return both_streams("check", folder / "c.json", *more, status=status), certificate


def test_a_fit_saves_its_proof_and_its_result(folder):
    """As Python has both, byte for byte; the receipt has the hash that check expects."""
    printed = fit("--certificate", "proof.json", "--out", "result.json")
    result = json.loads((folder / "result.json").read_text())
    model = dp.PrivateRegressor(dp.SSP(), epsilon=1, delta="1e-6", setting=setting_of(), rng=1).fit(
        "t.csv", "charges"
    )
    assert np.allclose(list(result["coef_"].values()), model.coef_)
    assert result["summary"]["coefficients"][0]["name"] == "age"
    assert result["receipt"]["time"]
    model.certificate_.save("same.json")
    assert (folder / "same.json").read_bytes() == (folder / "proof.json").read_bytes()
    found = re.search(r"certificate\s+([0-9a-f]{64})", printed)
    assert found is not None
    assert found[1] == result["certificate"] == model.certificate_.hash
    assert both_streams("check", "proof.json", "--expect", found[1]).startswith("accepted: ")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("option", "place", "refused"),
    [
        ("--certificate", "nowhere/x.json", "must be a file in a folder that exists"),
        ("--out", "nowhere/x.json", "must be a file in a folder that exists"),
        ("--out", "x" * 300, "must be a path whose names have at most 255 letters"),
        ("--plot", "p.xyz", "must be a file that can be written; got 'p.xyz'. A picture ends in"),
    ],
)
def test_where_a_file_goes_is_looked_at_before_anything_is_spent(option, place, refused):
    """Nothing is charged where it cannot be written."""
    both_streams("ledger", "create", "l.sqlite", "t", "--epsilon", "1", "--delta", "1e-6")
    said = fit(option, place, "--ledger", "l.sqlite", "--dataset", "t", status=2)
    assert f"{option} {refused}" in said
    assert "std err" not in said


def test_a_file_that_cannot_be_opened_is_refused_before_the_fit(folder, monkeypatch):
    """One that can is left as it is until the fit is made."""
    (folder / "old.json").write_text("old")
    fit("--out", "old.json", "--certificate", "age.json", "--force", "--alpha", 2, status=2)
    assert (folder / "old.json").read_text() == "old"
    assert not (folder / "age.json").exists()

    def refuse(*_):
        raise OSError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    said = fit("--out", "r.json", status=2)
    assert "--out must be a file that can be written; got 'r.json'. Permission denied." in said
    assert "std err" not in said


@pytest.mark.usefixtures("folder")
def test_what_was_paid_for_is_printed_where_a_file_cannot_be_written(monkeypatch):
    """And the other file is written."""

    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(dp.Certificate, "save", refuse)
    said = fit("--certificate", "p.json", "--out", "r.json", status=2)
    assert "std err" in said
    assert "No space left" in said
    assert json.loads(Path("r.json").read_text())["coef_"]


def test_the_kernel_says_what_is_promised_and_then_the_bounds(folder):
    """First the promise, in decimals; then one line a column, which another bound changes."""
    said, _ = checked(60_000, folder)
    promise = (
        "accepted: the released values together satisfy (1, 1e-6)-differential privacy, for every "
        "two tables that differ by one row added or removed."
    )
    lines = said.splitlines()
    assert lines[0].startswith(promise)
    told = [line for line in lines if line.startswith("bounds of ")]
    assert told == [
        "bounds of age: 18.5 to 64",
        "bounds of smoker: 'no', 'yes'",
        "bounds of label: 0 to 60000",
    ]
    other, _ = checked(30_000, folder)
    assert "bounds of label: 0 to 30000\n" in other


def test_bounds_that_are_formulas_are_said_too(tmp_path):
    """Norms, boxes and ends with symbols."""
    rows = dp.Rows(norm=dp.parameter("B"), box=2)
    setting = dp.Setting(X=rows, y=dp.Column(bound=dp.parameter("Y")), relation=dp.REPLACE_ONE)
    certificate = dp.certify(dp.SSP(), target=dp.ApproxDP(1, "1e-6"), setting=setting)
    assert certificate.verdict.bounds == (
        "size of an entry of a row: 0 to 2",
        "2-norm of a row: 0 to B",
        "label: -Y to Y",
    )
    assert bounds(setting) == [
        ("entry of a row", "at most 2 in size"),
        ("2-norm of a row", "at most B"),
        ("y (label)", "at most Y in size"),
    ]


def test_a_name_cannot_pass_for_another_column(tmp_path):
    """What is no plain name is quoted."""
    rows = dp.Rows(columns=[dp.Numeric("age: 18 to 64", 0, 200)])
    setting = dp.Setting(X=rows, y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    certificate = dp.certify(dp.SSP(), target=dp.ApproxDP(1, "1e-6"), setting=setting)
    assert "'age: 18 to 64': 0 to 200" in certificate.verdict.bounds


def test_a_certificate_prints_the_codebook():
    """With the label by its name."""
    certificate = dp.certify(dp.SSP(), target=dp.ApproxDP(1, "1e-6"), setting=setting_of())
    printed = str(certificate)
    assert all(f"  {line}\n" in printed for line in ("age: 18.5 to 64", "smoker: 'no', 'yes'"))
    assert "  charges (label): 0 to 60000\n" in printed


def test_part_of_a_hash_is_told_from_another_hash(folder):
    """Neither accepted nor called a bad file."""
    said, certificate = checked(60_000, folder, "--expect", "0" * 12, status=2)
    begins = f"the file's hash begins {certificate.hash[:12]}"
    assert said.startswith("unusable: expect has 12 of 64 characters; ")
    assert begins in said
    both_streams("check", folder / "c.json", "--expect", certificate.hash)
    assert "rejected: " in both_streams("check", folder / "c.json", "--expect", "0" * 64, status=1)


@pytest.mark.parametrize(
    ("content", "said"),
    [(b'{"receipt": "Spent"}', "a result without a proof"), (b"SQLite\xff\xfe", "which is text")],
)
def test_other_files_are_not_called_certificates(folder, content, said):
    """A result and a ledger, with the file to check."""
    (folder / "other").write_bytes(content)
    for more in ((), ("--json",)):
        printed = both_streams("check", folder / "other", *more, status=2)
        assert said in printed
        assert "proof.json" in printed


def test_a_saved_codebook_is_the_schema_of_the_command_line(tmp_path):
    """Exactly, with fractions, levels, baselines, terms and classes."""
    columns = [
        dp.Numeric("age", "18.5", "200/3", "years"),
        dp.Categorical("smoker", ["no", "yes"], baseline="yes"),
        dp.Categorical("rank", [1, 2, 3], baseline=None, unknown="zeros"),
        dp.Categorical("dose", [0.1, 1.0, -0.0, 3], baseline=1),
    ]
    rows = dp.Rows(columns=columns, norm=2, terms=["age", ("age", "smoker"), "rank", "dose"])
    for label in (dp.Column("c", lower=0, upper="0.1"), dp.Column("c", levels=["a", "b"])):
        setting = dp.Setting(X=rows, y=label, relation=dp.ADD_REMOVE)
        setting.save(tmp_path / "book.json")
        assert dp.Setting.load(tmp_path / "book.json", dp.ADD_REMOVE) == setting
    with pytest.raises(dp.errors.BadCertificate, match=r"This is a codebook: dp\.Setting\.load"):
        dp.load(tmp_path / "book.json")
    with pytest.raises(dp.InvalidArgument, match="with a codebook"):
        dp.Setting(X=dp.Rows(norm=1), relation=dp.ADD_REMOVE).save(tmp_path / "none.json")


def test_a_changed_file_is_not_told_how_to_pass(folder):
    """The hash that it would need is not printed."""
    _, certificate = checked(60_000, folder)
    document = json.loads((folder / "c.json").read_text())
    text = json.dumps(document).replace('"60000"', '"30000"')
    (folder / "c.json").write_text(text)
    said = both_streams("check", folder / "c.json", status=1)
    assert "not what its hash says: changed or damaged" in said
    assert not re.search(r"[0-9a-f]{12}", said)
    assert certificate.hash[:12] not in said


@pytest.mark.usefixtures("folder")
def test_a_named_variant_is_fitted_from_the_command_line():
    """With the certificate of its numbers; another name is refused with those that there are."""
    given = ("--epsilon", "1", "--delta", "1e-6", "--schema", "book.json", "--json")
    found = json.loads(both_streams("certify", "JointSSP.for_intervals", *given))
    numbers = ("counting=0.08", "gram=100", "moment=46", "squares=12", "rounds=0")
    settings = [part for one in numbers for part in ("--set", one)]
    assert (
        json.loads(both_streams("certify", "JointSSP", *settings, *given))["hash"] == found["hash"]
    )
    more = json.loads(
        both_streams("certify", "JointSSP.for_intervals", "--set", "rounds=1", *given)
    )
    assert more["hash"] != found["hash"]
    for name in ("JointSSP.for_interval", "SSP.for_intervals", "JointSSP.__new__"):
        said = both_streams("certify", name, *given, status=2)
        assert "an existing variant" in said


@pytest.mark.usefixtures("folder")
def test_a_ledger_without_a_dataset_is_refused_in_options():
    """Before the table is read, in the words of the command line."""
    said = fit("--ledger", "l.sqlite", status=2)
    assert "--ledger and --dataset must be given together" in said
    assert "dp." not in said


@pytest.mark.parametrize(
    ("part", "key"),
    [("columns", "min"), ("target", "max")],
)
def test_a_wrong_key_of_a_codebook_is_named(folder, part, key):
    """With the keys that there are, and no template of a whole codebook."""
    book = json.loads(json.dumps(BOOK))
    place = book["target"] if part == "target" else book["columns"][0]
    place[key] = place.pop("lower" if key == "min" else "upper")
    (folder / "book.json").write_text(json.dumps(book))
    said = " ".join(fit(status=2).split())
    assert f"got '{key}'" in said
    assert (
        "of the keys name, bound, lower" if part == "target" else "of the keys name, lower"
    ) in said
    assert "column age" in said or part == "target"
    assert len(said) < 200


def test_the_page_of_an_audit_has_a_row_a_column(folder):
    """With its bounds or levels, and says which number to sign."""
    pytest.importorskip("jinja2")
    given = ("--epsilon", "1", "--delta", "1e-6", "--schema", "book.json")
    both_streams("audit", "SSP", *given, "--html", "page.html")
    page = (folder / "page.html").read_text()
    text = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert "Column age 18.5 to 64 " in text
    assert "Column smoker &#39;no&#39;, &#39;yes&#39; " in text
    assert "; sign the claim" in text


def test_the_bounds_of_a_certificate_are_compared_with_the_codebook(folder):
    """Each difference has a line, in both directions, and fails the check."""
    right, _ = checked(60_000, folder, "--codebook", "book.json")
    assert "The bounds and levels are those of book.json." in right
    assert right.startswith("accepted: ")
    wrong, _ = checked(40_000, folder, "--codebook", "book.json", status=1)
    assert wrong.startswith("rejected: the bounds are not those of book.json\n")
    assert "accepted" not in wrong
    assert "the label: 0, 60000 in book.json, not in the certificate" in wrong
    assert "the label: 0, 40000 in the certificate, not in book.json" in wrong
    other = {**BOOK, "intercept": False, "columns": [{**BOOK["columns"][0], "upper": 65}]}
    (folder / "other.json").write_text(json.dumps(other))
    lines, _ = checked(60_000, folder, "--codebook", "other.json", status=1)
    for said in ("age: 37/2, 65 in other", "age: 37/2, 64 in the", "smoker: 'no', 'yes'", "inter"):
        assert any(line.startswith(said) for line in lines.splitlines())


def test_a_certificate_has_the_bounds_of_its_own_codebook(folder):
    """With levels of every kind, decimals too."""
    levels = ([0.5, 1, 2], [1.0, 2.5], [True, False], ["0.5", "1"])
    columns = [{"name": f"c{j}", "levels": some} for j, some in enumerate(levels)]
    own = {**BOOK, "columns": [*BOOK["columns"], *columns]}
    (folder / "own.json").write_text(json.dumps(own))
    budget = ("--epsilon", "1", "--delta", "1e-6", "--schema", "own.json")
    both_streams("certify", "SSP", *budget, "--out", "own.proof.json")
    said = both_streams("check", "own.proof.json", "--codebook", "own.json")
    assert "The bounds and levels are those of own.json." in said


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"norm": "1/2"}, "norm: 1/2 in other.json, not in the certificate"),
        ({"terms": [["age", "smoker"]]}, "terms: age:smoker in other.json, not in the certificate"),
    ],
)
def test_a_norm_and_terms_are_compared_too(folder, more, said):
    """They bound rows as the columns do; the certificate's are compared as well."""
    (folder / "other.json").write_text(json.dumps({**BOOK, **more}))
    lines, _ = checked(60_000, folder, "--codebook", "other.json", status=1)
    name = said.partition(":")[0]
    assert lines.splitlines()[1:] == [said, f"{name}: none in the certificate, not in other.json"]


def test_a_codebook_that_cannot_be_read_is_named_before_any_verdict(folder):
    """The error is the only output."""
    (folder / "bad.json").write_text("{")
    lines, _ = checked(60_000, folder, "--codebook", "bad.json", status=2)
    assert "accepted" not in lines
    assert "--codebook must be" in lines


def test_the_verdict_in_json_is_that_of_the_text(folder):
    """With a codebook of other bounds the certificate is not accepted."""
    output, _ = checked(40_000, folder, "--codebook", "book.json", "--json", status=1)
    shown = json.loads(output)
    assert (shown["accepted"], shown["sentence"]) == (False, "")
    assert shown["reason"] == "the bounds are not those of book.json"
    assert len(shown["differences"]) == 2


def test_json_has_all_that_the_text_of_a_check_shows(folder):
    """The assumptions of the file and the derivation too; neither of a rejected file."""
    text, certificate = checked(60_000, folder)
    output, _ = checked(60_000, folder, "--json")
    shown = json.loads(output)
    assert shown["assumptions"] == list(certificate.assumptions)
    for one in (*shown["assumptions"], *shown["bounds"], shown["sentence"], shown["derivation"]):
        assert str(one) in text
    output, _ = checked(60_000, folder, "--json", "--expect", "0" * 64, status=1)
    assert "assumptions" not in json.loads(output)


def test_the_standalone_checker_says_where_codebooks_are_compared(folder):
    """On an unknown option."""
    both_streams("check", "--standalone", folder / "kernel.pyz")
    command = [sys.executable, folder / "kernel.pyz", "c.json", "--codebook", "book.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "dpframe check also has --codebook" in done.stderr


def test_the_files_of_a_fit_are_those_of_the_guide(folder):
    """Receipt, page and picture; the unit of privacy is printed."""
    pytest.importorskip("matplotlib")
    named = ("--receipt", "receipt.txt", "--html", "s.html", "--plot", "s.png")
    printed = fit(*named)
    assert "-differential privacy for one row added or removed" in printed
    assert "certificate" in (folder / "receipt.txt").read_text()
    assert "smoker[yes]" in (folder / "s.html").read_text()
    assert (folder / "s.png").stat().st_size > 1000
