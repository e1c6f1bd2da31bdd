"""The language of declarations: rows, labels, statistics, releases, post-processing, and the graph
of them.
"""

from dpframe.lazily import attach

from .bound import Bound, lower_bound, upper_bound
from .graph import Graph, Regression, origins
from .joint import Joint, jointly
from .known import Known, OfBudgets, known
from .node import DataNode, Node, Reading, path
from .partition import Partition, partition, partition_at
from .post import Iterate, Loop, Post, iterate, loop, points_of, post
from .procedure import Procedure, Sampler, Searcher
from .release import Release, release
from .rows import ColumnNode, RowsNode
from .schema import Categorical, Column, Numeric, Rows, Setting

__getattr__, __dir__, __all__ = attach(__name__)
