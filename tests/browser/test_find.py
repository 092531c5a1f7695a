"""Find in a real browser: from a question to three reviewed articles, a saved search, screening with an estimate."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from annotate.articles.document_labels import store_labels
from annotate.finding.asking.saved import Asked, keep
from annotate.finding.question import Facet, Question
from pages.parts.finding.found_list import FIND_ENDPOINT
from tests.support.browser import (
    CHROMIUM,
    choose_files,
    chromium,
    downloaded,
    new_page,
    open_palette,
    serving,
    wait_for_run,
    wait_until_saved,
    wait_until_seen,
)
from tests.support.finding import ask, index, relevance, say, screened
from tests.support.labels import gene_labels
from tests.support.making import paper, query, store, store_proposed
from tests.support.queueing import set_queue
from tests.support.waiting import wait_until

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")
FILLER = tuple(f"Sentence number {number} tells of nothing at all." for number in range(60))
EVIL = "<img src=x onerror='document.title=1'> *TP53*"


@pytest.fixture
def project(home: Path) -> Path:
    """Eight articles with proposals, and one with a hostile title."""
    store_proposed(8)
    store(paper(pmid="99", title=EVIL))
    set_queue()
    index()
    return home


def opened(browser: Any, url: str, question_id: int, rows: int) -> Any:
    page = new_page(browser, url, "Anna")
    page.goto(f"{url}/find?question={question_id}")
    expect(page.locator(".found > article")).to_have_count(rows)
    wait_for_run(page)
    return page


def at(page: Any) -> str:
    """The key of the article at hand."""
    return page.locator(".found article[aria-current]").get_attribute("data-key")


def view(page: Any, name: str) -> None:
    page.get_by_test_id("stButtonGroup").first.get_by_text(name, exact=True).click()
    wait_for_run(page)


def said() -> list[tuple[Any, ...]]:
    return query("SELECT article_key, grade FROM relevance ORDER BY id")


def test_from_a_question_to_three_reviewed_articles(project: Path) -> None:
    with serving(project) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        page.goto(f"{server.url}/find")
        wait_for_run(page)
        page.get_by_role("button", name="Filters").click()
        for stage in ("Meaning", "Like the best", "Close to the best", "Titles"):  # there is no encoder
            page.get_by_role("button", name=stage, exact=True).click()
            wait_for_run(page)
        page.keyboard.press("Escape")
        box = page.get_by_role("searchbox", name="What do you look for?")
        box.fill("deletion of TP53 in HeLa cells")
        box.press("Enter")
        expect(page.locator(".found > article")).to_have_count(9)
        wait_for_run(page)
        assert page.title() != "1"

        wanted = [at(page)]
        for _ in range(2):
            page.keyboard.press("j")
            wanted.append(at(page))
        for _ in range(2):
            page.keyboard.press("k")
        for key in ("q", "j", "q", "j", "q"):
            page.keyboard.press(key)
        expect(page.locator(".found [role=status]")).to_have_text("All saved.")
        numbers = [number for (number,) in query("SELECT article_id FROM queue_request ORDER BY id")]
        keys = dict(query("SELECT id, key FROM article"))
        assert [keys[number] for number in numbers] == wanted

        for number in numbers:  # the queue hands them out, in the order in which they were put in
            if number == 9:
                continue  # it holds no proposals yet
            page.goto(f"{server.url}/review")
            page.wait_for_selector(f'.reader[data-ready="{number}"]')
            page.keyboard.press("a")
            page.keyboard.press("a")
            wait_until_saved(page)
            page.locator("button.next").click()
            wait_for_run(page)
        judged = {number for (number,) in query("SELECT DISTINCT article_id FROM verdict")}
        assert judged == set(numbers) - {9}


def test_a_name_is_a_chip_before_enter_and_its_other_names_stand_behind_it(project: Path) -> None:
    store_labels(1, gene_labels("TP53|p53", "", ""))
    by_words = ask("Anna", named=False)
    with serving(project) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        page.goto(f"{server.url}/find?question={by_words}")
        wait_for_run(page)
        chip = page.get_by_role("button", name="TP53 · Gene")
        expect(chip).to_have_count(0)
        box = page.get_by_role("searchbox", name="What do you look for?")
        box.fill("")
        box.press_sequentially("loss of TP53")
        expect(chip).to_be_visible()
        expect(box).to_have_value("loss of TP53")
        box.press("Enter")
        expect(box).to_have_value("loss of")
        wait_for_run(page)
        expect(chip).to_have_count(1)
        wait_until(lambda: '"TP53"' in query("SELECT question FROM question ORDER BY id DESC LIMIT 1")[0][0])
        chip.click()
        expect(page.get_by_test_id("stPopoverBody").get_by_text("p53", exact=True)).to_be_visible()
        page.keyboard.press("Escape")
        page.get_by_role("button", name="×").click()
        wait_until(lambda: '"TP53"' not in query("SELECT question FROM question ORDER BY id DESC LIMIT 1")[0][0])
        wait_for_run(page)
        expect(chip).to_have_count(0)
        assert not page.get_by_role("alert").count()


def test_what_is_judged_by_key_is_on_disk_and_the_rest_keeps_its_place(project: Path) -> None:
    mine = ask("Anna")
    with serving(project) as server, chromium() as browser:
        page = opened(browser, server.url, mine, 9)
        assert EVIL in page.locator(".found").text_content()
        first = at(page)
        page.keyboard.press("r")
        second = at(page)
        page.keyboard.press("x")
        third = at(page)
        expect(page.locator(".found details article")).to_have_count(2)
        assert said() == [(first, 1), (second, 0)] and at(page) == third
        page.keyboard.press("u")
        expect(page.locator(".found details article")).to_have_count(1)
        assert said()[-1] == (second, None) and at(page) == third
        expect(page.locator(".found > details > summary")).to_have_text("Your last verdicts")

        page.get_by_role("searchbox", name="What do you look for?").click()
        page.keyboard.type("rx")  # what is typed into a field is no answer
        page.keyboard.press("Escape")
        assert len(said()) == 3

        page.reload()
        expect(page.locator(".found details article")).to_have_count(1)
        assert page.locator(".found details article").get_attribute("data-key") == first


def test_a_double_click_judges_once_in_the_list_and_in_a_screening(project: Path) -> None:
    mine = ask("Anna")
    with serving(project) as server, chromium() as browser:
        page = opened(browser, server.url, mine, 9)
        first = at(page)
        page.get_by_role("button", name="Relevant", exact=True).first.dblclick()
        expect(page.locator(".found details article")).to_have_count(1)
        expect(page.locator(".found [role=status]")).to_have_text("All saved.")
        assert said() == [(first, 1)]
        page.goto(f"{server.url}/find?question={mine}&find_view=Screen")
        screened(page, 1)
        wait_until_seen(page)
        page.locator(".found > article").get_by_role("button", name="Not relevant").dblclick()
        screened(page, 2)
        wait_until_seen(page)
        press = "found => found.querySelector(':scope > article .buttons button').click()"
        for _ in range(2):  # two clicks in a row, of which the second one came too soon
            page.locator(".found").evaluate(press)
        screened(page, 3)
        assert [grade for _, grade in said()] == [1, 0, 1]


def test_an_answer_that_is_refused_is_taken_back_and_one_without_a_server_is_stored_once(
    project: Path,
) -> None:
    mine = ask("Anna")

    def refuse(route: Any) -> None:
        events = json.loads(route.request.post_data)["events"]
        route.fulfill(
            json={"stored": [], "refused": [{"id": each["id"], "reason": "no such thing"} for each in events]}
        )

    with serving(project) as server, chromium() as browser:
        page = opened(browser, server.url, mine, 9)
        first = at(page)
        page.route(f"**{FIND_ENDPOINT}", refuse)
        page.keyboard.press("r")
        status = page.locator(".found [role=status]")
        expect(status).to_have_text("Not saved, and undone here: no such thing.")
        expect(page.locator('.found [data-said="relevant"]')).to_have_count(0)
        page.unroute(f"**{FIND_ENDPOINT}")
        page.keyboard.press("x")  # another answer ends the notice, and is stored
        expect(status).to_have_text("All saved.")
        assert [grade for _, grade in said()] == [0] and said()[0][0] != first

        third = at(page)
        server.kill()
        page.keyboard.press("r")
        expect(status).to_have_text("Not saved yet: 1 kept in this browser, and sent again until stored.")
        assert len(said()) == 1
        server.start()
        expect(status).to_have_text("All saved.")
        assert said()[1:] == [(third, 1)]


def test_a_saved_search_tells_what_is_new(project: Path) -> None:
    mine = ask("Anna")
    with serving(project) as server, chromium() as browser:
        page = opened(browser, server.url, mine, 9)
        page.get_by_text("Save or export this search").click()
        page.get_by_role("textbox", name="Name").fill("Loss of p53")
        page.get_by_role("textbox", name="Name").press("Enter")
        wait_for_run(page)
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_role("button", name="Remove from the list")).to_be_visible()
        assert len(downloaded(page, "TREC run").read_text().splitlines()) == 9
        view(page, "Saved")
        expect(page.get_by_text("Nothing new since")).to_be_visible()
        store(paper(pmid="100", title="TP53 once more"))
        page.reload()
        expect(page.get_by_text("1 new since")).to_be_visible()
        expect(page.get_by_text("TP53 once more")).to_be_visible()
        page.get_by_role("button", name="Mark as seen").click()
        expect(page.get_by_text("Nothing new since")).to_be_visible()


RECORD = "TY  - JOUR\nTI  - {}\nAB  - {}\nDO  - 10.1000/{}\nER  -\n"


def answer(page: Any, key: str) -> str:
    """Presses a key on the record at hand and returns the title of the record, once another one is there."""
    card = page.locator(".found > article")
    title = card.locator(".title").text_content()
    wait_until_seen(page)
    page.keyboard.press(key)
    expect(card.locator(".title").or_(page.get_by_text("is screened."))).not_to_have_text(title)
    return title


def import_records(page: Any, url: str, file: Path) -> None:
    """Imports a file of records as it is, and opens the screening of all articles."""
    page.goto(f"{url}/import_articles")
    choose_files(page, page.locator("input[type=file]").first, file)
    page.get_by_text("Fetch what RIS").click()
    wait_for_run(page)
    page.get_by_role("button", name="Import the files").click()
    expect(page.get_by_text("The import has ended: 13 stored")).to_be_visible()
    page.get_by_role("link", name="Screen the articles").click()


def test_a_reviewer_screens_a_file_of_records_by_key_and_nothing_is_lost(home: Path, tmp_path: Path) -> None:
    words = {True: "Glyphosate harmed zebrafish embryos.", False: "Poems of harvest and rain."}
    told = [RECORD.format(f"Record {n}", words[n in (3, 11, 12)], n) for n in range(1, 13)]
    (file := tmp_path / "records.ris").write_text("".join([*told, "TY  - JOUR\nTI  - A bare title\nER  -\n"]))
    with serving(home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        import_records(page, server.url, file)
        card = page.locator(".found > article")
        expect(card.locator(".abstract")).to_have_text(words[False])
        wait_until_seen(page)
        for _ in range(2):  # pressed twice, it is said once
            page.keyboard.press("x")
        screened(page, 1)
        given = ["Record 1"]
        while len(given) < 3 or "Record 3" not in given:
            here = card.locator(".title").text_content()
            given.append(answer(page, "r" if here == "Record 3" else "s" if len(given) == 1 else "x"))
        screened(page, len(given))
        given.append(answer(page, "x"))  # it was at hand before the order had learnt
        expect(card.locator("mark").first).to_have_text("Glyphosate")
        found = answer(page, "r")
        assert found in ("Record 11", "Record 12")
        wait_until_seen(page)
        page.keyboard.press("u")
        expect(card.locator(".title")).to_have_text(found)
        screened(page, len(given))

        before = said()
        page.reload()
        screened(page, len(given))
        page.locator(".found[data-ready]").wait_for()
        assert said() == before
        page.keyboard.press("u")  # also what was said before the page was loaded
        expect(card.locator(".title")).to_have_text(given.pop())
        screened(page, len(given))
        while len(given) < 13:
            given.append(answer(page, "x"))
        screened(page, 13)
        page.get_by_text("PRISMA counts and files").click()
        counts = dict(line.rsplit(",", 1) for line in downloaded(page, "Counts as CSV").read_text().splitlines())
        assert counts["Screening,Records screened"] == counts["Identification,Records identified"] == "13"
        assert counts["Screening,Reports sought for retrieval"] == "2"
        assert downloaded(page, "RIS of relevant").read_text().count("TI  - Record") == 2


def test_screening_goes_on_after_a_restart_and_tells_what_is_left(home: Path) -> None:
    store(
        *(
            paper(("We deleted TP53." if number % 5 == 0 else "We measured KRAS.",), pmid=str(number))
            for number in range(1, 61)
        )
    )
    index()
    mine = keep("Anna", Asked(Question("deleted measured", {"gene": (Facet("TP53"),)}), ("words",)))
    events = [
        relevance(
            f"pmid:{number}", "not" if number % 5 else "relevant", waiting=60 - number if number % 6 == 0 else None
        )
        for number in range(1, 31)
    ]
    say("Anna", mine, *events)
    with serving(home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        page.goto(f"{server.url}/find?question={mine}&find_view=Screen")
        screened(page, 30)
        expect(page.get_by_text("Found so far")).to_be_visible()
        page.locator(".found[data-ready]").wait_for()
        server.kill()
        wait_until_seen(page)
        page.keyboard.press("x")
        expect(page.locator(".found [role=status]")).to_have_text(
            "Not saved yet: 1 kept in this browser, and sent again until stored."
        )
        server.start()
        page.reload()
        screened(page, 31)
        assert len(said()) == 31


def test_an_old_address_of_the_search_leads_to_sentences_that_open_in_review_and_can_be_judged(
    tiny_home: Path,
) -> None:
    store(
        paper(("Cells grew.",), (*FILLER, "The zebrafish swam away."), pmid="1", title="A long paper"),
        paper(("Mice <b>ran</b>.",), pmid="2", title="Another paper"),
    )
    index()
    with serving(tiny_home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna", width=1024, height=768)
        page.goto(f"{server.url}/search?q=mice+OR+cells")
        found = page.locator(".found > article")
        expect(found).to_have_count(2)
        expect(page.locator(".found")).to_contain_text("Mice <b>ran</b>.")
        assert "/find?" in page.url
        wait_for_run(page)
        box = page.get_by_role("searchbox", name="What do you look for?")
        box.fill("(mice")
        box.press("Enter")
        expect(page.get_by_text("this parenthesis is not closed")).to_be_visible()
        for words in ("mice", "swam"):  # from Find itself
            open_palette(page)
            page.keyboard.type(words)
            page.get_by_role("option", name=f"Find: {words}").click()
            expect(box).to_have_value(words)
            expect(found).to_have_count(1)
            wait_for_run(page)
        box.fill("zebraf*")
        box.press("Enter")
        expect(found).to_have_count(1)
        expect(found.locator("mark")).to_have_text(["zebrafish"])
        wait_for_run(page)
        found.get_by_role("link", name="sentence 62").click()
        page.wait_for_selector(".reader[data-ready]")
        assert "sentence=61" in page.url
        here = page.locator(".reader .sentence[aria-current]")
        expect(here).to_contain_text("zebrafish")
        expect(here).to_be_in_viewport()
        page.keyboard.press("m")
        wait_until_saved(page)
        assert query("SELECT position FROM sentence JOIN verdict ON sentence.id = sentence_id") == [(61,)]
