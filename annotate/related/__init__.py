"""Articles that belong to an article: by who cites whom, by meaning, by words, by what both name.

In: stored articles with their reference lists, a text, or a BibTeX file. Out: links, and suggestions with reasons.
Torch is imported late, to train.
"""
