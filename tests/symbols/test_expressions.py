"""Expressions: arithmetic, text, JSON and substitution agree with exact evaluation."""

from fractions import Fraction
from operator import add, mul, sub, truediv

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import dpframe as dp
from dpframe.symbols import Number, Symbol, call, from_json, power, to_json
from tests.support.oracles import exactly, value

NAMES = {name: dp.parameter(name, 0) for name in ("a", "b", "c")}
small = some.fractions(min_value=-5, max_value=5, max_denominator=12)
points = some.fixed_dictionaries(
    {name: some.fractions(Fraction(1, 9), 7, max_denominator=9) for name in NAMES}
)
leaves = some.one_of(small.map(Number), some.sampled_from(list(NAMES.values())))


def grown(children):
    """Sums, products, powers, extrema of smaller formulas."""
    pairs = some.tuples(children, children)
    return some.one_of(
        *(pairs.map(lambda p, f=f: f(*p)) for f in (add, sub, mul, dp.maximum, dp.minimum)),
        some.tuples(children, some.integers(0, 3)).map(lambda p: p[0] ** p[1]),
        children.map(lambda e: -e),
    )


rational = some.recursive(leaves, grown, max_leaves=8)
positive = some.recursive(
    some.one_of(
        some.fractions("1/9", 9, max_denominator=9).map(Number),
        leaves.filter(lambda e: isinstance(e, Symbol)),
    ),
    lambda children: some.one_of(
        *(some.tuples(children, children).map(lambda p, f=f: f(*p)) for f in (add, mul, truediv)),
        some.tuples(children, some.sampled_from(["1/2", "-1/2", 2, -3, "2/3"])).map(
            lambda p: p[0] ** p[1]
        ),
        children.map(dp.sqrt),
        children.map(lambda e: dp.log(1 + e)),
        children.map(lambda e: dp.exp(-e)),
    ),
    max_leaves=6,
)
quick = settings(max_examples=60, deadline=None, derandomize=True)


def close(one, other, digits=30):
    """Equal to many digits at 50."""
    with mpmath.workdps(50):
        return abs(one - other) <= mpmath.mpf(10) ** -digits * max(1, abs(one), abs(other))


@quick
@given(rational, rational, points)
def test_arithmetic_is_that_of_fractions(one, other, at):
    """+, -, *, powers, max and min of formulas evaluate to those of their values."""
    a, b = exactly(one, at), exactly(other, at)
    for function in (add, sub, mul):
        assert exactly(function(one, other), at) == function(a, b)
    assert exactly(dp.maximum(one, other), at) == max(a, b)
    assert exactly(dp.minimum(one, other), at) == min(a, b)
    assert exactly(one**2, at) == a**2
    assert exactly(2 - one, at) == 2 - a
    assert exactly(3 * one, at) == 3 * a


@quick
@given(rational, rational, points)
def test_division_is_that_of_fractions(one, other, at):
    """A quotient evaluates to the quotient, or is refused where the divisor is the number 0."""
    try:
        quotient = one / other
    except dp.InvalidArgument:
        assert other == Number(Fraction(0))
        return
    if exactly(other, at) != 0:
        assert exactly(quotient, at) == exactly(one, at) / exactly(other, at)


@quick
@given(positive, positive, points)
def test_roots_logs_and_powers_are_those_of_mpmath(one, other, at):
    """Formulas over positive parts evaluate to what mpmath makes of their parts."""
    a, b = value(one, at), value(other, at)
    with mpmath.workdps(50):
        pairs = [
            (one * other, a * b),
            (one / other, a / b),
            (one + other, a + b),
            (dp.sqrt(one), mpmath.sqrt(a)),
            (dp.sqrt(one * other) * dp.sqrt(one), mpmath.sqrt(a * b) * mpmath.sqrt(a)),
            (power(one, "3/2"), a ** mpmath.mpf("1.5")),
            (dp.log(one + 1), mpmath.log(a + 1)),
            (dp.sqrt(one**2), a),
        ]
    assert all(close(value(formula, at), number) for formula, number in pairs)


@quick
@given(rational, positive, points)
def test_text_reads_back_to_the_same_value(formula, other, at):
    """parse(str(e)) has the value of e: exactly for rational formulas, and with roots, logs and
    exponentials.
    """
    assert exactly(dp.graph.parse(str(formula), NAMES), at) == exactly(formula, at)
    assert close(value(dp.graph.parse(str(other), NAMES), at), value(other, at))


@quick
@given(some.one_of(rational, positive))
def test_json_comes_back_equal(formula):
    """from_json(to_json(e)) is e."""
    assert from_json(to_json(formula), NAMES) == formula


@quick
@given(rational, rational, points)
def test_substitution_is_evaluation(formula, inner, at):
    """A formula in place of a evaluates to the formula at the value of a; a number in place of each
    symbol leaves a number.
    """
    replaced = formula.substitute({"a": inner})
    assert exactly(replaced, at) == exactly(formula, {**at, "a": exactly(inner, at)})
    done = formula.substitute({name: Number(v) for name, v in at.items()})
    assert isinstance(done, Number)
    assert done.value == exactly(formula, at)


@quick
@given(rational, rational)
def test_equal_trees_have_equal_hashes(one, other):
    """Hash follows equality, and rebuilding from text's JSON keeps both."""
    again = from_json(to_json(one), NAMES)
    assert hash(again) == hash(one)
    assert (one == other) is (other == one)


@quick
@given(some.lists(rational, min_size=2, max_size=4), points)
def test_like_terms_are_collected(parts, at):
    """x - x is the number 0; x + x is 2 x; x/x of a symbol is 1."""
    total = sum(parts, Number(Fraction(0)))
    assert exactly(total - total, at) == 0
    assert exactly(total + total, at) == 2 * exactly(total, at)
    for symbol in NAMES.values():
        assert symbol - symbol == Number(Fraction(0))
        assert symbol / symbol == Number(Fraction(1))


@pytest.mark.parametrize(
    ("given_as", "exact"),
    [
        (0.7, Fraction(7, 10)),
        (1e-6, Fraction(1, 10**6)),
        (1 / 3, Fraction("0.3333333333333333")),
        ("1/3", Fraction(1, 3)),
        ("1e-300", Fraction(1, 10**300)),
        (3, Fraction(3)),
        (Fraction(2, 7), Fraction(2, 7)),
    ],
)
def test_numbers_become_exact_when_they_are_given(given_as, exact):
    """A float is its shortest decimal; nothing is rounded later, so shares overspend by nothing."""
    assert dp.constant(given_as) == Number(exact)
    assert NAMES["a"] * given_as == NAMES["a"] * exact
    assert dp.constant(given_as) + (1 - dp.constant(given_as)) == Number(Fraction(1))


@pytest.mark.parametrize("wrong", [True, False, None, float("nan"), float("inf"), [], "x", "1/0"])
def test_what_is_no_number_is_refused(wrong):
    """Booleans, nan, infinities and other objects never become formulas."""
    with pytest.raises(dp.InvalidArgument):
        dp.constant(wrong)
    with pytest.raises(dp.InvalidArgument):
        NAMES["a"] + wrong


@pytest.mark.parametrize("read", [bool, float, lambda e: e and 1, lambda e: 1 if e else 0])
def test_a_symbolic_formula_has_no_truth_and_no_float(read):
    """Control flow on a formula is an error with a way out."""
    with pytest.raises(dp.errors.TouchesData):
        read(NAMES["a"])


@pytest.mark.parametrize(
    "make",
    [
        lambda: dp.log(0),
        lambda: dp.log(-1),
        lambda: dp.sqrt(-1),
        lambda: 1 / dp.constant(0),
        lambda: call("sin", 1),
        lambda: call("log", 1, 2),
        lambda: call("min"),
        *(lambda power=power: NAMES["a"] ** power for power in (65, -65, "1/100", 10**30)),
    ],
)
def test_what_is_undefined_is_refused(make):
    """Logs of 0, roots of -1, divisions by 0, unknown functions, wrong numbers of arguments, and
    exponents above 64 in size.
    """
    with pytest.raises(dp.InvalidArgument):
        make()


def test_symbols_that_stand_for_other_things_have_other_hashes():
    """Else a cache compares a declaration with every one that was proved before it."""
    origins = [type("Origin", (), {})() for _ in range(8)]
    symbols = [Symbol("clip", NAMES["a"].domain, origin) for origin in origins]
    assert len({hash(symbol) for symbol in symbols}) == len(symbols)
    assert hash(symbols[0]) == hash(Symbol("clip", NAMES["a"].domain, origins[0]))


def test_formulas_are_immutable():
    """No attribute of a formula can be set."""
    formula = NAMES["a"] + 1
    for name in ("parts", "value", "anything"):
        with pytest.raises(AttributeError):
            setattr(formula, name, 1)
