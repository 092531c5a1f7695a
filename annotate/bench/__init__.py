"""Files with labels from outside, on which parts of the product are measured or learn: one reader for all of them.

In: JSON lines and tables, packed by gzip or not, and the fields that a row must have. Out: rows, or a message that
names the file, the line and the reason.
"""
