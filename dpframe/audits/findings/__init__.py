"""What an audit finds, once, for every face of its page: terminal, JSON and HTML."""

from .accountants import AccountantBounds, Profile
from .example import Assumption
from .findings import CitedSource, Findings, findings
from .saving import Portion
from .waste import Change, Waste

__all__ = [
    "Assumption",
    "Change",
    "CitedSource",
    "Findings",
    "AccountantBounds",
    "Portion",
    "Profile",
    "Waste",
    "findings",
]
