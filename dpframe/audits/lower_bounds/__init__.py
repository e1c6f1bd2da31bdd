"""Empirical audits: lower bounds on what code leaks, by attacking it, against what it claims."""

from .attack import Attack, attack
from .attack_page import Finding
from .claims import Claim, claim_of
from .one_run import chance_of, epsilon_of

__all__ = ["Attack", "Claim", "Finding", "attack", "chance_of", "claim_of", "epsilon_of"]
