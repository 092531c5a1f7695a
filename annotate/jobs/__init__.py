"""Long work in a process of its own, and duties that the app repeats as long as it runs.

In: a kind of job and its payload. Out: a job's row, which tells everybody how far it is and what went wrong. What most
kinds do stands in `annotate/work.py` and `annotate/capabilities`, what is done to many articles in `many_articles.py`.
"""
