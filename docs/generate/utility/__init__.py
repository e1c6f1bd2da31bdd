"""Utility theorems of the papers as formulas, each beside what is measured on the papers' worlds,
and counterexamples to those that are false. NOT PRIVATE.

`python -m docs.generate.utility [--quick] [NAME ...]` prints the table. An O is read as one
constant for all worlds: the table says which constants the worlds need, and a statement is called
false where a family of worlds needs any constant.
"""
