"""Simulations of unproved declarations, for papers and audits, never for private data."""

from __future__ import annotations

from typing import Any

import attrs

from dpframe.errors import NotExecutable
from dpframe.graph import Node
from dpframe.graph.statistics import Count, Statistic
from dpframe.prover.certify import NOT_PRIVATE, Unproved
from dpframe.randomness import Randomness
from dpframe.sources import open_source
from dpframe.symbols import DATA

from .execution import by_name, first_pass, post_process, release_in_stages
from .public_budgets import requested_budgets


@attrs.frozen(kw_only=True, repr=False, str=False, eq=False)
class Simulated:
    """The output and released values of an unproved declaration, labelled NOT PRIVATE."""

    output: Any
    released: dict[str, Any]
    label: str = NOT_PRIVATE

    def __str__(self) -> str:
        """The label, the output, the label."""
        return f"{self.label}: {self.output}\n{self.label}: nothing was proved of this declaration."

    __repr__ = __str__


def simulate(
    run: object, X: object, y: object = None, *, rng: object, budgets: object = None
) -> Simulated:
    """Run an `Unproved` declaration on a table, with simulated noise from `rng`, a seed or a numpy
    Generator; `budgets` as for dp.execute. Formulas may read raw numbers of rows. NOT PRIVATE.
    Raises NotExecutable, BadData, InvalidArgument.
    """
    if not isinstance(run, Unproved):
        raise NotExecutable(
            f"simulate takes what dp.audits.unproved(...) returns; got {type(run).__name__}. "
            "What is proved is run by dp.execute, which can be simulated with rng=."
        )
    raw = [s for s in run.symbols.values() if isinstance(s.origin, Statistic) and DATA in s.scope]
    unknown = [s.name for s in raw if not isinstance(s.origin, Count)]
    if unknown:
        raise NotExecutable(f"its formulas read {', '.join(unknown)}, for which there is no number")
    free = run.free - {symbol.name for symbol in raw}
    if free:
        missing = ", ".join(f"{name}=..." for name in sorted(free))
        raise NotExecutable(f"numbers are lacking. run = run.at({missing})")
    randomness = Randomness.of(0 if rng is None else rng)
    wanted = requested_budgets(run, budgets, simulated=True)
    column = None if wanted is None else wanted.column
    source = open_source(run.setting, X, y, drop=False, budgets=column)
    running, _ = first_pass(run, source, None, randomness, wanted, raw)
    release_in_stages(running, running.draws(0), randomness.fresh())
    output = post_process(running)
    released: dict[Node, Any] = {node: running.released[node] for node in run.graph.charged}
    return Simulated(output=output, released=by_name(released))
