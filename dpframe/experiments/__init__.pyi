from dpframe.execution.execution import simulate as simulate
from dpframe.execution.rehearsal import Rehearsal as Rehearsal
from dpframe.prover.certify import NOT_PRIVATE as NOT_PRIVATE
