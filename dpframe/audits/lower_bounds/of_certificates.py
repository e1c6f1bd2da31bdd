"""A certificate attacked: all releases on one pair, each alone, and each procedure's law."""

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

from .attack_page import Finding, of_bounds
from .fresh import RUNS, fresh, of_certificate
from .neighbours import Neighbours, Space, given, searched
from .noise_laws import Short, calm, shortness, shortness_of
from .pairs import neighbouring
from .table_releases import moved
from .threshold_events import Scores, bounds
from .two_tables import LEAST, Job, MovedRelease, TwoTables, line, start

Known = dict[tuple[tuple[int, ...], ...], list[tuple[AnyDraw, AnyDraw]]]
SLOWER = 8  # most procedures draw one at a time: so much fewer draws are made
METHOD = "likelihood ratios: Clopper-Pearson bounds"


def certificate_findings(
    run: AtNumbers, on: object, job: Job
) -> tuple[Neighbours, list[Finding], list[str]]:
    """All that is tried against a certificate, or an unproved declaration; and what was not tried,
    with the reason. Raises NotExecutable.
    """
    space = Space.of(run)
    pair = _worst(run, space, job) if on is None else _given(on, space)
    proved = isinstance(run, Certificate)
    releases = len(run.graph.releases) if proved else 0
    procedures = run.graph.procedures if proved else ()
    if not all(isinstance(one, DeepPoint) for one in run.graph.procedures):
        job = attrs.evolve(job, draws=max(job.draws // SLOWER, LEAST))
    each = job.failing / (2 + 2 * releases + len(procedures))
    found, passed = _walked(run, pair, job, each)
    noises = of_certificate(run, pair, job.randomness)
    if noises:
        job.told(f"{RUNS} runs, one after the other")
        found += fresh(noises, job.randomness, each)
    for node in procedures:
        law = _law(run, space, node, job, each)
        found += [law] if law is not None else []
        passed += [] if law is not None else [f"{node.label}: the law of its noise is not known"]
    return pair, found, passed


def complete(run: AtNumbers) -> None:
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
    job.told("a search for the worst neighbouring tables")
    rng = np.random.default_rng(0)  # which pair is tried is no secret, and any is a fair attack
    known: Known = {}

    def found(pair: Neighbours) -> float:
        sizes = tuple(one.X.shape for one in pair.tables)
        both = TwoTables.of(run, pair, job.randomness)
        if sizes not in known:
            known[sizes] = both.draws(0)
        return strength(both, known[sizes])

    return searched(space, found, rng)[0]


def strength(both: TwoTables, draws: list[tuple[AnyDraw, AnyDraw]] | None = None) -> float:
    """The sum of the squares of what a pair moves in the first stage, in stds or scales: mu squared
    where all noise is Gaussian and nothing is released later. A loop counts as often as it turns.
    `draws` are those of any tables of these sizes.
    """
    total = 0.0
    for drawn, other in both.draws(0) if draws is None else draws:
        if isinstance(drawn, Loop):
            ways = both.at(drawn, start(drawn, both.first))
            total += moved(*ways) * times_of(drawn.step, both.first.numbers)
        elif isinstance(drawn, ReleaseDraw) and isinstance(other, ReleaseDraw):
            total += moved(*both.ways(drawn, other))
        else:
            total += _moved_inputs(both, drawn)
    return total


def _moved_inputs(both: TwoTables, node: object) -> float:
    """Of what a procedure reads, in its own units."""
    total = 0.0
    for read in getattr(node, "inputs", ()):
        if read in both.first.values:
            gap = np.asarray(both.first.values[read] - both.second.values[read], dtype=float)
            step = getattr(read, "step", None)
            unit = 1.0 if step is None else both.first.numbers.up(step)
            total += float(np.sum((gap * unit) ** 2))
    return total


def _given(on: object, space: Space) -> Neighbours:
    """Neighbours of the setting. Raises InvalidArgument."""
    return on if isinstance(on, Neighbours) else neighbouring(given(on), space.relation, space.each)


def _walked(
    run: AtNumbers, pair: Neighbours, job: Job, failing: float
) -> tuple[list[Finding], list[str]]:
    """Everything that is released, on one pair; and of a certificate each release alone."""
    total: Scores | None = None
    alone: dict[object, list[Finding] | str] = {}
    loops = {loop.step: loop for loop in run.graph.loops}
    for step in TwoTables.of(run, pair, job.randomness).steps(job.randomness):
        job.told(f"{step.label}: {job.draws} draws on each table")
        scores = step.scores(job.draws, job.randomness).rounded()
        total = scores if total is None else total + scores
        one = step.release
        if isinstance(run, Certificate) and isinstance(one, Release) and one not in alone:
            try:
                alone[one] = _alone(line(step.running, one, loops.get(one)), job, failing)
            except DPFrameError as error:
                alone[one] = f"{step.label} alone: {error}"
    found = bounds(total or Scores(np.zeros(2), np.zeros(2)), job.claim, failing)
    together = of_bounds(found, "all releases together", str(pair), method=METHOD)
    lines = [found for one in alone.values() if not isinstance(one, str) for found in one]
    return [together, *lines], [one for one in alone.values() if isinstance(one, str)]


def _alone(line: MovedRelease, job: Job, failing: float) -> list[Finding]:
    """One release, on a statistic that moves by its whole sensitivity."""
    repeats = job.repeats(line.claim)
    job.told(f"{line.label} alone: {job.draws * repeats} draws")
    scores = line.scores(job.draws, job.randomness, repeats)
    found = bounds(scores, line.claim.times(repeats), failing)
    where = f"its statistic, the first number larger by its sensitivity, {line.sensitivity:.4g}"
    what = f"{line.label} alone"
    alone = of_bounds(found, what, where, method=METHOD, repeats=repeats, whole=False)
    short = shortness_of(line.still, job.draws, job.randomness, failing)
    told = "its statistic as it is"
    return [alone] if short is None else [alone, _of_law(short, line.label, told)]


def _law(run: AtNumbers, space: Space, node: Procedure, job: Job, failing: float) -> Finding | None:
    """The noise of one procedure, on a table where it can be told; None where it cannot."""
    pair = calm(space, node)
    for step in TwoTables.of(run, pair, job.randomness).steps(job.randomness):
        if step.release.label != node.label:
            continue
        job.told(f"the noise of {node.label}: {job.draws} draws")
        short = shortness(step.release, step.running, job.draws, job.randomness, failing)
        return None if short is None else _of_law(short, node.label, pair.told)
    return None


def _of_law(short: Short, label: str, pair: str) -> Finding:
    return Finding(
        what=f"the noise of {label}",
        pair=pair,
        method="the law of the noise: Clopper-Pearson bounds",
        quantity=f"the chance that it is at most {short.radius:.4g} long",
        found=short.found,
        allowed=short.allowed,
        whole=False,
    )
