"""Maps of rows and labels, one topic per file. Nothing is imported here: statistics and maps depend
on each other.
"""
