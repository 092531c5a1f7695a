"""Model versions, their embeddings, and the top k sentences of each article.

In: an encoder or a version, and article ids. Out: registered versions, stored embeddings, proposal sets.
"""
