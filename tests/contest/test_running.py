"""Running the contest: lines that do not depend on where it was stopped; the command."""

import gzip
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import dpframe as dp
from benchmarks.contest import running
from benchmarks.contest.__main__ import app
from benchmarks.contest.boards import boards
from benchmarks.contest.entrants import BASELINES
from benchmarks.contest.plan import KEY
from benchmarks.contest.results import Results, key_of
from benchmarks.contest.running import play
from tests.contest.made_up import METHODS, TINY, small


# ------------------------------------------------------------------------------------------ Running
def run(contest, folder, jobs=1):
    """The text of the file of a contest that ran to its end."""
    results = Results(folder)
    list(play(contest, results, jobs))
    return results.file.read_text()


def by_key(results, *left_out):
    """Errors by the keys' entries but some."""
    places = [place for place, name in enumerate(KEY) if name not in left_out]
    return {
        tuple(key_of(one)[place] for place in places): one["errors"] for one in results.records()
    }


def test_every_line_is_there_once_with_its_key(tmp_path):
    """2 worlds, 2 repeats, 3 baselines, 2 methods at 2 claims; every line says NOT PRIVATE."""
    run(small(epsilons=(0.5, 1.0)), tmp_path)
    found = Results(tmp_path).records()
    assert len(found) == len({key_of(one) for one in found}) == 2 * 2 * (3 + 2 * 2)
    assert {one["label"] for one in found} == {"NOT PRIVATE"}
    assert {one["method"] for one in found} == {*BASELINES, *METHODS}
    for one in found:
        assert (one["epsilon"] is None) == (one["method"] in BASELINES)
        assert len(one["errors"]) == 1
        assert (one["n"], one["folds"]) == (60, 2)
    assert {(one["world"], one["d"]) for one in found} == {(w.name, w.d) for w in TINY}


@pytest.mark.parametrize("tasks", [0, 1, 3])
@pytest.mark.parametrize("cut", [0, 40])
def test_a_contest_that_was_killed_goes_on(tmp_path, tasks, cut):
    """After some tasks, in the middle of a line: the same bytes as of one that was not."""
    whole = run(small(), tmp_path / "whole")
    folder = tmp_path / "killed"
    stopped = play(small(), Results(folder))
    for _ in range(tasks):
        next(stopped)
    stopped.close()
    file = Results(folder).file
    if tasks:
        text = file.read_text()
        file.write_text(text[: len(text) - cut])
        assert len(text) < len(whole)
    assert run(small(), folder) == whole


def test_what_is_there_is_not_run_again(tmp_path, monkeypatch):
    """A second call fits nothing; a wider one fits what is new, and appends."""
    first = run(small(), tmp_path)
    asked = []
    inner = running.outcome
    monkeypatch.setattr(running, "outcome", lambda task: asked.append(task) or inner(task))
    assert run(small(), tmp_path) == first
    assert asked == []
    wider = run(small(repeats=3, epsilons=(1.0, 2.0)), tmp_path)
    assert wider.startswith(first)
    asks = [(task.repeat, ask.spec, ask.epsilon) for task in asked for ask in task.asks]
    assert len(asks) == len(set(asks)) * 2 == 2 * (2 * 2 + 7)
    assert all(repeat == 2 or epsilon == 2.0 for repeat, _, epsilon in asks)
    assert len({key_of(one) for one in Results(tmp_path).records()}) == wider.count("\n")


def test_who_enters_moves_nobody(tmp_path):
    """Errors of a method are the same alone, beside others, and with other claims."""
    run(small(), tmp_path / "all")
    run(small(methods=("AdaSSP",), epsilons=(3.0, 1.0)), tmp_path / "alone")
    everyone = by_key(Results(tmp_path / "all"))
    alone = by_key(Results(tmp_path / "alone"))
    common = everyone.keys() & alone.keys()
    assert sum("AdaSSP" in key for key in common) == 4
    assert all(everyone[key] == alone[key] for key in common)


def test_seeds_repeats_worlds_and_methods_draw_apart(tmp_path):
    """No two lines of private methods have equal errors; another seed has others."""
    run(small(epsilons=(1.0, 2.0)), tmp_path)
    run(small(epsilons=(1.0, 2.0), seed=1), tmp_path)
    found = [one for one in Results(tmp_path).records() if one["epsilon"] is not None]
    assert len({tuple(one["errors"]) for one in found}) == len(found) == 2 * 2 * 2 * 2 * 2


@pytest.mark.slow
def test_processes_write_what_one_does(tmp_path):
    """Two workers, the same bytes."""
    small_one = small(methods=("SSP",))
    assert run(small_one, tmp_path / "two", jobs=2) == run(small_one, tmp_path / "one")


def test_a_worker_that_fails_stops_the_run(tmp_path):
    """The error comes through, and what was written stays."""
    import gzip

    from benchmarks.contest.uci_worlds import UciWorld

    with gzip.open(tmp_path / "bad.csv.gz", "wt") as file:
        file.write("1,2\n3,x\n")
    contest = small(worlds=(TINY[0], UciWorld(tmp_path, "bad")), methods=("SSP",))
    for jobs in (1, 2):
        with pytest.raises(dp.BadData, match="readable set"):
            run(contest, tmp_path / str(jobs), jobs)
        assert len(Results(tmp_path / str(jobs)).records()) == 4  # the first world's first repeat


def test_every_world_has_a_repeat_before_the_next_begins():
    """So that a contest that was stopped has equally many of each."""
    rounds = [(task.repeat, task.world) for task in small(repeats=3).tasks(())]
    assert rounds == [(repeat, world) for repeat in range(3) for world in TINY]


def test_errors_are_those_of_the_fit(tmp_path):
    """Zero's error is the mean square of the labels; least squares attains the least."""
    run(small(methods=()), tmp_path)
    for world in TINY:
        for repeat in range(2):
            rng = running.generator(0, repeat, world.name)
            (split,) = world.splits(rng, 2)
            best = np.linalg.lstsq(split.rows, split.labels, rcond=None)
            found = {
                one["method"]: one["errors"][0]
                for one in Results(tmp_path).records()
                if (one["world"], one["repeat"]) == (world.name, repeat)
            }
            assert found["ZeroPredictor"] == pytest.approx(np.mean(split.labels**2), rel=1e-8)
            assert found["OLS"] == pytest.approx(best[1][0] / 60, rel=1e-5)
            assert found["OLS"] < found["Ridge"] < found["ZeroPredictor"]


def test_a_new_version_is_run_again(tmp_path):
    """Lines of another graph do not count as done."""
    first = run(small(), tmp_path)
    lines = [json.loads(line) for line in first.splitlines()]
    old = [{**one, "version": "old"} if one["method"] == "SSP" else one for one in lines]
    Results(tmp_path).file.write_text("".join(json.dumps(one) + "\n" for one in old))
    again = run(small(), tmp_path).splitlines()
    assert len(again) == len(lines) + 4
    assert {json.loads(line)["method"] for line in again[len(lines) :]} == {"SSP"}


def test_a_method_is_run_again_by_name(tmp_path):
    """Its code may have changed where its graph has not: new lines, which count; nobody else's."""
    first = run(small(), tmp_path)
    results = Results(tmp_path)
    old = [json.loads(line) for line in first.splitlines()]
    old = [{**one, "errors": [1e9]} if one["method"] == "SSP" else one for one in old]
    results.file.write_text("".join(json.dumps(one) + "\n" for one in old))
    list(play(small(), results, again=("SSP",)))
    new = results.records()[len(old) :]
    assert [one["method"] for one in new] == ["SSP"] * 4
    (board,) = boards(results.records())
    assert all(board.mean(world, "SSP") < 1e9 for world in board.worlds)
    assert board.repeats == (2, 2)


def test_a_foreign_file_is_refused(tmp_path):
    """Lines that are no results: which file, and the way out."""
    Results(tmp_path).file.write_text('{"world": "yacht"}\n')
    with pytest.raises(dp.BadData, match=r"results\.jsonl"):
        run(small(), tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(dp.InvalidArgument, match="folder that can be made"):
        run(small(), tmp_path / "file" / "below")


@pytest.mark.parametrize(
    "wrong", [{"epsilons": ()}, {"epsilons": (0.0,)}, {"epsilons": (np.inf,)}, {"delta": 0.0}]
)
def test_wrong_claims_are_refused(wrong):
    """Before anything runs."""
    with pytest.raises(dp.InvalidArgument, match="must be"):
        small(**wrong)


# -------------------------------------------------------------------------------------- The command
HERE = ["--jobs", "1", "--folds", "2"]
QUICK = ["--repeats", "2", "--epsilon", "1", "--methods", "SSP,AdaSSP", "--flagship", "SSP"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two sets of 60 rows and 4 columns."""
    monkeypatch.delenv("DPFRAME_DATA", raising=False)
    for place, name in enumerate(("servo", "other")):
        rng = np.random.default_rng(place)
        X = rng.normal(size=(60, 4))
        values = np.column_stack([X, X.sum(axis=1) + rng.normal(size=60)])
        with gzip.open(tmp_path / f"{name}.csv.gz", "wt") as file:
            np.savetxt(file, values, delimiter=",")
    return tmp_path


def call(*arguments, status=0):
    """Standard output where it ends well; the complaint where not."""
    done = CliRunner().invoke(app, [str(one) for one in (*HERE, *arguments)])
    assert done.exit_code == status, done.output
    return done.stdout if status == 0 else " ".join(done.stderr.split())


def test_it_runs_reports_and_goes_on(folder):
    """Results, a page; a second call runs nothing and writes the same."""
    out, page = folder / "out", folder / "contest.md"
    given = ["--data", folder, "--out", out, *QUICK, "--page", page]
    first = call(*given)
    lines = first.splitlines()
    assert all(line.startswith(("NOT PRIVATE", "wrote")) for line in lines)
    assert "milliseconds a fit" in first
    assert "2 worlds, 2 to 2 repeats" in first
    text, found = page.read_text(), Results(out).file.read_text()
    second = call(*given)
    assert "milliseconds a fit" not in second
    assert (page.read_text(), Results(out).file.read_text()) == (text, found)
    reported = call("--out", out, "--flagship", "SSP", "--report-only")
    assert reported == "".join(f"{one}\n" for one in second.splitlines() if "wrote" not in one)


def test_what_is_missing_is_said(folder):
    """No folder, a wrong set, a wrong method, a wrong number: exit status 2 and the way out."""
    out = ["--out", folder / "out"]
    assert "DPFRAME_DATA" in call(*out, *QUICK, status=2)
    absent = call(*out, *QUICK, "--data", folder / "absent", status=2)
    assert "a folder of UCI sets" in absent
    given = [*out, "--data", folder]
    assert "The folder has other, servo" in call(*given, "--sets", "yacht", status=2)
    assert "dpframe list" in call(*given, "--methods", "Nobody", status=2)
    assert "separated by commas" in call(*given, "--epsilon", "one", status=2)
    nowhere = folder / "nowhere" / "page.md"
    assert "a folder that exists" in call(*given, "--page", nowhere, status=2)
    assert "Run the contest" in call(*out, "--report-only", "--page", folder / "p.md", status=2)
    assert not (folder / "out").exists()


def test_a_refused_method_is_named(folder):
    """Published adaSSP under replace-one at epsilon 10."""
    given = ["--data", folder, "--sets", "servo", "--out", folder / "out", "--relation"]
    asked = ["replace-one", "--epsilon", "10", "--repeats", "1", "--methods", "AdaSSPWang,SSP"]
    printed = call(*given, *asked, "--flagship", "SSP")
    assert (
        "left out: AdaSSPWang at epsilon 10: AdaSSPWangIsotropic(rho=1/20) is not certified"
        in printed
    )
    assert dp.REPLACE_ONE.name
    assert {one["method"] for one in Results(folder / "out").records() if one["epsilon"]} == {"SSP"}
