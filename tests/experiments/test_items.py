"""Every declaration runs at tiny size on artificial data, is printed, written and drawn."""

import csv
import io
import math

import numpy as np
import pytest

from dpframe.experiments.catalogue import ITEMS, chosen
from dpframe.experiments.estimates import plain, published
from dpframe.experiments.plotting import picture
from dpframe.experiments.running import Memory, Work, computed
from dpframe.experiments.tables import as_csv, entries, panels, text

from .standing_in import put_all, tiny

SHARED = Memory()  # items of one experiment share results


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder with every set."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DPFRAME_DATA", raising=False)
        patch.delenv("DPFRAME_INSURANCE", raising=False)
        return put_all(tmp_path_factory.mktemp("data"))


@pytest.mark.some(6)
@pytest.mark.parametrize("name", ITEMS)
def test_it_runs(name, data, tmp_path):
    """Numbers are finite, every line is labelled, stand-in data is named, a picture is drawn."""
    item = tiny(ITEMS[name])
    work = Work(item, data)
    found = entries(work, computed(work, SHARED))
    assert found
    assert all(math.isfinite(one.ours.value) for one in found)
    lines = list(text(work, found))
    assert all(line.startswith("NOT PRIVATE") for line in lines)
    assert ("STAND-IN" in "".join(lines)) == bool(item.stand_in)
    rows = list(csv.DictReader(io.StringIO(as_csv(found, item))))
    assert len(rows) == len(found)
    assert {row["label"] for row in rows} == {"NOT PRIVATE"}
    assert {row["stand_in"] for row in rows} == {item.stand_in}
    if item.figure is not None:
        pytest.importorskip("matplotlib")
        files = [tmp_path / f"a.{ending}" for ending in ("png", "svg")]
        picture(found, item, files, note="1 repeat.")
        assert all(file.stat().st_size > 2000 for file in files)
        svg = files[1].read_text()
        assert svg.endswith("</svg>\n")


def test_a_panel_of_a_method_has_the_baselines(data, tmp_path):
    """[Thesis, Fig 4.7]: zero is drawn beside either method, and named once."""
    item = tiny(ITEMS["thesis-figure-4.7"])
    work = Work(item, data)
    found = entries(work, computed(work, SHARED))
    parts = panels(found, item.figure, item)
    shown = {key.partition(", ")[2]: {one.method.name for one in of} for key, of in parts.items()}
    assert shown == {name: {"trivial", name} for name in ("adaSSP, Algorithm 3", "JointSSP")}
    pytest.importorskip("matplotlib")
    picture(found, item, [tmp_path / "a.svg"])
    drawn = (tmp_path / "a.svg").read_text()
    assert "<!-- trivial -->" in drawn
    assert "<!-- trivial, " not in drawn


@pytest.mark.parametrize(
    ("name", "preparations"),
    [
        ("thesis-figure-4.3", ("row norms, before", "maximum norm, before")),
        ("thesis-figure-4.5", ("maximum norm, before", "maximum norm")),
    ],
)
def test_a_legend_names_nothing_twice(name, preparations, data, tmp_path):
    """Each method and each preparation once, also where zero's error depends on the preparation."""
    pytest.importorskip("matplotlib")
    item = tiny(ITEMS[name], preparation=preparations)
    work = Work(item, data)
    picture(entries(work, computed(work, SHARED)), item, [tmp_path / "a.svg"])
    drawn = (tmp_path / "a.svg").read_text()
    for label in ("trivial", "ridge 1", "adaSSP, Algorithm 3", "JointSSP", *preparations):
        assert drawn.count(f"<!-- {label} -->") == 1, label


def test_names_are_chosen_by_their_beginning():
    """One, those of a paper, all; no other word."""
    assert [one.name for one in chosen("wang-table-3")] == ["wang-table-3"]
    assert {one.paper for one in chosen("piazza")} == {"Piazza21"}
    assert len(chosen("all")) == len(ITEMS)
    with pytest.raises(ValueError, match="experiment list"):
        chosen("wan")


@pytest.mark.parametrize("name", ITEMS)
def test_the_names_of_an_item_exist(name):
    """Methods, metrics, axes, values of axes, and baselines that others are divided by."""
    item = ITEMS[name]
    run = item.run
    assert set(item.methods) <= {one.name for one in run.methods}
    assert set(item.metrics) <= {one.name for one in run.metrics}
    assert {one.over for one in run.metrics} - {None} <= {one.name for one in run.methods}
    for axis, values in item.where.items():
        assert set(values) <= set(run.axes[axis])
    if item.figure is not None:
        shown = {item.figure.x, *item.figure.panels}
        assert shown <= {*run.axes, "metric", "method"}
    assert list(item.points(quick=True))
    names = [one.name for one in run.methods]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    "name", [key for key, one in ITEMS.items() if one.published or one.run.published]
)
def test_every_published_number_has_a_place(name):
    """No number of a file is left out by a parameter that is written otherwise."""
    item = ITEMS[name]
    known = published(item.published or item.run.published)
    run = item.run
    for key in known.cells:
        *values, method, metric = key
        for axis, value in zip(known.names, values, strict=True):
            assert value in {plain(one) for one in run.axes[axis]}
        assert method in {one.name for one in run.methods}
        assert metric in {one.name for one in run.metrics}


def test_quick_versions_are_small():
    """Few fits each: all of them together take minutes."""
    for item in ITEMS.values():
        repeats, draws = item.amounts(quick=True)
        splits = 10 if item.run.world.sets and "splits" not in item.run.given else 8
        points = len(list(item.points(quick=True)))
        fits = repeats * draws * points * len(item.needed_methods()) * min(splits, 10)
        assert fits < 20_000, item.name


def test_the_region_without_a_price():
    """Figure 1 by the paper's own terms, which leave constants out: within a factor of 4."""
    d = 10
    item = ITEMS["wang-figure-1"]
    for method in item.run.methods:
        case, _, alpha = method.name.partition(", alpha = ")
        alpha = float(alpha)
        for point in item.points(quick=False):
            n = point["n"]
            if n < d * d:
                continue
            conditioned = np.inf
            if case == "case 1":
                worst = max(1 / np.sqrt(d), np.sqrt(d / n))
                if alpha:
                    conditioned = max(np.sqrt(d**2 / (n**1.5 * alpha)), np.sqrt(d / (n * alpha)))
            else:
                worst = max(np.sqrt(d), d**1.5 / n)
                if alpha:
                    conditioned = max(d / np.sqrt(n * alpha), d**1.5 / (n * np.sqrt(alpha)))
            ratio = method.formula(point) / min(worst, conditioned)
            assert 0.25 < ratio < 4
