"""[Thesis]: Figures 4.1 to 4.8, fixed noise and the preparations of chapter 3."""

from __future__ import annotations

import dpframe as dp

from .declared import Experiment, Figure, Item, Metric, squared_error
from .methods import Method, baseline
from .worlds import PREPARED

PAPER = "Thesis"
SETS = ("elevators", "airfoil", "housing", "protein")
STAND_IN = (
    "The thesis names elevators and a set of five columns (airfoil); housing and protein stand in "
    "for the two others, of which one, buzz, is not to be had."
)
OURS = "JointSSP"
METHODS = (
    baseline("trivial", dp.regressions.ZeroPredictor, color="C3", line=":"),
    baseline("ridge 1", dp.regressions.Ridge, color="black", line="-."),
    Method("SSP, coded by Wang", dp.literature.SSPWangCoded, color="C0", line="--", marker="o"),
    Method("SSP, fixed", dp.literature.SSPThesisSplit, color="C1", line="--", marker="s"),
    Method("adaSSP, Algorithm 2", dp.literature.AdaSSPWang, color="C2", marker="^"),
    Method("adaSSP, Algorithm 3", dp.literature.AdaSSPThesis, color="C4", marker="v"),
    Method(OURS, dp.regressions.JointSSP, color="C5", line="--", marker="D"),
)
EPSILONS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3)
CLIPS = (1.0, 1.3, 1.6, 2.0)
CLIPPED = tuple(f"clip {c}" for c in CLIPS)
AND_TEST = tuple(f"{name}, test too" for name in CLIPPED)
THREE = ("trivial", "ridge 1", "adaSSP, Algorithm 3")
run = Experiment(
    "thesis-uci",
    PREPARED,
    {
        "set": SETS,
        "preparation": (
            "row norms, before",
            "row norms",
            "row norms, y included",
            "maximum norm, before",
            "maximum norm",
            "maximum norm, intercept",
            *CLIPPED,
            *AND_TEST,
        ),
        "epsilon": EPSILONS,
    },
    METHODS,
    (Metric("error", squared_error),),
    {"delta": 1e-6},
    repeats=3,
    quick={"repeats": 1, "set": SETS[:3], "epsilon": (0.1, 0.5, 1, 2, 3)},
)


def _item(
    number: int,
    title: str,
    preparations: tuple[str, ...],
    methods: tuple[str, ...],
    *,
    most: float = 3,
    note: str = "",
    panels: tuple[str, ...] = ("set",),
) -> Item:
    """A figure of chapter 4."""
    return Item(
        f"thesis-figure-4.{number}",
        PAPER,
        f"Figure 4.{number}: {title}",
        run,
        Figure("epsilon", "epsilon", "error", panels, "y", "interval", ceiling=("trivial", 30)),
        {"preparation": preparations, "epsilon": tuple(e for e in EPSILONS if e <= most)},
        (*methods, OURS),
        stand_in=STAND_IN,
        note=f"10 folds, labels over the largest, delta = 1e-6. {OURS} is ours. {note}".strip(),
    )


ITEMS = (
    _item(
        1,
        "the instability of SSP",
        ("row norms, before",),
        ("trivial", "ridge 1", "SSP, coded by Wang", "SSP, fixed"),
        most=2,
    ),
    _item(
        2,
        "adaSSP with different noise levels",
        ("row norms, before",),
        ("trivial", "ridge 1", "adaSSP, Algorithm 2", "adaSSP, Algorithm 3"),
    ),
    _item(
        3,
        "rows over their own norm or the largest",
        ("row norms, before", "maximum norm, before"),
        THREE,
    ),
    _item(
        4,
        "labels over the norms of their rows too",
        ("row norms", "row norms, y included"),
        THREE,
        note="Errors are those of labels over the largest, also where labels were divided.",
    ),
    _item(
        5,
        "preparation before or after cross-validation",
        ("maximum norm, before", "maximum norm"),
        THREE,
        note="Before: by means, deviations and norms of all rows; else of the training rows.",
    ),
    _item(6, "with and without intercept", ("maximum norm", "maximum norm, intercept"), THREE),
    _item(
        7,
        "clipping of the training rows",
        ("maximum norm", *CLIPPED),
        (THREE[0], THREE[2]),
        panels=("set", "method"),
    ),
    _item(
        8,
        "clipping of the test rows too",
        ("maximum norm", *AND_TEST),
        (THREE[0], THREE[2]),
        panels=("set", "method"),
    ),
)
