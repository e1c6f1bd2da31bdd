"""Empirical audits: lower bounds on what code leaks, by attacking it, against its claim."""

from .attack import Attack, attack
from .bounds import Finding
from .claims import ClaimedProfile, claim_of
from .one_run import chance_of, epsilon_of

__all__ = ["Attack", "ClaimedProfile", "Finding", "attack", "chance_of", "claim_of", "epsilon_of"]
