"""Verdicts as further examples of a topic by examples: kept in the database, so that all processes learn alike."""

from collections import defaultdict
from collections.abc import Collection

from sqlalchemy.orm import Session

import db.articles
import db.registry
import db.review.verdicts
import db.rows
from annotate.active_learning.article_features import store_features
from annotate.active_learning.heads import by_lot
from annotate.gold.label_sets import KEY, judged
from annotate.project.acting import current_actor
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.examples import taught_row
from annotate.topics.project_topic import earlier_topics, topic_now
from db import tables
from db.values import TAUGHT, Split

FEWEST = 5  # judged sentences
MOST = 200  # articles, by lot: a fit takes a second or two
# The share of new verdicts from which an article that is shown is ranked by them, too: the more there are, the longer a
# fit takes and the less it changes.
NEW = 0.25


def teach_when_shown(article_ids: Collection[int]) -> list[int]:
    """Lets the verdicts of now teach, where NEW of them came since the last time, and ranks the rows of these articles
    by it; returns the articles whose rows are new.

    The rows of other articles wait until they are shown, or for the propose job.
    """
    with read() as session:
        topic, version = topic_now(session), db.registry.encoder_in_use(session)
        if version is None or not topic.rules.examples.weight:
            return []
        given, row = _given(session, _first_verdict(session, topic.name)), taught_row(session)
        before = row.content.get("verdicts", 0) if row else 0
    if given >= FEWEST and given >= (1 + NEW) * before:
        teach_examples()
    return store_features(version, article_ids=sorted(article_ids))


def teach_examples() -> bool:
    """Lets the judged sentences of now teach what the topic's examples began; whether they are others than before.

    Never sentences of test articles, nor what was judged under a topic of another name. Nothing changes where the
    topic's examples weigh nothing.
    """
    with read() as session:
        topic = topic_now(session)
        if not topic.rules.examples.weight:
            return False
        first_verdict = _first_verdict(session, topic.name)
        labels, given = _labels(session, first_verdict), _given(session, first_verdict)
        row = taught_row(session)
        if labels == (row.content["labels"] if row else {}):
            return False
    with write(Right.SYSTEM) as session:
        content = {"topic": topic.name, "labels": labels, "verdicts": given}
        db.rows.add(session, tables.Setting(name=TAUGHT, content=content, changed_by=current_actor().name))
    return True


def _first_verdict(session: Session, name: str) -> int:
    """The last verdict from before the topic of this name was chosen, or what it was changed from."""
    since = ""
    for row in earlier_topics(session):
        if row.name != name:
            break
        since = row.created_at
    return db.review.verdicts.last_events(session, until=since)["until_verdict"]


def _given(session: Session, after: int) -> int:
    """How many verdicts were given after this one."""
    return db.review.verdicts.last_events(session)["until_verdict"] - after


def _labels(session: Session, after: int) -> dict[str, dict[str, int]]:
    """1 or 0 by article and position, as JSON has them: of what was judged after this verdict; none if too few."""
    found: dict[int, dict[str, int]] = defaultdict(dict)
    for one in judged(session):
        if one.label in KEY and any(row.id > after for row in one.given):
            found[one.article_id][str(one.position)] = KEY[one.label]
    splits = db.articles.splits(session, [*found])
    chosen = by_lot([number for number in found if splits[number] != Split.TEST], MOST)
    labels = {str(number): found[number] for number in chosen}
    return labels if sum(map(len, labels.values())) >= FEWEST else {}
