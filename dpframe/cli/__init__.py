"""The command line: list, certify, audit, compare, fit, check, diff, dossier, split, ledger,
experiment.

Exit status: 0 proved or done, 1 not proved, 2 a bad argument.
"""

from __future__ import annotations

from collections.abc import Callable

from .app import app
from .attack import attack_
from .audit import audit_
from .certify import certify
from .check import check
from .compare import compare_
from .diff import diff
from .dossier import dossier_
from .experiment import experiment_app
from .fit import fit
from .ledger import ledger_app
from .list import list_
from .split import split

__all__ = ["app", "main"]

COMMANDS: dict[str, Callable[..., None]] = {  # in the order of the help page
    "list": list_,
    "certify": certify,
    "audit": audit_,
    "attack": attack_,
    "compare": compare_,
    "fit": fit,
    "check": check,
    "diff": diff,
    "dossier": dossier_,
    "split": split,
}
for name, command in COMMANDS.items():
    app.command(name)(command)
app.add_typer(ledger_app, name="ledger")
app.add_typer(experiment_app, name="experiment")


def main() -> None:
    """Run the command line."""
    app()
