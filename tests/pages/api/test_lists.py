"""Lists of the API come whole, page by page, whatever is stored meanwhile; and what is no page is refused."""

from typing import Any

import pytest

from annotate.curation.removal import remove
from annotate.curation.tags import put_on
from annotate.gold.export_file import download_manifest
from annotate.gold.rows import gold_rows
from annotate.gold.snapshots import freeze
from annotate.project.acting import OPERATOR, acting
from annotate.project.home import read
from annotate.proposing.propose import propose
from annotate.topics.project_topic import current_topic, use_topic
from model.proposing.bounded import Place, SlowPattern
from model.proposing.ranking import Ranking
from tests.support.api import every_row, program, token_of
from tests.support.making import comment, judge, paper, query, store, store_proposed, verdict
from tests.support.team import team
from tests.support.topics import SMALL


@pytest.fixture
def client(home: Any) -> Any:
    """A program of the one operator, and 25 articles with labels of two people."""
    store(*(paper(pmid=str(number), body=["One thing.", "Another."]) for number in range(1, 26)))
    for number in range(1, 26):
        judge("Anna", number, verdict(0), verdict(1, "reject"), verdict(3))
    judge("Ben", 3, verdict(0), verdict(2, "unsure"), comment(0, "=why?"))
    return program(token_of("Zoe"))


@pytest.mark.postgresql
def test_articles_and_sentences_come_whole_in_pages_of_any_size(client: Any) -> None:
    for limit in (1, 7, 25, 100):
        assert [row["id"] for row in every_row(client, "/articles", limit)] == list(range(1, 26))
    for limit in (1, 4, 5):
        rows = every_row(client, "/articles/3/sentences", limit)
        assert [row["position"] for row in rows] == [0, 1, 2, 3, 4]
    assert rows[1]["text"] == "Here we deleted TP53 in HeLa cells." and rows[4]["section"] == "Results"
    assert [row["pmid"] for row in client.get("/articles", params={"search": "Article 2"}).json()["rows"]] == [
        "2", "20", "21", "22", "23", "24", "25",
    ]  # fmt: skip


def test_articles_tell_their_tags_and_removed_ones_are_gone(client: Any) -> None:
    put_on([2, 3], ["to read"])
    remove([3])
    for tag in ("to read", " To READ "):
        rows = client.get("/articles", params={"tag": tag}).json()["rows"]
        assert [(row["id"], row["tags"]) for row in rows] == [(2, ["to read"])]
    assert "no article was ever tagged as 'to rea'; there is to read" in client.get("/articles?tag=to rea").text
    assert [row["id"] for row in every_row(client, "/articles", 7)] == [n for n in range(1, 26) if n != 3]
    for path in ("/articles/3", "/articles/3/sentences", "/articles/3/proposals"):
        answer = client.get(path)
        assert (answer.status_code, "was removed from the project" in answer.text) == (404, True), path
    assert 3 not in {row["article"] for row in every_row(client, "/gold", 10)}


@pytest.mark.postgresql
def test_verdicts_come_in_the_order_in_which_they_were_stored(client: Any) -> None:
    rows = every_row(client, "/verdicts", 10)
    assert [row["id"] for row in rows] == [number for (number,) in query("SELECT id FROM verdict ORDER BY id")]
    newer = client.get("/verdicts", params={"after": rows[-3]["id"]}).json()["rows"]
    assert [row["id"] for row in newer] == [row["id"] for row in rows[-2:]]
    of_one = client.get("/verdicts", params={"article": 3}).json()["rows"]
    assert [(row["annotator"], row["sentence"], row["value"]) for row in of_one] == [
        ("Anna", 0, "accept"),
        ("Anna", 1, "reject"),
        ("Anna", 3, "accept"),
        ("Ben", 0, "accept"),
        ("Ben", 2, "unsure"),
    ]


@pytest.mark.parametrize("limit", [1, 9, 500])
def test_the_gold_is_that_of_the_files(client: Any, limit: int) -> None:
    with read() as session:
        expected = gold_rows(session)
    rows = every_row(client, "/gold", limit)
    assert [(row["pmid"], row["sentence_index"], row["label"]) for row in rows] == [
        (row["pmid"], row["sentence_index"], row["label"]) for row in expected
    ]
    given = client.get("/gold").json()
    assert given["label_set_sha256"] in download_manifest().decode() and given["total"] == len(expected) == 76


def test_the_pages_of_the_gold_are_of_one_moment(client: Any) -> None:
    before = [row["label"] for row in every_row(client, "/gold", 500)]
    first = client.get("/gold", params={"limit": 2}).json()
    for number in range(1, 26):  # all is said otherwise, and more is said
        judge("Anna", number, verdict(0, "reject"), verdict(3, "withdrawn"), verdict(4))
    rows, cursor = first["rows"], first["next"]
    while cursor:
        page = client.get("/gold", params={"limit": 20, "cursor": cursor}).json()
        assert (page["label_set_sha256"], page["total"]) == (first["label_set_sha256"], first["total"])
        rows, cursor = rows + page["rows"], page["next"]
    assert [row["label"] for row in rows] == before


def test_a_removal_between_two_pages_of_the_gold_is_said(client: Any) -> None:
    first = client.get("/gold", params={"limit": 2}).json()
    with acting(OPERATOR):
        remove([1])
    answer = client.get("/gold", params={"limit": 2, "cursor": first["next"]})
    assert answer.status_code == 409 and "begin without a cursor" in answer.json()["error"]


def test_the_history_tells_once_who_took_the_gold_out(client: Any) -> None:
    every_row(client, "/gold", 3)
    assert query("SELECT done_by, summary FROM history WHERE kind = 'export'") == [
        ("Zoe", "exported the gold as the API: 76 rows")
    ]


@pytest.mark.postgresql
def test_lists_end_right_where_a_page_does(home: Any) -> None:
    store(paper(pmid="1"), paper(pmid="2"))
    client = program(token_of("Zoe"))
    assert client.get("/articles", params={"limit": 2}).json()["next"] is None
    assert client.get("/gold").json()["rows"] == [] and client.get("/verdicts").json() == {"rows": [], "next": None}


@pytest.mark.parametrize(
    "asked",
    [
        "/articles?limit=0",
        "/articles?limit=501",
        "/articles?limit=x",
        "/articles/0",
        "/articles/99999999999",
        "/articles/one",
        "/verdicts?article=-1",
    ],
)
def test_what_is_no_number_is_refused_and_named(client: Any, asked: str) -> None:
    answer = client.get(asked)
    assert (answer.status_code, answer.json()["error"]) == (422, "not understood")
    assert answer.json()["fields"][0]["field"] in ("query.limit", "path.article_id", "query.article")


def test_a_cursor_serves_for_its_own_list_alone(client: Any) -> None:
    cursor = client.get("/articles", params={"limit": 1}).json()["next"]
    for path in ("/gold", "/verdicts", "/articles/3/sentences", "/articles?search=2", "/jobs"):
        answer = client.get(path, params={"cursor": cursor} | ({"search": "2"} if "?" in path else {}))
        assert answer.status_code == 422 and "no cursor of this list" in answer.json()["error"], path
    of_one = client.get("/verdicts", params={"limit": 1, "article": 3}).json()["next"]
    assert client.get("/verdicts", params={"cursor": of_one}).status_code == 422
    assert client.get("/verdicts", params={"cursor": of_one, "article": 3}).json()["rows"]
    for forged in (cursor[:-1], "e30", "x" * 2_001):
        assert client.get("/articles", params={"cursor": forged}).status_code == 422


def test_what_is_not_there_is_404_in_json(client: Any) -> None:
    for path in ("/articles/99", "/articles/99/sentences", "/articles/99/proposals", "/jobs/99", "/none"):
        answer = client.get(path)
        assert answer.status_code == 404 and answer.json()["error"], path
    assert client.delete("/articles/1").status_code == 405 and client.delete("/articles/1").json()["error"]


def test_a_thousand_articles_are_read_to_the_end(home: Any) -> None:
    with acting(OPERATOR):
        store(*(paper(["A thing was measured."], pmid=str(number)) for number in range(1, 1_001)))
    rows = every_row(program(token_of("Zoe")), "/articles", 500)
    assert len({row["id"] for row in rows}) == 1_000


@pytest.mark.postgresql
def test_snapshots_come_in_pages_the_newest_first(client: Any) -> None:
    names = [f"Frozen {number}" for number in range(5)]
    for name in names[:4]:
        freeze(name, "majority")
    page = client.get("/gold/snapshots", params={"limit": 2}).json()
    freeze(names[4], "majority")
    rows = page["rows"] + client.get("/gold/snapshots", params={"limit": 2, "cursor": page["next"]}).json()["rows"]
    assert [row["name"] for row in rows] == names[3::-1]  # one that came meanwhile shifts nothing
    for limit in (1, 3, 5):
        assert [row["name"] for row in every_row(client, "/gold/snapshots", limit)] == names[::-1]


def test_a_curator_who_takes_proposals_leaves_a_trace_once_a_set(home: Any) -> None:
    store_proposed(1)
    client = program(token_of("Zoe"))
    for _ in range(3):
        assert client.get("/articles/1/proposals").status_code == 200
    noted = "SELECT kind, done_by, article_id, summary FROM history WHERE summary LIKE '%proposals%'"
    assert query(noted) == [("export", "Zoe", 1, "took the proposals by the API")]
    propose(article_ids=[1], ranking=Ranking.COSINE, k=1)
    for path in ("why", "proposals"):
        assert client.get(f"/articles/1/{path}").status_code == 200
        assert len(query(noted)) == 2


def test_who_asks_why_sentences_are_proposed_has_the_article_in_hand(home: Any, monkeypatch: Any) -> None:
    store_proposed(1)
    team()
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    assert program(token_of("Anna")).get("/articles/1/why").json()["parts"]
    assert query("SELECT article_id, with_proposals FROM assignment") == [(1, True)]


def test_a_program_that_meets_a_slow_pattern_may_ask_again_and_is_answered_without_it(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotate.jobs.lifecycle.start_after_other_work", lambda kind, payload: None)
    use_topic(SMALL, by="Zoe")

    def searches(*_: Any, **__: Any) -> None:
        raise SlowPattern(Place(current_topic().rules_sha256, "cues.1.words"))

    with monkeypatch.context() as patch:
        patch.setattr("pages.parts.api.articles.shown_proposals", searches)
        answer = client.get("/articles/3/proposals")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert answer.json()["error"] == "the topic's cues.1.words searches too long and is left out from now on; ask again"
    assert [field for field, _ in current_topic().left_out] == ["cues.1.words"]
    assert client.get("/articles/3/proposals").status_code == 200
