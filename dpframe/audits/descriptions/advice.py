"""Advice on a description, as lines of its file."""

from __future__ import annotations

from collections.abc import Mapping

from dpframe.graph import Release
from dpframe.symbols import ONE, Expression
from dpframe.wording import Code, Text, joined, say

MOST = 6  # releases that are named


def share_lines(releases: tuple[Release, ...], name: str, factor: Expression) -> Text:
    """The line of each share with the amount called `name` multiplied by `factor`."""
    return _lines(
        {
            one.label: ", ".join(
                str(amount * factor if currency == name else amount)
                for currency, amount in zip(one.share.currency, one.share.amounts, strict=True)
            )
            for one in releases
            if one.share is not None
        },
        "share",
    )


def weight_lines(weights: Mapping[str, str]) -> Text:
    """The line of each weight of a joint calibration."""
    return _lines(weights, "weight")


def share_weights(weights: Mapping[str, str], times: Mapping[str, Expression]) -> Text:
    """The line of each share of a pure budget, of one draw."""
    each = {
        name: f"{weight}*epsilon{'' if times[name] == ONE else f'/({times[name]})'}"
        for name, weight in weights.items()
    }
    return _lines(each, "share")


def _lines(values: Mapping[str, str], key: str) -> Text:
    lines = [
        say("{} in {}", Code(f'`{key} = "{value}"`'), name)
        for name, value in list(values.items())[:MOST]
    ]
    more = [say("and {} more", len(values) - MOST)] if len(values) > MOST else []
    return joined("; ", (*lines, *more))
