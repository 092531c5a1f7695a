"""A large language model asked what each sentence of an article is worth: off until a maintainer has agreed to it.

In: the topic and articles. Out: a score for each sentence, kept in the data folder, and what they cost. It never writes
a verdict.
"""
