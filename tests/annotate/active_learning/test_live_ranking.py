"""Learning at once: the rest of the article is ranked anew after each verdict, and only where that is allowed."""

from dataclasses import replace

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

import annotate.active_learning.live_ranking
import annotate.active_learning.live_state
import db.proposing
from annotate.active_learning.article_features import rows_for
from annotate.active_learning.article_rankers import why
from annotate.active_learning.heads import store_base
from annotate.active_learning.live_ranking import as_shown, filled, propose_anew, rank_now, rank_when_opened
from annotate.active_learning.live_state import forget, state_of
from annotate.active_learning.queue import hand_out
from annotate.articles.document_labels import labels_of
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.project.stored_settings import change_settings
from annotate.proposing.propose import propose
from annotate.proposing.queries import queries_of
from annotate.review.article_view import NoSuchArticle, reading_view
from annotate.review.assignments import finish_or_leave, take
from annotate.review.queue_settings import QueueSettings
from annotate.review.waiting import experts_wanted
from db.tables import Head
from tests.support.copies import ran
from tests.support.labels import gene_labels, set_labels
from tests.support.live_world import GENERIC, RANDOM_NEVER, TEXT, held_by_anna, judge_all, live_world, log_odds
from tests.support.making import (
    contents,
    judge,
    log_odds_of_stored,
    paper,
    propose_with,
    query,
    reading,
    store,
    verdict,
    version_without_weights,
)
from tests.support.topics import RULES


@pytest.fixture
def version(home):
    """The world of tests/support/live_world.py."""
    yield live_world()
    forget()


def positions(answer) -> list[int]:
    return [proposal["sentence"] for proposal in answer["proposals"]]


def stored(article_id: int) -> list[tuple[int, int, float]]:
    return query(
        "SELECT rank, position, p.score FROM proposal p JOIN sentence s ON s.id = p.sentence_id WHERE set_id = "
        "(SELECT max(id) FROM proposal_set WHERE article_id = :article) ORDER BY rank",
        article=article_id,
    )


def test_a_verdict_lifts_or_lowers_what_is_like_it(version):
    article_id = held_by_anna()
    before = log_odds(article_id)
    judge("Anna", article_id, verdict(2, "reject"))
    after = log_odds(article_id)
    assert (after - before)[[5, 7]].max() < 0
    assert (after - before)[[5, 7]].mean() < (after - before)[[0, 3, 8]].mean()
    judge("Anna", article_id, verdict(2, "accept"))
    assert (log_odds(article_id) - before)[[5, 7]].min() > 0


def test_the_live_set_is_what_was_returned_and_names_the_head_that_ranked_it(version):
    article_id = held_by_anna()
    judge("Anna", article_id, *telling())
    answer = rank_now("Anna", article_id)
    assert (answer["ranking"], answer["changed"]) == ("live", True)
    assert [(p["rank"], p["sentence"]) for p in answer["proposals"]] == [row[:2] for row in stored(article_id)]
    assert [p["score"] for p in answer["proposals"]] == pytest.approx([row[2] for row in stored(article_id)], abs=1e-4)
    view = reading_view(article_id, "Anna")
    for ours, shown in zip(answer["proposals"], view["proposals"], strict=True):
        assert {name: ours[name] for name in shown} == shown
    assert (view["proposal_set"], view["ranking"]) == (answer["proposal_set"], "live")
    with read() as session:
        current = db.proposing.current_set(session, article_id)
        head = session.get(Head, current.head_id)
        rows = rows_for(session, version.id, [article_id])[article_id]
    assert head.counts["article"] == article_id and not head.counts["base"]
    assert (head.counts["key"], head.counts["not_key"], head.until_verdict) == (1, 1, 2)
    assert log_odds_of_stored(head.weights, rows) == pytest.approx(log_odds(article_id), abs=1e-3)


def test_asking_again_stores_nothing_and_open_places_go_to_the_best_by_the_head(version):
    article_id = held_by_anna()
    judge("Anna", article_id, verdict(2, "reject"))
    first = rank_now("Anna", article_id)
    before = contents("proposal_set", "proposal", "fit")
    again = rank_now("Anna", article_id)
    assert again == first | {"changed": False}
    assert contents("proposal_set", "proposal", "fit") == before
    scores = log_odds(article_id)
    free = [p for p in positions(first) if p != 2]
    others = [p for p in np.argsort(-scores, kind="stable").tolist() if p != 2]
    assert free == others[: len(free)]


def test_a_withdrawn_verdict_restores_the_earlier_ranking_exactly(version):
    article_id = held_by_anna()
    judge("Anna", article_id, verdict(1, "accept"))
    earlier = rank_now("Anna", article_id)
    scores = log_odds(article_id)
    for value in ("accept", "reject", "unsure"):
        judge("Anna", article_id, verdict(5, value))
        rank_now("Anna", article_id)
    judge("Anna", article_id, verdict(5, "withdrawn"))
    restored = rank_now("Anna", article_id)
    assert [(p["sentence"], p["rank"]) for p in restored["proposals"]] == [
        (p["sentence"], p["rank"]) for p in earlier["proposals"]
    ]
    assert np.array_equal(log_odds(article_id), scores)


def test_what_is_judged_or_looked_at_keeps_its_place():
    scores = np.array([0.1, 0.9, 0.2, 0.8, 0.3, 0.7])
    assert filled([0, 1, 2], {0}, {0}, scores, 3) == [0, 1, 3]
    assert filled([0, 1, 2], {2}, {2}, scores, 3) == [1, 3, 2]
    assert filled([0, 1, 2], {0, 1, 2}, {0, 1}, scores, 3) == [0, 1, 2]
    assert filled([0], {5}, {5}, scores, 4) == [1, 3, 4, 2]  # 5 was added by the expert: no proposal
    assert filled([0, 1], {0, 1}, {0, 1, 2, 3, 4}, scores, 5) == [0, 1, 5]
    assert filled([], set(), set(), scores[:2], 5) == [1, 0]


def test_a_process_that_starts_anew_ranks_the_same(version):
    article_id = held_by_anna()
    for number in set(range(1, 7)) - {article_id}:
        judge_all("Ben", number, reading())
    judge("Anna", article_id, verdict(0, "reject"))
    running = rank_now("Anna", article_id), log_odds(article_id)
    forget()
    assert rank_now("Anna", article_id) == running[0] | {"changed": False}
    assert np.array_equal(log_odds(article_id), running[1])


def test_a_changed_verdict_of_the_base_is_unlearnt(version):
    judge_all("Anna", 1)
    store_base(version, [])  # as the propose job does: article 1 is of the base now
    with read() as session:
        assert state_of(session).base_ids == {1}
    known = log_odds(8)
    judge("Anna", 1, *(verdict(p, "withdrawn") for p in range(9)))
    unlearnt = log_odds(8)
    with read() as session:
        assert state_of(session).base_ids == frozenset()
    forget()
    assert np.array_equal(log_odds(8), unlearnt) and not np.array_equal(known, unlearnt)
    judge_all("Anna", 1)
    assert log_odds(8) == pytest.approx(known, abs=1e-3)  # learnt on top now: nearly the same


def test_test_articles_teach_nobody_but_themselves(version):
    finish_or_leave("Anna", held_by_anna())
    take("Anna", 7)
    before = {number: log_odds(number) for number in (1, 8)}
    own = log_odds(7)
    judge_all("Anna", 7)
    assert all(np.array_equal(log_odds(number), odds) for number, odds in before.items())
    assert not np.array_equal(log_odds(7), own)
    finish_or_leave("Anna", 7)
    assert all(np.array_equal(log_odds(number), odds) for number, odds in before.items())


def test_an_open_article_teaches_others_by_its_judged_sentences_and_a_finished_one_by_all(version):
    article_id = held_by_anna()
    judge("Anna", article_id, verdict(2, "accept"))
    other = 1 if article_id != 1 else 2
    with read() as session:
        counts = state_of(session).learnt(session, other).counts
        assert counts == {"articles": 1, "key": 1, "not_key": 0, "unlabelled": 0}
    finish_or_leave("Anna", article_id)
    with read() as session:
        counts = state_of(session).learnt(session, other).counts
        assert counts == {"articles": 1, "key": 1, "not_key": 0, "unlabelled": 8}


def telling() -> list[dict]:
    """Verdicts on two like sentences by which numbers make a key sentence."""
    return [verdict(7, "accept"), verdict(6, "reject")]


def unchanged(reviewer: str, article_id: int) -> bool:
    """Whether verdicts that tell numbers from the rest leave the proposals of the article as they were."""
    before = stored(article_id)
    judge(reviewer, article_id, *telling())
    answer = rank_now(reviewer, article_id)
    return not answer["changed"] and stored(article_id) == before


def test_two_experts_of_one_article_judge_the_same_sentences(version):
    article_id = held_by_anna()
    assert not unchanged("Anna", article_id)
    change_settings("Mary", replace(RANDOM_NEVER, double_share=1.0))
    key = query("SELECT key FROM article WHERE id = :id", id=article_id)[0][0]
    assert experts_wanted(key, QueueSettings(double_share=1.0)) == 2
    assert unchanged("Anna", article_id)


def test_an_article_that_somebody_else_holds_or_is_done_with_keeps_its_proposals(version):
    article_id = held_by_anna()
    hand_out("Ben")
    assert unchanged("Ben", article_id)  # who opened it by its address
    judge("Anna", article_id, reading())
    finish_or_leave("Anna", article_id)
    assert unchanged("Ben", article_id)


def test_the_switch_turns_it_off(version):
    change_settings("Mary", replace(RANDOM_NEVER, learn_at_once=False))
    assert unchanged("Anna", held_by_anna())


def test_who_reads_without_proposals_gets_none(version):
    change_settings("Mary", replace(RANDOM_NEVER, blind_share=1.0))
    finish_or_leave("Anna", held_by_anna())
    handed = hand_out("Anna")
    assert not handed.with_proposals
    assert unchanged("Anna", handed.article_id)
    assert rank_now("Anna", handed.article_id)["proposals"] == []


@pytest.mark.postgresql
def test_another_version_or_no_head_leaves_the_proposals(version):
    article_id = held_by_anna()
    propose_with(version_without_weights("newer"))
    assert unchanged("Anna", article_id)
    with read() as session:
        assert state_of(session) is None
    propose_with(version)
    with write(Right.SYSTEM) as session:
        for head in session.query(Head):
            head.weights = {"weights": {"colour": 1.0}, "intercept": 0.0}
    assert unchanged("Anna", article_id)


def test_a_set_that_came_meanwhile_is_not_replaced(version, monkeypatch):
    article_id = held_by_anna()
    judge("Anna", article_id, *telling())
    store = annotate.active_learning.live_ranking._store

    def store_late(*given):
        propose(article_ids=[article_id], k=2)
        return store(*given)

    monkeypatch.setattr(annotate.active_learning.live_ranking, "_store", store_late)
    answer = rank_now("Anna", article_id)
    assert not answer["changed"] and len(answer["proposals"]) == 2 and answer["ranking"] == "hybrid"


def test_document_labels_change_what_the_head_sees_at_once(version):
    article_id = held_by_anna()
    other = next(number for number in range(1, 7) if number != article_id)
    judge_all("Ben", other)
    before = log_odds(article_id)
    with write(Right.SYSTEM) as session:
        set_labels(session, article_id, gene_labels("Known", "", ""))
        db.proposing.store_query_vectors(session, version.id, {GENERIC: np.float32([1, 0]).tobytes()})
    with read() as session:
        (words,) = queries_of(RULES, version, labels_of(session, [article_id])[article_id])
    with write(Right.SYSTEM) as session:
        db.proposing.store_query_vectors(session, version.id, {words: np.float32([1, 0]).tobytes()})
    propose_anew(article_id)
    after = log_odds(article_id)
    assert not np.array_equal(before, after)
    forget()
    assert np.array_equal(log_odds(article_id), after)


def test_a_new_base_is_stored_once_many_articles_came(version, monkeypatch):
    monkeypatch.setattr(annotate.active_learning.live_state, "MOST_RECENT", 2)
    article_id = held_by_anna()
    others = [number for number in range(1, 7) if number != article_id][:3]
    heads = "SELECT count(*) FROM fit WHERE kind = 'head' AND CAST(counts AS TEXT) LIKE '%\"base\": true%'"
    for number in others:
        assert query(heads) == [(1,)]
        judge_all("Ben", number)
        rank_now("Anna", article_id)
    assert query(heads) == [(2,)]
    with read() as session:
        state = state_of(session)
        assert state.base_ids == set(others)
        assert state.learnt(session, article_id).counts["key"] == 9
    running = log_odds(article_id)
    forget()
    assert np.array_equal(log_odds(article_id), running)


def test_the_answer_says_what_is_next(version):
    article_id = held_by_anna()
    judge("Ben", 7, *(verdict(p, "reject") for p in range(9)))
    ahead = rank_now("Anna", article_id)["next"]
    finish_or_leave("Anna", article_id)
    handed = hand_out("Anna")
    title = query("SELECT title FROM article WHERE id = :id", id=handed.article_id)[0][0]
    assert ahead["title"] == title and ahead["reason"].startswith("probably holds ")
    bases = "CAST(counts AS TEXT) LIKE '%\"base\": true%'"
    assert handed.head_id in [row[0] for row in query(f"SELECT id FROM fit WHERE kind = 'head' AND NOT {bases}")]


def test_an_article_that_is_handed_out_is_shown_as_what_was_learnt_ranks_it(version):
    article_id = held_by_anna()
    assert not rank_when_opened("Anna", article_id)  # nothing was learnt yet
    finish_or_leave("Anna", article_id)
    for number in {1, 2, 3} - {article_id}:
        judge_all("Ben", number, reading())
    handed = hand_out("Anna").article_id
    assert not rank_when_opened("Ben", handed)  # who only looks at it
    assert rank_when_opened("Anna", handed)
    assert [position for _, position, _ in stored(handed)] == np.argsort(-log_odds(handed), kind="stable")[:3].tolist()
    assert not rank_when_opened("Anna", handed)


@pytest.mark.postgresql
def test_why_tells_what_lifts_a_live_proposal_by_the_head_that_ranked_it(version):
    article_id = held_by_anna()
    for number in {1, 2, 3} - {article_id}:
        judge_all("Ben", number, reading())
    judge("Anna", article_id, verdict(1, "reject"))
    assert rank_now("Anna", article_id)["changed"]
    with read() as session:
        current = db.proposing.current_set(session, article_id)
        weights = session.get(Head, current.head_id).weights
        rows = rows_for(session, version.id, [article_id])[article_id]
    answer = why(article_id)
    assert answer["ranking"] == "live"
    for _, position, _ in stored(article_id):
        parts = answer["parts"][str(position)]
        lifts = log_odds_of_stored(weights, rows)
        assert sum(points for _, points in parts) == pytest.approx(lifts[position] - lifts.mean(), abs=0.25)
        assert [abs(points) for _, points in parts] == sorted((abs(points) for _, points in parts), reverse=True)
    assert any(what == "numbers and statistics" for parts in answer["parts"].values() for what, _ in parts)


def test_what_is_on_the_screen_keeps_its_place_there(version):
    article_id = held_by_anna()
    judge("Anna", article_id, verdict(1, "reject"))
    found = positions(rank_now("Anna", article_id, {4: 1, 1: 2, 99: 3}))
    assert found[:2] == [4, 1] and len(set(found)) == 3


def test_an_article_that_is_not_there_is_an_error(version):
    with pytest.raises(NoSuchArticle, match="no article 99"):
        rank_now("Anna", 99)


def test_the_page_asks_with_its_token_alone(version):
    from annotate.review.article_view import RANK_ENDPOINT
    from pages.parts.server.routes import ROUTES

    client = TestClient(Starlette(routes=list(ROUTES)))
    article_id = held_by_anna()
    judge("Anna", article_id, verdict(2, "reject"))
    found = client.post(RANK_ENDPOINT, json={"token": reading_view(article_id, "Anna")["token"]})
    assert found.status_code == 200
    assert found.json() | {"changed": False} == rank_now("Anna", article_id)
    assert client.post(RANK_ENDPOINT, json={"token": "forged"}).status_code == 403


def test_nothing_of_it_imports_torch_or_scikit_learn(version, home):
    article_id = held_by_anna()
    judge("Anna", article_id, verdict(2, "reject"))
    code = (
        "import sys; from annotate.active_learning.live_ranking import rank_now;"
        f"print(rank_now('Anna', {article_id})['ranking']);"
        "assert not {'torch', 'transformers', 'sklearn', 'skactiveml'} & set(sys.modules)"
    )
    done = ran(code)
    assert (done.stdout.strip(), done.returncode) == ("hybrid", 0), done.stderr


def test_an_article_whose_text_grew_since_the_propose_job_can_still_be_opened(version):
    article_id = held_by_anna()
    judge("Ben", 7, *(verdict(p, "reject") for p in range(9)))
    rank_now("Anna", article_id)
    pmid = query("SELECT pmid FROM article WHERE id = :id", id=article_id)[0][0]
    store(paper(TEXT, body=("More text came later.", "It was not embedded yet."), pmid=pmid))
    judge("Anna", article_id, *telling())
    assert not rank_when_opened("Anna", article_id)
    assert not rank_now("Anna", article_id)["changed"]


def test_what_is_on_the_screen_takes_the_place_of_its_rank():
    assert as_shown([6, 15, 1, 11], {1: 1}) == [1, 6, 15, 11]
    assert as_shown([6, 15, 1, 11, 14, 9], {5: 4}) == [6, 15, 1, 5, 14, 9]  # not of the last, which a person proposed
    assert as_shown([6, 15, 1, 11], {5: 2, 6: 4}) == [1, 5, 11, 6]
