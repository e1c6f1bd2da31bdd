"""Formulas in words, and as keys."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import TYPE_CHECKING

from .ranges import Range

if TYPE_CHECKING:
    from .formula import Atom, Formula, Mono
    from .ring import Ring


def text_of(f: Formula) -> str:
    """A formula as a person writes it."""
    terms = [term_text(f.ring, mono, c) for mono, c in sorted(f.pairs)]
    return " + ".join(terms).replace("+ -", "- ") or "0"


def term_text(ring: Ring, mono: Mono, c: Fraction) -> str:
    """`2*log(2)`, `-1/2*gamma^2`."""
    factors = []
    for g, e in mono:
        power = "" if e == 1 else f"^{e}" if e.denominator == 1 and e > 0 else f"^({e})"
        factors.append(atom_text(ring.atoms[g]) + power)
    if not factors or abs(c) != 1:
        factors.insert(0, str(abs(c)))
    return ("-" if c < 0 else "") + "*".join(factors)


def atom_text(atom: Atom) -> str:
    """`epsilon`, `log(2/delta)`, `(1 - gamma)`."""
    if atom.kind in ("symbol", "number"):
        return atom.name
    args = [text_of(arg) for arg in atom.args]
    if atom.kind == "log":
        top, bottom = (f"({a})" if " " in a or "*" in a else a for a in args)
        return f"log({args[0]})" if bottom == "1" else f"log({top}/{bottom})"
    return f"{'' if atom.kind == 'sum' else atom.kind}({', '.join(args)})"


def range_text(span: Range) -> str:
    """`in (0, 1)`."""
    low = "-inf" if span.lower is None else str(span.lower)
    high = "inf" if span.upper is None else str(span.upper)
    ends = f"{'[' if span.left else '('}{low}, {high}{']' if span.right else ')'}"
    return f"in {ends}" + (", whole" if span.integer else "")


def digest(text: str, short: int = 160) -> str:
    """A short text as it is, a long one by its beginning and its hash."""
    if len(text) <= short:
        return text
    return f"{text[: short // 2]}... sha256:{hashlib.sha256(text.encode()).hexdigest()[:32]}"
