"""A team: accounts and logins, how far annotators agree, what is decided where they do not, and the history.

In: passwords, claims of an identity provider, verdicts. Out: actors, coefficients, decisions, events to read.
"""
