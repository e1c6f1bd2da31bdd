"""dpframe list: every regression, and whether it is proved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

import dpframe as dp
from dpframe.auditing import audit

from .options import Json, setting_of, target_of
from .printing import coloured, print_json

NOTE = "* proved where a theorem's hypothesis holds; dpframe certify NAME prints it"


def list_(as_json: Json = False) -> None:
    """Regressions, and whether each is proved for every epsilon, delta and bound."""
    records = [_record(cls) for cls in dp.REGRESSIONS]
    if as_json:
        print_json(records)
        return
    table = Table("name", "paper", "variant", "add/remove", "replace-one", box=None)
    for record in records:
        verdicts = [coloured(_verdict(record[name])) for name in ("add/remove", "replace-one")]
        table.add_row(record["name"], record["paper"], record["variant"], *verdicts)
    console = Console(highlight=False)
    console.print(table)
    console.print(f"\n {NOTE}", markup=False)


def _record(cls: type[dp.Regression]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": cls.__name__,
        "title": cls.title,
        "paper": cls.paper,
        "variant": cls.variant,
    }
    found["summary"] = " ".join((cls.__doc__ or "").partition("\n\n")[0].split())
    for relation in (dp.ADD_REMOVE, dp.REPLACE_ONE):
        setting = setting_of(None, None, relation, "1")
        done = audit(cls(), target=target_of(None, None), setting=setting)
        region = done.report.chosen.constraints if done.report.chosen else ()
        found[str(relation)] = {
            "verdict": str(done.verdict),
            "derivation": done.derivation,
            "region": [str(constraint) for constraint in region],
        }
    return found


def _verdict(record: Mapping[str, Any]) -> str:
    return f"{record['verdict']}{' *' if record['region'] else ''}"
