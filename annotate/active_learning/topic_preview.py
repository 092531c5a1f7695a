"""What a changed topic would propose first, compared with the project's topic, on a few articles; without torch."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

import db.articles
import db.proposing
from annotate.articles.document_labels import labels_of
from annotate.articles.lots import by_lot
from annotate.embeddings.stored_vectors import embeddings_of
from annotate.gold.label_sets import labels_now
from annotate.project.home import read
from annotate.proposing.encoder_versions import proposing_version
from annotate.proposing.examples import Likeness, all_embedded, example_likeness
from annotate.proposing.propose import DEFAULT_K, pools_of
from annotate.proposing.queries import cosine_weight_of, queries_of, stacked, vectors_by_query
from annotate.proposing.scoring import Candidates
from annotate.topics.file import Topic
from annotate.topics.project_topic import topic_now
from db.tables import ModelVersion
from model.active_learning.common import with_common
from model.labelled import KEY
from model.proposing.query import nearest_query
from model.proposing.ranking import Pool, Ranking, top_k
from model.proposing.rules import Rules

ARTICLES = 5
LOOKED_AT = 200  # articles from which the preview's are drawn, in addition to those with labels


@dataclass(frozen=True, slots=True)
class Ranked:
    """One sentence of a list: its text, whether it is a labelled key sentence, whether the other list lacks it."""

    text: str
    is_key: bool
    only_here: bool


@dataclass(frozen=True, slots=True)
class Previewed:
    """One article: its first sentences by the present ranking, and by the changed one. `query_is_new`: its cosine, or
    what its examples mean, is not known yet."""

    article_id: int
    title: str
    now: Sequence[Ranked]
    changed: Sequence[Ranked]
    query_is_new: bool


def preview(topic: Topic) -> list[Previewed]:
    """The first DEFAULT_K sentences of some articles by the fixed rankings of both topics, before anything was learnt.

    The articles are drawn by lot, those with labelled key sentences first, and stay the same. Queries that were
    never embedded are stood in for by the present ones, and of such examples only the words count. Empty where nothing
    has been proposed yet.
    """
    version = proposing_version()
    with read() as session:
        label_set = labels_now(session)
        keys = {
            number: {position for position, label in given.items() if label == KEY}
            for number, given in label_set.labels.items()
        }
        chosen = _chosen(session, version, [number for number, positions in keys.items() if positions])
        pools = pools_of(session, version, chosen, skip=True)
        present, tried = (
            (rules, example_likeness(session, version, rules)) for rules in (topic_now(session).rules, topic.rules)
        )
        found = []
        for number, candidates in pools.items():
            before, _ = _with(session, version, number, candidates, *present)
            pool, is_new = _with(session, version, number, candidates, *tried)
            article = db.articles.article(session, number)
            lists = [_first(before, before.rules), _first(pool, topic.rules)]
            known = keys.get(number, ())
            now, changed = (
                [Ranked(pool.sentences[place], place in known, place not in other) for place in own]
                for own, other in (lists, lists[::-1])
            )
            found.append(Previewed(number, article.title if article else "", now, changed, is_new))
    return found


def _chosen(session: Session, version: ModelVersion, labelled: Sequence[int]) -> list[int]:
    """Drawn by lot, so that people see more than the first or the latest imports."""
    embedded = db.proposing.articles_after(session, 0, limit=LOOKED_AT)
    drawn = [by_lot("preview", given) for given in (labelled, set(embedded) - set(labelled))]
    wanted = [number for given in drawn for number in given][: 4 * ARTICLES]
    there = embeddings_of(session, version.id, wanted)
    return [number for number in wanted if number in there][:ARTICLES]


def _with(
    session: Session,
    version: ModelVersion,
    article_id: int,
    found: Candidates,
    rules: Rules,
    learnt: Likeness | None,
) -> tuple[Pool, bool]:
    """The article's pool under other rules and what their examples teach, and whether one of its queries or of the
    examples waits to be embedded."""
    labels = labels_of(session, [article_id])[article_id]
    queries = queries_of(rules, version, labels)
    asked = stacked(queries, vectors_by_query(session, version, queries))
    cosines = found.pool.cosines if asked is None else nearest_query(found.vectors, asked)[1]
    weight = cosine_weight_of(rules, version, labels)
    texts = found.pool.sentences
    like = learnt.ranker_for(article_id, texts).log_odds(texts, found.vectors) if learnt else None
    is_new = asked is None or not all_embedded(session, version, rules.examples)
    pool = replace(found.pool, rules=rules, cosines=cosines, cosine_weight=weight, like=like, common=None)
    return pool if version.parent_id else with_common(pool), is_new


def _first(pool: Pool, rules: Rules) -> list[int]:
    return top_k(Ranking(rules.ranking).scores(pool), DEFAULT_K)
