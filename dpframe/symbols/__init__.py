"""Exact expressions, parameters with domains, and a safe parser for formulas in text."""

from .arithmetic import add, call, multiply, power, split_coefficient
from .domain import Domain
from .exactness import exact, rational
from .expression import Call, Expression, Number, Power, Product, Sum, Symbol
from .parameters import (
    DELTA,
    EPSILON,
    MU,
    RHO,
    analytic_sigma,
    constant,
    exp,
    log,
    maximum,
    minimum,
    parameter,
    sqrt,
)
from .parse import parse
from .scope import DATA, PUBLIC, RECORD, RELEASED, Origin, Scope
from .serial import from_json, to_json
from .text import plain

__all__ = [
    "DATA",
    "DELTA",
    "EPSILON",
    "MU",
    "PUBLIC",
    "RECORD",
    "RELEASED",
    "RHO",
    "Call",
    "Domain",
    "Expression",
    "Number",
    "Origin",
    "Power",
    "Product",
    "Scope",
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
    "plain",
    "power",
    "rational",
    "split_coefficient",
    "sqrt",
    "to_json",
]
