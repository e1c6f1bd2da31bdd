"""Auditing an algorithm of which only formulas are known: a statistic, a std, a claimed share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from dpframe.errors import InvalidArgument, UnsafeFormula
from dpframe.graph import ColumnNode, Graph, Regression, Release, RowsNode, Setting, release
from dpframe.graph import functions as of
from dpframe.guarantees import Guarantee, Share
from dpframe.mechanisms import Gaussian
from dpframe.symbols import Expression, Number, Symbol, exact, parameter, parse, rational

from .report import Audit, audit

EXAMPLE = "'gram: sqrt(2*log(4/delta))/(epsilon/2)*B^2 @ epsilon/2, delta/2'"
STATISTICS = ("gram", "moment", "lambda_min", "trace", "count", "sum", "squares", "label_sum")
NEEDED = {"statistic", "std"}
READ_LABELS = {"moment", "squares", "label_sum"}

MOST_RELEASES, MOST_CHARACTERS, MOST_POWER, MOST_BITS = 200, 1000, 16, 4000
POWER = r"(?:\^|\*\*)\s*(?:(?P<plain>[+-]?\d+(?:\.\d+)?)|\(\s*(?P<ratio>[+-]?\d+(?:/\d+)?)\s*\))"
TOKEN = re.compile(rf"(?P<power>{POWER})|(?P<hat>\^|\*\*)|(?P<open>\()|(?P<close>\))|(?P<other>.)")


@attrs.frozen
class Spec:
    """One release as text: `statistic: std @ share`."""

    statistic: str
    std: str
    share: tuple[str, ...] = ()

    @classmethod
    def read(cls, text: str) -> Spec:
        """The parts of the text. Raises InvalidArgument."""
        name, colon, rest = text.partition(":")
        std, _, share = rest.partition("@")
        if not colon or not std.strip():
            raise InvalidArgument("release", f"written like {EXAMPLE}", text)
        if name.strip() not in STATISTICS:
            known = ", ".join(STATISTICS)
            raise InvalidArgument("statistic", f"one of {known}", name.strip(), f"Write {EXAMPLE}.")
        return cls(name.strip(), std.strip(), tuple(_arguments(share)))

    def __str__(self) -> str:
        """As it is read."""
        claimed = f" @ {', '.join(self.share)}" if self.share else ""
        return f"{self.statistic}: {self.std}{claimed}"


def _listed(value: object) -> tuple[Any, ...]:
    if isinstance(value, (str, Mapping, Symbol)):
        return (value,)
    return tuple(value) if isinstance(value, Iterable) else (value,)


def _written(value: object) -> str:
    releases = [text for each in _listed(value) for text in _texts(each)]
    if not 0 < len(releases) <= MOST_RELEASES:
        wanted = f"a list of 1 to {MOST_RELEASES} releases"
        raise InvalidArgument("releases", wanted, len(releases), f"Write {EXAMPLE}.")
    return "; ".join(releases)


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [str(Spec.read(_plain(text))) for text in value.split(";")]
    if not isinstance(value, Mapping) or not NEEDED <= set(value) <= {*NEEDED, "share"}:
        wanted = f"written like {EXAMPLE}, or with the keys statistic, std, share"
        raise InvalidArgument("release", wanted, value)
    claimed = ", ".join(str(part) for part in _listed(value.get("share", ())))
    parts = f"{value['statistic']}: {value['std']} @ {claimed}"
    return [str(Spec.read(_plain(parts)))]


def _joined(value: object) -> str:
    return "; ".join(_declared(each) for each in _listed(value))


def _declared(value: object) -> str:
    if not isinstance(value, Symbol):
        return str(value)
    domain = value.domain
    if domain.lower is None or domain.integer or domain.lower_closed or domain.upper_closed:
        wanted = "an open range of numbers with a lower end"
        raise InvalidArgument("parameter", wanted, f"{value} {domain}", "Write 'gamma:0:1'.")
    return f"{value.name}:{domain.lower}" + ("" if domain.upper is None else f":{domain.upper}")


def _plain(text: str) -> str:
    """The text, if it is short printable ASCII. Raises UnsafeFormula."""
    if len(text) > MOST_CHARACTERS:
        raise UnsafeFormula(
            "formula", f"at most {MOST_CHARACTERS} characters", f"{len(text)} characters"
        )
    if not (text.isascii() and text.isprintable()):
        raise UnsafeFormula("formula", "letters, digits and operators of plain ASCII", text)
    return text


def _arguments(text: str) -> list[str]:
    """The parts between commas outside of brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts] if text.strip() else []


@Regression.register  # one for every purpose, but not one of those that dpframe offers to fit
@attrs.frozen(slots=False)
class Formulas:
    """Releases known by formulas only: `statistic: std @ share; ...`. No post-processing."""

    releases: str = attrs.field(converter=_written)
    parameters: str = attrs.field(default="", converter=_joined)

    @property
    def specs(self) -> tuple[Spec, ...]:
        """One a release."""
        return tuple(Spec.read(text) for text in self.releases.split(";"))

    def graph(self, setting: Setting, budget: Share) -> Graph:
        """One release a formula, each a fresh draw. Raises InvalidArgument."""
        X, y = setting.nodes()
        names = _names(X, y, budget, self.parameters)
        return Graph.of(tuple(_release(spec, X, y, names, budget) for spec in self.specs))

    def __str__(self) -> str:
        """`the release of gram, moment with the stated noise`."""
        names = ", ".join(spec.statistic for spec in self.specs)
        return f"the release of {names} with the stated noise"


def audit_formulas(
    releases: Sequence[str | Mapping[str, object]],
    *,
    target: Guarantee,
    setting: Setting,
    parameters: Iterable[str | Symbol] = (),
    accountant: str = "auto",
) -> Audit:
    """Audit releases of which only formulas are known, by the code that audits declarations.

    Each release is text, `statistic: std` or `statistic: std @ epsilon_i, delta_i` with the share
    that is claimed for it, or a mapping with the keys statistic, std and perhaps share. Formulas
    are over the target's epsilon and delta (rho, mu), B (norm of a row), Y (bound of a label) and
    `parameters`, each `name:lower:upper` (an open range; upper may be left out) or `name=number`.
    Statistics: gram, moment, lambda_min, trace, count, sum, squares, label_sum.

    Raises UnsafeFormula for text that is not plain arithmetic, InvalidArgument for anything else.
    """
    described: Any = Formulas(releases, parameters)  # registered above
    return audit(described, target=target, setting=setting, accountant=accountant)


def read_formula(text: str, symbols: Mapping[str, Expression]) -> Expression:
    """The formula that the text spells, refused where its numbers or powers are out of proportion.

    Raises UnsafeFormula.
    """
    _refuse_towers(_plain(text))
    formula = parse(text, symbols)
    waiting: list[Expression] = [formula]
    while waiting:
        part = waiting.pop()
        waiting.extend(part.parts)
        if (
            isinstance(part, Number)
            and max(map(abs, part.value.as_integer_ratio())).bit_length() > MOST_BITS
        ):
            raise UnsafeFormula("formula", "of numbers below 1e1200", text)
    return formula


def _refuse_towers(text: str) -> None:
    """Refuse powers that multiply up to more than 16: they cost more than any formula is worth."""
    groups, last = [Fraction(1)], Fraction(1)
    for token in TOKEN.finditer(text):
        if token["hat"]:
            raise UnsafeFormula("formula", "with numbers as powers, such as ^2 or ^(1/2)", text)
        if token["open"]:
            groups.append(Fraction(1))
        elif token["close"]:
            last = groups.pop() if len(groups) > 1 else Fraction(1)
            groups[-1] = max(groups[-1], last)
        elif token["power"]:
            last *= max(Fraction(1), abs(_exponent(token["plain"] or token["ratio"], text)))
            groups[-1] = max(groups[-1], last)
            if last > MOST_POWER:
                raise UnsafeFormula("formula", f"of powers of at most {MOST_POWER} in all", text)
        elif not token["other"].isspace():
            last = Fraction(1)


def _exponent(written: str, text: str) -> Fraction:
    try:
        return Fraction(written[:12])
    except (ValueError, ZeroDivisionError):
        raise UnsafeFormula(
            "formula", "with numbers as powers, such as ^2 or ^(1/2)", text
        ) from None


def _names(
    X: RowsNode, y: ColumnNode | None, budget: Share, parameters: str
) -> dict[str, Expression]:
    """What formulas may read, by name."""
    names = {"mu^2": "mu"}
    known: dict[str, Expression] = {
        names.get(name, name): getattr(budget, names.get(name, name)) for name in budget.currency
    }
    if X.norm is not None:
        known["B"] = X.norm
    if y is not None and y.bound is not None:
        known["Y"] = y.bound
    for text in filter(None, parameters.split(";")):
        name, value = read_parameter(text)
        if name in known:
            raise InvalidArgument("parameter", f"another name than {', '.join(known)}", name)
        known[name] = value
    return known


def read_parameter(text: str) -> tuple[str, Expression]:
    """`gamma:0:1` as a symbol on an open range, `gamma=1/3` as a number. Raises InvalidArgument."""
    name, equal, number = _plain(text).partition("=")
    if equal:
        return parameter(name.strip()).name, exact(rational(number.strip(), name.strip()))
    name, *ends = (part.strip() for part in text.split(":"))
    if not 1 <= len(ends) <= 2:
        raise InvalidArgument("parameter", "written like 'gamma:0:1' or 'gamma=1/3'", text)
    return name, parameter(name, *ends)


def _release(
    spec: Spec, X: RowsNode, y: ColumnNode | None, symbols: Mapping[str, Expression], budget: Share
) -> Release:
    if y is None and spec.statistic in READ_LABELS:
        raise InvalidArgument(
            "setting",
            f"one with labels, for {spec.statistic}",
            "X only",
            "Give y=dp.Column(bound=...).",
        )
    statistic = _statistic(spec.statistic, X, y)
    std = Gaussian(std=read_formula(spec.std, symbols))
    return release(statistic, std, _share(spec, symbols, budget), name=spec.statistic)


def _statistic(name: str, X: RowsNode, y: Any) -> object:
    match name:
        case "gram":
            return X.T @ X
        case "moment":
            return X.T @ y
        case "lambda_min":
            return of.lambda_min(X.T @ X)
        case "trace":
            return of.trace(X.T @ X)
        case "count":
            return of.count(X)
        case "sum":
            return of.total(X)
        case "squares":
            return y @ y
    return of.total(y)


def _share(spec: Spec, symbols: Mapping[str, Expression], budget: Share) -> Share | None:
    if not spec.share:
        return None
    amounts = tuple(read_formula(text, symbols) for text in spec.share)
    if len(amounts) != len(budget.currency):
        wanted = f"one amount of each of {', '.join(budget.currency)}"
        raise InvalidArgument(f"share of {spec.statistic}", wanted, ", ".join(spec.share))
    weights = [amount / whole for amount, whole in zip(amounts, budget.amounts, strict=True)]
    return Share(budget.currency, budget.amounts, tuple(weights))
