"""Rows and columns; statistics with their sensitivity rules; releases, post-processing; the graph
they make.
"""

from .columns import Column as ColumnNode
from .declaration import Regression
from .graph import Graph
from .joint import Joint
from .joint_noise import jointly
from .node import DataNode, Node, path
from .post import Post, post
from .release import Release, is_public, release, still
from .rows import Rows as RowsNode
from .schema import Categorical, Column, Numeric, Rows, Setting

__all__ = [
    "Categorical",
    "Column",
    "ColumnNode",
    "DataNode",
    "Graph",
    "Joint",
    "Node",
    "Numeric",
    "Post",
    "Regression",
    "Release",
    "Rows",
    "RowsNode",
    "Setting",
    "is_public",
    "jointly",
    "path",
    "post",
    "release",
    "still",
]
