"""Sentences of the project's articles, on which encoders are timed and probed."""

from collections.abc import Sequence

import db.articles
from annotate.project.home import read

ARTICLES = 60
MOST = 600


def project_sentences() -> list[str]:
    """Sentences of the first articles with text, in reading order, no sentence twice; none in an empty project."""
    with read() as session:
        article_ids = sorted(db.articles.keys_and_splits(session))[:ARTICLES]
        found = [sentence.text for sentence in db.articles.sentences(session, article_ids)]
    return _usual(found)[:MOST]


def _usual(texts: Sequence[str]) -> list[str]:
    """Neither headings nor tables that lost their lines."""
    return [text for text in dict.fromkeys(texts) if 40 <= len(text) <= 400]
