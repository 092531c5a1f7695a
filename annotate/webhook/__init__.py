"""Events told to an address that an admin has named: each at least once and in order, signed, without article text.

In: rows that were stored. Out: POST requests, and how they went.
"""
