"""What a retrain would learn from: the labelled sentences of each split, and which others count as not key."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.verdicts
from annotate.evaluate import SPLITS, NotEnoughGold
from annotate.gold import LabelSet
from annotate.labels import labels_of, terms_of
from model.query import query_for
from model.settings import Negatives, TrainingSettings


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """Queries, sentences and labels, in step."""

    queries: Sequence[str]
    sentences: Sequence[str]
    labels: Sequence[int]

    @property
    def counts(self) -> dict[str, int]:
        """How many of each class."""
        return {"key": sum(self.labels), "not_key": len(self.labels) - sum(self.labels)}


def training_set(session: Session, label_set: LabelSet, settings: TrainingSettings, split: str) -> TrainingSet:
    """The pairs of one split, chosen by the settings with their seed. Raises NotEnoughGold for a missing class.

    An unlabelled sentence is a negative where the article was read in full; of other articles with labels it is a
    weak one, taken only by Negatives.UNLABELLED, at most `negatives_per_key` for each key sentence.
    """
    splits = db.articles.splits(session, list(label_set.labels))
    article_ids = sorted(article_id for article_id in label_set.labels if splits[article_id] == split)
    generator = np.random.default_rng(settings.seed)
    document_labels = labels_of(session, article_ids)
    pairs: list[tuple[str, str, int]] = []
    weak: list[tuple[str, str, int]] = []
    for article_id in article_ids:
        given = label_set.labels[article_id]
        query = query_for(terms_of(document_labels[article_id]), own_query=settings.query)
        for sentence in db.articles.sentences(session, [article_id]):
            reviewed = sentence.position in given or article_id in label_set.read
            (pairs if reviewed else weak).append((query, sentence.text, given.get(sentence.position, 0)))
    counts = Counter(label for _, _, label in pairs)
    if settings.negatives is Negatives.UNLABELLED:
        room = max(0, settings.negatives_per_key * counts[1] - counts[0])
        chosen = sorted(generator.permutation(len(weak))[:room])
        pairs += [weak[i] for i in chosen]
        counts[0] += len(chosen)
    if not counts[0] or not counts[1]:
        missing = (
            "key sentence" if not counts[1] else "sentence that is not key (reject some, or read an article in full)"
        )
        raise NotEnoughGold(f"the {split} split has no {missing} yet")
    queries, sentences, labels = zip(*pairs, strict=True)
    return TrainingSet(queries, sentences, labels)


def label_table(session: Session, label_set: LabelSet) -> list[dict[str, Any]]:
    """Articles, key sentences, other labels and articles read in full, by split: what the page shows."""
    splits = db.articles.splits(session, [*label_set.labels, *label_set.read])
    rows = []
    for split in SPLITS:
        labels = [given for article_id, given in label_set.labels.items() if splits[article_id] == split]
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


def origin_counts(session: Session) -> dict[str, int]:
    """Labelled sentences by origin: proposed, added, imported."""
    return db.verdicts.count_by_origin(session)
