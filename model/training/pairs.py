"""Which sentences a training epoch sees, and in which batches."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from model.labelled import KEY, NOT_KEY, UNLABELLED, LabelledArticle
from model.training.settings import Loss, TrainingSettings

# Sentences are sorted by length within this many batches: hardly any padding, and still a fresh order each epoch.
SORTED_BATCHES = 50
MOST_OF_ARTICLE = 256


@dataclass(frozen=True, slots=True, eq=False)
class SentenceTable:
    """All n sentences of some articles, one after the other.

    `labels`, `article` and `query` have shape (n,): each sentence's label, the number of its article, and the place
    of its query in `queries`, which holds each distinct query once.
    """

    sentences: list[str]
    labels: np.ndarray
    article: np.ndarray
    query: np.ndarray
    queries: list[str]


def table_of(articles: Sequence[LabelledArticle]) -> SentenceTable:
    """The sentences of these articles, in order."""
    queries = {query: number for number, query in enumerate(dict.fromkeys(a.query for a in articles))}
    lengths = np.array([len(article.sentences) for article in articles], dtype=np.intp)
    query_of = np.array([queries[article.query] for article in articles], dtype=np.intp)
    return SentenceTable(
        sentences=[sentence for article in articles for sentence in article.sentences],
        labels=np.array([label for article in articles for label in article.labels], dtype=np.int8),
        article=np.repeat(np.arange(len(articles)), lengths),
        query=np.repeat(query_of, lengths),
        queries=list(queries),
    )


def candidates(table: SentenceTable) -> np.ndarray:
    """Indices of all sentences that some epoch may take.

    Key sentences and reviewed ones, and the unlabelled ones of articles with a key sentence: in others no expert looked
    for one.
    """
    with_key = np.isin(table.article, table.article[table.labels == KEY])
    return np.flatnonzero((table.labels != UNLABELLED) | with_key)


def epoch_batches(
    table: SentenceTable, tokens: Mapping[int, list[int]], settings: TrainingSettings, generator: np.random.Generator
) -> list[np.ndarray]:
    """The batches of one epoch: arrays of indices into the table. `tokens`: the token ids of each index."""
    chosen = epoch_of(table, settings, generator)
    if settings.loss is Loss.LISTWISE:
        chosen = cut_articles(table, chosen, generator)
        batches = batches_by_article(table.article[chosen], settings.batch_size, generator)
    else:
        batches = batches_by_length([len(tokens[i]) for i in chosen.tolist()], settings.batch_size, generator)
    return [chosen[batch] for batch in batches]


def epoch_of(table: SentenceTable, settings: TrainingSettings, generator: np.random.Generator) -> np.ndarray:
    """Indices of the sentences of one epoch: every key sentence, and of each article its share of negatives.

    At most `negatives_per_key` a key sentence (an article without any counts as one), reviewed ones first, then
    unlabelled ones at random.
    """
    usable = candidates(table)
    taken = []
    for own in np.split(usable, np.flatnonzero(np.diff(table.article[usable])) + 1):
        labels = table.labels[own]
        keys, reviewed, weak = own[labels == KEY], own[labels == NOT_KEY], own[labels == UNLABELLED]
        cap = settings.negatives_per_key
        room = len(own) if cap is None else cap * max(1, len(keys))
        reviewed = _draw(reviewed, room, generator)
        taken += [keys, reviewed, _draw(weak, room - len(reviewed), generator)]
    return np.concatenate(taken)


def _draw(indices: np.ndarray, most: int, generator: np.random.Generator) -> np.ndarray:
    return indices if len(indices) <= most else np.sort(generator.permutation(indices)[:most])


def cut_articles(table: SentenceTable, chosen: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """The chosen indices with at most MOST_OF_ARTICLE of an article, its key sentences among them.

    For losses that take an article in one step: a whole full text would not fit into memory.
    """
    taken = []
    for own in np.split(chosen, np.flatnonzero(np.diff(table.article[chosen])) + 1):
        key = table.labels[own] == KEY
        taken += [own[key], _draw(own[~key], max(1, MOST_OF_ARTICLE - int(key.sum())), generator)]
    return np.concatenate(taken)


def batches_by_length(lengths: Sequence[int], size: int, generator: np.random.Generator) -> Iterator[np.ndarray]:
    """Every index once, in batches of like length, in a random order."""
    order = generator.permutation(len(lengths))
    pool = size * SORTED_BATCHES
    batches = []
    for start in range(0, len(order), pool):
        chunk = sorted(order[start : start + pool], key=lambda i: lengths[i])
        batches += [np.array(chunk[i : i + size]) for i in range(0, len(chunk), size)]
    for index in generator.permutation(len(batches)):
        yield batches[index]


def batches_by_article(articles: Sequence[int], size: int, generator: np.random.Generator) -> Iterator[np.ndarray]:
    """Every index once, whole articles together, in a random order; about `size` indices a batch.

    All batches but the last hold the same number of articles, at least one, so that epochs have equal steps.
    """
    order = np.argsort(np.asarray(articles), kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(np.asarray(articles)[order])) + 1)
    number = max(1, round(size * len(groups) / len(order)))
    shuffled = [groups[i] for i in generator.permutation(len(groups))]
    for start in range(0, len(shuffled), number):
        yield np.concatenate(shuffled[start : start + number])
