"""Contrasts: rows of weights of coefficients, from names, combinations in text, or arrays."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dpframe.errors import InvalidArgument, WayOut, nearest
from dpframe.symbols import rational

from .arrays import Array

BASELINE = "{} is the baseline; its effect is 0: leave it out."
SIGN = re.compile(r"\s*([+-])\s*")
NUMBER = re.compile(r"([0-9]+\.?[0-9]*(?:e[+-]?[0-9]+)?|\.[0-9]+)(?:\s*\*\s*|\s+)")
END = re.compile(r"\s*(?=[+-]|\Z)")
Weights = Mapping[str, Any]


def contrasts(
    R: Any, names: Sequence[str], baselines: Sequence[str] = ()
) -> tuple[Array, tuple[str, ...]]:
    """Rows (q, m) of weights and a name each. Raises InvalidArgument."""
    if R is None:
        return np.eye(len(names)), tuple(names)
    given = list(R) if isinstance(R, (list, tuple)) else [R]
    if given and all(isinstance(one, (str, Mapping)) for one in given):
        weights = [_of_names(one, names, baselines) for one in given]
        return np.array(weights), tuple(contrast(row, names) for row in weights)
    array = finite(R)
    rows = None if array is None else np.atleast_2d(array)
    if rows is None or rows.ndim != 2 or rows.shape[1] != len(names):
        wanted = f"names, or finite weights of shape ({len(names)},) or (q, {len(names)})"
        raise InvalidArgument("R", wanted, R, f"Coefficients are {', '.join(names)}.")
    return rows, tuple(contrast(row, names) for row in rows)


def finite(values: Any) -> Array | None:
    """An array of finite doubles; None for anything else."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return None
    return array if np.all(np.isfinite(array)) else None


def _of_names(one: str | Weights, names: Sequence[str], baselines: Sequence[str]) -> list[float]:
    """The weight of each coefficient. Raises InvalidArgument."""
    part = weights_of(one, [*names, *baselines]) if isinstance(one, str) else one
    part = _without(baselines, part)
    unknown = next((name for name in part if name not in names), None)
    if unknown is not None:
        raise _unknown(str(unknown), names, baselines)
    for shared in (name for name in part if part[name]):
        if list(names).count(shared) > 1:
            instead = f"Rename the column, or give weights in the order {', '.join(names)}."
            raise InvalidArgument("R", "of names of one coefficient each", shared, instead)
    return [_weight(part.get(name, 0), name) for name in names]


def _unknown(name: str, names: Sequence[str], baselines: Sequence[str]) -> InvalidArgument:
    """The refusal of a name of no coefficient."""
    wanted = f"a combination of the coefficients {', '.join(names)}"
    if name in baselines:
        return InvalidArgument("R", wanted, name, BASELINE.format(name))
    written = f"Write {names[0]!r} or '{names[0]} - 2 {names[-1]}'"
    python = f"{written} or {{{names[0]!r}: 1}}; the value to test is the second argument."
    hint = nearest(name, names)
    return InvalidArgument("R", wanted, name, WayOut(f"{python}{hint}", f"{written}.{hint}"))


def _weight(value: object, name: str) -> float:
    """A finite double. Raises InvalidArgument."""
    exact = rational(value, f"the weight of {name}")
    try:
        return float(exact)
    except OverflowError:
        raise InvalidArgument(f"the weight of {name}", "a finite double", value) from None


def _without(baselines: Sequence[str], part: Weights) -> Weights:
    """The weights without those of baselines that are compared with other levels: their
    coefficients are 0.
    """
    compared = {str(name).partition("[")[0] for name in part if name not in baselines}
    zero = {name for name in baselines if name.partition("[")[0] in compared}
    return {name: weight for name, weight in part.items() if name not in zero}


def weights_of(text: str, names: Sequence[str]) -> dict[str, float]:
    """The weights of `age - 0.5 smoker[yes]`, as `contrast` writes them; of other text 1. A name
    that is a number stands alone. Raises InvalidArgument for text of two meanings.
    """
    several = [name for name in names if not _is_number(name)]
    signed = text if text.lstrip()[:1] in {"+", "-"} else f"+{text}"
    meanings = [{text: 1.0}] if text in names else []
    for reading in _readings(signed, several):
        if reading not in meanings:
            meanings.append(reading)
        if len(meanings) > 1:
            break
    if len(meanings) > 1:
        python = f"Give a mapping of names to weights, such as {meanings[0]}."
        way_out = WayOut(python, "Rename the column whose name looks like a combination.")
        raise InvalidArgument("R", "a combination that has one meaning", text, way_out)
    numbers = [name for name in names if _is_number(name)]
    if not meanings and next(_readings(signed, names), None) is not None:
        python = f"Give a mapping: {{{numbers[0]!r}: 1}} names the coefficient {numbers[0]}."
        way_out = WayOut(python, "Rename the column whose name is a number.")
        raise InvalidArgument("R", "a combination of names that are no numbers", text, way_out)
    return meanings[0] if meanings else {text: 1.0}


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


def _readings(text: str, names: Sequence[str]) -> Iterator[dict[str, float]]:
    """The weights of every way to read a text as signed terms: a number, parted from the name by a
    space or *, or none; and a name.
    """
    waiting: list[tuple[int, dict[str, float]]] = [(0, {})]
    while waiting:
        start, weights = waiting.pop()
        if start == len(text):
            yield weights
            continue
        sign = SIGN.match(text, start)
        if sign is None:
            continue
        number = NUMBER.match(text, sign.end())
        factors = [(sign.end(), "1")] + ([(number.end(), number[1])] if number else [])
        for place, factor in factors:
            for name in dict.fromkeys(one for one in names if one and text.startswith(one, place)):
                end = END.match(text, place + len(name))
                if end is not None:
                    weight = weights.get(name, 0.0) + float(f"{sign[1]}{factor}")
                    waiting.append((end.end(), {**weights, name: weight}))


def contrast(weights: Any, names: Sequence[str]) -> str:
    """`age - 0.5 coffee`; `0` where there are none."""
    terms = [
        f"{'-' if w < 0 else '+'} {'' if abs(w) == 1 else f'{abs(w):g} '}{name}"
        for w, name in zip(weights, names, strict=True)
        if w
    ]
    text = " ".join(terms) or "0"
    return text.removeprefix("+ ")
