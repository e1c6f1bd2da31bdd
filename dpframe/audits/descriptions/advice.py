"""Advice on a declaration in Python, as lines of the file of a description."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dpframe.graph import Release
from dpframe.symbols import ONE, Expression

MOST = 6  # releases that are named
BY_HAND = "write std in place of calibration and share: all releases are then judged together"
IN_FILE: tuple[tuple[str, str], ...] = (
    (
        r"state the noise by hand and give no share, as in dp\.release\(.*?\)\): all .*? together",
        BY_HAND,
    ),
    (
        r'accountant="(\w+)" leaves the shares aside\. On the command line: --accountant \w+\.',
        r'`accountant = "\1"` in the file leaves the shares aside.',
    ),
    (r'accountant="(\w+)"', r'`accountant = "\1"`'),
    (r"dp\.parameter\(name, lower, upper\) \(in a description, \[parameters\]\)", "[parameters]"),
    (r"dp\.parameter\(name, lower, upper\)", '[parameters], such as `gamma = "in (0, 1)"`'),
    (
        r"\(?dp\.Gaussian\.analytic is exact\)?",
        '(`calibration = "analytic"` with a share is exact)',
    ),
    (
        r"\(dp\.Gaussian\.analytic, dp\.regressions\.Jointly\)",
        '(`calibration = "analytic"` or `calibration = "jointly"`)',
    ),
    (r"dp\.(Gaussian|Laplace)\.(analytic|classical|pure)", r'`calibration = "\2"`'),
    (
        r"dp\.regressions\.Jointly\(of=\.\.\.\) finds the factor for each claim: .*? one\.",
        'Write `calibration = "jointly"` and a weight in each release, no share and no std.',
    ),
    (r"dp\.regressions\.Jointly(\(of=\.\.\.\)|\(\.\.\.\))?", '`calibration = "jointly"`'),
    (r"dp\.jointly\(part of the budget\)", '`calibration = "jointly"`'),
    (
        r"dp\.release\(.*?, dp\.(?:Gaussian|Laplace)\.(\w+), share\)",
        r'a [[release]] of it with `calibration = "\1"` and a share',
    ),
)
COMPILED = tuple((re.compile(pattern), text) for pattern, text in IN_FILE)


def in_file(text: str) -> str:
    """Ways out of a refusal, which are Python, as lines of a description."""
    for pattern, line in COMPILED:
        text = pattern.sub(line, text)
    return text


def share_lines(releases: tuple[Release, ...], name: str, factor: Expression) -> str:
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


def weight_lines(weights: Mapping[str, str]) -> str:
    """The line of each weight of a joint calibration."""
    return _lines(weights, "weight")


def share_weights(weights: Mapping[str, str], times: Mapping[str, Expression]) -> str:
    """The line of each share of a pure budget, of one draw."""
    each = {
        name: f"{weight}*epsilon{'' if times[name] == ONE else f'/({times[name]})'}"
        for name, weight in weights.items()
    }
    return _lines(each, "share")


def _lines(values: Mapping[str, str], key: str) -> str:
    lines = [f'`{key} = "{value}"` in {name}' for name, value in list(values.items())[:MOST]]
    return "; ".join(lines) + (f"; and {len(values) - MOST} more" if len(values) > MOST else "")
