"""The command line: list, certify, audit, compare, fit, check, diff, split, ledger, experiment.

Exit status: 0 proved or done, 1 not proved, 2 a bad argument, 3 a mistake of dpframe.
"""

from __future__ import annotations

from .app import app

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line."""
    app()
