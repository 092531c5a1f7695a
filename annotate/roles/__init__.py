"""What each sentence of an article does: trained, read once an article is in, shown, and learnt from examples.

In: labelled abstracts, article ids, what people say of sentences. Out: a model in the data folder; roles and vectors of
sentences, and the team's own functions, in the database.
"""
