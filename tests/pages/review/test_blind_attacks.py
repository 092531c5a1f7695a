"""Ways round blindness: an expert who wants to see what the other said before she has said her own."""

from collections.abc import Iterator
from typing import Any

import pytest

from annotate.gold.practice import PracticeRound, round_now
from annotate.project.acting import OPERATOR, acting
from annotate.project.home import read
from annotate.project.stored_settings import change_settings
from annotate.review.queue_settings import QueueSettings
from annotate.team.agreement import team_agreement
from annotate.team.logins import actor_of
from annotate.work import run_job
from tests.support.api import program, token_of
from tests.support.blind import OPEN, answers, ben_says, blind_team, judged_of, opened, send, told_by_the_api
from tests.support.making import judge, query, reading, verdict


@pytest.fixture
def tokens(home: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """A team of which two are to judge each article."""
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with blind_team(articles=5) as made:
        yield made


def anna_and_ben_are_done(tokens: dict[str, str], article_id: int) -> None:
    """Both judge what is proposed, Anna first: 0 is key and 1 is not, says Anna; Ben says the contrary."""
    send(tokens["Anna"], article_id, verdict(0), verdict(1, "reject"))
    send(tokens["Ben"], article_id, verdict(0, "reject"), verdict(1))


def found_by(monkeypatch: pytest.MonkeyPatch, token: str) -> str:
    """How many key sentences the page Queue counts."""
    told = opened(monkeypatch, "queue", token)
    return next(line for line in told.splitlines() if line.startswith("Key sentences: ")).split(" ")[2]


WAYS = {
    "reads in full": [[reading()]],
    "reads, and takes it back": [[reading()], [reading(False)]],
    "reads, takes it back and reads again": [[reading()], [reading(False)], [reading()]],
    "gives a verdict, takes it back and reads": [[verdict(2)], [verdict(2, "withdrawn")], [reading()]],
}
READ = dict(zip(WAYS, range(1, 5), strict=True))  # an article for each way
UNREAD = 5


def test_reading_in_full_without_a_verdict_shows_nothing_of_what_another_says_later(tokens, monkeypatch):
    for way, article_id in READ.items():
        for events in WAYS[way]:
            assert send(tokens["Anna"], article_id, *events)["refused"] == [], way
    with acting(OPERATOR):
        run_job("index", {})

    def told() -> dict[str, Any]:
        of_pages = {page: opened(monkeypatch, page, tokens["Anna"]) for page in OPEN}
        of_routes = {way: answers(tokens["Anna"], article_id) for way, article_id in READ.items()}
        return of_pages | of_routes | by_the_api()

    def by_the_api() -> dict[str, Any]:
        return {f"the API of who {way}": told_by_the_api("Anna", article_id) for way, article_id in READ.items()}

    by_the_api()  # what is refused the first time stands in her history
    before = told()
    for article_id in READ.values():
        ben_says(article_id, UNREAD)
    after = told()
    for place, words in before.items():
        assert after[place] == words, place


def test_nor_of_what_another_said_before(tokens, monkeypatch):
    anna = program(token_of("Anna"))
    for way, article_id in READ.items():
        ben_says(article_id, UNREAD)
        for events in WAYS[way]:
            assert anna.post(f"/articles/{article_id}/events", json={"events": events}).json()["refused"] == [], way
        anna.post(f"/articles/{article_id}/leave")
    assert found_by(monkeypatch, tokens["Anna"]) == "0"
    own = {str(article_id): int("verdict" in way) for way, article_id in READ.items()}
    assert judged_of(opened(monkeypatch, "articles", tokens["Anna"])) == own | {str(UNREAD): 0}
    assert {row["annotator"] for row in anna.get("/verdicts").json()["rows"]} <= {"Anna"}


def test_being_done_first_shows_nothing_until_the_other_is_done_too(tokens, monkeypatch):
    send(tokens["Ben"], 1, verdict(0), verdict(2))  # two key sentences; one proposal is left
    send(tokens["Anna"], 1, verdict(0, "reject"), verdict(1, "reject"), reading())
    assert found_by(monkeypatch, tokens["Anna"]) == "0"
    assert judged_of(opened(monkeypatch, "articles", tokens["Anna"]))["1"] == 2
    send(tokens["Ben"], 1, verdict(1))
    assert found_by(monkeypatch, tokens["Anna"]) == "1"  # 2; of 0 and 1 they are at odds
    assert judged_of(opened(monkeypatch, "articles", tokens["Anna"]))["1"] == 3


def test_what_was_shown_stays_shown_when_the_reading_is_taken_back(tokens, monkeypatch):
    ben_says(1, 3)
    send(tokens["Anna"], 1, verdict(0), reading())
    assert found_by(monkeypatch, tokens["Anna"]) == "2"
    send(tokens["Anna"], 1, reading(False))
    assert found_by(monkeypatch, tokens["Anna"]) == "2"


def test_who_sees_and_then_judges_is_marked_and_does_not_count_in_the_agreement(tokens):
    anna_and_ben_are_done(tokens, 1)
    with read() as session:
        before = team_agreement(session)
    assert (before.overall.percent.value, before.late) == (0.0, 0)
    anna = program(token_of("Anna"))
    changed = [reading(), reading(False), verdict(0, "reject"), verdict(1), verdict(2)]
    assert anna.post("/articles/1/events", json={"events": changed}).json()["refused"] == []
    with read() as session:
        after = team_agreement(session)
    assert (after.overall, after.late) == (before.overall, 3)
    assert [row["after_release"] for row in anna.get("/verdicts").json()["rows"]] == [False] * 2 + [True] * 3
    of_all = program(token_of("Cora")).get("/verdicts").json()["rows"]
    assert [row["after_release"] for row in of_all if row["annotator"] == "Ben"] == [False, False]


def test_reading_after_the_release_is_no_passing_over(tokens):
    send(tokens["Anna"], 1, verdict(0), verdict(1))
    send(tokens["Ben"], 1, verdict(0), verdict(1), verdict(2))
    send(tokens["Anna"], 1, reading())
    with read() as session:
        found = team_agreement(session)
    assert (found.overall.units, found.overall.percent.value) == (2, 1.0)


def test_a_third_person_who_comes_after_the_release_was_not_blind(tokens):
    anna_and_ben_are_done(tokens, 1)
    with acting(OPERATOR):
        judge("Dora", 1, verdict(0))
    with read() as session:
        found = team_agreement(session)
    assert (found.late, [(pair.first, pair.second) for pair in found.pairs]) == (1, [("Anna", "Ben")])


@pytest.mark.postgresql
def test_the_first_verdict_after_a_reading_was_given_blind_and_releases(tokens, monkeypatch):
    ben_says(1, 3)
    send(tokens["Anna"], 1, reading())
    send(tokens["Anna"], 1, verdict(0, "reject"))
    assert found_by(monkeypatch, tokens["Anna"]) == "1"
    send(tokens["Anna"], 1, verdict(0))
    rows = program(token_of("Anna")).get("/verdicts").json()["rows"]
    assert [row["after_release"] for row in rows] == [False, True]


def test_the_training_round_shows_no_expert_what_is_not_released_to_her(tokens):
    send(tokens["Anna"], 1, reading())
    ben_says(1, 3)
    with acting(OPERATOR):
        change_settings("Cora", PracticeRound(article_ids=[1]))
    with acting(actor_of(tokens["Anna"])), read() as session:
        assert round_now(session, "Anna") == []
        assert round_now(session, "Dora") == [1]


def test_where_one_expert_judges_an_article_nothing_is_withheld_or_marked(tokens, monkeypatch):
    with acting(OPERATOR):
        change_settings("Cora", QueueSettings(double_share=0.0, experts=2))
    anna_and_ben_are_done(tokens, 1)
    send(tokens["Anna"], 1, verdict(0, "reject"))
    assert "your own verdicts" not in opened(monkeypatch, "queue", tokens["Anna"])
    with read() as session:
        assert team_agreement(session).late == 0
    assert query("SELECT count(*) FROM verdict") == [(5,)]


def test_new_proposals_do_not_take_a_release_back(tokens, monkeypatch):
    from annotate.proposing.propose import propose

    anna_and_ben_are_done(tokens, 1)
    assert found_by(monkeypatch, tokens["Anna"]) == "0"  # they are at odds on both
    send(tokens["Ben"], 1, verdict(2))
    assert found_by(monkeypatch, tokens["Anna"]) == "1"
    with acting(OPERATOR):
        propose(article_ids=[1], k=3)
    assert found_by(monkeypatch, tokens["Anna"]) == "1"
