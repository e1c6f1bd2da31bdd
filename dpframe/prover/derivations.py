"""The named derivations of a total, in the order in which they are tried. One is enough."""

from __future__ import annotations

from collections.abc import Callable

from dpframe.accountants import (
    Accountant,
    BasicAccountant,
    ConcentratedAccountant,
    GaussianAccountant,
    NumericAccountant,
)
from dpframe.errors import InvalidArgument
from dpframe.identity import strangers

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
ACCOUNTANTS: dict[str, Accountant] = {
    "basic": BasicAccountant(),
    "gaussian": GaussianAccountant(),
    "zcdp": ConcentratedAccountant(),
    "numeric": NumericAccountant(),
}
"""The accountants that each derivation adds with."""


def derivation_of(accountant: object) -> str:
    """The name of the derivation that adds as this accountant does, or "auto". Raises
    InvalidArgument for an accountant that no derivation uses, such as one of another kind, or one
    that somebody else wrote: its name says nothing.
    """
    if isinstance(accountant, str):
        return str.__str__(accountant)
    if not strangers((accountant,)):
        for name, one in ACCOUNTANTS.items():
            if one == accountant:
                return name
    kinds = ", ".join(f"dp.{type(one).__name__}()" for one in ACCOUNTANTS.values())
    wanted = f"'auto', one of {', '.join(map(repr, ACCOUNTANTS))}, or one of {kinds}"
    way_out = "These can certify; dp.compose(..., accountant=...) answers by any, in numbers."
    raise InvalidArgument("accountant", wanted, accountant, way_out)
