from dpframe.execution import Receipt as Receipt
from dpframe.prover.identical import identical as identical
from dpframe.prover.obligation import Obligation as Obligation
from dpframe.prover.obligation import Verdict as Verdict
from dpframe.prover.report import Report as Report
from dpframe.prover.unproved import unproved as unproved

from .budget_reports import BudgetReport as BudgetReport
from .comparison import Comparison as Comparison
from .comparison import compare as compare
from .conformance.accountants import check_accountant as check_accountant

from .conformance.mechanisms import check_calibration as check_calibration
from .conformance.mechanisms import check_mechanism as check_mechanism

from .descriptions import Description as Description
from .descriptions import parse_description as parse_description
from .descriptions import read_description as read_description
from .differences import Difference as Difference
from .differences import difference as difference
from .formulas import Formulas as Formulas
from .formulas import audit_formulas as audit_formulas
from .joint_cost import JointCost as JointCost
from .lines import Line as Line
from .lower_bounds import Attack as Attack
from .report import Audit as Audit
from .report import audit as audit
from .rosters import budget_report as budget_report
from .splits import DataCriterion as DataCriterion
from .splits import ErrorCriterion as ErrorCriterion
from .splits import NoiseCriterion as NoiseCriterion
from .splits import PublicTable as PublicTable
from .splits import Resplit as Resplit
from .splits import Split as Split
from .splits import SyntheticTable as SyntheticTable
from .splits import public as public
