"""What this process has saved or opened, so that an older copy is noticed. Gone when it ends."""

from __future__ import annotations

from threading import Lock

from dpframe.errors import StaleLedger

from .document import Ledger

_NEWEST: dict[str, Ledger] = {}
_LOCK = Lock()
WAY_OUT = "Open the newest copy; where this one is certainly right, say so: expect=its seal."


def note(ledger: Ledger) -> None:
    """Remember that this state was saved or opened."""
    with _LOCK:
        newest = _NEWEST.get(ledger.header.identity)
        if newest is None or ledger.state.queries >= newest.state.queries:
            _NEWEST[ledger.header.identity] = ledger


def check(ledger: Ledger) -> None:
    """Refuse a state that is older than, or beside, one that this process has saved or opened."""
    newest = _NEWEST.get(ledger.header.identity)
    if newest is None:
        return
    if ledger.header != newest.header:
        raise StaleLedger("the saved ledger", "with the ceiling it had", "another", WAY_OUT)
    if ledger.state.queries < newest.state.queries:
        known = f"at least the {newest.state.queries} queries that this process has seen"
        raise StaleLedger("the saved ledger", known, ledger.state.queries, WAY_OUT)
    if ledger.state.queries == newest.state.queries and ledger.state.spent != newest.state.spent:
        raise StaleLedger("the saved ledger", "the one that was seen", "another branch", WAY_OUT)
