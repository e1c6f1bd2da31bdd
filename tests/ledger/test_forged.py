"""A chain with right hashes whose prices are not those of its runs."""

from __future__ import annotations

import pytest

import dpframe as dp

FORGED = {
    "a lower price": {"prices": {"pure": ["1/100"]}, "totals": {"pure": ["1/100"]}},
    "a higher price": {"prices": {"pure": ["1/2"]}, "totals": {"pure": ["1/2"]}},
    "no price": {"prices": {"pure": ["0"]}, "totals": {"pure": ["0"]}},
    "another total": {"totals": {"pure": ["1/100"]}},
    "a price of another kind": {"prices": {"zcdp": ["1/10"]}},
    "one more price": {"prices": {"pure": ["1/10"], "zcdp": ["1/200"]}},
    "something more": {"note": "hello"},
}


@pytest.fixture
def tenth(ledger, spend):
    """A run of 1/10 in the ledger."""
    spend(ledger, "survey", dp.PureDP("0.1"))


@pytest.mark.usefixtures("tenth")
@pytest.mark.parametrize("name", FORGED)
def test_prices_are_computed_again_from_the_stated_cost(ledger, name, rows_of, rewritten, write):
    """At opening, without a kept head."""
    rows = rows_of(ledger.path)

    def change(row, content):
        return content | (FORGED[name] if row.action == "charge" else {})

    write(ledger.path, rewritten(rows, lambda _, content: content))
    dp.Ledger(ledger.path)  # the control
    write(ledger.path, rewritten(rows, change))
    with pytest.raises(dp.errors.BadLedger, match="entry 4 "):
        dp.Ledger(ledger.path)


def test_prices_by_implication_are_computed_again(ledger, spend, rows_of, rewritten, write):
    """Pure epsilon as Gaussian, by the chord: half of it is refused."""
    ledger.create("other", dp.GaussianDP(1), relation=dp.ADD_REMOVE)
    spend(ledger, "other", dp.PureDP("0.1"))
    rows = rows_of(ledger.path)

    def change(row, content):
        if row.action == "charge":
            (price,) = content["prices"]["gaussian"]
            top, bottom = price.split("/")
            half = [f"{top}/{2 * int(bottom)}"]
            content |= {"prices": {"gaussian": half}, "totals": {"gaussian": half}}
        return content

    write(ledger.path, rewritten(rows, change))
    with pytest.raises(dp.errors.BadLedger):
        dp.Ledger(ledger.path)
