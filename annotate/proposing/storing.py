"""Proposal sets: which of them are stored, and how many of their proposals are shown at first."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from sqlalchemy.orm import Session

import db.proposing
import db.review.verdicts
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.queries import as_text
from annotate.proposing.scoring import Chosen, Scored
from annotate.proposing.wanted import raised
from db.tables import ModelVersion, ProposalSet
from db.values import LIVE_RANKING
from model.proposing.ranking import Ranking

# How many proposals some articles show at first, by article; an article that is left out shows all.
Shown = Callable[[Session, Mapping[int, Chosen]], dict[int, int]]


def all_shown(session: Session, chosen: Mapping[int, Chosen]) -> dict[int, int]:
    """Shows all proposals of an article at first."""
    return {}


def store_changed(version: ModelVersion, scored: Scored, k: int, keep_live: Callable[[int], bool], shown: Shown) -> int:
    """Stores the proposal sets that differ from the current ones; returns how many."""
    with read() as session:
        current = db.proposing.current_sets(session, [*scored.chosen])
        at_first = dict.fromkeys(scored.chosen, k) | shown(session, scored.chosen)
        scored = _with_wanted(scored, at_first)
        stay = _unchanged(session, version, scored, at_first, current)
        stay |= {
            article_id
            for article_id, found in current.items()
            if scored.chosen[article_id].ranking is not Ranking.LLM
            and _same_settings(found, version, LIVE_RANKING, scored.chosen[article_id].queries)
            and len(db.proposing.proposals(session, found.id)) == len(scored.chosen[article_id].proposals)
            and keep_live(article_id)
        }
    sets, rows = [], []
    for article_id, one in scored.chosen.items():
        if article_id in stay:
            continue
        values = {"version_id": version.id, "ranking": str(one.ranking), "query": as_text(one.queries)}
        values |= {"article_id": article_id, "k": at_first[article_id], "topic_sha256": scored.topic_sha256}
        sets.append(values)
        rows.append(one.proposals)
    if sets:
        with write(Right.SYSTEM) as session:
            db.proposing.insert_proposals(session, sets, rows)
    return len(sets)


def _with_wanted(scored: Scored, at_first: dict[int, int]) -> Scored:
    """The proposals with the wanted sentences among the ones that are shown at first, whose numbers it raises."""
    chosen = dict(scored.chosen)
    for article_id, one in scored.chosen.items():
        rows, at_first[article_id] = raised(one.proposals, one.wanted, at_first[article_id])
        chosen[article_id] = replace(one, proposals=rows)
    return replace(scored, chosen=chosen)


def _unchanged(
    session: Session,
    version: ModelVersion,
    scored: Scored,
    at_first: Mapping[int, int],
    current: Mapping[int, ProposalSet],
) -> set[int]:
    """The articles whose current set is the one that would be stored, or would but show another number at first to
    somebody who has begun."""
    judged = db.review.verdicts.judged_articles(session, current)
    found = set()
    for article_id, own in current.items():
        one = scored.chosen[article_id]
        if _same_settings(own, version, one.ranking, one.queries) and (
            own.k == at_first[article_id] or article_id in judged
        ):
            rows = [(p.sentence_id, p.rank) for p, _ in db.proposing.proposals(session, own.id)]
            if rows == [(row["sentence_id"], row["rank"]) for row in one.proposals]:
                found.add(article_id)
    return found


def _same_settings(found: ProposalSet, version: ModelVersion, ranking: str, queries: Sequence[str]) -> bool:
    return (found.version_id, found.ranking, found.query) == (version.id, ranking, as_text(queries))
