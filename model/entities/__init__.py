"""Genes, cell lines, cell types, organisms and kinds of edit in text, without torch.

In: a text, a lexicon made of vocabularies, and taggers where some were trained. Out: mentions with their offsets and
identifiers, what was edited and how.
"""
