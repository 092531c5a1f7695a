"""What experts do: their verdicts, which article is in whose hands, and how far the review is.

In: events of the review page. Out: verdicts on disk, assignments, the article as the page shows it, `ReviewProgress`.
"""
