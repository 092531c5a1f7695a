"""Questions and the articles that answer them: facets with their synonyms, stages of ranking, what people said of it.

In: a question by facets, articles stored or from outside. Out: articles in order, each with the reasons why.
"""
