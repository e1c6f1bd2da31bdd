"""Maps of rows and labels, one idea a file. Nothing is imported here: statistics read some of them,
others read statistics.
"""
