"""dpframe: private regressions declared as graphs of mechanisms, proved before they run.

Declare (Regression), certify, execute; audit a budget split; compare noise. Names load on first
use: `import dpframe` loads almost nothing.
"""

from dpframe.lazily import attach

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = attach(__name__, ".graph.ways_out")
