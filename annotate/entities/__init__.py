"""Vocabularies, corpora and taggers of entities; entities recognised in stored articles, and labels proposed from them.

In: official files of names, labelled corpora, article ids. Out: vocabularies and taggers in the data folder, candidates
and proposed labels in the database.
"""
