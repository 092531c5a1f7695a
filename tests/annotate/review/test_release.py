"""When an article is released to whom, by what happened to it, and what is remembered of that."""

from typing import Any

import numpy as np
import pytest

from annotate.curation.removal import remove
from annotate.gold.import_file import import_gold
from annotate.project.home import read
from annotate.proposing.propose import propose
from annotate.review.blindness import released
from annotate.review.blindness.released import NEVER, Release, given_after_release, release_of, releases, withheld
from annotate.review.blindness.sight import SEES_ALL, Sight
from db.review.past import Happened, What
from db.tables import Verdict
from tests.support.making import SENTENCES, judge, paper, query, reading, store, verdict
from tests.support.queueing import begin, set_queue
from tests.support.reviewed import minute

ANNA, BEN, DORA = 1, 2, 3
PICKED_FROM = 100


def happened(*events: tuple[Any, ...]) -> list[Happened]:
    """A set of the proposals 10 and 11, then (minute, annotator, what): a sentence, "read", "unread", "finished", or a
    sentence below 0 that is taken back, or one over 100 that is picked from all articles."""
    made = [Happened(What.PROPOSED, 1, minute(-1), sentences=frozenset({10, 11}))]
    for number, (at, who, what) in enumerate(events, start=1):
        if what == "finished":
            made.append(Happened(What.FINISHED, number, minute(at), who))
        elif isinstance(what, str):
            made.append(Happened(What.READING, number, minute(at), who, stands=what == "read"))
        else:
            of = {"stands": what > 0, "picked": what > PICKED_FROM}
            made.append(Happened(What.VERDICT, number, minute(at), who, frozenset({abs(what) % PICKED_FROM}), **of))
    return made


@pytest.mark.parametrize(
    ("events", "to", "to_others", "late"),
    [
        ([(1, ANNA, 10), (2, ANNA, 11), (3, BEN, 10)], set(), False, set()),
        ([(1, ANNA, 10), (2, ANNA, 11), (3, BEN, 10), (4, BEN, 11)], {ANNA, BEN}, True, set()),
        # Both read in full, Anna without a verdict: Ben sees, and she does not.
        ([(1, ANNA, "read"), (2, BEN, 12), (3, BEN, "read")], {BEN}, True, set()),
        ([(1, ANNA, "read"), (2, BEN, "read")], set(), True, set()),
        # Her first verdict is blind and releases; the next is not.
        ([(1, ANNA, "read"), (2, BEN, 12), (3, BEN, "read"), (4, ANNA, 12), (5, ANNA, 10)], {ANNA, BEN}, True, {5}),
        # What is taken back is no verdict, and no reading.
        ([(1, ANNA, 12), (2, ANNA, -12), (3, ANNA, "read"), (4, BEN, 12), (5, BEN, "read")], {BEN}, True, set()),
        ([(1, ANNA, 12), (2, ANNA, "read"), (3, ANNA, "unread"), (4, BEN, 12), (5, BEN, "read")], set(), False, set()),
        # A release stays, whatever is taken back.
        ([(1, ANNA, 12), (2, ANNA, "read"), (3, BEN, 12), (4, BEN, "read"), (5, ANNA, "unread"), (6, ANNA, 10)],
         {ANNA, BEN}, True, {6}),
        # An assignment that was finished counts as done, too.
        ([(1, ANNA, 12), (2, ANNA, "finished"), (3, BEN, 12), (4, BEN, "finished")], {ANNA, BEN}, True, set()),
        # Who judged the last proposal as a picked sentence is not done with the article.
        ([(1, ANNA, 10), (2, ANNA, 111), (3, BEN, 10), (4, BEN, 11)], set(), False, set()),
        ([(1, ANNA, 110), (2, ANNA, 11), (3, BEN, 10), (4, BEN, 11)], {ANNA, BEN}, True, set()),
        # Dora comes when two are done, as many as are wanted.
        ([(1, ANNA, 10), (1, ANNA, 11), (2, BEN, 10), (2, BEN, 11), (3, DORA, 10)], {ANNA, BEN, DORA}, True, {5}),
    ],
)  # fmt: skip
def test_an_article_is_released_when_two_are_done_at_the_same_time(events, to, to_others, late):
    found = release_of(happened(*events), 2)
    assert (found.to, found.to_others, found.late) == (to, to_others, late)
    assert [found.is_to(who) for who in (ANNA, BEN)] == [ANNA in to, BEN in to]
    assert found.is_to(99) == to_others


def test_what_is_stored_at_the_same_time_as_the_release_is_not_late():
    past = happened((1, ANNA, 10), (1, ANNA, 11), (1, BEN, 10), (1, BEN, 11), (1, BEN, 12))
    assert release_of(past, 2).late == set()


def test_verdicts_of_a_file_are_never_late():
    past = happened((1, ANNA, 10), (1, ANNA, 11), (2, BEN, 10), (2, BEN, 11))
    more = Happened(What.VERDICT, 9, minute(3), DORA, frozenset({10}), imported=True)
    assert release_of([*past, more], 2).late == set()


def test_verdicts_go_by_their_order_where_a_clock_was_set_back():
    past = happened((5, ANNA, 10), (6, ANNA, 11), (7, BEN, 10), (8, BEN, 11), (2, ANNA, 12))
    assert release_of(past, 2).late == {5}


def test_new_proposals_and_a_third_expert_who_is_wanted():
    past = happened((1, ANNA, 10), (2, ANNA, 11))
    newer = Happened(What.PROPOSED, 2, minute(3), sentences=frozenset({12}))
    assert release_of([*past, newer, *happened((4, BEN, 12))[1:]], 2).to == set()  # Anna has not judged the new one
    assert release_of(happened((1, ANNA, "read"), (2, BEN, "read")), 3) == Release(frozenset({ANNA, BEN}))


def test_a_sight_shows_of_what_is_withheld_only_ones_own():
    sight = Sight(frozenset({1}), ANNA)
    assert sight.shows(1, ANNA) and not sight.shows(1, BEN) and sight.shows(2, BEN)
    assert sight.of(1, frozenset({ANNA, BEN})) == {ANNA} and sight.of(2, frozenset({BEN})) == {BEN}
    assert sight.blend({1: "all", 2: "all"}, lambda who: {1: f"of {who}", 2: "of one"}) == {1: "of 1", 2: "all"}
    assert sight.note == (
        "Of 1 article only your own verdicts count here: its annotators judge without seeing each other's."
    )
    assert SEES_ALL.note == ""


@pytest.mark.usefixtures("home")
def test_what_is_remembered_of_releases_is_what_the_rows_say():
    begin(6, double_share=1)
    rng = np.random.default_rng(0)
    for step in range(40):
        who, article_id = f"Expert {rng.integers(3)}", int(rng.integers(1, 7))
        if step % 10 == 9:
            propose(article_ids=[article_id], k=int(rng.integers(1, 4)))
        else:
            values = ("accept", "reject", "withdrawn")
            events = (verdict(int(rng.integers(3)), values[rng.integers(3)]), reading(bool(rng.integers(2))))
            judge(who, article_id, *events[: 1 + rng.integers(2)])
        with read() as session:
            known = releases(session)
            released._releases.forget()
            assert known == releases(session)
    assert any(release.late for release in known.values()) and not all(r.to_others for r in known.values())
    with read() as session:
        late = given_after_release(session, session.query(Verdict))
    assert late == {number for release in known.values() for number in release.late}


@pytest.mark.usefixtures("home")
def test_who_has_judged_what_is_shown_at_first_is_done():
    begin(1, double_share=1)
    propose(k=3, shown=lambda session, chosen: dict.fromkeys(chosen, 1))
    first = query("SELECT position FROM proposal JOIN sentence s ON s.id = sentence_id WHERE rank = 1 AND set_id = 2")
    for who in ("Anna", "Ben"):
        judge(who, 1, verdict(first[0][0]))
    with read() as session:
        assert len(releases(session)[1].to) == 2


@pytest.mark.usefixtures("home")
def test_the_articles_of_several_are_withheld_also_before_they_hold_proposals_and_no_removed_ones():
    begin(2, double_share=1)
    store(paper(pmid="3"))
    with read() as session:
        assert withheld(session, 0) == {1, 2, 3}
    remove([2], "off topic")
    with read() as session:
        assert withheld(session, 0) == {1, 3}
        assert releases(session, [1, 3]) == {} and not NEVER.is_to(0)
    set_queue(double_share=0)
    with read() as session:
        assert withheld(session, 0) == set()
    assert query("SELECT count(*) FROM verdict") == [(0,)]


@pytest.mark.usefixtures("home", "ticking")
def test_the_rows_of_an_imported_file_are_of_one_moment(tmp_path):
    begin(1, double_share=1)
    said = [
        ("Anna: accept; Ben: reject", "proposed"),
        ("Anna: accept; Ben: accept", "proposed"),
        ("Ben: accept", "added"),
    ]
    lines = [f'1,"{text}",{how},"{who}"' for text, (who, how) in zip(SENTENCES, said, strict=True)]
    (tmp_path / "gold.csv").write_text("\n".join(["pmid,sentence,origin,verdicts", *lines]))
    import_gold(tmp_path / "gold.csv")
    with read() as session:
        (release,) = releases(session).values()
    assert (len(release.to), release.late) == (2, set())
