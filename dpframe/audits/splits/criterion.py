"""What a split is to make small: a formula of the noise and of public numbers; the simplest is the
expected squared noise of all releases.

A bound on the expected excess error of ridge regression on noisy X'X and X'y, as a formula.

Proof page: splits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NoReturn

import attrs
import numpy as np

from dpframe.errors import InvalidArgument, Plain
from dpframe.graph import Graph, Post, Release
from dpframe.graph.facts import gaussian
from dpframe.graph.statistics import Gram, LambdaMin, Moment
from dpframe.numbers import whole
from dpframe.prover.at_numbers import is_size
from dpframe.regressions.solve import (
    adaptive_ridge,
    coefficients_of,
    constant_ridge,
    ridge_solve,
)
from dpframe.symbols import (
    Expression,
    Number,
    Symbol,
    add,
    exact,
    log,
    maximum,
    power,
    rational,
    sqrt,
)


class Criterion(ABC):
    """Abstract: a number that a split makes small, a formula of the noise of a graph and of public
    numbers alone.
    """

    @property
    @abstractmethod
    def sentence(self) -> str:
        """What it is, in words, with its public numbers."""

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the caller says is public or true."""
        return ()

    @property
    @abstractmethod
    def sizes(self) -> Mapping[str, Expression]:
        """The public sizes of the table, d and perhaps n, by name."""

    @abstractmethod
    def formula(self, graph: Graph) -> Expression:
        """The criterion of a graph, in its symbols but for the sizes. Raises InvalidArgument."""

    def of(self, graph: Graph, free: Sequence[Symbol] = ()) -> Expression:
        """The formula, checked to read nothing but the symbols `free`. Raises InvalidArgument."""
        found = self.formula(graph).substitute(dict(self.sizes))
        for symbol in sorted(found.symbols() - set(free), key=lambda one: one.name):
            _refuse(symbol)
        return found


def _refuse(symbol: Symbol) -> NoReturn:
    if is_size(symbol):
        wanted, way_out = "given to the criterion", f"Give it {symbol.name}=..., a public number."
    elif symbol.origin is not None:
        wanted = "no part of a criterion: it is not public before the release"
        way_out = "A split is chosen from public numbers; take a number that was known before."
    else:
        value = symbol.domain.example() or 1
        way_out = (
            f'Give a field of the declaration its number, {symbol.name}="{value}" in Python or '
            f"--set {symbol.name}={value} on the command line; and the target and setting numbers."
        )
        wanted = "a number"
    raise InvalidArgument(symbol.name, wanted, Plain(f"the symbol {symbol}"), way_out)


KNOWN = "It is public: a number that you know without looking at the data."


def _columns(value: Any) -> int:
    return whole("d", value, 1, way_out=KNOWN)


def _rows(value: Any) -> int:
    return whole("n", value, 1, way_out=KNOWN)


def _positive(value: Fraction) -> bool:
    return value > 0


def public_number(
    name: str,
    value: Any,
    wanted: str = "positive",
    inside: Callable[[Fraction], bool] = _positive,
) -> Fraction:
    """An exact number inside of its range. Raises InvalidArgument, also for a symbol."""
    if isinstance(value, Expression) and not isinstance(value, Number):
        way_out = "A split is chosen from public numbers, before any data is touched."
        raise InvalidArgument(name, "a public number", Plain(value), way_out)
    number = rational(value, name)
    if not inside(number):
        raise InvalidArgument(name, wanted, value)
    return number


def _weights(value: Any) -> tuple[tuple[str, Fraction], ...]:
    if not isinstance(value, Mapping):
        way_out = "Such as weights={'gram': 1, 'floor': '1/10'}."
        raise InvalidArgument("weights", "numbers by the names of releases", value, way_out)
    return tuple(
        (str(name), public_number(f"weight of {name}", one, "0 or more", lambda x: x >= 0))
        for name, one in value.items()
    )


@attrs.frozen(kw_only=True)
class NoiseCriterion(Criterion):
    """The expected squared noise, sum_i c_i times_i E|Z_i|^2: |Z_i| is the 2-norm of the noise that
    one draw adds to release i, over all entries of its value (of a matrix the Frobenius norm).

    `d` >= 1 columns of the table, `n` >= 1 rows where noise may read them (replace-one); `weights`
    are the c_i >= 0 by the names of releases, 1 where none is given. E|Z|^2 of p numbers is p
    std^2; of a symmetric matrix d (d + 1)/2 std^2 where noise is isotropic (dp.Gaussian,
    L2Laplace), d^2 std^2 where it is mirrored or drawn for every entry. Its unit is that of the
    squared statistics. Raises InvalidArgument.
    """

    d: int = attrs.field(converter=_columns)
    n: int | None = attrs.field(default=None, converter=attrs.converters.optional(_rows))
    weights: tuple[tuple[str, Fraction], ...] = attrs.field(factory=dict, converter=_weights)

    @property
    def sizes(self) -> Mapping[str, Expression]:
        """d, and n where it was given."""
        given = {"d": self.d} | ({} if self.n is None else {"n": self.n})
        return {name: Number(Fraction(value)) for name, value in given.items()}

    @property
    def sentence(self) -> str:
        """In words."""
        said = ", ".join(f"{name} {weight}" for name, weight in self.weights)
        weighed = f", weighted {said} (others 1)" if said else ""
        return f"expected squared noise, all entries of all releases{weighed}, at d = {self.d}"

    def formula(self, graph: Graph) -> Expression:
        """The sum over the releases."""
        return add(*(self.cost(one, graph) * power(one.std, 2) for one in graph.releases))

    def cost(self, release: Release, graph: Graph) -> Expression:
        """What the squared std of a release is multiplied by: c, the draws, the entries."""
        weights = dict(self.weights)
        labels = [one.label for one in graph.releases]
        for name in weights:
            if name not in labels:
                raise InvalidArgument("weights", f"of {', '.join(labels)}", name)
        weight = Number(weights.get(release.label, Fraction(1)))
        return weight * release.times * release.squared_noise


ZERO = Number(Fraction(0))
ELSE = "For others take dp.audits.NoiseCriterion, with weights."
SOLVERS = (ridge_solve, adaptive_ridge, constant_ridge)
TRIALS = ((1, 0.5), (2, 0.1))  # seeds and ridges


@attrs.frozen
class Solved:
    """The noisy X'X and X'y of a declaration, its post-processing, its eigenvalue if it has one."""

    gram: Release
    moment: Release
    post: Post
    floor: Release | None

    @property
    def releases(self) -> list[Release]:
        """Those that the post-processing reads."""
        return [one for one in (self.gram, self.moment, self.floor) if one is not None]

    @property
    def formulas(self) -> list[Expression]:
        """The other arguments of the post-processing."""
        return [exact(one) for one in self.post.arguments if not isinstance(one, Release)]


def _condition(value: Any) -> Fraction:
    return public_number("condition", value, "at least 1", lambda x: x >= 1)


def _radius(value: Any) -> Fraction:
    return public_number("radius", value)


def _failure(value: Any) -> Fraction:
    return public_number("failure", value, "in (0, 1)", lambda x: 0 < x < 1)


@attrs.frozen(kw_only=True)
class ErrorCriterion(Criterion):
    """An upper bound on the expected excess squared error (theta - ols)'X'X(theta - ols)/n of SSP,
    adaSSP and their kin, over their noise, counted where an event of probability at least 1 -
    `failure` holds; infinite where noise may exceed X'X. In squared units of labels.

    The last step solves (X'X + ridge I) theta = X'y: a function of your own, of both releases and
    of at most one other argument, the ridge, is tried on two made-up tables.

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

    n: int = attrs.field(converter=_rows)
    d: int = attrs.field(converter=_columns)
    condition: Fraction = attrs.field(default=Fraction(1), converter=_condition)
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
        solves = "the last step solves (X'X + ridge I) theta = X'y"
        return (f"for the bound on the error, not for privacy: {said}; {solves}",)

    def formula(self, graph: Graph) -> Expression:
        """The bound. Raises InvalidArgument for a declaration of another kind."""
        found = _solved(graph)
        d, failure = exact(self.d), Number(self.failure)
        norm = _bounded(found.gram.statistic.rows.norm, "rows", "dp.Rows(norm=...)")  # type: ignore[attr-defined]
        label = _bounded(found.moment.statistic.column.bound, "labels", "dp.Column(bound=...)")  # type: ignore[attr-defined]
        least = self.n * power(norm, 2) / (d * Number(self.condition))
        radius = label / norm if self.radius is None else Number(self.radius)
        low_ridge, high_ridge = _ridges(found, least, sqrt(2 * log(2 / failure)))
        isotropic, std = found.gram.noise.isotropic, found.gram.std
        directions, entries = (d + 1, (d + 1) * Fraction(1, 2)) if isotropic else (2 * d, d)
        size = std * sqrt(directions * log(4 * d / failure))
        kept = maximum(ZERO, 1 - maximum(ZERO, size - low_ridge) / least)
        noise = d * power(found.moment.std, 2) + entries * power(std, 2) * power(radius, 2)
        bias = power(high_ridge, 2) * power(radius, 2)
        return (noise + bias) / (power(kept, 2) * least * self.n)


def _solved(graph: Graph) -> Solved:
    """The same rows everywhere, and Gaussian noise, drawn once. Raises InvalidArgument."""
    posts = [node for node in graph.outputs if isinstance(node, Post)]
    others = [one for one in graph.outputs if one not in posts]
    if len(posts) != 1 or not all(isinstance(one, Release) for one in others):
        wanted = "one dp.post, which solves (X'X + ridge I) theta = X'y, and releases"
        outputs = ", ".join(node.label for node in graph.outputs)
        raise InvalidArgument("output", wanted, outputs, ELSE)
    inputs = [one for one in posts[0].inputs if isinstance(one, Release)]
    gram, moment = _of_kind(inputs, Gram), _of_kind(inputs, Moment)
    floor = _of_kind(inputs, LambdaMin)
    if gram is None or moment is None:
        names = ", ".join(one.label for one in inputs)
        raise InvalidArgument("releases", "one of X'X and one of X'y", names, ELSE)
    found = Solved(gram, moment, posts[0], floor)
    extra = ", ".join(one.label for one in graph.releases if one not in found.releases)
    if extra:
        way_out = f"Release {extra} in a declaration of its own, from a budget of its own. {ELSE}"
        wanted = "those that the solver reads: the error does not depend on others"
        raise InvalidArgument("releases", wanted, extra, way_out)
    gaussian_once = all(
        gaussian(one.noise) and one.times == exact(1) and one.sampled is None
        for one in found.releases
    )
    if not gaussian_once or len({_rows_of(one.statistic) for one in found.releases}) > 1:
        wanted = "X'X, X'y and perhaps lambda_min of the same rows, each drawn once, Gaussian"
        names = ", ".join(one.label for one in found.releases)
        raise InvalidArgument("releases", wanted, names, ELSE)
    if found.post.function not in SOLVERS:
        _check_solver(found)
    return found


def _of_kind(inputs: list[Release], kind: type) -> Release | None:
    """The one release of a statistic of this kind."""
    some = [one for one in inputs if isinstance(one.statistic, kind)]
    return some[0] if len(some) == 1 else None


def _rows_of(statistic: Any) -> Any:
    return statistic.gram.rows if isinstance(statistic, LambdaMin) else statistic.rows


def _bounded(bound: Any, name: str, way_out: str) -> Expression:
    if bound is None:
        raise InvalidArgument(name, "bounded in length", Plain("no bound"), f"{way_out}.")
    return exact(bound)


def _check_solver(found: Solved) -> None:
    """Refuse a function that does not solve two made-up systems. Raises InvalidArgument."""
    function = found.post.function
    name, others = function.__name__, found.formulas
    if len(others) > 1 or found.floor is not None:
        wanted = "of noisy X'X, noisy X'y and at most one other argument, the ridge"
        raise InvalidArgument("output", wanted, name, ELSE)
    for seed, ridge in TRIALS:
        rows = np.random.default_rng(seed).normal(size=(9, 3))
        gram, moment = rows.T @ rows, rows.T @ rows[:, 0] + 1
        values = {id(found.gram): gram, id(found.moment): moment}
        expected = np.linalg.solve(gram + (ridge if others else 0) * np.eye(3), moment)
        try:
            got = coefficients_of(
                function(*(values.get(id(a), ridge) for a in found.post.arguments))
            )
            alike = got is not None and got.shape == (3,) and np.allclose(got, expected)
            outcome = "" if alike else "differs on a made-up table"
        except Exception as error:  # noqa: BLE001  the function is the user's
            outcome = f"raised {type(error).__name__}"
        if outcome:
            wanted = "a function that solves (X'X + ridge I) theta = X'y"
            raise InvalidArgument("output", wanted, Plain(f"{name}, which {outcome}"), ELSE)


def _ridges(found: Solved, least: Expression, tail: Expression) -> tuple[Expression, Expression]:
    """The least and the largest ridge that is added to X'X, given lambda_min(X'X) >= least and
    noise of at most `tail` stds below on a released eigenvalue.
    """
    function, formulas, d = found.post.function, found.formulas, found.gram.statistic.shape[0]
    if function not in {adaptive_ridge, constant_ridge}:
        ridge = formulas[0] if formulas else ZERO
        return ridge, ridge
    deviation, rho, identity = formulas[-3:]
    needed = sqrt(d * log(2 * d * d / rho)) * deviation
    if function is constant_ridge:
        return needed + identity, needed + identity
    if found.floor is None:
        raise InvalidArgument("eigenvalue", "a release", Plain(found.post.arguments[0]))
    lowest = maximum(ZERO, least + identity - formulas[0] - tail * found.floor.std)
    return identity, maximum(ZERO, needed - lowest) + identity
