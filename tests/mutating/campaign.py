"""All mutants of declarations, each judged once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import attrs

from dpframe.errors import DPFrameError, InvalidArgument
from dpframe.graph import Graph, Regression, Setting
from dpframe.privacy import Guarantee
from dpframe.prover import examine
from dpframe.prover.certify import calibrated

from .bases import Base, bases
from .judged import (
    OVERCAUTIOUS,
    SURVIVOR,
    UNSPELLABLE,
    Judged,
    Outcome,
    key_of,
    outcome,
    told_of,
)
from .mending import mended
from .mutant import Mutant, edits
from .subject import Change, Operator

Edited = tuple[Operator, int, Change]
WHOLE = slice(None)


@attrs.frozen(slots=False, eq=False, repr=False, str=False)
class Mutants:
    """Judged mutants, all distinct. `str` is the page a person reads."""

    judged: tuple[Judged, ...]

    def __iter__(self) -> Iterator[Judged]:
        """One by one."""
        return iter(self.judged)

    def __len__(self) -> int:
        """How many."""
        return len(self.judged)

    def of(self, verdict: Outcome) -> tuple[Judged, ...]:
        """Those that ended so."""
        return tuple(one for one in self.judged if one.verdict is verdict)

    @property
    def survivors(self) -> tuple[Judged, ...]:
        """Accepted, and nobody else says that they are private: errors of dpframe."""
        return self.of(SURVIVOR)

    @property
    def overcautious(self) -> tuple[Judged, ...]:
        """Harmless edits that were refused."""
        return self.of(OVERCAUTIOUS)

    @property
    def spelled(self) -> tuple[Judged, ...]:
        """The mutants proper: distinct graphs. The other edits have no words in a graph."""
        return tuple(one for one in self.judged if one.graph is not None)

    @cached_property
    def counts(self) -> Counter[str]:
        """How many ended how."""
        return Counter(str(one.verdict) for one in self.judged)

    @cached_property
    def mended(self) -> tuple[int, int]:
        """How many refusals offer a way out, and how many of those are accepted once it is taken
        by a program that sees obligations and graph alone.
        """
        offering = [one.report for one in self.judged if one.offered and one.report is not None]
        return len(offering), sum(mended(report).accepted for report in offering)

    def __str__(self) -> str:
        """A table by operator, then survivors by name."""
        from .table import table

        return table(self)

    __repr__ = __str__


def mutants(
    regression: Regression,
    *,
    target: Guarantee,
    setting: Setting,
    calibrate: str = "as declared",
) -> Mutants:
    """Every edit of `regression` by every operator, judged: privacy-breaking ones must be refused
    or be private still, by a second, independent checker; harmless ones must stay accepted.

    The declaration must be certified for `target` in `setting`; `calibrate` is as in dp.certify.
    Raises InvalidArgument.

    >>> import dpframe as dp
    >>> one = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    >>> found = mutants(dp.SSP(), target=dp.ApproxDP(1, "1e-6"), setting=one)
    >>> found.survivors
    ()
    >>> print([one for one in found if one.operator.name == "half of all"][0])  # doctest: +ELLIPSIS
    refused: SSP, half of all: all releases: ...
    """
    chosen = calibrated(regression, calibrate)
    if not examine(chosen, target=target, setting=setting).proved:
        way_out = "dp.certify says why. Give numbers, or calibrate='jointly'."
        raise InvalidArgument("regression", f"certified for {target}", str(chosen), way_out)
    asked = edits(chosen, target, setting)
    return Mutants(tuple(judged(Base(chosen, target, setting), asked)))


def around(regression: Regression, *, every: bool = False, part: slice = WHOLE) -> Mutants:
    """Mutants of a declaration in the settings of `bases`: each edit in one of them, in turn, or in
    every one; or part of these, such as slice(3, None, 10).
    """
    found = bases(regression)
    listed = [tuple(edits(one.regression, one.target, one.setting)) for one in found]
    chosen = [own[part] for own in (listed if every else in_turn(listed))]
    pairs = zip(found, chosen, strict=True)
    return Mutants(tuple(one for base, asked in pairs for one in judged(base, asked)))


def in_turn(listed: Sequence[Sequence[Edited]]) -> list[list[Edited]]:
    """Of edits that several settings have, each in one of those, in turn."""
    where: dict[tuple[str, int], list[int]] = {}
    for index, own in enumerate(listed):
        for operator, place, _ in own:
            where.setdefault((operator.name, place), []).append(index)
    turns = {key: own[turn % len(own)] for turn, (key, own) in enumerate(where.items())}
    return [
        [one for one in own if turns[one[0].name, one[1]] == index]
        for index, own in enumerate(listed)
    ]


def together(parts: Sequence[Mutants]) -> Mutants:
    """The mutants of several declarations; of equal ones the first."""
    found: dict[str, Judged] = {}
    for one in (one for part in parts for one in part):
        found.setdefault(one.key, one)
    return Mutants(tuple(found.values()))


def judged(base: Base, asked: Iterable[Edited]) -> Iterator[Judged]:
    """Every distinct mutant of a certified declaration, one by one."""
    target, setting = base.target, base.setting
    own = Graph.of(base.regression.graph(setting, target.budget).output)
    seen = {key_of(own.hash, target, setting)}
    for operator, place, change in asked:
        mutant = Mutant(of=base.regression, operator=operator.name, place=place)  # type: ignore[call-arg]
        graph, words = spelled(change)
        one = Judged(
            mutant=mutant,
            operator=operator,
            place=change.place,
            target=target,
            setting=setting,
            graph=graph,
            report=None,
            verdict=UNSPELLABLE,
            reason=words,
        )
        if one.key in seen:
            continue
        seen.add(one.key)
        if graph is None:
            yield one
        else:
            report, verdict, reason = outcome(mutant, operator, graph, target, setting)
            yield attrs.evolve(one, report=report, verdict=verdict, reason=reason)


def spelled(change: Change) -> tuple[Graph | None, str]:
    """The graph that an edit makes; or None, and why there are no words for it. Nothing is judged
    here, so that no error of a judge is taken for one of spelling.
    """
    try:
        graph = Graph.of(change.output())
        len(graph.hash)  # what a theorem refuses shows once it is written down
    except DPFrameError as error:
        return None, told_of(error)
    return graph, ""
