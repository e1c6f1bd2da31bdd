"""Exact arithmetic: rational intervals, and what is computed with them."""
