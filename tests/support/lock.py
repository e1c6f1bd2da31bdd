"""Every verdict on every regression in a file, so that a change of one is noticed.

`python -m tests.support.lock` answers every question anew and writes the file, one JSON line a
question, sorted by its key: whoever changes a verdict on purpose says why in the message of the
commit.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from rich.progress import track

import dpframe as dp
from dpframe.literature.catalogue import example, setting_of
from dpframe.literature.every import everything
from dpframe.prover import Report
from dpframe.prover.derivations import DERIVATIONS
from tests.support import samples
from tests.support.checking import check

Record = dict[str, Any]
Question = Callable[[], Record]
AT = {"epsilon": 1, "delta": Fraction(1, 10**6), "rho": 1, "mu": 1, "B": 1, "Y": 1}
SPARE = Fraction(1, 3)  # of parameters that no other number is for
CLAIMS: Mapping[str, Callable[[], dp.Guarantee]] = {
    "epsilon, delta": lambda: dp.ApproxDP(dp.EPSILON, dp.DELTA),
    "1, 1e-6": lambda: dp.ApproxDP(1, "1e-6"),
    "8, 1e-9": lambda: dp.ApproxDP(8, "1e-9"),
    "1/10, 1e-6": lambda: dp.ApproxDP("1/10", "1e-6"),
    "epsilon": lambda: dp.PureDP(dp.EPSILON),
    "rho": lambda: dp.ZeroConcentratedDP(dp.RHO),
    "mu": lambda: dp.GaussianDP(dp.MU),
    "each epsilon, delta": lambda: dp.PersonalizedDP(dp.each("epsilon"), dp.DELTA),
}
SETTINGS: Mapping[str, Callable[[dp.Relation], dp.Setting]] = {
    "B, Y": setting_of,
    "one": lambda relation: samples.setting(relation, norm=1, bound=1),
    "three rows a person": lambda relation: samples.setting(relation, rows_per_person=3),
}
WAYS = tuple(name for name, one in DERIVATIONS.items() if one.accountant.tried)


def declarations() -> Iterator[tuple[str, Question]]:
    """Of every regression, relation and claim the proof; at numbers also by each derivation."""
    for key, cls, setting, claim, way in declared():
        yield key, _proof(cls, setting, claim, way)


def declared() -> Iterator[
    tuple[str, type[dp.Regression], dp.Setting, Callable[[], dp.Guarantee], str]
]:
    """(key, regression, setting, claim, accountant) of each of them."""
    for cls, relation in product(everything(), samples.RELATIONS):
        for setting, claim in product(SETTINGS, CLAIMS):
            ways = ("auto", *WAYS) if (setting, claim) == ("one", "1, 1e-6") else ("auto",)
            if setting == "three rows a person" and claim != "1, 1e-6":
                continue
            for way in ways:
                key = f"declaration | {cls.__name__} | {relation} | {setting} | {claim} | {way}"
                yield key, cls, SETTINGS[setting](relation), CLAIMS[claim], way


def _proof(
    cls: type[dp.Regression], setting: dp.Setting, claim: Callable[[], dp.Guarantee], way: str
) -> Question:
    def proof() -> Record:
        report = dp.examine(example(cls), target=claim(), setting=setting, accountant=way)
        found = outcome(report)
        if report.proved:
            run = dp.certify(example(cls), target=claim(), setting=setting, accountant=way)
            found["checker"] = check(json.loads(json.dumps(run.document))).accepted
            found["sizes"] = sizes(run)
        return found

    return proof


def outcome(report: Report) -> Record:
    """The verdict and what it rests on."""
    open_ones = report.open_obligations
    every = (*report.obligations, *report.claims)
    counts = Counter((one.kind, str(one.verdict)) for one in every)
    chosen = report.chosen
    return {
        "proved": report.proved,
        "derivation": None if chosen is None else chosen.name,
        "region": [] if chosen is None else sorted(map(str, chosen.constraints)),
        "attempts": {attempt.name: attempt.proved for attempt in report.attempts},
        "obligations": {
            f"{kind}, {verdict}": counts[kind, verdict] for kind, verdict in sorted(counts)
        },
        "open": sorted({f"{one.kind} | {one.node} | {one.verdict}" for one in open_ones}),
        "witnesses": sorted(
            {
                f"{one.node}: {name} = {value}"
                for one in open_ones
                if one.witness is not None
                for name, value in one.witness.values.items()
            }
        ),
    }


def sizes(run: dp.Certificate) -> Record:
    """Of every release the size of its noise, as a formula and, rounded up, at numbers."""
    given = {name: AT.get(name, SPARE) for name in run.free}
    at = run.at(**given) if given else run
    found = {}
    for i, release in enumerate(run.graph.releases):
        formula = release.mechanism.formula
        size = _number(partial(at.number, formula, up=True))
        found[f"{i} {release.label}"] = [str(formula), size]
        if i == 20:  # of a thousand equal ones
            break
    return found


def _number(value: Callable[[], float]) -> str:
    try:
        return float(value()).hex()
    except (dp.DPFrameError, KeyError) as error:
        return type(error).__name__


# ------------------------------------------------------------------------------------- the file
BEFORE = Path(__file__).parent / "lock.jsonl.gz"


def answer(question: Question) -> Record:
    """What came of it; a refusal is an answer."""
    try:
        return question()
    except dp.DPFrameError as error:
        return {"refused": type(error).__name__}


def read() -> dict[str, Record]:
    """Answers, by key."""
    return dict(map(json.loads, gzip.decompress(BEFORE.read_bytes()).decode().splitlines()))


def main() -> None:
    """Answer everything."""
    asked = dict(declarations())
    found = {key: answer(ask) for key, ask in track(asked.items(), "Answering ...")}
    lines = [json.dumps([key, found[key]], sort_keys=True) for key in sorted(found)]
    BEFORE.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0))


if __name__ == "__main__":
    main()
