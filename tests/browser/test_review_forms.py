"""All that opens in Review lies as it should: nothing overlaps, is cut, covered or too small, on three screens."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from annotate.articles.document import Article, Paragraph, Section, SectionKind
from annotate.project.home import write
from annotate.project.rights import Right
from annotate.proposing.embed import embed
from annotate.proposing.encoder_versions import proposing_version
from annotate.proposing.propose import propose
from annotate.review.assignments import take
from annotate.roles.reading import read_articles
from tests.support.browser import CHROMIUM, chromium, new_page, open_reader, serving, wait_for_run, wait_until_saved
from tests.support.labels import gene_labels, set_labels
from tests.support.layout import faults
from tests.support.making import paper, store

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")

SCREENS = [(1440, 900), (1024, 768)]
PHONE = (390, 844)
KEY = "Here we generated a TP53 knockout in HeLa cells using CRISPR-Cas9."
OTHERS = [
    f"The assay of the {number}th study was measured in the buffer of the cells of the patients."
    for number in range(60)
]
LONG, SHORT, BLIND = 1, 2, 3
# How many proposals of the list are seen whole, without scrolling it.
IN_SIGHT = """(lists) => [...lists.querySelectorAll(".entry")]
  .filter((entry) => entry.getBoundingClientRect().bottom <= lists.getBoundingClientRect().bottom).length"""


def long_paper() -> Article:
    """A full text with sections enough to fill a table, and a paragraph of each."""
    titles = ("Introduction", "Materials and methods of the study", "Results", "Discussion", "Conclusions", "Limits")
    body = [
        Section(title, SectionKind.BODY, (Paragraph(" ".join(OTHERS[10 * place : 10 * place + 10])),))
        for place, title in enumerate(titles)
    ]
    abstract = Section("Abstract", SectionKind.ABSTRACT, (Paragraph(f"{OTHERS[0]} {KEY} {OTHERS[1]}"),))
    return Article(f"Loss of TP53 in HeLa cells {'and elsewhere ' * 12}", pmid="1", sections=(abstract, *body))


@pytest.fixture
def url(tiny_home: Path) -> Iterator[str]:
    store(long_paper(), paper(pmid="2"), paper(pmid="3"))
    with write(Right.LABEL) as session:
        set_labels(session, LONG, gene_labels("TP53", "HeLa", "KO"))
    embed(proposing_version())
    propose()
    read_articles()
    take("Anna", BLIND)
    with write(Right.SYSTEM) as session:
        session.execute(text("UPDATE assignment SET with_proposals = false"))
    with serving(tiny_home) as server:
        yield server.url


class Walk:
    """A person who opens one form of Review after another, and what was wrong with each: {what was open: faults}."""

    def __init__(self, browser: Any, url: str, size: tuple[int, int]) -> None:
        self.url = url
        self.page = new_page(browser, url, "Anna", width=size[0], height=size[1])
        self.found: dict[str, list[str]] = {}

    def look(self, name: str, *selectors: str) -> None:
        """Notes what is wrong with these parts of the page, which are on show."""
        for selector in selectors:
            part = self.page.locator(selector)
            part.wait_for()
            if wrong := faults(part):
                self.found[f"{name}: {selector}"] = wrong

    def open(self, article: int) -> None:
        """Opens an article, without the tour."""
        open_reader(self.page, self.url, article)
        tour = self.page.locator(".tour")
        if tour.is_visible():
            tour.get_by_role("button", name="Close").click()

    def press(self, *keys: str) -> None:
        """Presses some keys, one after another, and lets each be stored."""
        for key in keys:
            self.page.keyboard.press(key)
        wait_until_saved(self.page)

    def go_to_unproposed(self) -> None:
        """Goes on to a sentence that is not proposed."""
        while self.page.locator(".sentence[aria-current][data-rank]").count():
            self.page.keyboard.press("]")


def write_of_the_sentence(walk: Walk, around: Sequence[str]) -> None:
    """Comments, notes and labels, being written and standing there."""
    walk.press("c")
    walk.look("a comment that is written", *around, ".comments")
    walk.page.keyboard.type("words " * 60)
    walk.press("Enter")
    walk.look("a comment", *around)
    walk.page.get_by_role("button", name="Article note").click()
    walk.look("a note that is written", *around, ".comments")
    walk.page.keyboard.type("a note")
    walk.press("Enter", "a", "k")
    walk.look("what a sentence names, a comment and a note", *around)
    walk.press("e")
    walk.look("labels that are corrected", *around, ".labels")
    walk.press("Escape")
    walk.page.locator(".why summary").click(position={"x": 8, "y": 8})
    walk.page.locator(".reasons li").first.wait_for()
    walk.look("why it was proposed", *around)
    walk.press("q")
    walk.look("the cosine", *around, ".query")
    assert walk.page.locator(".query").inner_text().startswith("Cosine ")
    walk.press("q")
    assert walk.page.locator(".query").is_hidden()
    walk.page.locator(".why summary").click(position={"x": 8, "y": 8})


def mark_another(walk: Walk, around: Sequence[str]) -> None:
    """A sentence that was not proposed, and its labels."""
    walk.go_to_unproposed()
    walk.look("a sentence that is not proposed", *around)
    walk.press("m")
    walk.look("a missed key sentence", *around)
    walk.press("e")
    walk.look("labels of a missed key sentence", *around, ".labels")
    walk.press("Escape")


def explain(walk: Walk) -> None:
    """The panels that explain."""
    walk.press("?")
    walk.look("help", ".help")
    walk.press("Escape", "g")
    walk.look("guideline", ".guideline", ".rail")
    walk.press("Escape")


def count_roles(walk: Walk) -> None:
    """The roles of the sentences by section."""
    walk.page.locator(".role-counts summary").click()
    walk.look("roles", ".role-counts table")
    walk.page.locator(".role-counts summary").click()


def judge_all(walk: Walk, around: Sequence[str]) -> None:
    """An article of which all is judged."""
    walk.open(SHORT)
    assert walk.page.locator(".queue").inner_text() == "0 of 3 reviewed"
    walk.press("a", "x", "s", "f")
    walk.page.locator(".hint").filter(has_text="Marked as read in full").wait_for()
    walk.look("all judged", *around)
    assert walk.page.locator(".queue").inner_text() == "1 of 3 reviewed"


def take_reading_back(walk: Walk) -> None:
    """An article counts as reviewed until its reading is taken back, in a later visit too."""
    for before, after in (("1", "2"), ("2", "1")):
        walk.open(BLIND)
        assert walk.page.locator(".queue").inner_text() == f"{before} of 3 reviewed"
        walk.press("f")
        assert walk.page.locator(".queue").inner_text() == f"{after} of 3 reviewed"


@pytest.mark.parametrize("size", SCREENS, ids=lambda size: "x".join(map(str, size)))
def test_nothing_overlaps_in_any_form_of_review(url: str, size: tuple[int, int]) -> None:
    around = (".card", ".rail")
    with chromium() as browser:
        walk = Walk(browser, url, size)
        open_reader(walk.page, url, LONG)
        walk.look("the tour", ".tour", ".rail")
        walk.open(LONG)
        walk.look("the article", ".st-key-article_heading", ".within", *around)
        legend = {mark.inner_text(): mark.get_attribute("class") for mark in walk.page.locator(".legend mark").all()}
        assert list(legend) == ["Gene", "Cell", "Edit"]
        assert all(walk.page.locator(f'.pane [class="{style}"]').count() for style in legend.values())
        assert walk.page.locator(".lists").evaluate(IN_SIGHT) == walk.page.locator(".entry").count() == 5
        write_of_the_sentence(walk, around)
        mark_another(walk, around)
        explain(walk)
        count_roles(walk)
        for button in walk.page.locator("[data-testid=stPopover] button").all():
            name = button.inner_text()
            button.click()
            wait_for_run(walk.page)
            walk.look(name, "[data-testid=stPopoverBody]")
            walk.page.keyboard.press("Escape")
            walk.page.locator("[data-testid=stPopoverBody]").wait_for(state="detached")
        judge_all(walk, around)
        walk.open(BLIND)
        walk.look("an article without proposals", *around)
    assert walk.found == {}


def test_on_a_phone_each_form_comes_into_sight_as_it_opens_and_help_lies_over_all(url: str) -> None:
    around = (".rail",)  # it scrolls, with all that stands in it
    with chromium() as browser:
        walk = Walk(browser, url, PHONE)
        walk.open(LONG)
        for part in (".st-key-article_heading span", ".within .reason", ".role-counts", ".rail kbd"):
            assert walk.page.locator(part).first.is_hidden(), part
        menu = walk.page.locator(".shown-roles")  # of which no word is cut
        assert menu.evaluate("(menu) => menu.offsetWidth >= menu.scrollWidth && menu.offsetWidth > 130")
        write_of_the_sentence(walk, around)
        mark_another(walk, around)
        explain(walk)
        judge_all(walk, around)
        take_reading_back(walk)
        walk.press("?")
        panel, frame = (walk.page.locator(part).bounding_box() for part in (".help", ".frame"))
    assert walk.found == {}
    assert panel["height"] > 0.9 * frame["height"] and panel["width"] > 0.9 * frame["width"]


# How far down the text is scrolled, and how far it can be.
PLACE = "(pane) => [pane.scrollTop, pane.scrollHeight - pane.clientHeight]"


def test_an_article_that_fits_is_never_scrolled_and_a_longer_one_shows_its_first_proposal(tiny_home: Path) -> None:
    fitting, longer = [*OTHERS[:11], KEY], [*OTHERS[:30], KEY, *OTHERS[30:]]
    store(paper(fitting, pmid="1"), paper(longer, pmid="2"))
    embed(proposing_version())
    propose()
    with serving(tiny_home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        reader = open_reader(page, server.url, 1)
        assert reader.locator(".tour").is_visible()  # which lies over the foot of the text
        assert reader.locator(".pane").evaluate(PLACE)[0] == 0
        pane, here = (page.locator(part).bounding_box() for part in (".pane", ".sentence[aria-current]"))
        assert here["y"] > pane["y"] + pane["height"] / 2  # in the middle, it would have scrolled the text
        reader.locator(".tour").get_by_role("button", name="Close").click()
        for key in ("", "j", "j", "]", "k"):
            if key:
                page.keyboard.press(key)
            assert reader.locator(".pane").evaluate(PLACE) == [0, 0]
        open_reader(page, server.url, 2)
        pane, here = (page.locator(part).bounding_box() for part in (".pane", ".sentence[aria-current]"))
        assert pane["y"] < here["y"] and here["y"] + here["height"] < pane["y"] + pane["height"]
        assert page.locator(".pane").evaluate(PLACE)[0] > 0


WRONG = """<style>
  form { position: relative; width: 300px; height: 200px }
  form * { position: absolute; box-sizing: border-box; margin: 0 }
</style>
<form>
  <p style="top: 0">Words</p><button style="top: 4px; left: 10px">Over them</button>
  <button style="top: 60px; left: 250px; width: 100px">Beyond</button>
  <button style="top: 100px; width: 9px; height: 9px; padding: 0"></button>
  <button style="top: 140px; width: 60px">Hidden away</button>
  <i style="top: 130px; width: 90px; height: 50px; background: red"></i>
  <span style="top: 100px; left: 100px; width: 20px; overflow: hidden; white-space: nowrap">Cut words</span>
</form>"""


def test_the_measure_of_forms_sees_each_kind_of_fault_and_none_where_all_is_well() -> None:
    with chromium() as browser:
        page = browser.new_page()
        page.set_content("<form><label>Name <input></label> <button>Save</button> <kbd>Esc</kbd> cancels</form>")
        assert faults(page.locator("form")) == []
        page.set_content(WRONG)
        assert set(faults(page.locator("form"))) == {
            '"Cut words" is cut',
            'button submit "Beyond" is outside of the form',
            'button submit "" is small: 9 by 9',
            'button submit "Hidden away" is covered by i ""',
            '"Words" and button submit "Over them" overlap',
        }
