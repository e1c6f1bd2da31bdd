"""The runner: seeds, sharing, remembering, going on; baselines by hand."""

import json

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.experiments.catalogue import ITEMS, Method
from dpframe.experiments.data import load, prepared
from dpframe.experiments.running import Memory, Work, computed
from dpframe.experiments.tables import as_csv, counts, entries

from .standing_in import put_all, put_set, tiny

TABLE = ITEMS["wang-table-3"]
SETS = ("airfoil", "yacht")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Two sets."""
    return put_all(tmp_path_factory.mktemp("data"), *SETS, "keggundirected")


def small(*methods, item=TABLE, repeats=2, **axes):
    """Some methods, on one set where no other is named."""
    return attrs.evolve(tiny(item, repeats=repeats, **{"set": SETS[:1], **axes}), methods=methods)


def found(work, memory=None):
    """Values by method, of one metric and point each."""
    memory = computed(work, memory or Memory())
    return {one.method.name: one.ours.runs for one in entries(work, memory)}


def test_baselines_by_hand(data):
    """The errors of zero and of ridge are means over folds of equal size: over all rows."""
    got = found(Work(small("trivial", "non-private", set=("airfoil",)), data))
    ready = prepared(load(data.folder, "airfoil"))
    assert got["trivial"] == pytest.approx(np.mean(ready.y**2))
    inverse = np.linalg.inv(ready.X.T @ ready.X + np.eye(4))
    fitted = np.mean((ready.y - ready.X @ (inverse @ ready.X.T @ ready.y)) ** 2)
    assert np.all((fitted < got["non-private"]) & (got["non-private"] < fitted * 1.3))


def test_a_seed_repeats_and_a_method_left_out_moves_no_other(data):
    """Noise and splits are those of the seed, the point and the method."""
    whole = found(Work(small("OPS", "SSP", "AdaSSP"), data))
    alone = found(Work(small("OPS"), data))
    assert np.array_equal(alone["OPS"], whole["OPS"])
    other = found(Work(small("OPS"), data, seed=1))
    assert not np.any(np.isclose(other["OPS"], whole["OPS"], rtol=1e-6))
    assert len(np.unique(whole["OPS"])) == 2


def test_folds_are_shared_and_noise_is_not(data):
    """Every method, point and repeat draws noise of its own on the same rows."""
    drawn = []

    @attrs.frozen(eq=False)
    class Spy(Method):
        def fit(self, split, point, rng):
            drawn.append((split.X.tobytes(), rng.standard_normal()))
            return super().fit(split, point, rng)

    zero = dp.regressions.ZeroPredictor
    methods = (Spy("one", zero), Spy("two", zero))
    item = small(epsilon=(0.1, 1), item=ITEMS["wang-curves"], set=("airfoil",))
    item = attrs.evolve(item, run=attrs.evolve(item.run, methods=methods))
    computed(Work(item, data), Memory())
    assert len(drawn) == 2 * 2 * 2 * 10
    assert len({noise for _, noise in drawn}) == len(drawn)
    assert len({rows for rows, _ in drawn}) == 20


def test_what_a_fit_does_not_read_is_not_computed_again(data):
    """Zero at every epsilon is one result; a private method is one for each."""
    item = small("trivial", "SSP", item=ITEMS["wang-curves"], epsilon=(0.1, 1, 10), repeats=1)
    work = Work(item, data)
    assert len([task for tasks in work.tasks().values() for task in tasks]) == 1 + 3


def test_an_interrupted_run_goes_on(data, tmp_path):
    """Cut after some results, also within a line, it ends with the same table."""
    work = Work(small("trivial", "OPS", "SSP", set=SETS), data)
    whole = as_csv(entries(work, computed(work, Memory())), work.item)
    file = tmp_path / "results.jsonl"
    stopped = []

    class Stopped(Exception):
        pass

    def stop(count, total):
        stopped.append((count, total))
        if count == 5:
            raise Stopped

    with pytest.raises(Stopped):
        computed(work, Memory.at(file), done=stop)
    assert stopped[-1] == (5, 12)
    kept = file.read_text().splitlines()
    assert len(kept) == 5
    file.write_text("\n".join([*kept[:4], kept[4][:40]]))
    progress = []
    memory = computed(work, Memory.at(file), done=lambda *now: progress.append(now))
    assert progress[0][0] <= 4
    assert progress[-1] == (12, 12)
    assert as_csv(entries(work, memory), work.item) == whole
    again = Memory.at(file)
    assert len(again.found) == 12
    computed(work, again, done=lambda *now: progress.append(now))
    assert as_csv(entries(work, again), work.item) == whole


def test_more_repeats_keep_the_first(data, tmp_path):
    """A longer run begins with the results of the shorter."""
    file = tmp_path / "results.jsonl"
    few = found(Work(small("OPS", repeats=2), data), Memory.at(file))
    more = found(Work(small("OPS", repeats=4), data), Memory.at(file))
    assert np.array_equal(more["OPS"][:2], few["OPS"])
    assert len(file.read_text().splitlines()) == 4


def test_another_file_is_not_remembered(data, tmp_path):
    """Results are of the rows that were there."""
    folder = tmp_path / "data"
    folder.mkdir()
    other = put_all(folder, *SETS)
    work = Work(small("trivial"), other)
    memory = computed(work, Memory())
    before = dict(memory.found)
    import dpframe.experiments.data as module

    put_set(folder, "airfoil", seed=5)
    module._checksum.cache_clear()
    module._table.cache_clear()
    computed(work, memory)
    assert len(memory.found) == 2 * len(before)


def test_noise_falls_with_epsilon(tmp_path):
    """A control: what is measured depends on the claim."""
    put_set(tmp_path, "airfoil", n=400)
    item = small("OPS", "AdaOPS", "ObjPert", "non-private", item=ITEMS["wang-curves"])
    data = put_all(tmp_path, "yacht")
    strict, lax = (
        found(
            Work(
                attrs.evolve(item, where={**item.where, "set": ("airfoil",), "epsilon": (e,)}), data
            )
        )
        for e in (0.1, 10)
    )
    for name in ("OPS", "AdaOPS", "ObjPert"):
        assert lax[name].mean() < strict[name].mean()
    assert np.array_equal(lax["non-private"], strict["non-private"])


def test_rows_that_are_others_do_not_agree(data):
    """A control of the whole chain: made-up rows under a published name."""
    work = Work(small("trivial", "non-private", repeats=3, set=("keggundirected",)), data)
    assert counts(entries(work, computed(work, Memory()))) == (0, 2)


def test_a_set_that_is_not_there_is_left_out(data):
    """And named."""
    work = Work(attrs.evolve(TABLE, methods=("trivial",), repeats=1), data)
    assert {point["set"] for point in work.points} == {*SETS, "keggundirected"}
    assert "buzz" in work.absent


def test_ratios_are_of_the_same_repeat(data):
    """The error over that of another method, which need not be shown."""
    item = attrs.evolve(
        tiny(ITEMS["wang-adaops-price"], repeats=2, set=("airfoil",)),
        methods=("AdaOPS",),
        metrics=("over that of the printed",),
    )
    work = Work(item, data)
    memory = computed(work, Memory())
    (one,) = entries(work, memory)
    known = {json.loads(key)[1]: values for key, values in memory.found.items()}
    assert set(known) == {"AdaOPS", "printed, ideal sampler"}
    by = {
        name: work.values(memory, one.point, method, "error").mean(axis=1)
        for name, method in ((m.name, m) for m in item.needed_methods())
    }
    assert one.ours.runs == pytest.approx(by["AdaOPS"] / by["printed, ideal sampler"])
