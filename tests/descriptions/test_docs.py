"""Every block of the two pages is run, or found in what is run."""

import re

import pytest

import dpframe as dp
from tests.descriptions.hostile.cases import HEAD
from tests.descriptions.pages import EXAMPLES, PAGE

GUIDE = PAGE.with_name("from-paper-to-page.md")
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def blocks(path):
    """(language, text) of every block."""
    return BLOCK.findall(path.read_text("utf-8"))


def audit(found):
    """The audit that the file asks for."""
    return dp.audit(
        found.regression, target=found.target, setting=found.setting, accountant=found.accountant
    )


def test_the_guide_is_followed_to_the_end(tmp_path):
    """Each change of the file is made, and each line that the guide shows is printed."""
    kinds = [kind for kind, _ in blocks(GUIDE)]
    assert kinds == ["toml", "bash", "text", "toml", "text", "text", "toml", "text"]
    path = tmp_path / "analyze_gauss.toml"
    printed = ""
    for kind, text in blocks(GUIDE):
        if kind == "toml" and "title" in text:
            assert text == (EXAMPLES / "analyze_gauss.toml").read_text("utf-8")
            path.write_text(text)
        elif kind == "toml":
            path.write_text(changed(path.read_text(), text))
        elif kind == "text":
            for line in text.strip("\n").split("\n"):
                assert line in printed
            continue
        found = dp.audits.read_description(path)
        claims = "\n".join(map(str, found.claimed_sensitivities))
        printed = f"{audit(found)}\n{claims}"


def changed(text, lines):
    """The file with lines of the same keys replaced; noise that is sized anew is sized once."""
    for line in lines.strip().split("\n"):
        key = "std" if line.startswith("calibration") else line.split(" =")[0]
        text, many = re.subn(rf"(?m)^{key} = .*$", line.replace("\\", ""), text)
        assert many == 1
    return text


def test_the_numbers_of_the_guide():
    """The stds that it compares, of the three calibrations."""
    text = GUIDE.read_text("utf-8")
    base = (EXAMPLES / "analyze_gauss.toml").read_text("utf-8")
    sized = changed(base, 'mechanism = "gaussian"\ncalibration = "analytic"')
    stds = [
        audit(dp.audits.parse_description(one)).lines[0].size
        for one in (sized.replace("add-remove", "replace-one"), sized, base)
    ]
    shown = re.search(r"std of ([\d.]+) where .*?, and ([\d.]+) where .*?\nagainst ([\d.]+)", text)
    assert [float(one) for one in shown.groups()] == pytest.approx(stds, rel=1e-3)


@pytest.mark.parametrize("index", range(5))
def test_the_blocks_of_the_reference(index, tmp_path, monkeypatch, capsys):
    """The file is read, the program runs, the release without a rule fits into a file."""
    kind, text = blocks(PAGE)[index]
    assert len(blocks(PAGE)) == 5
    if kind == "python":
        (tmp_path / "gram.toml").write_text(blocks(PAGE)[0][1])
        monkeypatch.chdir(tmp_path)
        exec(compile(text, "describing.md", "exec"), {"dp": dp})
        assert "Total: proved" in capsys.readouterr().out
    else:
        whole = text if "title" in text else HEAD + text
        assert dp.audits.parse_description(whole).graph.releases


def test_the_command_of_the_guide_is_a_command():
    """It takes the file and writes the page."""
    (command,) = (text.split() for kind, text in blocks(GUIDE) if kind == "bash")
    assert command[:2] == ["dpframe", "audit"]
    assert (EXAMPLES / command[2]).is_file()
    assert command[3] == "--html"


def test_every_example_is_listed():
    """With what becomes of it."""
    text = PAGE.read_text("utf-8")
    for path in EXAMPLES.iterdir():
        assert f"(examples/{path.name})" in text
