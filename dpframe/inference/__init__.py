"""Statistics of released values: estimates and intervals that know the noise. Nothing here reads
data or spends a budget.
"""
