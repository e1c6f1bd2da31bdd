"""Small worlds and made-up records."""

import numpy as np

from benchmarks.contest.entrants import BASELINES
from benchmarks.contest.plan import Contest
from benchmarks.contest.synthetic import SyntheticWorld

TINY = (SyntheticWorld(60, 2, 1), SyntheticWorld(60, 3, 4))
METHODS = ("SSP", "AdaSSP")


def small(**changes):
    """Two worlds, two repeats, two methods."""
    given = {"worlds": TINY, "methods": METHODS, "epsilons": (1.0,), "repeats": 2, "folds": 2}
    return Contest(**{**given, **changes})


def record(world, method, repeat, errors, **changes):
    """A line of results; a baseline claims nothing."""
    plain = method in BASELINES
    claim = (None, None, None) if plain else (1.0, 1e-6, "add-remove")
    made = {
        "label": "NOT PRIVATE",
        "family": "uci",
        "world": world,
        "bounds": "paper",
        "method": method,
        "version": "v1",
        **dict(zip(("epsilon", "delta", "relation"), claim, strict=True)),
        "seed": 0,
        "repeat": repeat,
        "folds": 2,
        "n": 60,
        "d": 3,
        "errors": errors,
    }
    return {**made, **changes}


def records(table):
    """Lines from {world: {method: errors by repeat}}; both folds have the error."""
    return [
        record(world, method, repeat, [error, error])
        for world, of_world in table.items()
        for method, errors in of_world.items()
        for repeat, error in enumerate(np.atleast_1d(errors).tolist())
    ]
