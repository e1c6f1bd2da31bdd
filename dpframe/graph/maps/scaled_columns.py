"""Columns shifted and divided by public numbers, one of each a column."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, NotExecutable, listed_words
from dpframe.symbols import Number, rational

from ..interval import check_ends
from ..rows import Rows
from .base import RowMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]

MOST = Fraction(10) ** 300
WAY_OUT = "Take them from a codebook, never from the data: lists of numbers."


def _numbers(value: object, name: str) -> tuple[Fraction, ...]:
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence) or not value:
        raise InvalidArgument(name, "a list of public numbers, one a column", value, WAY_OUT)
    return tuple(rational(one, name) for one in value)


def _positive(value: object) -> tuple[Fraction, ...]:
    found = _numbers(value, "by")
    if not (1 / MOST <= min(found) and max(found) <= MOST):
        raise InvalidArgument("by", "positive, from 1e-300 to 1e300", value, WAY_OUT)
    return found


def _minus(value: object) -> tuple[Fraction, ...]:
    found = _numbers(value, "minus")
    if any(abs(one) > MOST for one in found):
        raise InvalidArgument("minus", "at most 1e300 in size", value, WAY_OUT)
    return found


@attrs.frozen(cache_hash=True)
class ScaledColumns(RowMap):
    """Column j becomes (x_j - minus_j)/by_j, by public numbers: of norm at most (norm +
    |minus|)/min by.
    """

    kind: ClassVar[str] = "scaled_columns"
    source: Rows
    by: tuple[Fraction, ...] = attrs.field(converter=_positive)
    minus: tuple[Fraction, ...] = attrs.field(
        converter=_minus, default=attrs.Factory(lambda self: [0] * len(self.by), takes_self=True)
    )

    def __attrs_post_init__(self) -> None:
        """One number a column."""
        known = self.source.columns
        wanted = int(known.value) if isinstance(known, Number) else len(self.by)
        if not len(self.by) == len(self.minus) == wanted:
            found = (len(self.by), len(self.minus))
            raise InvalidArgument("by and minus", f"{wanted} numbers each", found, WAY_OUT)

    @property
    def label(self) -> str:
        """`scale columns by public numbers`."""
        return "scale columns by public numbers"

    def record(self) -> dict[str, object]:
        """The numbers."""
        return {"by": [str(one) for one in self.by], "minus": [str(one) for one in self.minus]}

    def apply(self, block: Array, number: Numbers) -> Array:
        """Shift, then divide. Raises NotExecutable for another number of columns."""
        import numpy as np

        del number
        if block.shape[1] != len(self.by):
            wanted = f"{len(self.by)} public scales for {block.shape[1]} columns"
            raise NotExecutable(f"{wanted}. Give one number a column.")
        minus, by = (np.array(one, dtype=float) for one in (self.minus, self.by))
        with np.errstate(over="ignore"):  # a warning would tell of the data
            scaled: Array = np.nan_to_num((block - minus) / by)
        return scaled


def between(rows: Rows, lower: object, upper: object) -> Rows:
    """[lower_j, upper_j] of every column onto [-1, 1], and what is outside onto its ends. Raises
    InvalidArgument.
    """
    low, high = _numbers(lower, "lower"), _numbers(upper, "upper")
    if len(low) != len(high):
        got = listed_words((len(low), len(high)))
        raise InvalidArgument("lower and upper", "of one length", got, WAY_OUT)
    for j, (least, most) in enumerate(zip(low, high, strict=True)):
        check_ends(f"column {j}", least, most)
    halves = [(most - least) / 2 for least, most in zip(low, high, strict=True)]
    centres = [(most + least) / 2 for least, most in zip(low, high, strict=True)]
    return ScaledColumns(rows, halves, centres).boxed(1)
