"""The tasks that encoders are compared on: their registry, and how their files are read.

In: folders that the user names, the project's gold. Out: items of texts and labels.
"""
