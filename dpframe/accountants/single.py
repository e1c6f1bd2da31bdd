"""The exact cost of one release in every currency, decided for its dominating pair.

epsilon is the largest value of the loss, delta the profile at epsilon, a divergence D_a that of one
order a > 1, rho the largest D_a/a over all of them, mu the least for which the pair is at least as
hard to tell apart as N(0, 1) and N(mu, 1). For noises that are moved these are closed forms, but
for delta and for the mu of discrete Gaussian noise, a largest value over whole numbers.
(docs/proofs/currencies.md)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial

from flint import acb, arb

from dpframe.numerics import at_rising_precision, ball, certainly_above, certainly_at_most, working
from dpframe.pld import losses
from dpframe.privacy.guarantees import order_of

from .base import Part
from .numeric import NumericAccountant

Decided = bool | None
MOST = 3000  # whole numbers at which discrete Gaussian noise is evaluated
BITS = 128


def inside(
    loss: losses.PrivacyLoss, currency: Sequence[str], amounts: Sequence[Fraction]
) -> Decided:
    """Whether the pair of a loss provably costs at most these amounts of a currency (True), or
    provably more (False); None where neither is proved.
    """
    match tuple(currency), amounts:
        case ("epsilon",), (epsilon,):
            return _bounded(loss, epsilon)
        case ("epsilon", "delta"), (epsilon, delta):
            return _approximate(loss, epsilon, delta)
        case ("rho",), (rho,):
            return compared(partial(rho_of, loss), rho)
        case ("mu^2",), (square,):
            if isinstance(loss, losses.DiscreteGaussianLoss):
                return _steps_inside(loss, square)
            return compared(lambda: mu_of(loss) ** 2, square)
        case (_,), (divergence,) if (order := order_of(currency)) is not None:
            return compared(partial(divergence_of, loss, order), divergence)
    return None


def _bounded(loss: losses.PrivacyLoss, epsilon: Fraction) -> Decided:
    if loss.infinite:
        return False
    if loss.largest is None:  # normal noises, on the line or on the integers
        normal = isinstance(loss, (losses.GaussianLoss, losses.DiscreteGaussianLoss))
        return False if normal else None
    sharp = isinstance(loss, (losses.LaplaceLoss, losses.DiscreteLaplaceLoss, losses.ResponseLoss))
    return loss.largest <= epsilon or (False if sharp else None)


def _approximate(loss: losses.PrivacyLoss, epsilon: Fraction, delta: Fraction) -> Decided:
    if delta <= 0:
        return _bounded(loss, epsilon) if delta == 0 else False
    if delta >= 1 or epsilon < 0:
        return True if delta >= 1 else None
    exact = NumericAccountant().delta((Part(loss),), epsilon)
    if Fraction(exact.upper) <= delta:
        return True
    return False if Fraction(exact.lower) > delta else None


def compared(value: Callable[[], arb], most: Fraction) -> Decided:
    """Whether a value is at most a number."""
    for found in at_rising_precision(value):
        if not found.is_finite():
            continue
        if certainly_at_most(found, most):
            return True
        if certainly_above(found, most):
            return False
    return None


def rho_of(loss: losses.PrivacyLoss) -> arb:
    """The rho of a loss at the working precision; not finite where no formula is known. For Laplace
    noise and responses it is the divergence of order 1: D_a/a falls in a.
    """
    match loss:
        case losses.GaussianLoss(mu):
            return ball(mu) ** 2 / 2
        case losses.DiscreteGaussianLoss(variance, shift):
            return ball(shift) ** 2 / (2 * ball(variance))
        case losses.LaplaceLoss(epsilon):
            return ball(epsilon) + (-ball(epsilon)).expm1()
        case losses.DiscreteLaplaceLoss(rate, shift):
            fall = (-ball(rate)).exp()
            inner = (-ball(rate) * shift).expm1() / (-2 * ball(rate)).expm1()
            return ball(rate) * (shift - 2 * fall * inner)
        case losses.ResponseLoss(epsilon, delta) if delta == 0:
            return ball(epsilon) * (ball(epsilon) / 2).tanh()
    return arb("nan")


def divergence_of(loss: losses.PrivacyLoss, order: Fraction) -> arb:
    """The Renyi divergence of an order above 1, the larger of both directions, at the working
    precision.
    """
    back = loss.reverse()
    own = _divergence(loss, order)
    return own if loss == back else own.max(_divergence(back, order))


def _divergence(loss: losses.PrivacyLoss, order: Fraction) -> arb:
    if loss.infinite:
        return arb("inf")
    normal = isinstance(loss, losses.GaussianLoss)
    if normal or (isinstance(loss, losses.DiscreteGaussianLoss) and order.denominator == 1):
        return ball(order) * rho_of(loss)
    return loss.enclosure(acb(ball(order - 1))).real.log() / ball(order - 1)


def mu_of(loss: losses.PrivacyLoss) -> arb:
    """The mu of a loss at the working precision; not finite where no formula is known. The best
    test between shifted noises has its threshold in the middle.
    """
    match loss:
        case losses.GaussianLoss(mu):
            return ball(mu)
        case losses.LaplaceLoss(epsilon):
            return 2 * quantile((-ball(epsilon) / 2).exp() / 2)
        case losses.DiscreteLaplaceLoss(rate, shift):
            halves = (shift + 1) // 2, (shift + 2) // 2
            below = 1 + (-ball(rate)).exp()
            found = [quantile((-ball(rate) * u).exp() / below) for u in halves]
            return found[0] + found[1]
        case losses.ResponseLoss(epsilon, delta) if delta == 0:
            return 2 * quantile(1 / (1 + ball(epsilon).exp()))
    return arb("nan")


def quantile(tail: arb) -> arb:
    """z with 1 - Phi(z) = tail, for 0 < tail < 1."""
    return arb(2).sqrt() * (2 * tail).erfcinv()


# ------------------------------------------------------------------------ discrete Gaussian noise
def _steps_inside(loss: losses.DiscreteGaussianLoss, square: Fraction) -> Decided:
    """Whether H(t) - H(t - k) <= mu for all whole t, where H(t) = Phi^-1(P[noise < t]): at each t
    up to one beyond which it is shown to hold.
    """
    if square <= 0:
        return False
    with working(BITS):
        mu, k = ball(square).sqrt(), loss.shift
        sigma = ball(loss.variance).sqrt()
        if mu < k / sigma:
            return False  # what long steps need on the average
        if sigma > MOST or k > MOST:
            return True if mu >= (k + 1) / sigma + 2 * _rest(loss) else None
        far = next((far for far in _places(loss) if _holds_beyond(loss, mu, far)), None)
        seen: Decided = True if far is not None else None
        for step in _differences(loss, MOST if far is None else far):
            if step > mu:
                return False
            if not step <= mu:
                seen = None
        return seen


def _places(loss: losses.DiscreteGaussianLoss) -> Iterator[int]:
    """Where the tail may begin: from sigma on."""
    place = math.isqrt(int(loss.variance)) + 2
    while place + loss.shift <= 2 * MOST:
        yield place
        place += 1 + place // 3


def _rest(loss: losses.DiscreteGaussianLoss) -> arb:
    """eta = sqrt(-2 log c): 1/c is the sum of e^(-x^2/(2 sigma^2)) by its integral."""
    q = (-2 * arb.pi() ** 2 * ball(loss.variance)).exp()
    return (2 * (2 * q / (1 - q)).log1p()).sqrt()  # by Poisson's sum, 1 + 2 (q + q^4 + q^9 + ...)


def _masses(loss: losses.DiscreteGaussianLoss, most: int) -> list[arb]:
    """P[noise >= t] for t = 0 ... `most` and more, by sums from above: terms that are left out fall
    at least as fast as a geometric series, and are less than 2^-BITS of the sum from `most` on.
    """
    last = most + math.isqrt(math.ceil(3 * BITS * loss.variance / 2)) + 2
    width = 2 * ball(loss.variance)
    ratio = (-ball(2 * last + 1) / width).exp()
    top = (-(ball(last) ** 2) / width).exp()
    found = [top * (1 + arb(0.5, 0.5) * ratio / (1 - ratio))]
    for t in range(last - 1, -1, -1):
        found.append(found[-1] + (-(ball(t) ** 2) / width).exp())
    total = 2 * found[-1] - 1  # the mass of 0 once
    return [mass / total for mass in reversed(found)]


def _differences(loss: losses.DiscreteGaussianLoss, last: int) -> Iterator[arb]:
    """H(t) - H(t - k) for t from (k + 1)/2, by symmetry the middle, to last + k."""
    k = loss.shift
    if last + k > 2 * MOST:
        return
    above = _masses(loss, last + k)
    known: dict[int, arb] = {}

    def score(t: int) -> arb:
        """H(t) = -H(1 - t)."""
        if t < 1:
            return -score(1 - t)
        if t not in known:
            known[t] = quantile(above[t])
        return known[t]

    for t in range((k + 2) // 2, last + k + 1):
        yield score(t) - score(t - k)


def _holds_beyond(loss: losses.DiscreteGaussianLoss, mu: arb, s: int) -> bool:
    """Whether H(t) - H(t - k) <= mu for all t >= s + k, where s >= sigma + 1/2: as the normal tail
    says, for mu above (k + 1/2)/sigma, or by the first term of the sum. (docs/proofs/currencies.md)
    """
    sigma, k = ball(loss.variance).sqrt(), ball(loss.shift)
    if mu >= (k + ball(Fraction(1, 2))) / sigma + _rest(loss):
        return bool(s >= sigma + ball(Fraction(1, 2)))
    if not mu > k / sigma:
        return False
    r = (-ball(2 * s + 1) / (2 * ball(loss.variance))).exp()
    place = ball(s) / sigma
    score = (place**2 - 4 * (place + 1).log() - 8).max(arb(0)).sqrt()  # less than H(s), roughly
    b = arb(((place - score).max(1 / place) * ball(Fraction(11, 10))).mid())  # any b > 0 serves
    w = place - b
    if not (w > 1 and b * w >= 1):
        return False
    normal = (b * place - b**2 / 2).exp() / (2 * arb.pi()).sqrt() * w / (1 + w**2)
    top = mu * w + mu**2 / 2 - (2 * s * k + k**2) / (2 * sigma**2) + (1 - r).log()
    zero = (1 / (sigma * (2 * arb.pi()).sqrt())).min(arb(1))  # at least P[noise = 0]
    return bool(top >= 0 and normal >= zero / (1 - r))
