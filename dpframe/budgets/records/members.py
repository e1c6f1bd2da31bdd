"""Which record is in which group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument

MAX_NAME = 200
MAX_GROUPS = 1 << 16


@attrs.frozen(eq=False)
class Members:
    """n records; `codes[i]` is the place in `names` of the group of record i.

    Where every record has a budget of its own there are no names, and one group without a code.
    """

    n: int
    names: tuple[str, ...] = ()
    codes: NDArray[Any] | None = None

    @property
    def groups(self) -> int:
        """How many groups there are, at least 1."""
        return max(1, len(self.names))

    def counts(self) -> tuple[int, ...]:
        """Records a group."""
        if self.codes is None:
            return (self.n,)
        return tuple(map(int, np.bincount(self.codes, minlength=self.groups)))

    def same(self, other: Members) -> bool:
        """Whether the same records are in the same groups."""
        if (self.n, self.names) != (other.n, other.names):
            return False
        return self.codes is None or bool(np.array_equal(self.codes, other.codes))  # type: ignore[arg-type]


def members(names: Sequence[object], groups: object) -> Members:
    """Records by the place or the name of their group, an array of length n. Raises
    InvalidArgument.
    """
    known = _names(names)
    given = np.asarray(groups)
    if given.ndim != 1 or not given.size:
        wanted = "an array of one group a record, of at least one record"
        raise InvalidArgument("groups", wanted, f"an array of shape {given.shape}")
    codes = given if given.dtype.kind in "iu" else _coded(given, known)
    if codes.min() < 0 or codes.max() >= len(known):
        found = f"{codes.min()} to {codes.max()}"
        raise InvalidArgument("groups", f"places from 0 to {len(known) - 1}", found)
    return Members(given.size, known, codes.astype(np.min_scalar_type(len(known) - 1)))


def _names(names: Sequence[object]) -> tuple[str, ...]:
    known = tuple(
        name
        for name in names
        if isinstance(name, str) and 0 < len(name) <= MAX_NAME and name.isprintable()
    )
    if not 0 < len(known) <= MAX_GROUPS or len(set(known)) < len(names):
        wanted = f"1 to {MAX_GROUPS} groups, each named by 1 to {MAX_NAME} printable characters"
        raise InvalidArgument("budgets", wanted, list(names))
    return known


def _coded(given: NDArray[Any], known: tuple[str, ...]) -> NDArray[np.int64]:
    if given.dtype.kind not in "UO":
        way_out = "Give names, or places in the order of the budgets."
        raise InvalidArgument("groups", "names or whole numbers", f"{given.dtype}", way_out)
    codes = np.full(given.size, -1)
    for place, name in enumerate(known):
        codes[given == name] = place
    if codes.min() < 0:
        stranger = given[int(np.argmin(codes))]
        raise InvalidArgument("groups", f"names among {', '.join(known)}", stranger)
    return codes
