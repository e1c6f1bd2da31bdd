"""[Acharya24]: Tables 1 to 12, Figures 1 to 18, and the two tables of the appendix on deviations.

Published numbers are those that the code of the paper has kept; they are the means and stds of
10,000 draws of noise for one draw of a table and of budgets.
"""

from __future__ import annotations

import functools
from typing import Any

import dpframe as dp

from .declared import Experiment, Figure, Item, Metric, Point, penalised_error, squared_error
from .methods import Method, Promise, baseline
from .worlds import INSURANCE, UNIFORM, joined, sampled_largest

PAPER = "Acharya24"
PENALTY = {"penalty": "penalty"}
PRINTED = dp.literature.PersonalizedRidgePrinted
METHODS = (
    Method("PDP-OP", PRINTED, Promise.OWN, PENALTY, color="C0", marker="o"),
    Method("uniform", dp.literature.UniformRidge, Promise.LEAST, PENALTY, color="C7", marker="s"),
    *(
        Method(
            f"Jorgensen {name}",
            functools.partial(dp.literature.SampledRidgeCoded, threshold=threshold),
            Promise.OWN,
            PENALTY,
            dp.ADD_REMOVE,
            color=color,
            line="--",
            marker=marker,
        )
        for name, threshold, color, marker in (
            ("max", "largest", "C1", "^"),
            ("mean", "average", "C3", "v"),
        )
    ),
    Method("PersonalizedRidge", dp.PersonalizedRidge, Promise.OWN, PENALTY, color="C2", marker="D"),
)
LOSSES = {"unregularised": squared_error, "regularised": penalised_error}
METRICS = tuple(
    Metric(f"{'std of ' if inner == 'std' else ''}{name}", of, inner, reads=("penalty",))
    for inner in ("mean", "std")
    for name, of in LOSSES.items()
)
MEANS, STDS = tuple(LOSSES), tuple(f"std of {name}" for name in LOSSES)
SYNTHETIC = (1, 3, 5, 7, 10, 15, 20, 25, 50, 75, 100, 125, 150, 175, 200, 300, 400, 500)
MEDICAL = (0.01, 0.05, 0.1, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 2, 3, 5)
AXES: dict[str, tuple[str, tuple[float, ...], Point]] = {
    "conservative": ("eps_c", (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5), {"eps_m": 0.5}),
    "medium": ("eps_m", (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5), {}),
    "share": ("f_c", (0.1, 0.2, 0.3, 0.4, 0.5, 0.6), {}),
    "size": ("fraction", tuple(k / 10 for k in range(1, 11)), {}),
}
FEW = {  # values of quick versions
    "penalty": (1, 10, 100, 500, 0.01, 0.1, 5),
    "eps_c": (0.01, 0.1, 0.5),
    "eps_m": (0.05, 0.2, 0.5),
    "f_c": (0.1, 0.3, 0.6),
    "fraction": (0.1, 0.5, 1.0),
}
SHARES: dict[
    str, Point
] = {  # what is given besides the axis, as the code of each experiment has it
    "penalty": {"f_c": 0.34, "f_m": 0.43, "eps_c": 0.01, "eps_m": 0.2, "fraction": 1},
    "conservative": {"f_c": 0.54, "f_m": 0.37, "eps_c": 0.01, "fraction": 1},
    "medium": {"f_c": 0.54, "f_m": 0.37, "eps_c": 0.01, "fraction": 1},
    "share": {"f_m": 0.37, "eps_c": 0.01, "eps_m": 0.2, "fraction": 1},
    "size": {"f_c": 0.34, "f_m": 0.43, "eps_c": 0.01, "eps_m": 0.2},
}
WORLDS = {"synthetic": UNIFORM, "insurance": INSURANCE}


def _run(data: str, kind: str) -> Experiment:
    """One axis of one table."""
    known: dict[str, Any] = {"n": 100} if data == "synthetic" else {"rows": "|x|^2 <= d"}
    more: Point
    if kind == "penalty":
        axis, values, more = kind, SYNTHETIC if data == "synthetic" else MEDICAL, {}
    else:
        axis, values, more = AXES[kind]
        more = {"penalty": 100 if data == "synthetic" else 1, **more}
    return Experiment(
        f"acharya-{data}-{kind}",
        WORLDS[data],
        {axis: values},
        METHODS,
        METRICS,
        {**known, **SHARES[kind], **more},
        repeats=12,
        draws=10,
        quick={"repeats": 3, "draws": 5, axis: FEW[axis]},
        published=f"acharya-{data}-{kind}",
        theirs=10_000,
    )


KINDS = ("penalty", *AXES)
RUNS = {(data, kind): _run(data, kind) for kind in KINDS for data in WORLDS}
LABELS = {
    "penalty": ("penalty", "lambda"),
    "conservative": ("eps_c", "least budget of the conservative"),
    "medium": ("eps_m", "least budget of the medium"),
    "share": ("f_c", "share of the conservative"),
    "size": ("fraction", "fraction of the training rows"),
}
TABLES = {  # published tables of means: number, data, axis, whom PDP-OP is compared with
    1: ("synthetic", "penalty", "uniform"),
    2: ("insurance", "penalty", "uniform"),
    3: ("synthetic", "penalty", "Jorgensen"),
    4: ("insurance", "penalty", "Jorgensen"),
    **{
        5 + 2 * i + j: (data, kind, "uniform")
        for i, kind in enumerate(AXES)
        for j, data in enumerate(WORLDS)
    },
}
RIVALS = {
    "uniform": ("PDP-OP", "uniform"),
    "Jorgensen": ("PDP-OP", "Jorgensen max", "Jorgensen mean"),
}
CURVES = (*RIVALS["Jorgensen"], "PersonalizedRidge")
WHOLE = (
    "PDP-OP as printed; uniform: the least budget for everybody; Jorgensen: samples, as coded. "
    "The code has groups of 54, 37 and 9% where eps_c or eps_m varies, f_m = 0.37 where f_c does."
)


def _figure(kind: str, quantity: str) -> Figure:
    axis, label = LABELS[kind]
    log = "xy" if kind == "penalty" else "y"
    return Figure(axis, label, quantity, ("metric",), log, band="interval")


ITEMS = (
    *(
        Item(
            f"acharya-table-{number}",
            PAPER,
            f"Table {number}: test loss by {LABELS[kind][1]}, {data}, beside {rival}",
            RUNS[data, kind],
            methods=RIVALS[rival],
            metrics=MEANS,
            note=WHOLE,
            published="acharya-table-11" if number == 11 else None,
            over="PDP-OP" if rival == "Jorgensen" else "",
        )
        for number, (data, kind, rival) in TABLES.items()
    ),
    *(
        Item(
            f"acharya-table-{place}",
            PAPER,
            f"Appendix table {place}: std of the test loss by lambda, {data}",
            RUNS[data, "penalty"],
            methods=RIVALS["Jorgensen"],
            metrics=STDS,
            note=WHOLE,
        )
        for place, data in (("B1", "synthetic"), ("B2", "insurance"))
    ),
    *(
        Item(
            f"acharya-figure-{number}",
            PAPER,
            f"Figure {number}: {quantity} by {LABELS[kind][1]}, {data}",
            RUNS[data, kind],
            _figure(kind, quantity),
            methods=CURVES,
            metrics=metrics,
            note=f"{WHOLE} PersonalizedRidge is ours: the same with the derived sensitivity.",
        )
        for number, quantity, kind, data, metrics in (
            *((1 + j, "std of the test loss", "penalty", d, STDS) for j, d in enumerate(WORLDS)),
            *(
                (3 + 2 * i + j, "test loss", kind, data, MEANS)
                for i, kind in enumerate(AXES)
                for j, data in enumerate(WORLDS)
            ),
            *(
                (11 + 2 * i + j, "std of the test loss", kind, data, STDS)
                for i, kind in enumerate(AXES)
                for j, data in enumerate(WORLDS)
            ),
        )
    ),
)

OWN, APART = Promise.OWN, Promise.OWN_APPROXIMATE
OBJECTIVE = dp.regressions.PersonalizedObjective
MEAN_ALONE = baseline(
    "mean alone", dp.regressions.PublicMean, fields={"mean": "mean of labels"}
)  # for rows that end with a one
BEYOND = (
    baseline("least squares", dp.regressions.OLS),
    baseline("zero", dp.regressions.ZeroPredictor),
    Method("PDP-OP", PRINTED, OWN),
    Method("PersonalizedRidge", dp.PersonalizedRidge, OWN),
    Method("PersonalizedObjective", OBJECTIVE, OWN),
    Method("uniform", dp.literature.UniformRidge, Promise.LEAST),
    Method(
        "PersonalizedRidge, joins", joined, Promise.LEVELS, {"records": "records"}, dp.ADD_REMOVE
    ),
    Method(
        "SampledRidge, largest",
        sampled_largest,
        Promise.LEVELS,
        {"kept": "kept, largest"},
        dp.ADD_REMOVE,
    ),
    Method("PersonalizedSSP", dp.regressions.PersonalizedSSP, APART),
    Method("PersonalizedAdaSSP", dp.regressions.PersonalizedAdaSSP, APART),
)
LOSS = (Metric("test loss", squared_error),)
DEFAULTS = {"f_c": 0.34, "f_m": 0.43, "eps_c": 0.01, "eps_m": 0.2, "fraction": 1}
BEYOND_NOTE = (
    "Not in the paper: penalty 1, and otherwise the defaults of the declarations. Budgets that "
    "records join with are rounded down to hundredths; PersonalizedSSP has a delta of 1e-6."
)
ITEMS = (
    *ITEMS,
    Item(
        "acharya-beyond-insurance",
        PAPER,
        "Repairs and other personalised regressions on the medical costs, by what bounds a row",
        Experiment(
            "acharya-beyond-insurance",
            INSURANCE,
            {"rows": ("|x|^2 <= d", "|x|^2 <= 7", "codebook")},
            (MEAN_ALONE, *BEYOND),
            LOSS,
            DEFAULTS,
            repeats=20,
            draws=10,
            quick={"repeats": 2, "draws": 2},
        ),
        note=BEYOND_NOTE,
    ),
    Item(
        "acharya-beyond-synthetic",
        PAPER,
        "The same on synthetic rows of several sizes",
        Experiment(
            "acharya-beyond-synthetic",
            UNIFORM,
            {"n": (100, 1000, 10000)},
            BEYOND,
            LOSS,
            DEFAULTS,
            repeats=20,
            draws=5,
            quick={"repeats": 2, "draws": 1, "n": (100, 1000)},
        ),
        note=BEYOND_NOTE,
    ),
)
