"""Where vectors are kept: of stored sentences in the database or in files, of any other text in files.

In: vectors of articles under a version, texts and what encodes them. Out: their vectors.
"""
