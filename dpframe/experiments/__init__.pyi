from dpframe.execution.rehearsal import Rehearsal as Rehearsal
from dpframe.execution.research import simulate as simulate
from dpframe.prover.certify import NOT_PRIVATE as NOT_PRIVATE
