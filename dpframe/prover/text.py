"""Certificates and refusals as a person reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import ROUND_FLOOR, Context
from fractions import Fraction
from typing import TYPE_CHECKING

import attrs

from dpframe.accountants import ACCOUNTANTS
from dpframe.graph import (
    Categorical,
    Graph,
    Numeric,
    OfBudgets,
    Regression,
    Release,
    RowsNode,
    Setting,
)
from dpframe.graph.maps.base import OfOne
from dpframe.graph.post import ancestors
from dpframe.numerics.rounding import arb_float
from dpframe.privacy import Each
from dpframe.privacy.personal import own_symbols_of
from dpframe.symbols import Number, Symbol
from dpframe.theory import DERIVATIONS
from dpframe.wording import Formula, Text, digits, say, shares_aside

from .algebra import at_point
from .derivations import DERIVATIONS as PROVED_BY
from .derivations import SHARES, SINGLE, SUM
from .mixture import amplified
from .problem import Constraint, Obligation, Overspent, sampling, shown

if TYPE_CHECKING:
    from .certify import Certificate
    from .report import Report

BOUNDS = {"norm", "bound", "lower", "upper"}  # fields of maps
FEW = 100  # characters of a formula in a table
BUT_FOR_THE_SUM = "the kernel replays the proof but for the sum of the losses"
TESTED = "Tested, not proved: how tables are read, how records are mapped, how noise is drawn."


def argument(name: str) -> str:
    """The derivation of this name, in words, with its citation."""
    if name == SHARES.name:
        return "shares, each earned by what one draw costs exactly (docs/proofs/currencies.md)"
    if name == SINGLE.name:
        return "what the one draw costs exactly (docs/proofs/currencies.md)"
    if name == SUM.name:
        return say("the sum of what pure releases cost {}", SUM.accountant.citation)
    arguments = (
        say("{} {}", one.argument, one.citation) for one in ACCOUNTANTS if one.name == name
    )
    return next(arguments, f"the total of {name}, believed on your word")


def unreplayed(name: str, graph: Graph) -> tuple[str, ...]:
    """What the kernel leaves out of a total by this derivation, as a line, if anything."""
    in_symbols = name not in PROVED_BY or PROVED_BY[name].symbolic
    replayed = name in DERIVATIONS and (in_symbols or not any(map(amplified, graph.releases)))
    if replayed or ":" in name:
        return ()
    return (f"  {BUT_FOR_THE_SUM}",)


def certificate_text(certificate: Certificate) -> str:
    """The sentence that was proved, its derivation, where it holds, what is assumed."""
    return "\n".join(
        [
            f"Certificate {certificate.hash[:12]} of {certificate.regression}",
            f"Proved: the cost of the graph below. {TESTED}",
            "",
            *(f"  {line}" for line in sentence(certificate)),
            *_in_epsilon(certificate),
            "",
            "Bounds of the table, to which its values are clipped",
            *(f"  {name}: {ends}" for name, ends in bounds(certificate.setting)),
            *_clips(certificate),
            "",
            f"Derivation: {argument(certificate.derivation)}",
            *unreplayed(certificate.derivation, certificate.graph),
            *(f"  {line}" for line in release_lines(certificate)),
            "",
            "Proved",
            *(f"  {_proved(obligation)}" for obligation in certificate.obligations),
            *_claims(certificate.report),
            "",
            "Assumed",
            *(f"  {assumption.line}" for assumption in certificate.assumptions),
        ]
    )


def _in_epsilon(certificate: Certificate) -> list[str]:
    """Which call says what another currency costs in epsilon."""
    target = certificate.target
    free = any(amount.symbols() for amount in target.amounts)
    if free or "epsilon" in target.currency or certificate.report.problem.personal is not None:
        return []
    call = "certificate.as_composition().epsilon(delta)"
    return [f"  In epsilon at a delta, such as '1e-6': {call}."]


def bounds(setting: Setting) -> list[tuple[str, str]]:
    """The name and the bounds or levels of each column of the table, the label last."""
    rows, labels = setting.X, setting.y
    columns = [(part.name, _ends(part)) for part in rows.columns or ()]
    if rows.d is not None:
        columns.append(("columns", str(rows.d)))
    if rows.box is not None:
        columns.append(("entry of a row", f"at most {rows.box} in size"))
    if rows.norm is not None:
        columns.append(("2-norm of a row", f"at most {rows.norm}"))
    if labels is None:
        return columns
    if labels.levels is not None:
        ends = f"classes {', '.join(map(repr, labels.levels))}"
    elif labels.bound is not None:
        ends = f"at most {labels.bound} in size"
    else:
        ends = " to ".join(_end(end) for end in (labels.lower, labels.upper) if end is not None)
    return [*columns, (f"{labels.name} (label)", ends)]


def _clips(certificate: Certificate) -> dict[str, None]:
    """A line for each map in the declaration that bounds rows or labels by its own formulas."""
    tables = [node for node in certificate.setting.nodes() if node is not None]
    read = set(tables).union(*map(ancestors, tables))
    data = [one for one in certificate.report.problem.data if one not in read]
    maps = [one for one in data if isinstance(one, OfOne) and BOUNDS & one.formulas.keys()]
    names = ("rows" if isinstance(one, RowsNode) else "labels" for one in maps)
    pairs = zip(names, maps, strict=True)
    return dict.fromkeys(f"  {name}: {one.label}, by the declaration" for name, one in pairs)


def _ends(part: Numeric | Categorical) -> str:
    """`18 to 64 years`, or levels."""
    if isinstance(part, Numeric):
        return f"{_end(part.lower)} to {_end(part.upper)} {part.unit}".rstrip()
    return ", ".join(map(repr, part.levels))


def _end(value: Fraction) -> str:
    """A decimal where it is exact, unlike `shown` of 37/2."""
    short = f"{float(value):.12g}"
    return short if Fraction(short) == value else shown(value)


def certificate_html(certificate: Certificate) -> str:
    """The sentence, the releases and the assumptions, as notebooks show them."""
    from dpframe.notebooks import card, folded, sentences, table

    releases = certificate.graph.releases
    cells = [(one.label, *map(_few, _released(one))) for one in releases[:12]]
    head = ("release", "sensitivity", "share", "noise")
    shown_columns = [place for place in range(4) if any(row[place] for row in cells)]
    rows = [[row[place] for place in shown_columns] for row in cells]
    more = [f"... and {len(releases) - 12} more releases"] if len(releases) > 12 else []
    return card(
        f"certificate {certificate.hash[:12]} of {certificate.regression}",
        sentences([" ".join(sentence(certificate))]),
        table(rows, [head[place] for place in shown_columns], texts=4),
        sentences([*more, f"Derivation: {argument(certificate.derivation)}.", TESTED]),
        folded("Everything that is proved and assumed", str(certificate)),
        verdict="proved",
    )


def _few(text: str) -> str:
    """The beginning of a long formula."""
    return text if len(text) <= FEW else f"{text[:FEW]} ..."


def sentence(certificate: Certificate) -> list[str]:
    """The statement, in words."""
    free = [
        symbol
        for name, symbol in certificate.symbols.items()
        if name not in certificate.values and not isinstance(symbol.origin, (Each, OfBudgets))
    ]
    bound = [f"{name} = {shown(value)}" for name, value in certificate.values.items()]
    lines = [f"For all {', '.join(map(ranged, free))}," if free else "For these numbers,"]
    if bound:
        lines.append(f"at {', '.join(bound)},")
    lines += _differing(certificate)
    if certificate.region:
        more = " ..." if len(certificate.region) > 6 else ""
        where = " and ".join(map(region_text, certificate.region[:6]))
        lines.append(f"It holds where {where}{more}.")
    return lines


def ranged(symbol: Symbol) -> Text:
    """`epsilon in (0, inf)`, `T in [1, inf) whole`."""
    domain = symbol.domain
    ends = str(attrs.evolve(domain, integer=False))
    return say("{} {}{}", Formula(symbol.name), Formula(ends), " whole" * domain.integer)


def _differing(certificate: Certificate) -> list[str]:
    """Between which tables what holds."""
    unit, personal = certificate.setting.unit, certificate.report.problem.personal
    if personal is None:
        return [
            f"for every two tables that differ by {unit},",
            f"the released values together satisfy {certificate.target}.",
        ]
    own = ", ".join(f"{symbol.name} {symbol.domain}" for symbol in own_symbols_of(personal.each))
    origins = [symbol.origin for symbol in certificate.symbols.values()]
    numbers = [one for one in origins if isinstance(one, OfBudgets)]
    of_all = [f"whatever {one.symbol} is, the {one.label} over all records," for one in numbers]
    return [
        f"for all public budgets, each record's own {own},",
        *of_all,
        f"for every record and every two tables that differ by {unit}, that record's,",
        f"the released values together satisfy {personal.each} with the record's own budget.",
    ]


def region_text(constraint: Constraint) -> str:
    """`epsilon <= 4*log(2) (2.77)`."""
    if constraint.right.symbols() or isinstance(constraint.right, Number):
        return str(constraint)
    from .algebra import number

    least = Context(prec=4, rounding=ROUND_FLOOR).create_decimal(
        number(constraint.right, {}, up=False)
    )
    return f"{constraint} ({least})"


def release_lines(certificate: Certificate) -> Iterable[str]:
    """Sensitivity and share, then the noise, of each release; the first twelve."""
    releases = certificate.graph.releases
    for release in releases[:12]:
        yield _release_line(release, certificate.values)
    if len(releases) > 12:
        yield f"... and {len(releases) - 12} more releases"


def _release_line(release: Release, values: Mapping[str, Fraction]) -> str:
    value, share, size = _released(release)
    share = f", share {share}" if share else ""
    names = {one.name for one in release.mechanism.formula.symbols()}
    if names and names <= values.keys():
        (ball,) = at_point([release.mechanism.formula], values)
        size = say("{}, {} here", size, digits(arb_float(ball, up=True)))
    return f"{release.label}: sensitivity {value}{share}\n      {size}"


def _released(release: Release) -> tuple[str, str, str]:
    """The sensitivity with its norm, the share, the noise."""
    value = "?" if release.moved is None else release.moved.value
    rule = "stated" if release.rule is None else release.rule.name
    share = "" if release.share is None else f"({release.share})"
    sizes = {release.noise.noise: release.mechanism.formula, **release.parameters}
    law = ", ".join(say("{} {}", Formula(name), one) for name, one in sizes.items())
    size = say("{} ({})", law, rule)
    if release.sampled is not None:
        size = say("{}; {}", size, sampling(release.times, release.sampled))
    return say("{} ({})", value, release.noise.norm), share, size


def _proved(obligation: Obligation) -> str:
    many = f" (x{obligation.count})" if obligation.count > 1 else ""
    facts = "".join(f"\n      {fact}" for fact in obligation.facts[:8])
    return f"{obligation.node}{many}: {obligation.rule}{facts}"


def _claims(report: Report) -> list[str]:
    """Claims about shares that fail, on which the total does not rest: their sums, then each."""
    refuted = [one for one in (*report.plan, *report.claims) if not one.proved]
    if not refuted:
        return []
    lines = [
        f"  {one.node}: {one.verdict}: {'its share alone; ' * (one not in report.plan)}"
        f"{one.witness or one.rule}"
        for one in refuted
    ]
    return ["", "Not used by the proof: claims about shares", *lines]


def refusal_text(regression: Regression, report: Report) -> str:
    """What is overspent, every open obligation; and the accountant that proves the total, where
    only shares fail.
    """
    open_ones = report.open_obligations
    head = (
        f"{regression} is not certified for {report.problem.claimed}: "
        f"{''.join(f'{one}; ' for one in overspent(report))}{len(open_ones)} open "
        f"obligation{'s' * (len(open_ones) != 1)}"
    )
    listed = [f"({index}) {obligation}" for index, obligation in enumerate(open_ones, 1)]
    if report.aside:
        listed.append(f"Only the shares stand in the way. {proved_aside(report)}")
    return "\n".join([head, *listed])


def overspent(report: Report) -> list[Text]:
    """`the shares of epsilon sum to 6/5, more than 1 (gram: 3/5; moment: 3/5)`, a text for each sum
    that exceeds the target.
    """
    witnesses = (one.witness for one in report.overspent)
    return [one.summed for one in witnesses if isinstance(one, Overspent)]


def proved_aside(report: Report) -> Text:
    """By which accountant the total holds all the same, and where to name it."""
    return say(
        "The noise alone proves the total of all releases together: {}", shares_aside(report.aside)
    )
