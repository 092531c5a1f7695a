"""A team: accounts and logins, how far annotators agree, the decisions where they do not, and the history.

In: passwords, claims of an identity provider, verdicts. Out: actors, coefficients, decisions, events to read.
"""
