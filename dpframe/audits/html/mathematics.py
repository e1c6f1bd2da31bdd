"""Formulas as MathML: read by browsers without help, set well on paper, spoken aloud."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from markupsafe import Markup

from dpframe.symbols import Call, Expression, Number, Power, Product, Sum, Symbol

from ..figures import clipped, exactly
from ..figures import formula as written

GREEK = {
    "epsilon": "ε",
    "delta": "δ",
    "gamma": "γ",
    "lambda": "λ",
    "theta": "θ",
    "sigma": "σ",
    "alpha": "α",
    "beta": "β",
    "eta": "η",
    "tau": "τ",
    "rho": "ρ",
    "mu": "μ",
}
LONG = 160  # characters of a formula as text; longer ones stay text
HALF = Fraction(1, 2)
SUM, PRODUCT, ATOM = range(3)
TEXT = Markup('<code class="formula">{}</code>')
MATH = Markup('<math alttext="{}"{}>{}</math>')
OVER = Markup("<mfrac>{}{}</mfrac>")
RAISED = Markup("<msup>{}{}</msup>")
MINUS = Markup("<mo>−</mo>")
COMMA = Markup('<mo separator="true">,</mo>')
ROOM = Markup('<mspace width="0.17em"></mspace>')


def formula(expression: Expression, name: str = "") -> Markup:
    """The formula, with the text that dpframe writes for it as its name; `name` = the formula.

    A long one is given as text, its middle left out.
    """
    text, equal = written(expression), f"{name} = " if name else ""
    if len(text) > LONG:
        return TEXT.format(equal + clipped(text, LONG))
    row = _set(expression)[0]
    if not name:
        return MATH.format(text, "", row)
    left = _letter(name) + _tag("mo", "=")
    return MATH.format(equal + text, Markup(' displaystyle="true"'), _row(left, row))


def _tag(name: str, text: str) -> Markup:
    return Markup("<{0}>{1}</{0}>").format(name, text)


def _row(*parts: Markup) -> Markup:
    return _tag("mrow", Markup().join(parts))


def _fenced(inner: Markup) -> Markup:
    return _row(_tag("mo", "("), inner, _tag("mo", ")"))


def _set(expression: Expression) -> tuple[Markup, int]:
    """The formula, and how tightly it holds together."""
    match expression:
        case Number(value):
            return _number(value)
        case Symbol(name, _):
            return _letter(name), ATOM
        case Sum(parts):
            return _sum(parts), SUM
        case Product(parts):
            return _product(parts)
        case Power(base, exponent):
            return _power(base, exponent)
        case Call(name, parts):
            return _call(name, parts), ATOM
    raise TypeError(expression)


def _number(value: Fraction) -> tuple[Markup, int]:
    text = exactly(abs(value))
    over = [_tag("mn", part) for part in text.split("/")]
    shown = OVER.format(*over) if len(over) > 1 else _decimal(text)
    return (_row(MINUS, shown), SUM) if value < 0 else (shown, ATOM)


def _decimal(text: str) -> Markup:
    """`1e-6` as a power of ten."""
    mantissa, _, exponent = text.partition("e")
    if not exponent:
        return _tag("mn", text)
    minus = [MINUS] if exponent.startswith("-") else []
    power = RAISED.format(_tag("mn", "10"), _row(*minus, _tag("mn", exponent.lstrip("-+"))))
    return power if mantissa == "1" else _row(_tag("mn", mantissa), _tag("mo", "×"), power)


def _letter(name: str) -> Markup:
    """A Greek letter, an italic one, or a word; what follows an underscore stands below."""
    head, _, below = name.partition("_")
    if below and head in GREEK and len(name) < 24:
        return Markup("<msub>{}{}</msub>").format(_letter(head), _tag("mtext", below))
    letter = GREEK.get(name, name)
    return _tag("mi" if len(letter) == 1 else "mtext", clipped(letter, 40))


def _sum(parts: Sequence[Expression]) -> Markup:
    pieces = [_set(parts[0])[0]]
    for part in parts[1:]:
        flipped = _flipped(part)
        pieces.append(_tag("mo", "+") if flipped is None else MINUS)
        pieces.append(_held(part if flipped is None else flipped))
    return _row(*pieces)


def _held(part: Expression, loosest: int = PRODUCT) -> Markup:
    """In brackets where it holds together more loosely."""
    shown, level = _set(part)
    return shown if level >= loosest else _fenced(shown)


def _flipped(part: Expression) -> Expression | None:
    """What is subtracted, where the term has a negative factor."""
    first = part.parts[0] if isinstance(part, Product) else part
    return part * -1 if isinstance(first, Number) and first.value < 0 else None


def _product(parts: Sequence[Expression]) -> tuple[Markup, int]:
    """A fraction where something divides; a factor 1/3 counts as a divisor."""
    above: list[Expression] = []
    below: list[Expression] = []
    negative = False
    for part in parts:
        if isinstance(part, Number):
            negative, size = part.value < 0, abs(part.value)
            whole = _short(size)
            top, bottom = (size, 1) if whole else (Fraction(size.numerator), size.denominator)
            above += [Number(top)] if top != 1 else []
            below += [Number(Fraction(bottom))] if bottom != 1 else []
        elif isinstance(part, Power) and part.exponent < 0:
            below.append(_raised(part.base, -part.exponent))
        else:
            above.append(part)
    body = OVER.format(_factors(above), _factors(below)) if below else _factors(above)
    return (_row(MINUS, body), SUM) if negative else (body, PRODUCT)


def _short(value: Fraction) -> bool:
    """Whether a person writes it with an exponent or a point: 1e-6."""
    return value.denominator >= 10**4 and "/" not in exactly(value)


def _raised(base: Expression, exponent: Fraction) -> Expression:
    return base if exponent == 1 else Power(base, exponent)


def _factors(parts: Sequence[Expression]) -> Markup:
    if not parts:
        return _tag("mn", "1")
    if len(parts) == 1:
        return _set(parts[0])[0]
    pieces: list[Markup] = []
    for place, part in enumerate(parts):
        pieces += _between(parts[place - 1], part) if place else []
        pieces.append(_held(part))
    return _row(*pieces)


def _between(left: Expression, right: Expression) -> list[Markup]:
    """A point between factors that would run together, numbers and words; room beside functions."""
    if isinstance(right, Number) or any(map(_word, (left, right))):
        return [_tag("mo", "·")]
    return [ROOM] if any(isinstance(part, Call) for part in (left, right)) else []


def _word(part: Expression) -> bool:
    base = part.base if isinstance(part, Power) else part
    return isinstance(base, Symbol) and len(base.name) > 1 and base.name not in GREEK


def _power(base: Expression, exponent: Fraction) -> tuple[Markup, int]:
    if exponent == HALF:
        return _tag("msqrt", _set(base)[0]), ATOM
    if exponent < 0:
        return OVER.format(_tag("mn", "1"), _set(_raised(base, -exponent))[0]), ATOM
    fraction = isinstance(base, Number) and base.value.denominator != 1
    held = _fenced(_set(base)[0]) if fraction else _held(base, ATOM)
    return RAISED.format(held, _number(exponent)[0]), ATOM


def _call(name: str, parts: Sequence[Expression]) -> Markup:
    inner = COMMA.join(_set(part)[0] for part in parts)
    if name == "exp" and len(parts) == 1:
        return RAISED.format(_tag("mi", "e"), inner)
    analytic = Markup("<msub><mi>σ</mi><mtext>analytic</mtext></msub>")
    function = analytic if name == "analytic_sigma" else _tag("mi", name)
    return _row(function, _fenced(_tag("mrow", inner)))
