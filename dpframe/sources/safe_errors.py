"""Errors of reading: they name the kind of the failure and carry no exception that may quote data.

An exception keeps the one that was handled when it was raised as its `__context__`, also with
`from None`, and loggers print it. So errors are raised outside of `except` blocks here, or their
context is removed before they leave.

Optional libraries, imported where they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

from dpframe.errors import DPFrameError, MissingExtra, SourceFailed

P = ParamSpec("P")
T = TypeVar("T")
E = TypeVar("E", bound=BaseException)


def without_context(error: E) -> E:
    """The error without the errors behind it and the frames it went through.

    An absent library keeps its reason, which quotes no data.
    """
    if isinstance(error, MissingExtra):
        return error
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


def raises_without_context(call: Callable[P, T]) -> Callable[P, T]:
    """The same function, whose DPFrameErrors have no context."""

    @wraps(call)
    def called(*arguments: P.args, **options: P.kwargs) -> T:
        try:
            return call(*arguments, **options)
        except DPFrameError as error:
            sanitized = without_context(error)
        raise sanitized

    return called


def guarded(items: Iterable[T], where: str) -> Iterator[T]:
    """`items` as they come. Errors of libraries may quote data: only their kind is kept."""
    try:
        yield from items
    except BaseException as error:  # noqa: BLE001 - of any library
        sanitized = _sanitized(error, where)
    else:
        return
    raise sanitized


def safely(call: Callable[[], T], where: str, way_out: str = "") -> T:
    """The result of the call. Raises SourceFailed with the kind of a library's error."""
    try:
        return call()
    except BaseException as error:  # noqa: BLE001 - of any library
        sanitized = _sanitized(error, where, way_out)
    raise sanitized


def _sanitized(error: BaseException, where: str, way_out: str = "") -> BaseException:
    """The error to raise in place of a library's: its kind alone; Ctrl-C without context."""
    if isinstance(error, DPFrameError):
        return without_context(error)
    kind = type(error).__name__
    if isinstance(error, Exception) or kind == "PanicException":  # of libraries in Rust
        return SourceFailed(where, kind, way_out)
    return without_context(error)


def library(module: str, extra: str) -> Any:
    """The module. Raises MissingExtra, which names the extra that brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtra(module.partition(".")[0], extra) from error


def arrow(module: str = "pyarrow") -> Any:
    """pyarrow, or a module of it. Raises MissingExtra."""
    return library(module, "arrow")
