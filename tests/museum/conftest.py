"""Lets the tests here import what the suites share, the museum and its gates."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path += [str(HERE.parent), str(HERE.parent / "randomness"), str(HERE)]
