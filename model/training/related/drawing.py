"""What a step compares, by places: articles, of each some works that it cites, and as many that it does not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from model.training.related.related_settings import RelatedSettings


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceLists:
    """By article places of the works that it cites, and of works that it does not cite, at least one each."""

    cited: Sequence[np.ndarray]
    hard: Sequence[np.ndarray]
    sets: Sequence[frozenset[int]]

    @classmethod
    def of(cls, cited: Sequence[np.ndarray], hard: Sequence[np.ndarray]) -> "ReferenceLists":
        """The lists of these articles: their cited works and hard negatives, by place."""
        return cls(cited, hard, [frozenset(each.tolist()) for each in cited])


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """`articles`: their places; `works` and `hard`: places, int[m]; `own`: the article of each work, by its number
    among those drawn; `holds`: bool[n, m], which of them cites which work."""

    articles: np.ndarray
    works: np.ndarray
    hard: np.ndarray
    own: np.ndarray
    holds: np.ndarray


def draws(lists: ReferenceLists, settings: RelatedSettings, generator: np.random.Generator) -> Iterator[Drawn]:
    """One epoch: every article once, in an order and with works that are drawn again."""
    order = generator.permutation(len(lists.cited))
    for start in range(0, len(order), settings.articles):
        chosen = order[start : start + settings.articles]
        drawn = [generator.permutation(lists.cited[place])[: settings.cited] for place in chosen]
        against = [generator.choice(lists.hard[place], len(own)) for place, own in zip(chosen, drawn, strict=True)]
        works = np.concatenate(drawn)
        yield Drawn(
            chosen,
            works,
            np.concatenate(against),
            np.repeat(np.arange(len(chosen)), [len(each) for each in drawn]),
            np.array([[place in lists.sets[article] for place in works.tolist()] for article in chosen.tolist()]),
        )
