"""execute: the checks, one pass over the table, the releases, the post-processing, the receipt - in this order."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import attrs
import numpy as np

from dpframe.errors import InvalidArgument, NotExecutable
from dpframe.graph import Graph, Node, Release
from dpframe.guarantees import REPLACE_ONE, Guarantee
from dpframe.randomness import Randomness
from dpframe.symbols import Expression, Number, exact
from dpframe.verify import Certificate

from .progress import watched
from .result import Receipt, Result
from .spending import note
from .table import Table
from .totals import Numbers, totals

MISSING = ("refuse", "drop")


def execute(run: object, X: object, y: object = None, *, rng: object = None, missing: str = "refuse") -> Result:
    """Run what `run` certifies on a table: release its statistics with noise, once, and post-process what was released.

    `run` is a certificate with a number for every parameter. `X`, shape (n, d), and `y`, shape (n,), are arrays, lists or data frames
    of finite real numbers, of any size, n = 0 included; nothing is copied as a whole. `missing="drop"` leaves out rows with missing or
    infinite numbers (under replace-one they count as rows of zeros). Noise comes from the operating system; `rng`, a seed or a numpy
    Generator, makes a simulation of it, which is not private.

    Raises NotExecutable, BadData or InvalidArgument before anything is drawn; warns PrivacyWarning where the table is spent again.
    """
    certificate = executable(run)
    if missing not in MISSING:
        raise InvalidArgument("missing", "'refuse' or 'drop'", missing, "")
    randomness = Randomness.of(rng)
    table = Table.of(certificate.setting, X, y, drop=missing == "drop")
    numbers = PublicNumbers.of(certificate, table)
    plan = [Draw.of(release, numbers) for release in certificate.graph.releases]
    arguments = [[_public(argument, numbers) for argument in post.arguments] for post in certificate.graph.posts]
    values = totals(certificate.graph, watched(table.blocks()), numbers.towards_zero)
    cost = at_numbers(certificate.target, certificate.values)
    if randomness.private:
        note(table.features.identity, cost, certificate.setting.unit)
    ...
