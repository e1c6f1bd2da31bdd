"""Sentences with parts: words, formulas, code and citations.

A `Text` is the sentence as plain text, which messages and JSON hold, and remembers its parts, so
that a page can set each of them. No sentence is read again to find them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Self

from dpframe.symbols import Call, Expression, Number, Power, Product, plain


class Formula(str):
    """A formula or a number, in the notation of declarations: `X'X`, `gamma*epsilon`, `1e-6`."""

    __slots__ = ()


class Code(str):
    """Code that a person types: `dp.Gaussian.analytic`."""

    __slots__ = ()


class Cited(str):
    """A theorem or a section of a work, `[BalleW18, Thm 8]`."""

    __slots__ = ()

    @property
    def key(self) -> str:
        """`BalleW18`, as in the bibliography."""
        return self.strip("[]").partition(",")[0]


class Subject(str):
    """A declaration, as it is written: `AdaSSP(rho=1/20)`."""

    __slots__ = ()


class Text(str):
    """A sentence of `parts`: formulas, code, citations, advice, and words, which are `str`."""

    __slots__ = ("parts",)
    parts: tuple[str, ...]

    def __new__(cls, parts: Iterable[str]) -> Self:
        """The sentence of these parts."""
        found = tuple(part for part in parts if part)
        text = super().__new__(cls, "".join(found))
        text.parts = found
        return text

    def __add__(self, other: str) -> Text:
        """Both, one after the other."""
        return Text((*self.parts, *parts_of(other)))

    def __radd__(self, other: str) -> Text:
        """The same, words first."""
        return Text((*parts_of(other), *self.parts))

    def __reduce__(self) -> tuple[type[Text], tuple[tuple[str, ...]]]:
        """Its parts; of advice those about Python."""
        return Text, (self.parts,)


class Spelled(Text):
    """Advice on a declaration: the text is about one in Python, `file` about a description."""

    __slots__ = ("file",)
    file: Text

    def __new__(cls, python: str, file: str) -> Self:
        """The advice in both languages, each a text or a template of `say` without {}."""
        text = super().__new__(cls, _read(python))
        text.file = Text(_read(file))
        return text


class Ways(Text):
    """Ways out, the best one first, as alternatives in one sentence."""

    __slots__ = ("ways",)
    ways: tuple[Text, ...]

    def __reduce__(self) -> tuple[type[Text], tuple[tuple[str, ...]]]:
        """As a sentence."""
        return Text, (self.parts,)


def ways(*found: str, signs: Sequence[str] = (), end: str = ".") -> Ways:
    """`a, or b, or c.`, with other `signs` between them if any are given; empty ones left out."""
    kept = tuple(Text(parts_of(one)) for one in found if one)
    between = signs or [", or "] * (len(kept) - 1)
    pairs = zip(kept, [*between, end], strict=True)
    made = Ways(part for one, sign in pairs for part in (*one.parts, sign))
    made.ways = kept
    return made


def best_ways(repair: str, most: int = 2) -> str:
    """The sentence with the best ways out alone; as it is, where it has no more."""
    if not isinstance(repair, Ways) or len(repair.ways) <= most:
        return repair
    return say("{}.", joined(", or ", repair.ways[:most]))


def say(template: str, *parts: object) -> Text:
    """The sentence of a template, with `parts` for its {}. In the template, `code` stands between
    backticks and a $formula$ between dollar signs, which are not printed; ``code`` between two
    backticks is printed with one.

    >>> say("needs a $delta$ below {}: see {}", Fraction(1, 10**6), Cited("[BalleW18, Thm 8]"))
    'needs a delta below 1e-6: see [BalleW18, Thm 8]'
    """
    first, *others = template.split("{}")
    found = [*_marked(first)]
    for part, words in zip(parts, others, strict=True):
        found += [*parts_of(part), *_marked(words)]
    return Text(found)


def parts_of(part: object) -> tuple[str, ...]:
    """The parts of a text; of anything else its `str`, which is a formula."""
    if isinstance(part, Spelled):
        return (part,)
    if isinstance(part, Text):
        return part.parts
    if isinstance(part, Expression):
        return (Formula(written(part)),)
    if isinstance(part, str):
        return (part,)
    number = plain(part) if isinstance(part, Fraction) else str(part)
    return (Formula(number),)


def joined(sign: str, texts: Iterable[object]) -> Text:
    """The texts with `sign` between them."""
    found: list[str] = []
    for text in texts:
        found += [sign] if found else []
        found += parts_of(text)
    return Text(found)


def reference(text: str) -> Text:
    """A citation, and what is said of it: `[KamathU20, Lem 2.4] for epsilon up to 1`."""
    work, bracket, said = text.partition("]")
    return Text((Cited(work + bracket), said))


def capital(text: str) -> Text:
    """The text with a capital, unless it starts with a formula or with code."""
    first, *others = parts_of(text) or ("",)
    words = type(first) is str and first.split(" ", maxsplit=1)[0].isalpha()
    return Text((f"{first[:1].upper()}{first[1:]}" if words else first, *others))


def cited(text: str) -> Iterator[str]:
    """The keys of the works that a text cites."""
    for part in parts_of(text):
        if isinstance(part, Cited):
            yield part.key


def in_file(text: str) -> Text:
    """The text with the spelling of a description wherever it has one."""
    found = (one.file.parts if isinstance(one, Spelled) else (one,) for one in parts_of(text))
    return Text(part for parts in found for part in parts)


def digits(value: float, most: int = 6) -> Formula:
    """A number in so many digits: `0.596`, `8.85e-7`."""
    mantissa, _, exponent = f"{value:.{most}g}".partition("e")
    return Formula(f"{mantissa}e{int(exponent)}" if exponent else mantissa)


def written(formula: Expression) -> str:
    """A formula as text: `log(5/(2*delta))`, where `str` has `log(5/2/delta)`."""
    return str(_below(formula))


def _below(formula: Expression) -> Expression:
    """The denominator of a number beside the other divisors."""
    parts = tuple(map(_below, formula.parts))
    match parts:
        case (Number(value), *powers) if isinstance(formula, Product) and value.denominator != 1:
            found = [(one.base, -one.exponent) for one in powers if isinstance(one, Power)]
            if len(found) == len(powers) and all(exponent > 0 for _, exponent in found):
                under = [base if n == 1 else Power(base, n) for base, n in found]
                under = [Number(Fraction(value.denominator)), *under]
                top = Number(Fraction(value.numerator))
                return Product((top, Power(Product(tuple(under)), Fraction(-1))))
    return formula if parts == formula.parts else _rebuilt(formula, parts)


def _rebuilt(formula: Expression, parts: tuple[Expression, ...]) -> Expression:
    """The same operation, printed as it is: `rebuild` would simplify it."""
    match formula:
        case Power(_, exponent):
            return Power(parts[0], exponent)
        case Call(name, _):
            return Call(name, parts)
    return type(formula)(parts)  # type: ignore[call-arg]  # a sum or a product


def _read(template: str) -> tuple[str, ...]:
    return template.parts if isinstance(template, Text) else _marked(template)


@lru_cache(maxsize=4096)
def _marked(template: str) -> tuple[str, ...]:
    """The parts of a template without {}."""
    found: list[str] = []
    for quoted, piece in enumerate(template.split("``")):
        if quoted % 2:
            found.append(Code(f"`{piece}`"))
            continue
        for code, words in enumerate(piece.split("`")):
            if code % 2:
                found.append(Code(words))
            else:
                split = enumerate(words.split("$"))
                found += [Formula(one) if place % 2 else one for place, one in split]
    return tuple(part for part in found if part)


# --------------------------------- Ways out, as Python and as a description spell them
def calibration(python: str, name: str) -> Spelled:
    """`dp.Gaussian.analytic`, or the line of a description that names this calibration."""
    return Spelled(f"`{python}`", f'``calibration = "{name}"``')


ANALYTIC = calibration("dp.Gaussian.analytic", "analytic")
JOINTLY = calibration("dp.regressions.Jointly(of=...)", "jointly")
PART_JOINTLY = calibration("dp.jointly(part of the budget)", "jointly")
PUBLIC_NUMBER = Spelled(
    "`dp.parameter(name, lower, upper)` (in a description, [parameters])", "[parameters]"
)
RANGE = Spelled(
    "`dp.parameter(name, lower, upper)`", '[parameters], such as ``gamma = "in (0, 1)"``'
)
BY_HAND = Spelled(
    "state the noise by hand and give no share, as in `dp.release(X.T @ X, "
    "dp.Gaussian(std=...))`: all releases are then judged together",
    "write std and leave ``share`` out: all releases are then judged together",
)


def scaling(*, normal: bool) -> Spelled:
    """How to scale all noise together; a description calibrates normal noise jointly."""
    factor = "multiply each std and scale by the factor that the audit prints"
    file = 'scale the noise with ``calibration = "jointly"``' if normal else factor
    return Spelled("scale the noise with `dp.regressions.Jointly(...)`", file)


def accountant(name: str) -> Spelled:
    """The accountant, as it is named."""
    return Spelled(f'`accountant="{name}"`', f'``accountant = "{name}"``')


def shares_aside(name: str) -> Spelled:
    """How to name the accountant that leaves the shares aside."""
    return Spelled(
        f'`accountant="{name}"` leaves the shares aside. On the command line: '
        f"`--accountant {name}`.",
        f'``accountant = "{name}"`` in the file leaves the shares aside.',
    )


def release_of(code: str, noise: str, theorem: str) -> Spelled:
    """The release of a statistic, sized by a theorem for a share."""
    return Spelled(
        Text((Code(f"dp.release({code}, dp.{noise}.{theorem}, share)"),)),
        say("a [[release]] of it with {} and a share", calibration("", theorem).file),
    )
