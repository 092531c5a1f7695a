"""Who may see others' verdicts: an article that several judge is shown to its experts once all of them are done.

In: all that happened to articles, and who looks. Out: a `Sight`, which every page, route and command that shows words
of others asks for, and the verdicts that were not blind.
"""
