"""Sentences of the project's articles, on which encoders are timed and probed."""

import db.articles
from annotate.project.home import read

ARTICLES = 60
MOST = 600


def project_sentences() -> list[str]:
    """Sentences of the first articles with text, in reading order, no sentence twice; none in an empty project."""
    with read() as session:
        article_ids = sorted(db.articles.keys_and_splits(session))[:ARTICLES]
        found = [sentence.text for sentence in db.articles.sentences(session, article_ids)]
    # Neither headings nor tables that lost their lines.
    return [text for text in dict.fromkeys(found) if 40 <= len(text) <= 400][:MOST]
