"""Exact expressions, parameters with domains, and a safe parser for formulas in text."""

from .domain import Domain
from .expression import Call, Expression, Number, Power, Product, Sum, Symbol, add, call, exact, multiply, power, rational
from .parameters import DELTA, EPSILON, MU, RHO, analytic_sigma, constant, exp, log, maximum, minimum, parameter, sqrt
from .parse import parse
from .serial import from_json, to_json

__all__ = [
    "DELTA",
    "EPSILON",
    "MU",
    "RHO",
    "Call",
    "Domain",
    "Expression",
    "Number",
    "Power",
    "Product",
    "Sum",
    "Symbol",
    "add",
    "analytic_sigma",
    "call",
    "constant",
    "exact",
    "exp",
    "from_json",
    "log",
    "maximum",
    "minimum",
    "multiply",
    "parameter",
    "parse",
    "power",
    "rational",
    "sqrt",
    "to_json",
]
