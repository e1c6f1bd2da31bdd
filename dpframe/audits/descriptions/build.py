"""From an algorithm as text to the graph of its mechanisms: one builder for files and short
forms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import attrs

from dpframe.errors import InvalidArgument, NotExecutable, TouchesData
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
from dpframe.symbols import Expression, constant, sqrt

from .algorithm import NAME, Algorithm, Told, arguments
from .bounds import RELATED, number, ranged
from .keys import JOINTLY, NORMS
from .scope import Scope
from .stated import StatedStatistic
from .words import Words


@contextmanager
def located(where: str) -> Iterator[None]:
    """Say where in a description an argument stood that was refused."""
    try:
        yield
    except InvalidArgument as error:
        name = error.name if error.name.startswith(where) else f"{where}: {error.name}"
        raise type(error)(name, error.requirement, error.value, error.way_out) from None
    except TouchesData as error:
        raise InvalidArgument(where, "a statistic that is known", str(error)) from None


@attrs.frozen
class Builder:
    """One algorithm in one setting, for one budget."""

    told: Algorithm
    X: RowsNode
    y: ColumnNode | None
    budget: Share
    scope: Scope
    words: Words

    @classmethod
    def of(cls, told: Algorithm, setting: Setting, budget: Share, words: Words) -> Builder:
        """The names of the algorithm, read. Raises InvalidArgument."""
        X, y = setting.nodes()
        scope = attrs.evolve(Scope.of(X, y, budget), functions=words.functions)
        for name, text in told.parameters:
            with located(f"parameters, {name}"):
                scope = scope.with_value(name, ranged(name, text))
        for name, text in told.let:
            with located(f"let, {name}"):
                scope.value(text)
                scope = scope.with_formula(name, text)
        released = frozenset(one.name for one in told.releases)
        return cls(told, X, y, budget, attrs.evolve(scope, released=released), words)

    def graph(self) -> Graph:
        """Every release, each charged; what the last step reads."""
        found = list(self.noisy())
        outputs: list[Node] = [self.looped(told, one) for told, one in found]
        if self.told.reads:
            outputs.insert(0, self.output(dict(zip(self.scope_names, outputs, strict=True))))
        return Graph.of(tuple(outputs))

    @property
    def scope_names(self) -> list[str]:
        """The names of the releases, in order."""
        return [one.name for one in self.told.releases]

    def statistic(self, one: Told) -> DataNode:
        """What a release asks."""
        with located(_place(one, "statistic")):
            return self.stated(one) if one.trusted else self.scope.statistic(one.statistic)

    def stated(self, one: Told) -> StatedStatistic:
        """A statistic that is known by its sensitivity only."""
        bounds = dict(self.told.bounds)
        with located(_place(one, "sensitivity")):
            moved = self.scope.formula(one.sensitivity)
            if one.norm == "each score":  # two scores may move apart by twice as much
                moved = 2 * moved
        with located(_place(one, "size")):
            size = self.scope.formula(one.size or "1")
        test = next((told for told in self.told.releases if told.name == one.given), None)
        with located(_place(one, "given")):
            given = self.scope.formula(one.given) if test is not None and test.fails else None
        return StatedStatistic(
            name=one.name,
            X=self.X,
            y=self.y,
            sensitivity_of_row=moved,
            norm=NORMS[one.norm],
            relation=RELATED[bounds["relation"]],
            why=one.why,
            size=size,
            given=given,
            condition=one.given if given is None else "",
        )

    def noisy(self) -> Iterator[tuple[Told, Release]]:
        """Every release, each with what those before it let it read."""
        joint = [one for one in self.told.releases if one.calibration == JOINTLY]
        asked = [(one, self.statistic(one)) for one in joint]
        together = iter(self.jointly(asked) if joint else ())
        at = self
        for one in self.told.releases:
            if one.calibration == JOINTLY:
                statistic, noise = dict(asked)[one], next(together)
                made = at.release(one, statistic, noise)
            else:
                made = at.release(one, at.statistic(one), at.noise(one))
            at = at.after(one, made)
            yield one, made

    def after(self, one: Told, made: Release) -> Builder:
        """The same, where what follows reads a release: as a number in a public range, or as its
        lower bound.
        """
        if one.known:
            with located(_place(one, "known")):
                span: Any = ranged(one.name, one.known)
                symbol = known(made, span.domain.lower, span.domain.upper, name=one.name)
        elif one.fails:
            with located(_place(one, "fails")):
                symbol = lower_bound(made, self.scope.formula(one.fails), name=one.name)
        else:
            arrays = {**self.scope.arrays, one.name: post(matrix_of, made)}
            return attrs.evolve(self, scope=attrs.evolve(self.scope, arrays=arrays))
        return attrs.evolve(self, scope=self.scope.with_value(one.name, symbol))

    def jointly(self, joint: list[tuple[Told, DataNode]]) -> tuple[AdditiveNoise, ...]:
        """Noise of the releases that share the whole budget."""
        with located("calibration"):
            weights = [self.scope.formula(one.weight or "1") for one, _ in joint]
            times = [self.scope.formula(one.times or "1") for one, _ in joint]
            statistics: Any = [statistic for _, statistic in joint]
            return jointly(self.budget, statistics, weights, times)

    def noise(self, one: Told) -> AdditiveNoise | Calibration:
        """The noise as it is stated, or the theorem that sizes it."""
        kind: Any = self.words.mechanisms[one.mechanism]
        if one.calibration:
            return getattr(kind, one.calibration)  # type: ignore[no-any-return]
        key = next(key for key in ("std", "variance", "scale") if getattr(one, key))
        with located(_place(one, key)):
            size = self.scope.formula(getattr(one, key))
            size = sqrt(size) if key == "variance" else size
        with located(_place(one, "law")):
            law = dict(self.parameter(text) for text in arguments(one.law)) if one.law else {}
            return noise_of_size(kind, size, law)

    def parameter(self, text: str) -> tuple[str, Expression]:
        """The name and the value of `left = 2`."""
        name, equal, formula = text.partition("=")
        if not equal:
            raise InvalidArgument("parameter", "written name = formula", text)
        return name.strip(), self.scope.formula(formula)

    def release(self, one: Told, statistic: DataNode, noise: object) -> Release:
        """One release: its own draw, its own charge."""
        with located(_place(one, "sampled")):
            rate = number(one.sampled) if one.sampled else None
        with located(_place(one, "times")):
            times = self.scope.formula(one.times) if one.times else constant(1)
        share = self.share(one)
        with located(_place(one, "")):
            return release(statistic, noise, share, times=times, sampled=rate, name=one.name)

    def share(self, one: Told) -> Share | None:
        """What the release is said to cost."""
        if not one.share:
            return None
        with located(_place(one, "share")):
            amounts = [self.scope.formula(text) for text in one.share]
            if len(amounts) != len(self.budget.currency):
                wanted = f"one amount of each of {', '.join(self.budget.currency)}"
                such = f"Such as {', '.join(f'{name}/3' for name in self.budget.currency)}."
                raise InvalidArgument("formula", wanted, ", ".join(one.share), such)
            pairs = zip(amounts, self.budget.amounts, strict=True)
            weights = tuple(amount / whole for amount, whole in pairs)
        return Share(self.budget.currency, self.budget.amounts, weights)

    def looped(self, one: Told, made: Release) -> Node:
        """The release; where it reads a point that moves, the rounds that move it."""
        points = points_of(made)
        if not points:
            return made
        with located(_place(one, "step")):
            if len(points) > 1:
                raise InvalidArgument("statistic", "of one gradient", made.statistic.label)
            pace = self.scope.formula(one.step or "1")
            return loop(points[0], made, stepped, pace)

    def output(self, released: dict[str, Node]) -> Node:
        """The last step; what it reads that is not released, the verifier refuses by its path."""
        read = []
        for text in self.told.reads:
            with located(f"output, reads {text!r}"):
                if NAME.match(text) and not self.scope.knows(text):
                    raise InvalidArgument("name", f"one of {', '.join(released)}", text)
                read.append(released[text] if text in released else self.scope.value(text))
        return post(last_step, *read)


def noise_of_size(kind: Any, size: Expression, law: Mapping[str, Expression]) -> AdditiveNoise:
    """Noise of a class, by its size and its other parameters. Raises InvalidArgument."""
    names = [one.name for one in attrs.fields(kind)]
    first = kind.noise if kind.noise in names else names[0]
    others = [name for name in names if name != first]
    if sorted(law) != sorted(others):
        wanted = f"those of its parameters: {', '.join(others) or 'none'}"
        raise InvalidArgument("names", wanted, ", ".join(law) or "none", 'As law = "left = 2".')
    found: AdditiveNoise = kind(**{first: size, **law})
    return found


def _place(one: Told, key: str) -> str:
    return f"release {one.name}, {key}" if key else f"release {one.name}"


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
    """What a description reads in its last step, which it does not spell out."""
    return values
