"""The unjudged sentences from which a topic by examples learns, too: of a sample of articles.

The sample is kept in the database, so that all processes learn alike and an import changes no ranking.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.proposing
import db.rows
from annotate.articles.document_labels import Labels
from annotate.articles.lots import by_lot
from annotate.embeddings.stored_vectors import embeddings_of
from annotate.project.acting import current_actor
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.queries import cosine_weight_of, queries_of, stacked, vectors_by_query
from annotate.topics.project_topic import topic_now
from db import tables
from db.tables import ModelVersion
from db.values import SAMPLE, Split
from model.active_learning.self_training import Unlabelled
from model.proposing.query import nearest_query
from model.proposing.ranking import standardised
from model.proposing.rules import Rules

SENTENCES = 2_000  # of the sample: 1,000 rank nearly alike, and more take longer at each fit


def sample_row(session: Session, until: str | None = None) -> tables.Setting | None:
    """{"article_ids": the sample of now, or of that time}; None before one was drawn."""
    return db.rows.find(session, tables.Setting, name=SAMPLE, until=until)


def sample_of(session: Session, version: ModelVersion) -> list[int]:
    """The articles of the sample, and where they have fewer than SENTENCES, further ones by lot: all embedded, none of
    the test split. The lot of an article stays the same."""
    counts = db.proposing.embedded_counts(session, version.id)
    row = sample_row(session)
    found = [number for number in (row.content["article_ids"] if row else ()) if number in counts]
    missing = SENTENCES - sum(counts[number] for number in found)
    if missing > 0:
        drawn = by_lot("unlabelled", counts.keys() - {*found})[:SENTENCES]
        splits = db.articles.splits(session, drawn)
        for number in drawn:
            if missing > 0 and splits[number] != Split.TEST:
                found.append(number)
                missing -= counts[number]
    return found


def keep_sample(version: ModelVersion) -> None:
    """Draws what the sample lacks, and keeps it, where the topic's examples weigh anything."""
    with read() as session:
        if not topic_now(session).rules.examples.weight:
            return
        row, found = sample_row(session), sample_of(session, version)
    if found != (row.content["article_ids"] if row else []):
        with write(Right.SYSTEM) as session:
            content = {"article_ids": found}
            db.rows.add(session, tables.Setting(name=SAMPLE, content=content, changed_by=current_actor().name))


def unlabelled_of(
    session: Session,
    version: ModelVersion,
    rules: Rules,
    article_ids: Sequence[int],
    judged: Mapping[int, Collection[int]],
) -> Unlabelled:
    """The sentences of these articles but for the judged positions, as the hybrid of the topic ranks them."""
    embedded = embeddings_of(session, version.id, article_ids)
    queries = queries_of(rules, version, Labels())
    asked = stacked(queries, vectors_by_query(session, version, queries))
    weight = cosine_weight_of(rules, version, Labels()) / rules.examples.weight
    texts: dict[int, list[str]] = defaultdict(list)
    for one in db.articles.sentences(session, [*embedded]):
        texts[one.article_id].append(one.text)
    found, vectors, other = list[str](), list[np.ndarray](), list[np.ndarray]()
    for number, own in texts.items():
        cosines = np.zeros(len(own)) if asked is None else nearest_query(embedded[number], asked)[1]
        kept = [position for position in range(len(own)) if position not in judged.get(number, ())]
        found += [own[position] for position in kept]
        vectors.append(embedded[number][kept])
        other.append(weight * standardised(cosines)[kept])
    return Unlabelled(
        found, np.concatenate(vectors) if vectors else None, np.concatenate(other) if other else np.zeros(0)
    )
