"""Lets the tests here import what the suites share: samples, oracles."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
