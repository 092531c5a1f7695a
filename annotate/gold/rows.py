"""The rows of the gold as it is exported, one a labelled sentence, and the counts that go with them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.curation
import db.gold
import db.review.verdicts
from annotate.articles.document_labels import Labels, labels_of
from annotate.gold.label_sets import LIVE, Basis, Judged, LiveGold, judged, label_set, lines_of, read_in_full
from annotate.review.sentence_labels import SentenceLabels, given_to, named_in
from annotate.review.sentence_roles import function_of, role_of, roles_of_articles
from annotate.team.history import Event, events
from annotate.topics.file import Topic
from annotate.topics.label_columns import FIXED, IDENTIFIERS, identifier_columns, label_columns
from annotate.topics.project_topic import topic_now
from db.articles import SentenceText
from db.base import grouped
from db.team.history import Filter
from db.values import Value
from model.proposing.rules import Rules
from model.sentence_roles import ROLES

# One labelled sentence as it is exported, by column: FIXED, and of the topic's kinds their names and identifiers.
# `label` is 1 (key), 0 (not key), unsure or disputed; `verdicts` are the annotators'; `decided_by` is the adjudicator
# whose decision the label is, if any; `article` is the identifier that every article has. Old snapshots lack the last.
GoldRow = dict[str, Any]
OF_ARTICLE = ("pmid", "pmcid", "doi", "title", "journal", "licence")
NO_ROLE = np.zeros(len(ROLES))


def gold_columns(topic: Topic) -> tuple[str, ...]:
    """The columns of files: the topic's kinds stand before the time, their identifiers before the role."""
    inserted = {"time": label_columns(topic).values(), "role": identifier_columns(topic).values()}
    return tuple(column for name in FIXED for column in (*inserted.get(name, ()), name))


def gold_rows(session: Session, basis: Basis = LIVE) -> list[GoldRow]:
    """All labelled sentences, by article and position."""
    return list(rows_of(session, judged(session, basis), basis))


def rows_of(session: Session, sentences: Iterable[Judged], basis: Basis = LIVE) -> Iterator[GoldRow]:
    """The rows of these sentences in the same order; those without a label have none."""
    labelled = (one for one in sentences if one.label is not None)
    while chunk := list(islice(labelled, db.gold.CHUNK)):
        article_ids = sorted({one.article_id for one in chunk})
        articles = db.articles.articles(session, article_ids)
        texts = db.gold.texts(session, [one.sentence_id for one in chunk])
        labels = labels_of(session, article_ids)
        topic = topic_now(session)
        roles = roles_of_articles(session, article_ids)
        tags = db.curation.tags_of(session, article_ids)
        current = db.review.verdicts.current_comments(session, article_ids, basis.annotator)
        comments = grouped((comment.sentence_id, (name, comment.text)) for comment, name in current)
        readers = grouped(db.review.verdicts.read_in_full(session, article_ids, until=basis.until_reading))
        for one in chunk:
            shown, decision = one.shown, one.decision
            article, sentence = articles[one.article_id], texts[one.sentence_id]
            own_labels, doing = labels[one.article_id], roles.get(one.article_id)
            named = mentioned(one.labelled(topic.rules), sentence.text, own_labels, topic.rules)
            doing = NO_ROLE if doing is None else doing[sentence.position]
            names = {column: named.get(kind, "") for kind, column in label_columns(topic).items()}
            identifiers = {  # those that were confirmed, in the order of the names
                column: ";".join(
                    dict.fromkeys(
                        identifier
                        for name in named.get(kind, "").split(";")
                        for identifier in own_labels.identifiers.get(name, ())
                    )
                )
                for kind, column in identifier_columns(topic).items()
            }
            yield {
                **{name: getattr(article, name) or "" for name in OF_ARTICLE},
                "section": sentence.section,
                "sentence_index": sentence.position,
                "paragraph_start": sentence.start,
                "paragraph_end": sentence.end,
                "sentence": sentence.text,
                "label": one.label or "",
                "origin": shown.origin,
                "rank": "" if shown.rank is None else str(shown.rank),
                "cosine": "" if shown.cosine is None else repr(shown.cosine),
                "ranking": shown.ranking or "",
                "model_version": shown.version or "",
                "annotators": "; ".join(row.name for row in one.given),
                "verdicts": "; ".join(f"{row.name}: {row.value}" for row in one.given),
                "read_in_full_by": "; ".join(
                    name for name in readers.get(one.article_id, ()) if basis.annotator in (None, name)
                ),
                "time": decision.given_at if decision else shown.given_at,
                "comment": comment_cell(comments.get(one.sentence_id, ())),
                "commented_by": "; ".join(name for name, _ in comments.get(one.sentence_id, ())),
                "decided_by": decision.name if decision else "",
                "role": role_of(doing),
                "function": function_of(sentence.text, doing),
                "article": article.key,
                "year": str(article.year or ""),
                "tags": "; ".join(tags.get(one.article_id, ())),
                "article_sentences": str(article.sentence_count),
                **names,
                **identifiers,
            }


def comment_cell(comments: Iterable[tuple[str, str]]) -> str:
    """The comments of a sentence, (name, text) each, as they stand in a row."""
    return "\n".join(f"{name}: {words}" for name, words in comments)


def names_in(row: GoldRow) -> dict[str, str]:
    """The names of the topic's kinds, by column."""
    return {name: value for name, value in row.items() if name not in FIXED and not name.endswith(IDENTIFIERS)}


def mentioned(verdict: Any, text: str, labels: Labels, rules: Rules) -> SentenceLabels:
    """The labels of a row: as given with the verdict, else the document's labels that the sentence names. A choice,
    which is no name, is given to key sentences only."""
    if (given := given_to(verdict, rules)) is not None:
        return given
    named = {kind.key for kind in rules.kinds if kind.naming or verdict.value == Value.ACCEPT}
    return {kind: names for kind, names in named_in(text, labels, rules).items() if kind in named}


def manifest(
    session: Session, rows: Sequence[GoldRow], basis: Basis = LIVE, sha256: str | None = None
) -> dict[str, Any]:
    """Counts that must equal the screen's: rows by label, origin and annotator, and the hash of their label set.

    `read_in_full` holds article key, annotator and number of sentences, of articles without a labelled sentence, too.
    `sha256` is that hash where the caller knows it.
    """
    articles = len({row["article"] for row in rows})
    sha256 = sha256 or label_set(session, lines_of(judged(session, basis)), basis).sha256
    return counts_of(counted_columns(rows), articles) | _of_all(session, basis, sha256)


def live_manifest(session: Session, live: LiveGold) -> dict[str, Any]:
    """The manifest of the gold as of now, without making its rows."""
    lines = [(line.label, line.origin, line.annotators) for given in live.lines.values() for line in given]
    return counts_of(lines, len(live.lines)) | _of_all(session, live.basis, live.label_set.sha256)


def counted_columns(rows: Iterable[GoldRow]) -> list[tuple[str, str, str]]:
    """(label, origin, annotators) of each row."""
    return [(row["label"], row["origin"], row["annotators"]) for row in rows]


def counts_of(rows: Sequence[tuple[str, str, str]], articles: int) -> dict[str, Any]:
    """How many rows there are, of how many articles: in all, and by label, origin and annotator. rows: as
    `counted_columns` has them."""
    labels, origins, groups = (Counter(row[place] for row in rows) for place in range(3))
    annotators: Counter[str] = Counter()
    for names, count in groups.items():
        annotators.update(dict.fromkeys(names.split("; ") if names else (), count))
    return {
        "rows": len(rows),
        "articles": articles,
        "by_label": dict(sorted(labels.items())),
        "by_origin": dict(sorted(origins.items())),
        "by_annotator": dict(sorted(annotators.items())),
    }


def _of_all(session: Session, basis: Basis, sha256: str) -> dict[str, Any]:
    readings = read_in_full(session, basis)
    known = db.articles.keys_and_splits(session)
    counts = db.articles.sentence_counts(session, {article_id for article_id, _ in readings})
    return {
        "read_in_full": [[known[article_id][0], name, counts[article_id]] for article_id, name in readings],
        "label_set_sha256": sha256,
    }


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
    count, found = db.gold.remarks(session, limit=limit)
    texts = db.gold.texts(session, [row.sentence_id for row in found if row.sentence_id is not None])
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
    that, only one's own. Raises LookupError for a sentence that is not there."""
    sentence = db.gold.texts(session, [sentence_id]).get(sentence_id)
    if sentence is None:
        raise LookupError(f"there is no sentence {sentence_id}")
    title = db.articles.articles(session, [sentence.article_id])[sentence.article_id].title
    about = Filter(article_id=sentence.article_id, sentence_id=sentence_id)
    return sentence, title, events(session, about, MOST_EVENTS).events
