"""Every pass reads the same records in the same order, or the execution breaks off."""

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dpframe as dp
from dpframe.errors import BadData, SourceFailed
from dpframe.execution.samples import Kept
from dpframe.randomness import Randomness
from dpframe.sources.table import Block

N = 400
GROUPS = {"careful": "0.01", "open": 1}
SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column("y", bound=1), relation=dp.ADD_REMOVE)


def one(_):
    """A public bound, whatever was released."""
    return 1.0


class TwoLooks(dp.Regression):
    """Reads the table twice, a sample of it where budgets differ."""

    def declare(self, X, y, budget):
        if "epsilon" in budget.currency and len(budget.currency) == 1:
            X, y, budget = dp.graph.thinned(X, y, budget, X.largest(budget.epsilon))
        first, second = budget.split("1/2", "1/2")
        total = dp.release(X.T @ y, dp.Laplace.pure, first, name="first")
        bound = dp.known(dp.post(one, total), "1/2", 1, name="bound")
        again = X.T @ y.clip(-bound, bound)
        return total, dp.release(again, dp.Laplace.pure, second, name="second")


def columns():
    """Every record has a number of its own, so that digests tell orders apart."""
    x = np.linspace(-1, 1, N)
    return {"x": x, "y": np.sign(x), "g": np.where(np.arange(N) < N // 2, "careful", "open")}


class Shuffled:
    """A stream that gives its rows in another order each time it is read."""

    def __init__(self):
        self.random = np.random.default_rng(5)

    def __arrow_c_stream__(self, requested_schema=None):
        order = self.random.permutation(N)
        table = pa.table({name: column[order] for name, column in columns().items()})
        return table.__arrow_c_stream__(requested_schema)


@pytest.fixture(scope="module")
def sampled():
    """Each record kept by a coin of its own, and read twice."""
    return dp.certify(TwoLooks(), target=dp.PersonalizedDP(GROUPS), setting=SETTING)


@pytest.fixture(scope="module")
def whole():
    """All records, read twice."""
    return dp.certify(TwoLooks(), target=dp.ApproxDP(1, "1e-6"), setting=SETTING)


STREAMS = {  # X, and the way out
    "a stream": (Shuffled, r"pyarrow\.table\(X\)"),
    "a lazy frame": (lambda: pl.DataFrame(columns()).lazy(), r"X\.collect\(\)"),
    "an iterator": (lambda: iter([pa.table(columns())]), "an array or a file"),
}


@pytest.mark.parametrize(("make", "way_out"), STREAMS.values(), ids=STREAMS)
def test_what_may_come_in_another_order_is_refused_before_anything_is_read(
    make, way_out, sampled, whole
):
    """With the way out; the same rows in memory are read."""
    with pytest.raises(BadData, match=rf"be read several times.*{way_out}"):
        dp.execute(sampled, make(), budgets="g", rng=0)
    for run, budgets in ((sampled, "g"), (whole, None)):
        frame = pd.DataFrame(columns()).drop(columns=[] if budgets else ["g"])
        for X in (frame, pa.table(dict(frame)), pl.from_pandas(frame)):
            assert set(dp.execute(run, X, budgets=budgets, rng=0).released) == {"first", "second"}


def partitions(order):
    """Two partitions whose rows stand in an order of their own in each computation."""

    def part(number):
        table = pd.DataFrame(columns()).drop(columns="g")[number::2]
        return table.iloc[order(len(table))]

    meta = pd.DataFrame(columns()).drop(columns="g").iloc[:0]
    return dd.from_map(part, [0, 1], meta=meta)


def test_partitions_that_are_computed_again_are_compared(whole):
    """A collection of Dask is run again in each pass."""
    random = np.random.default_rng(1)
    with dask.config.set(scheduler="sync"):
        assert dp.execute(whole, partitions(np.arange), rng=0).receipt.cost
        with pytest.raises(SourceFailed, match=r"other records, or the same in another order"):
            dp.execute(whole, partitions(random.permutation), rng=0)


def test_a_sample_never_gives_a_record_the_coin_of_another():
    """Coins stay with the records they were drawn for: other blocks are refused, not thinned."""
    rows, budgets = np.arange(40.0)[:, None], np.full(40, 0.5)
    kept = Kept(np.array([0.5]), np.array([0.5]), Randomness.of(0).bits)
    blocks = [Block(part, part[:, 0], budgets[:20]) for part in (rows[:20], rows[20:])]
    first = [kept(block).rows.tolist() for block in blocks]
    again = kept.again()
    assert [again(block).rows.tolist() for block in blocks] == first
    with pytest.raises(SourceFailed, match="the same in another order"):
        kept.again()(blocks[1])
    turned = Block(rows[:20][::-1], rows[:20, 0], budgets[:20])
    with pytest.raises(SourceFailed, match="the same in another order"):
        kept.again()(turned)
    again = kept.again()
    with pytest.raises(SourceFailed, match="the same in another order"):
        [again(block) for block in (*blocks, blocks[0])]


def test_a_receipt_lists_what_is_assumed_of_its_source(whole, tmp_path):
    """Of memory, of files, of what makes records."""
    frame = pd.DataFrame(columns()).drop(columns="g")
    frame.to_csv(tmp_path / "x.csv", index=False)
    with dask.config.set(scheduler="sync"):
        receipts = [
            dp.execute(whole, X, rng=0).receipt
            for X in (frame, tmp_path / "x.csv", dd.from_pandas(frame, npartitions=2))
        ]
    says = ("the table in memory", "the files while", "each record without looking")
    for receipt, words in zip(receipts, says, strict=True):
        assert words in receipt.assumptions[-1]
        assert words in str(receipt)
        assert "each record is read by itself" in str(receipt)


class Counted(dp.Regression):
    """One look."""

    def declare(self, X, y, budget):
        return dp.release(dp.count(X), dp.Laplace.pure, budget)


def test_one_look_at_a_stream_is_enough_for_many():
    """What is read once is read."""
    run = dp.certify(Counted(), target=dp.ApproxDP(1, "1e-6"), setting=SETTING)
    table = pa.table(columns()).drop_columns("g")
    for X in (table.to_reader(), pl.from_arrow(table).lazy(), iter([table])):
        assert np.isfinite(dp.execute(run, X, rng=0).output)
