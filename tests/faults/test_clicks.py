"""Clicks that meet a fault: a lock that another process holds, a cut connection, an app that draws more slowly."""

import ast
import asyncio
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import db.engine
from annotate.project.home import database
from annotate.review.article_view import ENDPOINT, reading_view
from annotate.review.verdicts import record, sign
from db.engine import BUSY_TIMEOUT_MS, DatabaseBusy
from tests.support.browser import CHROMIUM, Server, chromium, new_page, open_reader, serving, wait_until_saved
from tests.support.copies import Copy
from tests.support.each import each
from tests.support.figures import times
from tests.support.making import judge, query, store_proposed, verdict
from tests.support.oracle import assert_sound
from tests.support.paths import ROOT
from tests.support.wire import Tab, post

pytestmark = [pytest.mark.usefixtures("home"), pytest.mark.sqlite, pytest.mark.timeout(7200)]

# --- Another process holds the lock ---

HOLDER = """
import signal, sys
from pathlib import Path
from db.engine import engine
with engine(Path(sys.argv[1])).begin():
    print("held", flush=True)
    signal.pause()
"""


@contextmanager
def lock_held() -> Iterator[None]:
    """Another process is in a write transaction as long as the block lasts."""
    process = Copy(HOLDER, str(database()))
    try:
        assert process.stdout.readline().strip() == "held"
        yield
        assert process.poll() is None
    finally:
        process.kill()
        process.wait(30)


def test_while_the_lock_is_held_every_click_is_told_in_time_and_reads_go_on(home):
    """Three clicks at once, the third of which would wait for three timeouts if each began to count at its turn."""
    store_proposed(2)
    token = sign("Anna", 1)
    answers: list[tuple[float, int, dict[str, Any]]] = []

    def click(event: dict[str, Any]) -> None:
        started = time.monotonic()
        status, answer = post(server, ENDPOINT, token=token, events=[event])
        answers.append((time.monotonic() - started, status, answer))

    with serving(home) as server:
        asyncio.run(drawn(server, "articles"))
        events = [verdict(number) for number in range(3)]
        with lock_held():
            threads = [threading.Thread(target=click, args=(event,)) for event in events]
            for thread in threads:
                thread.start()
            asyncio.run(drawn(server, "articles"))
            for thread in threads:
                thread.join()
            assert len(answers) == 3
            for seconds, status, answer in answers:
                assert status == 503 and answer["error"].startswith("not saved")
                assert BUSY_TIMEOUT_MS / 1000 - 1 < seconds < 2 * BUSY_TIMEOUT_MS / 1000
            assert query("SELECT count(*) FROM verdict") == [(0,)]
        for _ in range(2):  # the page sends again what it kept, and once more if it does not hear
            status, answer = post(server, ENDPOINT, token=token, events=events)
            assert (status, len(answer["stored"])) == (200, 3)
    sent = [event["id"] for event in events]
    assert_sound(sent, sent)


async def drawn(server: Server, page: str, query_string: str = "", annotator: str = "Cleo") -> None:
    """Opens a page in a session of its own."""
    async with Tab(server, annotator) as tab:
        assert await tab.open(page, query_string)


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")
def test_a_verdict_given_while_the_lock_is_held_stays_on_the_page_and_is_saved_by_itself(home):
    store_proposed(1)
    with serving(home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        open_reader(page, server.url, 1)
        with lock_held():
            page.keyboard.press("a")
            page.wait_for_selector('.save[data-state="offline"]', timeout=20_000)
            assert "kept in this browser" in page.locator(".save").text_content()
            assert list(on_screen(page).values()) == ["accept"]
        wait_until_saved(page)
    assert query("SELECT value, count(*) FROM verdict GROUP BY 1") == [("accept", 1)]
    assert_sound([])


def test_the_time_that_others_of_this_process_waited_counts_too(monkeypatch):
    store_proposed(1)
    monkeypatch.setattr(db.engine, "BUSY_TIMEOUT_MS", 1_000)
    waited: list[float] = []

    def click() -> None:
        started = time.monotonic()
        with pytest.raises(DatabaseBusy):
            record("Anna", 1, [verdict(0)])
        waited.append(time.monotonic() - started)

    with lock_held():
        threads = [threading.Thread(target=click) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(waited) == 6 and max(waited) < 4  # six if each began to count at its turn
    judge("Anna", 1, verdict(0))  # the gate is open


# --- The connection is cut, the tab closed, the app killed ---


def on_screen(page: Any) -> dict[str, str]:
    """Verdict by sentence, as the reader shows them."""
    found = page.locator(".pane [data-sentence][data-verdict]").evaluate_all(
        "nodes => nodes.map((node) => [node.dataset.sentence, node.dataset.verdict])"
    )
    return dict(found)


def stored_for(annotator: str, article_id: int) -> dict[str, str]:
    """The same as stored."""
    state = reading_view(article_id, annotator)["state"]
    return {str(position): value for position, value in state["verdicts"].items()}


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")
def test_what_was_acknowledged_is_on_the_page_again_after_a_cut_a_closed_tab_and_a_kill(home, record_property):
    """Each of them in turn, in the middle of a burst of verdicts by two people, and of a note that nobody saved."""
    store_proposed(2)
    generator = random.Random(3)
    with serving(home) as server, chromium() as browser:
        pages = {name: new_page(browser, server.url, name) for name in ("Anna", "Ben")}
        for number, page in enumerate(pages.values(), start=1):
            open_reader(page, server.url, number)
        for turn in range(times(3, 100)):
            for name in list(pages):
                for _ in range(3):
                    pages[name].keyboard.press(generator.choice("axs[]"))
            fault = ("cut", "closed", "killed")[turn % 3]
            if fault != "cut":
                for name, page in pages.items():
                    begin_note(page, f"note {turn} of {name}")
            if fault == "killed":
                time.sleep(generator.uniform(0, 0.3))
                server.kill()
            saved = {name: int(page.locator(".reader").get_attribute("data-saved")) for name, page in pages.items()}
            if fault == "killed":
                counts = {name: count_of(name) for name in pages}
                server.start()
            for number, name in enumerate(pages, start=1):
                if fault == "cut":
                    pages[name].context.set_offline(True)
                    pages[name].keyboard.press("a")
                    begin_note(pages[name], f"note {turn} of {name}")
                    pages[name].context.set_offline(False)
                elif fault == "closed":
                    context = pages[name].context
                    pages[name].close()  # at once, as when the browser dies: the page is not told
                    pages[name] = context.new_page()
                    pages[name].set_default_timeout(60_000)
                if fault == "killed":
                    assert counts[name] >= saved[name]
                open_reader(pages[name], server.url, number)  # a reload: what waited goes on from the browser's store
                wait_until_saved(pages[name])
                given = stored_for(name, number)
                assert on_screen(pages[name]) == given, (turn, fault, name)
                # The first proposal that has no verdict, of the two in their order, is at hand.
                assert at_hand(pages[name]) == next((each for each in "10" if each not in given), "1")
                assert (f"note {turn} of {name}",) in query("SELECT text FROM comment"), (turn, fault, name)
    whose = query("SELECT DISTINCT name, article_id FROM verdict JOIN annotator a ON a.id = annotator_id ORDER BY 1")
    assert whose == [("Anna", 1), ("Ben", 2)]
    pairs = "SELECT DISTINCT name, substr(text, -4) FROM comment JOIN annotator a ON a.id = annotator_id ORDER BY 1"
    assert query(pairs) == [("Anna", "Anna"), ("Ben", " Ben")]
    assert_sound([])
    record_property("cuts_closed_tabs_and_kills", times(3, 100))
    record_property("verdicts", sum(count_of(name) for name in pages))


def begin_note(page: Any, words: str) -> None:
    """Types a note on the present sentence, and does not save it."""
    page.keyboard.press("c")
    page.locator(".rail textarea").fill(words)


def at_hand(page: Any) -> str:
    """The sentence that the next key judges."""
    return page.locator(".pane [aria-current]").first.get_attribute("data-sentence")


def count_of(annotator: str) -> int:
    """How many verdicts of an annotator are stored."""
    sql = "SELECT count(*) FROM verdict JOIN annotator a ON a.id = annotator_id WHERE a.name = :name"
    return query(sql, name=annotator)[0][0]


# --- Faster than the app can draw ---

PAGES = ("review", "queue", "articles", "gold", "history", "agreement", "retrain", "evaluate")


def click_at_random(run: AppTest, generator: random.Random) -> str:
    """Presses, chooses or types something that the page shows; returns what."""
    kinds = {kind: list(getattr(run, kind)) for kind in ("button", "selectbox", "checkbox", "text_input", "toggle")}
    shown = [(kind, part) for kind, parts in kinds.items() for part in parts if not part.disabled]
    if not shown:
        return "nothing"
    kind, part = generator.choice(shown)
    if kind == "button":
        part.click()
    elif kind == "selectbox":
        part.select_index(generator.randrange(len(part.options))) if part.options else None
    elif kind == "text_input":
        part.input(generator.choice(("", "TP53|p53; MDM2", "=1+1", "x" * 300, "1", "<b>&amp;</b>")))
    else:
        part.set_value(not part.value)
    return f"{kind} {part.label}"


def test_clicks_at_random_break_no_page_and_lose_no_verdict(monkeypatch, record_property):
    """Over all pages, with verdicts posted between, as fast as the pages take them."""
    monkeypatch.setattr(
        "annotate.jobs.lifecycle._start_process", lambda job_id, attempt: None
    )  # no training in a test of clicks
    store_proposed(6)
    judge("Anna", 1, verdict(0), verdict(1, "reject"))
    acknowledged: list[str] = []
    generator = random.Random(4)
    done: list[str] = []
    for number in range(times(30, 500)):
        if number % 10 == 0:
            name = PAGES[number // 10 % len(PAGES)]
            run = AppTest.from_file(str(ROOT / "pages" / f"{name}.py"), default_timeout=60)
            run.session_state["annotator"] = ("Anna", "Ben")[number // 10 % 2]
            run.run()
            done.append(name)
        done.append(click_at_random(run, generator))
        acknowledged += record("Anna", number % 6 + 1, [verdict(generator.randrange(3), "accept")])[0]
        run.run()
        assert not run.exception, (done[-12:], run.exception)
    assert len(set(done)) > min(15, times(30, 500) // 3)
    assert_sound(acknowledged)
    record_property("clicks", times(30, 500))


def test_a_rerun_that_cuts_the_one_before_off_leaves_every_write_whole(home, record_property):
    """Streamlit ends a script wherever it draws when the next click comes: here at another place each time."""
    store_proposed(4)
    generator = random.Random(5)
    with serving(home) as server:
        asyncio.run(drawn(server, "review", "article=1", "Anna"))
        asyncio.run(hammered(server, [generator.uniform(0, 0.2) for _ in range(times(25, 500))]))
    # However often a visit was begun, nobody holds an article twice, and no lease is half made.
    held = query("SELECT annotator_id, article_id, count(*) FROM assignment WHERE ended_at IS NULL GROUP BY 1, 2")
    assert held and all(count == 1 for _, _, count in held)
    assert_sound([])
    record_property("reruns_cut_off", times(25, 500))


async def hammered(server: Server, pauses: list[float]) -> None:
    """Asks for one article after the other without waiting for any, then for a page that must come whole."""
    async with Tab(server, "Anna") as tab:
        async with tab.reading():
            for number, pause in enumerate(pauses):
                await tab.ask("review", f"article={number % 4 + 1}")
                await asyncio.sleep(pause)
        assert await tab.open("articles")


# --- No drawing while the database is held ---


def holds_the_lock(node: ast.With) -> bool:
    """Whether a block is a write transaction."""
    calls = [item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call)]
    return any(getattr(call.func, "id", getattr(call.func, "attr", "")) in ("write", "writing") for call in calls)


@each(sorted((ROOT / "pages").rglob("*.py")))
def test_no_page_draws_within_a_write_transaction(path):
    """Streamlit may end the script at any st. call: the transaction would be rolled back with what was clicked."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.With) and holds_the_lock(node):
            used = [inner.value.id for inner in ast.walk(node) if isinstance(inner, ast.Attribute)
                    and isinstance(inner.value, ast.Name) and inner.value.id == "st"]  # fmt: skip
            assert not used, f"line {node.lineno}"


@pytest.mark.parametrize(
    ("code", "found"),
    [("with write(x) as s:\n  a()", True), ("with db.engine.writing(x):\n  a()", True), ("with read():\n  a()", False)],
)
def test_a_write_transaction_is_told_from_others(code, found):
    assert holds_the_lock(ast.parse(code).body[0]) is found
