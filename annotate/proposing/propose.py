"""Proposals: the top k sentences of each article, ranked from stored embeddings in milliseconds, without torch."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

import numpy as np
from sqlalchemy.orm import Session

import db.active_learning.heads
import db.articles
import db.proposing
from annotate.articles.document_labels import Labels, labels_of, terms_of
from annotate.embeddings.stored_vectors import embeddings_of
from annotate.engines.engine import HERE, Engine
from annotate.project.home import read
from annotate.proposing.encoder_versions import proposing_version
from annotate.proposing.examples import all_embedded, likeness
from annotate.proposing.llm_ranking import NotAnswered, all_answered, answers_of, any_answers, by_article
from annotate.proposing.queries import cosine_weight_of, queries_of, stacked, vectors_by_query
from annotate.proposing.roles import roles_of
from annotate.proposing.scoring import Batch, Candidates, Ranked, Scoring, ranked_by
from annotate.proposing.storing import Shown, all_shown, store_changed
from annotate.proposing.wanted import wanted_of
from annotate.topics.project_topic import topic_now
from db.articles import SentenceText
from db.tables import ModelVersion, Ranker
from model.active_learning.common import with_common
from model.active_learning.learned import LearnedRanker
from model.proposing.query import nearest_query
from model.proposing.ranking import Pool, Ranking
from model.proposing.rules import Rules

DEFAULT_K = 5
BATCH_ARTICLES = 50
FIRST_ARTICLES = 5  # of a project without proposals


class NotEmbedded(LookupError):
    """An article or query without stored embedding under this version; the propose job makes it."""


class NoRanker(LookupError):
    """A version without a learned ranking that earned its place; the fixed hybrid is there always."""


def usable_ranker(row: Ranker | None, rules: Rules | None = None) -> LearnedRanker | None:
    """A stored ranker, None where it did not earn its place, knows other features than today's, or was fitted by other
    rules than these: its weights are of other cues."""
    if row is None or not row.metrics["earned"] or (rules and row.metrics.get("rules") != rules.name):
        return None
    try:
        return LearnedRanker.from_dict(row.weights)
    except ValueError:  # of an earlier release; the next propose job fits it again
        return None


def rankings_of(session: Session, version: ModelVersion, article_ids: Collection[int] = ()) -> list[Ranking]:
    """The rankings that this version can give now. The learned one is left out where none earned its place. A language
    model's is left out unless one was asked about each of these articles."""
    rules = topic_now(session).rules
    missing = set()
    if not usable_ranker(db.active_learning.heads.latest_ranker(session, version.id), rules):
        missing.add(Ranking.LEARNED)
    if not (all_answered(session, article_ids) if article_ids else any_answers(session)):
        missing.add(Ranking.LLM)
    return [ranking for ranking in Ranking if ranking not in missing]


def first_to_propose() -> list[int]:
    """The few articles that come before the others where no article holds proposals; none where there are few."""
    with read() as session:
        if db.proposing.count_proposed(session):
            return []
        found = db.proposing.unjudged(session, limit=FIRST_ARTICLES + 1)
    return found[:FIRST_ARTICLES] if len(found) > FIRST_ARTICLES else []


def default_ranking(session: Session, version: ModelVersion) -> Ranking:
    """The learned ranking where cross-validation found it better than the fixed one, else the fixed one.

    That is the topic's, unless cross-validation found another fixed one better than that, its interval above 0.
    """
    rules = topic_now(session).rules
    row = db.active_learning.heads.latest_ranker(session, version.id)
    if usable_ranker(row, rules):
        return Ranking.LEARNED
    found = row.metrics.get("fixed") if row is not None and row.metrics.get("rules") == rules.name else None
    return Ranking(found or rules.ranking)


def pools_of(
    session: Session,
    version: ModelVersion,
    article_ids: Sequence[int],
    *,
    skip: bool = False,
    document_labels: bool = True,
    until: str | None = None,
) -> dict[int, Candidates]:
    """The pools of some articles, to be ranked, with their document labels or as if they had none.

    until: a time (ISO 8601 in UTC); what was taught later does not count. Where an embedding is missing it raises
    NotEmbedded, or may skip.
    """
    labels = labels_of(session, article_ids) if document_labels else dict.fromkeys(article_ids, Labels())
    rules = topic_now(session).rules
    queries = {article_id: queries_of(rules, version, labels[article_id]) for article_id in article_ids}
    vectors = vectors_by_query(session, version, {query for asked in queries.values() for query in asked})
    embeddings = embeddings_of(session, version.id, article_ids)
    if not all_embedded(session, version, rules.examples):
        if skip:
            return {}
        raise NotEmbedded(f"the examples of the topic are not embedded under {version.name}")
    liked = likeness(session, version, rules, until)
    by_article: dict[int, list[SentenceText]] = {article_id: [] for article_id in article_ids}
    for sentence in db.articles.sentences(session, article_ids):
        by_article[sentence.article_id].append(sentence)
    roles = roles_of(session, article_ids)
    found = {}
    for article_id, sentences in by_article.items():
        asked = stacked(queries[article_id], vectors)
        if asked is None or (sentences and article_id not in embeddings):
            if skip:
                continue
            raise NotEmbedded(f"article {article_id} is not embedded under {version.name}")
        own = embeddings[article_id] if sentences else np.zeros((0, asked.shape[1]), dtype=np.float32)
        nearest, cosines = nearest_query(own, asked)
        texts = [s.text for s in sentences]
        pool = Pool(
            sentences=texts,
            cosines=cosines,
            terms=terms_of(labels[article_id]),
            sections=[s.section_kind for s in sentences],
            paragraphs=[s.paragraph_kind for s in sentences],
            titles=[s.section for s in sentences],
            cosine_weight=cosine_weight_of(rules, version, labels[article_id]),
            rules=rules,
            roles=roles.get(article_id),
            like=liked.ranker_for(article_id, texts).log_odds(texts, own) if liked else None,
        )
        # Measured with encoders as they came: a fine-tuned one has learnt what its topic's key sentences are like.
        pool = pool if version.parent_id else with_common(pool)
        found[article_id] = Candidates(sentences, pool, queries[article_id], nearest, own)
    return found


def rank_articles(
    session: Session,
    version: ModelVersion,
    ranking: Ranking,
    article_ids: Sequence[int],
    *,
    document_labels: bool = True,
) -> dict[int, Ranked]:
    """Ranks all sentences of some articles; arguments and errors as of `to_rank`."""
    found = to_rank(session, version, ranking, article_ids, document_labels=document_labels)
    return {article_id: ranked_by(ranking, one) for article_id, one in found.items()}


def to_rank(
    session: Session,
    version: ModelVersion,
    ranking: Ranking,
    article_ids: Sequence[int],
    *,
    skip: bool = False,
    document_labels: bool = True,
) -> dict[int, Candidates]:
    """What this ranking is to score of some articles, with all that it takes; arguments and errors as of `pools_of`.

    Raises NoRanker for the learned ranking of a version that has none. Raises NotAnswered where a language model is to
    rank an article that it was not asked about.
    """
    stored = db.active_learning.heads.latest_ranker(session, version.id) if ranking is Ranking.LEARNED else None
    ranker = usable_ranker(stored, topic_now(session).rules)
    if ranking is Ranking.LEARNED and ranker is None:
        raise NoRanker(f"{version.name} has no learned ranking that beats the fixed hybrid; choose hybrid")
    ready = {}
    pools = pools_of(session, version, article_ids, skip=skip, document_labels=document_labels)
    answers = answers_of(session, list(pools)) if ranking is Ranking.LLM else {}
    for article_id, found in pools.items():
        if ranking is Ranking.LLM and found.sentences and article_id not in answers:
            if skip:
                continue
            raise NotAnswered(f"no language model was asked about article {article_id} as it is now")
        pool = replace(found.pool, ranker=ranker, answered=answers.get(article_id, np.zeros(len(found.sentences))))
        ready[article_id] = replace(found, pool=pool)
    return ready


def propose(
    *,
    version: ModelVersion | None = None,
    ranking: Ranking | None = None,
    k: int = DEFAULT_K,
    article_ids: Sequence[int] | None = None,
    keep_live: Callable[[int], bool] = lambda article_id: False,
    shown: Shown = all_shown,
    engine: Engine = HERE,
    progress: Callable[[int], None] = lambda done: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> int:
    """Proposes again for these articles, or all; returns how many got another proposal set than before.

    Without a ranking it takes the one that `by_article` chooses for each; the sets say which. `k` are proposed; `shown`
    says how many of them are shown at first, all by default. An article that has verdicts shows as many as before, as
    long as its proposals stay the same.

    A set that would equal the current one is not stored again. In the articles that `keep_live` names, a live ranking
    by the same version and query stays. Raises NotEmbedded for one of these articles. In a pass over all, articles that
    came or changed since the embedding are left for the next pass.
    """
    version = version or proposing_version()
    changed = done = 0
    for scored in engine.map(Scoring(k), _to_score(version, ranking, article_ids), cancelled):
        changed += store_changed(version, scored, k, keep_live, shown)
        done += scored.asked
        progress(done)
    return changed


def _to_score(version: ModelVersion, ranking: Ranking | None, article_ids: Sequence[int] | None) -> Iterator[Batch]:
    for batch in article_batches(article_ids, BATCH_ARTICLES):
        with read() as session:
            rankings = by_article(session, version, ranking, default_ranking(session, version), batch)
            found: dict[int, Candidates] = {}
            for each in set(rankings.values()):
                own = [number for number in batch if rankings[number] is each]
                found |= to_rank(session, version, each, own, skip=article_ids is None)
            ready = Batch(len(batch), topic_now(session), rankings, found, wanted_of(session, batch))
        yield ready


def article_batches(
    article_ids: Sequence[int] | None,
    size: int,
    progress: Callable[[int], None] = lambda done: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[Sequence[int]]:
    """The given article ids, or the ids of all articles with sentences, in batches, until it is cancelled; `progress`
    hears how many articles are done."""
    done = last = 0
    while not cancelled():
        if article_ids is not None:
            batch = article_ids[done : done + size]
        else:
            with read() as session:
                batch = db.proposing.articles_after(session, last, limit=size)
        if not batch:
            return
        yield batch
        done, last = done + len(batch), batch[-1]
        progress(done)
