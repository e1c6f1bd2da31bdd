"""Every verdict and every number of the core in a file, so that two commits can be compared.

    python -m tests.support.lock write FILE [--words]
    python -m tests.support.lock compare BEFORE AFTER [--words]

A file has one JSON line a question, sorted by its key. `compare` lists what changed, was added and
is gone, and ends with status 1 unless every difference is one of MEANT. Words are compared apart:
facts and repairs may be rewritten while verdicts stay. `lock.jsonl.gz` beside this file has the
answers of the commit before the core was rebuilt; those of the zCDP and Renyi accountants are
newer, since orders are searched by convexity, and so are those of what was declared since, and
lower ends of 0 where a mechanism is added by a bound that it may not spend.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import attrs
from rich.progress import track

import dpframe as dp
from dpframe.literature.catalogue import example, setting_of
from dpframe.literature.every import everything
from dpframe.prover import Report
from dpframe.prover.derivations import DERIVATIONS
from dpframe.sensitivity import Norm
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
WAYS = tuple(name for name, one in DERIVATIONS.items() if one.accountant.automatic)
CALIBRATIONS = {
    "DworkRoth": dp.Gaussian.classical,
    "KamathUllman": dp.Gaussian.kamath_ullman,
    "Analytic": dp.Gaussian.analytic,
    "PureLaplace": dp.Laplace.pure,
    "PureDiscreteLaplace": dp.DiscreteLaplace.pure,
    "ConcentratedDiscreteGaussian": dp.DiscreteGaussian.concentrated,
    "PureL2Laplace": dp.L2Laplace.pure,
}
"""By the names that they have in the file of answers."""
BEFORE = Path(__file__).parent / "lock.jsonl.gz"
"""Every answer before the core was rebuilt (commit fb00509), without words."""
MEANT: Mapping[str, str] = {
    "AdaSSPBudgetTight | replace-one | B, Y | mu": "maxima over gamma are decided",
    "AdaSSPBudgetTight | replace-one | B, Y | rho": "maxima over gamma are decided",
    "AdaSSPBudgetTight | replace-one | one | mu": "maxima over gamma are decided",
    "AdaSSPBudgetTight | replace-one | one | rho": "maxima over gamma are decided",
    "NoisyGradientDescentPrinted | replace-one": "zCDP totals in symbols are decided",
    "AdaSSPBudget | ": "the mirrored noise of X'X is stated, so that its share is judged apart",
    "x DiscreteGaussian(9) | NumericAccountant": "its exact law holds for vectors, too",
    "LogisticDescent | ": "its clip is the bound of the loss, and it has more rounds",
    "SampledRidgeCoded | ": "noise that is not calibrated without a sensitivity is no obligation",
    "ThesisClipped | ": "entries are clipped on the upper side only",
    "UniformRidge | ": "the printed noise, in place of a smaller one that was derived",
    **{
        f"ApproximateMinima | {relation} | three rows": "a release is named, not a part of it"
        for relation in ("add/remove", "replace-one")
    },
    "AdaOPSPrinted | ": "its penalty and temperature are printed, and not taken from the code",
    **{
        f"OPSPrinted | {relation} | three rows": "what the theorem asks of one row is judged too"
        for relation in ("add/remove", "replace-one")
    },
    **{
        f"ApproximateMinima | {relation} | {setting} | each epsilon, delta": (
            "the parts of its share are judged like the share: two more are refused"
        )
        for relation in ("add/remove", "replace-one")
        for setting in ("B, Y", "one")
    },
}
"""Differences that are meant, each a part of a key, with the reason."""


# ----------------------------------------------------------------------------------- questions
def questions() -> Iterator[tuple[str, Question]]:
    """Every question, by its key."""
    yield from declarations()
    yield from sensitivities()
    yield from calibrations()
    yield from compositions()
    yield from profiles()
    yield from files()


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
    """The verdict and what it rests on; words apart."""
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
        "words": {
            "obligations": [str(one) for one in every],
            "open": [str(one) for one in open_ones],
        },
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


def sensitivities() -> Iterator[tuple[str, Question]]:
    """Of every statistic, relation, unit and norm."""
    for (cls, make), relation, rows in product(
        samples.STATISTICS.items(), samples.RELATIONS, (1, 3)
    ):
        key = f"sensitivity | {cls.__name__} | {relation} | {rows}"
        yield key, _moves(make, samples.setting(relation, rows_per_person=rows))


def _moves(make: Callable[..., Any], setting: dp.Setting) -> Question:
    def moves() -> Record:
        statistic = make(*setting.nodes())
        found: Record = {}
        for norm in Norm:
            move = statistic.sensitivity(norm)
            found[str(norm)] = None if move is None else [str(move.value), move.attained]
        return found

    return moves


def calibrations() -> Iterator[tuple[str, Question]]:
    """The size of the noise of every calibration: in symbols, at numbers, and of dp.calibrate."""
    budgets = [(e, d) for e in ("1/100", "9/10", "5/2", "12") for d in ("1e-6", "1e-15", "1/20")]
    for (name, rule), (epsilon, delta) in product(CALIBRATIONS.items(), budgets):
        key = f"calibration | {name} | {epsilon} | {delta}"
        yield key, lambda rule=rule, e=epsilon, d=delta: {"size": _size(rule, e, d)}
    made = {
        "Gaussian": dp.Gaussian(std=1),
        "Laplace": dp.Laplace(scale=1),
        "ten": (dp.Gaussian(std=1), 10),
        "DiscreteLaplace": dp.DiscreteLaplace(scale=5),
    }
    for (name, one), (epsilon, delta) in product(made.items(), budgets):
        key = f"calibrate | {name} | {epsilon} | {delta}"
        yield (
            key,
            lambda one=one, e=epsilon, d=delta: {
                "factor": f"{float(dp.calibrate(one, target=dp.ApproxDP(e, d)).factor):.10g}"
            },
        )


def _size(rule: dp.Calibration, epsilon: str, delta: str) -> list[str]:
    approx = dp.ApproxDP(epsilon, delta).budget
    share = approx if approx.currency in rule.currencies else dp.PureDP(epsilon).budget
    formula = rule.calibrate(share, dp.constant("7/3")).formula
    return [str(formula), _number(lambda: float(_high(formula)))]


def _high(formula: dp.Expression) -> Any:
    from dpframe.numerics.rounding import arb_float
    from dpframe.prover.algebra import enclose

    return arb_float(enclose(formula, {}), up=True)


def compositions() -> Iterator[tuple[str, Question]]:
    """What every mechanism costs, alone, repeated and among others, by every accountant."""
    accountants = [cls() for cls in samples.ACCOUNTANTS]
    parts: dict[str, tuple[object, ...]] = {}
    for cls, size, count in product(samples.MECHANISMS, (2, 9), (1, 6)):
        parts[f"{count} x {cls.__name__}({size})"] = ((cls, size, count),)
    parts["Gaussian and Laplace"] = ((dp.Gaussian, 4, 8), (dp.Laplace, 10, 3))
    parts["Gaussian and responses"] = (
        (dp.Gaussian, 4, 8),
        (dp.mechanisms.RandomizedResponse, 5, 4),
    )
    for name, accountant, relation in product(parts, accountants, samples.RELATIONS):
        if type(accountant) is dp.accountants.OptimalAccountant and "and" in name:
            continue
        key = f"composition | {name} | {type(accountant).__name__} | {relation}"
        yield key, _cost(parts[name], accountant, relation)


def _cost(parts: Any, accountant: dp.Accountant, relation: dp.Relation) -> Question:
    def cost() -> Record:
        made = [(samples.MECHANISMS[cls](Fraction(size)), count) for cls, size, count in parts]
        whole = dp.compose(*made, relation=relation, accountant=accountant)
        epsilon, delta = whole.epsilon("1e-6"), whole.delta(1)
        ends = (epsilon.lower, epsilon.upper, delta.lower, delta.upper)
        return {"epsilon, delta": [float(end).hex() for end in ends]}

    return cost


def profiles() -> Iterator[tuple[str, Question]]:
    """The Gaussian profile and its inverses, and losses."""
    for epsilon, delta in product(("1/1000", "1/2", "3", "40"), ("1e-12", "1e-6", "2/5")):
        yield (
            f"gaussian | {epsilon} | {delta}",
            lambda e=epsilon, d=delta: {
                "sigma": [end.hex() for end in dp.mechanisms.gaussian_sigma_interval(e, d)],
                "mu": [end.hex() for end in dp.mechanisms.gaussian_mu_interval(e, d)],
                "delta": [
                    end.hex() for end in dp.mechanisms.gaussian_delta_interval(e, Fraction(1, 2))
                ],
                "epsilon": [
                    end.hex() for end in dp.mechanisms.gaussian_epsilon_interval(d, Fraction(1, 2))
                ],
            },
        )
    for cls, losses in samples.LOSSES.items():
        for loss in losses:
            yield (
                f"loss | {cls.__name__} | {loss}",
                lambda loss=loss: {
                    str(epsilon): _ends(dp.compose(loss).delta(epsilon)) for epsilon in (0, 1)
                },
            )


def _ends(interval: Any) -> list[str]:
    return [float(interval.lower).hex(), float(interval.upper).hex()]


def files() -> Iterator[tuple[str, Question]]:
    """The files of `benchmarks/certify.py`: a thousand releases."""
    sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
    import certify

    for kind in (certify.Equal, certify.Distinct):
        yield f"file | {kind.__name__}", lambda kind=kind: _file(kind, certify)


def _file(kind: Any, certify: Any) -> Record:
    document = dp.certify(kind(), target=certify.TARGET, setting=certify.SETTING).document
    found = check(document)
    return {"accepted": found.accepted, "words": {"bytes": len(json.dumps(document))}}


# ------------------------------------------------------------------------------------- the file
def answer(question: Question) -> Record:
    """What came of it; a refusal is an answer."""
    try:
        return question()
    except dp.DPFrameError as error:
        return {"refused": type(error).__name__, "words": str(error)}


def write(path: Path, *, words: bool) -> None:
    """Answer everything. A name that ends in .gz is compressed."""
    asked = dict(questions())
    found = {key: answer(ask) for key, ask in track(asked.items(), "Answering ...")}
    if not words:
        found = {key: without_words(one) for key, one in found.items()}
    lines = [json.dumps([key, found[key]], sort_keys=True) for key in sorted(found)]
    content = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
    print(f"{len(found):,} answers in {path}")  # noqa: T201


def without_words(record: Record) -> Record:
    """Verdicts and numbers only."""
    return {field: value for field, value in record.items() if field != "words"}


def read(path: Path = BEFORE) -> dict[str, Record]:
    """Answers, by key."""
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    return dict(map(json.loads, text.splitlines()))


def meant(key: str) -> str:
    """Why an answer differs, if it is meant to."""
    return next((why for part, why in MEANT.items() if part in key), "")


@attrs.frozen
class Difference:
    """An answer that is not the same any more."""

    key: str
    field: str
    before: object
    after: object

    @property
    def meant(self) -> str:
        """Why, if it is meant."""
        return meant(self.key)

    @property
    def last_digits(self) -> bool:
        """Whether it is of ends of enclosures alone, by what another processor's exp may differ."""
        pair = (self.before, self.after)
        if not self.key.startswith("composition") or not all(isinstance(one, list) for one in pair):
            return False
        ends = [[float.fromhex(end) for end in one] for one in pair]  # type: ignore[attr-defined]
        return len(ends[0]) == len(ends[1]) and all(map(_close, *ends))

    def __str__(self) -> str:
        """Key, field, before, after."""
        return f"{self.key} | {self.field}\n    {self.before}\n    {self.after}"


def _close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-11)


LINES = "theorem, proved"  # of the proof of a procedure, which may say more or less


def judged(answer: object) -> object:
    """An answer, but for the number of lines that prove procedures."""
    if not isinstance(answer, dict) or LINES not in answer:
        return answer
    return {**answer, LINES: min(answer[LINES], 1)}


def differences(
    before: Mapping[str, Record], after: Mapping[str, Record], *, words: bool = False
) -> list[Difference]:
    """What is not the same, key by key and field by field."""
    found: list[Difference] = []
    for key in sorted(before.keys() | after.keys()):
        one, other = before.get(key, {}), after.get(key, {})
        found += [
            Difference(key, field, one.get(field), other.get(field))
            for field in sorted(one.keys() | other.keys())
            if (field == "words") is words and judged(one.get(field)) != judged(other.get(field))
        ]
    return found


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write")
    writing.add_argument("file", type=Path)
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    for one in (writing, comparing):
        one.add_argument("--words", action="store_true", help="facts and repairs, too")
    given = parser.parse_args(arguments)
    if given.command == "write":
        write(given.file, words=given.words)
        return 0
    found = differences(read(given.before), read(given.after), words=given.words)
    for one in found:
        print(f"meant, {one.meant}: {one.key} | {one.field}" if one.meant else one)  # noqa: T201
    open_ones = [one for one in found if not one.meant]
    print(f"{len(found)} differences, {len(found) - len(open_ones)} of them meant.")  # noqa: T201
    return 1 if open_ones else 0


if __name__ == "__main__":
    sys.exit(main())
