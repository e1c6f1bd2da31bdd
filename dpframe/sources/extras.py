"""Optional libraries, imported where they are needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from dpframe.errors import MissingExtra


def library(module: str, extra: str) -> Any:
    """The module. Raises MissingExtra, which names the extra that brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtra(module.partition(".")[0], extra) from error


def arrow(module: str = "pyarrow") -> Any:
    """pyarrow, or a module of it. Raises MissingExtra."""
    return library(module, "arrow")
