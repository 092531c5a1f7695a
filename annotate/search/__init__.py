"""An index on disk of all that is stored, by article and by sentence, and the language that people ask it in.

In: stored articles, a query as people type it. Out: articles and sentences that hold its words, by BM25.
"""
