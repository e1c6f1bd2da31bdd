import io
import sys
import time

import numpy as np
import pytest

from dpframe.sources import open_source, progress


@pytest.fixture
def watch(monkeypatch):
    """A function: what a pass over five steps writes to a stderr that is a terminal, or not."""

    def watch(*, terminal, patience, count=5):
        stream = io.StringIO()
        stream.isatty = lambda: terminal
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr(progress, "PATIENCE", patience)
        with progress.Progress(count) as bar:
            for place, step in enumerate(bar.steps(range(5))):
                assert place == step
                while patience == 0 and terminal and bar._bar is None:
                    time.sleep(0.001)
        return stream.getvalue()

    return watch


@pytest.mark.parametrize("count", [5, None])
def test_a_long_pass_shows_a_bar_on_a_terminal(watch, count):
    """Once patience is over; the items come once and in order all the same."""
    assert "reading the table" in watch(terminal=True, patience=0, count=count)


@pytest.mark.parametrize(("terminal", "patience"), [(True, 60.0), (False, 0)])
def test_a_short_pass_or_a_pipe_sees_no_bar(watch, terminal, patience):
    """Not a byte is written."""
    assert watch(terminal=terminal, patience=patience) == ""


def test_a_pass_that_is_over_leaves_no_bar(monkeypatch):
    """The terminal is given back, and no timer is left behind."""
    stream = io.StringIO()
    stream.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "PATIENCE", 60.0)
    bar = progress.Progress(None)
    with bar:
        assert bar._timer.is_alive()
    bar._timer.join(10)
    assert not bar._timer.is_alive()
    bar._show()
    assert stream.getvalue() == ""


def test_a_pass_counts_its_blocks(setting, monkeypatch):
    """As many steps as there are blocks, for a source that knows its length."""
    made = []

    class Counted(progress.Progress):
        def __init__(self, count):
            super().__init__(count)
            made.append((self, count))

    monkeypatch.setattr("dpframe.sources.source.Progress", Counted)
    open_source(setting, np.zeros((40_000, 2)), np.zeros(40_000), parts=1).total(list)
    ((bar, count),) = made
    assert bar._done == count == 8


def test_in_a_notebook_a_bar_ends_as_an_empty_output(monkeypatch):
    """One inside another is shown in the outer one's place."""
    said = []
    monkeypatch.setattr(progress, "in_notebook", lambda: True)
    monkeypatch.setattr(progress, "PATIENCE", 0)
    monkeypatch.setattr(progress, "PAUSE", -1)
    monkeypatch.setattr(progress._Cell, "_display", lambda _, text, html: said.append((text, html)))
    with progress.Progress(None, "fitting") as bar:
        while bar._bar is None:
            time.sleep(0.001)
        with progress.Progress(2, "<rows>") as inner:
            assert list(inner.steps("ab")) == ["a", "b"]
            assert inner._bar is None
    shown = '<progress value="2" max="2"></progress> &lt;rows&gt; ...'
    assert said[0] == ("fitting ...", "<progress></progress> fitting ...")
    assert said[-2:] == [("<rows> ...", shown), ("", "")]
