"""Who may read what: the scope of a number, and what a formula may read.

Scopes are a lattice, not a chain: what was released before and what each record has of its own are
independent of each other. A weight may read the one and no more, a bound on rows the other, the
size of noise both. What reads several numbers has the union of their scopes. [Denning76]
"""

from __future__ import annotations

import enum
from typing import ClassVar


class Scope(enum.Flag):
    """What a number depends on: `formula.scope in allowed` says that it may be read."""

    PUBLIC = 0
    """Nothing: known to everybody, the same for neighbours, before anything is released."""
    RELEASED = 1
    """What was released before."""
    RECORD = 2
    """Which record it is for: each has a number of its own, such as its budget."""
    DATA = 4
    """The table: nothing may read it but mechanisms, and statistics and maps through inputs."""


PUBLIC, RELEASED, RECORD, DATA = Scope.PUBLIC, Scope.RELEASED, Scope.RECORD, Scope.DATA


class Origin:
    """Abstract: what a symbol stands for, where that is no public parameter. It says its scope;
    DATA, the strictest, where it does not.
    """

    __slots__ = ()
    scope: ClassVar[Scope] = DATA
