"""What several executions cost where records have budgets of their own."""

import numpy as np
import pytest

from dpframe.execution.receipts import Spending, costs, together
from dpframe.privacy import REPLACE_ONE, GaussianDP, PersonalizedDP, PureDP, Unit, each

UNIT = Unit(REPLACE_ONE)


def spent(*guarantees):
    """One execution each."""
    return [Spending(guarantee, UNIT) for guarantee in guarantees]


@pytest.mark.parametrize(
    "guarantees",
    [
        (PersonalizedDP(each("epsilon")), PersonalizedDP(each("epsilon"))),
        (PersonalizedDP(np.array([0.1, 1.0])), PersonalizedDP(np.array([0.1, 1.0]))),
        (PersonalizedDP({"a": 1}), PersonalizedDP({"b": 1})),
        (PersonalizedDP({"a": "0.1", "b": 1}), PersonalizedDP({"a": 1, "b": "0.1"})),
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
