"""The sizes of noise that an audit advises are written into the file, which is audited again: the
claim is then proved.
"""

from __future__ import annotations

import re

import pytest

from dpframe.audits.findings import findings
from dpframe.prover import Verdict
from tests.support.html_pages import described, resized

HEAD = """
title = "advice"
relation = "{relation}"
claim = {claim}
rows = {{norm = 1, columns = 4}}
labels = {{bound = 1}}
"""
PAIR = "{epsilon = 1, delta = 1e-6}"
TENTH = "{epsilon = 0.1, delta = 1e-6}"
CLASSICAL = 'std = "sqrt(2*log(1.25/delta))/epsilon"'
GRADIENT = ("gradient(X, y, 1)", "gaussian", 'times = 50\nsampled = "0.01"')


def release(statistic, mechanism, *lines):
    """One release, named by `file`."""
    return [f'statistic = "{statistic}"', f'mechanism = "{mechanism}"', *lines]


def file(claim, *releases, relation="add-remove"):
    """A description of these releases."""
    parts = [HEAD.format(relation=relation, claim=claim)]
    for place, lines in enumerate(releases):
        parts.append("\n".join(["[[release]]", f'name = "r{place}"', *lines]) + "\n")
    return "\n".join(parts)


GRAM = release("X'X", "gaussian", CLASSICAL)
MOMENT = release("X'y", "gaussian", CLASSICAL)
COUNT = release("count(X)", "laplace", 'scale = "4"')


def gradients(std):
    """Fifty gradients on samples."""
    return release(*GRADIENT[:2], f'std = "{std}"', GRADIENT[2])


SHARED = 'share = "epsilon/2, delta/2"'
CASES = {
    "gaussian": file(PAIR, GRAM, MOMENT),
    "gaussian, too much": file(
        PAIR, release("X'X", "gaussian", 'std = "9"'), release("X'y", "gaussian", 'std = "5"')
    ),
    "times": file(PAIR, [*GRAM, "times = 3"], MOMENT),
    "shares": file(
        PAIR,
        release("X'X", "gaussian", 'calibration = "analytic"', 'share = "epsilon, delta"'),
        release("X'y", "gaussian", 'calibration = "analytic"', SHARED),
    ),
    "rho": file(
        "{rho = 0.01}",
        release("X'X", "gaussian", 'std = "5"'),
        release("X'y", "gaussian", 'std = "6"'),
    ),
    "pure": file("{epsilon = 1}", COUNT, release("sum(y)", "laplace", 'scale = "1/epsilon"')),
    "mixed": file(PAIR, GRAM, release("count(X)", "laplace", 'scale = "1"')),
    "mixed, too much": file(PAIR, release("X'X", "gaussian", 'std = "20"'), COUNT),
    "cells": file(
        PAIR,
        release("histogram(X, y, 3)", "gaussian", 'std = "2"'),
        release("counts(y, 8)", "gaussian", 'std = "3"'),
    ),
    "sampled": file(PAIR, GRAM, MOMENT, gradients(2)),
    "sampled, with shares": file(
        PAIR,
        [*GRAM, 'share = "epsilon/3, delta/3"'],
        [*MOMENT, 'share = "epsilon/3, delta/3"'],
        [*gradients(2), 'share = "epsilon/150, delta/150"'],
    ),
    "sampled most": file(TENTH, release("X'X", "gaussian", 'std = "600"'), gradients(2)),
    "sampled, too much": file(PAIR, gradients(2)),
    "sampled beside too much": file(PAIR, release("X'X", "gaussian", 'std = "8"'), gradients(2)),
    "sampled pure": file(
        "{epsilon = 1}",
        release("count(X)", "laplace", 'scale = "1/4"', 'sampled = "0.1"'),
        release("sum(y)", "laplace", 'scale = "1/2"'),
    ),
    "replace-one": file(PAIR, GRAM, MOMENT, relation="replace-one"),
}


def predicted(text):
    """`std gram 5.299 -> 6.035; moment 5.299 -> 6.035` as numbers, by name."""
    return {name: float(after) for name, after in re.findall(r"(r\d+) \S+ -> ([\d.e+-]+\d)", text)}


def test_releases_that_cost_little_keep_their_noise():
    """Fifty gradients on samples beside two statistics of all rows, which cost nearly all."""
    change = findings(described(CASES["sampled"]), whole=False).change
    assert change.title == "Multiply the noise of r0, r1 by 1.143"
    assert "r2" not in change.how + change.effect


@pytest.mark.parametrize("case", CASES)
def test_advice_that_is_followed_gives_a_proof(case):
    """The sizes printed for the first change, and for the best split of the budget."""
    text = CASES[case]
    found = findings(described(text), whole=False)
    printed = [predicted(found.change.effect)] if found.change else []
    printed += [predicted(found.saving.sizes)] if found.saving else []
    assert any(printed)
    for sizes in filter(None, printed):
        assert described(resized(text, sizes)).verdict is Verdict.PROVED
