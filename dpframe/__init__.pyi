# The reference lists names in this order.
# isort: off

# What the framework is made of
from .mechanisms import Mechanism as Mechanism
from .sensitivity import Sensitivity as Sensitivity
from .accountants import Accountant as Accountant
from .graph.statistics import Statistic as Statistic
from .mechanisms import Calibration as Calibration

# Declarations
from .graph import Regression as Regression
from .graph import Setting as Setting
from .graph import Rows as Rows
from .graph import Column as Column
from .graph import Numeric as Numeric
from .graph import Categorical as Categorical
from .sources import MultilineCSV as MultilineCSV
from .privacy import ADD_REMOVE as ADD_REMOVE
from .privacy import REPLACE_ONE as REPLACE_ONE
from .privacy import Relation as Relation
from .graph import release as release
from .graph import post as post
from .graph import known as known
from .graph import loop as loop
from .graph import iterate as iterate
from .graph import partition as partition
from .graph import jointly as jointly
from .graph.functions import count as count
from .graph.functions import total as total
from .graph.functions import trace as trace
from .graph.functions import lambda_min as lambda_min

# Formulas
from .symbols import parameter as parameter
from .symbols import constant as constant
from .symbols import Expression as Expression
from .symbols import EPSILON as EPSILON
from .symbols import DELTA as DELTA
from .symbols import RHO as RHO
from .symbols import MU as MU
from .symbols import sqrt as sqrt
from .symbols import log as log
from .symbols import exp as exp
from .symbols import minimum as minimum
from .symbols import maximum as maximum

# Guarantees
from .privacy import Guarantee as Guarantee
from .privacy import PureDP as PureDP
from .privacy import ApproxDP as ApproxDP
from .privacy import ZeroConcentratedDP as ZeroConcentratedDP
from .privacy import GaussianDP as GaussianDP
from .privacy import RenyiDP as RenyiDP
from .privacy import PersonalizedDP as PersonalizedDP
from .privacy import each as each

# Noise
from .mechanisms import Gaussian as Gaussian
from .mechanisms import Laplace as Laplace
from .mechanisms import L2Laplace as L2Laplace
from .mechanisms import DiscreteGaussian as DiscreteGaussian
from .mechanisms import DiscreteLaplace as DiscreteLaplace
from .numerics.fast import gaussian_sigma as gaussian_sigma
from .numerics.fast import gaussian_delta as gaussian_delta
from .numerics.fast import gaussian_epsilon as gaussian_epsilon
from .numerics.fast import gaussian_mu as gaussian_mu
from .symbols import analytic_sigma as analytic_sigma

# What is done with them
from .prover.certify import certify as certify
from .prover.certify import examine as examine
from .prover.document import load as load
from .execution import execute as execute
from .audits import audit as audit
from .audits import compare as compare
from .accountants import compose as compose
from .accountants import calibrate as calibrate
from .audits.lower_bounds import attack as attack
from .audits.splits import best_split as best_split
from .regressions import recommend as recommend

# Objects
from .prover.certify import Certificate as Certificate
from .execution import Result as Result
from .budgets.filters import Filter as Filter
from .budgets.filters import Odometer as Odometer
from .budgets.ledger import Ledger as Ledger
from .budgets.records import RecordLedger as RecordLedger
from .estimators import PrivateRegressor as PrivateRegressor
from .estimators import PrivateClassifier as PrivateClassifier

# Regressions
from .regressions import JointSSP as JointSSP
from .regressions import SSP as SSP
from .regressions import AdaSSP as AdaSSP
from .regressions import PersonalizedRidge as PersonalizedRidge

# Errors
from .errors import DPFrameError as DPFrameError
from .errors import InvalidArgument as InvalidArgument
from .errors import BadData as BadData
from .errors import Uncertified as Uncertified
from .errors import NotExecutable as NotExecutable
from .errors import BudgetExceeded as BudgetExceeded
from .errors import DataWarning as DataWarning
from .errors import PrivacyWarning as PrivacyWarning

# Namespaces
from . import accountants as accountants
from . import audits as audits
from . import budgets as budgets
from . import errors as errors
from . import experiments as experiments
from . import graph as graph
from . import literature as literature
from . import mechanisms as mechanisms
from . import pld as pld
from . import regressions as regressions

__version__: str
