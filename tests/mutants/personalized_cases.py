"""Mutants and variants of regressions in which each record has a budget of its own."""

from __future__ import annotations

import dpframe as dp
from dpframe.graph.joint import unit_std
from dpframe.graph.maps.weighted import SampledColumn, SampledRows, Thinning
from dpframe.graph.procedure import Squared
from dpframe.graph.statistics import Argmin
from dpframe.literature.personalized_published import (
    PersonalizedRidgePrinted,
    SampledRidgeCoded,
)
from dpframe.mechanisms import L2Laplace
from dpframe.regressions.personalized import (
    PersonalizedAdaSSP,
    PersonalizedRidge,
    PersonalizedSSP,
    SampledRidge,
    longest,
)
from tests.mutants.cases import Case, entering

OWN, DELTA = dp.each("epsilon"), dp.each("delta")
T = dp.PersonalizedDP(OWN)
BOTH, APART = dp.PersonalizedDP(OWN, "1e-6"), dp.PersonalizedDP(OWN, DELTA)
GROUPS = {"careful": "1/10", "open": 1}
B, Y, LAM, S, THRESHOLD = (dp.parameter(name) for name in ("B", "Y", "lam", "S", "t"))
PERSONALIZED: list[Case] = []


def table(relation=dp.REPLACE_ONE, norm=B, bound=Y, **more):
    """Rows of norm at most B and labels of size at most Y."""
    return dp.Setting(X=dp.Rows(norm=norm), y=dp.Column(bound=bound), relation=relation, **more)


RO, AR = table(), table(dp.ADD_REMOVE)


accept, refuse, unspellable = entering(PERSONALIZED, T, RO)


def shipped(cls, **fields):
    """What a regression of dpframe declares."""
    return cls(**fields).declare


def total(X, b):
    """The sum of everybody's epsilons."""
    return X.total(b.epsilon)


def found(X, y, weight, penalty=LAM, radius=None):
    """The weighted ridge regression."""
    inside = longest(X.radius, y.radius, LAM) if radius is None else radius
    return Argmin(X, y, Squared(), penalty, inside, 0, weight)


def rate(X, y, radius=None, size=None):
    """How far a record of weight 1 moves it, over 1/2 of the slack: 2 B (Y + B T)/lam, as printed.
    [Acharya24, Thm 3.2]
    """
    row = X.radius if size is None else size
    inside = dp.minimum(y.radius / dp.sqrt(LAM), row * y.radius / LAM) if radius is None else radius
    return 2 * row * (y.radius + row * inside) / LAM


def tight(X, y, labels=2):
    """The same, without slack: B (2 Y + B T)/lam."""
    return X.radius * (labels * y.radius + X.radius * longest(X.radius, y.radius, LAM)) / LAM


def perturbed(weight, noise, penalty=None):
    """Weights and noise stated apart: `weight` and `noise` from X, y and the budget."""

    def declare(X, y, b):
        ridge = LAM if penalty is None else penalty(X, b)
        found_ = found(X, y, weight(X, b), ridge)
        return dp.release(found_, L2Laplace(noise(X, y, b)), b, name="coefficients")

    return declare


def own(X, b):
    """epsilon/total."""
    return b.epsilon / total(X, b)


def even(X, b):
    """1/n."""
    del b
    return 1 / dp.maximum(X.rows, 1)


# ----------------------------------------------------------- output perturbation, P01 to P04, V35
refuse(
    "P01 REL: PDP-OP as printed under add/remove: the total of budgets is in weights and noise",
    shipped(PersonalizedRidgePrinted, penalty=LAM),
    at=AR,
    node="weight",
)
refuse(
    "P01w REL: the same with a public total in the noise, not in the weights",
    perturbed(own, lambda X, y, b: rate(X, y) / S),
    at=AR,
    node="weight",
)
refuse(
    "P01r SENS: a public total in the weights, the true one in the noise, replace-one",
    perturbed(lambda X, b: b.epsilon / S, lambda X, y, b: tight(X, y) / total(X, b)),
    node="coefficients",
)
accept(
    "P01s REL: PDP-OP as printed with a public total in both places, add/remove",
    shipped(PersonalizedRidgePrinted, penalty=LAM, total=S),
    at=AR,
)
refuse(
    "P02 TAINT: PDP-OP with budgets that follow from people's data",
    shipped(PersonalizedRidge, penalty=LAM),
    target=dp.PersonalizedDP(GROUPS, public=False),
    node="budgets",
)
refuse(
    "P03 SENS: PDP-OP with noise for rows in [0,1]^d, of norm sqrt d, where rows may leave it",
    perturbed(own, lambda X, y, b: rate(X, y, size=dp.sqrt(X.columns)) / total(X, b)),
    node="coefficients",
)
accept(
    "P03v SENS: the same where rows are clipped to the norm sqrt d",
    lambda X, y, b: perturbed(own, lambda X, y, b: tight(X, y) / total(X, b))(
        X.clip(norm=dp.sqrt(X.columns)), y, b
    ),
)
refuse(
    "P04 SENS: PDP-OP with weights epsilon_i, not divided by their sum, and the printed noise",
    perturbed(lambda X, b: b.epsilon, lambda X, y, b: rate(X, y) / total(X, b)),
    node="coefficients",
)
accept(
    "V35 SENS: PDP-OP at the rate lambda total/(2 B Y + B^2 T*)",
    perturbed(own, lambda X, y, b: tight(X, y) / total(X, b)),
)
refuse(
    "V35h SENS: PDP-OP at the rate lambda total/(B Y + B^2 T*): one label too few",
    perturbed(own, lambda X, y, b: tight(X, y, labels=1) / total(X, b)),
    node="coefficients",
)

# -------------------------------------------------------------------------- noise of one size only
for _name, _says, _size in (
    ("P06", "the average", lambda X, b: X.average(b.epsilon)),
    ("P07", "a public number, such as the median", lambda X, b: THRESHOLD),
    ("P08", "the largest", lambda X, b: X.largest(b.epsilon)),
):
    refuse(
        f"{_name} SENS: equal weights, noise for {_says} of the epsilons",
        perturbed(even, lambda X, y, b, size=_size: rate(X, y) * even(X, b) / size(X, b)),
        node="coefficients",
    )
refuse(
    "P09 SENS: a penalty that reads each record's epsilon",
    perturbed(own, lambda X, y, b: tight(X, y) / total(X, b), penalty=lambda X, b: LAM / b.epsilon),
    node="argmin",
)
refuse(
    "P10 SENS: a ball whose radius reads each record's epsilon",
    lambda X, y, b: dp.release(
        found(X, y, own(X, b), radius=b.epsilon), L2Laplace.pure, b, name="coefficients"
    ),
    node="argmin",
)
unspellable(
    "P11 DOM: PDP-OP without a penalty: the rate 0, read as no noise",
    lambda X, y, b: PersonalizedRidge(penalty=0).declare(X, y, b),
)
refuse(
    "P12 REL: PDP-OP for people with several rows",
    shipped(PersonalizedRidge, penalty=LAM),
    at=table(rows_per_person=2),
    node="budgets",
)


def models(X, y, weight, shares):
    """Two models at two penalties."""
    return tuple(
        dp.release(found(X, y, weight, by * LAM), L2Laplace.pure, share, name=f"model_{by}")
        for by, share in zip((1, 2), shares, strict=True)
    )


def twice(X, y, b):
    """Two models, each for the whole budget."""
    return models(X, y, own(X, b), (b, b))


def halved(X, y, b):
    """Two models, each for half."""
    return models(X, y, own(X, b), b.split_evenly(2))


refuse("P13 ALG: two models, each at everybody's whole budget", twice, node="budget")
accept("P13v ALG: two models, each at half of everybody's budget", halved)
refuse(
    "P14 TAINT: weights that read a record's own epsilon, and a target with one for everybody",
    lambda X, y, b: dp.release(found(X, y, OWN / S), L2Laplace.pure, b, name="coefficients"),
    target=dp.PureDP(1),
)


# --------------------------------------------------------------------------- sufficient statistics
def weighted(*, before=None, after=None, weight=None, noise=None, labels=None):
    """X'WX and X'Wy with weights mu/largest, and one thing changed."""

    def declare(X, y, b):
        rows = X if before is None else before(X)
        each = 1 / unit_std(b)
        factor = each / X.largest(each) if weight is None else weight(X, b)
        first = rows.weighted(factor)
        first = first if after is None else after(first)
        second = y.weighted(factor if labels is None else labels)
        gram, moment = first.T @ first, first.T @ second
        one, other = dp.jointly(b, [gram, moment]) if noise is None else noise(X, y, b)
        return dp.release(gram, one, name="gram"), dp.release(moment, other, name="moment")

    return declare


def halves(std):
    """Gaussian noise for two releases of the same mu: sqrt 2 std B^2 and sqrt 2 std B Y."""

    def noise(X, y, b):
        unit = dp.sqrt(2) * std(X, b)
        return dp.Gaussian(unit * X.radius**2), dp.Gaussian(unit * X.radius * y.radius)

    return noise


def each_mu(b):
    """mu."""
    return 1 / unit_std(b)


def share_of(X, b):
    """mu/largest."""
    return each_mu(b) / X.largest(each_mu(b))


def apart(X, y, b):
    """Noise for each statistic alone."""
    own_share = share_of(X, b) / each_mu(b)
    return dp.Gaussian(own_share * X.radius**2), dp.Gaussian(own_share * X.radius * y.radius)


accept(
    "P15i SENS: the same with an intercept, appended before weighing",
    weighted(before=lambda X: X.with_intercept()),
    target=BOTH,
)
accept(
    "P15n SENS: the same with stated noise, the largest of w/mu over all records",
    weighted(noise=halves(lambda X, b: share_of(X, b) / each_mu(b))),
    target=BOTH,
    at=AR,
)
refuse(
    "P16 SENS: intercept appended after weighing: its column has weight 1",
    weighted(after=lambda X: X.with_intercept()),
    target=BOTH,
    node="intercept",
)
refuse(
    "P18 SENS: noise of the largest weight over the largest mu, each its own largest",
    weighted(
        noise=halves(lambda X, b: X.largest(share_of(X, b)) / X.largest(each_mu(b))),
        weight=lambda X, b: dp.minimum(each_mu(b), THRESHOLD) / X.largest(each_mu(b)),
    ),
    target=BOTH,
)
refuse(
    "P18l SENS: labels unweighted, noise as if they were weighed",
    weighted(labels=1, noise=halves(lambda X, b: share_of(X, b) / each_mu(b))),
    target=BOTH,
)
accept("P18v SENS: labels unweighted, noise as derived", weighted(labels=1), target=BOTH)
refuse(
    "P19 REL: weights over their total under add/remove",
    weighted(weight=lambda X, b: each_mu(b) / X.total(each_mu(b))),
    target=BOTH,
    at=AR,
    node="weight",
)
refuse(
    "P20 ALG: personalised SSP, each statistic at the whole mu",
    weighted(noise=apart),
    target=dp.PersonalizedDP(mu=dp.each("mu")),
)
for _cls, _at, _name in ((PersonalizedSSP, RO, "V42"), (PersonalizedAdaSSP, AR, "V42a")):
    accept(f"{_name} SENS: {_cls.title}, {_at.relation}", shipped(_cls), target=APART, at=_at)


# ------------------------------------------------------------------------------------ sampling, P05
refuse(
    "P05 REL: the published sample: weights and noise read the number of records kept",
    shipped(SampledRidgeCoded, penalty=LAM),
    at=AR,
    node="coefficients",
)
refuse(
    "P05s REL: a sample whose release is private by itself, under replace-one",
    shipped(SampledRidge, penalty=LAM),
    node="sample",
)
accept(
    "P05v REL: a sample with a public number of records in weights and noise",
    shipped(SampledRidge, penalty=LAM),
    at=AR,
)


def sampled(threshold=None, coins=None, noise=L2Laplace.pure, outside=None):
    """Ridge regression on a sample, and one thing changed."""

    def declare(X, y, b):
        most = X.largest(b.epsilon) if threshold is None else threshold(X, b)
        rows, column, whole = dp.graph.thinned(X, y, b, most)
        if coins is not None:
            other = Thinning(most, coins(b))
            rows, column = SampledRows(X, other), SampledColumn(y, other)
        seen = Argmin(rows, column, Squared(), LAM, longest(X.radius, y.radius, LAM), 0)
        stated = noise if noise is L2Laplace.pure else noise(X, y, most)
        first = dp.release(seen, stated, whole, name="coefficients")
        if outside is None:
            return first
        return first, outside(X, y, b, rows, column, whole)

    return declare


def joined(factor):
    """`factor` times the noise of a record that joins the sample, at the public threshold."""

    def size(X, y, threshold):
        reach = dp.minimum(X.radius, dp.sqrt(LAM))
        slope = y.radius + X.radius * longest(X.radius, y.radius, LAM)
        return L2Laplace(dp.constant(factor) * slope * reach / (reach**2 + LAM) / threshold)

    return size


refuse(
    "P21 DOM: a threshold that reads each record's epsilon",
    sampled(threshold=lambda X, b: b.epsilon),
    at=AR,
    node="sample",
)
refuse(
    "P22 ALG: coins for twice the epsilon",
    sampled(coins=lambda b: 2 * b.epsilon),
    at=AR,
    node="sample",
)
refuse(
    "P23 COMP: a second release from the whole table",
    sampled(outside=lambda X, y, b, *_: dp.release(X.T @ y, L2Laplace.pure, b, name="moment")),
    at=AR,
    node="X'y",
)
refuse(
    "P23t COMP: a second release from another sample",
    sampled(
        outside=lambda X, y, b, *_: dp.release(
            dp.total(dp.graph.thinned(X, y, b, THRESHOLD)[0]), L2Laplace.pure, b, name="sum"
        )
    ),
    at=AR,
    node="sample",
)
refuse(
    "P23w ALG: two releases of the sample, each at the whole threshold",
    sampled(
        outside=lambda X, y, b, rows, column, whole: dp.release(
            rows.T @ column, L2Laplace.pure, whole, name="moment"
        )
    ),
    at=AR,
    node="budget",
)
refuse(
    "P24 ALG: a delta of each record's own, on a sample",
    sampled(),
    target=APART,
    at=AR,
    node="sample",
)
accept("P24v ALG: one delta for all, on a sample", sampled(), target=BOTH, at=AR)
accept("P25v SENS: stated noise of the sample, for the threshold", sampled(noise=joined(1)), at=AR)
refuse(
    "P25 ALG: stated noise of the sample, for twice the threshold",
    sampled(noise=joined("1/2")),
    at=AR,
    node="coefficients",
)
accept(
    "P27 SENS: weighted minimum found to a tolerance, that of the smallest weight",
    lambda X, y, b: dp.release(
        Argmin(X, y, Squared(), LAM, longest(X.radius, y.radius, LAM), "1/3", b.epsilon / S),
        L2Laplace.pure,
        b,
        name="coefficients",
    ),
)
