"""What each sentence of an article does: trained, read once an article is in, shown, and learnt from examples.

In: labelled abstracts, article ids, what people say of sentences. Out: a model in the data folder; roles and vectors of
sentences, and the team's own functions, in the database. Imports articles, project, db and model; the modules that
say "Imports torch" are for jobs and commands.
"""
