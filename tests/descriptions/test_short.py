"""The short form is a description: one builder, one declaration."""

import pytest

import dpframe as dp
from dpframe.audits import audit_formulas
from dpframe.audits.descriptions import Described, plain_releases, read_formula, read_parameter
from tests.descriptions.hostile.cases import HEAD

SHORT = ["gram: 6/epsilon @ epsilon/2, delta/2", "moment: 2*g/epsilon"]
LONG = (
    HEAD.replace('title = "t"', 'title = "t"')
    + """[parameters]
g = "in (0, 1)"
[[release]]
name = "gram"
statistic = "X'X"
mechanism = "gaussian"
std = "6/epsilon"
share = "epsilon/2, delta/2"
[[release]]
name = "moment"
statistic = "X'y"
mechanism = "gaussian"
std = "2*g/epsilon"
"""
)


def test_both_forms_make_one_graph():
    """Node by node."""
    long = dp.audits.parse_description(LONG)
    short = plain_releases(SHORT, "g:0:1")
    budget = long.target.budget
    assert short.graph(long.setting, budget) == long.regression.graph(long.setting, budget)
    assert isinstance(short, Described)
    assert isinstance(short, dp.Regression)


def test_the_short_form_is_printed_by_what_it_releases():
    """It has no title."""
    assert str(plain_releases(SHORT, "g:0:1")) == (
        "the release of gram, moment with the stated noise"
    )
    assert str(dp.audits.parse_description(LONG).regression) == '"t"'


def test_a_statistic_asked_twice_is_two_releases():
    """Each with a name of its own."""
    target = dp.ApproxDP(1, "1e-6")
    setting = dp.audits.parse_description(LONG).setting
    done = audit_formulas(["gram: 20", "gram: 20"], target=target, setting=setting)
    assert [line.name for line in done.lines] == ["gram", "gram_2"]


@pytest.mark.parametrize("text", ["", "title", 3, None, "[[release]]", "a = 1"])
def test_a_declaration_holds_a_description(text):
    """Text that is none is refused when it is made, also in a file of a certificate."""
    with pytest.raises(dp.InvalidArgument):
        Described(text)


def test_what_others_used_is_still_there():
    """Formulas and parameters alone."""
    assert read_formula("2*x", {"x": dp.EPSILON}) == 2 * dp.EPSILON
    assert read_parameter("g:0:1") == ("g", dp.parameter("g", 0, 1))
    assert read_parameter("g=1/3") == ("g", dp.constant("1/3"))
