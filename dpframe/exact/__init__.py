"""Exact arithmetic: rational intervals, polynomials, formulas over declared symbols."""
