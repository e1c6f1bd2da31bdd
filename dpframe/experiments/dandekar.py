"""[Dandekar18]: Figures 1 to 5, the functional mechanism with penalties."""

from __future__ import annotations

import dpframe as dp

from .declared import Experiment, Figure, Item, Metric, root_squared_error
from .methods import Method, Promise, baseline
from .worlds import BOXED

PAPER = "Dandekar18"
EPSILONS = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4)
CENSUS = (
    "CPSSW8 (61,395 people, earnings by gender, age, region, education) for the census of IPUMS"
)
WINE, PEOPLE = "winequality-white", "cpssw8"
KINDS = {
    "LR": (dp.regressions.OLS, dp.literature.FunctionalLinearPrinted, None, "C0", "o"),
    "RG": (dp.regressions.Ridge, dp.literature.FunctionalRidgePrinted, "ridge", "C1", "s"),
    "LS": (dp.regressions.Lasso, dp.literature.FunctionalLassoPrinted, "LASSO", "C2", "^"),
    "EN": (
        dp.regressions.ElasticNet,
        dp.literature.FunctionalElasticNetPrinted,
        "elastic net",
        "C3",
        "v",
    ),
}
METHODS = (
    *(
        baseline(
            name,
            plain,
            fields={}
            if penalty is None
            else {"penalty" if name == "RG" else "lam": f"penalty of {penalty}"},
            color=color,
            line=line,
        )
        for (name, (plain, _, penalty, color, _)), line in zip(
            KINDS.items(), ("-", "--", "-.", ":"), strict=True
        )
    ),
    *(
        Method(
            f"functional {name}",
            private,
            Promise.PURE,
            {} if penalty is None else {"lam": f"penalty of {penalty}"},
            color=color,
            marker=marker,
        )
        for name, (_, private, penalty, color, marker) in KINDS.items()
    ),
    Method("DPME", dp.regressions.DPME, Promise.PURE, color="C4", marker="D"),
    Method(
        "FunctionalElasticNet",
        dp.regressions.FunctionalElasticNet,
        Promise.PURE,
        {"lam": "penalty of elastic net"},
        color="C5",
        marker="P",
    ),
)
OURS = "FunctionalElasticNet"
EIGHT = tuple(one.name for one in METHODS[:8])
FOUR = tuple(one.name for one in METHODS[4:8])
MEDIAN, VARIANCE, MEAN = (
    Metric(f"{outer} of RMSE", root_squared_error, outer=outer)
    for outer in ("median", "variance", "mean")
)
run = Experiment(
    "dandekar",
    BOXED,
    {"set": (WINE, PEOPLE), "epsilon": EPSILONS},
    METHODS,
    (MEDIAN, VARIANCE, MEAN),
    {"columns": None},
    repeats=200,
    quick={"repeats": 8, "epsilon": EPSILONS[::2]},
)
NOTE = (
    "200 runs of 80/20 (the paper has 50), columns and labels onto [-1, 1], penalties by "
    "cross-validation of the model without noise. Noisy losses without a minimum are taken at "
    "their stationary point. Epsilons are of our choice: the paper's are in its pictures alone."
)


def _item(number: int, title: str, figure: Figure, **of: object) -> Item:
    return Item(f"dandekar-figure-{number}", PAPER, f"Figure {number}: {title}", run, figure, **of)


def _figure(y: str, *panels: str, band: str = "", kind: str = "lines") -> Figure:
    return Figure("epsilon", "epsilon", y, panels, "xy", band, kind)


ITEMS = (
    _item(
        1,
        "RMSE of the functional elastic net",
        _figure("RMSE", kind="box"),
        where={"set": (PEOPLE,)},
        methods=("functional EN", OURS),
        metrics=(MEDIAN.name,),
        stand_in=CENSUS,
        note=f"{NOTE} {OURS}, exact noise and projected, is ours.",
    ),
    *(
        _item(
            number,
            f"median RMSE by epsilon, {title}",
            _figure("median RMSE", band="20-80"),
            where={"set": (name,)},
            methods=(*EIGHT, OURS),
            metrics=(MEDIAN.name,),
            stand_in=stand_in,
            note=f"{NOTE} {OURS}, exact noise and projected, is ours. Bands are 20 to 80%.",
        )
        for number, name, title, stand_in in (
            (2, WINE, "white wine", ""),
            (3, PEOPLE, "census", CENSUS),
        )
    ),
    _item(
        4,
        "variance of RMSE by epsilon",
        _figure("variance of RMSE", "set"),
        methods=(*EIGHT, OURS),
        metrics=(VARIANCE.name,),
        stand_in=f"{CENSUS}; the wine is that of the paper",
        note=NOTE,
    ),
    _item(
        5,
        "mean RMSE of DPME and the functional mechanism",
        _figure("mean RMSE"),
        where={"set": (PEOPLE,)},
        methods=(*FOUR, "DPME", OURS),
        metrics=(MEAN.name,),
        stand_in=CENSUS,
        note=NOTE,
    ),
)
