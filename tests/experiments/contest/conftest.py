"""Lets the tests here import small worlds and made-up records."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent)]
