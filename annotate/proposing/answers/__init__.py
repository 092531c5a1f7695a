"""What a language model has said of articles: what it was asked by, and its answers, kept for a ranking.

In: answers of the optional part llm, which asks. Out: the answers about an article as it is now.
"""
