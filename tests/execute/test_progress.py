import io
import sys

import pytest

from dpframe.execute import progress


class Terminal(io.StringIO):
    """A stream that is, or is not, a terminal."""

    def __init__(self, *, interactive):
        super().__init__()
        self.isatty = lambda: interactive


@pytest.fixture
def stream(monkeypatch, request):
    """Standard error as a stream of the given kind."""
    stream = Terminal(interactive=request.param)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    return stream


@pytest.mark.parametrize("stream", [False, True], indirect=True)
@pytest.mark.parametrize("patience", [-1.0, 60.0])
def test_items_come_once_and_in_order(stream, patience, monkeypatch):
    """With and without a bar."""
    monkeypatch.setattr(progress, "PATIENCE", patience)
    assert list(progress.watched(range(5), 5)) == [0, 1, 2, 3, 4]
    assert list(progress.watched([], 0)) == []


@pytest.mark.parametrize(
    ("stream", "patience", "shown"),
    [(True, -1.0, True), (True, 60.0, False), (False, -1.0, False)],
    indirect=["stream"],
)
def test_a_bar_is_for_long_passes_on_terminals(stream, patience, shown, monkeypatch):
    """A quick pass, a file or a pipe sees none."""
    monkeypatch.setattr(progress, "PATIENCE", patience)
    list(progress.watched(range(5), 5))
    assert ("reading the table" in stream.getvalue()) is shown
