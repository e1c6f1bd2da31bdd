"""Layouts of graphs: nothing overlaps, every edge leads down, few edges cross."""

import random
from itertools import pairwise

import pytest

import dpframe as dp
from dpframe.audits.drawing import lines
from dpframe.audits.html.document import _environment
from dpframe.audits.html.graph_picture import (
    CENTRED,
    MOST,
    NARROW,
    PULLS,
    crossings,
    graph_picture,
    layers,
    layout,
)
from dpframe.audits.sections.claims import graph as section
from dpframe.literature.catalogue import EXAMPLES, example, setting_of

GAP = 0.14


def random_reads(seed, count):
    """A graph of so many nodes, in topological order."""
    source = random.Random(seed)
    return [
        sorted(source.sample(range(i), min(i, source.choice([0, 1, 1, 1, 2, 3]))))
        for i in range(count)
    ]


GRAPHS = [random_reads(seed, 3 + seed) for seed in range(28)]


@pytest.mark.parametrize("reads", GRAPHS, ids=len)
def test_edges_lead_down(reads):
    """From the layer of what is read, through every layer between, to a lower one."""
    found = layout(reads, GAP)
    assert set(found.paths) == {(i, node) for node, inputs in enumerate(reads) for i in inputs}
    for (start, end), path in found.paths.items():
        rows = [row for _, row in path]
        assert rows == list(range(found.layer[start], found.layer[end] + 1))
        assert path[0][0] == found.across[start]
        assert path[-1][0] == found.across[end]


@pytest.mark.parametrize("reads", GRAPHS, ids=len)
def test_nothing_overlaps(reads):
    """Cards keep their distance, from each other and from edges that pass."""
    found = layout(reads, GAP)
    ends = set(range(len(reads)))
    for row in set(found.layer):
        cards = sorted(found.across[i] for i in ends if found.layer[i] == row)
        assert all(b - a >= 1 + GAP - 1e-9 for a, b in pairwise(cards))
        passing = [x for path in found.paths.values() for x, at in path[1:-1] if at == row]
        assert all(abs(x - card) >= 0.5 + GAP - 1e-9 for x in passing for card in cards)
    assert min(found.across) >= -1e-9


def test_layers_are_longest_paths_and_late_sources():
    """What is read late stands just above its reader."""
    assert layers([[], [0], [1], [], [2, 3]]) == [0, 1, 2, 2, 3]
    assert layers([[], [0], [0, 1]]) == [0, 1, 2]
    assert layers([[]]) == [0]


def test_crossings_are_counted():
    """By brute force over pairs of edges."""
    rows = [[0, 1, 2], [3, 4, 5]]
    below = [[5, 3], [4], [3, 5], [], [], []]
    edges = [(rows[0].index(a), rows[1].index(b)) for a in rows[0] for b in below[a]]
    pairs = [(e, f) for e in edges for f in edges if e < f]
    assert crossings(rows, below) == sum(e[0] < f[0] and e[1] > f[1] for e, f in pairs) == 3


def test_a_plane_graph_is_drawn_without_crossings():
    """A tree, and adaSSP's own shape."""
    tree = [[], [0], [0], [1], [1], [2], [2]]
    own = [[], [0], [1], [2], [3], [2], [], [6], [1, 7], [8], [4, 5, 9]]
    for reads in (tree, own):
        found = layout(reads, GAP)
        assert _crossed(found) == 0


def _crossed(found):
    """Pairs of edges that change sides between two layers."""
    steps = [(row, x, to) for path in found.paths.values() for (x, row), (to, _) in pairwise(path)]
    return sum(a[0] == b[0] and (a[1] - b[1]) * (a[2] - b[2]) < -1e-9 for a in steps for b in steps)


def cost(reads, across, paths):
    """What these places of nodes, and of edges that pass, cost."""
    found = NARROW * max([*across, *(x for path in paths.values() for x, _ in path)])
    above = {node: [] for node in range(len(reads))}
    below = {node: [] for node in range(len(reads))}
    for (start, end), path in paths.items():
        last = len(path) - 2
        for place, ((x, _), (to, _)) in enumerate(pairwise(path)):
            found += PULLS[(place > 0) + (place < last)] * abs(x - to)
        above[end].append(path[-2][0])
        below[start].append(path[1][0])
    for linked in (above, below):
        for node, xs in linked.items():
            if len(xs) > 1:
                found += CENTRED * abs(across[node] - sum(xs) / len(xs))
    return found


@pytest.mark.parametrize("reads", GRAPHS[1:], ids=len)
def test_no_other_places_cost_less(reads):
    """Small moves of one place, or of many, that keep the distances cost no less."""
    found, source = layout(reads, GAP), random.Random(1)
    least = cost(reads, found.across, found.paths)
    ends = range(len(reads))
    slots = {("node", i): (found.across[i], found.layer[i]) for i in ends}
    for edge, path in found.paths.items():
        slots |= {(edge, row): (x, row) for x, row in path[1:-1]}
    for _ in range(60):
        some = source.sample(list(slots), source.randint(1, len(slots)))
        step = source.choice([-1, 1]) * source.choice([1e-3, 0.02, 0.3])
        moved = {key: (x + step * (key in some), row) for key, (x, row) in slots.items()}
        if min(x for x, _ in moved.values()) < 0 or not apart(moved):
            continue
        paths = {
            (a, b): (
                moved["node", a],
                *(moved[(a, b), row] for _, row in path[1:-1]),
                moved["node", b],
            )
            for (a, b), path in found.paths.items()
        }
        assert cost(reads, [moved["node", i][0] for i in ends], paths) >= least - 1e-6


def apart(slots):
    """Whether cards, and edges that pass, keep their distances in every layer."""
    for row in {row for _, row in slots.values()}:
        own = sorted(
            (x, 1.0 if key[0] == "node" else 0.25) for key, (x, at) in slots.items() if at == row
        )
        if any(b - a < (wide + other) / 2 + GAP for (a, wide), (b, other) in pairwise(own)):
            return False
    return True


def test_long_edges_run_upright_and_parents_stand_in_the_middle():
    """Where there is room."""
    found = layout([[], [0], [1], [2], [0, 3]], GAP)
    through = [x for x, _ in found.paths[0, 4][1:-1]]
    assert through == pytest.approx([through[0]] * 3, abs=1e-9)
    tree = layout([[], [0], [0]], GAP)
    assert tree.across[0] == pytest.approx(sum(tree.across[1:]) / 2)


def drawn(graph):
    """The section of a page that has the picture."""
    module = _environment().get_template("blocks.html").make_module({"cited": ()})
    return "".join(module.block(one) for one in section(graph, []))


@pytest.mark.some(1, most=30)
@pytest.mark.parametrize(
    "cls", [*dp.literature.REGRESSIONS, *EXAMPLES], ids=lambda cls: cls.__name__
)
def test_every_graph_is_drawn(cls):
    """Every node with its kind, its words and an arrow for every edge."""
    budget = dp.ApproxDP(dp.EPSILON, dp.DELTA).budget
    graph = example(cls).graph(setting_of(dp.ADD_REMOVE), budget)
    found = lines(graph)
    text = drawn(graph)
    if len(found) > MOST:
        assert "<pre>" in text
        return
    assert text.count('class="node ') == len(found)
    assert text.count('class="arrow ') == sum(len(line.reads) for line in found)
    leaks = sum(line.mark == "✗" for line in found)
    assert text.count('class="node leak') == leaks
    assert (">leak" in text) == bool(leaks)


def test_a_large_graph_is_drawn_as_text():
    """Beyond 30 nodes."""

    class Many(dp.Regression):
        def declare(self, X, y, budget):
            shares = budget.split_evenly(16)
            found = [
                dp.release(dp.count(X), dp.Laplace.pure, one, name=f"n{i}")
                for i, one in enumerate(shares)
            ]
            return tuple(
                dp.release(X.T @ y, dp.Laplace.pure, one, name=f"m{i}")
                for i, one in enumerate(shares)
            ) + tuple(found)

    graph = Many().graph(setting_of(dp.ADD_REMOVE), dp.PureDP(1).budget)
    assert graph_picture(graph) is None
    text = drawn(graph)
    assert "<pre>" in text
    assert "<svg" not in text
    assert "n15" in text
