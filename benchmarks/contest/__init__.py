"""The contest: private regressions on the same worlds, folds and claims. NOTHING HERE IS PRIVATE:
noise is simulated, and the table is read again and again.
"""
