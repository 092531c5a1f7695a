"""What a sentence does: its role, and a vector in which sentences of the same function lie together.

In: the sentences of an article with the part that each stands in. Out: probabilities of five roles, vectors, and how
good both are; arrays in files.
"""
