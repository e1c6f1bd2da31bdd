"""Reports on a declaration, on published formulas, and on calibrations side by side."""

from .budget_report import BudgetReport
from .comparison import Comparison, compare
from .difference import Difference, difference
from .formulas import Formulas, audit_formulas
from .joint_cost import JointCost
from .lines import Line
from .report import Audit, audit
from .rosters import budget_report

__all__ = [
    "Audit",
    "BudgetReport",
    "Comparison",
    "Difference",
    "Formulas",
    "JointCost",
    "Line",
    "audit",
    "audit_formulas",
    "budget_report",
    "compare",
    "difference",
]
