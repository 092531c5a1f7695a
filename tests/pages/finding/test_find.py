"""The page Find, run without a browser: what it says where there is nothing, what it shows, and to whom."""

import pytest
from streamlit.testing.v1 import AppTest

from annotate.articles.document_labels import store_labels
from annotate.finding.asking.saved import save
from annotate.topics.file import shipped
from annotate.topics.project_topic import use_topic
from tests.annotate.search.conftest import library
from tests.pages.finding.conftest import keys, listed, opened, view
from tests.support.finding import ask, index, relevance, say
from tests.support.labels import gene_labels
from tests.support.making import judge, paper, query, store, store_proposed, verdict
from tests.support.told import captions

__all__ = ["library"]
pytestmark = pytest.mark.usefixtures("home")
EVIL = "<img src=x onerror=alert(1)> **TP53** [a](http://b)"


def test_without_articles_it_says_what_to_do() -> None:
    page = opened()
    assert "no articles yet" in page.info[0].value
    assert "No saved search yet" in view(page, "Saved").info[0].value
    (find,) = [button for button in page.button if button.label == "Find something"]
    assert "no articles yet" in find.click().run().info[0].value
    assert view(page, "Europe PMC").text_area(key="find_query").value == ""


def test_a_question_is_asked_by_facet_with_the_names_of_labels() -> None:
    store_proposed(2)
    store(paper(("Loss of p53 slows growth.",), pmid="7", title=EVIL, journal="J Test", year=2020))
    store_labels(1, gene_labels("TP53|p53", "", ""))
    page = opened()
    page.session_state.find_stages = ["words"]  # without an encoder
    page.multiselect(key="find_gene").set_value(["TP53"]).run()
    assert page.multiselect(key="find_also_gene_TP53").value == ["p53"]
    page.button(key="find_ask").click().run()
    assert not page.exception
    assert query("SELECT name FROM question") == [("TP53",)]
    row = next(row for row in listed(page)["rows"] if row["key"] == "pmid:7")
    assert "".join(words for words, _ in row["title"]) == EVIL and ["TP53", "blue"] in row["title"]
    assert row["meta"] == "J Test · 2020" and row["state"] == "no proposals yet"
    assert row["why"] == "names TP53, p53" and row["ranks"].startswith("Words ")
    (sentence,) = row["sentences"]
    assert sentence["parts"] == [["Loss of ", ""], ["p53", "blue"], [" slows growth.", ""]]
    assert sentence["href"] == "/review?article=3&sentence=0"
    other = next(row for row in listed(page)["rows"] if row["key"] == "pmid:1")
    assert "".join(words for words, _ in other["sentences"][0]["parts"]) == "Here we deleted TP53 in HeLa cells."


def test_only_what_matches_and_waits_is_queued_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotate.finding.matching.DEEPEST", 1)  # the other article is further down
    store_proposed(2)
    page = opened(question=ask("Anna"))
    assert [row["next"] for row in listed(page)["rows"]].count(True) == 1 and len(keys(page)) == 2
    judge("Anna", 1, verdict(0), verdict(1))
    judge("Anna", 2, verdict(0), verdict(1))
    page.run()
    assert not any(row["next"] for row in listed(page)["rows"])


def test_an_empty_question_is_refused_with_the_reason() -> None:
    store_proposed(1)
    page = opened()
    page.button(key="find_ask").click().run()
    assert "The search is empty".lower() in page.error[0].value.lower()
    assert query("SELECT * FROM question") == []


def test_the_question_of_another_is_not_shown_nor_what_was_said_of_it() -> None:
    store_proposed(2)
    mine = ask("Ben")
    say("Ben", mine, relevance("pmid:1"))
    page = opened("Anna", question=mine)
    assert "no search" in page.warning[0].value.lower()
    save("Ben", mine, "Shared", shared=True)
    page = opened("Anna", question=mine)
    assert listed(page)["judged"] == [] and {row["said"] for row in listed(page)["rows"]} == {""}
    assert listed(page)["question"]["id"] != mine  # what is said here would be refused for Ben's


def test_what_was_said_stands_in_a_list_of_its_own() -> None:
    store_proposed(3)
    mine = ask("Anna")
    say("Anna", mine, relevance("pmid:2", "not"), relevance("pmid:1"))
    page = opened(question=mine)
    assert keys(page) == ["pmid:3"]
    assert [(row["key"], row["said"]) for row in listed(page)["judged"]] == [("pmid:1", "relevant"), ("pmid:2", "not")]
    assert any("1 relevant and 1 not" in part.value for part in page.markdown)


@pytest.mark.postgresql
def test_only_full_texts_and_only_what_is_not_reviewed() -> None:
    store_proposed(1)
    store(paper(body=("We deleted TP53 in these cells.",), pmid="9"))
    page = opened(question=ask("Anna"))
    assert sorted(keys(page)) == ["pmid:1", "pmid:9"]
    page.checkbox(key="find_full").check().run()
    assert keys(page) == ["pmid:9"]
    page.checkbox(key="find_full").uncheck()
    page.selectbox(key="find_reviewed").set_value("reviewed by me").run()
    assert keys(page) == []


def test_a_saved_search_tells_what_is_new_until_it_is_seen() -> None:
    store_proposed(2)
    mine = ask("Anna")
    save("Anna", mine, "Loss of p53")
    page = view(opened(), "Saved")
    assert "Nothing new" in captions(page)
    store(paper(pmid="8", title="TP53 once more"))
    page.run()
    assert "1 new since" in captions(page) and "TP53 once more" in page.markdown[-1].value
    page.button(key=f"find_seen_{mine}").click().run()
    assert "Nothing new" in captions(page)
    page.button(key=f"find_open_{mine}").click().run()
    assert "pmid:8" in keys(page) and page.multiselect(key="find_gene").value == ["TP53"]


def test_what_the_index_takes_in_later_is_new_in_a_tab_that_looked_before(monkeypatch: pytest.MonkeyPatch) -> None:
    store_proposed(2)
    mine = ask("Anna")
    save("Anna", mine, "Loss of p53")
    page = view(opened(), "Saved")
    store(paper(pmid="8", title="TP53 once more"))
    monkeypatch.setattr("pages.parts.finding.index_notice.start_after_other_work", lambda *_: None)
    with monkeypatch.context() as much:  # more is missing than a search puts in by itself
        much.setattr("annotate.search.upkeep.BATCH_ARTICLES", 0)
        page.run()
        assert any("Nothing new" in caption.value for caption in page.caption)
    index()
    page.run()
    assert "1 new since" in captions(page) and "TP53 once more" in page.markdown[-1].value


def test_what_another_shares_is_opened_as_ones_own() -> None:
    store_proposed(1)
    theirs = ask("Ben")
    save("Ben", theirs, "Bens", shared=True)
    page = view(opened("Anna"), "Saved")
    page.button(key=f"find_open_{theirs}").click().run()
    assert not page.exception
    assert listed(page)["question"]["id"] != theirs
    assert len(query("SELECT * FROM question")) == 2


def test_screening_counts_what_was_judged_and_draws_lots() -> None:
    store_proposed(12)
    mine = ask("Anna")
    say("Anna", mine, relevance("pmid:1"), relevance("pmid:2", "not"))
    page = view(opened(question=mine), "Screen")
    assert [metric.value for metric in page.metric] == ["2", "1", "0", "–"]
    assert page.metric[0].label == "Screened, of 12" and listed(page)["one"]
    rows = listed(page)["rows"]
    assert len(rows) == 10 and [place for place, row in enumerate(rows) if row["drawn"]] == [2, 7]
    assert [row["waiting"] for row in rows if row["drawn"]] == [8, 3]
    say("Anna", mine, relevance(rows[2]["key"]) | {"waiting": 8})
    page.run()
    assert listed(page)["judged"][0]["waiting"] == 8  # a correction stays a draw
    page = view(page, "Find")  # the form is as it was
    assert page.multiselect(key="find_gene").value == ["TP53"] and page.text_input(key="find_text").value == "in cells"


def test_without_a_question_all_articles_are_screened_and_an_unsure_one_teaches_nothing() -> None:
    words = {True: "Zebrafish embryos grew.", False: "Poems of harvest."}
    store(*(paper((words[number in (2, 5)],), pmid=str(number)) for number in range(1, 7)))
    page = view(opened(), "Screen")
    assert keys(page)[0] == "pmid:1" and len(keys(page)) == 6
    assert listed(page)["rows"][0]["abstract"] == [[["Poems of harvest.", ""]]]
    mine = int(page.query_params["question"][0])
    say("Anna", mine, relevance("pmid:2"), relevance("pmid:3", "unsure"))
    page.run()
    assert keys(page) == ["pmid:1", "pmid:4", "pmid:5", "pmid:6"]  # one kind alone teaches nothing
    say("Anna", mine, relevance("pmid:1", "not"))
    page.run()
    assert keys(page)[0] == "pmid:5"
    assert ["Zebrafish", "learnt"] in listed(page)["rows"][0]["abstract"][0]
    assert [row["said"] for row in listed(page)["judged"]] == ["not", "unsure", "relevant"]
    assert [metric.value for metric in page.metric] == ["3", "1", "1", "–"]
    say("Anna", mine, *(relevance(f"pmid:{number}", "not") for number in (4, 5, 6)))
    page.run()
    assert "Every article" in page.success[0].value and len(page.success) == 1
    assert [metric.value for metric in page.metric] == ["6", "1", "1", "0"]
    assert "Type words" in captions(view(page, "Find"))


def test_a_topic_without_facets_asks_by_words_alone() -> None:
    store_proposed(1)
    use_topic(shipped("blank").text, by="Anna", source="blank")
    page = opened()
    assert [field.key for field in page.multiselect] == ["find_journals", "find_tags", "find_without_tags"]
    page.session_state.find_stages = ["words"]
    page.text_input(key="find_text").set_value("TP53").run()
    page.button(key="find_ask").click().run()
    assert keys(page) == ["pmid:1"]


def typed(text: str) -> AppTest:
    """The page after something was typed into its box."""
    page = opened()
    page.session_state.find_stages = ["words"]
    page.text_input(key="find_text").set_value(text).run()
    assert not page.exception
    return page


def test_names_that_are_known_become_chips_with_their_other_names_and_can_be_taken_out() -> None:
    store_proposed(2)
    store_labels(1, gene_labels("TP53|p53", "HeLa", ""))
    page = typed('deleted p53 in hela "TP53 in"')
    assert page.text_input(key="find_text").value == 'deleted in "TP53 in"'
    assert [page.multiselect(key=f"find_{kind}").value for kind in ("gene", "cell")] == [["p53"], ["hela"]]
    assert page.multiselect(key="find_also_gene_p53").value == ["TP53"]
    assert dict(page.query_params)["q"] == 'p53 hela deleted in "TP53 in"'
    assert listed(page)["rows"][0]["why"] == "names TP53, hela; deleted in the text"
    page.button(key="find_out_gene_p53").click().run()
    assert page.multiselect(key="find_gene").value == [] and page.multiselect(key="find_cell").value == ["hela"]
    assert dict(page.query_params)["q"] == 'hela deleted in "TP53 in"'


def test_names_go_with_the_words_they_were_typed_with_and_clear_empties_the_form() -> None:
    store_proposed(2)
    store_labels(1, gene_labels("TP53|p53", "HeLa", ""))
    page = typed("deleted p53 in cells")
    page.text_input(key="find_text").set_value("deleted hela").run()
    assert [page.multiselect(key=f"find_{kind}").value for kind in ("gene", "cell")] == [["p53"], ["hela"]]
    page.text_input(key="find_text").set_value("growth in serum").run()
    assert page.multiselect(key="find_gene").value == page.multiselect(key="find_cell").value == []
    page.button(key="find_clear").click().run()
    assert page.text_input(key="find_text").value == "" and not dict(page.query_params)
    assert "Type words" in captions(page)


def test_a_corrected_word_keeps_the_names_typed_with_it_and_new_words_keep_names_chosen_by_hand() -> None:
    store_proposed(2)
    store_labels(1, gene_labels("TP53|p53", "HeLa", ""))
    page = typed("TP53 mutaton delete")
    for corrected in ("mutation", "mutations", "mutated"):
        page.text_input(key="find_text").set_value(corrected).run()
        assert page.multiselect(key="find_gene").value == ["TP53"]
    page.button(key="find_out_gene_TP53").click().run()
    page.multiselect(key="find_gene").set_value(["TP53"]).run()
    page.text_input(key="find_text").set_value("serum").run()
    assert page.multiselect(key="find_gene").value == ["TP53"]


def test_it_says_how_many_match_all_and_some_and_lists_these_first(monkeypatch: pytest.MonkeyPatch) -> None:
    store(paper(("Yeast grows in serum.",), pmid="1"), paper(("Serum rose.",), pmid="2"), paper(("None.",), pmid="3"))
    page = typed("serum yeast")
    assert page.markdown[-1].value.startswith("**1 match all**, 1 some")
    with monkeypatch.context() as few:
        few.setattr("pages.parts.finding.results.DEEPEST", 1)
        page.run()
    assert page.markdown[-1].value.startswith("**1 or more match all**")
    assert keys(page) == ["pmid:1", "pmid:2"]
    page.selectbox(key="find_match").set_value("match all").run()
    assert keys(page) == ["pmid:1"]


def test_words_of_a_question_that_say_nothing_are_neither_marked_nor_wanted_nor_a_reason() -> None:
    store(paper(("Yeast, which grows, rose in serum.",), pmid="1"), paper(("Serum fed yeast.",), pmid="2"))
    page = typed("Which serum fed which yeast")
    assert page.markdown[-1].value.startswith("**1 match all**, 1 some")
    rows = listed(page)["rows"]
    marks = {words.lower() for row in rows for each in row["sentences"] for words, mark in each["parts"] if mark}
    assert {"yeast", "serum"} <= marks and "which" not in marks
    assert not any("which" in row["why"].lower() for row in rows)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('"serum proteins"', ["pmid:2"]),
        ("mutat*", ["pmid:1", "pmid:2"]),
        ("title:yeast OR title:serum", ["pmid:2", "pmid:3"]),
        ("journal:nature year:2020..2021", ["pmid:3"]),
        ("gene:TP53 NOT serum", ["pmid:1"]),
        ("yeast serum journal:nature", ["pmid:2", "pmid:3"]),
        ("section:results", ["pmid:1", "pmid:2"]),
    ],
)
@pytest.mark.usefixtures("library")
def test_what_the_search_understands_must_hold(text: str, found: list[str]) -> None:
    assert sorted(keys(typed(text))) == found


@pytest.mark.usefixtures("library")
def test_sentences_open_in_review_with_their_words_marked_in_the_sections_that_are_asked_for() -> None:
    (row,) = listed(typed("deleted TP53 section:abstract year:2015"))["rows"]
    assert {each["href"] for each in row["sentences"]} <= {f"/review?article=1&sentence={at}" for at in range(3)}
    assert ["deleted", "word"] in [part for each in row["sentences"] for part in each["parts"]]
    assert row["meta"] == "PLoS One · 2015" and "deleted in the text" in row["why"]


@pytest.mark.usefixtures("library")
def test_a_filter_without_words_lists_what_passes_and_a_field_is_typed_into_the_box() -> None:
    page = opened()
    page.multiselect(key="find_journals").set_value(["Nature"]).run()
    page.button(key="find_ask").click().run()
    assert keys(page) == ["pmid:3", "pmid:2"]  # the newest import first
    page.selectbox(key="find_in_section").set_value("results").run()
    assert page.text_input(key="find_text").value == 'section:"results"'
    page.button(key="find_ask").click().run()
    assert keys(page) == ["pmid:2"]


@pytest.mark.usefixtures("library")
def test_what_cannot_be_understood_is_refused_with_its_place() -> None:
    for text, told in (
        ("titel:TP53", "did you mean title?: titel:"),
        ("what (is", "parenthesis is not closed: ("),
        ("yeast section:metods", "no section 'metods', only"),
    ):
        assert told in typed(text).error[0].value.replace("\\", "")
    assert not typed('yeast "of the"').error  # what is too common is left out


@pytest.mark.usefixtures("library")
def test_an_address_that_says_what_was_typed_is_asked_by_whoever_opens_it() -> None:
    theirs = ask("Ben", "yeast")
    page = opened("Anna", q="yeast OR serum", question=theirs)
    assert sorted(keys(page)) == ["pmid:2", "pmid:3"] and not page.warning
    assert dict(page.query_params)["question"] != str(theirs)


@pytest.mark.postgresql
def test_articles_that_one_judged_in_part_can_be_told_from_others() -> None:
    store_proposed(2)
    judge("Anna", 2, verdict(0))
    page = opened(question=ask("Anna"))
    for chosen, found in (("judged by me", ["pmid:2"]), ("not judged by me", ["pmid:1"])):
        page.selectbox(key="find_reviewed").set_value(chosen).run()
        assert keys(page) == found


def test_of_many_sentences_that_match_the_best_stand_first() -> None:
    store(paper(("Serum rose.", "Serum fell.", "Yeast grows.", "Yeast grows in serum."), pmid="1", title="Nothing"))
    (row,) = listed(typed("serum yeast"))["rows"]
    assert len(row["sentences"]) == 4 and "3" in [each["href"][-1] for each in row["sentences"][:2]]
