"""Every mechanism, calibration and accountant; and the mechanism that docs/adding.md adds."""

import contextlib
import itertools
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from mpmath import workdps

import dpframe as dp
from dpframe.accountants import parts_of
from dpframe.pld.losses import PrivacyLoss
from dpframe.prover.derivations import DERIVATIONS
from dpframe.symbols import Number
from tests.support import samples
from tests.support.oracles import delta_of, discrete_delta, mpf, value

# ---------------------------------------------------------------------------------- Every mechanism
SIZES = [Fraction(1, 7), Fraction(1), Fraction(10)]
CLOSED_FORMS = {  # the guarantee's parameter at sensitivity s and noise c
    cls: ({dp.PureDP: "epsilon", dp.GaussianDP: "mu"}.get(cls.gives), lambda s, c: s / c)
    for cls in (
        *(dp.Gaussian, dp.mechanisms.MirroredGaussian, dp.mechanisms.FullGaussian),
        *(dp.Laplace, dp.L2Laplace, dp.DiscreteLaplace),
    )
} | {dp.DiscreteGaussian: ("rho", lambda s, c: s * s / (2 * c * c))}


every_mechanism = pytest.mark.parametrize("cls", samples.NOISES, ids=lambda c: c.__name__)
every_calibration = pytest.mark.parametrize("cls", samples.CALIBRATIONS, ids=lambda c: c.name)


def test_every_mechanism_has_a_closed_form_here():
    """And none outlives its mechanism."""
    assert set(CLOSED_FORMS) == set(samples.NOISES)


@every_mechanism
def test_the_guarantee_is_its_closed_form(cls):
    """At exact numbers the guarantee's parameter is an exact number, that of the theorem."""
    name, form = CLOSED_FORMS[cls]
    for size, sensitivity in itertools.product(SIZES, SIZES):
        guarantee = samples.NOISES[cls](size).guarantee(Number(sensitivity))
        assert getattr(guarantee, name) == Number(form(sensitivity, size))


@every_mechanism
def test_int_float_text_and_fraction_sizes_are_one(cls):
    """The same number in four spellings makes equal mechanisms."""
    sizes = [2.5, "2.5", "5/2", Fraction(5, 2), np.float64(2.5)]
    assert len({samples.NOISES[cls](size) for size in sizes}) == 1
    assert samples.NOISES[cls](2) == samples.NOISES[cls](2.0)


@pytest.mark.some(1, most=0)
@every_mechanism
@pytest.mark.parametrize(
    "size", [0, -1, "0", float("nan"), float("inf"), True, None, [1], b"1", "one", 1j]
)
def test_a_size_that_is_no_positive_number_is_refused(cls, size):
    """No noise, negative noise and no number are errors that say so."""
    with pytest.raises(dp.InvalidArgument):
        samples.NOISES[cls](size)


@pytest.mark.some(len(samples.NOISES))
@every_mechanism
def test_a_mechanism_conforms(cls):
    """As one from outside must: the guarantee, the sample, and both against each other."""
    dp.audits.check_mechanism(samples.NOISES[cls](3))


@every_calibration
def test_a_calibration_conforms(cls):
    """In every currency that it spends."""
    dp.audits.check_calibration(cls)


def budget(cls, factor=1):
    """The sample budget of a calibration, epsilon times `factor`."""
    epsilon, delta = samples.CALIBRATIONS[cls]
    target = dp.ApproxDP(Fraction(epsilon) * factor, delta)
    return target.budget if target.budget.currency in cls.currencies else dp.PureDP(epsilon).budget


def size_of(cls, share, sensitivity=1):
    """The size of the noise that a calibration prescribes, at 50 digits."""
    return value(cls.calibrate(share, Number(Fraction(sensitivity))).formula, {})


@pytest.mark.some(1, most=0)
@every_calibration
@pytest.mark.parametrize("factor", [Fraction(1, 100), Fraction(1, 3), Fraction(1)])
def test_a_calibration_earns_its_share(cls, factor):
    """The exact profile of the prescribed noise is inside the share."""
    share = budget(cls, factor)
    size = size_of(cls, share, 7)
    epsilon, delta = share.epsilon.value, share.delta.value
    with workdps(50):
        if cls.mechanism is dp.DiscreteGaussian:
            assert discrete_delta(epsilon, size, 7) <= mpf(delta)
        elif cls.mechanism.gives is dp.PureDP:
            assert 7 / size <= mpf(epsilon) * (1 + mpf("1e-45"))
        else:
            assert delta_of(epsilon, 7 / size) <= mpf(delta) * (1 + mpf("1e-40"))


def test_the_analytic_std_is_never_above_the_classical():
    """Where both are proved, exact is at most classical."""
    for epsilon in ("0.1", "0.5", "0.99"):
        share = dp.ApproxDP(epsilon, "1e-6").budget
        names = ("analytic", "classical", "kamath_ullman")
        stds = [size_of(getattr(dp.Gaussian, name), share) for name in names]
        assert stds == sorted(stds)


def test_the_analytic_std_in_other_currencies():
    """rho = 1/8 and mu = 1/2 both afford exactly the std 2 at sensitivity 1."""
    for target in (dp.ZeroConcentratedDP("1/8"), dp.GaussianDP("1/2")):
        assert size_of(dp.Gaussian.analytic, target.budget) == 2


# ------------------------------- The mechanism of docs/adding.md conforms, and no mutant of it does
PAGE = Path(dp.__file__).parents[1] / "docs" / "adding.md"
CELLS = re.findall(r"```\{code-cell\} ipython3\n(.*?)```", PAGE.read_text(), re.DOTALL)
(CELL,) = [cell for cell in CELLS if "dp.mechanisms.AdditiveNoise" in cell]


def checked(cell=CELL):
    """Check what the cell declares; the first cell of the page has the imports."""
    names = {"__name__": "own_mechanism"}
    exec(CELLS[0] + cell, names)
    dp.audits.check_mechanism(names["Logistic"](scale=2))
    dp.audits.check_calibration(names["LogisticPure"]())


def test_the_mechanism_of_the_page_conforms():
    """And its calibration; the cell has at most thirty lines, imports and blank lines included."""
    checked()
    assert len(CELL.strip().splitlines()) <= 30


DRAW = "rng.logistic(0.0, size, shape)"
MUTANTS = {
    ("sensitivity / self.scale", "sensitivity / self.scale / self.scale"): "draws hide",
    ("dp.PureDP(sensitivity / self.scale)", "dp.PureDP(self.scale / sensitivity)"): "never costs",
    ("converter=positive_formula", ""): "is refused",
    ("(cache_hash=True)\nclass Logistic(", "(eq=False)\nclass Logistic("): "one value",
    ("sensitivity / share.epsilon", "sensitivity / share.epsilon / 2"): "inside the share",
    ("sensitivity / share.epsilon", "sensitivity * share.epsilon"): "more budget",
    ("sensitivity / share.epsilon", "sensitivity ** 2 / share.epsilon"): "scales",
    ('dp.constant("1.8138")', 'dp.constant("1")'): "std of its draws",
    (" if symmetric else noise", " if 0 else noise"): "symmetric",
    (DRAW, "np.random.default_rng().logistic(0.0, size, shape)"): "equal",
    (DRAW, "rng.logistic(0.0, size, shape[-1:])"): "its shape",
    (DRAW, "rng.logistic(0.0, size) + np.zeros(shape)"): "of its own",
    (DRAW, "rng.uniform(-size, size, shape) * np.pi"): "draws hide",
    (DRAW, "rng.normal(0.0, 1.8138 * size, shape)"): "draws hide",
    ('currencies = (("epsilon",), ("epsilon", "delta"))', "currencies = None"): "currency",
}


@pytest.mark.parametrize(("old", "new"), MUTANTS, ids=[new for _, new in MUTANTS])
def test_a_wrong_mechanism_does_not_conform(old, new):
    """Each mutant of the cell fails the check that says what is wrong with it."""
    assert CELL.count(old) == 1
    with pytest.raises(dp.errors.NonConforming) as refusal:
        checked(CELL.replace(old, new))
    assert MUTANTS[old, new] in refusal.value.property


# --------------------------------------------------------- Every accountant adds what releases cost
# Nothing, one, any order, more is more. The additive ones have a total besides; tests of `total`
# are over these.

ADDITIVE = [
    cls for cls in samples.ACCOUNTANTS if issubclass(cls, dp.accountants.AdditiveAccountant)
]
additive = pytest.mark.parametrize("cls", ADDITIVE, ids=lambda cls: cls.__name__)
every = pytest.mark.parametrize("cls", samples.ACCOUNTANTS, ids=lambda cls: cls.__name__)


def refused(accountant, what):
    """The error that refuses a part; None where it is added."""
    try:
        accountant.epsilon(parts_of(what), Fraction(1, 10**6))
    except dp.InvalidArgument as refusal:
        return refusal
    return None


@pytest.mark.some(len(samples.ACCOUNTANTS))
@every
def test_an_accountant_conforms(cls):
    """As one from outside must: what it answers, refuses, and never understates."""
    dp.audits.check_accountant(cls(), *samples.ACCOUNTANTS[cls])


@every
def test_what_an_accountant_cannot_add_is_refused_with_a_way_out(cls):
    """Each kind of guarantee, and a loss, is added or refused; a refusal says what to do."""
    known = [dp.PureDP(1), dp.ApproxDP(1, "1e-9"), dp.GaussianDP(1), dp.ZeroConcentratedDP(1)]
    for what in [*known, dp.pld.GaussianLoss(1)]:
        refusal = refused(cls(), what)
        assert refusal is None or refusal.way_out
        assert refusal is None or not (isinstance(what, PrivacyLoss) and cls.reads_losses)


def amounts(guarantee):
    """What composition adds up, in numbers."""
    return [value(amount, {}) for amount in guarantee.amounts]


@additive
def test_totals(cls):
    """The total of one guarantee is that guarantee; neither order nor grouping matters; more
    releases cost more in every amount that they spend; none costs nothing, or is refused as no
    guarantee.
    """
    sample, total = samples.ACCOUNTANTS[cls], cls().total
    assert all(amounts(total([one])) == amounts(one) for one in sample)
    assert len({tuple(amounts(total([*some]))) for some in itertools.permutations(sample)}) == 1
    first, *rest = sample
    assert amounts(total([first, total(rest)])) == amounts(total(sample))
    for k in range(1, len(sample)):
        fewer, more = amounts(total(sample[:k])), amounts(total(sample[: k + 1]))
        assert more[0] > fewer[0]
        assert all(b >= a for a, b in zip(fewer, more, strict=False))
    with contextlib.suppress(dp.InvalidArgument):
        none = total([])
        assert amounts(none) == [0] * len(none.amounts)


@additive
def test_an_accountant_admits_its_own_kind_and_cites_its_theorem(cls):
    """Its own guarantees pass unchanged; what no theorem converts is None."""
    accountant = cls()
    assert accountant.citation.startswith("[")
    for guarantee in samples.ACCOUNTANTS[cls]:
        assert accountant.admit(guarantee) == guarantee
    strangers = [dp.ApproxDP(1, 0.1), dp.GaussianDP(1), dp.ZeroConcentratedDP(1), dp.PureDP(1)]
    for guarantee in strangers:
        admitted = accountant.admit(guarantee)
        assert admitted is None or isinstance(admitted, (cls.adds, dp.PureDP))


def test_totals_in_numbers():
    """Gaussians of 3 and 4 make 5; basic composition of pure guarantees is pure."""
    gaussian, basic = dp.accountants.GaussianAccountant(), dp.accountants.BasicAccountant()
    assert value(gaussian.total([dp.GaussianDP(3), dp.GaussianDP(4)]).mu, {}) == 5
    assert basic.total([dp.PureDP(1), dp.PureDP("1/2")]) == dp.PureDP("3/2")


@every
def test_certify_takes_every_accountant(cls):
    """Each is a derivation of its own, by name and by object, and says what it is in words."""
    assert DERIVATIONS[cls.name].accountant == cls()
    target, setting = dp.ApproxDP(1, "1e-6"), samples.setting()
    found = dp.examine(
        dp.literature.AdaSSPBudget(), target=target, setting=setting, accountant=cls()
    )
    assert found.accountant == cls.name
    assert {attempt.name for attempt in found.attempts} <= {cls.name}
    assert cls.argument
