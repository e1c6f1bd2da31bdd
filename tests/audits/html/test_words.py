"""Sentences and formulas of a page, whose signs it changes."""

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpframe.audits.figures import clipped, figure
from dpframe.audits.html.words import FORMULA, formula, signs, words
from dpframe.symbols import Number, parameter
from dpframe.wording import Cited, Code, Formula, Subject, say


def test_a_long_formula_is_cut():
    """Its middle left out."""
    long = sum((parameter(f"a{i}") * i for i in range(1, 80)), start=Number(1))
    for made in (formula(long), formula(long, "std")):
        assert made.startswith('<code class="formula">')
        assert "..." in made
        assert len(made) < FORMULA + 60


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
