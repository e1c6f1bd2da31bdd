"""Sensitivity and noise: each release has a derived sensitivity, and noise that is defined."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import partial

from dpframe.graph import Node, Release, path
from dpframe.graph.loop import ancestors
from dpframe.graph.maps.scaled import Scaled
from dpframe.graph.statistics import RawAggregate
from dpframe.identity import own
from dpframe.mechanisms import AdditiveNoise, Gaussian
from dpframe.symbols import Number

from .flow import moves
from .obligation import ALL_NOISE, CLIP, NOISE, PROVED, REFUTED, UNPROVED, Edit, Obligation, Witness
from .problem import Problem

ZERO, ONE = Number(Fraction(0)), Number(Fraction(1))


def noise(problem: Problem, *, planned: bool) -> list[Obligation]:
    """Every release has a derived sensitivity and noise of positive size; a theorem's noise is
    positive where its share is (`planned`).
    """
    asked = partial(_noise, problem, planned=planned)
    failing = any(map(asked, _alike(problem, planned=planned)))
    each = (asked(release) for release, _ in problem.classes if failing)
    found = [obligation for obligation in each if obligation is not None]
    rule = f"each sensitivity is derived for {problem.setting.unit}, in the norm of its mechanism"
    facts, count = _sensitivities(problem), len(problem.graph.releases)
    return found or [Obligation("sensitivity", "releases", rule, facts, PROVED, count=count)]


def _alike(problem: Problem, *, planned: bool) -> Iterable[Release]:
    """One release for each statistic and noise: the size of planned noise does not matter."""
    found: dict[object, Release] = {}
    for one, _ in problem.classes:
        share = None if planned or isinstance(one.stated, AdditiveNoise) else one.share
        found.setdefault((one.statistic, one.stated, share), one)
    return found.values()


def _sensitivities(problem: Problem) -> tuple[str, ...]:
    queries = dict.fromkeys((r.statistic, r.noise.norm) for r, _ in problem.classes)
    found = [(statistic, statistic.sensitivity(norm)) for statistic, norm in list(queries)[:8]]
    return tuple(f"{s.label}: {m.value} ({m.norm}; {m.rule})" for s, m in found if m is not None)


def _noise(problem: Problem, release: Release, *, planned: bool) -> Obligation | None:
    moved = release.statistic.sensitivity(release.noise.norm)
    if moved is None:
        return _unbounded(release)
    if release.noise.integer and release.statistic.step != ONE:
        rule = "noise in whole numbers hides statistics in whole numbers only"
        fact = f"{release.statistic.label} is not known to be one"
        fix = "use dp.Gaussian or dp.Laplace."
        return Obligation("noise", release.label, rule, (fact,), UNPROVED, repair=fix)
    if release.rule is not None and moved.value == ZERO:
        return _still(release)
    calibrated = release.rule is not None and planned
    size = moved.value if calibrated else release.mechanism.formula
    if problem.field.shown(size, strict=True):
        return None
    rule = "the noise must be defined and positive for every parameter value"
    fact = f"{'sensitivity' if calibrated else release.noise.noise} = {size}"
    repair = "declare open ranges that exclude zero, and delta below 1; or calibrate it."
    edit = Edit(ALL_NOISE if release.share is None else NOISE, release, Gaussian.analytic)
    return Obligation("noise", release.label, rule, (fact,), UNPROVED, repair=repair, edit=edit)


def _still(release: Release) -> Obligation:
    label = release.statistic.label
    return Obligation(
        "noise",
        release.label,
        "a theorem calibrates noise to a sensitivity, and this one is 0",
        (f"{label} is constant over neighbours ({release.statistic.unit})",),
        UNPROVED,
        repair=f"{label} is public here: use it without a release, or state a std.",
    )


def _unbounded(release: Release) -> Obligation:
    """Refuted where rows without a bound move it; a class from outside that answers None says that
    no bound is known, which refutes nothing.
    """
    read = list(ancestors(release))
    foreign = [type(node).__name__ for node in read if not own(type(node))]
    facts = (f"{release.statistic.label} has no bound that a rule derives",)
    if foreign:
        rule = f"a derived {release.noise.norm} sensitivity: none for {path(release.statistic)}"
        fix = f"let {foreign[0]}.one_row answer for this norm and relation, or use another noise; "
        fix += "a matrix whose eigenvalues are asked for states symmetric = True."
        return Obligation("sensitivity", release.label, rule, facts, UNPROVED, repair=fix)
    raw = any(isinstance(node, RawAggregate) for node in read)
    return Obligation(
        "sensitivity",
        release.label,
        f"a derived {release.noise.norm} sensitivity: none for {path(release.statistic)}",
        facts if raw else (f"{release.statistic.label} is unbounded",),
        UNPROVED if raw else REFUTED,
        Witness(says=_growth(release)),
        "clip rows and labels to public bounds; put no aggregate of the data into a row map.",
        edit=Edit(CLIP, release.statistic),
    )


def _growth(release: Release) -> str:
    node: Node = release.statistic
    while node.inputs:
        if isinstance(node, Scaled) and not node.public:
            return f"one record changes {node.by}, and with it every row: all n rows move"
        if isinstance(node, RawAggregate):
            return moves(node)
        node = node.inputs[0]
    label = release.statistic.label
    return f"one row of norm M moves {label} by an amount that grows with M without bound"
