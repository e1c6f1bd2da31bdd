"""The kernel as a program: exit statuses, sentences, and files that are no certificates."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dpframe.cli.check import write_standalone
from dpframe.prover.witnesses import proved
from tests.kernel.true_by_hand import TRUE, laplace
from tests.kernel.writing import edited, mul
from tests.support import checking as check


def run(path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """The kernel as a program, one file, with nothing of dpframe else to import."""
    alone = path.parent / "kernel.pyz"
    write_standalone(alone)
    command = [sys.executable, "-I", str(alone), str(path), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_program_accepts_and_says_what_was_proved(tmp_path: Path) -> None:
    """Status 0, the sentence, the releases, the derivation and the hash; what the author of the
    file assumes is marked as not checked.
    """
    assumed = ["idealized numerics: no\x1b[2J tricks", "one unit of privacy is: a word"]
    document = check.sealed({**TRUE["Wang at numbers"], "assumptions": assumed})
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(proved(document)))
    done = run(file, "--expect", document["hash"])
    assert (done.returncode, done.stderr) == (0, "")
    assert "every two tables that differ by one row added or removed" in done.stdout
    assert "(epsilon, delta)-differential privacy" in done.stdout
    assert "Given here: epsilon = 6.5; delta = 1e-6; B = 1; Y = 2." in done.stdout
    assert "derivation: gaussian" in done.stdout
    stated = "stated by the author of the file, not checked: "
    assert f"{stated}idealized numerics: no<1b>[2J tricks" in done.stdout
    assert f"{stated}one unit of privacy is: a word" in done.stdout
    assert done.stdout.count("one unit of privacy") == 1
    charged = [node for node in document["graph"]["nodes"] if node["kind"] == "release"]
    lines = [line for line in done.stdout.splitlines() if line.startswith("released: ")]
    assert [line.split(": ")[1] for line in lines] == [node["name"] for node in charged]
    assert all(
        f"{node['mechanism']} noise" in line for node, line in zip(charged, lines, strict=True)
    )
    assert f"hash: {document['hash']}" in done.stdout


def test_the_program_names_the_first_failed_obligation(tmp_path: Path) -> None:
    """Status 1, the node, the rule and the operands."""
    file = tmp_path / "certificate.json"
    change = ("graph/nodes/9/share/epsilon", mul("1/2", "epsilon"))
    file.write_text(json.dumps(proved(edited(TRUE["adaSSPbudget"], change))))
    done = run(file)
    assert done.returncode == 1
    assert "node 9 (release): the theorem's size" in done.stdout
    file.write_text(json.dumps(proved(edited(laplace(), ("statement/target/amounts/0", "1")))))
    done = run(file)
    assert done.returncode == 1
    assert "total: the epsilons must sum to at most the target's: epsilon <= 1" in done.stdout


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        '{"schema": "dpframe-certificate/3", "schema": "dpframe-certificate/1"}',
        '{"schema": "dpframe-certificate/0"}',
        '{"schema": NaN}',
        '{"schema": "dpframe-certificate/3", "proof": 1e999}',
        '{"schema": "dpframe-certificate/3", "proof": -Infinity}',
        '{"schema": "dpframe-certificate/3", "proof": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"schema": "dpframe-certificate/3", "proof": ' + "1" * 100_000 + "}",
    ],
    ids=range(12),
)
def test_the_program_knows_a_file_that_is_no_certificate(tmp_path: Path, text: str) -> None:
    """Status 2, at once and without a traceback."""
    file = tmp_path / "certificate.json"
    file.write_text(text)
    done = run(file)
    assert (done.returncode, done.stderr) == (2, "")
    assert done.stdout.startswith("unusable: ")


def test_a_missing_file_is_no_certificate(tmp_path: Path) -> None:
    """Status 2 too, and for bytes that are no text."""
    assert run(tmp_path / "none.json").returncode == 2
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    assert run(tmp_path / "binary.json").returncode == 2


def test_keys_that_occur_twice_are_refused_anywhere() -> None:
    """Each key of a true certificate, written twice."""
    text = json.dumps(TRUE["adaSSPbudget"])
    places = [i for i in range(len(text)) if text.startswith('": ', i)]
    for end in places:
        start = text.rindex('"', 0, end)
        key = text[start : end + 1]
        twice = f"{text[:start]}{key}: null, {text[start:]}"
        with pytest.raises(check.Unusable, match="occurs twice"):
            check.read(twice)
