"""The services: each moves a piece of data one stage forward, from a file to the gold and to a better model.

Article, sentences, proposals, verdicts, gold, training, version, evaluation: a package for each, in one order that
`make lint` holds (pyproject.toml, "annotate goes one way"). The only room that knows both db and model.
"""
