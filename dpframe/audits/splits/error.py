"""A bound on the expected excess error of ridge regression on noisy X'X and X'y, as a formula.

Proof page: splits.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import attrs

from dpframe.errors import InvalidArgument
from dpframe.graph import Graph, Post, Release
from dpframe.graph.facts import gaussian
from dpframe.graph.statistics import Gram, LambdaMin, Moment
from dpframe.regressions.solve import adaptive_ridge, constant_ridge, ridge_solve
from dpframe.symbols import Expression, Number, exact, log, maximum, power, sqrt

from .criterion import Criterion, columns, condition, public_number, rows

ZERO = Number(Fraction(0))
OTHERS = (
    "For others take dp.audits.NoiseCriterion, or compare splits on public data by "
    "dp.execute(..., rng=seed)."
)
KNOWN = "ridge_solve, adaptive_ridge or constant_ridge of dpframe.regressions.solve"


@attrs.frozen
class RidgeBounds:
    """A ridge that is at least `least` always, and at most `most` unless the floor fails."""

    least: Expression
    most: Expression


@attrs.frozen
class Solved:
    """The noisy X'X and X'y of a declaration, its post-processing, its eigenvalue if it has one."""

    gram: Release
    moment: Release
    post: Post
    floor: Release | None


def _radius(value: Any) -> Fraction:
    return public_number("radius", value)


def _failure(value: Any) -> Fraction:
    found = public_number("failure", value)
    if found >= 1:
        raise InvalidArgument("failure", "in (0, 1)", value)
    return found


@attrs.frozen(kw_only=True)
class ErrorCriterion(Criterion):
    """An upper bound on the expected excess squared error (theta - ols)'X'X(theta - ols)/n of SSP,
    adaSSP and their kin, over their noise, counted where an event of probability at least 1 -
    `failure` holds; infinite where noise may exceed X'X. In squared units of labels.

    Assumed of the table, publicly (under add/remove n is private: give a guess): `n` >= 1 rows,
    `d` >= 1 columns, lambda_min(X'X) >= h = n B^2/(d `condition`), `condition` >= 1 (1 is a table
    whose directions are all alike, of rows that fill their bound), and a least squares solution of
    length at most `radius` > 0 (Y/B by default). Then

        (1 - s)^-2/(h n) (d std_b^2 + e std_G^2 radius^2 + ridge^2 radius^2)

    with e = (d + 1)/2 for isotropic noise on X'X and d for other, s = max(0, t - least ridge)/h,
    t = std_G sqrt((d + 1) log(4 d/failure)) (other: sqrt(2 d log(4 d/failure))) above the
    operator norm of the noise on X'X, and ridge what the post-processing adds at most while the
    released eigenvalue is not below lambda_min by more than sqrt(2 log(2/failure)) stds. [Tropp15,
    Thm 4.1.1] Proof page: splits. Raises InvalidArgument.
    """

    n: int = attrs.field(converter=rows)
    d: int = attrs.field(converter=columns)
    condition: Fraction = attrs.field(default=Fraction(1), converter=condition)
    radius: Fraction | None = attrs.field(
        default=None, converter=attrs.converters.optional(_radius)
    )
    failure: Fraction = attrs.field(default=Fraction(1, 100), converter=_failure)

    @property
    def sizes(self) -> Mapping[str, Expression]:
        """n and d."""
        return {"n": exact(self.n), "d": exact(self.d)}

    @property
    def sentence(self) -> str:
        """In words."""
        return (
            f"a bound on the expected excess squared error at n = {self.n:,}, d = {self.d}, "
            f"condition {float(self.condition):g}, but for an event of probability "
            f"{float(self.failure):g}"
        )

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the bound takes for true; the guarantee does not."""
        about = "Y/B" if self.radius is None else f"{float(self.radius):g}"
        least = f"n B^2/(d k), n = {self.n:,}, k = {float(self.condition):g}"
        said = f"lambda_min(X'X) is at least {least}, and least squares is at most {about} long"
        return (f"for the bound on the error, not for privacy: {said}",)

    def formula(self, graph: Graph) -> Expression:
        """The bound. Raises InvalidArgument for a declaration of another kind."""
        found = _solved(graph)
        norm, label, d = _norm(found.gram), _bound(found.moment), exact(self.d)
        least = self.n * power(norm, 2) / (d * Number(self.condition))
        radius = label / norm if self.radius is None else Number(self.radius)
        ridge = _ridge(found, least, sqrt(2 * log(2 / Number(self.failure))))
        share = maximum(ZERO, self._size(found.gram) - ridge.least) / least
        square, spread = power(radius, 2), power(found.gram.std, 2)
        entries = (d + 1) * Fraction(1, 2) if found.gram.noise.isotropic else d
        noise = d * power(found.moment.std, 2) + entries * spread * square
        bias = power(ridge.most, 2) * square
        kept = power(maximum(ZERO, 1 - share), 2)
        return (noise + bias) / (kept * least * self.n)

    def _size(self, gram: Release) -> Expression:
        """Above the operator norm of the noise on X'X, but for half of `failure`."""
        d = exact(self.d)
        tail = log(4 * d / Number(self.failure))
        directions = d + 1 if gram.noise.isotropic else 2 * d
        return gram.std * sqrt(directions * tail)


def _solved(graph: Graph) -> Solved:
    posts = [node for node in graph.outputs if isinstance(node, Post)]
    known = [one for one in posts if one.function in (ridge_solve, adaptive_ridge, constant_ridge)]
    if len(graph.outputs) != 1 or not known:
        named = ", ".join(node.label for node in graph.outputs)
        raise InvalidArgument("output", f"a dp.post of {KNOWN}", named, OTHERS)
    post = known[0]
    inputs = [one for one in post.inputs if isinstance(one, Release)]
    floors = [one for one in inputs if isinstance(one.statistic, LambdaMin)]
    found = Solved(_one(inputs, Gram), _one(inputs, Moment), post, floors[0] if floors else None)
    _fitting(graph, found)
    return found


def _one(inputs: list[Release], kind: type) -> Release:
    found = [one for one in inputs if isinstance(one.statistic, kind)]
    if len(found) != 1:
        named = ", ".join(one.label for one in inputs)
        raise InvalidArgument("releases", "one of X'X and one of X'y", named, OTHERS)
    return found[0]


def _fitting(graph: Graph, found: Solved) -> None:
    """The same rows everywhere, and Gaussian noise, drawn once."""
    releases = [one for one in (found.gram, found.moment, found.floor) if one is not None]
    others = {id(one) for one in graph.releases} - {id(one) for one in releases}
    drawn = all(gaussian(one.noise) for one in releases)
    once = all(one.times == exact(1) and one.sampled is None for one in releases)
    if others or not (drawn and once and len({_rows(one.statistic) for one in releases}) == 1):
        wanted = "X'X, X'y and perhaps lambda_min of the same rows, each drawn once, Gaussian"
        raise InvalidArgument("releases", wanted, ", ".join(r.label for r in releases), OTHERS)


def _rows(statistic: Any) -> Any:
    return statistic.gram.rows if isinstance(statistic, LambdaMin) else statistic.rows


def _norm(gram: Release) -> Expression:
    norm = gram.statistic.rows.norm  # type: ignore[attr-defined]
    if norm is None:
        raise InvalidArgument("rows", "bounded in length", "no bound", "dp.Rows(norm=...).")
    return exact(norm)


def _bound(moment: Release) -> Expression:
    bound = moment.statistic.column.bound  # type: ignore[attr-defined]
    if bound is None:
        raise InvalidArgument("labels", "bounded", "no bound", "dp.Column(bound=...).")
    return exact(bound)


def _ridge(found: Solved, least: Expression, tail: Expression) -> RidgeBounds:
    """What is added to X'X, given lambda_min(X'X) >= least and noise of at most `tail` stds below
    on a released eigenvalue.
    """
    arguments = [_formula(one) for one in found.post.arguments]
    d = found.gram.statistic.shape[0]
    if found.post.function is ridge_solve:
        return RidgeBounds(arguments[2], arguments[2])
    if found.post.function is constant_ridge:
        deviation, rho, identity = arguments[2:]
        ridge = sqrt(d * log(2 * d * d / rho)) * deviation + identity
        return RidgeBounds(ridge, ridge)
    shift, deviation, rho, identity = arguments[3:]
    floor = found.post.arguments[0]
    if not isinstance(floor, Release):
        raise InvalidArgument("eigenvalue", "a release", str(floor))
    lowest = maximum(ZERO, least + identity - shift - tail * floor.std)
    most = maximum(ZERO, sqrt(d * log(2 * d * d / rho)) * deviation - lowest)
    return RidgeBounds(identity, most + identity)


def _formula(argument: Any) -> Expression:
    """A public argument of the post-processing; 0 stands for a release."""
    return ZERO if isinstance(argument, Release) else exact(argument)
