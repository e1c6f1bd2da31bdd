"""What execution refuses before a draw, and what it breaks off for."""

from typing import Any, ClassVar

import attrs
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dpframe as dp
from dpframe.errors import BadData, NotExecutable, SourceFailed
from dpframe.execution import execution as room
from dpframe.execution.execution import BYTES, check_room, entries
from dpframe.execution.one_pass import FixedSample
from dpframe.graph import Procedure
from dpframe.graph.maps.base import MappedRows
from dpframe.graph.maps.residuals import Gradient
from dpframe.graph.partition import CellRows, cell_under
from dpframe.prover import report
from dpframe.prover.problem import Attempt
from dpframe.randomness import Randomness
from dpframe.sources.table import Block
from tests.support.samples import setting

# -------------------------------------------------------------- What cannot be run; maps of records
SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
TARGET = dp.ApproxDP(1, "1e-6")


@attrs.frozen(cache_hash=True)
class Silent(MappedRows):
    """Rows of norm 1 that do not say how they are made."""

    kind: ClassVar[str] = "silent"
    source: Any
    norm: Any = attrs.field(default=dp.constant(1), init=False)
    label = "silent rows"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}


@attrs.frozen(eq=False)
class Wordless(Procedure):
    """A procedure that does not say how it draws."""

    kind: ClassVar[str] = "wordless"
    statistic: Any
    share: Any
    name: str = "wordless"
    summary = "nothing"
    inputs = property(lambda self: (self.statistic,))
    own_readings = property(lambda self: {})


class SilentSum(dp.Regression):
    """X'X of rows that nobody can make."""

    def declare(self, X, y, budget):
        """One release."""
        return dp.release(Silent(X).T @ Silent(X), dp.Gaussian.analytic, budget)


class WordlessRelease(dp.Regression):
    """A procedure that nobody can draw from."""

    def declare(self, X, y, budget):
        """One release."""
        return Wordless(X.T @ X, budget)


@pytest.mark.parametrize(
    ("declared", "trusted", "said"),
    [(SilentSum, Silent, "silent rows does not say"), (WordlessRelease, Wordless, "Sampler")],
)
def test_what_does_not_say_how_it_runs_is_refused_before_a_draw(declared, trusted, said):
    """By name, with the way out; the generator stays where it was."""
    run = dp.certify(declared(), target=TARGET, setting=SETTING, trust=[trusted])
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    with pytest.raises(NotExecutable, match=said):
        dp.execute(run, np.ones((5, 2)) / 2, np.zeros(5), rng=rng)
    assert rng.bit_generator.state == before


def test_a_cell_is_found_under_a_map_of_records():
    """Gradients of a cell's rows, clipped, are of that cell; the whole table has none."""
    X, y = SETTING.nodes()
    rows = CellRows(dp.partition(X, y, cells=3), 1)
    point = dp.iterate(X.columns)
    assert cell_under(Gradient(rows, y, point, dp.graph.Squared()).clip(norm=1)) == rows
    assert cell_under(Gradient(X, y, point, dp.graph.Squared()).clip(norm=1)) is None


# -------------------------------------------------------------------- What does not fit into memory
def statistics(setting=SETTING):
    """Those of noisy sums."""
    return dp.certify(dp.SSP(), target=dp.ApproxDP(1, "1e-6"), setting=setting).graph.statistics


def test_entries_are_those_of_the_released_shapes():
    """X'X and X'y of seven columns."""
    assert sum(entries(one, {"d": 7}) for one in statistics()) == 7 * 7 + 7


def test_levels_count_as_columns():
    """Whatever the table's own number of columns is."""
    columns = [dp.Categorical("town", [f"town {j}" for j in range(30)]), dp.Numeric("u", 0, 1)]
    rows = dp.Rows(columns=columns)
    coded = statistics(dp.Setting(X=rows, y=dp.Column(bound=1), relation=dp.ADD_REMOVE))
    width = sum(part.width for part in rows.columns)
    assert max(entries(one, {"d": 2}) for one in coded) == width**2


@pytest.mark.parametrize(("spare", "refused"), [(0, False), (-1, True)])
def test_the_limit_is_what_was_given(spare, refused):
    """One byte decides."""
    most = (7 * 7 + 7) * BYTES + spare
    if not refused:
        check_room(statistics(), {"d": 7}, most)
        return
    with pytest.raises(BadData, match="fit into"):
        check_room(statistics(), {"d": 7}, most)


def test_nothing_is_read_or_charged_before(monkeypatch, tmp_path):
    """The ledger keeps its whole budget."""
    monkeypatch.setattr(room, "memory", lambda: 1000)
    ledger = dp.Ledger(tmp_path / "ledger")
    ledger.create("survey", dp.ApproxDP(5, "1e-5"))
    run = dp.certify(dp.SSP(), target=dp.ApproxDP(1, "1e-6"), setting=SETTING)

    def blocks():
        yield np.zeros((1, 7)), np.zeros(1)
        raise AssertionError("a second block was asked for")

    with pytest.raises(BadData, match="fit into"):
        dp.execute(run, blocks(), ledger=ledger, dataset="survey")
    assert ledger.charges("survey") == ()


# --------------------------------------- Passes that do not read the same records in the same order
N = 400
GROUPS = {"careful": "0.01", "open": 1}
NAMED = dp.Setting(X=dp.Rows(norm=1), y=dp.Column("y", bound=1), relation=dp.ADD_REMOVE)


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
    return dp.certify(TwoLooks(), target=dp.PersonalizedDP(GROUPS), setting=NAMED)


@pytest.fixture(scope="module")
def whole():
    """All records, read twice."""
    return dp.certify(TwoLooks(), target=dp.ApproxDP(1, "1e-6"), setting=NAMED)


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


def test_a_sample_never_gives_a_record_the_coin_of_another():
    """Coins stay with the records they were drawn for: other blocks are refused, not thinned."""
    rows, budgets = np.arange(40.0)[:, None], np.full(40, 0.5)
    kept = FixedSample(np.array([0.5]), np.array([0.5]), Randomness.of(0).bits)
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
    receipts = [dp.execute(whole, X, rng=0).receipt for X in (frame, tmp_path / "x.csv")]
    says = ("the table in memory", "the files while")
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
    run = dp.certify(Counted(), target=dp.ApproxDP(1, "1e-6"), setting=NAMED)
    table = pa.table(columns()).drop_columns("g")
    for X in (table.to_reader(), pl.from_arrow(table).lazy(), iter([table])):
        assert np.isfinite(dp.execute(run, X, rng=0).output)


# ---------------------------------------------- Certificates whose proof the kernel does not replay
X, Y = np.eye(3), np.ones(3)


def keep(*values):
    """All of them."""
    return values


class Twice(dp.Regression):
    """Two releases, each with all of the budget. [here]"""

    def declare(self, X, y, budget):
        """Twice what there is."""
        noise = dp.Gaussian.kamath_ullman
        return dp.post(keep, dp.release(X.T @ X, noise, budget), dp.release(X.T @ y, noise, budget))


class Short(dp.Regression):
    """Noise of a tenth of what the theorem asks for. [here]"""

    def declare(self, X, y, budget):
        """Too little noise."""
        noise = dp.Gaussian(std=dp.sqrt(2 * dp.log(2 / budget.delta)) / budget.epsilon / 10)
        return dp.post(keep, dp.release(X.T @ X, noise, budget))


def simulated(certificate):
    """The receipt of a simulation on three records."""
    return dp.execute(certificate, X, Y, rng=1, rehearse=False).receipt


@pytest.mark.parametrize("kind", [Twice, Short])
@pytest.mark.parametrize("accountant", ["basic", "gaussian"])
def test_what_only_the_prover_believes_is_not_executed(monkeypatch, kind, accountant):
    """A prover that proves everything: the kernel refuses the budget, or the noise."""
    run = {"target": TARGET, "setting": setting(dp.ADD_REMOVE, norm=1, bound=1)}
    with pytest.raises(dp.Uncertified):
        dp.certify(kind(), accountant=accountant, **run)
    monkeypatch.setattr(report, "_all_proved", lambda _: True)
    monkeypatch.setattr(Attempt, "proved", True)
    wrong = dp.certify(kind(), accountant=accountant, **run)
    with pytest.raises(dp.NotExecutable, match="the kernel does not replay this proof"):
        simulated(wrong)


@pytest.mark.parametrize(
    ("kind", "accountant", "named"),
    [
        (dp.SSP, "auto", ""),
        (dp.literature.AdaSSPPiazza, "zcdp", ""),
        (dp.literature.AdaSSPPiazza, "numeric", ""),
        (dp.regressions.FunctionalLinear, "numeric", "the total of numeric"),
        (dp.regressions.FunctionalLinear, "optimal", "the total of optimal"),
    ],
)
def test_what_the_kernel_does_not_replay_is_on_the_receipt(kind, accountant, named):
    """A total that the kernel cannot add is assumed, by the accountant's name; others are not."""
    bounds = setting(dp.ADD_REMOVE, norm=1, bound=1)
    receipt = simulated(dp.certify(kind(), target=TARGET, setting=bounds, accountant=accountant))
    by_name = [one for one in receipt.assumptions if "the kernel" in one]
    assert [one.partition(":")[0] for one in by_name] == [named][: len(named)]
    assert named in str(receipt)
