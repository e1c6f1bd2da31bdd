"""Empirical audits: lower bounds on what code leaks, by attacking it, against its claim."""

from .attack import Attack, attack
from .bounds import Finding
from .claims import ClaimedProfile, claim_of

__all__ = ["Attack", "ClaimedProfile", "Finding", "attack", "claim_of"]
