"""Hostile descriptions are refused where they are read, and can do nothing but be read."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import dpframe as dp
from dpframe.audits.descriptions import parse_description, read_description
from tests.descriptions.hostile import cases

ROOT = Path(__file__).parents[2]
PARTS = 20


@pytest.mark.parametrize("part", range(PARTS))
def test_it_is_refused_by_its_place(part):
    """By a short sentence that names the file and holds nothing that a terminal would obey."""
    for what, text in cases.CASES[part::PARTS]:
        with pytest.raises(dp.InvalidArgument) as refusal:
            parse_description(text, name="bad")
        said = str(refusal.value)
        assert said.startswith("bad"), what
        assert len(said) < 1000, what
        assert said.isprintable(), what


def test_the_cases_are_refused_for_what_is_wrong_with_them():
    """Without it they are read."""
    assert str(parse_description(cases.GOOD)) == '"t", claimed (1, 1e-6)-differential privacy'
    assert len(cases.CASES) > 300


WATCHED = """
import sys
from tests.descriptions.hostile import cases
import dpframe as dp
from dpframe.audits.descriptions import parse_description

def read():
    for what, text in cases.CASES:
        try:
            parse_description(text, name="bad")
        except dp.InvalidArgument:
            continue
        raise SystemExit("accepted")

def hook(event, arguments):
    if event.split(".")[0] in {
        "open", "exec", "import", "os", "subprocess", "socket", "shutil", "ctypes", "pickle"
    }:
        raise SystemExit(f"{event} {arguments!r:.200}")

parse_description(cases.GOOD)
read()  # imports open files, and are not watched
devnull = __import__("os").devnull
sys.addaudithook(hook)
read()
try:
    open(devnull)
except SystemExit:  # the hook is awake
    print("quiet")
"""


def test_reading_opens_nothing_and_runs_nothing():
    """Python's own audit events are watched while every case is read; all of it within the time
    of a hung process.
    """
    called = {"capture_output": True, "text": True, "timeout": 900, "cwd": ROOT}
    done = subprocess.run([sys.executable, "-c", WATCHED], **called, check=False)
    assert (done.stdout.strip(), done.returncode) == ("quiet", 0), done.stderr[-2000:]


def _written(folder, content, name="a.toml"):
    (folder / name).write_bytes(content)
    return folder / name


GOOD = cases.GOOD.encode()


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        (GOOD + b"# \xff", "UTF-8"),
        (GOOD.decode().encode("utf-16"), "UTF-8"),
        (b"\xc0\x80" + GOOD, "UTF-8"),
        (GOOD + b"# \xed\xa0\x80", "UTF-8"),
        (b"\x00" * 100, "cannot be seen"),
        (GOOD + b"#" * (1 << 20), "100 kB"),
        (b"", "title is missing"),
    ],
)
def test_bytes_that_are_no_text_are_refused(tmp_path, content, wanted):
    """By what they are instead."""
    with pytest.raises(dp.InvalidArgument, match=wanted):
        read_description(_written(tmp_path, content))


def test_one_byte_order_mark_and_ends_of_lines_of_windows_are_read(tmp_path):
    """Editors write them."""
    plain = read_description(_written(tmp_path, GOOD))
    content = b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n")
    marked = read_description(_written(tmp_path, content, "b.TOML"))
    assert marked.regression == plain.regression


def test_only_regular_files_are_opened(tmp_path):
    """A pipe would block, a device would never end; a link to a file is a file."""
    folder, pipe, link = tmp_path / "d.toml", tmp_path / "p.toml", tmp_path / "l.toml"
    folder.mkdir()
    os.mkfifo(pipe)
    device = tmp_path / "z.toml"
    device.symlink_to("/dev/zero")
    circle = tmp_path / "c.toml"
    circle.symlink_to(circle)
    for path in (folder, pipe, device, circle, tmp_path / "none.toml", tmp_path / "a\0.toml"):
        with pytest.raises(dp.InvalidArgument, match="file"):
            read_description(path)
    link.symlink_to(_written(tmp_path, GOOD))
    assert read_description(link).title == "t"


@pytest.mark.parametrize("name", ["a.txt", "a.yaml", "toml"])
def test_a_file_of_another_kind_is_refused(tmp_path, name):
    """By the ending of its name."""
    with pytest.raises(dp.InvalidArgument, match=r"ends in \.toml"):
        read_description(_written(tmp_path, GOOD, name))


def test_bytes_are_no_text():
    """A file may hold some, decoded first."""
    with pytest.raises(dp.InvalidArgument, match="text"):
        parse_description(GOOD)


def test_markup_passes_as_text():
    """Text of the file is not changed; pages escape it."""
    found = read_description(Path(__file__).parent / "hostile" / "html.toml")
    assert found.title == "<script>alert('title')</script> & <b>bold</b>"
    assert "<img src=x" in found.citation
    assert "{{7*7}}" in found.notes
    assert set(found.remarks) == {"gram", "output"}
    assert found.trusted == ("median",)
    done = dp.audit(found.regression, target=found.target, setting=found.setting)
    assert any("<iframe" in assumption for assumption in done.assumptions)


@pytest.mark.parametrize(
    ("text", "near"),
    [
        (cases.GOOD.replace("relation", "relatoin"), "Did you mean relation"),
        (cases.GOOD.replace("std", "stdev"), "Did you mean std"),
        (cases.GOOD.replace("6/epsilon", "6/epsilom"), "Did you mean epsilon"),
        (cases.GOOD.replace("6/epsilon", "sqr(6)"), "Did you mean sqrt"),
    ],
)
def test_the_nearest_word_is_named(text, near):
    """Of keys, names and functions."""
    with pytest.raises(dp.InvalidArgument, match=near):
        parse_description(text)
