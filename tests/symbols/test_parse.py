"""The parser reads arithmetic and nothing else, fast."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import dpframe as dp
from dpframe.symbols import Domain
from tests.support.oracles import value

NAMES = {name: dp.parameter(name, 0) for name in ("epsilon", "delta", "x")}
HOSTILE = {
    "huge power": "2**99999999",
    "tower": "9**9**9**9",
    "tower of small powers": "**".join(["9"] * 400),
    "power of a power": "((2**64)**64)**64",
    "power of powers of a power": "(" * 5 + "2" + "**64)" * 5,
    "huge product of powers": "*".join(["(2**64)**64"] * 300),
    "long number": "9" * 3000,
    "huge exponent": "1e999999999",
    "large exponent": "1e999",
    "deep brackets": "(" * 2000 + "x" + ")" * 2000,
    "deep calls": "sqrt(" * 600 + "x" + ")" * 600,
    "deep signs": "-" * 3900 + "x)",
    "too long": "x+" * 5000 + "x",
    "attribute": "x.__class__",
    "attribute of a number": "(1).__class__.__bases__",
    "item": "x[0]",
    "call of a name": "x(1)",
    "code": "__import__('os').system('true')",
    "eval": "eval(1)",
    "lambda": "lambda: 1",
    "comprehension": "[x for x in x]",
    "string": "'x'",
    "f-string": "f'{x}'",
    "assignment": "x = 1",
    "walrus": "(x := 1)",
    "comparison": "x < 1",
    "boolean": "x and 1",
    "semicolon": "1; 2",
    "newline": "x\n.y",
    "comment": "x # y",
    "backslash": "x \\",
    "null": "x\0",
    "unicode digits": "١ + x",
    "unicode name": "ε + 1",
    "unicode homoglyph": "еpsilon",
    "full-width": "１",
    "superscript": "x²",
    "minus sign": "1 − x",
    "imaginary": "1j",
    "hex": "0x10",
    "underscored": "1_000",
    "unknown name": "gamma",
    "empty": "",
    "blank": "   ",
    "dangling": "1 +",
    "unbalanced": "(1",
    "too many arguments": "sqrt(1, 2)",
    "no argument": "sqrt()",
    "symbolic power": "2**x",
    "division by zero": "1/0",
    "division by a hidden zero": "1/(x - x)",
    "log of zero": "log(0)",
    "root of a negative number": "sqrt(-1)",
    "zero to a negative power": "0**-1",
    "two names": "x x",
    "implicit product": "2x",
}


@pytest.mark.parametrize("part", range(5))
def test_hostile_text_is_refused(part):
    """UnsafeFormula, and no hang, whatever the text."""
    for name in [*HOSTILE][part::5]:
        with pytest.raises(dp.errors.UnsafeFormula):
            dp.graph.parse(HOSTILE[name], NAMES)


@pytest.mark.parametrize("wrong", [None, 1, b"x", ["x"], True])
def test_what_is_no_text_is_refused(wrong):
    """parse takes text."""
    with pytest.raises(dp.InvalidArgument, match="formula"):
        dp.graph.parse(wrong, NAMES)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1 + 2*3", 7),
        ("-2^2", -4),
        ("(-2)^2", 4),
        ("2^3^2", 512),
        ("2**-1", 0.5),
        ("8/4/2", 1),
        ("8/(4/2)", 4),
        ("1 - 2 - 3", -4),
        ("--1", 1),
        ("1e-2 + .5 + 2.", 2.51),
        ("min(3, 1, 2) + max(3, x)", 4),
        ("sqrt(16) + 4^(1/2)", 6),
        ("log(exp(x))", 2),
        ("x/2*2", 2),
        ("2*x^2", 8),
    ],
)
def test_precedence_is_that_of_mathematics(text, number):
    """As Python would evaluate it, ^ being **."""
    assert abs(value(dp.graph.parse(text, NAMES), {"x": 2}) - number) < 1e-12


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("sqrt(log(6/delta)) / (epsilon/3)", 11.8518),  # as printed by [Wang18]
        ("analytic_sigma(epsilon, delta)", 4.22468),
    ],
)
def test_published_stds_are_read(text, number):
    """At epsilon = 1, delta = 1e-6."""
    std = value(dp.graph.parse(text, NAMES), {"epsilon": 1, "delta": 1e-6})
    assert abs(float(std) / number - 1) < 1e-5


# ------------------------------------------------------------------------------------------ Domains
numbers = some.fractions(min_value=-4, max_value=4, max_denominator=6)
quick = settings(max_examples=80, deadline=None, derandomize=True)


@quick
@given(some.tuples(numbers, numbers), some.tuples(*[some.booleans()] * 2), some.booleans(), numbers)
def test_membership_is_the_definition(ends, closed, integer, x):
    """x is inside where every part of the definition holds; an empty range cannot be declared."""
    (low, high), (left, right) = ends, closed

    def inside(v):
        above = v > low or (left and v == low)
        below = v < high or (right and v == high)
        return above and below and (not integer or v.denominator == 1)

    try:
        domain = Domain(low, high, left, right, integer)
    except dp.InvalidArgument:
        candidates = [Fraction(k, 60) for k in range(-250, 251)] if not integer else range(-4, 5)
        assert not any(inside(Fraction(v)) for v in candidates)
        return
    assert (x in domain) is inside(x)
    assert domain.example() in domain


@quick
@given(numbers, numbers)
def test_positive_and_nonnegative_mean_what_they_say(low, x):
    """Where a domain calls itself positive, no point of it is 0 or less."""
    for closed in (False, True):
        domain = Domain(low, None, closed)
        if x in domain:
            assert x > 0 or not domain.positive
            assert x >= 0 or not domain.nonnegative


@pytest.mark.parametrize(
    "make",
    [
        lambda: dp.parameter("x", 1, 1),
        lambda: dp.parameter("x", 2, 1),
        lambda: dp.parameter("x", 0, 1, integer=True),
        lambda: dp.parameter("sqrt", 0, 1),
        lambda: dp.parameter("log", 0, 1),
        lambda: dp.parameter("", 0, 1),
        lambda: dp.parameter("a b", 0, 1),
        lambda: dp.parameter("x" * 50, 0, 1),
        lambda: dp.parameter("é", 0, 1),
        lambda: dp.parameter(3, 0, 1),
        lambda: dp.parameter("x", True, 2),
        lambda: dp.parameter("x", 0, float("nan")),
        lambda: dp.parameter("x", 0, 1, closed="yes"),
    ],
)
def test_empty_ranges_and_bad_names_are_refused(make):
    """A parameter needs a Python name, free of functions' names, and a range with a point."""
    with pytest.raises(dp.InvalidArgument):
        make()


@pytest.mark.parametrize("closed", ["neither", "left", "right", "both"])
def test_each_end_is_open_or_closed(closed):
    """0 and 1 belong to [0, 1], neither to (0, 1)."""
    domain = dp.parameter("x", 0, 1, closed=closed).domain
    assert (Fraction(0) in domain) is (closed in ("left", "both"))
    assert (Fraction(1) in domain) is (closed in ("right", "both"))
    assert Fraction(1, 2) in domain
