"""Reports on a declaration, on published formulas, and on calibrations side by side."""

from .auditing import Audit, audit
from .joint_cost import JointCost
from .lines import Line

__all__ = ["Audit", "JointCost", "Line", "audit"]
