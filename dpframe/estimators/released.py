"""Collect the released statistics that inference reads: from an output that keeps them, or from the
releases of the graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument, Plain
from dpframe.execution.execution import by_name
from dpframe.execution.receipts import Result
from dpframe.graph import Release, RowsNode
from dpframe.graph.functions import count
from dpframe.graph.maps.base import RowMap
from dpframe.graph.statistics import Statistic
from dpframe.inference.evidence import Evidence, NoisySum
from dpframe.mechanisms import Gaussian
from dpframe.privacy import PureDP
from dpframe.prover import Certificate
from dpframe.symbols import constant

from .units import own_maps, row_maps

Array = NDArray[Any]

ONCE = constant(1)
NOTHING = (0.0, float("inf"))


def evidence_of(
    certificate: Certificate, result: Result, sizes: dict[str, int], unit: Array | None
) -> Evidence:
    """The evidence for inference: that in the output, as of JointSSP; or X'X and X'y, as released
    by SSP and AdaSSP, with y'y and n if they are released or public (n also if row @ `unit` (d,) is
    1 for every row). The noise must be Gaussian with a public std. Raises InvalidArgument.
    """
    evidence = getattr(result.output, "evidence", None)
    if isinstance(evidence, Evidence):
        return evidence
    rows, labels = certificate.setting.nodes()
    if labels is None or row_maps(certificate.graph, certificate.setting)[-1:] != last_map(rows):
        raise no_evidence(certificate)
    gram, moment, squares = (
        next(released_once(certificate, result, (one,), sizes), None)
        for one in (rows.T @ rows, rows.T @ labels, labels @ labels)
    )
    if gram is None or moment is None:
        raise no_evidence(certificate)
    squares, number = squares or NOTHING, number_of_records(certificate, result, sizes, unit)
    width = certificate.number(labels.radius, up=False, sizes=sizes)
    return Evidence(
        gram=np.asarray(gram[0]),
        gram_std=gram[1],
        moments=(NoisySum(np.asarray(moment[0]), moment[1], np.zeros(len(moment[0])), width),),
        squares=float(squares[0]),
        squares_std=squares[1],
        count=float(number[0]),
        count_std=number[1],
    )


def number_of_records(
    certificate: Certificate, result: Result, sizes: dict[str, int], unit: Array | None
) -> tuple[float, float]:
    """The number of records, if it is public or was released, and the std of its noise; that in the
    released X'X if row @ `unit` (d,) is 1 for every row; an infinite std if it is not known.
    """
    if result.receipt.rows is not None:
        return float(result.receipt.rows), 0.0
    rows = certificate.setting.nodes()[0]
    counts = released_once(certificate, result, (count(rows), count(rows.origin)), sizes)
    for value, std in counts:
        return float(value), std
    if unit is not None:
        for value, std in released_once(certificate, result, (rows.T @ rows,), sizes):
            return float(unit @ value @ unit), std * float(unit @ unit)
    return NOTHING


def released_once(
    certificate: Certificate, result: Result, alike: tuple[Statistic, ...], sizes: dict[str, int]
) -> Iterator[tuple[Any, float]]:
    """The value of a statistic of all records, or of an equal one, that was released once with
    public Gaussian noise, and its std.
    """
    for name, node in _releases(certificate):
        if node.statistic in alike:
            for std in public_std(certificate, node, sizes):
                yield result.released[name], std


def gaussian_stds(
    certificate: Certificate, result: Result, sizes: dict[str, int]
) -> Iterator[tuple[str, float]]:
    """The name and std of everything released once with public Gaussian noise."""
    for name, node in _releases(certificate):
        if name in result.released:
            for std in public_std(certificate, node, sizes):
                yield name, std


def _releases(certificate: Certificate) -> Iterator[tuple[str, Release]]:
    """Each release under the name of its value in a result."""
    named = by_name({node: node for node in certificate.graph.charged})
    return ((name, node) for name, node in named.items() if isinstance(node, Release))


def public_std(certificate: Certificate, node: Release, sizes: dict[str, int]) -> Iterator[float]:
    """The std of a single release with Gaussian noise, unless it depends on released values."""
    if type(node.mechanism) is Gaussian and node.sampled is None and node.times == ONCE:
        with suppress(InvalidArgument):
            yield certificate.number(node.mechanism.std, up=True, sizes=sizes)


def last_map(rows: RowsNode) -> tuple[RowMap, ...]:
    """The last map that the setting declares; None if rows are used as given."""
    return (rows,) if isinstance(rows, RowMap) else ()


def no_evidence(certificate: Certificate) -> InvalidArgument:
    """The error for a regression that releases too little."""
    name = type(certificate.regression).__name__
    rows = "the rows and labels of the setting"
    wanted = f"one that releases X'X and X'y of {rows}, with Gaussian noise, for intervals"
    way_out = (
        "dp.JointSSP(), dp.SSP() and dp.AdaSSP() do; the others' coefficients come without "
        "intervals."
    )
    if own := own_maps(certificate):
        name = f"{name}, whose rows go through: {', '.join(own)}"
        way_out = f"Ranges in dp.Rows(columns=[...]) scale columns publicly. {way_out}"
    if isinstance(certificate.target, PureDP):
        way_out = (
            "They need a delta above 0, such as delta='1e-6', with which dp.JointSSP() is the "
            "default; without one coefficients come without intervals."
        )
    return InvalidArgument("regression", wanted, Plain(name), way_out)
