"""Sentences that a version in 8 bits encodes by its whole weights: those nearest to the query that an article has now.

They are chosen as an article is embedded. Where its document labels are confirmed later it has another query, by which
other sentences come first: these are encoded again before anything is proposed by it. Whether that is to be done shows
in the article's current proposals, which name their version and query.
"""

from collections.abc import Callable, Collection, Sequence

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.proposing.proposals
from annotate.embeddings.keeping import keeping
from annotate.embeddings.stored import embeddings_of
from annotate.project.home import read
from annotate.proposing.prompts import query_key
from annotate.proposing.propose import article_batches, queries_of
from db.tables import ModelVersion
from model.files import INT8_FILE
from model.proposing.first_again import WHOLE_BELOW, first_of

BATCH_ARTICLES = 50


def asked_otherwise(session: Session, version: ModelVersion, article_ids: Sequence[int]) -> dict[int, str]:
    """The query of each of these articles whose current proposals are of another query or version, by article.

    Empty for a version that is not in 8 bits; without articles that are encoded by the whole weights alone.
    """
    if INT8_FILE not in version.manifest:
        return {}
    lengths = db.articles.sentence_counts(session, article_ids)
    queries = queries_of(session, version, [number for number in article_ids if lengths[number] >= WHOLE_BELOW])
    current = db.proposing.proposals.current_sets(session, list(queries))
    known = {number: found.query for number, found in current.items() if found.version_id == version.id}
    return {number: query for number, query in queries.items() if known.get(number) != query}


def renew_first(
    version: ModelVersion,
    encode: Callable[[Sequence[str]], np.ndarray],
    article_ids: Sequence[int] | None,
    *,
    but: Collection[int] = (),
    cancelled: Callable[[], bool] = lambda: False,
) -> None:
    """Encodes the first sentences of these articles, or all, again where they are asked otherwise; `but` are left out.

    `encode` gives vectors by the version's whole weights.
    """
    if INT8_FILE not in version.manifest:
        return
    with keeping(version.id) as keeper:
        for batch in article_batches(article_ids, BATCH_ARTICLES):
            if cancelled():
                return
            vectors, texts = _first(version, [number for number in batch if number not in but])
            if texts:
                again = dict(zip(texts, encode(list(texts.values())), strict=True))
                for (number, position), vector in again.items():
                    vectors[number][position] = vector
                keeper.add({number: own.astype(np.float16) for number, own in vectors.items()})


def _first(
    version: ModelVersion, article_ids: Sequence[int]
) -> tuple[dict[int, np.ndarray], dict[tuple[int, int], str]]:
    """(the stored vectors of those that are asked otherwise, the texts of their first sentences by article and place);
    what waits to be embedded is left out."""
    with read() as session:
        queries = asked_otherwise(session, version, article_ids)
        keys = {number: query_key(version, query) for number, query in queries.items()}
        asked = db.proposing.proposals.query_vectors(session, version.id, [*set(keys.values())])
        vectors = embeddings_of(session, version.id, [number for number, key in keys.items() if key in asked])
        sentences: dict[int, list[str]] = {number: [] for number in vectors}
        for sentence in db.articles.sentences(session, list(vectors)):
            sentences[sentence.article_id].append(sentence.text)
    texts: dict[tuple[int, int], str] = {}
    for number, own in vectors.items():
        query = np.frombuffer(asked[keys[number]], dtype=np.float32)
        texts |= {(number, position): sentences[number][position] for position in first_of(own, query)}
    return vectors, texts
