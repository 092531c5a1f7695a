"""What a retrain would learn from: the labelled sentences of each split, and which others count as not key."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

import db.articles
from annotate.evaluate import SPLITS, NotEnoughGold
from annotate.gold import LabelSet, gold_rows
from model.settings import Negatives, TrainingSettings


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """Sentences and their labels, in step."""

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
    sentences: list[str] = []
    labels: list[int] = []
    weak: list[str] = []
    for article_id in article_ids:
        given = label_set.labels[article_id]
        for sentence in db.articles.sentences(session, [article_id]):
            if sentence.position in given or article_id in label_set.read:
                sentences.append(sentence.text)
                labels.append(given.get(sentence.position, 0))
            else:
                weak.append(sentence.text)
    if settings.negatives is Negatives.UNLABELLED and weak:
        room = max(0, settings.negatives_per_key * sum(labels) - labels.count(0))
        chosen = sorted(generator.permutation(len(weak))[:room])
        sentences += [weak[i] for i in chosen]
        labels += [0] * len(chosen)
    counts = Counter(labels)
    if not counts[0] or not counts[1]:
        missing = (
            "key sentence" if not counts[1] else "sentence that is not key (reject some, or read an article in full)"
        )
        raise NotEnoughGold(f"the {split} split has no {missing} yet")
    return TrainingSet(sentences, labels)


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
    """Gold rows by origin: proposed, added, imported."""
    return dict(Counter(row.origin for row in gold_rows(session)))
