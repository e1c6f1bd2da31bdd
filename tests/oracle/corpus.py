"""Every certificate that dpframe ships, as documents.

The questions are those of tests/support/lock.py; besides, all noise is calibrated jointly,
every statistic is released with every noise, every record has a budget of its own, and the
certificates that tests/kernel/true_by_hand.py writes by hand belong to it. Those of the same hash
count once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice, product
from multiprocessing import get_context
from typing import Any

import dpframe as dp
from dpframe.literature.catalogue import example
from dpframe.literature.every import everything
from tests.support import checking, lock, samples

Document = dict[str, Any]
Make = Callable[[], Document]
JOINT = ("epsilon, delta", "1, 1e-6", "rho")  # claims of declarations calibrated jointly
VARIANTS = (dp.JointSSP.for_intervals(), dp.regressions.LogisticDescent.for_intervals())
PROCESSES = 2
NEWER = {"BinnedSums", "Factored", "MedianDistance", "TestedMedian"}  # than the old checker
STATISTICS = {
    cls.__name__: make for cls, make in samples.STATISTICS.items() if cls.__name__ not in NEWER
}
CALIBRATIONS = {
    "Analytic": dp.Gaussian.analytic,
    "DworkRoth": dp.Gaussian.classical,
    "KamathUllman": dp.Gaussian.kamath_ullman,
    "PureLaplace": dp.Laplace.pure,
    "PureL2Laplace": dp.L2Laplace.pure,
    "PureDiscreteLaplace": dp.DiscreteLaplace.pure,
    "ConcentratedDiscreteGaussian": dp.DiscreteGaussian.concentrated,
}
ROWS: dict[str, Callable[[Any, Any], tuple[Any, Any]]] = {
    "plain": lambda X, y: (X, y),
    "scaled": lambda X, y: (X.scaled(3), y),
    "normalized": lambda X, y: (X.normalized(), y),
    "intercept": lambda X, y: (X.with_intercept(), y),
    "cell": lambda X, y: dp.partition(X, y, cells=3).cell(1),
}


class OneRelease(dp.Regression):
    """A statistic of mapped rows, and noise: each with each. [here]"""

    statistic: str
    rows: str
    noise: str

    def declare(self, X: Any, y: Any, budget: dp.graph.Share) -> Any:
        """One release of the whole budget."""
        made = STATISTICS[self.statistic](*ROWS[self.rows](X, y))
        return dp.release(made, CALIBRATIONS[self.noise], budget)


def makers() -> Iterator[tuple[str, Make]]:
    """What is asked, and how its document is made: DPFrameError is raised where it is refused."""
    for key, cls, setting, claim, way in lock.declared():
        yield key, partial(certified, cls, setting, claim, accountant=way)
    for cls, relation, claim in product(everything(), samples.RELATIONS, JOINT):
        setting = lock.SETTINGS["B, Y"](relation)
        key = f"jointly | {cls.__name__} | {relation} | {claim}"
        yield key, partial(certified, cls, setting, lock.CLAIMS[claim], calibrate="jointly")
    for one, relation, claim in product(VARIANTS, samples.RELATIONS, JOINT):
        setting = lock.SETTINGS["B, Y"](relation)
        key = f"variant | {one.full_name} | {relation} | {claim}"
        yield key, partial(certified, one, setting, lock.CLAIMS[claim])
    yield from of_one_release()
    yield from of_people()
    yield from by_hand()


def of_one_release() -> Iterator[tuple[str, Make]]:
    """Every statistic of every rows, with every noise; one of a kind at numbers."""
    for names in product(STATISTICS, ROWS, CALIBRATIONS, samples.RELATIONS):
        one = OneRelease(statistic=names[0], rows=names[1], noise=names[2])
        claim = "epsilon, delta" if one.rows == "plain" else "1/10, 1e-6"
        setting = lock.SETTINGS["B, Y" if one.rows == "plain" else "one"](names[3])
        yield (
            f"one release | {' | '.join(map(str, names))}",
            partial(certified, one, setting, lock.CLAIMS[claim]),
        )


def certified(
    cls: type[dp.Regression] | dp.Regression,
    setting: dp.Setting,
    claim: Callable[[], dp.Guarantee],
    **how: str,
) -> Document:
    """The document of a certificate. Raises DPFrameError."""
    declared = example(cls) if isinstance(cls, type) else cls
    made = dp.certify(declared, target=claim(), setting=setting, **how)
    return checking.file_of(made)


def of_people() -> Iterator[tuple[str, Make]]:
    """Budgets of every record, of groups and in lists."""
    from tests.kernel import test_of_each_record as each

    for name, relation, target in product(each.PEOPLE, samples.RELATIONS, each.EVERYBODY):
        key = f"each record | {name} | {relation} | {target}"
        yield key, partial(each.of_people, name, relation, target)


def by_hand() -> Iterator[tuple[str, Make]]:
    """Those that no declaration of dpframe makes."""
    from tests.kernel.true_by_hand import TRUE

    for name, document in TRUE.items():
        yield f"by hand | {name}", partial(dict, document)


def answered(part: int) -> list[tuple[str, str, Document]]:
    """(hash, key, document) of every so manyeth question that has a certificate."""
    found = []
    for key, make in islice(makers(), part, None, PROCESSES):
        try:
            document = make()
        except dp.DPFrameError:
            continue
        found.append((document["hash"], key, document))
    return found


def built() -> list[tuple[str, str, Document]]:
    """All of them, each hash once, sorted by hash."""
    with get_context("fork").Pool(PROCESSES) as pool:
        parts = pool.map(answered, range(PROCESSES), chunksize=1)
    once: dict[str, tuple[str, str, Document]] = {}
    for one in sorted((one for part in parts for one in part), key=lambda one: one[:2]):
        once.setdefault(one[0], one)
    return list(once.values())


def few(step: int) -> Iterator[tuple[str, str, Document]]:
    """A certificate of every so manyeth question that has one, made here and now."""
    for key, make in islice(makers(), 3, None, step):
        try:
            document = make()
        except dp.DPFrameError:
            continue
        yield document["hash"], key, document
