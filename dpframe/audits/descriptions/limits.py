"""How much a description may hold. Every limit is far above what a paper needs, and together they
keep the audit of any description that is read within its time.
"""

from __future__ import annotations

from fractions import Fraction

MOST_BYTES, MOST_IN_LINE = 100 * 1024, 20_000
MOST_NESTED, MOST_DOTS = 6, 6
"""Of tables and lists, and of one dotted key: longer ones are nested tables by another name."""
MOST_RELEASES, MOST_PARAMETERS, MOST_FORMULAS = 200, 8, 50
MOST_RANGING = 16
"""Of releases that read parameters on ranges: each is decided on all of its range."""
MOST_IN_TITLE, MOST_IN_NOTE, MOST_IN_FORMULA = 160, 4000, 1000
"""Characters."""
MOST_BRACKETS, MOST_POWER = 30, 16
"""Of one formula: nested brackets, and powers of powers, multiplied up."""
MOST_PARTS, MOST_TERMS, MOST_DEEP = 400, 200, 40
"""Of one formula with all that it names inserted: its parts, its terms when multiplied out, and how
deep functions and operations are nested.
"""
MOST_DIGITS, MOST_BITS, MOST_NUMBER = 40, 4000, Fraction(10) ** 400
"""No number of a file is larger, or, but for zero, smaller than its inverse."""
