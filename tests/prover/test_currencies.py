"""Half, exact and double noise is judged in every currency, as an oracle that shares no formula
with dpframe judges it.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction

import attrs
import mpmath
import numpy as np
import pytest
from scipy import stats

import dpframe as dp
from docs.generate.pages.currencies import (
    BEGIN,
    CURRENCIES,
    END,
    FACTORS,
    MECHANISMS,
    PAGE,
    exact_size,
    judged,
    table,
)
from dpframe.accountants.single import inside, mu_of, rho_of
from dpframe.audits import read_description
from dpframe.graph.procedures.perturbed import minimiser
from dpframe.graph.statistics import Statistic
from dpframe.mechanisms import DiscreteGaussian, DiscreteLaplace
from dpframe.numerics import working
from dpframe.prover import Verdict, algebra
from tests.support import noise_costs, samples

HALF = Fraction(1, 2)
CELLS = [(kind, name) for name in CURRENCIES for kind in MECHANISMS]
LOSSES = {
    "gaussian": lambda size, move: dp.pld.GaussianLoss(move / size),
    "laplace": lambda size, move: dp.pld.LaplaceLoss(move / size),
    "discrete gaussian": lambda size, move: dp.pld.DiscreteGaussianLoss(size**2, move),
    "discrete laplace": lambda size, move: dp.pld.DiscreteLaplaceLoss(1 / size, move),
}
POINTS = [(Fraction(3, 10), 1), (Fraction(1), 1), (Fraction(7, 3), 3), (Fraction(6), 2)]


@pytest.mark.some(20)
@pytest.mark.parametrize(("kind", "name"), CELLS)
def test_every_cell(kind, name):
    """Half is refuted, exact and double are proved; or no size is enough."""
    size = exact_size(kind, name)
    lines = [judged(kind, name, factor) for factor in FACTORS.values()]
    if size is None:
        assert "normal" not in kind
        assert [line.claim for line in lines] == ["refuted"] * 3
        assert all("no bound" in line.witness for line in lines)
        return
    assert [line.claim for line in lines] == ["refuted", "proved", "proved"]


@pytest.mark.some(20)
@pytest.mark.parametrize(("kind", "name"), CELLS)
def test_exact_sizes_are_those_of_the_oracle(kind, name):
    """A billionth less noise costs more than the share; half of it, what the refutation says."""
    size, (_, currency, amount, epsilon) = exact_size(kind, name), CURRENCIES[name]
    if size is None:
        assert noise_costs.cost(kind, 10, 1, currency) == noise_costs.INFINITE
        return
    least = size * (1 - Fraction(1, 10**9))
    most = noise_costs.number(amount) * (1 + mpmath.mpf("1e-14"))
    assert noise_costs.cost(kind, size, 1, currency, epsilon) <= most
    assert noise_costs.cost(kind, least, 1, currency, epsilon) > most
    assert noise_costs.cost(kind, size / 2, 1, currency, epsilon) > most


@pytest.mark.some(4)
@pytest.mark.parametrize("kind", LOSSES)
@pytest.mark.parametrize(("size", "move"), POINTS)
def test_costs_agree_with_the_oracle(kind, size, move):
    """rho and mu^2, and a decision a billionth to either side of them."""
    loss = LOSSES[kind](size, move)
    rho, square = (noise_costs.cost(kind, size, move, name) for name in ("rho", "mu^2"))
    with working(128):
        assert float(rho_of(loss).mid()) == pytest.approx(float(rho), rel=1e-12)
        if kind != "discrete gaussian":
            assert float((mu_of(loss) ** 2).mid()) == pytest.approx(float(square), rel=1e-12)
    for name, cost in (("rho", rho), ("mu^2", square)):
        for near, verdict in ((Fraction(1, 10**9), True), (-Fraction(1, 10**9), False)):
            amount = Fraction(mpmath.nstr(cost, 25)) * (1 + near)
            assert inside(loss, (name,), (amount,)) is verdict


def test_discrete_gaussian_noise_has_more_mu_than_the_normal_law():
    """Its mu at the normal law's is refuted, and slightly more noise is proved: from both sides."""
    for sigma in (1, 3, 5):
        loss = dp.pld.DiscreteGaussianLoss(sigma**2, 1)
        assert inside(loss, ("mu^2",), (Fraction(1, sigma**2),)) is False
        assert inside(loss, ("mu^2",), (Fraction(12, 10 * sigma**2),)) is True


@pytest.mark.page
def test_the_table_is_fresh():
    """docs/proofs/currencies.md holds what the command prints."""
    page = PAGE.read_text()
    start = page.index(BEGIN) + len(BEGIN)
    assert page[start : page.index(END, start)] == table(), "run the command with --write"


DESCRIPTION = """
title = "a count"
relation = "add-remove"

[claim]
{claim}

[rows]
norm = 1

[[release]]
name = "count"
statistic = "n"
mechanism = "{kind}"
{size}
share = "{share}"
"""
CLAIMS = {
    "epsilon": ("epsilon = 2", "epsilon/2"),
    "epsilon, delta": ("epsilon = 2\ndelta = 2e-6", "epsilon/2, delta/2"),
    "rho": ("rho = 0.2", "rho/2"),
    "mu^2": ("mu = 0.7", "mu^2/2"),
    "order 8": ("order = 8\nepsilon = 2", "epsilon/2"),
}


@pytest.mark.some(4)
@pytest.mark.parametrize(("kind", "name"), CELLS)
def test_descriptions_are_judged_alike(kind, name, tmp_path):
    """The same cells, from TOML."""
    claim, share = CLAIMS[name]
    for factor in FACTORS.values():
        size = factor * (exact_size(kind, name) or 1)
        word = "std" if "gaussian" in kind else "scale"
        path = tmp_path / "count.toml"
        text = f'{word} = "{size.numerator}/{size.denominator}"'
        path.write_text(DESCRIPTION.format(claim=claim, kind=kind, size=text, share=share))
        found = read_description(path)
        audit = dp.audit(found.regression, target=found.target, setting=found.setting)
        own = judged(kind, name, factor)
        assert (audit.lines[0].claim, audit.lines[0].witness) == (own.claim, own.witness)


def test_a_renyi_claim_is_for_audits():
    """Shares of another order are another currency; no certificate states one."""
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    regression = Mutant(noises=(dp.Gaussian(2),), weights=(Fraction(1),))
    target = dp.RenyiDP(8, 1)
    audit = dp.audit(regression, target=target, setting=setting)
    assert (audit.verdict, audit.certificate) == (Verdict.PROVED, None)
    assert "satisfies (8, 1)-Renyi differential privacy" in audit.sentence
    with pytest.raises(dp.InvalidArgument, match="judges it"):
        dp.certify(regression, target=target, setting=setting)
    more = dp.RenyiDP(8, "0.999")
    assert dp.audit(regression, target=more, setting=setting).verdict is Verdict.REFUTED
    other = Foreign(share=dp.RenyiDP(4, 1).budget)
    judged = dp.audit(other, target=target, setting=setting)
    assert judged.verdict is not Verdict.PROVED
    assert judged.plan_verdict is Verdict.REFUTED
    for order in (1, "1/2", dp.parameter("alpha", 1)):
        with pytest.raises(dp.InvalidArgument, match="order"):
            dp.RenyiDP(order, 1)


class Foreign(dp.Regression):
    """n for a share of another budget."""

    share: object = attrs.field(default=None)

    def declare(self, X, y, budget):
        """One release."""
        return dp.release(dp.count(X), dp.Gaussian(2), self.share, name="n")


# ------------------------------------------------------------------------ mutants
def _statistic(X, y, noise):
    """n with whole noise; with noise on the line the sum of labels, if there are labels, because
    rounding onto whole numbers hides a part of its cost.
    """
    return dp.count(X) if noise.integer or y is None else y.sum()


class Mutant(dp.Regression):
    """A statistic of sensitivity 1, several times, with stated noise, each for a share of the
    budget.
    """

    noises: tuple = attrs.field(default=())
    weights: tuple = attrs.field(default=())

    def declare(self, X, y, budget):
        """As many releases as noises."""
        shares = budget.split(*self.weights)
        named = enumerate(zip(self.noises, shares, strict=True))
        return tuple(
            dp.release(_statistic(X, y, noise), noise, share, name=f"release{i}")
            for i, (noise, share) in named
        )


KINDS = {
    "gaussian": dp.Gaussian,
    "laplace": dp.Laplace,
    "discrete gaussian": DiscreteGaussian,
    "discrete laplace": DiscreteLaplace,
}


def near(kind, currency, amount, rows, epsilon):
    """About the size that an amount needs, from formulas that are only a start."""
    mu = {"rho": (2 * amount) ** 0.5, "mu^2": amount**0.5}.get(currency, float(epsilon) / 3)
    pure = "laplace" in kind
    scale = {"epsilon": amount, "delta": float(epsilon)}.get(currency, mu / 1.2)
    return rows / (scale if pure else mu)


def mutant(seed):
    """A random declaration: its target, the kinds and sizes of its noises, their shares."""
    rng = random.Random(seed)
    rows = rng.choice([1, 1, 1, 2])
    currency = rng.choice(["epsilon", "epsilon, delta", "rho", "mu^2", "rho", "mu^2"])
    whole = Fraction(rng.randint(4, 40), 20)
    target = {
        "epsilon": lambda: dp.PureDP(whole),
        "epsilon, delta": lambda: dp.ApproxDP(whole, "1e-5"),
        "rho": lambda: dp.ZeroConcentratedDP(whole),
        "mu^2": lambda: dp.GaussianDP(whole),
    }[currency]()
    parts = [rng.randint(1, 5) for _ in range(rng.randint(1, 3))]
    slack = rng.choice([0, 0, 0, 1])  # a share that is left, or none
    weights = [Fraction(part, sum(parts) + slack) for part in parts]
    if rng.random() < 0.1:
        weights[0] += Fraction(1, 1000)  # together more than the whole, where nothing is left
    amounts = [[weight * amount for amount in target.amounts] for weight in weights]
    found = []
    for weight, amount in zip(weights, amounts, strict=True):
        kind = rng.choice([*KINDS])
        if currency == "epsilon" and rng.random() < 0.8:
            kind = rng.choice(["laplace", "discrete laplace"])
        name = "delta" if "delta" in currency else currency
        limit = [one.value for one in amount_values(amount)]
        start = near(
            kind, name, float(limit[-1] if name != "epsilon" else limit[0]), rows, limit[0]
        )
        factor = rng.choice([rng.uniform(0.5, 2), rng.uniform(0.95, 1.05), 1])
        found.append((kind, Fraction(f"{start * factor:.9f}"), limit, weight))
    return currency, target, rows, found


def amount_values(amounts):
    """The numbers of formulas that are numbers."""
    assert all(isinstance(one, dp.symbols.Number) for one in amounts)
    return amounts


def true_total(currency, target, rows, found):
    """Whether all draws together cost at most the target, for certain not where False: sums of
    divergences over orders, of largest losses; and for the rest that no draw alone costs more.
    """
    limit = [one.value for one in target.amounts]
    if currency == "epsilon":
        costs = [noise_costs.cost(kind, size, rows, "epsilon") for kind, size, _, _ in found]
        return mpmath.fsum(costs) <= noise_costs.number(limit[0]) * (1 + mpmath.mpf("1e-15"))
    if currency == "rho":
        for order in map(mpmath.mpf, ("1.0001", "1.1", "2", "4")):
            sizes = ((kind, noise_costs.number(size)) for kind, size, _, _ in found)
            parts = [noise_costs.divergence(k, s, mpmath.mpf(rows), order) for k, s in sizes]
            if mpmath.fsum(parts) / order > noise_costs.number(limit[0]) * (
                1 + mpmath.mpf("1e-12")
            ):
                return False
        return True
    name, epsilon = ("delta", limit[0]) if len(limit) > 1 else ("mu^2", 0)
    costs = [noise_costs.cost(kind, size, rows, name, epsilon) for kind, size, _, _ in found]
    return max(costs) <= noise_costs.number(limit[-1]) * (1 + mpmath.mpf("1e-12"))


def audited(seed):
    """A random declaration, its audit, and what the oracle says each share costs of how much."""
    currency, target, rows, found = drawn = mutant(seed)
    regression = Mutant(
        noises=tuple(KINDS[kind](size) for kind, size, _, _ in found),
        weights=tuple(weight for *_, weight in found),
    )
    setting = samples.setting(rows_per_person=rows, bound=1)
    costs = []
    for kind, size, limit, _ in found:
        name, epsilon = ("delta", limit[0]) if len(limit) > 1 else (currency, 0)
        cost = noise_costs.cost(kind, size, rows, name, epsilon)
        costs.append((cost, noise_costs.number(limit[-1])))
    return drawn, dp.audit(regression, target=target, setting=setting), costs


SEEDS, TINY = range(360), mpmath.mpf("1e-12")


@pytest.mark.some(24, most=24)
@pytest.mark.parametrize("seed", SEEDS)
def test_no_mutant_survives(seed):
    """A share is proved only if the oracle finds its cost inside, and refuted only if above; no
    total is proved that costs more, and none is refuted that does not.
    """
    drawn, audit, costs = audited(seed)
    currency, *_, found = drawn
    whole = sum(weight for *_, weight in found)
    for line, (cost, most) in zip(audit.lines, costs, strict=True):
        if line.claim == "proved":
            assert cost <= most * (1 + TINY)
        if line.claim == "refuted":
            assert cost > most * (1 - TINY)
        assert line.claim != "unproved" or whole > 1 or abs(cost - most) <= 1e-9 * most
    if audit.verdict is Verdict.PROVED:
        assert true_total(*drawn)
    if audit.verdict is Verdict.REFUTED and currency in ("epsilon", "rho"):
        assert not true_total(*drawn)


# ------------------------------------------------------------------------ certificates and rules
def test_a_receipt_says_that_the_sum_is_not_replayed():
    """The kernel replays all of a certificate by exact shares but for their sum."""
    regression = Mutant(noises=(dp.Laplace(4), dp.Laplace(4)), weights=(HALF, HALF))
    setting = dp.Setting(X=dp.Rows(norm=1), relation=dp.ADD_REMOVE)
    certificate = dp.certify(regression, target=dp.GaussianDP(1), setting=setting)
    assert certificate.derivation == "shares"
    assert "the kernel replays the proof but for the sum of the losses" in str(certificate)
    assert not certificate.verdict.accepted
    result = dp.execute(certificate, X=[[0.1], [0.2]], rng=1)
    said = " ".join(result.receipt.assumptions)
    assert "the total of shares: the kernel replays the proof but for the sum" in said


def test_no_bound_known_refutes_nothing():
    """None from a rule is unproved, whoever wrote it; what a row of any size moves is refuted."""
    said = {
        "theirs": lambda X, y: Silent(X),
        "by released deviations": _divided,
        "unclipped": lambda X, y: X.source.T @ X.source,
    }
    verdicts = {"theirs": "unproved", "by released deviations": "unproved", "unclipped": "refuted"}
    for name, make in said.items():
        regression = Released(make=make)
        setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
        asked = {"target": dp.ApproxDP(1, "1e-6"), "setting": setting}
        audit = dp.audit(regression, **asked, trust=[Silent] if name == "theirs" else [])
        found = [one for one in audit.report.common if one.kind == "sensitivity"]
        assert [str(one.verdict) for one in found] == [verdicts[name]], name
        assert str(audit.verdict) == verdicts[name]
        if name == "theirs":
            assert "Silent.one_row" in found[0].repair
            assert dp.audit(regression, **asked).verdict is Verdict.UNPROVED


def _divided(X, y):
    del y
    deviations = dp.release(dp.graph.column_squares(X), dp.Gaussian(10))
    Z = X.divided(by=deviations, lower=1, upper=2)
    return Z.T @ Z


class Released(dp.Regression):
    """One statistic with Gaussian noise."""

    make: object = attrs.field(default=None)

    def declare(self, X, y, budget):
        """One release."""
        return dp.release(self.make(X, y), dp.Gaussian(1), budget, name="s")


@attrs.frozen(cache_hash=True)
class Silent(Statistic):
    """A statistic whose rule knows no bound."""

    kind = "silent"
    X: object

    @property
    def shape(self):
        """A number."""
        return ()

    @property
    def label(self):
        """Its name."""
        return "silent"

    def one_row(self, norm, relation):
        """None is known."""
        del norm, relation

    def compute(self, values, number):
        """Zero."""
        del values, number
        return 0.0


@pytest.mark.parametrize("noise", ["gaussian", "l2_laplace"])
def test_a_penalty_too_small_is_refuted(noise):
    """Objective perturbation in one dimension: what the witness says of an event, by the minimiser
    that is executed, at thresholds of the noise.
    """
    penalty, target = 0.01, dp.PureDP(1) if noise == "l2_laplace" else dp.ApproxDP(1, "1e-6")
    regression = Tilted(noise=noise)
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    audit = dp.audit(regression, target=target, setting=setting)
    (found,) = (o for o in audit.report.open_obligations if "log(1 + B^2/penalty)" in o.rule)
    assert found.verdict is Verdict.REFUTED
    (node,) = audit.report.problem.graph.procedures
    size = algebra.number(node.size, {}, up=True)
    law = stats.norm(scale=size) if noise == "gaussian" else stats.laplace(scale=size)

    def shown(rows, label, low, high):
        """How likely the coefficient, before it is put into its ball, is in [low, high]."""
        curve = rows**2 + penalty
        for drawn in size * np.linspace(-12, 12, 11):
            tilted = np.array([label * rows - drawn])
            own = minimiser(np.array([[rows**2]]), tilted, penalty, 1.0)[0]
            assert np.isclose(np.clip(tilted[0] / curve, -1, 1), own, atol=1e-9)
        ends = label * rows - curve * np.array([high, low])
        return float(np.diff(law.cdf(ends))[0])

    epsilon = math.e
    if noise == "gaussian":
        delta = shown(1.0, 0.0, -1, 1) - epsilon * shown(0.0, 0.0, -1, 1)
        assert delta > 1e-3
    else:
        peak = 1 / 1.01 / 2
        ratio = shown(1.0, 1.0, peak - 1e-3, peak + 1e-3) / shown(
            0.0, 0.0, peak - 1e-3, peak + 1e-3
        )
        assert ratio > epsilon


class Tilted(dp.Regression):
    """Objective perturbation with a penalty of 1/100."""

    noise: str = attrs.field(default="gaussian")

    def declare(self, X, y, budget):
        """One minimiser."""
        return dp.graph.perturbed_minimum(
            X.T @ X,
            X.T @ y,
            penalty="1/100",
            radius=1,
            share=budget,
            noise=self.noise,
            name="theta",
        )


def test_a_claim_that_is_none_at_some_numbers_has_a_witness():
    """A range that admits delta = 1, or epsilon = 0."""
    wide = dp.parameter("delta", 0, 2)
    closed = dp.parameter("epsilon", 0, None, closed="left")
    setting = samples.setting()
    for target, at in ((dp.ApproxDP(1, wide), "delta"), (dp.ApproxDP(closed, "1e-6"), "epsilon")):
        audit = dp.audit(Released(make=_gram), target=target, setting=setting)
        (found,) = (o for o in audit.report.common if o.node == "target")
        assert found.verdict is Verdict.REFUTED
        value = found.witness.values[at]
        assert value >= 1 if at == "delta" else value <= 0
        assert audit.verdict is not Verdict.PROVED


def _gram(X, y):
    del y
    return X.T @ X


def test_gaussian_noise_needs_a_delta_in_one_message():
    """However a delta of 0 comes about."""
    words = "Gaussian noise needs a delta above 0"
    setting = dp.Setting(X=dp.Rows(norm=1), relation=dp.ADD_REMOVE)
    none = dp.ApproxDP(1, "1e-6").budget.split(epsilon=(1,), delta=(0,))[0]
    for theorem in (dp.Gaussian.analytic, dp.Gaussian.classical, dp.Gaussian.kamath_ullman):
        for share in (none, dp.PureDP(1).budget):
            with pytest.raises(dp.InvalidArgument, match=words):
                theorem.calibrate(share, dp.symbols.exact(1))
    for noise in (dp.Gaussian(1), DiscreteGaussian(1)):
        regression = Mutant(noises=(noise,), weights=(Fraction(1),))
        audit = dp.audit(regression, target=dp.PureDP(1), setting=setting)
        assert words in str(audit)
        assert "Give its share a delta" in str(audit) or "give its share a delta" in str(audit)


def test_samples_count_in_what_stands_on_the_page():
    """A bound that leaves samples out is no news."""
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    audit = dp.audit(dp.regressions.NoisySGD(), target=dp.ApproxDP(2, "1e-6"), setting=setting)
    assert audit.verdict is Verdict.PROVED
    assert audit.joint.sampled
    assert audit.joint_epsilon <= 2
    assert "mu between" not in str(audit)


def declared(made, target, relation=dp.ADD_REMOVE):
    """The audit of one release."""
    setting = samples.setting(relation)
    return dp.audit(samples.declared(made), target=target, setting=setting)


def test_a_draw_of_a_sample_is_not_compared_with_its_threshold():
    """Budgets are above the threshold, so every record is kept: what costs 5/3 is inside 2."""

    def made(X, y, budget):
        kept = dp.graph.thinned(X, y, budget, 1)[0]
        return dp.release(dp.count(kept), dp.Laplace("0.6"), name="n")

    audit = declared(made, dp.PersonalizedDP({"a": 2, "b": 3}))
    assert audit.verdict is not Verdict.REFUTED


def test_what_cancels_or_is_bounded_is_not_called_unbounded():
    """A combination of statistics of unclipped rows may move by nothing."""

    def made(X, y, budget):
        rows = X.source.T @ X.source
        return dp.release(dp.trace(rows) - dp.trace(rows), dp.Gaussian(1), budget)

    assert declared(made, dp.ApproxDP(1, "1e-6")).verdict is not Verdict.REFUTED


def test_counts_of_bins_are_proved_by_their_move_in_the_norm_of_the_noise():
    """sqrt 2 in L2, where the pair in L1 would need noise for 2."""

    def made(X, y, budget):
        return dp.release(dp.graph.bin_counts(y, (0, 1)), DiscreteGaussian("1.42"), budget)

    (line,) = declared(made, dp.ZeroConcentratedDP("1/2"), dp.REPLACE_ONE).lines
    assert line.claim == "proved"
