"""How the rows of a training go through an encoder: cut into passes, without padding where its type allows, on a GPU
recorded and in bfloat16.

In: token ids of rows. Out: what an encoder takes, and vectors.
"""
