"""How much a description may hold."""

from fractions import Fraction

BYTES, IN_LINE = 100 * 1024, 20_000
NESTED, DOTS = 6, 6
"""Of tables and lists, and of one dotted key: longer ones are nested tables by another name."""
RELEASES, PARAMETERS, FORMULAS = 200, 8, 50
RANGING = 16
"""Of releases that read parameters on ranges: each is decided on all of its range."""
IN_TITLE, IN_NOTE, IN_FORMULA = 160, 4000, 1000
"""Characters."""
BRACKETS, POWER = 30, 16
"""Of one formula: nested brackets, and powers of powers, multiplied up."""
PARTS, TERMS, DEEP = 400, 200, 40
"""Of one formula with all that it names inserted: its parts, its terms when multiplied out, and how
deep functions and operations are nested.
"""
DIGITS, BITS, NUMBER = 40, 4000, Fraction(10) ** 400
"""No number of a file is larger, or, but for zero, smaller than its inverse."""
