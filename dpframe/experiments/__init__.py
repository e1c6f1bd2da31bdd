"""Published experiments, run again. Their preprocessing reads the data: NOTHING HERE IS PRIVATE."""

from dpframe.prover.unproved import NOT_PRIVATE

__all__ = ["NOT_PRIVATE"]
