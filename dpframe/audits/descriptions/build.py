"""From an algorithm as text to the graph of its mechanisms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import attrs

from dpframe.errors import InvalidArgument, NotExecutable, Plain, TouchesData, listed_words, some
from dpframe.graph import (
    ColumnNode,
    DataNode,
    Graph,
    Node,
    Release,
    RowsNode,
    Setting,
    jointly,
    known,
    loop,
    lower_bound,
    points_of,
    post,
    release,
)
from dpframe.mechanisms import AdditiveNoise
from dpframe.mechanisms.base import Calibration
from dpframe.privacy import Share
from dpframe.symbols import Expression, sqrt

from .algorithm import NAME, Algorithm, ReleaseText, arguments
from .bounds import RELATED, number, ranged
from .functions import Vocabulary
from .keys import JOINTLY, NORMS
from .scope import FormulaScope
from .stated import StatedStatistic


@contextmanager
def located(where: str) -> Iterator[None]:
    """Add the place in the description to the refusal of an argument."""
    try:
        yield
    except InvalidArgument as error:
        name = error.name if error.name.startswith(where) else f"{where}: {error.name}"
        raise type(error)(name, error.requirement, error.value, error.way_out) from None
    except TouchesData as error:
        raise InvalidArgument(where, "a statistic that is known", Plain(error)) from None


@attrs.frozen
class GraphBuilder:
    """One algorithm in one setting, for one budget."""

    algorithm: Algorithm
    X: RowsNode
    y: ColumnNode | None
    budget: Share
    scope: FormulaScope
    vocabulary: Vocabulary

    @classmethod
    def of(
        cls, algorithm: Algorithm, setting: Setting, budget: Share, vocabulary: Vocabulary
    ) -> GraphBuilder:
        """With the names of the algorithm. Raises InvalidArgument."""
        X, y = setting.nodes()
        scope = attrs.evolve(FormulaScope.of(X, y, budget), functions=vocabulary.functions)
        for name, text in algorithm.parameters:
            with located(f"parameters, {name}"):
                scope = scope.with_value(name, ranged(name, text))
        for name, text in algorithm.let:
            with located(f"let, {name}"):
                scope = scope.with_formula(name, text)
        released = frozenset(one.name for one in algorithm.releases)
        scope = attrs.evolve(scope, released=released)
        return cls(algorithm, X, y, budget, scope, vocabulary)

    def graph(self) -> Graph:
        """Every release, each charged and reading those before it; and the inputs of the last
        step.
        """
        joint = [one for one in self.algorithm.releases if one.calibration == JOINTLY]
        statistics = [self.statistic(one) for one in joint]
        noises = self.jointly(joint, statistics) if joint else ()
        together = dict(zip(joint, zip(statistics, noises, strict=True), strict=True))
        at, outputs = self, dict[str, Node]()
        for one in self.algorithm.releases:
            statistic, noise = together.get(one) or (at.statistic(one), at.noise(one))
            made = at.release(one, statistic, noise)
            at = at.after(one, made)
            outputs[one.name] = self.looped(one, made)
        last = [self.output(outputs)] if self.algorithm.reads else []
        return Graph.of((*last, *outputs.values()))

    def statistic(self, one: ReleaseText) -> DataNode:
        """The statistic of a release."""
        with located(one.place("statistic")):
            return self.stated(one) if one.trusted else self.scope.statistic(one.statistic)

    def stated(self, one: ReleaseText) -> StatedStatistic:
        """A statistic of which the sensitivity alone is known."""
        sensitivity = self.formula(one, "sensitivity")
        if one.norm == "each score":  # two scores may move apart by twice as much
            sensitivity = 2 * sensitivity
        fails = any(test.name == one.given and test.fails for test in self.algorithm.releases)
        return StatedStatistic(
            name=one.name,
            X=self.X,
            y=self.y,
            sensitivity_of_row=sensitivity,
            norm=NORMS[one.norm],
            relation=RELATED[dict(self.algorithm.bounds)["relation"]],
            why=one.why,
            size=self.formula(one, "size", "1"),
            given=self.formula(one, "given") if fails else None,
            condition="" if fails else one.given,
        )

    def formula(self, one: ReleaseText, key: str, default: str = "") -> Expression:
        """The formula of a key. Raises InvalidArgument that names it."""
        with located(one.place(key)):
            return self.scope.formula(getattr(one, key) or default)

    def after(self, one: ReleaseText, made: Release) -> GraphBuilder:
        """The same for later releases, which may read this one as a number in a public range, as a
        lower bound, or as an array.
        """
        if one.known:
            with located(one.place("known")):
                span: Any = ranged(one.name, one.known)
                symbol = known(made, span.domain.lower, span.domain.upper, name=one.name)
        elif one.fails:
            with located(one.place("fails")):
                symbol = lower_bound(made, self.scope.formula(one.fails), name=one.name)
        else:
            arrays = {**self.scope.arrays, one.name: post(matrix_of, made)}
            return attrs.evolve(self, scope=attrs.evolve(self.scope, arrays=arrays))
        return attrs.evolve(self, scope=self.scope.with_value(one.name, symbol))

    def jointly(self, joint: list[ReleaseText], statistics: list[Any]) -> tuple[AdditiveNoise, ...]:
        """Noise of the releases that share the whole budget."""
        with located("calibration"):
            weights = [self.scope.formula(one.weight or "1") for one in joint]
            times = [self.scope.formula(one.times or "1") for one in joint]
            return jointly(self.budget, statistics, weights, times)

    def noise(self, one: ReleaseText) -> AdditiveNoise | Calibration:
        """The noise as it is stated, or the theorem that sizes it."""
        kind: Any = self.vocabulary.mechanisms[one.mechanism]
        if one.calibration:
            return getattr(kind, one.calibration)  # type: ignore[no-any-return]
        key = next(key for key in ("std", "variance", "scale") if getattr(one, key))
        size = self.formula(one, key)
        with located(one.place(key)):
            size = sqrt(size) if key == "variance" else size
        with located(one.place("law")):
            law = dict(map(self.parameter, arguments(one.law) if one.law else ()))
            return noise_of_size(kind, size, law)

    def parameter(self, text: str) -> tuple[str, Expression]:
        """The name and the value of `left = 2`."""
        name, equal, formula = text.partition("=")
        if not equal:
            raise InvalidArgument("parameter", "written name = formula", text)
        return name.strip(), self.scope.formula(formula)

    def release(self, one: ReleaseText, statistic: DataNode, noise: object) -> Release:
        """One release: its own draw, its own charge."""
        with located(one.place("sampled")):
            rate = number(one.sampled) if one.sampled else None
        times, share = self.formula(one, "times", "1"), self.share(one)
        with located(one.place()):
            return release(statistic, noise, share, times=times, sampled=rate, name=one.name)

    def share(self, one: ReleaseText) -> Share | None:
        """The stated cost of the release."""
        if not one.share:
            return None
        with located(one.place("share")):
            amounts = [self.scope.formula(text) for text in one.share]
            if len(amounts) != len(self.budget.currency):
                names = listed_words(self.budget.currency)
                many = len(self.budget.currency)
                each = "an amount of each of" if many > 1 else "one amount, of"
                wanted = f"{each} {names}, as the claim"
                such = f"Such as {', '.join(f'{name}/3' for name in self.budget.currency)}."
                raise InvalidArgument("formula", wanted, ", ".join(one.share), such)
            pairs = zip(amounts, self.budget.amounts, strict=True)
            weights = tuple(amount / whole for amount, whole in pairs)
        return Share(self.budget.currency, self.budget.amounts, weights)

    def looped(self, one: ReleaseText, made: Release) -> Node:
        """The release; where it reads the point of a loop, the turns that move the point."""
        points = points_of(made)
        if not points:
            return made
        with located(one.place("step")):
            if len(points) > 1:
                raise InvalidArgument("statistic", "of one gradient", made.statistic.label)
            return loop(points[0], made, stepped, self.scope.formula(one.step or "1"))

    def output(self, released: dict[str, Node]) -> Node:
        """The last step; the verifier refuses by its path what it reads that is not released."""
        inputs = []
        for text in self.algorithm.reads:
            with located(f"output, reads {text!r}"):
                if NAME.match(text) and not self.scope.knows(text):
                    raise InvalidArgument(
                        "name", f"one of {some(released, text, 'the file')}", text
                    )
                inputs.append(released[text] if text in released else self.scope.value(text))
        return post(last_step, *inputs)


def noise_of_size(kind: Any, size: Expression, law: Mapping[str, Expression]) -> AdditiveNoise:
    """Noise of a class, by its size and its other parameters. Raises InvalidArgument."""
    names = [one.name for one in attrs.fields(kind)]
    first = kind.noise if kind.noise in names else names[0]
    others = [name for name in names if name != first]
    if sorted(law) != sorted(others):
        wanted = f"those of its parameters: {', '.join(others) or 'none'}"
        raise InvalidArgument("names", wanted, ", ".join(law) or "none", 'As law = "left = 2".')
    noise: AdditiveNoise = kind(**{first: size, **law})
    return noise


def stepped(point: Any, answer: Any, t: int, pace: float) -> Any:
    """A step against the gradient."""
    del t
    return point - pace * answer


def matrix_of(released: Any) -> Any:
    """The matrix of `times(X, name)`, of which a description says only what it is made of. Raises
    NotExecutable.
    """
    del released
    text = "times(X, name) does not say which matrix it is. Write a dp.Regression to run it."
    raise NotExecutable(text)


def last_step(*values: Any) -> tuple[Any, ...]:
    """The inputs of the last step, which a description does not define."""
    return values
