"""What a node reads besides its inputs: formulas, each with the scopes that it may depend on."""

from __future__ import annotations

import attrs

from dpframe.privacy import Share
from dpframe.symbols import PUBLIC, Expression, Scope


@attrs.frozen
class Reading:
    """A formula that a node reads. It may depend on numbers of the scopes `may` only: on public
    ones, where nothing more is said. `positive`: it must be so for every parameter value.
    """

    formula: Expression
    may: Scope = PUBLIC
    positive: bool = False


def share_readings(share: Share, may: Scope = PUBLIC) -> dict[str, Reading]:
    """The weights and wholes of a share, by name. Budgets are divided before anything is released;
    `may` is RECORD where what each record pays follows from its own.
    """
    found = {
        f"share of {name}": Reading(weight, may)
        for name, weight in zip(share.currency, share.weights, strict=True)
    }
    return found | {
        f"budget of {name}": Reading(whole, may)
        for name, whole in zip(share.currency, share.wholes, strict=True)
    }
