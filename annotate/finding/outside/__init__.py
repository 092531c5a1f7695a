"""Articles that are not here yet: a question in the words of Europe PMC, and what it finds; nothing is imported.

In: a question, a query as people type it for PubMed, or PMIDs. Out: documents to rank; what to import.
"""
