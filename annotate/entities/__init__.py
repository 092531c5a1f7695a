"""Vocabularies, corpora and taggers of entities; what is recognised in stored articles, and labels proposed from it.

In: official files of names, labelled corpora, article ids. Out: vocabularies and taggers in the data folder, candidates
and proposed labels in the database.
"""
