"""Test losses with personalised budgets, and what records pay, in text. Every line is labelled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .drawn_budgets import GROUPS
from .methods import Standing
from .personalized_insurance import PAPER, Entry, Experiment
from .text import labelled

ROWS = (
    "rows: |x|^2 <= d has entries in [0, 1] and the paper's bound, sqrt(d) for all d columns",
    "  |x|^2 <= 7 has the same entries and the bound of one-hot rows: 3 numbers, 3 ones, a 1",
    "  codebook is dp.Rows(columns=[...], intercept=True): numbers and labels in [-1, 1], and the",
    "  bound sqrt(7) derived; losses are a quarter of the squared error in those units",
)
PROMISES = (
    "promise: replaced, if a record's values change; joins, if it is there or not, where budgets",
    "  are rounded down to hundredths, and public numbers replace sums over those who are there",
    "  and 1e-6: that delta besides; nothing: reads the table as it is",
)


def shown(entries: Sequence[Entry], experiment: Experiment) -> list[str]:
    """The table of the medical costs, or that of synthetic rows of several sizes."""
    sizes = sorted({one.n for one in entries})
    if len(sizes) > 1:
        alone = [summary([one for one in entries if one.n == n]) for n in sizes]
        return [
            *heading(experiment, rows=False),
            *small(entries),
            *(line for lines in alone for line in lines),
        ]
    lines = (line for one in entries for line in row(one))
    return [*heading(experiment, rows=True), *titles(), *lines, *summary(entries)]


def heading(experiment: Experiment, *, rows: bool) -> list[str]:
    """What is shown and how to read it; `rows` of the medical costs or not."""
    groups = ", ".join(
        f"{float(share):.0%} {name} {_range(float(low), float(high))}"
        for name, (share, low, high) in GROUPS.items()
    )
    runs = f"{experiment.repeats} draws of rows and budgets, {experiment.draws} of noise for each"
    told = "no number was chosen by test loss"
    bounds = f"{told}; bounds of numbers are the table's, as in the paper" if rows else told
    lines = [
        "Ridge regression with personalised budgets [Acharya24]; penalty 1 of output perturbation,",
        "as in the paper, and otherwise the defaults of the declarations",
        f"epsilon: {groups}",
        f"test losses, mean squared errors of labels in [0, 1]: {runs}",
        "+-: standard error by draws of rows and budgets; spread: std over those, then over noise",
        *(("authors: their results, of one split and one draw of budgets", *ROWS) if rows else ()),
        *PROMISES,
        bounds,
    ]
    return labelled(lines)


def titles() -> list[str]:
    """The names of columns."""
    cells = f"{'':25}{'rows':12}{'promise':21}{'authors':>9}{'ours':>10} {'+-':10}"
    return labelled(["", f"{cells}{'spread':>9}{'noise':>9}"])


def row(entry: Entry) -> list[str]:
    """One line."""
    method, (across, within) = entry.method, entry.spreads
    theirs = "" if method.published is None else f"{method.published:.4g}"
    mark = "*" if method.standing is Standing.CLAIMED else ""
    cells = f"{method.name + mark:25}{method.view:12}{method.promise:21}{theirs:>9}"
    return labelled(
        [f"{cells}{entry.loss:>10.4g} {entry.error:<10.2g}{across:>9.2g}{within:>9.2g}"]
    )


def summary(entries: Sequence[Entry]) -> list[str]:
    """What beats a guess that reads no features, and what a delta buys."""
    found = {(one.method.name, one.method.view, one.method.promise): one.loss for one in entries}
    guess = next(one for one in entries if one.method.name in {"mean alone", "zero"})
    tight = {view: loss for (name, view, told), loss in found.items() if _tight(name, told)}
    return labelled(["", *_beaten(entries, guess), *_against(entries, tight), *_claimed(entries)])


def _tight(name: str, promise: str) -> bool:
    return name == "PersonalizedRidge" and "replaced" in promise


def _beaten(entries: Sequence[Entry], guess: Entry) -> Iterator[str]:
    private = [one for one in entries if one.method.standing is not Standing.BASELINE]
    better = [
        f"{one.method.name} ({one.method.view}; {one.method.promise})"
        for one in private
        if one.loss < guess.loss
    ]
    told = f"n = {guess.n}: below {guess.method.name}, {guess.loss:.4g}, "
    yield told + ("are" if better else "is none")
    yield from (f"  {name}" for name in better)


def _against(entries: Sequence[Entry], tight: Mapping[str, float]) -> Iterator[str]:
    for one in entries:
        if "1e-6" in one.method.promise or one.method.name == "PersonalizedObjective":
            ratio = one.loss / tight[one.method.view]
            word = "beats" if ratio < 1 else "does NOT beat"
            name = f"{one.method.name} {word} PersonalizedRidge"
            yield f"{name} on the rows {one.method.view}: {ratio:.2g} of its loss"


def _claimed(entries: Sequence[Entry]) -> Iterator[str]:
    if any(one.method.standing is Standing.CLAIMED for one in entries):
        yield "* as coded, not private: noise and weights read the number of sampled records"
    else:
        yield "methods left out that claim privacy without a proof; --not-private runs them"


def costs(asked: Mapping[str, float], paid: Mapping[str, Mapping[str, float]]) -> list[str]:
    """A line a rule: what an average record of each group asks for and, at most, pays."""
    names = "".join(f"{name:>14}" for name in asked)
    lines = [
        f"{rule:40}" + "".join(f"{of[name]:>14.4f}" for name in asked) for rule, of in paid.items()
    ]
    own = "".join(f"{value:>14.4f}" for value in asked.values())
    told = "Epsilon of an average record, at most, with noise as it is drawn (one draw of budgets)"
    return labelled(["", told, f"{'':40}{names}", f"{'asked':40}{own}", *lines])


def small(entries: Sequence[Entry]) -> list[str]:
    """The synthetic table: a line a method, a column a size."""
    sizes = sorted({one.n for one in entries})
    found = {(one.n, one.method): one for one in entries}
    methods = list(dict.fromkeys(one.method for one in entries))
    cells = [
        f"{one.name:25}{one.promise:21}"
        + "".join(f"{found[n, one].loss:>11.4g} {found[n, one].error:<9.2g}" for n in sizes)
        for one in methods
    ]
    head = f"{'':25}{'promise':21}" + "".join(f"{f'n = {n}':>11} {'+-':9}" for n in sizes)
    what = f"Synthetic rows [Acharya24]: d = 30, uniform in [0, 1]^d, linear labels, {PAPER}"
    return labelled(["", what, head, *cells])


def _range(low: float, high: float) -> str:
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"
