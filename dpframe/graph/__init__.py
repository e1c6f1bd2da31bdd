"""Rows and columns; statistics with their sensitivity rules; releases, post-processing; the graph
they make.
"""

from .bound import Bound, lower_bound, upper_bound
from .columns import Column as ColumnNode
from .declaration import Regression
from .graph import Graph, origins
from .joint import Joint
from .joint_noise import jointly
from .known import Known, known
from .loop import Iterate, Loop, iterate, loop, points_of
from .node import DataNode, Node, path
from .of_budgets import OfBudgets
from .partition import Partition, partition, partition_at
from .post import Post, post
from .procedure import Procedure, Sampler, Searcher
from .reading import Reading
from .release import Release, release
from .rows import Rows as RowsNode
from .schema import Categorical, Column, Numeric, Rows, Setting

__all__ = [
    "Bound",
    "Categorical",
    "Column",
    "ColumnNode",
    "DataNode",
    "Graph",
    "Iterate",
    "Joint",
    "Known",
    "Loop",
    "Node",
    "Numeric",
    "OfBudgets",
    "Partition",
    "Post",
    "Procedure",
    "Reading",
    "Regression",
    "Release",
    "Rows",
    "RowsNode",
    "Sampler",
    "Searcher",
    "Setting",
    "iterate",
    "jointly",
    "known",
    "loop",
    "lower_bound",
    "origins",
    "partition",
    "partition_at",
    "path",
    "points_of",
    "post",
    "release",
    "upper_bound",
]
