"""Print JSON, text as wide as the terminal, and errors."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from dpframe.documents import check_place
from dpframe.errors import DPFrameError, InvalidArgument

NARROWEST = 60
ENDINGS = "A picture ends in .png, .pdf or .svg"
SPELLED = {  # in messages: the words for Python users, and those for the command line
    'missing="drop" of dp.PrivateRegressor, dp.PrivateClassifier or dp.execute': "--drop",
    'missing="drop"': "--drop",
    "missing='drop'": "--drop",
    "X has ": "TABLE has ",
    "dp.Rows(columns=[...])": "the codebook of --schema",
    'dp.Categorical(..., unknown="zeros")': '"unknown": "zeros" in the codebook',
    "dp.Column(bound=...) or dp.Column(lower=..., upper=...)": (
        '"bound", or "lower" and "upper", in the codebook\'s target'
    ),
    "dp.Column(levels=[...])": '"levels" in the codebook\'s target',
    "dp.JointSSP.for_intervals()": "JointSSP.for_intervals",
    "dp.regressions.LogisticDescent.for_intervals()": "LogisticDescent.for_intervals",
    ", of dp.PrivateRegressor with the same setting": ", with the same codebook",
    ", of dp.PrivateClassifier": "",
    "relation=REPLACE_ONE, rows_per_person=": "--relation replace-one --rows-per-person ",
    "relation=ADD_REMOVE, rows_per_person=": "--relation add-remove --rows-per-person ",
    'dp.Column("smoker", levels=["no", "yes"])': '"levels": ["no", "yes"] in a codebook\'s target',
    " A formula is dp.graph.parse('sqrt(2)/3').": "",
    "summary(equal_variance=True)": "summary(equal_variance=True) in Python",
    "summary(largest=...)": "summary(largest=...) in Python",
    "Open other files with Polars, DuckDB or pyarrow and give what they return.": (
        "Convert other files to CSV or Parquet."
    ),
}
OF_X = re.compile(r"\bof X\b(?!['.@])")  # not X'X, nor code
COLOURS = {
    r"\bproved\b": "green",
    r"\b(refuted|too small)\b": "bold red",
    r"\bunproved\b": "yellow",
}


def print_json(value: object) -> None:
    """Print a value as JSON, with null for infinite numbers and NaN."""
    typer.echo(json_text(value))


def json_text(value: object) -> str:
    """The text that print_json prints."""
    return json.dumps(_finite(value), indent=1, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def check_written(files: Mapping[str, Path | None], *, force: bool) -> None:
    """Refuse files, by the options that name them, that exist unless `force`, that are named twice
    or that cannot be written: before data is read or any budget is spent. Raises InvalidArgument.
    """
    named: set[Path] = set()
    for option, path in files.items():
        if path is None:
            continue
        check_place(path, option)
        if path.is_dir() or not path.parent.is_dir():
            way_out = "Create the folder first, or name another file."
            raise InvalidArgument(option, "a file in a folder that exists", str(path), way_out)
        if path.resolve() in named:
            raise InvalidArgument(option, "a file of its own", str(path), "Name another file.")
        if path.is_file() and not force:
            way_out = "It exists. Name another file, or overwrite it with --force."
            raise InvalidArgument(option, "a new file", str(path), way_out)
        if path.is_file() or not path.exists():  # a pipe would be closed
            _check_opens(option, path)
        named.add(path.resolve())


def _check_opens(option: str, path: Path) -> None:
    """Raises InvalidArgument if a file cannot be opened for writing. Leaves it as it was."""
    new = not path.exists()
    try:
        path.open("ab").close()
        if new:
            path.unlink()
    except OSError as error:
        raise unwritable(option, path, str(error.strerror)) from None


def unwritable(option: str, path: Path, why: str) -> InvalidArgument:
    """The error for a file that cannot be written."""
    return InvalidArgument(option, "a file that can be written", str(path), f"{why}.")


def written(option: str, path: Path, write: Callable[[Path], object]) -> None:
    """Write a file that an option names. Raises InvalidArgument if it cannot be written or has an
    unknown ending.
    """
    try:
        write(path)
    except (OSError, ValueError) as error:
        if isinstance(error, DPFrameError):
            raise
        raise unwritable(option, path, getattr(error, "strerror", None) or ENDINGS) from None
    complain(f"{path} is written.", style="")


def spelled(text: str) -> str:
    """A message in the terms of the command line."""
    for python, option in SPELLED.items():
        text = text.replace(python, option)
    return OF_X.sub("of TABLE", text)


def say(text: str, colours: Mapping[str, str] = COLOURS) -> None:
    """Print text unfolded, with coloured verdicts on a terminal."""
    shown = Text(text)
    for pattern, style in colours.items():
        shown.highlight_regex(pattern, style)
    Console(highlight=False, soft_wrap=True).print(shown)


def page(text: str) -> None:
    """Print text with long lines folded."""
    from dpframe.audits.figures import paragraphs

    say(paragraphs(text.split("\n"), width()))


def width() -> int:
    """The width of lines: 100 columns, less on a narrower terminal."""
    from dpframe.audits.figures import WIDTH

    if not sys.stdout.isatty():
        return WIDTH
    return max(NARROWEST, min(WIDTH, Console().width))


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """Show a spinner on standard error while the block runs, if that is a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(text):
        yield


def complain(text: str, style: str = "red") -> None:
    """Print a sentence on standard error."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(Text(text, style=style))
