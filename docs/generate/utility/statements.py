"""All statements by name."""

from __future__ import annotations

from collections.abc import Callable

from dpframe.errors import InvalidArgument

from . import limits, personal, perturbed
from .checked import FULL, QUICK, Checked, Effort

STATEMENTS: dict[str, Callable[[Effort], Checked]] = {
    one.__name__: one
    for one in (
        *(limits.eq1, limits.eq2, limits.eq3, limits.eq4, limits.eq5, limits.eq6),
        *(perturbed.thm2_ii, perturbed.thm2_iii, perturbed.thm3_ii, perturbed.thm3_iii),
        *(perturbed.lemma15, perturbed.prop16, personal.thm34, personal.thm36),
    )
}


def check(name: str, *, quick: bool = False) -> Checked:
    """One statement, by its name in STATEMENTS. Raises InvalidArgument."""
    if name not in STATEMENTS:
        raise InvalidArgument("name", f"one of {', '.join(STATEMENTS)}", name, "")
    return STATEMENTS[name](QUICK if quick else FULL)
