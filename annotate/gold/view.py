"""What the screen shows of the gold: some rows of a label, the newest comments, and all that happened to a sentence."""

from collections.abc import Sequence
from itertools import islice

from sqlalchemy.orm import Session

import db.gold.judgements
from annotate.gold.label_sets import LiveGold, judged
from annotate.gold.rows import GoldRow, rows_of
from annotate.team.history import Event, Filter, events
from db.articles import SentenceText
from db.team.history import Scope

MOST_EVENTS = 200


def shown_rows(
    session: Session, live: LiveGold, label: str | None, limit: int
) -> tuple[int, list[tuple[int, GoldRow]]]:
    """How many rows have this label (None: any), and the first of them, each behind the id of its sentence; at most
    `limit` articles are read for that."""
    found = [
        (article_id, line.sentence_id)
        for article_id, lines in live.lines.items()
        for line in lines
        if label is None or line.label == label
    ]
    wanted = dict.fromkeys(islice(found, limit))
    in_articles = judged(session, live.basis, {article_id for article_id, _ in wanted})
    sentences = [one for one in in_articles if (one.article_id, one.sentence_id) in wanted]
    rows = rows_of(session, sentences, live.basis)
    return len(found), list(zip((one.sentence_id for one in sentences), rows, strict=True))


def comment_rows(session: Session, limit: int) -> tuple[int, list[dict[str, str]]]:
    """How many comments are current, on sentences with or without a verdict and on articles; the newest of them."""
    count, found = db.gold.judgements.remarks(session, limit=limit)
    texts = db.gold.judgements.texts(session, [row.sentence_id for row in found if row.sentence_id is not None])
    return count, [
        {
            "annotator": row.name,
            "comment": row.text,
            "sentence": "(the article)" if row.sentence_id is None else texts[row.sentence_id].text,
            "title": row.title,
        }
        for row in found
    ]


def about_sentence(session: Session, sentence_id: int) -> tuple[SentenceText, str, Sequence[Event]]:
    """A sentence, the title of its article, and what everybody said about it, newest first; without the right to see
    that, one's own alone. Raises LookupError for a sentence that is not there."""
    sentence = db.gold.judgements.texts(session, [sentence_id]).get(sentence_id)
    if sentence is None:
        raise LookupError(f"there is no sentence {sentence_id}")
    title = db.gold.judgements.articles(session, [sentence.article_id])[sentence.article_id].title
    scope = Scope(article_id=sentence.article_id, sentence_id=sentence_id)
    return sentence, title, events(session, Filter(scope=scope), MOST_EVENTS).events
