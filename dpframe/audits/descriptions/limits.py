"""How much a description may hold. Every limit is far above what a paper needs, and together they
keep the audit of any description that is read within its time.
"""

from __future__ import annotations

from fractions import Fraction

MOST_BYTES = 100 * 1024
MOST_IN_LINE = 20_000
MOST_NESTED = 6
MOST_DOTS = 6
"""Of one dotted key: longer ones are nested tables by another name."""

MOST_RELEASES = 200
MOST_PARAMETERS, MOST_RANGING = 8, 16
"""Parameters; and releases that read parameters on ranges, each of which is judged on the range."""
MOST_FORMULAS = 50
"""Named ones, of [let]."""

MOST_IN_TITLE, MOST_IN_NOTE = 160, 4000
MOST_IN_FORMULA = 1000
"""Characters."""

MOST_BRACKETS = 30
MOST_DIGITS = 40
MOST_POWER = 16
"""Of powers of powers, multiplied up."""

MOST_PARTS, MOST_TERMS, MOST_DEEP = 400, 200, 40
"""Of one formula with all that it names put in: its parts, its terms when multiplied out, and how
deep functions and operations stand in each other."""

MOST_BITS = 4000
MOST_NUMBER = Fraction(10) ** 400
"""No number of a file is larger, or, but for zero, smaller than its inverse."""
