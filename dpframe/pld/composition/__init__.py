"""Composition of privacy losses: the profile of a sum, as intervals whose ends are theorems."""

from .profile import delta_interval, epsilon_interval
from .total import TotalLoss, total_loss

__all__ = ["TotalLoss", "delta_interval", "epsilon_interval", "total_loss"]
