from dpframe.execution.rehearsal import Rehearsal as Rehearsal
from dpframe.execution.research import simulate as simulate
from dpframe.prover.unproved import NOT_PRIVATE as NOT_PRIVATE
