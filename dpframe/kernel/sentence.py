"""What was proved, in words."""

from __future__ import annotations

from dpframe.exact.documents import Json
from dpframe.exact.formula import range_text, text_of
from dpframe.theory.at import At
from dpframe.theory.facts import Bound, Known, OfBudgets


def sentence(c: At, claimed: Json) -> str:
    """The statement in words."""
    own = sorted(c.personal.own)
    origins = {name: spec["origin"] for name, spec in claimed["symbols"].items()}
    free = [
        f"{name} {range_text(c.domains[name])}{source_text(c, origins[name])}"
        for name in c.domains
        if name not in own
    ]
    if own:
        mine = ", ".join(f"{name} {range_text(c.domains[name])}" for name in own)
        free.append(f"all public budgets of the records{c.personal.groups}")
        free.append(f"each record, with its own {mine}")
    rows = "one row" if c.rows.constant == 1 else f"up to {text_of(c.rows)} rows of one person"
    guarantee = c.guarantee.words.format(*map(text_of, c.personal.claimed or c.amounts))
    differ = f"differ by {rows} {c.relation.words}"
    lines = [
        f"For all {'; '.join(free)}, and" if free else "For",
        f"every two tables that {differ}{', which is that record' if own else ''},",
        f"the released values together satisfy {guarantee}"
        + (f" with that record's own {' and '.join(own)}" if own else ""),
    ]
    sides = (f"{text_of(h.left)} {'<' if h.strict else '<='} {text_of(h.right)}" for h in c.region)
    where = "; ".join(sides)
    values = ", ".join(f"{name} = {value}" for name, value in claimed["values"].items())
    given = f" Given here: {values}." if values else ""
    said = (f"{name} ({'; '.join(c.believed[name])})" for name in sorted(c.believed))
    trusted = f" On trust: {', '.join(said)}." if c.believed else ""
    if claimed["derivation"] in c.believed:
        trusted += f" The total itself is what {claimed['derivation']} says that it is."
    return " ".join(lines) + (f", where {where}." if where else ".") + given + trusted


def source_text(c: At, origin: int | None) -> str:
    """` (released, node 7)`: what a symbol stands for; nothing for one that is chosen."""
    if origin is None:
        return ""
    fact = c.facts[origin]
    if isinstance(fact, OfBudgets):
        what = f"the {fact.what} of {text_of(fact.formula)} over all records"
    elif isinstance(fact, Bound):
        what = f"released, a bound {'above' if fact.upper else 'below'} a statistic"
    else:
        what = "released" if isinstance(fact, Known) else "the number of rows"
    return f" ({what}, node {origin})"


def safe(text: str) -> str:
    """Text of a file without characters that could steer a terminal."""
    return "".join(ch if ch.isprintable() and ch.isascii() else f"<{ord(ch):x}>" for ch in text)
