import io
import sys

import pytest

from dpframe.execution import progress


@pytest.fixture
def watch(monkeypatch):
    """A function: what a pass over five blocks writes to a stderr that is a terminal, or not."""

    def watch(*, terminal, patience):
        stream = io.StringIO()
        stream.isatty = lambda: terminal
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr(progress, "PATIENCE", patience)
        assert list(progress.watched(range(5), 5)) == [0, 1, 2, 3, 4]
        assert list(progress.watched([], 0)) == []
        return stream.getvalue()

    return watch


def test_a_long_pass_shows_a_bar_on_a_terminal(watch):
    """Once patience is over; the items come once and in order all the same."""
    assert "reading the table" in watch(terminal=True, patience=-1.0)


@pytest.mark.parametrize(("terminal", "patience"), [(True, 60.0), (False, -1.0)])
def test_a_short_pass_or_a_pipe_sees_no_bar(watch, terminal, patience):
    """Not a byte is written."""
    assert watch(terminal=terminal, patience=patience) == ""
