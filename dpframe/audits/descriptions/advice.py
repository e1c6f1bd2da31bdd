"""Advice on a description, as lines of its file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dpframe.graph import Release
from dpframe.privacy import Share
from dpframe.symbols import ONE, Expression
from dpframe.wording import Code, Text, joined, say

from .keys import theorems_of

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


def proportions(releases: Sequence[Release], budget: Share, weights: Mapping[str, str]) -> Text:
    """The lines that size all noise to `budget` in these proportions; empty where no calibration of
    a file does.
    """
    if all(one.noise.kind == "gaussian" for one in releases):
        how = '``calibration = "jointly"`` in each release, no share and no std, and {}'
        return say(how, _lines(weights, "weight"))
    pure = all("pure" in theorems_of(one.noise) for one in releases)
    if pure and budget.currency == ("epsilon",):
        times = {one.label: "" if one.times == ONE else f"/({one.times})" for one in releases}
        shares = {name: f"{weight}*epsilon{times[name]}" for name, weight in weights.items()}
        lines = _lines(shares, "share")
        return say('``calibration = "pure"`` in each release, no scale, and {}', lines)
    return say("")


def _lines(values: Mapping[str, str], key: str) -> Text:
    lines = [
        say("{} in {}", Code(f'`{key} = "{value}"`'), name)
        for name, value in list(values.items())[:MOST]
    ]
    more = [say("and {} more", len(values) - MOST)] if len(values) > MOST else []
    return joined("; ", (*lines, *more))
