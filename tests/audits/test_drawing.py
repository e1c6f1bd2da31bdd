"""The drawing of a graph: every line that it draws is an edge, and every edge is drawn."""

from __future__ import annotations

import pytest

import dpframe as dp
from dpframe.audits.drawing import LEAK, LEGEND, NOISY, PRIVATE, PUBLIC, drawing, lines
from dpframe.literature.catalogue import EXAMPLES, example, setting_of

MARKS = {PRIVATE, NOISY, PUBLIC, LEAK}
JOINTS, ENDS = set("├┼┤└┴┘"), set("└┴┘")
TARGET = dp.ApproxDP(dp.EPSILON, dp.DELTA)
EVERY = [*dp.literature.REGRESSIONS, *EXAMPLES]


def graph_of(cls, relation=dp.ADD_REMOVE):
    """The graph of a class with its defaults."""
    return example(cls).graph(setting_of(relation), TARGET.budget)


def edges(text):
    """What each row reads, by row numbers, from the picture alone."""
    found, lanes = [], {}
    for number, row in enumerate(text.partition(f"\n\n{LEGEND}")[0].split("\n")):
        picture = dict(enumerate(row[::2]))
        own = next(lane for lane, sign in picture.items() if sign in MARKS)
        drawn = {lane: sign for lane, sign in picture.items() if lane == own or sign in JOINTS}
        found.append({lanes[lane] for lane in drawn if lane in lanes})
        kept = {lane for lane, sign in picture.items() if sign in JOINTS - ENDS or sign == "│"}
        lanes = {lane: origin for lane, origin in lanes.items() if lane in kept}
        lanes[own] = number
    return found


@pytest.mark.some(1, most=101)
@pytest.mark.parametrize("cls", EVERY, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE], ids=str)
def test_what_is_drawn_is_the_graph(cls, relation):
    """Rows are the nodes that a person wrote; the lines between them are their edges."""
    graph = graph_of(cls, relation)
    found = lines(graph)
    places = {line.node: place for place, line in enumerate(found)}
    assert list(places) == [node for node in graph.nodes if not node.implied]
    assert edges(drawing(graph)) == [{places[one] for one in line.reads} for line in found]


def test_a_wrong_drawing_is_noticed():
    """A lane that ends too early, and one that is left out."""
    text = drawing(graph_of(dp.SSP))
    for old, new in (("├─○    X'X", "└─○    X'X"), ("●─┘", "●  ")):
        assert old in text
        assert edges(text.replace(old, new)) != edges(text)


def test_a_leak_is_marked():
    """Post-processing of raw data is no output of releases."""
    assert LEAK in drawing(graph_of(dp.regressions.OLS))
    assert LEAK in drawing(graph_of(dp.literature.ThesisMaxNorm))
    assert LEAK not in drawing(graph_of(dp.AdaSSP))


def test_several_outputs_do_not_look_like_a_chain():
    """What follows an output stands beside it."""

    class Two(dp.Regression):
        def declare(self, X, y, budget):
            first, second = budget.split_evenly(2)
            n = dp.release(dp.count(X), dp.Laplace.pure, first, name="n")
            return n, dp.release(dp.total(y), dp.Laplace.pure, second, name="labels")

    graph = Two().graph(setting_of(dp.ADD_REMOVE), TARGET.budget)
    places = {line.node: place for place, line in enumerate(lines(graph))}
    assert edges(drawing(graph)) == [{places[one] for one in line.reads} for line in lines(graph)]


def test_rows_are_readable():
    """At most 120 columns."""
    for cls in EVERY:
        assert max(map(len, drawing(graph_of(cls)).split("\n"))) <= 120
