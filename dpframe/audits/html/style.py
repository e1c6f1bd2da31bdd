"""The stylesheet: a constant. Nothing that an audit says ever enters it."""

from __future__ import annotations

from pathlib import Path

from .palette import DARK, LIGHT, variables

RULES = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
STYLE = (
    f":root {{ color-scheme: light dark; {variables(LIGHT)} }}\n"
    f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {variables(DARK)} }} }}\n{RULES}"
)
