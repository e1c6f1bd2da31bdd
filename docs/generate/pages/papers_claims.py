"""What the papers say of figures whose numbers are not printed, tested on the kept numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import partial
from statistics import median

from scipy.stats import spearmanr

Place = tuple[float | str, ...]
Values = Mapping[Place, Mapping[str, float]]
"""Values of methods by the values of some axes."""
By = Callable[..., Values]
"""The kept numbers of an item by the axes that are named, of which "metric" may be one."""
Claim = tuple[str, Callable[[By], bool]]


# ------------------------------------------------------------------------------ Wang (2018)
def _free(by: By) -> bool:
    """From n = d = 10 on."""
    kept = by("n").items()
    return all(one["case 1, alpha = 1"] <= 2 for (n,), one in kept if float(n) >= 10)


def _free_from(by: By) -> bool:
    """In case 2 epsilon = 1 is free at alpha = 1 from n = d^2 = 100 on, and not before."""
    kept = by("n").items()
    return all((one["case 2, alpha = 1"] <= 1) == (float(n) >= 100) for (n,), one in kept)


def _never_free(by: By) -> bool:
    return all(one["case 2, alpha = 0"] > 1 for one in by("n").values())


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


ADAPTIVE, RIVALS = ("AdaOPS", "AdaSSP"), ("ObjPert", "OPS", "SSP")


def _ssp_unstable(by: By) -> bool:
    """On each set at some epsilon."""
    most: dict[str, float] = {}
    for (name, _), one in by("set", "epsilon").items():
        most[str(name)] = max(most.get(str(name), 0), one["SSP"] / one["trivial"])
    return min(most.values()) > 10


def _objpert_stays(by: By) -> bool:
    kept = by("set", "epsilon").items()
    return all(one["ObjPert"] > 1.3 * one["non-private"] for (_, e), one in kept if e == 10)


def _between(by: By) -> bool:
    kept = by("set", "epsilon").values()
    return all(
        0.95 * one["non-private"] < one[name] < 1.2 * one["trivial"]
        for one in kept
        for name in ADAPTIVE
    )


def _no_rival(by: By) -> bool:
    """On each set, at each epsilon, the better of them."""
    return all(
        min(one[name] for name in ADAPTIVE) <= 1.1 * min(one[name] for name in RIVALS)
        for one in by("set", "epsilon").values()
    )


MODEL: tuple[Claim, ...] = (
    (
        (
            "AdaSSP approaches least squares as n grows, at both epsilons (to a tenth of its "
            "largest relative efficiency)"
        ),
        _approaches_ols,
    ),
    ("AdaOPS does, too", partial(_approaches_ols, method="AdaOPS")),
    ("a gap between SSP and AdaSSP remains at the largest n, at both epsilons", _gap),
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


def _spread(by: By, most: float, where: Callable[..., bool], gammas: slice, of: str = "n") -> bool:
    """The largest of adaSSPbudget along these gammas, over the least along all."""
    found = curves(by, "adaSSPbudget", of, "epsilon")
    return all(
        max(line[gammas]) <= most * min(line) for (n, e), line in found.items() if where(n, e)
    )


def _worse_near_one(by: By, of: str = "n") -> bool:
    """At epsilon = 1 the last gamma has more error than the least of the others."""
    found = curves(by, "adaSSPbudget", of, "epsilon")
    return all(line[-1] > 1.05 * min(line[:-1]) for (_, e), line in found.items() if e == 1)


def _aligned(by: By) -> bool:
    """Within a factor of 2, at every gamma."""
    kept = by("n", "epsilon", "gamma").items()
    some = (one for (n, e, _), one in kept if _better_for_few(n, e))
    return all(0.5 < one["adaSSPbudget"] / one["constSSPfull"] < 2 for one in some)


def _unstable(by: By) -> bool:
    """There the std of SSP is ten times that of adaSSPbudget and of constSSPfull, or more."""
    kept = by("n", "epsilon", "gamma", column="std").items()
    some = (one for (n, e, _), one in kept if _better_for_few(n, e))
    return all(one["SSP"] > 10 * max(one["adaSSPbudget"], one["constSSPfull"]) for one in some)


def _best_gamma(by: By) -> bool:
    """At epsilon = 1 and the largest n the least is that of one of the first two gammas."""
    line = curves(by, "adaSSPbudget", "n", "epsilon")[327680.0, 1.0]
    return line.index(min(line)) < 2


def _below_constant(by: By) -> bool:
    """At epsilon = 1 and the largest n, up to gamma = 0.45."""
    kept = by("n", "epsilon", "gamma").items()
    some = [one for (n, e, g), one in kept if (n, e) == (327680, 1) and float(g) < 0.5]
    return all(one["adaSSPbudget"] < one["constSSPfull"] for one in some)


def _gains(by: By) -> bool:
    """At the largest n, at every gamma and every step of epsilon."""
    for method in ("adaSSPbudget", "SSP", "constSSPfull"):
        found = curves(by, method, "n", "epsilon")
        lines = zip(*(line for (n, _), line in found.items() if n == 327680), strict=True)
        if any(line != tuple(sorted(set(line), reverse=True)) for line in lines):
            return False
    return True


def _grows(by: By) -> bool:
    """At every gamma the share does not fall in n, nor in epsilon, and it is 0 and 1 somewhere."""
    kept = curves(by, "adaSSPbudget", "n", "epsilon")
    sizes, epsilons = ([*dict.fromkeys(place[i] for place in kept)] for i in (0, 1))
    lines = [[kept[n, e] for n in sizes] for e in epsilons]
    lines += [[kept[n, e] for e in epsilons] for n in sizes]
    shares = [share for line in kept.values() for share in line]
    return (min(shares), max(shares)) == (0, 1) and all(
        at == tuple(sorted(at)) for line in lines for at in zip(*line, strict=True)
    )


def _constant_near_ssp(by: By) -> bool:
    """Within 30% of SSP where adaSSPbudget is above it."""
    kept = by("n", "epsilon", "gamma").items()
    some = (one for (n, e, _), one in kept if _worse_for_many(n, e))
    return all(abs(one["constSSPfull"] / one["SSP"] - 1) < 0.3 for one in some)


def _insensitive(by: By) -> bool:
    """From gamma = 0.1 to 0.6 the share is above 0.9 or below 0.1, but for one curve of 12."""
    found = curves(by, "adaSSPbudget", "n", "epsilon").values()
    return sum(min(line[1:6]) <= 0.9 and max(line[1:6]) >= 0.1 for line in found) <= 1


def _below_on_sets(by: By, method: str, other: str) -> bool:
    """At 9 of 10 places or more."""
    kept = by("set", "epsilon", "gamma").values()
    return sum(one[method] < one[other] for one in kept) >= 0.9 * len(kept)


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


def _more_columns(by: By) -> bool:
    """The more columns, the less the error of adaSSP over that with the maximum norm."""
    lines = ratios(by, OURS, "row norms, before", "maximum norm, before")
    last = [lines[name][-1] for name in COLUMNS]
    return last == sorted(set(last), reverse=True)


def gaps_to_ridge(by: By) -> dict[Place, list[float]]:
    """The distance of adaSSP to ridge by epsilon, by set and preparation."""
    gaps: dict[Place, list[float]] = {}
    for (name, preparation, _), one in by("set", "preparation", "epsilon").items():
        gaps.setdefault((name, preparation), []).append(abs(one[OURS] - one[RIDGE]))
    return gaps


def _towards_ridge(by: By) -> bool:
    """Under both preparations of every set it is at the last epsilon at most half of that at the
    first.
    """
    return all(line[-1] <= line[0] / 2 for line in gaps_to_ridge(by).values())


def _almost_identical(by: By) -> bool:
    """Within 10%, for either method, on every set, at every epsilon."""
    return all(
        abs(ratio - 1) < 0.1
        for method in (OURS, RIDGE)
        for line in ratios(by, method, "maximum norm, before", "maximum norm").values()
        for ratio in line
    )


def effects(by: By) -> list[float]:
    """The median over epsilon of the change by an intercept, by the number of columns."""
    changes = ratios(by, OURS, "maximum norm, intercept", "maximum norm")
    return [median(abs(one - 1) for one in changes[name]) for name in COLUMNS]


def _fades(by: By) -> bool:
    return effects(by) == sorted(effects(by), reverse=True)


CLIPS = (1.0, 1.3, 1.6, 2.0)


def clips(by: By, ending: str = "", method: str = OURS) -> dict[str, list[float]]:
    """At the largest epsilon, each clip's error over that without clips, by set."""
    kept = by("set", "preparation", "epsilon")
    return {
        name: [
            kept[name, f"clip {c}{ending}", 3.0][method] / kept[name, "maximum norm", 3.0][method]
            for c in CLIPS
        ]
        for name in COLUMNS
    }


def _half_gain(by: By) -> bool:
    """The best clip takes off 5% or more on two sets or more."""
    return sum(min(line) < 0.95 for line in clips(by).values()) >= 2


def _best_clip(by: By) -> bool:
    """1.3 or 1.6 where the best clip takes off 5%, which it does somewhere."""
    gains = [line for line in clips(by).values() if min(line) < 0.95]
    return bool(gains) and all(line.index(min(line)) in {1, 2} for line in gains)


def both_clipped(by: By, method: str = OURS) -> dict[str, list[float]]:
    """At the largest epsilon, each clip's error on clipped test rows over that of Figure 4.7."""
    kept = by("set", "preparation", "epsilon")
    alone = by("set", "preparation", "epsilon", of="thesis-figure-4.7")
    return {
        name: [
            kept[name, f"clip {c}, test too", 3.0][method] / alone[name, f"clip {c}", 3.0][method]
            for c in CLIPS
        ]
        for name in COLUMNS
    }


def _no_improvement(by: By) -> bool:
    """No clip has less error on every set than where it clips the training rows alone."""
    return not any(max(column) < 1 for column in zip(*both_clipped(by).values(), strict=True))


def _similar_on_small_sets(by: By) -> bool:
    """Within 15% on airfoil and housing."""
    found = both_clipped(by)
    return all(abs(ratio - 1) < 0.15 for name in ("airfoil", "housing") for ratio in found[name])


# ------------------------------------------------------------------- Dandekar et al. (2018)
FALLING = -0.7
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
    """Of the printed mechanism, a tenth of the runs or more."""
    runs, name = by("epsilon", column="repeats"), FUNCTIONAL[3]
    kept = by("epsilon", column="outliers").items()
    return all(one[name] >= runs[place][name] / 10 for place, one in kept)


def _small_variance(by: By) -> bool:
    """Below 1e-4."""
    kept = by("set", "epsilon").values()
    return all(one[name] < 1e-4 for one in kept for name in ("LR", "RG", "LS", "EN"))


def trends(by: By, name: str) -> dict[str, float]:
    """The rank correlation of epsilon and variance, by mechanism, on a set; the 5% quantile of
    seven numbers in random order is -0.71.
    """
    found = {}
    for mechanism in FUNCTIONAL:
        line = by_epsilon(by, mechanism, name)
        constant = len(set(line)) == 1
        found[mechanism] = 0.0 if constant else float(spearmanr(range(len(line)), line)[0])
    return found


def _variance_falls(by: By) -> bool:
    """Of the three with a penalty, on wine."""
    _, *others = trends(by, "winequality-white").values()
    return all(one < FALLING for one in others)


def _variance_of_lr(by: By) -> bool:
    return not trends(by, "winequality-white")[FUNCTIONAL[0]] < FALLING


def _less_than_dpme(by: By) -> bool:
    kept = by("epsilon").values()
    return all(one[name] < one["DPME"] for one in kept for name in FUNCTIONAL[1:])


def _dpme_stable(by: By) -> bool:
    """Within 5% over all epsilons."""
    line = [one["DPME"] for one in by("epsilon").values()]
    return max(line) <= 1.05 * min(line)


CENSUS: tuple[Claim, ...] = (
    ("RMSE is larger for smaller epsilon (at the first than at the last)", _falls),
    ("it approaches that without noise as epsilon grows (to half the distance)", _approaches),
)
CLAIMS: dict[str, tuple[Claim, ...]] = {
    "wang-figure-1": (
        (
            (
                "case 1, alpha = 1: a constant epsilon (2, as constants are left out) is free from "
                "n = d on"
            ),
            _free,
        ),
        ("case 2, alpha = 1: epsilon = 1 is free from n = d^2 on, and not before", _free_from),
        ("case 2, alpha = 0: epsilon = 1 is not free, no matter how large n is", _never_free),
    ),
    "wang-figure-2": (
        ("SSP is unstable (above 10 times zero's error), on each set", _ssp_unstable),
        (
            "ObjPert stays above the model without noise (by 30%), also at epsilon = 10",
            _objpert_stays,
        ),
        (
            "AdaOPS and AdaSSP lie between the model without noise and zero (up to 20% above)",
            _between,
        ),
        ("at every epsilon no other is better than both (by 10%)", _no_rival),
    ),
    "wang-figure-3-caption": MODEL,
    "wang-figure-3-coded": MODEL,
    "piazza-figure-3": (
        (
            "at epsilon = 0.001 gamma changes little (at most twofold), at every n",
            partial(_spread, most=2, where=lambda _, e: e == 0.001, gammas=slice(None)),
        ),
        ("at epsilon = 1 gamma near 1 is worse, at every n", _worse_near_one),
        ("at epsilon = 1 and the largest n the best gamma is near 0 (at most 0.1)", _best_gamma),
        (
            "up to gamma = 0.5 it is within a factor of 10 of the best gamma, everywhere",
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
        ("there it is closely aligned with adaSSPbudget (within a factor of 2)", _aligned),
        ("there the std of SSP is much larger than theirs (ten times)", _unstable),
        (
            "at epsilon = 1 and the largest n adaSSPbudget is below constSSPfull up to gamma = 0.5",
            _below_constant,
        ),
        ("all three approach least squares as epsilon grows, at the largest n", _gains),
    ),
    "piazza-figure-4": (
        ("lambda is 0 more often for larger n and for larger epsilon, at every gamma", _grows),
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
        (
            "from gamma = 0.1 to 0.6 always or never (above 0.9 or below 0.1), but for one curve",
            _insensitive,
        ),
    ),
    "piazza-figure-5": (
        (
            (
                "at or above SSP (less 1%) at every gamma for epsilon = 1, and for 0.1 but at the "
                "least n"
            ),
            _beside_ssp(_worse_for_many, lambda p, q: p > 0.99 * q),
        ),
        ("there constSSPfull is near SSP, too (within 30%)", _constant_near_ssp),
        (
            "there it hardly depends on gamma up to 0.5 (at most twofold)",
            partial(_spread, most=2, where=_worse_for_many, gammas=slice(0, 5)),
        ),
    ),
    "piazza-figure-6": (
        (
            "adaSSPbudget is below SSP almost always (at 9 of 10 points)",
            partial(_below_on_sets, method="adaSSPbudget", other="SSP"),
        ),
        (
            "constSSPfull is below adaSSPbudget almost always (at 9 of 10 points)",
            partial(_below_on_sets, method="constSSPfull", other="adaSSPbudget"),
        ),
        (
            (
                "from epsilon = 0.1 on adaSSPbudget reaches constSSPfull at few gammas only (less "
                "than half), on each set"
            ),
            _narrow,
        ),
        ("gamma near 1 is worse at epsilon = 1, on each set", partial(_worse_near_one, of="set")),
        (
            "from epsilon = 0.1 on it varies little (at most twofold) but for gamma near 1",
            partial(_spread, most=2, where=lambda _, e: e >= 0.1, gammas=slice(0, 7), of="set"),
        ),
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
        (
            "both SSP have trouble to match zero's error (above it at some epsilon), on every set",
            _above_on_each,
        ),
        ("either gets arbitrarily large values (100 times zero's), on some set", _large),
        (
            "symmetric noise does little to change this (above zero's error at least as often)",
            _mends_little,
        ),
    ),
    "thesis-figure-4.2": (
        (
            "Algorithm 3 has a slightly larger error (in the median, and nowhere by more than 30%)",
            partial(_cost, most=1.3),
        ),
    ),
    "thesis-figure-4.3": (
        (
            "which norm is better for ridge depends on the set",
            _depends("row norms, before", "maximum norm, before"),
        ),
        ("row norms are better for adaSSP, on every set, at the largest epsilon", _rows_win),
        ("the more so, the more columns there are", _more_columns),
    ),
    "thesis-figure-4.4": (
        (
            "for adaSSP the results are mixed, at the largest epsilon",
            _depends("row norms, y included", "row norms", OURS),
        ),
        (
            "for ridge they depend on the set",
            _depends("row norms, y included", "row norms"),
        ),
        ("adaSSP approaches ridge (to half the distance) under both, on every set", _towards_ridge),
    ),
    "thesis-figure-4.5": (
        ("the results of ridge and adaSSP are almost identical (within 10%)", _almost_identical),
    ),
    "thesis-figure-4.6": (
        ("the effect of the intercept falls with the number of columns", _fades),
    ),
    "thesis-figure-4.7": (
        ("clips help (by 5%) on half of the sets or more, at the largest epsilon", _half_gain),
        ("there the best clip is between 1.3 and 1.6", _best_clip),
    ),
    "thesis-figure-4.8": (
        (
            (
                "results are similar to those of Figure 4.7 on the smaller sets (within 15%, at "
                "the largest epsilon)"
            ),
            _similar_on_small_sets,
        ),
        ("no clip improves on Figure 4.7 on all sets, at the largest epsilon", _no_improvement),
    ),
    "dandekar-figure-1": (
        ("a large number of outliers (a tenth of the runs, at every epsilon)", _outliers),
    ),
    "dandekar-figure-2": CENSUS,
    "dandekar-figure-3": CENSUS,
    "dandekar-figure-4": (
        ("models without noise have a very small variance (below 1e-4)", _small_variance),
        (
            (
                "with a penalty the variance falls as epsilon grows (rank correlation below -0.7), "
                "on wine"
            ),
            _variance_falls,
        ),
        ("without one (LR) it does not", _variance_of_lr),
    ),
    "dandekar-figure-5": (
        (
            "functional regressions with a penalty have less RMSE than DPME, at every epsilon",
            _less_than_dpme,
        ),
        ("DPME is stable (within 5%)", _dpme_stable),
    ),
}
