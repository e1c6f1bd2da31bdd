"""Reports on a declaration, on published formulas, and on calibrations side by side."""

from .auditing import Audit, audit
from .comparison import Comparison, compare
from .formulas import Formulas, audit_formulas
from .joint_cost import JointCost
from .lines import Line

__all__ = [
    "Audit",
    "Comparison",
    "Formulas",
    "JointCost",
    "Line",
    "audit",
    "audit_formulas",
    "compare",
]
