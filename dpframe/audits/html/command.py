"""The command that makes an audit again, where the command line can spell it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

import attrs

from dpframe.graph import Setting
from dpframe.privacy import ApproxDP, PureDP
from dpframe.symbols import DELTA, EPSILON, Expression, Number, parameter

from ..figures import exactly

if TYPE_CHECKING:
    from ..report import Audit

LEFT_OUT = {
    "--epsilon": EPSILON,
    "--delta": DELTA,
    "--norm": parameter("B"),
    "--bound": parameter("Y"),
}
ONE = Number(Fraction(1))
SHELVES = ("dpframe.regressions.", "dpframe.literature.")  # whose classes the command line knows


def command(audit: Audit) -> str:
    """`dpframe audit AdaSSP --epsilon 1 ...`; "" for what has no such spelling: a declaration of
    one's own, a codebook, a personalised claim.
    """
    words = list(_words(audit))
    return "" if None in words else shlex.join(word for word in words if word is not None)


def _words(audit: Audit) -> Iterator[str | None]:
    """The words of the command; None among them where there is no word for something."""
    yield from ("dpframe", "audit", _name(audit))
    yield from _claim(audit)
    yield from _setting(audit.setting)
    if audit.report.accountant != "auto":
        yield from ("--accountant", audit.report.accountant)
    for name in audit.trusted:
        yield from ("--trust", name)


def _name(audit: Audit) -> str | None:
    """The class, where it is dpframe's own with its own defaults."""
    cls = type(audit.regression)
    shipped = cls.__module__.startswith(SHELVES)
    if not shipped or getattr(sys.modules[cls.__module__], cls.__name__, None) is not cls:
        return None
    try:
        return cls.__name__ if cls() == audit.regression else None
    except TypeError:
        return None


def _claim(audit: Audit) -> Iterator[str | None]:
    target = audit.claimed
    match target:
        case ApproxDP():
            yield from _amount("--epsilon", target.amounts[0])
            yield from _amount("--delta", target.amounts[1])
        case PureDP():
            yield from _amount("--epsilon", target.amounts[0])
            yield from ("--delta", "0")
        case _:
            yield None


def _setting(setting: Setting) -> Iterator[str | None]:
    rows, labels = setting.X, setting.y
    plain = rows.columns is None and not rows.intercept and labels is not None
    if not plain or labels is None or labels.bound is None or labels.name != "y":
        yield None
        return
    yield from _rows(rows.norm, rows.box)
    yield from _amount("--bound", labels.bound)
    yield from ("--relation", setting.relation.option)
    if setting.unit.rows_per_person != ONE:
        yield from _amount("--rows-per-person", setting.unit.rows_per_person)
    if setting.grid != attrs.fields(Setting).grid.default:
        yield None


def _rows(norm: Expression | None, box: Expression | None) -> Iterator[str | None]:
    if box is not None and norm is not None and not isinstance(norm, Number):
        yield None
    if norm is not None:
        yield from _amount("--norm", norm)
    if box is not None:
        yield from _amount("--box", box)


def _amount(option: str, value: Expression) -> Iterator[str | None]:
    """The option and its number; nothing where leaving it out means this very symbol."""
    if isinstance(value, Number):
        yield from (option, exactly(value.value))
    elif value != LEFT_OUT.get(option):
        yield None
