"""Ridge regression on a secret sample as the public code of [Acharya24] has it (jorgensen.py).

Its weights and noise read the number of records kept; the relation is add/remove, which the theorem
on samples needs.

With N records kept it minimises sum_i (x_i'theta - y_i)^2/N + lambda |theta|^2 at |x| <= 1,
|y| <= 1 and adds noise of density proportional to exp(-eta |z|), eta = lambda t N/(2 (1 + T)), T =
min(lambda^-1/2, 1/lambda). All other records are certain to be kept, N - 1 of them, so the output
is Q without the record and (1 - p) Q + p P with it, where p is the record's chance. Two events:

    near   the others are (e, 1), the record is (e, -1); a ball round P's centre, of radius r: there
           P/Q >= (N/(N-1))^d exp(eta' s - (eta + eta') r), s the distance of the two centres
    far    all labels are 0; |z| > R: there P/Q is that of two tails of Gamma(d) variables, which
           goes to 0 as R grows

near shows log(1 + p (P/Q - 1)), far shows -log(1 - p (1 - P/Q)), without bound where p = 1.
"""

from __future__ import annotations

import math
from fractions import Fraction

import attrs
from flint import arb

from dpframe.audits.figures import TINY, figure
from dpframe.errors import InvalidArgument
from dpframe.numbers import Exact, positive
from dpframe.numerics.profile import ball
from dpframe.numerics.rounding import arb_float, working

from .refutation import Refutation, Rigour

COLUMNS, KEPT, PENALTY = 30, 80, 10**6
RADIUS = Fraction(1, 10**6)
"""of the near event, in units of 1/eta"""
BEYOND = 20
"""log(Q/P), about, of the far event of a record that may be left out"""
TIMES = (1, 2, 5)
_BITS = 256


@attrs.frozen
class Sample:
    """What the regression reads: the threshold t, how many records are kept, one of them in
    question; its penalty and columns; and, if `public`, N - 1 others and a public N in weights and
    noise.
    """

    threshold: Fraction
    kept: int = KEPT
    penalty: Fraction = attrs.field(default=Fraction(PENALTY), converter=Fraction)
    columns: int = COLUMNS
    public: bool = False

    def __attrs_post_init__(self) -> None:
        """Another record has to be kept."""
        if self.kept < 2 or self.columns < 1 or self.penalty <= 0:
            given = f"kept {self.kept}, columns {self.columns}, penalty {self.penalty}"
            wanted = "of at least 2 records kept, 1 column and a positive penalty"
            raise InvalidArgument("sample", wanted, given, "")

    @property
    def growth(self) -> arb:
        """eta/eta': N/(N - 1) as coded."""
        return arb(1) if self.public else arb(self.kept) / arb(self.kept - 1)

    @property
    def rate(self) -> arb:
        """eta, with the record."""
        lam = ball(self.penalty)
        length = 1 / lam if self.penalty >= 1 else 1 / lam.sqrt()
        return lam * ball(self.threshold) * self.kept / (2 * (1 + length))

    @property
    def distance(self) -> arb:
        """s, of the near event: exact."""
        n = self.kept
        joined = Fraction(n - 2, n) / (1 + self.penalty)
        others = Fraction(n - 1, n) if self.public else Fraction(1)
        return ball(others / (others + self.penalty) - joined)

    def near(self) -> arb:
        """log(P/Q), at least, of the near event."""
        one, other = self.rate, self.rate / self.growth
        lost = ball(RADIUS) * (1 + 1 / self.growth)
        return self.columns * (one / other).log() + other * self.distance - lost

    def tail(self, at: arb, *, joined: bool) -> arb:
        """The probability of |z| > at/eta', with the record kept or without it."""
        size = at * self.growth if joined else at
        return size.gamma_upper(arb(self.columns), regularized=1)

    def farther(self, loss: Exact) -> arb:
        """The point, in units of 1/eta', from which on the density of Q is e^loss times P's."""
        growth = self.growth
        return (ball(loss) + self.columns * growth.log()) / (growth - 1)


def chance(epsilon: Fraction, threshold: Fraction) -> arb:
    """min(1, (e^epsilon - 1)/(e^t - 1)). [JorgensenYC15, Def 8]"""
    if epsilon >= threshold:
        return arb(1)
    return ball(epsilon).expm1() / ball(threshold).expm1()


def sampled_ridge_seldom(
    epsilon: Exact,
    threshold: Exact = 1,
    kept: int = KEPT,
    penalty: Exact = PENALTY,
    *,
    public: bool = False,
) -> Refutation:
    """A lower bound on the true epsilon of a record with budget epsilon < t: the larger of its two
    events. `public` is the control: a public number of records in weights and noise.
    """
    claimed = positive("epsilon", epsilon)
    sample = Sample(positive("threshold", threshold), kept, Fraction(penalty), public=public)
    if claimed >= sample.threshold:
        way_out = "sampled_ridge_certain is about records that are certain to be kept."
        raise InvalidArgument("epsilon", f"below the threshold {threshold}", epsilon, way_out)
    with working(_BITS):
        p = chance(claimed, sample.threshold)
        near, far = _near(sample, p), _far(sample, p)
        found = near if near.lower() > far.lower() else far
        name = "log(1 + p (P/Q - 1))" if found is near else "-log(1 - p (1 - P/Q))"
        how = f"p = {float(p.mid()):.3g}; {name}; by the other event {_lower(near, far)}"
    return Refutation(
        what=f"sampled ridge, {'public N (control)' if public else 'as coded'}: kept seldom",
        parameters=_at(claimed, sample),
        quantity="epsilon",
        claimed=float(claimed),
        found=arb_float(found, up=False),
        rigour=Rigour.PROVED,
        how=how,
        control=public,
    )


def _lower(near: arb, far: arb) -> str:
    """The smaller of two lower bounds."""
    return figure(min(max(0.0, arb_float(one, up=False)) for one in (near, far)), "down")


def _near(sample: Sample, p: arb) -> arb:
    """log(1 + p (P/Q - 1)) of the near event."""
    return arb((1 + p * sample.near().expm1()).log())


def _far(sample: Sample, p: arb) -> arb:
    """-log(1 - p (1 - P/Q)) of the far event; where rates are equal, of the near one turned round:
    the ball round Q's centre.
    """
    if sample.public:
        ratio = (-sample.near()).exp()
    else:
        at = sample.farther(BEYOND)
        ratio = sample.tail(at, joined=True) / sample.tail(at, joined=False)
    return arb(-(1 - p * (1 - ratio)).log())


def sampled_ridge_certain(epsilon: Exact, kept: int = KEPT) -> Refutation:
    """A lower bound on the true epsilon of a record with budget epsilon >= t, which is certain to
    be kept: five times the claim, as an example; there is no upper one. Neither threshold nor
    penalty matter.
    """
    claimed = positive("epsilon", epsilon)
    with working(_BITS):
        events = [far_event(times * claimed, kept) for times in TIMES]
        first, second = events[-1]
        pairs = zip(TIMES, events, strict=True)
        rare = (f"e^{float(t * claimed):g}: {_rare(q)}" for t, (q, _) in pairs)
        told = f"probability of |z| > R with Q/P above {'; '.join(rare)}"
        found = arb_float((first / second).log(), up=False)
    delta = figure(sampled_ridge_delta(claimed, kept), "down")
    return Refutation(
        what="sampled ridge, as coded: always kept",
        parameters=_at(claimed, Sample(claimed, kept))[:2],
        quantity="epsilon",
        claimed=float(claimed),
        found=found,
        rigour=Rigour.PROVED,
        how=f"{told}; no bound; delta at epsilon is at least {delta}",
    )


def sampled_ridge_delta(epsilon: Exact, kept: int = KEPT) -> float:
    """A lower bound on delta at epsilon of a record that is certain to be kept: Q - e^epsilon P of
    the best far event.
    """
    claimed = positive("epsilon", epsilon)
    sample = Sample(claimed, kept)
    with working(_BITS):
        at = sample.farther(claimed)
        first, second = (sample.tail(at, joined=joined) for joined in (False, True))
        return max(0.0, arb_float(first - ball(claimed).exp() * second, up=False))


def far_event(level: Exact, kept: int, columns: int = COLUMNS) -> tuple[arb, arb]:
    """Q and P of an event |z| > R with Q/P > e^level, nearly the likeliest, of a record that is
    certain to be kept; at the working precision.
    """
    sample = Sample(Fraction(1), kept, columns=columns)
    least, low, high = ball(level).exp(), 0.0, float(sample.farther(level).mid()) + 1
    for _ in range(30):
        middle = (low + high) / 2
        first, second = _tails(sample, middle)
        low, high = (low, middle) if first > least * second else (middle, high)
    return _tails(sample, high)


def _tails(sample: Sample, at: float) -> tuple[arb, arb]:
    return sample.tail(arb(at), joined=False), sample.tail(arb(at), joined=True)


def _rare(probability: arb) -> str:
    """Rounded down: `2.6e-19`; a power of ten where doubles end."""
    found = arb_float(probability, up=False)
    if found > TINY:
        return figure(found, "down", 2)
    return f"1e{math.floor(arb_float(probability.log() / arb(10).log(), up=False))}"


def _at(epsilon: Fraction, sample: Sample) -> tuple[tuple[str, str], ...]:
    shown = ("epsilon", f"{float(epsilon):g}"), ("N", str(sample.kept))
    others = ("t", f"{float(sample.threshold):g}"), ("penalty", f"{float(sample.penalty):g}")
    return *shown, *others
