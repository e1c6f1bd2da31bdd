"""The short form of a description: releases on one line each, `statistic: std @ share`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from dpframe.errors import InvalidArgument, Plain, UnsafeFormula, by_type
from dpframe.symbols import Expression, Symbol, exact, parameter, rational

from .algorithm import Algorithm, Told, arguments
from .described import Described
from .limits import MOST_IN_FORMULA, MOST_RELEASES
from .scope import Scope

EXAMPLE = "'gram: sqrt(2*log(4/delta))/(epsilon/2)*B^2 @ epsilon/2, delta/2'"
STATISTICS = {
    "gram": "X'X",
    "moment": "X'y",
    "lambda_min": "lambda_min(X'X)",
    "trace": "trace(X'X)",
    "count": "n",
    "sum": "sum(X)",
    "squares": "y'y",
    "label_sum": "sum(y)",
}
NEEDED = {"statistic", "std"}


@attrs.frozen
class Spec:
    """One release as text: `statistic: std @ share`."""

    statistic: str
    std: str
    share: tuple[str, ...] = ()

    @classmethod
    def read(cls, text: str) -> Spec:
        """The parts of the text. Raises InvalidArgument."""
        name, colon, rest = _plain(text).partition(":")
        std, _, share = rest.partition("@")
        if not colon or not std.strip():
            raise InvalidArgument("release", f"written like {EXAMPLE}", text)
        if name.strip() not in STATISTICS:
            known = ", ".join(STATISTICS)
            raise InvalidArgument("statistic", f"one of {known}", name.strip(), f"Write {EXAMPLE}.")
        amounts = tuple(arguments(share)) if share.strip() else ()
        return cls(name.strip(), std.strip(), amounts)

    def __str__(self) -> str:
        """As it is read."""
        claimed = f" @ {', '.join(self.share)}" if self.share else ""
        return f"{self.statistic}: {self.std}{claimed}"


def plain_releases(releases: object, parameters: object = ()) -> Described:
    """The description of plain releases of Gaussian noise. Raises InvalidArgument."""
    specs = [spec for one in _listed(releases) for spec in _specs(one)]
    if not 0 < len(specs) <= MOST_RELEASES:
        wanted = f"a list of 1 to {MOST_RELEASES} releases"
        raise InvalidArgument("releases", wanted, len(specs), f"Write {EXAMPLE}.")
    named = dict(_parameter(one) for one in _listed(parameters) if one not in ("", None))
    return Described(Algorithm(tuple(_told(specs)), parameters=tuple(named.items())))


def _told(specs: list[Spec]) -> Iterable[Told]:
    """Each release, named after its statistic, from the second of a kind on with a number."""
    seen: dict[str, int] = {}
    for spec in specs:
        seen[spec.statistic] = many = seen.get(spec.statistic, 0) + 1
        name = spec.statistic if many == 1 else f"{spec.statistic}_{many}"
        yield Told(
            name=name,
            statistic=STATISTICS[spec.statistic],
            std=spec.std,
            share=spec.share,
        )


def _listed(value: object) -> tuple[Any, ...]:
    if isinstance(value, (str, Mapping, Symbol)):
        return (value,)
    return tuple(value) if isinstance(value, Iterable) else (value,)


def _specs(value: object) -> list[Spec]:
    if isinstance(value, str):
        return [Spec.read(text) for text in value.split(";")]
    if not isinstance(value, Mapping) or not NEEDED <= set(value) <= {*NEEDED, "share"}:
        wanted = f"written like {EXAMPLE}, or with the keys statistic, std, share"
        raise InvalidArgument("release", wanted, Plain(by_type(value)))
    claimed = ", ".join(str(part) for part in _listed(value.get("share", ())))
    return [Spec.read(f"{value['statistic']}: {value['std']} @ {claimed}")]


def _parameter(value: object) -> tuple[str, str]:
    """A parameter by name, as files write it."""
    symbol = value if isinstance(value, Symbol) else read_parameter(str(value))
    if isinstance(symbol, tuple):
        name, found = symbol
        if not isinstance(found, Symbol):
            return name, str(found)
        symbol = found
    return symbol.name, ", ".join(str(symbol.domain).split(", "))


def _plain(text: str) -> str:
    """The text, if it is short printable ASCII. Raises UnsafeFormula."""
    if len(text) > MOST_IN_FORMULA:
        wanted = f"at most {MOST_IN_FORMULA} characters"
        raise UnsafeFormula("formula", wanted, f"{len(text)} characters")
    if not (text.isascii() and text.isprintable()):
        raise UnsafeFormula("formula", "letters, digits and operators of plain ASCII", text)
    return text


def read_parameter(text: str) -> tuple[str, Expression]:
    """`gamma:0:1` as a symbol on an open range, `gamma=1/3` as a number. Raises InvalidArgument."""
    name, equal, number = _plain(text).partition("=")
    if equal:
        return parameter(name.strip()).name, exact(rational(number.strip(), name.strip()))
    name, *ends = (part.strip() for part in text.split(":"))
    if not 1 <= len(ends) <= 2:
        raise InvalidArgument("parameter", "written like 'gamma:0:1' or 'gamma=1/3'", text)
    return name, parameter(name, *ends)


def read_formula(text: str, symbols: Mapping[str, Expression]) -> Expression:
    """The formula that the text spells, refused where its numbers or powers are out of proportion.

    Raises UnsafeFormula.
    """
    return Scope(symbols).formula(_plain(text))
