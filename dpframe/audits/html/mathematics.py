"""Formulas as MathML: read by browsers without help, set well on paper, spoken aloud."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dpframe.prover import Constraint
from dpframe.symbols import Call, Expression, Number, Power, Product, Sum, Symbol

from ..figures import clipped, exactly, figure
from ..figures import formula as written
from ..lines import lower_end
from .elements import GREEK, Content, Element, element

LONG = 160  # characters of a formula as text; longer ones stay text
HALF = Fraction(1, 2)
SUM, PRODUCT, ATOM = range(3)


def formula(expression: Expression) -> Element:
    """The formula, with the text that dpframe writes for it as its name.

    A long one is given as text, its middle left out.
    """
    text = written(expression)
    if len(text) > LONG:
        return element("code", clipped(text, LONG), class_="formula")
    return element("math", _row(expression), alttext=text)


def equation(name: str, expression: Expression) -> Element:
    """`name` = the formula."""
    text = written(expression)
    if len(text) > LONG:
        return element("code", f"{name} = {clipped(text, LONG)}", class_="formula")
    left = (_letter(name), element("mo", "="))
    row = element("mrow", *left, _row(expression))
    return element("math", row, alttext=f"{name} = {text}", displaystyle="true")


def constraint(found: Constraint) -> tuple[Content, ...]:
    """left ≤ right, and the number of the right side, rounded down, where it is no plain one."""
    sides = (_row(found.left), element("mo", "<" if found.strict else "≤"), _row(found.right))
    text = f"{written(found.left)} {'<' if found.strict else '<='} {written(found.right)}"
    if len(text) > LONG:
        shown = element("code", clipped(text, LONG), class_="formula")
    else:
        shown = element("math", element("mrow", *sides), alttext=text)
    value = None if isinstance(found.right, Number) else lower_end(found.right)
    return (shown,) if value is None else (shown, f" ({figure(value, 'down')})")


def _row(expression: Expression) -> Element:
    return _set(expression)[0]


def _set(expression: Expression) -> tuple[Element, int]:
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


def _number(value: Fraction) -> tuple[Element, int]:
    sign = [element("mo", "−")] if value < 0 else []
    size = abs(value)
    text = exactly(size)
    if "/" in text:
        shown = _over(*(element("mn", part) for part in text.split("/")))
    else:
        shown = _decimal(text)
    return (element("mrow", *sign, shown), SUM) if sign else (shown, ATOM)


def _decimal(text: str) -> Element:
    """`1e-6` as a power of ten."""
    mantissa, _, exponent = text.partition("e")
    if not exponent:
        return element("mn", text)
    minus = [element("mo", "−")] if exponent.startswith("-") else []
    raised = element("mrow", *minus, element("mn", exponent.lstrip("-+")))
    power = element("msup", element("mn", "10"), raised)
    if mantissa == "1":
        return power
    return element("mrow", element("mn", mantissa), element("mo", "×"), power)


def _letter(name: str) -> Element:
    """A Greek letter, an italic one, or a word; what follows an underscore stands below."""
    head, _, below = name.partition("_")
    if below and head in (*GREEK, "lambda") and len(name) < 24:
        return element("msub", _letter(head), element("mtext", below))
    if name in GREEK:
        return element("mi", GREEK[name])
    return (
        element("mi", clipped(name, 40)) if len(name) == 1 else element("mtext", clipped(name, 40))
    )


def _sum(parts: Sequence[Expression]) -> Element:
    pieces: list[Content] = []
    for place, part in enumerate(parts):
        flipped = _flipped(part)
        if place:
            pieces.append(element("mo", "−" if flipped is not None else "+"))
            shown, level = _set(part if flipped is None else flipped)
            pieces.append(shown if level > SUM else _fenced(shown))
        else:
            pieces.append(_row(part))
    return element("mrow", *pieces)


def _flipped(part: Expression) -> Expression | None:
    """What is subtracted, where the term has a negative factor."""
    if isinstance(part, Number) and part.value < 0:
        return Number(-part.value)
    first = part.parts[0] if isinstance(part, Product) else None
    return part * -1 if isinstance(first, Number) and first.value < 0 else None


def _product(parts: Sequence[Expression]) -> tuple[Element, int]:
    """A fraction where something divides; a factor 1/3 counts as a divisor."""
    above: list[Expression] = []
    below: list[Expression] = []
    negative = False
    for part in parts:
        if isinstance(part, Number):
            negative = part.value < 0
            top, bottom = abs(part.value.numerator), part.value.denominator
            if _short(part.value):
                above.append(Number(abs(part.value)))
                continue
            above += [Number(Fraction(top))] if top != 1 else []
            below += [Number(Fraction(bottom))] if bottom != 1 else []
        elif isinstance(part, Power) and part.exponent < 0:
            below.append(_raised(part.base, -part.exponent))
        else:
            above.append(part)
    body = _factors(above) if not below else _over(_factors(above), _factors(below))
    return (element("mrow", element("mo", "−"), body), SUM) if negative else (body, PRODUCT)


def _short(value: Fraction) -> bool:
    """Whether a person writes it with an exponent or a point: 1e-6."""
    return value.denominator != 1 and "/" not in exactly(value) and value.denominator >= 10**4


def _raised(base: Expression, exponent: Fraction) -> Expression:
    return base if exponent == 1 else Power(base, exponent)


def _factors(parts: Sequence[Expression]) -> Element:
    if not parts:
        return element("mn", "1")
    if len(parts) == 1:
        return _row(parts[0])
    pieces: list[Content] = []
    for place, part in enumerate(parts):
        shown, level = _set(part)
        pieces += _between(parts[place - 1], part) if place else []
        pieces.append(shown if level > SUM else _fenced(shown))
    return element("mrow", *pieces)


def _between(left: Expression, right: Expression) -> list[Content]:
    """A point between factors that would run together, numbers and words; room beside functions."""
    if isinstance(right, Number) or any(map(_word, (left, right))):
        return [element("mo", "·")]
    beside = any(isinstance(part, Call) for part in (left, right))
    return [element("mspace", width="0.17em")] if beside else []


def _word(part: Expression) -> bool:
    base = part.base if isinstance(part, Power) else part
    return isinstance(base, Symbol) and len(base.name) > 1 and base.name not in GREEK


def _power(base: Expression, exponent: Fraction) -> tuple[Element, int]:
    if exponent == HALF:
        return element("msqrt", _row(base)), ATOM
    if exponent < 0:
        return _over(element("mn", "1"), _row(_raised(base, -exponent))), ATOM
    shown, level = _set(base)
    fraction = isinstance(base, Number) and base.value.denominator != 1
    held = shown if level == ATOM and not fraction else _fenced(shown)
    return element("msup", held, _number(exponent)[0]), ATOM


def _call(name: str, parts: Sequence[Expression]) -> Element:
    inner: list[Content] = []
    for place, part in enumerate(parts):
        inner += [element("mo", ",", separator="true")] if place else []
        inner.append(_row(part))
    if name == "exp" and len(parts) == 1:
        return element("msup", element("mi", "e"), *inner)
    return element("mrow", _function(name), _fenced(element("mrow", *inner)))


def _function(name: str) -> Element:
    if name == "analytic_sigma":
        return element("msub", element("mi", "σ"), element("mtext", "analytic"))
    return element("mi", name)


def _fenced(inner: Element) -> Element:
    return element("mrow", element("mo", "("), inner, element("mo", ")"))


def _over(above: Element, below: Element) -> Element:
    return element("mfrac", above, below)
