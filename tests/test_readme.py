"""The README, whose examples run as doctests, is short and points at what exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
MOST = 700


def test_it_is_read_in_five_minutes() -> None:
    """Code and tables count, too."""
    assert len(TEXT.split()) <= MOST


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)]+)\)", TEXT))))
def test_every_link_leads_to_a_file(target: str) -> None:
    """Links are to files of this repository."""
    assert (ROOT / target).is_file()


@pytest.mark.parametrize("command", re.findall(r"^    make ([\w-]+)", TEXT, re.MULTILINE))
def test_every_make_command_exists(command: str) -> None:
    """The Makefile knows what the README says."""
    assert re.search(rf"^{command}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
