"""Requests to addresses that people have named for the project: where they may lead, and how long they may last.

In: an address and bytes. Out: the answer's status, headers and bytes, or why there is none.
"""
