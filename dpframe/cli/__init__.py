"""The command line of dpframe.

Exit status: 0 success, 1 not proved, refuted or different, 2 invalid input, 3 an error of dpframe.
"""

from __future__ import annotations

from .app import app

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line."""
    app()
