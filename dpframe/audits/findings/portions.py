"""The split of the budget: what each release claims of it, and what it truly uses."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import attrs

from dpframe.errors import DPFrameError
from dpframe.graph import Release
from dpframe.privacy import GaussianDP, PureDP
from dpframe.prover import Verdict
from dpframe.prover.profile_rule import cost
from dpframe.symbols import Expression

from .example import Values, number_at, upper_at

if TYPE_CHECKING:
    from ..report import Audit


@attrs.frozen
class Portion:
    """`claimed`: the share of epsilon (rho, mu^2), as a part of the target's; above 1 where more is
    claimed than there is. `true`: what the release costs as a part of what all of them cost, each
    at its own worst pair, in `unit`. None where there is no such number, and
    where private data reaches what is public.
    """

    name: str
    claimed: float | None
    true: float | None
    unit: str

    def record(self) -> dict[str, object]:
        """Every field as a JSON value."""
        return attrs.asdict(self)


def portions(audit: Audit, values: Values) -> tuple[Portion, ...]:
    """One a charge, in order; none where neither share nor cost has a number."""
    charged = audit.report.problem.graph.charged
    sound = all(one.verdict is Verdict.PROVED for one in audit.report.common)
    releases = [one for one in charged if isinstance(one, Release)] if sound else []
    unit, costs = _costs(releases, values)
    whole = sum(costs.values())
    found = tuple(
        Portion(
            one.label,
            _claimed(audit, one, values),
            float(costs[id(one)] / whole) if whole and id(one) in costs else None,
            unit,
        )
        for one in charged
    )
    told = any(one.claimed is not None or one.true is not None for one in found)
    return found if told else ()


def _claimed(audit: Audit, one: object, values: Values) -> float | None:
    share, times = getattr(one, "share", None), getattr(one, "times", None)
    target = audit.target
    if share is None or times is None or share.currency[0] != target.currency[0]:
        return None
    found = upper_at(times * share.amounts[0] / target.amounts[0], values)
    return None if found is None else float(found)


def _costs(releases: list[Release], values: Values) -> tuple[str, dict[int, Fraction]]:
    """What each release costs alone, in the one unit in which all of them can be compared."""
    kinds = {one.gives for one in releases}
    currency = next(iter(kinds)).currency if len(kinds) == 1 else ("rho",)
    unit = currency[0] if len(currency) == 1 else ""
    found = {id(one): _cost(one, unit, values) for one in releases}
    if any(amount is None for amount in found.values()):
        return unit, {}
    return unit, {key: amount for key, amount in found.items() if amount is not None}


def _cost(release: Release, unit: str, values: Values) -> Fraction | None:
    try:
        amount = cost(release).amounts[0]
    except DPFrameError:
        return None
    formulas: dict[tuple[type, str], Expression] = {
        (GaussianDP, "rho"): amount * Fraction(1, 2),
        (PureDP, "rho"): amount * amount * Fraction(1, 2),
    }
    own = formulas.get((release.gives, unit), amount)
    return upper_at(number_at(own * release.times, values), values)
