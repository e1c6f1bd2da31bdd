from .filters import Filter as Filter
from .filters import Odometer as Odometer
from .ledger import Ledger as Ledger
from .records import GroupReport as GroupReport
from .records import IndividualFilter as IndividualFilter
from .records import RecordLedger as RecordLedger
from .records import gaussian_cost as gaussian_cost
from .records import row_norms as row_norms
