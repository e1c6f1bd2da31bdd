"""Algorithms of which only formulas are known, audited from one line a release."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

import dpframe as dp

HEAD = 'relation = "add-remove"\nrows = {norm = 1}\n'
HEAD += "labels = {bound = 1}\n"
STATISTICS = {
    "gram": "X'X",
    "moment": "X'y",
    "lambda_min": "lambda_min(X'X)",
    "trace": "trace(X'X)",
    "count": "n",
    "sum": "sum(X)",
    "squares": "y'y",
    "label_sum": "sum(y)",
}


def described(
    releases: Iterable[str],
    parameters: Mapping[str, str] | None = None,
    claim: str = "epsilon = 1, delta = 1e-6",
) -> str:
    """A description of `statistic: std @ share`, one a release, as TOML."""
    parts = [f'title = "formulas"\nclaim = {{{claim}}}\n', HEAD]
    if parameters:
        parts += ["[parameters]\n", *(f"{k} = {json.dumps(v)}\n" for k, v in parameters.items())]
    for text in releases:
        name, _, rest = text.partition(": ")
        std, _, share = rest.partition(" @ ")
        lines = {"name": name, "statistic": STATISTICS[name], "mechanism": "gaussian", "std": std}
        lines |= {"share": share} if share else {}
        parts += ["[[release]]\n", *(f"{k} = {json.dumps(v)}\n" for k, v in lines.items())]
    return "".join(parts)


def audited(releases, *, target, setting, parameters=None, **claim):
    """The audit of these releases against another target, in another setting."""
    found = dp.audits.parse_description(described(releases, parameters, **claim))
    return dp.audit(found.regression, target=target, setting=setting)
