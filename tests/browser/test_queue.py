"""The queue and the ranking that learns, in a real browser: what is next, what moves, and what never does."""

import time
from pathlib import Path
from typing import Any

import pytest

from annotate.active_learning.queue import whats_next
from annotate.review.article_view import RANK_ENDPOINT
from annotate.review.assignments import finish_or_leave
from tests.support.browser import CHROMIUM, chromium, new_page, open_reader, serving, wait_until_saved
from tests.support.corpus import KEY, write_corpus
from tests.support.making import query
from tests.support.queueing import set_queue

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")
ARTICLES = 8
LONG = ARTICLES + 1
VALUES = {"a": "accept", "x": "reject", "s": "unsure"}
# What the expert sees when a key goes down: the sentence, its rank in the text and its rank in the list.
WATCH = """window.pressed = [];
window.addEventListener("keydown", (event) => {
  const all = (node, found = []) => {
    for (const child of node.querySelectorAll("*")) {
      if (child.matches("[aria-current]")) found.push(child);
      if (child.shadowRoot) all(child.shadowRoot, found);
    }
    return found;
  };
  const shown = all(document);
  const sentence = shown.find((node) => node.matches(".sentence"))?.dataset;
  const entry = shown.find((node) => node.matches(".entry"))?.querySelector(".rank").textContent;
  window.pressed.push([event.key, Number(sentence?.sentence), Number(sentence?.rank), Number(entry)]);
}, true);"""


@pytest.fixture
def stocked(tiny_home: Path, tmp_path: Path) -> Path:
    """The made-up corpus and a longer article, embedded and proposed, with a head; nothing is drawn by lot."""
    from annotate.active_learning.article_features import store_features
    from annotate.active_learning.heads import store_base
    from annotate.articles.parsing import find_files, from_bytes, read_articles
    from annotate.proposing.embed import embed
    from annotate.proposing.encoder_versions import proposing_version
    from annotate.proposing.propose import propose
    from tests.support.ingesting import ingest

    write_corpus(tmp_path / "articles", ARTICLES)
    ingest(entry for path in find_files([tmp_path / "articles"]) for entry in read_articles(path))
    lines = ("We edited TP53 in HeLa cells, clone {n}.", "Protein {n} was measured.", "The buffer {n} was known.")
    text = " ".join(lines[n % 3].format(n=n) for n in range(60))
    ingest(from_bytes("long.md", f"# A long article\n\n## Results\n\n{text}".encode()))
    version = proposing_version()
    embed(version)
    propose()
    propose(article_ids=[LONG], k=20)
    store_base(version, store_features(version))
    set_queue()
    return tiny_home


def assignments() -> list[tuple[Any, ...]]:
    return query(
        "SELECT article_id, name, strategy, round(score, 4), ending FROM assignment "
        "JOIN annotator ON annotator.id = annotator_id ORDER BY assignment.id"
    )


def expected_next(reviewer: str) -> tuple[int, str, float]:
    """(article, strategy, score) of what comes next, worked out in this process."""
    (row,) = whats_next(reviewer, 1)
    return row["article_id"], row["strategy"], round(row["score"], 4)


def open_next(page: Any, before: int | None = None) -> int:
    """Waits for the next article's reader; returns the article's id."""
    found = page.wait_for_selector(f'.reader[data-ready]:not([data-ready="{before or 0}"])')
    article_id = int(found.get_attribute("data-ready"))
    page.locator(f'.reader[data-ready="{before or 0}"]').wait_for(state="detached")
    return article_id


def on_screen(page: Any) -> list[int]:
    """Sentences of the proposals by rank, which list and text must agree on."""
    # One look: between two of them a new ranking may have come.
    listed, marked = page.locator(".reader").evaluate(
        """(reader) => [
            [...reader.querySelectorAll(".proposals .rank")].map((node) => Number(node.textContent)),
            [...reader.querySelectorAll(".pane .sentence[data-rank]")].map(
                ({ dataset }) => [Number(dataset.rank), Number(dataset.sentence)],
            ),
        ]"""
    )
    assert sorted(listed) == sorted(rank for rank, _ in marked) == list(range(1, len(marked) + 1))
    return [sentence for _, sentence in sorted(marked)]


def changes_by_rank(before: list[int], after: list[int]) -> list[str]:
    """What the list says beside each rank of a ranking that came after the last verdict."""
    ranks = {sentence: f"was {rank}" for rank, sentence in enumerate(before, start=1)}
    return [
        "" if before[place : place + 1] == [sentence] else ranks.get(sentence, "new")
        for place, sentence in enumerate(after)
    ]


def changes_on_screen(page: Any) -> list[str]:
    """The same as the list says it."""
    return page.locator(".reader").evaluate(
        """(reader) => [...reader.querySelectorAll(".proposals .entry")]
            .map(({ children }) => [Number(children[1].textContent), children[2].textContent])
            .sort(([a], [b]) => a - b).map(([, change]) => change)"""
    )


def current_proposals(article_id: int) -> tuple[str, list[int]]:
    """(ranking, sentence positions by rank) of the newest set."""
    rows = query(
        "SELECT ranking, position FROM proposal JOIN proposal_set ON proposal_set.id = set_id "
        "JOIN sentence ON sentence.id = sentence_id "
        "WHERE set_id = (SELECT max(id) FROM proposal_set WHERE article_id = :article) ORDER BY rank",
        article=article_id,
    )
    return rows[0][0], [position for _, position in rows]


def wait_until_ranked(page: Any, article_id: int) -> None:
    """Waits until the screen shows the newest set."""
    deadline = time.monotonic() + 60
    while on_screen(page) != current_proposals(article_id)[1]:
        assert time.monotonic() < deadline, (on_screen(page), current_proposals(article_id))
        page.wait_for_timeout(100)


class Rankings:
    """Counts what the page asks of the server's ranking, so that a test can wait for an answer as nobody does who
    types on: until it has come, the screen may hold a sentence at another rank than the set that proposed it."""

    def __init__(self, page: Any) -> None:
        self.asked = self.answered = 0
        page.on("request", lambda request: self._count(request, asked=1))
        page.on("requestfinished", lambda request: self._count(request, answered=1))
        page.on("requestfailed", lambda request: self._count(request, answered=1))

    def _count(self, request: Any, *, asked: int = 0, answered: int = 0) -> None:
        if request.url.endswith(RANK_ENDPOINT):
            self.asked += asked
            self.answered += answered

    def wait(self, page: Any, asked_before: int) -> None:
        """Waits until something was asked since and all is answered."""
        deadline = time.monotonic() + 60
        while not (self.asked > asked_before and self.asked == self.answered):
            assert time.monotonic() < deadline, (asked_before, self.asked, self.answered)
            page.wait_for_timeout(20)


def current(page: Any) -> int:
    return int(page.locator(".pane .sentence[aria-current]").get_attribute("data-sentence"))


def given(article_id: int) -> list[tuple[Any, ...]]:
    """(position, value, rank, ranking, set) of all verdict events on an article, in order."""
    return query(
        "SELECT position, value, rank, ranking, proposal_set_id FROM verdict "
        "JOIN sentence ON sentence.id = sentence_id WHERE verdict.article_id = :article ORDER BY verdict.id",
        article=article_id,
    )


def test_the_strategy_names_each_next_article_and_the_ranking_learns(stocked: Path) -> None:
    with serving(stocked) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        rankings = Rankings(page)
        expected = expected_next("Anna")
        page.goto(f"{server.url}/review")
        article_id = open_next(page)
        seen, sets, changes = [], [], []
        for _ in range(3):
            assert (article_id, "Anna", *expected[1:], None) == assignments()[-1]
            assert article_id == expected[0]
            assert page.locator(".reason").text_content().startswith("Why this article: ")
            seen.append(article_id)
            wait_until_ranked(page, article_id)
            sets.append([current_proposals(article_id)])
            while page.locator(".judged").text_content() != f"{len(on_screen(page))} of {len(on_screen(page))} judged":
                at = current(page)
                text = page.locator(f'[data-sentence="{at}"]').text_content()
                asked, before = rankings.asked, on_screen(page)
                page.keyboard.press("a" if text.startswith(KEY) else "x")
                wait_until_saved(page)
                rankings.wait(page, asked)
                wait_until_ranked(page, article_id)
                changes.append(changes_on_screen(page))
                assert changes[-1] == changes_by_rank(before, on_screen(page))
                sets[-1].append(current_proposals(article_id))
            finish_or_leave("Anna", article_id)  # as N does first: what is finished teaches more than what is in hand
            expected = expected_next("Anna")
            page.keyboard.press("n")
            article_id = open_next(page, article_id)
        assert article_id == expected[0]
        assert len({*seen, article_id}) == 4
        assert [row[-1] for row in assignments()] == ["finished"] * 3 + [None]

        # The ranking changed under the verdicts, which was marked until the next one; what was judged stayed, and a
        # reload shows the same.
        assert any(any(marks) for marks in changes)
        assert any(len({tuple(order) for _, order in shown}) > 1 for shown in sets)
        # A live order that is the one before makes no new set.
        assert any(shown[-1][0] == "live" for shown in sets)
        for shown, of in zip(sets, seen, strict=True):
            for position, _, rank, _, set_id in given(of):
                assert shown[-1][1][rank - 1] == position
                assert (position,) in query(
                    "SELECT position FROM proposal JOIN sentence ON sentence.id = sentence_id "
                    "WHERE set_id = :set_id AND rank = :rank",
                    set_id=set_id,
                    rank=rank,
                )
        open_reader(page, server.url, seen[0])
        assert on_screen(page) == current_proposals(seen[0])[1]
        assert page.locator(".judged").text_content() == f"{len(on_screen(page))} of {len(on_screen(page))} judged"


def test_every_key_of_a_burst_lands_on_the_sentence_that_is_shown(stocked: Path) -> None:
    keys = "axsjaxkuasxjjaxuaskaxsjxaxuaxs"
    with serving(stocked) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        page.add_init_script(WATCH)
        open_reader(page, server.url, LONG)
        first = on_screen(page)
        started = time.monotonic()
        for number, key in enumerate(keys, start=1):
            page.keyboard.press(key)
            time.sleep(max(0.0, started + number / 10 - time.monotonic()))
        wait_until_saved(page)
        pressed = page.evaluate("window.pressed")
        wait_until_ranked(page, LONG)
        assert on_screen(page) != first
        rows = iter(given(LONG))
        for key, sentence, rank, listed in pressed:
            if key in VALUES:
                assert rank == listed
                assert next(rows)[:3] == (sentence, VALUES[key], rank)
            elif key == "u":
                next(rows)
        assert list(rows) == []

        # One judgement taken back: it is unjudged again, in its place, with the whole list as it was.
        before, judged = on_screen(page), page.locator(".judged").text_content()
        page.keyboard.press("a")
        page.keyboard.press("u")
        wait_until_saved(page)
        assert page.locator(".judged").text_content() == judged
        assert on_screen(page).index(current(page)) == before.index(current(page))

        # Without its answer the ranking stays and saving goes on; what is signed too long ago the page says.
        page.route("**/api/rank", lambda route: route.fulfill(status=500, body="<html>no answer</html>"))
        before = on_screen(page)
        page.keyboard.press("x")
        wait_until_saved(page)
        assert given(LONG)[-1][1] == "reject"
        assert on_screen(page) == before
        assert not page.locator(".notice").count()
        page.route("**/api/rank", lambda route: route.fulfill(status=403, json={"error": "expired"}))
        page.keyboard.press("x")
        page.get_by_text("Your session has expired: reload the page").wait_for()


def test_a_lease_that_runs_out_brings_the_article_to_somebody_else(stocked: Path) -> None:
    from sqlalchemy import text

    from annotate.project.home import write
    from annotate.project.rights import Right

    with serving(stocked) as server, chromium() as browser:
        anna = new_page(browser, server.url, "Anna")
        anna.goto(f"{server.url}/review")
        in_hand = open_next(anna)
        ben = new_page(browser, server.url, "Ben")
        ben.goto(f"{server.url}/review")
        other = open_next(ben)
        assert other != in_hand
        open_reader(ben, server.url, in_hand)
        ben.get_by_text("Anna is working on this article now").wait_for()
        assert [row[:2] for row in assignments()] == [(in_hand, "Anna"), (other, "Ben")]

        with write(Right.SYSTEM) as session:
            session.execute(text("UPDATE assignment SET leased_until = '2020-01-01T00:00:00.000Z' WHERE id = 1"))
        ben.goto(f"{server.url}/review")
        assert open_next(ben) == other  # what is in hand comes first
        ben.keyboard.press("n")
        assert open_next(ben, other) == in_hand
        assert [(row[0], row[1], row[4]) for row in assignments()] == [
            (in_hand, "Anna", "expired"),
            (other, "Ben", "left"),
            (in_hand, "Ben", None),
        ]
        assert not ben.get_by_text("is working on this article now").count()


def test_an_article_without_proposals_is_read_and_marked_by_hand(stocked: Path) -> None:
    set_queue(blind_share=1.0)
    asked: list[str] = []
    with serving(stocked) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{server.url}/review")
        article_id = open_next(page)
        page.get_by_text("This article comes without proposals").wait_for()
        assert on_screen(page) == []
        for key in "]]m":
            page.keyboard.press(key)
        wait_until_saved(page)
        page.keyboard.press("f")
        page.locator("button.next").click()
        open_next(page, article_id)
        assert not [url for url in asked if url.endswith("/api/rank")]
        assert given(article_id) == [(1, "accept", None, None, None)]
        assert query("SELECT origin FROM verdict") == [("added",)]
        assert assignments()[0][-1] == "finished"
