"""Formulas as MathML, read back and computed; and sentences, whose signs a page changes."""

import re
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpframe.audits.figures import clipped, figure
from dpframe.audits.html.mathematics import LONG, formula
from dpframe.audits.html.words import signs, words
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
from dpframe.wording import Cited, Code, Formula, Subject, say
from tests.support.html_pages import read

# ------------------- Formulas as MathML: read back and computed, they have the value of the formula
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


# -------------------------------------------------------------------- Sentences as a page sets them
LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def set_out(text, **given_):
    """As HTML, without blanks that do not break."""
    found = str(words(text, **given_))
    return found.replace("\u202f", "").replace("\xa0", " ").replace("&#39;", "'")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$delta$ = $1e-6$", "δ = 10⁻⁶"),
        ("exact $delta$ $5.18e-4$ at $epsilon$ 1.", "exact δ 5.18×10⁻⁴ at ε 1."),
        ("$mu^2 = 2/log(4e6)$", "μ² = 2/log(4×10⁶)"),
        ("$gamma*epsilon <= 4*log(2)$", "γ·ε ≤ 4·log(2)"),
        ("$X'X$ and $x'theta$, the person's", "XᵀX and xᵀθ, the person's"),
        ("$|xx' - zz'|_F^2 <= 2 B^4$", "|xxᵀ − zzᵀ|_F² ≤ 2 B⁴"),
        ("$X -> X'X -> std$", "X → XᵀX → std"),
        ("the largest column's norm in $the largest column's norm$", None),
        ("the name 'epsilon'", "the name 'epsilon'"),
        ("$epsilon in (0, inf)$", "ε in (0, ∞)"),
        ("information", "information"),
        ("$total_epsilon, epsilon_i, mu_bar$", "total_epsilon, epsilon_i, mu_bar"),
        ("$(1, 1e-6)$-differential privacy", "(1, 10⁻⁶)-differential privacy"),
        ("$n - 1$ times $-1$", "n − 1 times −1"),
        ("$1-Lipschitz$", "1-Lipschitz"),
        ("clip to $[-1, 1]$", "clip to [−1, 1]"),
        ("$lambda_min(X'X)$", "λ<sub>min</sub>(XᵀX)"),
        ("$2^(1/2)$ and $2^10/3$", "2^(1/2) and 2^10/3"),
    ],
)
def test_signs(text, expected):
    """Letters, powers, relations in formulas; not inside of names, and not in words."""
    whole = "the largest column's norm in the largest column's norm"
    assert set_out(say(text)) == (expected or whole)


def test_words_stay_as_they_are_written():
    """What a person wrote is not read for formulas, code or citations."""
    text = "delta = 1e-6 <= `x` of dp.release(X'X) [BalleW18, Thm 8]"
    assert set_out(text, known={"BalleW18"}) == text.replace("<", "&lt;")


def test_code_stays_as_it_is_written():
    """In backticks; with them in plain text only where the template doubles them."""
    text = say("say ``epsilon^2 <= 1e-6`` or `dp.regressions.Jointly(of=...)`")
    assert text == "say `epsilon^2 <= 1e-6` or dp.regressions.Jointly(of=...)"
    assert set_out(text).replace(' class="whole"', "") == (
        "say <code>epsilon^2 &lt;= 1e-6</code> or <code>dp.regressions.Jointly(of=...)</code>"
    )


def test_the_subject_stays_as_it_is_written():
    """A declaration's own name and arguments."""
    assert set_out(say("I certify {}, $epsilon$", Subject("AdaSSP(rho=1/20)"))) == (
        'I certify <span class="subject">AdaSSP(rho=1/20)</span>, ε'
    )


def test_citations_lead_to_known_sources_only():
    """Others are text."""
    text = say("{} {}", Cited("[BalleW18, Thm 8]"), Cited("[Nobody99, Thm 1]"))
    assert (
        set_out(text, known={"BalleW18"})
        == '<a href="#source-BalleW18" class="cite">[BalleW18, Thm 8]</a> [Nobody99, Thm 1]'
    )


def test_what_is_long_loses_its_middle_and_keeps_its_parts():
    """The ends of a sentence are set as before."""
    text = say("{} {} {}", Formula("delta"), "word " * 1000, Cited("[BalleW18, Thm 8]"))
    cut = clipped(text, 60)
    assert len(cut) == 60
    assert set_out(cut, known={"BalleW18"}).startswith("δ word")
    assert set_out(cut, known={"BalleW18"}).endswith("[BalleW18, Thm 8]</a>")


@given(st.floats(1e-300, 1e300, allow_nan=False))
def test_numbers_keep_their_value(number):
    """What figure writes can be read back from the page."""
    text = figure(number)
    found = signs(text)
    typed = re.sub(
        r"(?:([\d.]+)\u202f×\u202f)?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)",
        lambda one: f"{one[1] or 1}e{one[2].translate(LOWERED)}",
        found,
    )
    assert Fraction(typed) == Fraction(text)


@given(st.text(max_size=60))
def test_any_text_is_set(text):
    """Without an error, and without a tag of its own."""
    for part in (text, Formula(text), Code(text), Subject(text), Cited(text)):
        found = str(words(say("{}", part), {"A1"}))
        names = set(re.findall(r"</?([a-z0-9]+)", found))
        assert names <= {"code", "a", "sub", "span"}
