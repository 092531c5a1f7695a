"""The sentences that a reviewer accepted and rejected, as examples of a topic are picked from them."""

from sqlalchemy.orm import Session

import db.articles
import db.review.verdicts
from db.values import Value

MOST = 10  # of either kind, the latest


def judged_sentences(session: Session, reviewer: str) -> dict[Value, list[str]]:
    """The texts that this reviewer accepted and rejected last, at most MOST of either, the latest first."""
    annotator_id = db.review.verdicts.find_annotator(session, reviewer)
    given = db.review.verdicts.current_verdicts(session, annotator=annotator_id) if annotator_id else ()
    latest = [(verdict.value, (verdict.article_id, position)) for verdict, _, position in reversed(given)]
    last = {one: [place for value, place in latest if value == one][:MOST] for one in (Value.ACCEPT, Value.REJECT)}
    articles = sorted({article_id for places in last.values() for article_id, _ in places})
    texts = {(one.article_id, one.position): one.text for one in db.articles.sentences(session, articles)}
    return {value: [texts[place] for place in places] for value, places in last.items()}
