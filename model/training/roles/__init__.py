"""The projection that makes function vectors, trained by a metric loss on sentences with known functions.

In: TF-IDF rows and their functions. Out: one array.
"""
