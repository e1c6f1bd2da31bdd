"""What an audit finds, once, for every face of its page: terminal, JSON and HTML."""

from .example import Assumption
from .findings import CitedSource, Findings, findings
from .opinions import Opinion
from .profile import Profile
from .waste import Change, Portion, Waste

__all__ = [
    "Assumption",
    "Change",
    "CitedSource",
    "Findings",
    "Opinion",
    "Portion",
    "Profile",
    "Waste",
    "findings",
]
