"""What a retrain would learn from: the articles of each split with the label of every sentence."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.review.verdicts
from annotate.articles.document_labels import Labels, labels_of, terms_of
from annotate.evaluation.evaluate_version import NotEnoughGold
from annotate.gold.label_sets import LabelSet
from annotate.topics.project_topic import topic_now
from db.articles import SPLITS
from db.tables import ModelVersion
from db.values import Split
from model.labelled import KEY, NOT_KEY, UNLABELLED, LabelledArticle
from model.proposing.query import named_query, query_for
from model.proposing.rules import Rules
from model.training.pairs import candidates, table_of
from model.training.settings import PRESETS, TrainingSettings, preset_for

BATCH_ARTICLES = 500


def labelled_articles(
    session: Session, label_set: LabelSet, split: str, query: str | None = None, rules: Rules | None = None
) -> list[LabelledArticle]:
    """The articles of a split that have labels, by id, each with this query or, for None, its own; a query of the
    topic may be given by its name. The rules of the topic are by default the project's.

    An unlabelled sentence is not key where somebody read the article in full, and unlabelled elsewhere. Articles of
    which nothing but picked sentences was judged are in the train split alone: they teach, and nothing is measured on
    them.
    """
    splits = db.articles.splits(session, list(label_set.labels))
    article_ids = sorted(_counted(label_set, splits, split))
    document_labels = labels_of(session, article_ids)
    rules = rules or topic_now(session).rules
    asked = named_query(rules, query)
    texts: dict[int, list[str]] = {article_id: [] for article_id in article_ids}
    for sentence in db.articles.sentences(session, article_ids):
        texts[sentence.article_id].append(sentence.text)
    articles = []
    for article_id in article_ids:
        given = label_set.labels[article_id]
        others = NOT_KEY if article_id in label_set.read else UNLABELLED
        articles.append(
            LabelledArticle(
                key=str(article_id),
                query=query_for(rules, terms_of(document_labels[article_id]), own_query=asked),
                sentences=texts[article_id],
                labels=[given.get(position, others) for position in range(len(texts[article_id]))],
            )
        )
    return articles


def _counted(label_set: LabelSet, splits: Mapping[int, str], split: str) -> list[int]:
    picked = label_set.picked if split != Split.TRAIN else ()
    return [number for number in label_set.labels if splits[number] == split and number not in picked]


def label_counts(articles: Sequence[LabelledArticle]) -> dict[str, int]:
    """How many sentences of each kind training may take.

    Raises NotEnoughGold unless there are key sentences and others.
    """
    table = table_of(articles)
    labels = table.labels[candidates(table)] if articles else np.zeros(0)
    names = {KEY: "key", NOT_KEY: "not_key", UNLABELLED: "unlabelled"}
    found = Counter(names[int(label)] for label in labels)
    counts = {name: found[name] for name in names.values()}
    _demand_both(counts["key"], counts["not_key"] + counts["unlabelled"])
    return counts


def check_trainable(session: Session, label_set: LabelSet) -> None:
    """Raises NotEnoughGold where `label_counts` of the train split would; reads no text."""
    splits = db.articles.splits(session, list(label_set.labels))
    given = {article: labels for article, labels in label_set.labels.items() if splits[article] == Split.TRAIN}
    with_key = {article for article, labels in given.items() if KEY in labels.values()}
    # Articles whose sentences without label count as not key.
    _demand_both(
        len(with_key),
        any(NOT_KEY in labels.values() for labels in given.values())
        or any(
            lengths > len(given[article])
            for article, lengths in _lengths(session, (label_set.read | with_key) & given.keys())
        ),
    )


def _lengths(session: Session, article_ids: Iterable[int]) -> Iterator[tuple[int, int]]:
    """(article id, sentences), a batch a query."""
    ordered = sorted(article_ids)
    for start in range(0, len(ordered), BATCH_ARTICLES):
        yield from db.articles.sentence_counts(session, ordered[start : start + BATCH_ARTICLES]).items()


def _demand_both(key: int, others: int) -> None:
    if not key or not others:
        missing = "sentence that is not key (reject some, or read an article in full)" if key else "key sentence"
        raise NotEnoughGold(f"the train split has no {missing} yet")


def key_sentences(session: Session, label_set: LabelSet, split: str = Split.TRAIN) -> int:
    """How many labelled key sentences a split has: what the choice of a preset depends on."""
    splits = db.articles.splits(session, list(label_set.labels))
    return sum(sum(given.values()) for article, given in label_set.labels.items() if splits[article] == split)


def usual_settings(session: Session, label_set: LabelSet, parent: ModelVersion) -> TrainingSettings:
    """The settings where none were chosen: the preset that suits this number of key sentences.

    A parent that learnt a query of its own goes on with it.
    """
    preset = PRESETS[preset_for(key_sentences(session, label_set))]
    return replace(preset, query=parent.query) if parent.query else preset


def label_marks(session: Session, label_set: LabelSet) -> dict[str, int]:
    """What tells this label set from later ones: its last verdict, its last reading, its articles with document labels.

    A training keeps it with its job; the label set of that moment can be read again by the first two.
    """
    described = labels_of(session, list(label_set.labels))
    return {
        **db.review.verdicts.last_events(session),
        "described_articles": sum(labels != Labels() for labels in described.values()),
    }


def label_table(session: Session, label_set: LabelSet) -> list[dict[str, Any]]:
    """Articles, key sentences, other labels and articles read in full, by split, as `labelled_articles` takes them."""
    splits = db.articles.splits(session, [*label_set.labels, *label_set.read])
    rows = []
    for split in SPLITS:
        labels = [label_set.labels[article_id] for article_id in _counted(label_set, splits, split)]
        rows.append(
            {
                "split": split,
                "articles": len(labels),
                "key": sum(sum(given.values()) for given in labels),
                "not_key": sum(len(given) - sum(given.values()) for given in labels),
                "read_in_full": sum(splits[article_id] == split for article_id in label_set.read),
            }
        )
    return rows
