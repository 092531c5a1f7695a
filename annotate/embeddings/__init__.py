"""Where the embeddings of sentences are kept: in the database, and those of a large project in files beside it.

In: vectors of articles under a version. Out: the same.
"""
