"""Learning at once: after each verdict the rest of the article is ranked again, in the app, in numpy."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.curation
import db.proposing
import db.review.assignments
import db.review.verdicts
import db.rows
from annotate.active_learning.article_features import rows_for, store_features
from annotate.active_learning.live_state import Learnt, State, keep_up, renew_base, state_of
from annotate.active_learning.queue import whats_next
from annotate.active_learning.shown import shown_by
from annotate.active_learning.taught_examples import teach_when_shown
from annotate.embeddings.stored_vectors import embeddings_of
from annotate.project.acting import current_actor
from annotate.project.home import read, write
from annotate.project.notes import Noted, note
from annotate.project.rights import Right
from annotate.project.stored_settings import settings_now
from annotate.proposing.encoder_versions import proposing_version
from annotate.proposing.propose import NotEmbedded, propose
from annotate.proposing.queries import vectors_of_text
from annotate.proposing.wanted import wanted_of
from annotate.review.article_view import NoSuchArticle
from annotate.review.assignments import assignment_of, holder_of, sees_proposals
from annotate.review.events import clean_comment
from annotate.review.queue_settings import QueueSettings
from annotate.review.waiting import experts_wanted
from db.tables import ModelVersion, ProposalSet
from db.values import LIVE_RANKING
from model.evaluation.calibration import Platt
from model.proposing.query import nearest_query
from model.proposing.ranking import Ranking, top_k
from model.proposing.shown import by_probability


def rank_now(reviewer: str, article_id: int, places: Mapping[int, int] | None = None) -> dict[str, Any]:
    """Learns from all verdicts of now and ranks the rest of this reviewer's article: JSON-able, for the reader.

    What the reviewer has judged keeps its place, as does what `places` names, rank by position: what is on the screen
    and being looked at, since typing goes on while this ranks. The open places are filled with the best sentences not
    judged. Stored as a new set where that differs from the current one, unless another came meanwhile. Raises
    NoSuchArticle.
    """
    state, scores, changed = _rank(reviewer, article_id, places or {})
    if state:
        renew_base(state)
    ahead = next((row for row in whats_next(reviewer, 2) if row["article_id"] != article_id), None)
    with read() as session:
        visit = _Visit(session, reviewer, article_id)
        return {
            "proposal_set": visit.current.id if visit.current else 0,
            "ranking": visit.current.ranking if visit.current else "",
            "changed": changed,
            "proposals": visit.shown(scores, state.platt if state else None),
            "next": ahead and {"title": ahead["title"], "reason": ahead["reason"]},
        }


def rank_when_opened(reviewer: str, article_id: int) -> bool:
    """Whether the article that this reviewer was handed is shown by another ranking than was stored, since something
    was learnt since. Before any label, and in an article that is not in these hands, nothing changes."""
    if renewed := teach_when_shown([article_id]):
        keep_up(renewed)
    return _rank(reviewer, article_id, {}, opened=True)[-1]


def _rank(
    reviewer: str, article_id: int, places: Mapping[int, int], *, opened: bool = False
) -> tuple[State | None, np.ndarray | None, bool]:
    """(state, scores of the sentences by the head of now where the article may be ranked, whether a set was stored)."""
    with read() as session:
        visit = _Visit(session, reviewer, article_id)
        state = state_of(session)
        here = state is not None and visit.may_rank(state) and (visit.handed or not opened)
        learnt = state.learnt(session, article_id if here else None) if state else None
        scores, k = None, 0
        rows: list[dict[str, Any]] = []
        if state and learnt and here and (learnt.labels or not opened):
            seen = visit.rows(state)
            if seen is not None:
                scores = learnt.head.log_odds(seen)
                rows, k = visit.ranked(scores, places, state.platt if opened else None)
    changed = False
    if rows and state and learnt and visit.current:
        changed = _store(state, learnt, visit.current, rows, k)
    return state, scores, changed


def _store(state: State, learnt: Learnt, current: ProposalSet, rows: Sequence[dict[str, Any]], k: int) -> bool:
    """Stores these rows as the article's proposals, k of them shown at first; False where others came meanwhile."""
    with write(Right.SYSTEM) as session:
        newest = db.proposing.current_set(session, current.article_id)
        if newest is None or newest.id != current.id:
            return False
        head_id = state.head_id(session, learnt)
        names = ("article_id", "version_id", "query", "topic_sha256")
        values = {name: getattr(current, name) for name in names}
        db.proposing.insert_proposals(
            session, [{**values, "k": k, "ranking": LIVE_RANKING, "head_id": head_id}], [rows]
        )
    state.remember(learnt, head_id)
    return True


class _Visit:
    """One reviewer's article and its current proposals, as one snapshot has them."""

    def __init__(self, session: Session, reviewer: str, article_id: int) -> None:
        found = db.articles.article(session, article_id)
        if found is None:
            raise NoSuchArticle(f"there is no article {article_id}")
        self.session, self.article = session, found
        self.annotator_id = db.review.verdicts.find_annotator(session, reviewer) or 0
        self.current = db.proposing.current_set(session, article_id)
        self.proposals = db.proposing.proposals(session, self.current.id) if self.current else []
        self.handed = assignment_of(session, self.annotator_id, article_id) is not None
        self.with_proposals = sees_proposals(session, self.annotator_id, article_id)
        self.wanted = set(wanted_of(session, [article_id]).get(article_id, ()))

    def may_rank(self, state: State) -> bool:
        """Whether the ranking may change under this reviewer's hands: several experts must judge the same sentences,
        and none may learn from the order what another said."""
        settings = settings_now(self.session, QueueSettings)
        return (
            settings.learn_at_once
            and self.with_proposals
            and self.current is not None
            and self.current.ranking != Ranking.LLM  # the rest would lose the order that was found better
            and self.current.version_id == state.version.id
            and self.article.id in state.place
            and experts_wanted(self.article.key, settings) == 1
            and holder_of(self.session, self.article.id, self.annotator_id) is None
            and not others_done(self.session, self.article.id) - {self.annotator_id}
        )

    def rows(self, state: State) -> np.ndarray | None:
        """What the head sees of the article's sentences; None where its text has grown since the propose job."""
        return rows_for(self.session, state.version.id, [self.article.id]).get(self.article.id)

    def ranked(
        self, scores: np.ndarray, places: Mapping[int, int], platt: Platt | None
    ) -> tuple[list[dict[str, Any]], int]:
        """The new proposals as rows, and how many are shown at first; no rows where both are as they were, or where the
        article waits for the propose job.

        How many are shown follows the calibrated probabilities of `platt` until the first verdict, then stays.
        """
        assert self.current is not None
        given = db.review.verdicts.current_verdicts(
            self.session, article_id=self.article.id, annotator=self.annotator_id
        )
        judged = {position for _, _, position in given}
        before = [position for _, position in self.proposals]
        there = {position: rank for position, rank in places.items() if 0 <= position < len(scores)}
        kept = {*judged, *there, *self.wanted}
        order = filled(as_shown(before, there), kept, judged, scores, max(self.current.k, len(before)))
        k = self.current.k
        if platt is not None and not given:
            last = max((rank for rank, position in enumerate(order, 1) if position in self.wanted), default=0)
            k = max(last, by_probability(platt.probability(scores[order])))
        if order == before and k == self.current.k:
            return [], k
        sentences = db.articles.sentence_places(self.session, self.article.id, order)
        cosines = self._cosines(order)
        if cosines is None:
            return [], k
        rows = [
            {
                "rank": rank,
                "sentence_id": sentences[position][0],
                "score": float(scores[position]),
                "cosine": cosines[position],
            }
            for rank, position in enumerate(order, start=1)
        ]
        return rows, k

    def _cosines(self, positions: Collection[int]) -> dict[int, float] | None:
        """The cosines by position; None where the article waits to be embedded again."""
        assert self.current is not None
        version = db.rows.get(self.session, ModelVersion, self.current.version_id)
        assert version is not None
        stored = embeddings_of(self.session, version.id, [self.article.id])
        asked = vectors_of_text(self.session, version, self.current.query)
        if not stored or asked is None:
            return None
        _, cosines = nearest_query(stored[self.article.id], asked)
        return {position: float(cosines[position]) for position in positions}

    def shown(self, scores: np.ndarray | None, platt: Platt | None) -> list[dict[str, Any]]:
        """The current proposals as the reader takes them; none where it is read without."""
        if not self.with_proposals:
            return []
        places = db.articles.sentence_places(
            self.session, self.article.id, [position for _, position in self.proposals]
        )
        return [
            {
                "sentence": position,
                "rank": proposal.rank,
                "cosine": round(proposal.cosine, 4),
                "score": round(proposal.score, 4),
                "probability": None if scores is None or platt is None
                else round(float(platt.probability([scores[position]])[0]), 3),
                "section": places[position][1],
            }
            for proposal, position in self.proposals
        ]  # fmt: skip


def as_shown(before: Sequence[int], places: Mapping[int, int]) -> list[int]:
    """The proposals, with the ones of `places` at their ranks on the screen and the others between in order.

    What is on the screen and was no proposal takes the place of the proposal of its rank.
    """
    at = {rank: position for position, rank in places.items() if 1 <= rank <= len(before)}
    placed = {*at.values()}
    replaced = {before[rank - 1] for rank, position in at.items() if position not in before}
    rest = [position for position in before if position not in placed]
    others = iter(sorted(rest, key=replaced.__contains__))  # those that must give way come last
    return [at[rank] if rank in at else next(others) for rank in range(1, len(before) + 1)]


def filled(
    before: Sequence[int], kept: Collection[int], judged: Collection[int], scores: np.ndarray, k: int
) -> list[int]:
    """The positions of the k proposals: those to be kept at their ranks, the best of the others between them.

    Judged sentences that were no proposals do not become any; fewer than k where there are no more sentences.
    """
    stay = [position if position in kept else None for position in before]
    taken = {*judged, *(position for position in stay if position is not None)}
    best = (position for position in top_k(scores, len(scores)) if position not in taken)
    places = [*stay, *[None] * (k - len(stay))]
    found = [next(best, None) if position is None else position for position in places]
    return [position for position in found if position is not None]


def others_done(session: Session, article_id: int) -> set[int]:
    """The annotators who are done with an article."""
    found = (
        *db.review.assignments.judged_whole(session, [article_id]),
        *db.review.assignments.read_whole(session, [article_id]),
        *db.review.assignments.finished(session, article_id),
    )
    return {annotator_id for _, annotator_id in found}


def propose_sentence(article_id: int, position: int, why: str) -> bool:
    """Has a sentence stand among an article's first proposals from now on, and notes who wants that and why; whether it
    stands there already: where the article has no proposals yet, the propose job puts it there.

    What a person has proposed before is not noted again. Raises NoSuchArticle, and ValueError for a position where the
    article has no sentence.
    """
    why = clean_comment(why)
    with write(Right.QUEUE) as session:
        found = db.articles.article(session, article_id)
        if found is None or not db.curation.is_in(session, article_id):
            raise NoSuchArticle(f"there is no article {article_id}")
        if not 0 <= position < found.sentence_count:
            raise ValueError(f"article {article_id} has no sentence {position}: it has {found.sentence_count}, from 0")
        if current_actor().name not in wanted_of(session, [article_id]).get(article_id, {}).get(position, {}):
            summary = f"proposed sentence {position} as key" + (f": {why}" if why else "")
            note(session, Noted.PROPOSED, summary, article_id=article_id, sentence=position, why=why)
        is_proposed_for = db.proposing.current_set(session, article_id) is not None
    with suppress(NotEmbedded):  # its text has changed since
        if is_proposed_for:
            propose_anew(article_id)
            return True
    return False


def propose_anew(article_id: int) -> None:
    """Proposes again for one article whose document labels changed, and lets the head see them. Raises NotEmbedded."""
    version = proposing_version()
    propose(version=version, article_ids=[article_id], shown=shown_by(version))
    keep_up(store_features(version, article_ids=[article_id]))
