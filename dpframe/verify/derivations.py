"""The named derivations of a total, in the order in which they are tried. One is enough."""

from __future__ import annotations

from collections.abc import Callable

from .attempt import Attempt
from .basic import basic
from .concentrated import concentrated
from .joint_total import gaussian
from .numeric import numeric
from .problem import Problem

DERIVATIONS: dict[str, Callable[[Problem], Attempt | None]] = {
    "basic": basic,
    "gaussian": gaussian,
    "zcdp": concentrated,
    "numeric": numeric,
}
