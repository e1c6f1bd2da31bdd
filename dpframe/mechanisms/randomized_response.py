"""Randomised response: the true category, or any other one."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Self

import attrs

from dpframe.errors import InvalidArgument, Plain
from dpframe.numbers import Exact, open_unit
from dpframe.pld import losses
from dpframe.privacy import ADD_REMOVE, Guarantee, PureDP, Relation, number
from dpframe.symbols import Call, Expression, Number, exact, log, rational

from .base import Mechanism
from .discrete_laplace import whole_sensitivity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

    from dpframe.randomness import Bits
    from dpframe.randomness.bits import Whole
    from dpframe.randomness.laws import Truth


def _epsilon(value: object) -> Expression:
    epsilon = exact(value, "epsilon")
    odds = _odds(epsilon)
    if (isinstance(epsilon, Number) and epsilon.value <= 0) or (odds is not None and odds <= 1):
        way_out = "An answer that is independent of the truth needs no mechanism."
        raise InvalidArgument("epsilon", "above 0", Plain(epsilon), way_out)
    return epsilon


def _odds(epsilon: Expression) -> Fraction | None:
    """The odds of an epsilon that is written as log(odds); None for others."""
    if isinstance(epsilon, Call) and epsilon.name == "log" and isinstance(epsilon.parts[0], Number):
        return epsilon.parts[0].value
    return None


def _categories(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 2 <= value <= 2**53:
        raise InvalidArgument("categories", "a whole number from 2 to 2^53", value)
    return value


@attrs.frozen(cache_hash=True)
class RandomizedResponse(Mechanism):
    """The truth with probability e^epsilon/(e^epsilon + k - 1), every other category with
    1/(e^epsilon + k - 1); k = categories.

    Guarantees epsilon-DP where one value becomes any other. [KairouzOV15, Thm 3.2] for k = 2.
    The presence of an answer is not hidden: under add/remove, answer for absent people too.
    epsilon may be `log(odds)`: then the truth is exactly `odds` times as likely as each other.
    """

    kind: ClassVar[str] = "randomized_response"
    gives: ClassVar[type[Guarantee]] = PureDP
    epsilon: Expression = attrs.field(converter=_epsilon)
    categories: int = attrs.field(default=2, converter=_categories)

    @classmethod
    def answering_at_random(cls, probability: object, categories: int = 2) -> Self:
        """A uniform category, the true one included, with this probability in (0, 1), and else the
        true one. At 1/2 and 2 categories it has epsilon = log 3.
        """
        p = open_unit("probability", rational(probability, "probability"))
        return cls(log(1 + _categories(categories) * (1 - p) / p), categories)

    def guarantee(self, sensitivity: Expression) -> PureDP:
        """(sensitivity epsilon)-DP, for a whole number `sensitivity` of values that change."""
        return PureDP(whole_sensitivity(sensitivity) * self.epsilon)

    def loss(
        self, sensitivity: Exact | Expression = 1, relation: Relation = ADD_REMOVE
    ) -> losses.CategoricalLoss | losses.OddsLoss:
        """The exact one, where one value becomes any other; the relation does not matter."""
        if whole_sensitivity(sensitivity) != 1:
            way_out = "Count the loss once for every answer that changes."
            raise InvalidArgument("sensitivity", "1: one value changes", sensitivity, way_out)
        odds = _odds(self.epsilon)
        if odds is not None:
            return losses.OddsLoss(odds - 1, self.categories)
        return losses.CategoricalLoss(number("epsilon", self.epsilon), self.categories)

    def probabilities(self, value: ArrayLike) -> np.ndarray:
        """The rounded probability of each answer to `value`, an array of categories: (..., k)."""
        import numpy as np

        from dpframe.numerics import arb_float, ball, working

        odds = _odds(self.epsilon)
        with working(128):
            each = 1 / odds if odds is not None else (-ball(self._number())).exp()
            truth = 1 / (1 + (self.categories - 1) * ball(each))
            true, other = arb_float(truth, up=False), arb_float(truth * ball(each), up=False)
        values = self._checked(value)
        return np.where(values[..., np.newaxis] == np.arange(self.categories), true, other)

    def sample(self, value: ArrayLike, rng: np.random.Generator | Bits) -> np.ndarray:
        """An independent answer to each of the values, whole numbers from 0 to k - 1, in their
        shape; exact in distribution, by rejection: a uniform category is accepted if it is true,
        and else with probability e^-epsilon.
        """
        import numpy as np

        from dpframe.randomness import as_bits

        values, keep, bits = self._checked(value), self._keeper(), as_bits(rng)
        truth = values.ravel()
        answers, waiting = truth.copy(), np.arange(truth.size)
        while len(waiting):
            guess = bits.below(self.categories, len(waiting))
            kept = keep(bits, len(waiting)) | (guess == truth[waiting])
            answers[waiting[kept]] = guess[kept]
            waiting = waiting[~kept]
        return answers.reshape(values.shape)

    def _keeper(self) -> Callable[[Bits, int], Truth]:
        from dpframe.randomness.laws import bernoulli, bernoulli_exp

        odds = _odds(self.epsilon)
        if odds is not None:
            return lambda bits, n: bernoulli(bits, 1 / odds, n)
        epsilon = self._number()
        return lambda bits, n: bernoulli_exp(bits, epsilon, n)

    def _number(self) -> Fraction:
        return number("epsilon", self.epsilon)

    def _checked(self, value: ArrayLike) -> Whole:
        import numpy as np

        values = np.asarray(value)
        if values.dtype.kind not in "iu":
            raise InvalidArgument("value", "whole numbers", values.dtype, "Number the categories.")
        if values.size and not (0 <= values.min() and values.max() < self.categories):
            raise InvalidArgument("value", f"from 0 to {self.categories - 1}", value)
        return values.astype(np.int64)
