"""What the papers say of figures whose numbers are not printed, tested on the kept numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import partial
from statistics import median

Place = tuple[float | str, ...]
Values = Mapping[Place, Mapping[str, float]]
"""Values of methods by the values of some axes."""
By = Callable[..., Values]
"""The kept numbers of an item by the axes that are named, of which "metric" may be one."""
Claim = tuple[str, Callable[[By], bool]]


# ------------------------------------------------------------------------------ Wang (2018)
def _free(case: int, least: float) -> Callable[[By], bool]:
    """From this n on epsilon = 2 is free at alpha = 1, the equations being without constants."""
    name = f"case {case}, alpha = 1"
    return lambda by: all(one[name] <= 2 for (n,), one in by("n").items() if float(n) >= least)


def _never_free(by: By) -> bool:
    """The last decade of n changes nothing at alpha = 0, in either case."""
    kept = by("n")
    return all(
        abs(kept[1e6,][name] / kept[1e5,][name] - 1) < 0.01
        for name in ("case 1, alpha = 0", "case 2, alpha = 0")
    )


def efficiency(by: By, method: str, epsilon: float) -> list[float]:
    """The relative efficiency by n."""
    kept = by("metric", "epsilon", "n")
    return [
        one[method] for (metric, e, _), one in kept.items() if "rel" in str(metric) and e == epsilon
    ]


def _approaches_ols(by: By, method: str = "AdaSSP") -> bool:
    """The last relative efficiency is less than a tenth of the largest, and the least of the last
    three, at both epsilons.
    """
    lines = [efficiency(by, method, epsilon) for epsilon in (0.1, 1)]
    return all(line[-1] < max(line) / 10 and line[-1] == min(line[-3:]) for line in lines)


def _gap(by: By) -> bool:
    return all(
        efficiency(by, "AdaSSP", epsilon)[-1] > efficiency(by, "SSP", epsilon)[-1]
        for epsilon in (0.1, 1)
    )


MODEL: tuple[Claim, ...] = (
    ("AdaSSP approaches least squares as n grows, at both epsilons", _approaches_ols),
    ("AdaOPS does, too", partial(_approaches_ols, method="AdaOPS")),
    ("a gap between SSP and AdaSSP remains at the largest n", _gap),
)


# ---------------------------------------------------------------------------- Piazza (2021)
def curves(by: By, method: str, *axes: str) -> dict[Place, list[float]]:
    """Values by gamma, at each place of the axes."""
    found: dict[Place, list[float]] = {}
    for place, one in by(*axes, "gamma").items():
        found.setdefault(place[:-1], []).append(one[method])
    return found


def _better_for_few(n: float | str, epsilon: float | str) -> bool:
    """Where the thesis has adaSSPbudget below SSP: small n and epsilon."""
    return float(epsilon) * float(n) < 400


def _worse_for_many(n: float | str, epsilon: float | str) -> bool:
    """Where it has SSP below: epsilon = 1, and 0.1 but for the least n."""
    return epsilon == 1 or (epsilon == 0.1 and float(n) > 2000)


def _beside_ssp(
    where: Callable[..., bool], than: Callable[[float, float], bool], method: str = "adaSSPbudget"
) -> Callable[[By], bool]:
    """The order of the method and SSP at every gamma where it is claimed."""

    def holds(by: By) -> bool:
        kept = by("n", "epsilon", "gamma").items()
        return all(than(one[method], one["SSP"]) for (n, e, _), one in kept if where(n, e))

    return holds


def _spread(by: By, most: float, where: Callable[..., bool], gammas: slice) -> bool:
    """The largest over the least of adaSSPbudget along these gammas."""
    found = curves(by, "adaSSPbudget", "n", "epsilon")
    return all(
        max(line[gammas]) <= most * min(line) for (n, e), line in found.items() if where(n, e)
    )


def _worse_near_one(by: By, of: str = "n") -> bool:
    """At epsilon = 1 the last gamma has more error than the least of the others."""
    found = curves(by, "adaSSPbudget", of, "epsilon")
    return all(line[-1] > 1.05 * min(line[:-1]) for (_, e), line in found.items() if e == 1)


def _grows(by: By) -> bool:
    """At gamma = 1/3 the share does not fall in n, nor in epsilon."""
    kept = {place: line[3] for place, line in curves(by, "adaSSPbudget", "n", "epsilon").items()}
    sizes, epsilons = ([*dict.fromkeys(place[i] for place in kept)] for i in (0, 1))
    lines = [[kept[n, e] for n in sizes] for e in epsilons]
    lines += [[kept[n, e] for e in epsilons] for n in sizes]
    return all(line == sorted(line) for line in lines)


def _insensitive(by: By) -> bool:
    """From gamma = 0.1 to 0.6 the share is above 0.9 or below 0.1, but for one curve of 12."""
    found = curves(by, "adaSSPbudget", "n", "epsilon").values()
    return sum(min(line[1:6]) <= 0.9 and max(line[1:6]) >= 0.1 for line in found) <= 1


def _below_on_sets(by: By) -> bool:
    """At 9 of 10 places or more."""
    kept = by("set", "epsilon", "gamma").values()
    return sum(one["adaSSPbudget"] < one["SSP"] for one in kept) >= 0.9 * len(kept)


def _narrow(by: By) -> bool:
    """At epsilon = 0.1 and 1 constSSPfull has less at most gammas, on each set."""
    kept: dict[Place, list[bool]] = {}
    for place, one in by("set", "epsilon", "gamma").items():
        kept.setdefault(place[:-1], []).append(one["constSSPfull"] < one["adaSSPbudget"])
    return all(sum(line) > len(line) / 2 for (_, e), line in kept.items() if float(e) >= 0.1)


# ------------------------------------------------------------------------------- the thesis
OURS, RIDGE = "adaSSP, Algorithm 3", "ridge 1"
COLUMNS = {"airfoil": 5, "protein": 9, "housing": 13, "elevators": 18}


def ratios(by: By, method: str, one: str, other: str) -> dict[str, list[float]]:
    """The error of a method under a preparation over that under another, by epsilon, by set."""
    kept = by("set", "preparation", "epsilon")
    found: dict[str, list[float]] = {}
    for (name, preparation, epsilon), values in kept.items():
        if preparation == one:
            ratio = values[method] / kept[name, other, epsilon][method]
            found.setdefault(str(name), []).append(ratio)
    return found


SSPS = ("SSP, coded by Wang", "SSP, fixed")


def above_zero(by: By, factor: float = 1) -> list[dict[str, int]]:
    """Of each SSP, how often its error is above `factor` times zero's, by set."""
    counts: list[dict[str, int]] = [{}, {}]
    for (name, _), one in by("set", "epsilon").items():
        for count, method in zip(counts, SSPS, strict=True):
            over = one[method] > factor * one["trivial"]
            count[str(name)] = count.get(str(name), 0) + over
    return counts


def _large(by: By) -> bool:
    return all(any(count.values()) for count in above_zero(by, 100))


def _above_on_each(by: By) -> bool:
    return all(all(count.values()) for count in above_zero(by))


def _mends_little(by: By) -> bool:
    """The fixed one is above zero at least as often."""
    coded, fixed = (sum(count.values()) for count in above_zero(by))
    return fixed >= coded


def _cost(by: By, most: float) -> bool:
    """Algorithm 3 over Algorithm 2: above 1 in the median, never above `most`."""
    costs = [one[OURS] / one["adaSSP, Algorithm 2"] for one in by("set", "epsilon").values()]
    return median(costs) > 1 and max(costs) <= most


def _depends(one: str, other: str, method: str = RIDGE) -> Callable[[By], bool]:
    """At the last epsilon the first preparation is the better on a set, the worse on another."""

    def holds(by: By) -> bool:
        last = [line[-1] for line in ratios(by, method, one, other).values()]
        return min(last) < 1 < max(last)

    return holds


def _rows_win(by: By) -> bool:
    lines = ratios(by, OURS, "row norms, before", "maximum norm, before").values()
    return all(line[-1] < 1 for line in lines)


def _towards_ridge(by: By) -> bool:
    """Under both preparations of every set the distance to ridge shrinks from the first epsilon to
    the last.
    """
    gaps: dict[Place, list[float]] = {}
    for (name, preparation, _), one in by("set", "preparation", "epsilon").items():
        gaps.setdefault((name, preparation), []).append(abs(one[OURS] - one[RIDGE]))
    return all(line[-1] < line[0] for line in gaps.values())


def _almost_identical(by: By) -> bool:
    """Within 10%."""
    lines = ratios(by, OURS, "maximum norm, before", "maximum norm").values()
    return all(abs(ratio - 1) < 0.1 for line in lines for ratio in line)


def effects(by: By) -> list[float]:
    """The median over epsilon of the change by an intercept, by the number of columns."""
    changes = ratios(by, OURS, "maximum norm, intercept", "maximum norm")
    return [median(abs(one - 1) for one in changes[name]) for name in COLUMNS]


def _fades(by: By) -> bool:
    return effects(by) == sorted(effects(by), reverse=True)


def _least_for_most_columns(by: By) -> bool:
    return effects(by)[-1] == min(effects(by))


def clips(by: By, ending: str = "", method: str = OURS) -> dict[str, list[float]]:
    """At the largest epsilon, each clip's error over that without clips, by set."""
    kept = by("set", "preparation", "epsilon")
    return {
        name: [
            kept[name, f"clip {c}{ending}", 3.0][method] / kept[name, "maximum norm", 3.0][method]
            for c in (1.0, 1.3, 1.6, 2.0)
        ]
        for name in COLUMNS
    }


def _half_gain(by: By) -> bool:
    """The best clip takes off 5% or more on two sets or more."""
    return sum(min(line) < 0.95 for line in clips(by).values()) >= 2


def _best_clip(by: By) -> bool:
    """1.3 or 1.6 where the best clip takes off 5%."""
    gains = [line for line in clips(by).values() if min(line) < 0.95]
    return all(line.index(min(line)) in {1, 2} for line in gains)


def _no_improvement(by: By) -> bool:
    """With test rows clipped too, no clip is better than none on every set."""
    columns = zip(*clips(by, ", test too").values(), strict=True)
    return not any(max(column) < 1 for column in columns)


# ------------------------------------------------------------------- Dandekar et al. (2018)
FUNCTIONAL = tuple(f"functional {name}" for name in ("LR", "RG", "LS", "EN"))


def by_epsilon(by: By, method: str, name: str | None = None) -> list[float]:
    """The values of a method on a set, or on the only one."""
    return [one[method] for (of, _), one in by("set", "epsilon").items() if name in {None, of}]


def _falls(by: By) -> bool:
    """From the first epsilon to the last, for each of the four."""
    lines = [by_epsilon(by, name) for name in FUNCTIONAL]
    return all(line[-1] < line[0] for line in lines)


def _approaches(by: By) -> bool:
    """The distance to the model without noise is at most half at the last epsilon."""
    for name in FUNCTIONAL:
        pairs = zip(by_epsilon(by, name), by_epsilon(by, name.split()[1]), strict=True)
        gaps = [abs(value - plain) for value, plain in pairs]
        if gaps[-1] > gaps[0] / 2:
            return False
    return True


def _outliers(by: By) -> bool:
    """The std of runs is above a tenth of their median, at every epsilon."""
    stds = by("epsilon", column="std")
    return all(
        stds[place][FUNCTIONAL[3]] > one[FUNCTIONAL[3]] / 10 for place, one in by("epsilon").items()
    )


def _small_variance(by: By) -> bool:
    """Below 1e-4."""
    kept = by("set", "epsilon").values()
    return all(one[name] < 1e-4 for one in kept for name in ("LR", "RG", "LS", "EN"))


def _variance_falls(by: By) -> bool:
    """Of the three with a penalty, at every step on either set."""
    lines = [
        by_epsilon(by, name, of)
        for name in FUNCTIONAL[1:]
        for of in ("winequality-white", "cpssw8")
    ]
    return all(line == sorted(line, reverse=True) for line in lines)


def _variance_of_lr(by: By) -> bool:
    line = by_epsilon(by, FUNCTIONAL[0], "winequality-white")
    return line != sorted(line, reverse=True)


def _less_than_dpme(by: By) -> bool:
    kept = by("epsilon").values()
    return all(one[name] < one["DPME"] for one in kept for name in FUNCTIONAL[1:])


def _dpme_stable(by: By) -> bool:
    """Within 5% over all epsilons."""
    line = [one["DPME"] for one in by("epsilon").values()]
    return max(line) <= 1.05 * min(line)


CENSUS: tuple[Claim, ...] = (
    ("RMSE is larger for smaller epsilon", _falls),
    ("it approaches that without noise as epsilon grows", _approaches),
)
CLAIMS: dict[str, tuple[Claim, ...]] = {
    "wang-figure-1": (
        ("case 1, alpha = 1: a constant epsilon (2) is free from n = d on", _free(1, 10)),
        ("case 2, alpha = 1: it is free from n = d^2 on", _free(2, 100)),
        ("alpha = 0: more records make no smaller epsilon free", _never_free),
    ),
    "wang-figure-3-caption": MODEL,
    "wang-figure-3-coded": MODEL,
    "piazza-figure-3": (
        (
            "at epsilon = 0.001 gamma changes little (at most twofold)",
            partial(_spread, most=2, where=lambda _, e: e == 0.001, gammas=slice(None)),
        ),
        ("at epsilon = 1 gamma near 1 is worse", _worse_near_one),
        (
            "up to gamma = 0.5 it is within a factor of 10 of the best gamma",
            partial(_spread, most=10, where=lambda *_: True, gammas=slice(0, 5)),
        ),
        (
            "below SSP for small n and epsilon",
            _beside_ssp(_better_for_few, operator.lt),
        ),
        (
            "above SSP at every gamma for epsilon = 1, and for 0.1 but at the least n",
            _beside_ssp(_worse_for_many, operator.gt),
        ),
        (
            "constSSPfull is below SSP for small n and epsilon, too",
            _beside_ssp(_better_for_few, operator.lt, "constSSPfull"),
        ),
    ),
    "piazza-figure-4": (
        ("lambda is 0 more often for larger n and epsilon", _grows),
        (
            "never at epsilon = 0.001",
            lambda by: (
                not any(
                    any(line)
                    for (_, e), line in curves(by, "adaSSPbudget", "n", "epsilon").items()
                    if e == 0.001
                )
            ),
        ),
        ("from gamma = 0.1 to 0.6 always or never, but for one curve", _insensitive),
    ),
    "piazza-figure-5": (
        (
            "at or above SSP for epsilon = 1, and for 0.1 but at the least n",
            _beside_ssp(_worse_for_many, lambda p, q: p > 0.99 * q),
        ),
        (
            "there it hardly depends on gamma up to 0.5 (at most twofold)",
            partial(_spread, most=2, where=_worse_for_many, gammas=slice(0, 5)),
        ),
    ),
    "piazza-figure-6": (
        ("adaSSPbudget is below SSP almost always", _below_on_sets),
        ("from epsilon = 0.1 on it reaches constSSPfull at few gammas only", _narrow),
        ("gamma near 1 is worse at epsilon = 1", partial(_worse_near_one, of="set")),
    ),
    "piazza-figure-6-lambda": (
        (
            "lambda is never 0",
            lambda by: (
                not any(one["adaSSPbudget"] for one in by("set", "epsilon", "gamma").values())
            ),
        ),
    ),
    "thesis-figure-4.1": (
        ("both SSP have trouble to match zero's error, on every set", _above_on_each),
        ("they get arbitrarily large values (100 times zero's)", _large),
        ("symmetric noise changes little", _mends_little),
    ),
    "thesis-figure-4.2": (
        ("Algorithm 3 has a slightly larger error (up to 30%)", partial(_cost, most=1.3)),
    ),
    "thesis-figure-4.3": (
        (
            "which norm is better for ridge depends on the set",
            _depends("row norms, before", "maximum norm, before"),
        ),
        ("row norms are better for adaSSP, at the largest epsilon", _rows_win),
    ),
    "thesis-figure-4.4": (
        (
            "for adaSSP the results are mixed",
            _depends("row norms, y included", "row norms", OURS),
        ),
        (
            "for ridge they depend on the set",
            _depends("row norms, y included", "row norms"),
        ),
        ("adaSSP approaches ridge under both", _towards_ridge),
    ),
    "thesis-figure-4.5": (("almost identical (within 10%)", _almost_identical),),
    "thesis-figure-4.6": (
        ("the effect of the intercept falls with the number of columns", _fades),
        ("it is least on the set with the most columns", _least_for_most_columns),
    ),
    "thesis-figure-4.7": (
        ("clips help on half of the sets as epsilon grows", _half_gain),
        ("the best clip is between 1.3 and 1.6", _best_clip),
    ),
    "thesis-figure-4.8": (("no clip is an improvement on all sets", _no_improvement),),
    "dandekar-figure-1": (("a large number of outliers", _outliers),),
    "dandekar-figure-2": CENSUS,
    "dandekar-figure-3": CENSUS,
    "dandekar-figure-4": (
        ("models without noise have a very small variance", _small_variance),
        ("with a penalty the variance falls as epsilon grows", _variance_falls),
        ("without one (LR) it does not, on wine", _variance_of_lr),
    ),
    "dandekar-figure-5": (
        ("functional regressions with a penalty have less RMSE than DPME", _less_than_dpme),
        ("DPME is stable (within 5%)", _dpme_stable),
    ),
}
