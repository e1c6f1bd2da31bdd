"""Numbers with a side: exact input, outward rounding, enclosures and searches that end safely.

Names resolve lazily, so that importing this package loads nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .calibrate import (
        analytic_mu,
        analytic_sigma,
        analytic_sigma_ball,
        epsilon_limit,
        profile_delta,
        profile_delta_lower,
        profile_epsilon,
        profile_epsilon_lower,
    )
    from .eigenvalue import floor_smallest_eigenvalue
    from .interval import Interval
    from .precision import at_rising_precision, working
    from .profile import Quantity, ball, certainly_above, certainly_at_most, delta_ball, holds
    from .rounding import arb_float, arb_lower, arb_upper, next_down, next_up, to_float
    from .search import boundary

_HOME = {
    "Interval": "interval",
    "Quantity": "profile",
    "analytic_mu": "calibrate",
    "analytic_sigma": "calibrate",
    "analytic_sigma_ball": "calibrate",
    "arb_float": "rounding",
    "arb_lower": "rounding",
    "arb_upper": "rounding",
    "at_rising_precision": "precision",
    "ball": "profile",
    "boundary": "search",
    "certainly_above": "profile",
    "certainly_at_most": "profile",
    "delta_ball": "profile",
    "epsilon_limit": "calibrate",
    "floor_smallest_eigenvalue": "eigenvalue",
    "holds": "profile",
    "next_down": "rounding",
    "next_up": "rounding",
    "profile_delta": "calibrate",
    "profile_delta_lower": "calibrate",
    "profile_epsilon": "calibrate",
    "profile_epsilon_lower": "calibrate",
    "to_float": "rounding",
    "working": "precision",
}

__all__ = [
    "Interval",
    "Quantity",
    "analytic_mu",
    "analytic_sigma",
    "analytic_sigma_ball",
    "arb_float",
    "arb_lower",
    "arb_upper",
    "at_rising_precision",
    "ball",
    "boundary",
    "certainly_above",
    "certainly_at_most",
    "delta_ball",
    "epsilon_limit",
    "floor_smallest_eigenvalue",
    "holds",
    "next_down",
    "next_up",
    "profile_delta",
    "profile_delta_lower",
    "profile_epsilon",
    "profile_epsilon_lower",
    "to_float",
    "working",
]


def __getattr__(name: str) -> object:
    """Import the home of a public name when the name is first used."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    """The public names."""
    return sorted(_HOME)
