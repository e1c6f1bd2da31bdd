"""Reports on a declaration, on published formulas, and on calibrations side by side."""

import sys
from types import ModuleType

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


class _Callable(ModuleType):
    """`dp.audit` can be called, also where importing this package has bound its name there."""

    __call__ = staticmethod(audit)


sys.modules[__name__].__class__ = _Callable
