"""The tables, and one function a query, grouped by the words of `annotate/`. Knows no machine learning.

In: a session first, then ids and values. Out: rows. Functions never commit: the caller owns the transaction.
The only room that writes SQL. `tables` declares all tables, `values` the words that their rows may hold.
"""
