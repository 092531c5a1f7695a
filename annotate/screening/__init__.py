"""Which articles hold any key sentence: learnt from verdicts, calibrated, kept by article. It orders and never hides.

In: title, abstract, the cue score of the sentences, verdicts. Out: a probability by article, or its place.
"""
