"""Empirical audits: lower bounds on what code leaks, by attacking it, against what it claims."""

from .attack import Attack, attack
from .canaries import chance_of, epsilon_of
from .claims import Claim, claim_of
from .page import Finding

__all__ = ["Attack", "Claim", "Finding", "attack", "chance_of", "claim_of", "epsilon_of"]
