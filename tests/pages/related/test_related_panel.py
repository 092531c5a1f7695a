"""The panel Related over all articles: an article's links and suggestions, a text, a verdict and its way back."""

import pytest
from streamlit.testing.v1 import AppTest

from annotate.finding.search_vectors import store_vectors
from annotate.jobs.lifecycle import enqueue
from annotate.proposing.embed import embed
from annotate.proposing.encoder_versions import proposing_version
from tests.annotate.related.making import store_linked
from tests.support.making import paper, query, store
from tests.support.paths import PAGES
from tests.support.told import html, table_named


def opened(**address: str) -> AppTest:
    test = AppTest.from_file(str(PAGES / "articles.py"), default_timeout=60)
    test.session_state.annotator = "Anna"
    for name, value in {"panel": "related", **address}.items():
        test.query_params[name] = value
    test.run()
    assert not test.exception
    return test


@pytest.fixture
def linked(tiny_home):
    store_linked()
    embed(proposing_version())
    store_vectors(proposing_version())


def buttons(test: AppTest, label: str) -> list:
    return [each for each in test.button if each.label == label]


def test_without_an_article_a_text_or_a_file_is_asked_for(linked):
    assert opened().segmented_control(key="related_source").options == ["A text", "A BibTeX file"]


def test_a_panel_makes_way_for_the_dialog_that_a_button_of_the_page_opens(linked):
    test = opened(article="1")
    for label in ("API tokens", "My keys"):
        test.query_params["panel"] = "related"
        (button,) = buttons(test.run(), label)
        button.click().run()
        assert not test.exception and dict(test.query_params) == {"article": "1"}


def test_an_article_shows_its_links_and_suggestions_and_a_verdict_can_be_taken_back(linked):
    test = opened(article="1")
    assert any("Cites **2**" in each.value for each in test.markdown)
    assert table_named(test, "Cites")[0][:2] == ["Reference", "Identifier"]
    assert 'href="https://pubmed.ncbi.nlm.nih.gov/' in html(test)
    before = len(buttons(test, "Not related"))
    assert before >= 3 and not test.get("link_button")
    buttons(test, "Not related")[0].click().run()
    assert len(buttons(test, "Not related")) == before - 1
    assert query("SELECT asked, related FROM related_verdict") == [("pmid:1", 0)]
    buttons(test, "Undo")[0].click().run()
    assert len(buttons(test, "Not related")) == before


def test_an_article_offers_to_import_the_cited_works_that_are_missing_and_nothing_where_none_is(linked):
    store(paper(("It cites nothing.",), pmid="5", title="On rice"))
    assert len(buttons(opened(article="1"), "Import 2 that are not here")) == 1
    assert not [each.label for each in opened(article="5").button if "not here" in each.label]


def test_an_import_that_runs_can_be_cancelled(linked):
    enqueue("import", {"ids": ["pmid:9"]})
    assert len(buttons(opened(article="1"), "Cancel")) == 2  # one on the page, the other in the panel that lies over it


def test_a_pasted_text_finds_works_and_stays_after_a_look_at_the_other_source(linked):
    test = opened(article="1")
    test.segmented_control(key="related_source").set_value("A text").run()
    test.text_area[0].set_value("We measured sleep of mice.").run()
    assert not test.exception
    assert buttons(test, "Not related")
    for source in ("A BibTeX file", "A text"):
        test.segmented_control(key="related_source").set_value(source).run()
    assert not test.exception and test.text_area[0].value == "We measured sleep of mice."


def test_an_unknown_article_is_an_error_in_words(linked):
    assert "no article 77" in opened(article="77").error[0].value
