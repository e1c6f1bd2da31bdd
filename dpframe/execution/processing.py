"""Running functions of released values: their errors become PostFailed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from dpframe.errors import KEPT, PostFailed, SourceFailed


def applied(function: Callable[..., Any], name: str, arguments: Sequence[Any]) -> Any:
    """function(*arguments), on released values and public numbers. Raises PostFailed, with the
    original error as its cause, whose traceback starts in the function. Frames of the execution,
    which knows the table, stand behind it while the error is handled; none is pickled.
    """
    try:
        return function(*arguments)
    except Exception as error:  # noqa: BLE001 - any error of a user's function
        failed, cause = PostFailed(name, said(error)), error
    trace = cause.__traceback__
    raise failed from cause.with_traceback(None if trace is None else trace.tb_next)


def said(error: Exception) -> str:
    """`ValueError: the text`."""
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def with_releases(
    failed: BaseException, released: dict[str, Any], receipt: object
) -> BaseException:
    """The failure with the releases that were charged, of the same cause: a new error of its class,
    or a note on any other error, such as an interrupt. Unchanged where nothing was drawn.
    """
    whole: BaseException = failed
    if isinstance(failed, PostFailed):
        whole = PostFailed(failed.function, failed.said, released=released, receipt=receipt)
    elif not released:
        return failed
    elif isinstance(failed, SourceFailed):
        fields = (failed.where, failed.cause, failed.way_out)
        whole = SourceFailed(*fields, released=released, receipt=receipt)
    else:
        with suppress(AttributeError):  # of an error with slots
            failed.released, failed.receipt = released, receipt  # type: ignore[attr-defined]
            failed.add_note(f"The run was charged: {KEPT}.")
        return failed
    whole.__cause__ = failed.__cause__
    return whole
