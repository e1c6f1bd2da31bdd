"""Algorithms on paper, described by formulas in a TOML file, as declarations.

    read_description(path) -> Description
    parse_description(text, *, name="text") -> Description

    done = audit(found.regression, target=found.target, setting=found.setting,
                 accountant=found.accountant)

A Description also has title, citation, notes, remarks (by release), file, trusted (names of the
releases whose sensitivity is stated, not derived) and claimed_sensitivities. Text of the file that
is printed in markup must be escaped there. The schema is docs/describing.
"""

from .described import Described
from .description import Description, parse_description, read_description
from .stated import ClaimedSensitivity

__all__ = [
    "ClaimedSensitivity",
    "Described",
    "Description",
    "parse_description",
    "read_description",
]
