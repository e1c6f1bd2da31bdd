"""What fits into a budget: sums by Fractions, runs of mixed kinds, and why rules are not mixed."""

import itertools
import random
from fractions import Fraction

import mpmath
import pytest

import dpframe as dp
from dpframe.budgets.ledger import Cost
from dpframe.budgets.ledger.accounts import chord
from dpframe.privacy import Unit
from tests.ledger.curves import MILLIONTH, bisect, bisect_mu
from tests.support.oracles import delta_of, mpf


# ---------------------------------------------------------------------------------------- What fits
def test_ten_tenths_are_one(ledger, spend, cost):
    """0.1 is the exact tenth, so ten fit 1 and the eleventh part of 1e-30 does not."""
    for _ in range(10):
        spend(ledger, "survey", dp.PureDP(0.1))
    account = ledger.account("survey")
    assert (account.runs, account.unfinished) == (10, 0)
    assert [part.value for part in account.spent.amounts] == [1]
    before = ledger.head
    with (
        pytest.raises(dp.BudgetExceeded, match="epsilon 0 of 1 is left"),
        ledger.charging("survey", cost(dp.PureDP("1e-30"))),
    ):
        pytest.fail("the body ran")
    assert ledger.head == before


@pytest.mark.parametrize(
    ("budget", "part"),
    [
        (dp.ApproxDP(1, "1e-6"), dp.ApproxDP("0.1", "1e-7")),
        (dp.ZeroConcentratedDP(1), dp.ZeroConcentratedDP("0.1")),
        (dp.GaussianDP(1), dp.GaussianDP(dp.sqrt(Fraction(1, 10)))),
        (dp.PureDP("1e-300"), dp.PureDP("1e-301")),
    ],
)
def test_ten_tenths_of_every_kind(ledger, spend, cost, budget, part):
    """rho, mu^2, epsilon and delta add exactly; the eleventh is refused."""
    ledger.create("other", budget, relation=dp.ADD_REMOVE)
    for _ in range(10):
        spend(ledger, "other", part)
    assert not any(left.value for left in ledger.account("other").remaining.amounts)
    assert not ledger.fits("other", cost(part))


def test_the_whole_budget_in_one_run(ledger, cost):
    """Whatever else the run states: its own budget fits, by sums if the ceilings round below it."""
    mu = Fraction(int(bisect_mu() * 2**100), 2**100)
    run = cost(dp.ApproxDP(1, MILLIONTH), dp.GaussianDP(mu))
    for by, fits in ((None, True), (dp.GaussianDP, False)):
        ledger.create(str(by), dp.ApproxDP(1, MILLIONTH), relation=dp.ADD_REMOVE, by=by)
        assert ledger.fits(str(by), run) is fits


@pytest.mark.slow
def test_the_ceilings_inside_a_budget_are_sharp(ledger):
    """mu* by bisection of the profile; rho* by bisection of [CanonneKS20, Prop 12] minimised over
    the order on a fine grid: never above, and within 1e-9 below.
    """

    def log_delta(rho):
        orders = [mpmath.exp(mpmath.mpf(k) / 50) for k in range(-100, 400)]
        return min(
            a * (rho * (a + 1) - 1) + a * mpmath.log(a / (1 + a)) - mpmath.log(1 + a)
            for a in orders
        )

    mu = bisect_mu()
    with mpmath.workdps(20):
        rho = bisect(lambda rho: log_delta(rho) <= mpmath.log(mpf(MILLIONTH)), 1e-4, 1.0)
    for kind, truth, slack in ((dp.GaussianDP, mu**2, 1e-12), (dp.ZeroConcentratedDP, rho, 1e-4)):
        account = ledger.create(
            kind.kind, dp.ApproxDP(1, MILLIONTH), relation=dp.ADD_REMOVE, by=kind
        )
        (ceiling,) = (part.value for part in account.remaining.amounts)
        if kind is dp.GaussianDP:
            assert mpf(ceiling) <= truth
        assert abs(mpf(ceiling) / truth - 1) < slack


@pytest.mark.parametrize("epsilon", ["1e-9", "0.1", "1", "3", "40", "999"])
def test_the_chord_implies_and_is_sharp(epsilon):
    """Phi(-mu/2) <= 1/(1 + e^epsilon) at 500 digits, and not for a mu smaller by one in 10^13."""
    exact = Fraction(epsilon)
    mu = chord(exact)
    with mpmath.workdps(500):
        bound = 1 / (1 + mpmath.exp(mpf(exact)))
        assert mpmath.erfc(mpf(mu) / mpmath.sqrt(8)) / 2 <= bound
        assert mpmath.erfc(mpf(mu) * (1 - mpmath.mpf("1e-13")) / mpmath.sqrt(8)) / 2 > bound


@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
def test_the_chord_bounds_the_curve_everywhere(epsilon):
    """The trade-off curve of mu-Gaussian DP lies below that of epsilon-DP on a grid of errors; with
    mu a hundredth smaller it does not (the control).
    """
    e, grid = mpf(Fraction(epsilon)), [mpmath.mpf(k) / 400 for k in range(1, 400)]

    def inside(mu):
        gaussian = [mpmath.ncdf(-_quantile(a) - mu) for a in grid]
        pure = [max(0, 1 - mpmath.exp(e) * a, mpmath.exp(-e) * (1 - a)) for a in grid]
        return all(g <= p for g, p in zip(gaussian, pure, strict=True))

    def _quantile(a):
        return mpmath.sqrt(2) * mpmath.erfinv(2 * a - 1)

    with mpmath.workdps(20):
        assert inside(mpf(chord(Fraction(epsilon))))
        assert not inside(mpf(chord(Fraction(epsilon))) * mpmath.mpf("0.9"))


def test_an_exception_in_the_body_stays_charged(ledger, cost):
    """It counts, and is shown as not finished."""

    def fail():
        with ledger.charging("survey", cost(dp.PureDP("0.7"))) as charge:
            assert ledger.charges("survey")[-1] == charge  # committed before the body
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    (found,) = ledger.charges("survey")
    assert found.status == "charged, not finished"
    assert ledger.account("survey").unfinished == 1
    assert "1 of them not finished" in str(ledger.account("survey"))
    assert not ledger.fits("survey", cost(dp.PureDP("0.4")))


def test_the_first_run_settles_the_unit_where_nothing_was_said(tmp_path):
    """Then another unit is refused, also after the file was opened again, and in the export."""
    path = tmp_path / "budget.sqlite"
    ledger = dp.Ledger(path)
    ledger.create("survey", dp.PureDP(1))
    assert ledger.account("survey").unit is None
    units = [Unit(dp.REPLACE_ONE, 2), Unit(dp.ADD_REMOVE, 1)]
    first, second = (Cost(dp.PureDP("0.1"), unit, "a" * 64) for unit in units)
    with ledger.charging("survey", first):
        pass
    again = dp.Ledger(path)
    assert again.account("survey").unit == units[0]
    assert '"relation": "replace_one"' in again.export()
    with pytest.raises(dp.InvalidArgument, match="unit"):
        again.admits("survey", second)
    again.verify()


def test_rows_of_a_person_need_a_relation(tmp_path):
    """Half a unit is none."""
    with pytest.raises(dp.InvalidArgument, match="relation must be"):
        dp.Ledger(tmp_path / "budget.sqlite").create("survey", dp.PureDP(1), rows_per_person=2)


# ---------- Runs of mixed kinds against plain Fractions, and why the rules themselves are not mixed
KINDS = {
    "pure": lambda rng: dp.PureDP(Fraction(rng.randint(1, 40), 200)),
    "approx": lambda rng: dp.ApproxDP(
        Fraction(rng.randint(1, 40), 200), Fraction(rng.randint(1, 40), 10**8)
    ),
    "zcdp": lambda rng: dp.ZeroConcentratedDP(Fraction(rng.randint(1, 40), 2000)),
    "gaussian": lambda rng: dp.GaussianDP(Fraction(rng.randint(1, 40), 400)),
}


def offers(guarantee, kind):
    """What a guarantee takes from a total, from the textbook; None without a theorem."""
    own, numbers = guarantee.kind, [part.value for part in guarantee.amounts]
    if own == kind:
        return numbers
    if own == "pure":
        (epsilon,) = numbers
        mu = chord(epsilon)
        return {"approx": [epsilon, Fraction(0)], "zcdp": [epsilon**2 / 2], "gaussian": [mu * mu]}[
            kind
        ]
    return [numbers[0] / 2] if (own, kind) == ("gaussian", "zcdp") else None


class ByHand:
    """A budget by Fractions: alternatives compared, totals dropped when a run does not fit them."""

    def __init__(self, ceilings):
        self.left = {kind: list(amounts) for kind, amounts in ceilings.items()}

    def admit(self, guarantees):
        """Whether it fits: some total holds the cheapest alternative."""
        kept = {}
        for kind, left in self.left.items():
            found = [one for one in (offers(g, kind) for g in guarantees) if one is not None]
            ranked = sorted(found, key=lambda one: self._part(one, left))
            if ranked and all(a <= b for a, b in zip(ranked[0], left, strict=True)):
                kept[kind] = [b - a for a, b in zip(ranked[0], left, strict=True)]
        self.left = kept or self.left
        return bool(kept)

    @staticmethod
    def _part(offer, left):
        over = any(a > b for a, b in zip(offer, left, strict=True))
        return over, max([a / b for a, b in zip(offer, left, strict=True) if b], default=0)


PLANS = {
    "pure": (dp.PureDP(1), None),
    "approx": (dp.ApproxDP(1, MILLIONTH), dp.ApproxDP),
    "zcdp": (dp.ZeroConcentratedDP("0.1"), None),
    "gaussian": (dp.GaussianDP("0.4"), None),
    "approx by zcdp": (dp.ApproxDP(1, MILLIONTH), dp.ZeroConcentratedDP),
    "approx by gaussian": (dp.ApproxDP(1, MILLIONTH), dp.GaussianDP),
}


@pytest.mark.parametrize("name", PLANS)
def test_mixed_runs_against_sums_by_hand(ledger, cost, name):
    """Random runs with one to three alternatives of random kinds: the same are admitted, and the
    same is left, as by plain Fractions.
    """
    rng, (budget, by) = random.Random(name), PLANS[name]
    account = ledger.create(name, budget, relation=dp.ADD_REMOVE, by=by)
    ceilings = {one.kind.kind: one.remaining for one in account.totals}
    by_hand, verdicts = ByHand(ceilings), set()
    for _ in range(40):
        kinds = rng.sample(sorted(KINDS), rng.randint(1, 3))
        run = cost(*(KINDS[kind](rng) for kind in kinds))
        expected, admitted = by_hand.admit(run.guarantees), True
        try:
            with ledger.charging(name, run):
                pass
        except (dp.BudgetExceeded, dp.InvalidArgument):
            admitted = False
        assert admitted is expected
        verdicts.add(admitted)
    left = {one.kind.kind: list(one.remaining) for one in ledger.account(name).totals}
    assert left == by_hand.left
    assert verdicts == {True, False}


@pytest.mark.slow
def test_the_best_rule_chosen_late_exceeds_the_budget():
    """After one Gaussian release, go on by sums where the loss was small and by mu^2 where it was
    large: each branch fits its own rule inside (1, 1e-6), and delta at epsilon = 1 is above 1e-6.
    By either rule alone it is not (the controls). Integrated at 30 digits.
    """
    with mpmath.workdps(30):
        delta, first, share = mpmath.mpf("1e-6"), mpmath.mpf("0.1"), mpmath.mpf("0.5")
        second = mpmath.sqrt(bisect_mu() ** 2 - first**2)
        confess = delta - delta_of(share, first)

        def by_sums(epsilon):
            if epsilon >= 1 - share:
                return confess
            top = mpmath.exp(1 - share)
            answer = (top - mpmath.exp(epsilon)) / (1 + top)
            return confess + (1 - confess) * max(answer, 1 - mpmath.exp(epsilon))

        def by_squares(epsilon):
            return delta_of(epsilon, second)

        def total(choose):
            loss = first**2 / 2
            nodes = [loss + first * k / 2 for k in range(-16, 24)]
            nodes = sorted({*nodes, share})
            weight = lambda x: mpmath.npdf(x, loss, first) * choose(1 - x)  # noqa: E731
            return mpmath.quad(weight, nodes, maxdegree=5)

        assert total(by_sums) <= delta * (1 + mpmath.mpf("1e-9"))
        assert abs(total(by_squares) / delta - 1) < mpmath.mpf("1e-9")
        assert total(lambda x: max(by_sums(x), by_squares(x))) > delta * mpmath.mpf("1.2")


def test_so_the_first_run_settles_the_rule(ledger, spend, cost):
    """Begun by mu^2, a run that only sums could hold is refused, with the way out; in a data set
    begun by sums it fits.
    """
    budget, only = dp.ApproxDP(1, MILLIONTH), dp.ApproxDP("0.1", "1e-8")
    both = (only, dp.GaussianDP("0.02"))
    for name in ("squares", "sums"):
        ledger.create(name, budget, relation=dp.ADD_REMOVE)
    spend(ledger, "squares", *both)
    spend(ledger, "sums", only)
    with pytest.raises(dp.InvalidArgument, match="counted in mu\\^2, fixed by its first charge"):
        ledger.fits("squares", cost(only))
    assert ledger.fits("sums", cost(*both))
    assert [one.kind for one in ledger.account("squares").totals] == [dp.GaussianDP]
    assert [one.kind for one in ledger.account("sums").totals] == [dp.ApproxDP]


def test_gaussian_runs_fit_more_often_by_squares(ledger, cost):
    """(1/4, 2.5e-7) each with its mu: 4 by sums, floor(mu*^2 / mu^2) by squares."""
    part = (Fraction(1, 4), MILLIONTH / 4)
    mu = bisect(lambda m: delta_of(mpf(part[0]), m) <= mpf(part[1]), mpmath.mpf("1e-3"), 1)
    stated = Fraction(int(mu * 10**12), 10**12)
    run = cost(dp.ApproxDP(*part), dp.GaussianDP(stated))
    expected = int(bisect_mu() ** 2 / mpf(stated) ** 2)
    for by, count in ((dp.ApproxDP, 4), (None, expected)):
        ledger.create(str(by), dp.ApproxDP(1, MILLIONTH), relation=dp.ADD_REMOVE, by=by)
        admitted = 0
        while ledger.fits(str(by), run):
            with ledger.charging(str(by), run):
                admitted += 1
        assert admitted == count
    assert expected > 10


def test_of_two_alternatives_the_lighter_is_taken(ledger, spend):
    """By the part of what is left, epsilon and delta together: exhaustively over pairs."""
    budget = dp.ApproxDP(1, MILLIONTH)
    sizes = [(Fraction(1, 2), 0), (Fraction(1, 4), MILLIONTH / 3), (Fraction(1, 8), MILLIONTH)]
    for pair in itertools.permutations(sizes, 2):
        name = str(pair)
        ledger.create(name, budget, relation=dp.ADD_REMOVE, by=dp.ApproxDP)
        stated = [dp.ApproxDP(e, d) if d else dp.PureDP(e) for e, d in pair]
        charge = spend(ledger, name, *stated)
        lightest = min(pair, key=lambda one: max(one[0], one[1] / MILLIONTH))
        assert charge.prices == {"approx": lightest}
