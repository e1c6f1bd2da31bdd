"""Any program attacked: run(X, y, seed) on two neighbouring tables."""

from __future__ import annotations

from dpframe.errors import InvalidArgument
from dpframe.privacy import Relation

from .answers import Program, answers, failures, features
from .events import bounds
from .finding import Finding, of_bounds
from .pairs import from_draws, neighbouring
from .running import Job
from .tables import Pair, given


def program_findings(
    run: Program, on: object, job: Job, relation: Relation
) -> tuple[Pair, list[Finding]]:
    """Learned scores of what it returns; of how it fails, where it does. Raises InvalidArgument."""
    if on is None:
        way_out = "Such as on=((X, y), (X[:-1], y[:-1])), the hardest neighbours you know."
        raise InvalidArgument("on", "two neighbouring tables, for a program", None, way_out)
    pair = neighbouring(given(on), relation)
    drawn = [answers(run, table, job) for table in pair.tables]
    failed = failures([one for part in drawn for one in part])
    first, second = features(*drawn)
    found = bounds(from_draws(first, second), job.claim, job.failing)
    method = "learned scores: Clopper-Pearson bounds"
    return pair, [of_bounds(found, f"what it returns{failed}", str(pair), method=method)]
