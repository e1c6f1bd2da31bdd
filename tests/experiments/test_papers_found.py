"""What the pages of the papers say was found, against the kept numbers that it is about."""

from statistics import median

import pytest

from docs.generate.pages.papers import found, points, records
from docs.generate.pages.papers_rows import FOUND
from dpframe.experiments.catalogue import ITEMS


def by(name, *axes):
    """Values by the named axes: {place: {method: value}}."""
    item = ITEMS[name]
    places = [[point[axis] for axis in axes] for point in item.points(quick=False)]
    return {tuple(place): one for place, one in zip(places, points(item, "value"), strict=True)}


def said(name, *phrases):
    """Every phrase is in the sentence."""
    for phrase in phrases:
        assert phrase in FOUND[name], (name, phrase)


def ends(values, digits=2):
    """`0.06 to 0.13`."""
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"


def test_least_epsilons():
    """[Wang18, Fig 1]: constant from n = 316 on, larger before."""
    kept = by("wang-figure-1", "n")
    late = [one for (n,), one in kept.items() if n > 300]
    short, long = ({f"{one[f'case {k}, alpha = 0']:.3g}" for one in late} for k in (1, 2))
    assert (short, long) == ({"0.575"}, {"2.08"})
    first = kept[10.0,]
    said("wang-figure-1", "from n = 316 on", "epsilon = 0.58", "2.08")
    said(
        "wang-figure-1",
        "({:.3g} and {:.3g} at n = 10)".format(
            first["case 1, alpha = 0"], first["case 2, alpha = 0"]
        ),
    )
    assert by("wang-figure-1", "n")[100.0,]["case 1, alpha = 0"] > 0.6


def test_joint_calibration():
    """[Piazza21, Fig 3]: the ratio of the errors, and its median over gamma."""
    ratios = {}
    joint = []
    for (n, epsilon, _), one in by("piazza-figure-3", "n", "epsilon", "gamma").items():
        ratio = one["AdaSSPBudgetTight"] / one["adaSSPbudget"]
        ratios.setdefault(n * epsilon, []).append(ratio)
        joint += [one["JointSSP"]] * (epsilon == 1)
    every = [ratio for line in ratios.values() for ratio in line]
    said("piazza-figure-3", f"{min(every):.3f} to {max(every):.2f} times the error")
    few = [median(line) for size, line in ratios.items() if size < 328]
    many = [median(line) for size, line in ratios.items() if 1000 < size < 33000]
    said("piazza-figure-3", f"{ends(few)} up to n epsilon = 328", f"{ends(many)} from 1,280")
    said("piazza-figure-3", f"JointSSP has at most {max(joint):.1f}")


def test_ssp_beside_budgets():
    """[Piazza21, Fig 6]: where adaSSPbudget is below SSP; constSSPfull beside the least of it."""
    below, const = {}, {}
    for (name, epsilon, gamma), one in by("piazza-figure-6", "set", "epsilon", "gamma").items():
        if one["adaSSPbudget"] < one["SSP"]:
            below.setdefault((name, epsilon), []).append(gamma)
        least, _ = const.get((name, epsilon), (float("inf"), 0))
        const[name, epsilon] = (min(least, one["adaSSPbudget"]), one["constSSPfull"])
        assert one["constSSPfull"] < one["SSP"]
    few = below.pop(("airfoil", 1))
    assert {len(line) for line in below.values()} == {9}
    assert len(below) == 11
    said("piazza-figure-6", f"at {len(few)} of 9", f"up to gamma = {max(few)}")
    said("piazza-figure-6", f"{ends([fixed / least for least, fixed in const.values()])} times")
    whole = by("piazza-figure-6", "set", "epsilon", "gamma")
    said("piazza-figure-6", f"SSP has {whole['airfoil', 1, 0.2]['SSP']:.4f}")
    said("piazza-figure-6", f"OLS has {whole['elevators', 1, 0.2]['OLS']:.3f} on elevators")


def test_the_price_of_fixed_noise():
    """[Thesis, Fig 4.2]: Algorithm 3 over Algorithm 2."""
    costs, last = {}, {}
    for (name, epsilon), one in by("thesis-figure-4.2", "set", "epsilon").items():
        cost = one["adaSSP, Algorithm 3"] / one["adaSSP, Algorithm 2"] - 1
        costs.setdefault(name, []).append(100 * cost)
        last[name] = f"{100 * cost:.1f}%"
        assert epsilon <= 3
    most = {name: max(line) for name, line in costs.items()}
    said("thesis-figure-4.2", f"{min(costs['elevators']):.0f} to {most['elevators']:.0f}%")
    said("thesis-figure-4.2", f"{most['airfoil']:.0f}% on airfoil", f"{most['housing']:.0f}% on h")
    said("thesis-figure-4.2", f"{most['protein']:.1f}% on protein")
    said("thesis-figure-4.2", f"airfoil ({last['airfoil']} at 3) and protein ({last['protein']})")
    said("thesis-figure-4.2", f"({last['elevators']} and {last['housing']} at 3)")


def test_rows_over_their_own_norm():
    """[Thesis, Fig 4.3]: from which epsilon on they win on every set."""
    kept = by("thesis-figure-4.3", "set", "epsilon", "preparation")
    loses = [
        epsilon
        for (name, epsilon, preparation), one in kept.items()
        if preparation == "row norms, before"
        and one["adaSSP, Algorithm 3"]
        >= kept[name, epsilon, "maximum norm, before"]["adaSSP, Algorithm 3"]
    ]
    assert max(loses) == 0.2
    said("thesis-figure-4.3", "on every set from epsilon = 0.3 on")


def test_variances_on_wine():
    """[Dandekar18, Fig 4]: those that fall at every step, of which there are none."""
    kept = by("dandekar-figure-4", "set", "epsilon")
    lines = {}
    for (name, _), one in kept.items():
        for method, value in one.items() if name == "winequality-white" else ():
            lines.setdefault(method, []).append(value)
    noisy = [line for method, line in lines.items() if "unctional" in method]
    assert len(noisy) == 5
    assert not any(line == sorted(line, reverse=True) for line in noisy)
    ours = lines["FunctionalElasticNet"]
    said("dandekar-figure-4", f"from {ours[0]:.1f} to {ours[-1]:.3f}")
    said("dandekar-figure-4", f"{ours[1]:.1f} at 0.2 and {ours[3]:.1f} at 0.8")


def test_counts_of_orders():
    """[Acharya24, Figs 1 to 18]: counted from the kept numbers; the least of three by hand."""
    text = found(ITEMS["acharya-figure-11"])
    assert "at 8 of 14 points, and at 11 in the paper's own" in text
    assert "{" not in text


@pytest.mark.parametrize("name", ["acharya-table-3", "acharya-table-4"])
def test_ratios_are_those_of_the_numbers_beside_them(name):
    """[Acharya24, Tables 3, 4]: each rival over PDP-OP, ours and published."""
    values, published = points(ITEMS[name], "value"), points(ITEMS[name], "published")
    ratios, theirs = points(ITEMS[name], "ratio"), points(ITEMS[name], "published_ratio")
    for rival in ("Jorgensen max", "Jorgensen mean"):
        for quotients, numbers in ((ratios, values), (theirs, published)):
            for one, of in zip(quotients, numbers, strict=True):
                assert one[rival] == pytest.approx(of[rival] / of["PDP-OP"], rel=0.006)
    assert {one["ratio"] for one in records(ITEMS[name]) if one["method"] == "PDP-OP"} == {""}


def test_joint_ssp_beside_adassp():
    """[Wang18, Fig 2]: the share of the way from the model without noise to zero."""
    kept = by("wang-figure-2", "set", "epsilon")
    shares = {"AdaSSP": [], "JointSSP": []}
    for place in (("bike", 0.05), ("elevators", 0.1), ("wine", 0.5), ("gas", 0.2)):
        one = kept[place]
        for name, line in shares.items():
            way = one["trivial"] - one["non-private"]
            line.append((one[name] - one["non-private"]) / way)
    said("wang-figure-2", f"AdaSSP has {ends(shares['AdaSSP'], 1)} of the way")
    *others, gas = shares["JointSSP"]
    said("wang-figure-2", f"JointSSP has {ends(others)}", f"{gas:.2f} on gas")


def test_relative_efficiencies():
    """[Wang18, Fig 3], the model of the caption, JointSSP at epsilon = 1."""
    kept = {}
    for one in records(ITEMS["wang-figure-3-caption"]):
        where = (one["metric"], one["method"], one["epsilon"])
        if where == ("relative efficiency", "JointSSP", "1"):
            kept[int(one["n"])] = float(one["value"])
    middle = [value for n, value in kept.items() if 10_000 < n < 100_000]
    late = [value for n, value in kept.items() if n > 100_000]
    said("wang-figure-3-caption", f"{ends(middle, 1)} from n = 10,240 to 81,920")
    said("wang-figure-3-caption", f"{ends(late, 1)} from 163,840 on")


def test_the_price_of_a_repair():
    """AdaOPSRepaired and AdaOPS over the printed algorithm, where this is below zero's error."""
    item = ITEMS["wang-adaops-price"]
    kept = {}
    for one in records(item):
        kept.setdefault(one["set"], {})[one["metric"], one["method"]] = float(one["value"])
    printed = "printed, ideal sampler"
    some = [one for one in kept.values() if one["error", printed] < one["error", "trivial"]]
    of = {
        name: [one["over that of the printed", name] for one in some]
        for name in ("AdaOPSRepaired", "AdaOPS")
    }
    said(item.name, f"{median(of['AdaOPSRepaired']):.2f} times", f"the {len(some)} sets")
    said(
        item.name, f"at most {max(of['AdaOPSRepaired']):.2f}", f"shares {median(of['AdaOPS']):.2f}"
    )
