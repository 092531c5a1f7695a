"""Progress through the real tables: the draws as they were, what lacks, and an estimate on a known pool."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy import delete, update

import db.review.progress
from annotate.active_learning.queue import hand_out
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.project.stored_settings import change_settings
from annotate.review.assignments import finish_or_leave, take
from annotate.review.progress import Missed, ReviewProgress, advice, missed_in_words, progress
from annotate.review.queue_settings import QueueSettings
from annotate.review.stopping import Stop, random_draws
from db.review.progress import Handed
from db.tables import Assignment, Verdict
from db.values import Origin, VerdictRole
from model.evaluation.intervals import Estimate
from model.review.stopping import Draw, missed_in_judged
from tests.support.making import judge, query, reading, verdict
from tests.support.reviewed import Review, minute, sentence_id, write_pool, write_reviews


def found() -> ReviewProgress:
    with read() as session:
        return progress(session)


def handed(number: int, article: int, at: float, **values) -> Handed:
    made = {
        "annotator_id": 1,
        "waiting": 0,
        "at_random": False,
        "with_proposals": True,
        "finished": True,
        "left": False,
    }
    made |= {"created_at": minute(at), "ended_at": minute(at + 5)} | values
    return Handed(id=number, article_id=article, **made)


def lots(
    *rows: Handed, key: dict[int, int], open_: tuple[int, ...] = (), since: dict[int, float] | None = None, **done
):
    """The draws of these assignments; articles are done as their assignments ended, `done` those without one."""
    ended = {row.article_id: row.ended_at for row in rows if row.finished}
    ended |= {int(name.removeprefix("a")): minute(at) for name, at in done.items()}
    came = {article: minute((since or {}).get(article, -60)) for article in (*key, *open_)}
    return random_draws(rows, dict.fromkeys(open_, 0) | key, came, ended)


def test_an_empty_pool_has_no_progress(home):
    nothing = found()
    assert (nothing.pool, nothing.found, nothing.waiting, nothing.total) == (0, 0, 0, None)
    assert advice(nothing) == ["No article is reviewed yet."]


def test_a_draw_knows_what_was_found_before_it():
    rows = (
        handed(1, 1, 0),
        handed(2, 2, 10, at_random=True, waiting=9),
        handed(3, 3, 20),
        handed(4, 4, 30, at_random=True, waiting=7),
    )
    made = lots(*rows, key={1: 4, 2: 1, 3: 5, 4: 0}, open_=(5, 6))
    assert made.draws == [Draw(9, 4, 1), Draw(7, 10, 0)]
    assert (made.unfinished, made.outgrown) == (0, 0)


def test_a_draw_of_an_article_that_was_done_finds_nothing_new():
    again = handed(2, 1, 10, annotator_id=2, at_random=True, waiting=9)
    assert lots(handed(1, 1, 0), again, key={1: 4}).draws == [Draw(9, 4, 0)]
    judged_by_address = handed(1, 2, 10, at_random=True, waiting=9, finished=False)
    assert lots(judged_by_address, key={2: 3, 3: 2}, a2=5, a3=6).draws == [Draw(9, 5, 0)]


def test_a_lot_that_a_later_assignment_takes_over_counts_once():
    first = handed(1, 1, 0, at_random=True, waiting=8, finished=False)
    second = handed(2, 1, 40, at_random=True, waiting=8)
    assert lots(first, second, key={1: 3}).draws == [Draw(8, 0, 3)]


def test_articles_in_other_hands_or_put_aside_were_not_among_those_waiting():
    held = handed(1, 1, 0, annotator_id=2, ended_at=minute(50), finished=False)
    aside = handed(2, 2, 0, ended_at=minute(2), finished=False, left=True)
    draw = handed(3, 3, 10, at_random=True, waiting=30)
    later = (handed(4, 1, 60), handed(5, 2, 70))
    key = {1: 2, 2: 5, 3: 1}
    assert lots(held, aside, draw, *later, key=key).draws == [Draw(30, 7, 1)]
    # Where nobody has finished them, they are taken to be like those that waited.
    assert lots(held, aside, draw, key=key).draws == [Draw(32, 0, 1)]
    # What somebody else put aside waits again.
    theirs = replace(aside, annotator_id=2)
    assert lots(theirs, draw, handed(5, 2, 70), key=key).draws == [Draw(30, 0, 1)]


def test_what_only_ran_out_waits_again_for_the_same_expert_too():
    ran_out = handed(1, 2, 0, ended_at=minute(2), finished=False)
    draw = handed(2, 3, 10, at_random=True, waiting=30)
    assert lots(ran_out, draw, handed(3, 2, 70), key={2: 5, 3: 1}).draws == [Draw(30, 0, 1)]
    assert lots(ran_out, draw, key={2: 5, 3: 1}, open_=(2,)).draws == [Draw(30, 0, 1)]
    left = replace(ran_out, left=True)
    again = handed(3, 2, 4, ended_at=minute(6), finished=False)
    draw = replace(draw, id=4)
    assert lots(left, again, draw, handed(5, 2, 70), key={2: 5, 3: 1}).draws == [Draw(30, 0, 1)]


def test_the_queue_draws_again_from_what_was_only_opened_by_its_address(home):
    write_pool(3, 3, [[0, 1]] * 3)
    change_settings("Anna", QueueSettings(random_share=1.0, blind_share=0.0))
    take("Anna", 1)
    take("Anna", 2)  # which closes the first
    finish_or_leave("Anna", 2)  # unread: put aside
    drawn = hand_out("Anna", np.random.default_rng(0))
    assert (drawn.at_random, drawn.waiting) == (True, 2)  # 1 and 3
    with read() as session:
        by_article = {row.article_id: row.left for row in db.review.progress.handed_out(session)}
    assert by_article[2] and not by_article[1]


def test_articles_that_came_later_enlarge_a_draw_until_they_are_too_many():
    draw = handed(1, 1, 10, at_random=True, waiting=20)
    new = handed(2, 2, 50)
    since = {2: 40, 3: 40}
    assert lots(draw, new, key={1: 1, 2: 6}, open_=(3,), since=since).draws == [Draw(21, 6, 1)]
    many = dict.fromkeys(range(3, 7), 40)
    made = lots(draw, key={1: 1}, open_=tuple(many), since=many)
    assert (made.draws, made.outgrown) == ([], 1)


def test_a_draw_that_nobody_finished_is_counted_apart():
    left = handed(1, 1, 0, at_random=True, waiting=8, finished=False)
    made = lots(left, key={}, open_=(1, 2))
    assert (made.draws, made.unfinished) == ([], 1)


def review_pool(key: np.ndarray, finished: int, seed: int, *, start: int = 0) -> None:
    """Finishes so many articles, the richest first but one in ten by lot; an article's first sentences are key."""
    generator = np.random.default_rng(seed)
    waiting = list(range(len(key)))
    reviews = []
    for step in range(finished):
        by_lot = bool(generator.random() < 0.1)
        chosen = int(generator.choice(waiting)) if by_lot else max(waiting, key=lambda i: (key[i], -i))
        reviews.append(
            Review(
                chosen + 1,
                10.0 * (start + step),
                10.0 * (start + step) + 8,
                key=range(key[chosen]),
                other=range(key[chosen], 5),
                waiting=len(waiting),
                at_random=by_lot,
            )
        )
        waiting.remove(chosen)
    write_reviews(reviews)


def test_a_known_pool_is_estimated_through_the_tables(home):
    key = np.minimum(np.random.default_rng(0).geometric(0.4, 300) - 1, 5)
    write_pool(300, 6, [range(5)] * 300)
    review_pool(key, 150, seed=1)
    now = found()
    assert (now.pool, now.waiting, len(now.articles)) == (300, 150, 150)
    assert now.found == sum(now.key)
    assert now.draws == sum(now.by_lot) > 8
    left = key.sum() - now.found
    assert now.unfound.low <= left <= now.unfound.high
    assert now.total.value == pytest.approx(now.found + now.unfound.value)
    words = advice(now)
    assert words[0].startswith(f"About {round(now.unfound.value)} ({math.floor(now.unfound.low)} to ")
    assert words[1].endswith(f"probably hold any (by {now.draws} random articles).")
    assert "% of all" in words[0]


def test_too_few_random_articles_are_said_to_lack(home):
    write_pool(20, 6, [range(5)] * 20)
    write_reviews(
        [
            Review(i + 1, 10 * i, 10 * i + 5, key=(0,), other=range(1, 5), waiting=20 - i, at_random=i < 2)
            for i in range(5)
        ]
    )
    now = found()
    assert now.unfound is None
    assert now.lacking == "2 of 5 random articles"
    assert advice(now) == ["No estimate yet: 2 of 5 random articles, 0 of 5 with key sentences read in full."]


def test_a_finished_pool_has_nothing_unfound(home):
    write_pool(3, 6, [range(5)] * 3)
    write_reviews([Review(i + 1, 3 - i, 3.5 - i, key=range(i), other=range(i, 5), waiting=1 + i) for i in (2, 1, 0)])
    now = found()
    assert (now.unfound, now.found, now.waiting) == (Estimate(0, 0, 0), 3, 0)
    assert advice(now) == ["Every article is reviewed.", "The last article held none."]


def test_the_order_is_that_of_finishing_and_the_end_without_key_sentences_is_counted(home):
    write_pool(6, 6, [range(5)] * 6)
    write_reviews(
        [
            Review(3, 0, 50, key=(0, 1), other=(2, 3, 4)),
            Review(1, 10, 20, key=(0,), other=(1, 2, 3, 4)),
            Review(2, 55, 60, other=range(5)),
            Review(4, 70, 80, other=range(5)),
            Review(5, 90, None, key=(0,)),
        ]
    )
    now = found()
    assert (now.articles, now.key) == ([1, 3, 2, 4], [1, 2, 0, 0])
    assert (now.without, now.elsewhere, now.found, now.waiting) == (2, 1, 4, 2)
    assert advice(now)[1] == "The last 2 articles held none."


def test_articles_judged_before_there_was_a_queue_count_as_finished(home):
    write_pool(4, 6, [range(5)] * 4)
    write_reviews([Review(1, 0, 10, key=(0,), other=(1, 2, 3, 4)), Review(2, 20, 30, key=(1,), in_full=True)])
    with_assignments = found()
    from sqlalchemy import text

    from annotate.project.home import write

    with write(Right.SYSTEM) as session:
        session.execute(text("DELETE FROM assignment"))
    without = found()
    assert without.articles == with_assignments.articles == [1, 2]
    assert without.key == [1, 1]
    assert query("SELECT count(*) FROM assignment") == [(0,)]


def test_key_sentences_missed_in_articles_that_were_only_judged_follow_from_those_read(home):
    write_pool(40, 30, [range(5)] * 40)
    read_whole = [Review(i + 1, i, i + 0.5, key=(0, 1, 2, 10), other=(3, 4), in_full=True) for i in range(10)]
    blind = [Review(i + 1, i, i + 0.5, key=range(20, 28), in_full=True, with_proposals=False) for i in (10, 11)]
    judged = [Review(i + 1, i, i + 0.5, key=(0, 1, 2), other=(3, 4)) for i in range(12, 32)]
    write_reviews([*read_whole, *blind, *judged])
    missed = found().missed
    assert (missed.read, missed.judged) == (10, 20)
    assert missed.estimate.value == pytest.approx(60 / 0.75 * 0.25)
    assert 6 < missed.estimate.low < 20 < missed.estimate.high < 50


def test_an_article_with_a_label_on_every_sentence_counts_as_read_in_full(home):
    write_pool(4, 6, [range(5)] * 4)
    write_reviews([Review(1, 0, 1, key=(0,), other=range(1, 6)), Review(2, 2, 3, key=(0,), other=range(1, 5))])
    assert (found().missed.judged, found().stop.outside) == (1, None)
    judge("Anna", 2, verdict(5, "reject"))
    assert (found().missed.judged, found().stop.outside) == (0, 0.0)
    judge("Anna", 2, verdict(5, "withdrawn"))
    assert found().missed.judged == 1


def test_majority_decides_what_is_key(home):
    write_pool(1, 6, [range(5)])
    write_reviews([Review(1, 0, 1, key=(0, 1, 2), other=(3, 4))])
    write_reviews([Review(1, 2, 3, key=(0,), other=(1, 2, 3, 4), annotator="Ben")])
    assert found().key == [1]
    write_reviews([Review(1, 4, 5, key=(1,), other=(0,), annotator="Eva")])
    assert found().key == [2]


def test_no_bound_is_told_as_nearer_than_it_is():
    now = ReviewProgress(
        pool=30, articles=[1, 2], key=[6, 4], by_lot=[True, False], elsewhere=0, draws=9, unfinished_draws=0,
        total=Estimate(11, 10.7, 13.2), unfound=Estimate(1.2, 0.7, 3.2), lacking="", without=0, missed=None,
        stop=Stop(False, 2, 1, 0, 0.0, False), unfound_articles=Estimate(0.6, 0.4, 40.2),
    )  # fmt: skip
    about, of_articles, *_ = advice(now)
    assert about == "About 1 (0 to 4) key sentence is probably still to find, 9% of all (by 9 random articles)."
    assert of_articles == "Of the 28 articles that wait, 1 (0 to 28) probably holds any (by 9 random articles)."


def test_sentences_that_were_added_by_hand_do_not_rule_out_others():
    # Two were added: by the five articles that were read in full two were to be expected, and chance allows for more.
    estimate = missed_in_judged([(3, 1), (4, 0), (3, 0), (5, 1), (3, 0)], proposed=18, added=2)
    told = missed_in_words(Missed(estimate, read=5, judged=6))
    assert "about 0 (0 to 8) key sentences were probably missed in the 6 articles" in told
    assert "in the 5 that were read in full" in told


@pytest.mark.parametrize(
    ("stop", "words"),
    [
        (
            Stop(True, 60, 6, 34, 0.01, False),
            "You may stop: probably 5% of all key sentences at most would be missed, those inside reviewed articles "
            "among them (by 60 judged articles, 6 of them drawn at random, and 34 read in full).",
        ),
        (
            Stop(True, 60, 6, 34, 0.0, False),
            "You may stop: probably 5% of all key sentences at most would be missed, those inside reviewed articles "
            "among them (by 60 judged articles, 6 of them drawn at random).",
        ),
        (
            Stop(False, 60, 6, 34, 0.412, True),
            "Do not stop yet: more than 5% may be missed inside reviewed articles. Up to 41% of the key sentences "
            "are not among the proposals, by 34 articles read in full. Read more in full (F in the review).",
        ),
        (
            Stop(False, 60, 6, 2, None, True),
            "Whether stopping now would miss more than 5% is not known: it needs at least 5 articles with key "
            "sentences that were read in full (F in the review), 2 so far.",
        ),
        (
            Stop(False, 60, 6, 34, 0.01, False),
            "Go on: more than 5% of all key sentences may still be missed (by 60 judged articles, 6 of them drawn "
            "at random, and 34 read in full).",
        ),
    ],
)
def test_the_stop_rule_is_told_in_words_with_what_it_rests_on(stop, words):
    assert stop.words == words


def test_what_is_missed_inside_articles_keeps_a_review_going_however_few_articles_wait(home):
    write_pool(100, 30, [range(5)] * 100)
    # The proposals of the last articles hold nothing, and each article read in full has two more key sentences.
    richest = [
        Review(i + 1, i, i + 0.5, key=(0, 1, 2, *((10, 11) if i % 4 == 0 else ())), other=(3, 4), in_full=i % 4 == 0)
        for i in range(80)
    ]
    last = [Review(i + 1, i, i + 0.5, other=range(5), waiting=100 - i, at_random=True) for i in range(80, 99)]
    write_reviews([*richest, *last])
    now = found()
    assert now.unfound.high < 0.05 * now.found  # by the lots, little is left in the article that waits
    assert (now.stop.may_stop, now.stop.missed_inside, now.stop.read) == (False, True, 20)
    assert advice(now)[-1].startswith("Do not stop yet: more than 5% may be missed inside reviewed articles.")


def test_a_review_that_reads_in_full_and_finds_nothing_for_long_may_stop(home):
    write_pool(60, 6, [range(5)] * 60)
    rich = [Review(i + 1, i, i + 0.5, key=(0, 1), other=(2, 3, 4), in_full=True) for i in range(20)]
    write_reviews([*rich, *(Review(i + 1, i, i + 0.5, other=range(5), in_full=True) for i in range(20, 30))])
    assert found().stop.words.startswith("Go on: more than 5% of all key sentences may still be missed (by 30 ")
    assert advice(found())[0] == "No estimate yet: 0 of 5 random articles."
    write_reviews([Review(i + 1, i, i + 0.5, other=range(5), in_full=True) for i in range(30, 58)])
    assert advice(found())[-1].startswith("You may stop: probably 5% of all key sentences at most would be missed")


def test_labels_stored_before_the_first_proposals_count_once():
    draw = handed(1, 1, 10, at_random=True, waiting=9)
    assert lots(draw, key={1: 1, 2: 4}, a2=5, since={2: 20}).draws == [Draw(9, 4, 1)]


def labelled_and_drawn() -> None:
    """Ten articles that came labelled, with 20 key sentences, then eight draws of the twenty others."""
    write_pool(30, 3, [[0, 1]] * 30)
    write_reviews([Review(i, -40, -30, key=(0, 1), in_full=True, annotator="File", said=-35) for i in range(1, 11)])
    with write(Right.SYSTEM) as session:
        session.execute(update(Verdict).values(origin=Origin.IMPORTED))
        session.execute(delete(Assignment))
    drawn = range(11, 19)
    write_reviews(
        [
            Review(
                i,
                10 * i,
                10 * i + 5,
                key=(0,) if i % 2 else (),
                other=(1,) if i % 2 else (0, 1),
                in_full=True,
                waiting=31 - i,
                at_random=True,
            )
            for i in drawn
        ]
    )


def test_what_is_decided_or_read_later_of_labelled_articles_finds_nothing_new(home):
    labelled_and_drawn()
    before = found()
    assert before.unfound is not None and before.unfound.value > 4
    for article_id in range(1, 6):
        take("Anna", article_id)
        judge("Anna", article_id, verdict(0), verdict(1), reading())
        finish_or_leave("Anna", article_id)
    with write(Right.SYSTEM) as session:
        (number,) = {row.annotator_id for row in session.query(Verdict).filter_by(article_id=6)}
        for article_id in range(6, 11):
            decision = {"role": VerdictRole.ADJUDICATOR, "value": "accept", "origin": Origin.IMPORTED}
            at = {"given_at": minute(500), "stored_at": minute(500)}
            of = {"article_id": article_id, "sentence_id": sentence_id(article_id, 0, 3), "annotator_id": number}
            session.add(Verdict(event_id=f"decided {article_id}", **decision, **at, **of))
    after = found()
    assert (after.found, after.total, after.unfound) == (before.found, before.total, before.unfound)
