"""A certificate attacked: all releases on one pair, each release alone, and each procedure's
noise.
"""

from __future__ import annotations

import attrs
import numpy as np

from dpframe.errors import DPFrameError, NotExecutable
from dpframe.execution.draws import ReleaseDraw, times_of
from dpframe.execution.running import AnyDraw
from dpframe.graph import Loop, Procedure, Release
from dpframe.graph.procedures import DeepPoint
from dpframe.prover import Certificate
from dpframe.prover.at_numbers import AtNumbers

from .bounds import LEAST, Finding, Job, rounded, threshold_finding
from .neighbours import Neighbours, Space, given_pair, searched
from .noise_laws import (
    calm_table,
    law_of,
    length_finding,
    vector_length,
)
from .two_tables import MovedRelease, TwoTables, procedure_draws, scores_of, start

Draws = list[tuple[AnyDraw, AnyDraw]]
SLOWER = 8  # most procedures draw one at a time: so much fewer draws are made


def certificate_findings(
    run: AtNumbers, on: object, job: Job
) -> tuple[Neighbours, list[Finding], list[str]]:
    """The pair and the findings of a certificate or an unproved declaration; and what was not
    tried, with the reason. Raises NotExecutable.
    """
    space = Space.of(run)
    if on is None:
        on = _worst(run, space, job)
    elif not isinstance(on, Neighbours):
        on = given_pair(on, space.relation, space.rows_per_person)
    proved = isinstance(run, Certificate)
    releases = len(run.graph.releases) if proved else 0
    procedures = run.graph.procedures if proved else ()
    if not all(isinstance(one, DeepPoint) for one in run.graph.procedures):
        job = attrs.evolve(job, draws=max(job.draws // SLOWER, LEAST))
    each = job.failing / (1 + 2 * releases + len(procedures))
    findings, passed = _releases(run, on, job, each)
    for node in procedures:
        law = _procedure(run, space, node, job, each)
        findings += [law] if law is not None else []
        passed += [] if law is not None else [f"{node.label}: the law of its noise is not known"]
    return on, findings, passed


def check_complete(run: AtNumbers) -> None:
    """Refuse what lacks numbers or releases nothing. Raises NotExecutable."""
    if run.free:
        missing = ", ".join(f"{name}=..." for name in sorted(run.free))
        raise NotExecutable(f"numbers are lacking. run = run.at({missing})")
    steps = {loop.step for loop in run.graph.loops}
    alone = [r.label for r in run.graph.releases if r.sampled is not None and r not in steps]
    if alone:
        raise NotExecutable(
            f"{alone[0]} is drawn on Poisson samples outside a loop, which dp.attack does not "
            "simulate: attack the declaration without sampled=, or draw it in dp.loop(...)"
        )
    if not run.graph.charged:
        raise NotExecutable("it releases nothing with noise: nothing is claimed of it")


def _worst(run: AtNumbers, space: Space, job: Job) -> Neighbours:
    """The pair whose first stage moves furthest, in stds or scales of the noise."""
    job.on_progress("a search for the worst neighbouring tables")
    rng = np.random.default_rng(0)  # any pair is a fair attack, so its choice needs no secrecy
    draws: dict[tuple[tuple[int, ...], ...], Draws] = {}

    def distance(pair: Neighbours) -> float:
        sizes = tuple(one.X.shape for one in pair.tables)
        both = TwoTables.of(run, pair, job.randomness)
        if sizes not in draws:
            draws[sizes] = both.draws(0)
        return strength(both, draws[sizes])

    return searched(space, distance, rng)[0]


def strength(both: TwoTables, draws: Draws | None = None) -> float:
    """The sum of the squares of the moves of the first stage, in stds or scales: mu squared where
    all noise is Gaussian and no later stage releases. A loop counts once for each turn. `draws` are
    those of any tables of these sizes.
    """
    total = 0.0
    for drawn, other in both.draws(0) if draws is None else draws:
        if isinstance(drawn, Loop):
            first, second = both.at(drawn, start(drawn, both.first))
            total += first.squared_distance(second) * times_of(drawn.step, both.first.numbers)
        elif isinstance(drawn, ReleaseDraw) and isinstance(other, ReleaseDraw):
            first, second = both.releases(drawn, other)
            total += first.squared_distance(second)
        else:
            total += _input_distance(both, drawn)
    return total


def _input_distance(both: TwoTables, node: object) -> float:
    """The squared move of the inputs of a procedure, in their own units."""
    total, (first, second) = 0.0, (one.values for one in both.both)
    for read in getattr(node, "inputs", ()):
        if read in first:
            step = getattr(read, "step", None)
            unit = 1.0 if step is None else both.first.numbers.up(step)
            gap = np.asarray(first[read] - second[read], dtype=float)
            total += float(np.sum((gap * unit) ** 2))
    return total


def _releases(
    run: AtNumbers, pair: Neighbours, job: Job, failing: float
) -> tuple[list[Finding], list[str]]:
    """Everything that is released, on one pair; and of a certificate each release alone."""
    total = np.zeros((2, job.draws))
    alone: dict[object, list[Finding]] = {}
    passed: list[str] = []
    loops = {loop.step: loop for loop in run.graph.loops}
    for step in TwoTables.of(run, pair, job.randomness).steps(job.randomness):
        job.on_progress(f"{step.label}: {job.draws} draws on each table")
        total += rounded(step.scores(job.draws, job.randomness))
        one = step.release
        if isinstance(run, Certificate) and isinstance(one, Release) and one not in alone:
            alone[one] = []
            try:
                moved = MovedRelease.of(step.running, one, loops.get(one))
                alone[one] = _alone(moved, job, failing)
            except DPFrameError as error:
                passed.append(f"{step.label} alone: {error}")
    what = "all releases together"
    together = threshold_finding(total, job.claim, failing, what=what, pair=str(pair))
    return [together, *(finding for some in alone.values() for finding in some)], passed


def _alone(moved: MovedRelease, job: Job, failing: float) -> list[Finding]:
    """One release, on a statistic that moves by its whole sensitivity."""
    plain, repeats = moved.plain, job.repeats(moved.claim)
    label, draws = plain.release.label, job.draws * repeats
    job.on_progress(f"{label} alone: {draws} draws")
    scores = rounded(scores_of(moved.moved, plain, draws, job.randomness), repeats)
    pair = f"its statistic, the first number larger by its sensitivity, {moved.sensitivity:.4g}"
    what, claim = f"{label} alone", moved.claim.times(repeats)
    alone = threshold_finding(
        scores, claim, failing, what=what, pair=pair, repeats=repeats, whole=False
    )
    law = vector_length(plain)
    if law is None:
        return [alone]
    noise = (plain.many(job.draws, job.randomness) - plain.mean).reshape(job.draws, -1)
    length = length_finding(law, noise, failing, label, "its statistic as it is")
    return [alone] if length is None else [alone, length]


def _procedure(
    run: AtNumbers, space: Space, node: Procedure, job: Job, failing: float
) -> Finding | None:
    """The noise of one procedure, on a table that shows it; None where its law is not known."""
    pair = calm_table(space, node)
    for step in TwoTables.of(run, pair, job.randomness).steps(job.randomness):
        if step.release.label == node.label:
            job.on_progress(f"the noise of {node.label}: {job.draws} draws")
            law = law_of(step.release, step.running)
            if law is None:
                return None
            draws = procedure_draws(step.running, step.release, job.draws, job.randomness)
            return length_finding(law, draws, failing, node.label, pair.description)
    return None
