"""Published procedures without a proof of privacy, for audits: what a proof would need, and known
errors. They are never certified.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe import numerics
from dpframe.graph import ColumnNode, Node, Procedure, Reading, RowsNode, path
from dpframe.graph.node import Array, np, reads
from dpframe.graph.procedure import WithoutTheorem
from dpframe.graph.procedures import Posterior
from dpframe.numbers import shortest
from dpframe.privacy import Guarantee, PureDP, Share
from dpframe.symbols import RELEASED, Expression, Number, constant, exp, power
from dpframe.wording import Formula, digits, say

if TYPE_CHECKING:  # declarations are listed without the prover
    from dpframe.prover.problem import Obligation, Problem, Witness

HALF, ONE = Fraction(1, 2), Number(Fraction(1))
RULE = say("the noise of the test earns its share: 1/scale is at most that $epsilon$")
PASSES = (
    "an unsafe table, of distance {}, passes with probability exp(-({})/scale)/2, at most its delta"
)
NOISE = say("take noise of the scale 1/$epsilon$ of its share: `dp.Laplace.pure`.")
COVERS = say("the noise of the square of a column covers $max(lower^2, upper^2)$")
REACHED = say(
    "where all rows are at the lower bound, their mean is released as that bound "
    "with probability at least 1/2, and then squares get no noise: another row "
    "shows, $delta >=$ 1/2 at every $epsilon$"
)
N, EPSILON, GAMMA, PENALTY = 10**6, 1.0, 0.02, 60.0


def hypothesis(
    procedure: Procedure, holds: object, rule: str, fact: str, way_out: str
) -> Obligation:
    """What would be needed; `holds` is False where nothing here derives it."""
    from dpframe.prover.problem import PROVED, UNPROVED, Obligation

    verdict, repair = (PROVED, "") if holds else (UNPROVED, way_out)
    return Obligation("theorem", procedure.label, rule, (fact,), verdict, repair=repair)


@attrs.frozen(eq=False)
class TestedDistance(WithoutTheorem):
    """Whether the number of models that would have to change before their table is unsafe, plus
    Laplace noise of `scale`, exceeds `threshold`. One replaced record moves one model, so the
    number by at most 1. The distance of an unsafe table is `unsafe`. Kept to be audited; it is
    never certified. [Amin23, Alg. 3]
    """

    __test__: ClassVar[bool] = False
    kind: ClassVar[str] = "tested_distance"
    summary: ClassVar[str] = "test of the distance to unsafety"
    rows: RowsNode
    column: ColumnNode
    scale: Expression = attrs.field(metadata=reads())
    threshold: Expression = attrs.field(metadata=reads())
    share: Share
    unsafe: Expression = constant(0)
    name: str = ""

    @property
    def derived(self) -> dict[str, Reading]:
        """The distance of an unsafe table, which no record of it names."""
        return {"unsafe": Reading(self.unsafe)}

    def obligations(self, problem: Problem) -> Sequence[Obligation]:
        """One record moves the distance by at most one; the noise hides that, and fails seldom."""
        loss, share = 1 / self.scale, self.share
        tail = HALF * exp((self.unsafe - self.threshold) / self.scale)
        passes = PASSES.format(self.unsafe, _gap(self))
        replaced = problem.setting.relation.replaced and problem.rows == ONE
        return [
            hypothesis(
                self,
                replaced,
                "one record is in one model: one row a person is replaced, none joins",
                "the size of every batch follows from n",
                say("use `dp.REPLACE_ONE`, or batches of a public partition."),
            ),
            _below(problem, self, RULE, loss, share.epsilon),
            _below(problem, self, passes, tail, share.delta),
            hypothesis(
                self,
                holds=False,
                rule="the number of models that would have to change is derived",
                fact="it is what the code says, and no rule here derives it",
                way_out="write a rule for this distance.",
            ),
        ]


def _gap(test: TestedDistance) -> str:
    """`threshold + 1`: from an unsafe table to the threshold."""
    gap = -test.unsafe
    return "threshold" if gap == Number(Fraction(0)) else say("threshold + {}", gap)


def _below(
    problem: Problem, test: TestedDistance, rule: str, amount: Expression, most: Expression
) -> Obligation:
    """amount <= most, proved by algebra, or refuted by numbers."""
    from dpframe.prover.problem import PROVED, Obligation, opened
    from dpframe.prover.sign import counterexample, nonnegative

    fact = say("{} against {}", amount, most)
    if nonnegative(most - amount, problem.field).proved:
        return Obligation("theorem", test.label, rule, (fact,), PROVED)
    witness = counterexample((amount, most), _exceeds)
    return opened("theorem", test.label, rule, (fact,), NOISE, witness)


def _exceeds(left: Any, right: Any) -> str | None:
    return (
        say("it is {} > {}", digits(float(left.mid()), 4), digits(float(right.mid()), 4))
        if left > right
        else None
    )


@attrs.frozen(eq=False)
class DepthSample(WithoutTheorem):
    """A point between models, drawn with the density exp(rate depth): the shells of depth are
    weighed in one region and the point is drawn from a smaller one, by other volumes. Kept to be
    audited; it is never certified. [Amin23, Alg. 2]
    """

    kind: ClassVar[str] = "depth_sample"
    summary: ClassVar[str] = "sample by depth"
    gives: ClassVar[type[Guarantee]] = PureDP
    rows: RowsNode
    column: ColumnNode
    rate: Expression = attrs.field(metadata=reads())
    share: Share
    name: str = ""

    def obligations(self, problem: Problem) -> Sequence[Obligation]:
        """Nothing is proved of a point that is drawn from other volumes than those weighed."""
        return [
            hypothesis(
                self,
                holds=False,
                rule="the point is drawn with the density that was weighed, exp(rate depth)",
                fact="weighed: models t to m - t + 1; drawn: models t + 1 to m - t, one depth "
                "further",
                way_out="draw from the region that was weighed, and count volumes of depth >= "
                "theirs.",
            )
        ]


@attrs.frozen(eq=False)
class BoundedMonomials(WithoutTheorem):
    """y'y, X'y and the upper triangle of X'X, each with Laplace noise for an equal part of the
    share: of a product as its bounds allow, of the square of a column by `square_of`^2. Entries are
    declared to lie in [lower, upper]; whether they do is for the rows to say. Kept to be audited,
    never certified. [Holohan19]
    """

    kind: ClassVar[str] = "bounded_monomials"
    summary: ClassVar[str] = "monomials, each with noise of its own"
    gives: ClassVar[type[Guarantee]] = PureDP
    rows: RowsNode
    column: ColumnNode
    lower: Expression = attrs.field(metadata=reads())
    upper: Expression = attrs.field(metadata=reads())
    square_of: Expression = attrs.field(metadata=reads())
    share: Share
    name: str = ""
    after: tuple[Node, ...] = ()
    """What was released before, and moves rows and labels."""

    def obligations(self, problem: Problem) -> Sequence[Obligation]:
        """Nothing is proved: what is known to be wrong is refuted, and the rest stays open."""
        return [
            *_inside(self),
            *_covered(problem, self),
            hypothesis(
                self,
                holds=False,
                rule="the noise of every other monomial covers what one row moves it by",
                fact="no rule here derives it for bounds that differ",
                way_out=say(
                    "take `dp.regressions.FunctionalLinear`, whose sensitivity is derived."
                ),
            ),
        ]


def _inside(noisy: BoundedMonomials) -> Iterator[Obligation]:
    """Rows and labels must have bounds at all."""
    from dpframe.prover.problem import Witness, opened

    rows, column = noisy.rows.norm is not None, noisy.column.bound is not None
    if rows and column:
        return
    which = noisy.column if rows else noisy.rows
    says = say("one row of entries M moves $X'X$ by $M^2$, which grows with M without bound")
    rule = say("rows and labels are clipped to the bounds: none for {}", path(which))
    facts = (say("{} is unbounded", which.label),)
    fix = "clip rows and labels to the public bounds before anything is summed."
    yield opened("sensitivity", noisy.label, rule, facts, fix, Witness(says=says))


def _covered(problem: Problem, noisy: BoundedMonomials) -> Iterator[Obligation]:
    """square_of^2 >= upper^2 and >= lower^2."""
    from dpframe.prover.problem import opened
    from dpframe.prover.sign import nonnegative

    for end in (noisy.lower, noisy.upper):
        gap = power(noisy.square_of, 2) - power(end, 2)
        decision = nonnegative(gap, problem.field)
        if decision.proved:
            continue
        point = decision.witness
        witness = None if point is None else _reached(point, gap, noisy.square_of, end)
        kind = "sensitivity" if RELEASED in gap.scope else "theorem"
        facts = (say("noise for {}, entries up to {}", _square(noisy.square_of), end),)
        fix = "take the larger of the two bounds, not the lower one twice."
        yield opened(kind, noisy.label, COVERS, facts, fix, witness)


def _square(bound: Expression) -> Formula:
    return Formula(f"({bound})^2")


def _reached(point: Any, gap: Expression, declared: Expression, end: Expression) -> Witness:
    """Numbers; where bounds read a release, the table that makes them fail, for all numbers."""
    from dpframe.prover.problem import Witness, named

    if RELEASED in gap.scope:
        return Witness(says=REACHED)
    says = say("noise is for squares up to {}, and {} is larger", _square(declared), _square(end))
    return Witness(named(point, gap), says)


@attrs.frozen(eq=False)
class TransposedPosterior(WithoutTheorem, Posterior):
    """theta + R'^-1 noise with R'R = H, where R^-1 noise was meant: its covariance (R R')^-1/gamma
    is not (gamma H)^-1, and no posterior's. Kept to be audited; never certified.
    """

    kind: ClassVar[str] = "transposed_posterior"
    summary: ClassVar[str] = "posterior sample, factor transposed"

    @staticmethod
    def centred(theta: Array, system: Array, noise: Array) -> Array:
        """theta + R'^-1 noise."""
        factor = np.linalg.cholesky(system)  # H = L L', R = L'
        return np.asarray(np.nan_to_num(theta + np.linalg.solve(factor, noise)))

    def obligations(self, problem: Problem) -> Sequence[Obligation]:
        """Its covariance turns with the data by more than a posterior's does."""
        from dpframe.prover.problem import REFUTED, Obligation, Witness

        delta = numerics.transposed_delta(N, EPSILON, GAMMA, PENALTY)
        says = say(
            "{} rows $(1, 1)/sqrt 2$ with label 0, and one row $(1, -1)/sqrt 2$ with label 1 or "
            "without it: at $gamma$ = {}, penalty {}, {} $>=$ {}; at a posterior's own covariance "
            "it is below $1e-9$",
            *(N, GAMMA, PENALTY),
            Formula(f"delta({EPSILON:g})"),
            digits(delta, 3),
        )
        witness = Witness({"gamma": shortest(GAMMA), "penalty": shortest(PENALTY)}, says)
        return [
            Obligation(
                "theorem",
                self.label,
                say("the noise must have the posterior's covariance, $(gamma H)^-1$"),
                (
                    say(
                        "drawn: $theta + R'^-1 z/sqrt(gamma)$ with $R'R$ = H, of covariance "
                        "$(R R')^-1/gamma$"
                    ),
                ),
                REFUTED,
                witness,
                say("solve with R, not R': `dp.graph.posterior` draws $N(theta, (gamma H)^-1)$."),
            )
        ]
