"""What several executions cost where records have budgets of their own."""

from fractions import Fraction

import numpy as np
import pytest

from dpframe.execution.spending import Spending, costs, together
from dpframe.guarantees import REPLACE_ONE, GaussianDP, PersonalizedDP, PureDP, Unit, each

UNIT = Unit(REPLACE_ONE)


def spent(*guarantees):
    """One execution each."""
    return [Spending(guarantee, UNIT) for guarantee in guarantees]


def amounts(guarantee, name):
    """The groups' formulas."""
    given = guarantee.given[name]
    return dict(zip(given.names, given.amounts, strict=True))


def test_epsilons_and_deltas_add_up_group_by_group():
    """Basic composition, whatever the order of the groups."""
    one = PersonalizedDP({"a": "0.1", "b": 1}, "1e-6")
    other = PersonalizedDP({"b": 2, "a": "0.3"}, {"b": "1e-6", "a": "1e-7"})
    total = together(spent(one, other))
    assert {g: v.value for g, v in amounts(total, "epsilon").items()} == {
        "a": Fraction(2, 5),
        "b": 3,
    }
    assert {g: v.value for g, v in amounts(total, "delta").items()} == {
        "a": Fraction(11, 10**7),
        "b": Fraction(2, 10**6),
    }


def test_rhos_and_squares_of_mus_add_up():
    """zCDP, Gaussian privacy, and one beside the other: mu^2/2 + epsilon^2/2. [BunS16]"""
    rho = PersonalizedDP(rho={"a": "0.5", "b": 1})
    assert {g: v.value for g, v in amounts(together(spent(rho, rho)), "rho").items()} == {
        "a": 1,
        "b": 2,
    }
    mu = PersonalizedDP(mu={"a": "0.5", "b": 1})
    total = amounts(together(spent(mu, mu)), "mu")
    for group, squared in {"a": Fraction(1, 2), "b": 2}.items():
        assert squared <= total[group].value ** 2 <= squared * (1 + Fraction(1, 10**11))
    pure = PersonalizedDP({"a": 1, "b": 2})
    mixed = amounts(together(spent(mu, pure)), "rho")
    assert {g: v.value for g, v in mixed.items()} == {"a": Fraction(5, 8), "b": Fraction(5, 2)}


@pytest.mark.parametrize(
    "guarantees",
    [
        (PersonalizedDP(each("epsilon")), PersonalizedDP(each("epsilon"))),
        (PersonalizedDP(np.array([0.1, 1.0])), PersonalizedDP(np.array([0.1, 1.0]))),
        (PersonalizedDP({"a": 1}), PersonalizedDP({"b": 1})),
        (PersonalizedDP({"a": 1}), PureDP(1)),
        (GaussianDP(1), PersonalizedDP(each("epsilon"))),
    ],
)
def test_where_nobody_knows_who_is_who_there_is_no_sum(guarantees):
    """Each is named, and what a record pays in words."""
    assert together(spent(*guarantees)) is None
    said = costs(spent(*guarantees))
    assert "each record pays the sum over those that it is part of" in said
    assert said.startswith(("2 times personalised", str(guarantees[0])))
