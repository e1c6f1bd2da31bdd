"""Sentences as a page sets them: signs change, numbers and code do not."""

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpframe.audits.figures import figure
from dpframe.audits.html.words import plain_words, words

LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def shown(text, **given_):
    """As HTML, without blanks that do not break."""
    found = str(words(text, **given_))
    return found.replace("\u202f", "").replace("\xa0", " ").replace("&#39;", "'")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("delta = 1e-6", "δ = 10⁻⁶"),
        ("exact delta 5.18e-4 at epsilon 1.", "exact δ 5.18×10⁻⁴ at ε 1."),
        ("mu^2 = 2/log(4e6)", "μ² = 2/log(4×10⁶)"),
        ("in mu^2.", "in μ²."),
        ("gamma*epsilon <= 4*log(2)", "γ·ε ≤ 4·log(2)"),
        ("X'X and x'theta, the person's", "XᵀX and xᵀθ, the person's"),
        ("|xx' - zz'|_F^2 <= 2 B^4", "|xxᵀ − zzᵀ|_F² ≤ 2 B⁴"),
        ("X -> X'X -> std", "X → XᵀX → std"),
        ("the name 'epsilon'", "the name 'epsilon'"),
        ("epsilon in (0, inf)", "ε in (0, ∞)"),
        ("information", "information"),
        ("total_epsilon, epsilon_i, mu_bar", "total_epsilon, epsilon_i, mu_bar"),
        ("(1, 1e-6)-differential privacy", "(1, 10⁻⁶)-differential privacy"),
        ("n - 1 times -1", "n − 1 times −1"),
        ("clip to [-1, 1]", "clip to [−1, 1]"),
        ("lambda_min(X'X)", "λ<sub>min</sub>(XᵀX)"),
        ("2^(1/2) and 2^10/3", "2^(1/2) and 2^10/3"),
        ("call dp.release(X'X, dp.Gaussian.analytic, share).", None),
    ],
)
def test_signs(text, expected):
    """Letters, powers, relations; not inside of names."""
    if expected is None:
        inside = "dp.release(X'X, dp.Gaussian.analytic, share)"
        assert shown(text) == f"call <code>{inside}</code>."
    else:
        assert shown(text) == expected


def test_code_stays_as_it_is_written():
    """In backticks and in calls."""
    assert shown("say `epsilon^2 <= 1e-6` or dp.regressions.Jointly(of=...)") == (
        "say <code>epsilon^2 &lt;= 1e-6</code> or <code>dp.regressions.Jointly(of=...)</code>"
    )


def test_the_subject_stays_as_it_is_written():
    """A declaration's own name and arguments."""
    assert shown("I certify AdaSSP(rho=1/20), epsilon", verbatim="AdaSSP(rho=1/20)") == (
        'I certify <span class="subject">AdaSSP(rho=1/20)</span>, ε'
    )


def test_citations_lead_to_known_sources_only():
    """Others are text."""
    cited = shown("[BalleW18, Thm 8] [Nobody99, Thm 1]", known={"BalleW18"})
    assert (
        cited == '<a href="#source-BalleW18" class="cite">[BalleW18, Thm 8]</a> [Nobody99, Thm 1]'
    )


@given(st.floats(1e-300, 1e300, allow_nan=False))
def test_numbers_keep_their_value(number):
    """What figure writes can be read back from the page."""
    text = figure(number)
    found = plain_words(f"it is {text} exactly").removeprefix("it is ").removesuffix(" exactly")
    typed = re.sub(
        r"(?:([\d.]+)\u202f×\u202f)?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)",
        lambda one: f"{one[1] or 1}e{one[2].translate(LOWERED)}",
        found,
    )
    assert Fraction(typed) == Fraction(text)


@given(st.text(max_size=60))
def test_any_text_is_set(text):
    """Without an error, and without a tag of its own."""
    found = str(words(text, {"A1"}, "x"))
    names = set(re.findall(r"</?([a-z0-9]+)", found))
    assert names <= {"code", "a", "sub", "span"}
