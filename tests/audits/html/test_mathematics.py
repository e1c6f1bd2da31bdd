"""Formulas as MathML: read back and computed, they have the value of the formula."""

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpframe.audits.html.mathematics import LONG, formula
from dpframe.symbols import (
    Call,
    Number,
    Power,
    Product,
    Sum,
    Symbol,
    analytic_sigma,
    exp,
    log,
    maximum,
    minimum,
    parameter,
    parse,
    sqrt,
)
from dpframe.symbols.expression import Expression
from tests.support.html_pages import read

AT = {"ε": 0.7, "δ": 0.01, "B": 1.3, "Y": 2.1, "d": 7.0, "total": 3.5, "γ": 0.4}
NAMED = {"epsilon": "ε", "delta": "δ", "gamma": "γ"}
SYMBOLS = {name: parameter(name) for name in ("epsilon", "delta", "B", "Y", "d", "total", "gamma")}
FUNCTIONS = {"log": mpmath.log, "min": min, "max": max, "σ": lambda a, b: 3 * a + b}


def value(expression: Expression) -> mpmath.mpf:
    """Of the formula itself."""
    match expression:
        case Number(number):
            return mpmath.mpf(number.numerator) / number.denominator
        case Symbol(name, _):
            return mpmath.mpf(AT[NAMED.get(name, name)])
        case Sum(parts):
            return mpmath.fsum(map(value, parts))
        case Product(parts):
            return mpmath.fprod(map(value, parts))
        case Power(base, exponent):
            return value(base) ** (mpmath.mpf(exponent.numerator) / exponent.denominator)
        case Call("exp", (part,)):
            return mpmath.exp(value(part))
        case Call(name, parts):
            return FUNCTIONS[{"analytic_sigma": "σ"}.get(name, name)](*map(value, parts))
    raise AssertionError(expression)


def shown(made):
    """The MathML as a tree."""
    return read(f"<!DOCTYPE html><html>{made}</html>").one("math")


def computed(tag):
    """What a reader computes from one element."""
    below = [one for one in tag.children if not isinstance(one, str)]
    match tag.name:
        case "mn":
            return mpmath.mpf(tag.text)
        case "mi" | "mtext":
            return mpmath.e if tag.text == "e" else mpmath.mpf(AT[tag.text])
        case "mfrac":
            return computed(below[0]) / computed(below[1])
        case "msqrt":
            return mpmath.sqrt(row(below))
        case "msup":
            return computed(below[0]) ** computed(below[1])
    return row(below)


def row(items):
    """Sums of products, read from left to right; functions are followed by brackets."""
    items = [one for one in items if one.name != "mspace"]
    if items and items[0].text == "(" and items[-1].text == ")":
        return row(items[1:-1])
    total, factor, sign, place = mpmath.mpf(0), None, 1, 0
    while place < len(items):
        one = items[place]
        if one.name == "mo" and one.text in "+−":
            total += 0 if factor is None else sign * factor
            factor, sign = None, 1 if one.text == "+" else -1
        elif one.name == "mo":
            assert one.text in {"·", "×"}
        elif function(one):
            found = function(one)(*arguments(items[place + 1]))
            factor = found if factor is None else factor * found
            place += 1
        else:
            factor = computed(one) if factor is None else factor * computed(one)
        place += 1
    assert factor is not None
    return total + sign * factor


def function(tag):
    """The function of that name, or None."""
    name = tag.text.removesuffix("analytic")
    return FUNCTIONS.get(name) if tag.name in {"mi", "msub"} else None


def arguments(tag):
    """What stands between brackets, cut at commas."""
    inner = [one for one in tag.children if not isinstance(one, str)]
    assert (inner[0].text, inner[-1].text) == ("(", ")")
    (held,) = inner[1:-1]
    cut = [[]]
    for one in held.children:
        if one.name == "mo" and one.text == ",":
            cut.append([])
        else:
            cut[-1].append(one)
    return [row(part) for part in cut]


def agree(expression):
    """Whether the page says the formula, to many digits."""
    made = shown(formula(expression))
    assert made.attributes["alttext"]
    wanted = value(expression)
    with mpmath.workdps(30):
        assert abs(row(made.children) - wanted) <= mpmath.mpf("1e-12") * (1 + abs(wanted))


@pytest.mark.parametrize(
    "text",
    [
        "3*sqrt(log(6/delta))*B^2/epsilon",
        "sqrt(2*log(2/(gamma*delta)))*B^2/(gamma*epsilon)",
        "2*sqrt(2*log(4/((1 - gamma)*delta)))*B^2/((1 - gamma)*epsilon)",
        "1/2*(1 - gamma)*epsilon",
        "min(5/2*epsilon/total, 1)/epsilon",
        "3*sqrt(2*log(15/4/delta))/epsilon",
        "-1/3*epsilon + 2",
        "epsilon - 2*delta - 1/3",
        "(epsilon/2)^2",
        "(1/3)^3*epsilon^2",
        "1e-6*epsilon/7",
        "analytic_sigma(epsilon/5, delta/6)*B^2",
        "d*total*B*Y*12",
        "exp(-epsilon)*(1 + B)^(3/2)",
        "(B + Y)*(B - Y)/(d*(B + 1))",
        "log(B)^2*log(Y)",
    ],
)
def test_formulas_of_papers(text):
    """As they are written there."""
    agree(parse(text, SYMBOLS))


LEAVES = st.one_of(
    st.sampled_from(list(SYMBOLS.values())),
    st.fractions(min_value="1/50", max_value=50, max_denominator=60).map(Number),
)
BRANCHES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1] * -1 + 100),
        st.tuples(inner, inner).map(lambda pair: pair[0] * pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] / (pair[1] + 1)),
        st.tuples(inner, st.sampled_from([2, 3, -1, -2])).map(
            lambda pair: (pair[0] + 1) ** pair[1]
        ),
        inner.map(lambda part: sqrt(part + 2)),
        inner.map(lambda part: log(part + 3)),
        inner.map(lambda part: exp(part * -1 / 1000)),
        st.tuples(inner, inner).map(lambda pair: maximum(*pair)),
        st.tuples(inner, inner).map(lambda pair: minimum(*pair)),
        st.tuples(inner, inner).map(lambda pair: analytic_sigma(*pair)),
    ),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)
@given(BRANCHES)
def test_any_formula(expression):
    """Where it is short enough to be set; else its text."""
    made = formula(expression)
    if made.startswith("<code"):
        assert len(str(expression)) > LONG - 20
    elif _positive(expression):
        agree(expression)


def _positive(expression):
    """Whether no root or logarithm is taken of a negative number."""
    try:
        found = value(expression)
    except (ValueError, ZeroDivisionError):
        return False
    return mpmath.isfinite(found) and not isinstance(found, mpmath.mpc)


def test_a_long_formula_is_text():
    """Its middle left out."""
    long = sum((parameter(f"a{i}") * i for i in range(1, 80)), start=Number(1))
    for made in (formula(long), formula(long, "std")):
        assert made.startswith('<code class="formula">')
        assert "..." in made


def test_names_with_a_place_below():
    """lambda_min, epsilon_1: a letter and what stands below it."""
    text = formula(parameter("epsilon_total"))
    assert "<msub><mi>ε</mi><mtext>total</mtext></msub>" in text
    assert "<mtext>total_rows</mtext>" in formula(parameter("total_rows"))
