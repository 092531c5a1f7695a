"""Anchoring through the real tables: simulated experts whose bias is known, and what must not count."""

from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy import insert, update

from annotate.curation.removal import remove, take_back
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.review.anchoring import Anchoring, anchoring, in_words
from db import tables
from tests.support.reviewed import Review, minute, sentence_id, write_pool, write_reviews

SENTENCES, K = 40, 10
HIT, FALSE_ALARM = 0.85, 0.03


def found() -> Anchoring:
    with read() as session:
        return anchoring(session)


def experts(articles: int, d_in: float, d_out: float, seed: int) -> tuple[float, float]:
    """Writes what experts with this bias say of so many articles, half of them without proposals.

    Shown a proposal that is not key, they accept it with a probability raised by d_in; a key sentence that is not
    proposed escapes them with a probability raised by d_out. Returns the true effects on the share of proposals
    called key and on the key sentences found outside of them.
    """
    generator = np.random.default_rng(seed)
    truth = generator.random((articles, SENTENCES)) < 0.1
    # A ranking that is right often: key sentences come first, with noise.
    order = np.argsort(-(truth + generator.normal(0, 0.7, truth.shape)), axis=1)[:, :K]
    proposed = np.zeros_like(truth)
    np.put_along_axis(proposed, order, True, axis=1)
    shown = generator.random(articles) < 0.5
    accepts = np.where(truth, HIT, FALSE_ALARM)
    biased = accepts + d_in * (proposed & ~truth) - d_out * (~proposed & truth)
    says = generator.random(truth.shape) < np.where(shown[:, None], biased, accepts)
    write_pool(articles, SENTENCES, order.tolist())
    write_reviews(
        [
            Review(
                i + 1,
                begins=i,
                ends=i + 0.9,
                key=np.flatnonzero(says[i]).tolist(),
                with_proposals=bool(shown[i]),
                in_full=True,
                annotator=f"Expert {i % 3}",
            )
            for i in range(articles)
        ]
    )
    return d_in * (proposed & ~truth).sum(axis=1).mean() / K, -d_out * (~proposed & truth).sum(axis=1).mean()


@pytest.mark.parametrize(("d_in", "d_out"), [(0.2, 0.4), (0.0, 0.0), (0.1, 0.0)])
def test_the_bias_of_simulated_experts_is_recovered(home, d_in, d_out):
    called_key, outside = experts(400, d_in, d_out, seed=2)
    comparison = found().comparison
    assert comparison is not None
    for effect, true, tolerance in (
        (comparison.called_key.difference, called_key, 0.04),
        (comparison.outside.difference, outside, 0.3),
    ):
        assert effect.low <= true <= effect.high
        assert abs(effect.value - true) < tolerance
        assert effect.high - effect.low < 2.5 * tolerance
    assert (comparison.called_key.difference.low > 0) == (d_in > 0)
    assert (comparison.outside.difference.high < 0) == (d_out > 0)
    assert comparison.total.difference.value == pytest.approx(
        K * comparison.called_key.difference.value + comparison.outside.difference.value
    )


def test_the_words_hold_the_numbers(home):
    experts(400, 0.2, 0.4, seed=2)
    anchored = found()
    words = in_words(anchored)
    called_key = anchored.comparison.called_key
    assert words[0].startswith(f"Shown a proposal, annotators call it key in {100 * called_key.shown.value:.0f}% of ")
    assert f": +{100 * called_key.difference.value:.0f} points (+" in words[0]
    assert ": −" in words[1]
    assert words[-1] == (
        "Beyond chance: showing a proposal makes annotators call it key more often and they find fewer of the others."
    )


def pool(number: int = 30) -> list[Review]:
    """Articles whose five proposals are their first sentences: three called key, and one sentence outside."""
    write_pool(number, SENTENCES, [range(5)] * number)
    return [
        Review(i + 1, 10 * i, 10 * i + 8, key=(0, 1, 2, 20), with_proposals=i % 2 == 0, in_full=True)
        for i in range(number)
    ]


def test_equal_arms_show_nothing(home):
    write_reviews(pool())
    anchored = found()
    assert (anchored.shown, anchored.unshown, anchored.unread, anchored.judged_only) == (15, 15, 0, 0)
    of = anchored.comparison
    assert (of.called_key.shown.value, of.called_key.difference.value) == (0.6, 0)
    assert (of.outside.unshown.value, of.total.unshown.value, of.among.unshown.value) == (1, 4, 0.75)
    assert in_words(anchored)[0].endswith("in 60% of cases; unshown, in 60%: 0 points (0 to 0).")
    assert "told from chance" in in_words(anchored)[-1]


def test_what_does_not_compare_is_left_out(home):
    reviews = pool()
    known_before = Review(7, 2, 5, key=(4,), in_full=True, annotator="Ben", strategy="by hand")
    reviews[0] = replace(reviews[0], strategy="by hand")
    reviews[1] = replace(reviews[1], ending="left")
    reviews[2] = replace(reviews[2], in_full=False, other=(3, 4))
    reviews[3] = replace(reviews[3], in_full=False)
    reviews[4] = replace(reviews[4], said=reviews[4].ends + 1)  # verdicts and reading after the end
    reviews[6] = replace(reviews[6], said=reviews[6].begins - 1)  # the article was known
    write_reviews([known_before, *reviews])
    anchored = found()
    assert (anchored.shown, anchored.unshown) == (15 - 4, 15 - 2)
    assert (anchored.unread, anchored.judged_only) == (1, 1)
    assert anchored.called_key.value == 0.6
    assert anchored.comparison.total.shown.value == 4


def test_only_verdicts_of_that_expert_until_the_end_count(home):
    reviews = pool()
    write_reviews(reviews)
    late = replace(reviews[1], begins=900, ends=901, key=(), other=(0, 1, 2, 20), strategy="by hand")
    other = replace(reviews[3], annotator="Ben", key=(), other=(0, 1, 2), begins=reviews[3].begins + 1)
    write_reviews([late, replace(other, ending="left")])
    assert found().comparison.called_key.unshown.value == 0.6


def test_the_proposals_are_those_there_when_the_article_was_handed_out(home):
    reviews = pool()
    with write(Right.SYSTEM) as session:
        sets = [
            {"id": 101, "at": reviews[0].begins - 1, "first": 2},
            {"id": 102, "at": 1 + reviews[0].begins, "first": 9},
        ]
        for row in sets:
            made = {"id": row["id"], "article_id": 1, "version_id": 1, "ranking": "live", "query": "", "k": 5}
            session.execute(insert(tables.ProposalSet), [made | {"created_at": minute(row["at"])}])
            proposals = [
                {"set_id": row["id"], "rank": 1 + i, "sentence_id": sentence_id(1, row["first"] + i, SENTENCES)}
                | {"score": 1.0, "cosine": 0.5}
                for i in range(5)
            ]
            session.execute(insert(tables.Proposal), proposals)
    write_reviews(reviews)
    # of the five proposals from sentence 2 on, one is key; three key sentences lie outside
    of = found().comparison
    assert of.called_key.shown.value == pytest.approx((0.6 * 14 + 0.2) / 15)
    assert of.outside.shown.value == pytest.approx((14 + 3) / 15)


@pytest.mark.postgresql
def test_proposals_that_are_not_shown_at_first_count_as_outside(home):
    reviews = pool()
    with write(Right.SYSTEM) as session:
        session.execute(update(tables.ProposalSet).values(k=2))
    write_reviews(reviews)
    of = found().comparison
    assert (of.called_key.shown.value, of.outside.shown.value) == (1.0, 2.0)


def test_an_assignment_that_ran_out_and_was_taken_up_again_is_one(home):
    reviews = pool()
    again = reviews[3]
    first = replace(again, ending="expired", ends=again.begins + 1, key=(0, 1), in_full=False)
    second = replace(again, begins=again.begins + 2, key=(2, 20))
    write_reviews([*reviews[:3], first, second, *reviews[4:]])
    anchored = found()
    assert (anchored.shown, anchored.unshown) == (15, 15)
    assert anchored.comparison.total.unshown.value == 4


@pytest.mark.postgresql
def test_too_few_articles_are_said_to_lack(home):
    assert in_words(found()) == [
        "No comparison yet: it needs at least 10 articles read in full with proposals and 10 without: 0 and 0 so far."
    ]
    assert found().needed == 99
    write_reviews(pool(18))
    assert found().comparison is None
    assert found().lacking.endswith("9 and 9 so far")


def test_a_removed_article_is_left_out_and_comes_back(home):
    write_reviews(pool())
    before = found()
    remove([1, 3])
    assert found().shown + found().unshown == before.shown + before.unshown - 2
    take_back([1, 3])
    assert found() == before
