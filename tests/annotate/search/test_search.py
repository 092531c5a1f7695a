"""Searching stored articles and sentences: fields, joins, filters, order, and what is shown of them."""

import pytest

from annotate.articles.document_labels import parse_labels, store_labels
from annotate.finding.matching import understood
from annotate.finding.question import Question
from annotate.project.home import read
from annotate.search.index_files import stored_index
from annotate.search.queries import BadQuery, terms
from annotate.search.reading import read_query
from annotate.search.search import DEEPEST, by_words, spans
from annotate.search.upkeep import update
from annotate.topics.file import shipped
from annotate.topics.project_topic import use_topic
from tests.annotate.search.conftest import articles, asked, read_by_people, sentences
from tests.support.making import paper, store

ARTICLES = [
    ("mutation", {1, 2}),
    ("mutat*", {1, 2}),
    ("IL-6 serum", {2}),
    ("il6", {1, 2}),
    ("yeast OR serum", {2, 3}),
    ("rose NOT serum", {1}),
    ("NOT rose", {3}),
    ('"loss of p53"', {1}),
    ('"p53 of loss"', set()),
    ("knock-outs", {1}),
    ("title:serum", {2}),
    ("abstract:mutations", set()),
    ("p53[tiab]", {1}),
    ("serum[mh]", {2}),
    ("journal:nature", {2, 3}),
    ('"plos one"[ta]', {1}),
    ("year:2016..2020", {2}),
    ("2019:2021[dp]", {2, 3}),
    ("year:<0000", set()),
    ("gene:TP53", {1, 2}),
    ("label:p53", {1}),
    ("entity:tp53", {2}),
    ("entity:7157", {1, 2}),
    ("cell:hek293t", {1}),
    ("cell:HEK*", {1}),
    ("edit:KO", {1}),
    ("organism:yeast", set()),
    ("section:results", {1, 2}),
    ("key:pmid:3", {3}),
    ("pmid:2 OR key:1", {1, 2}),
    ("the rose", {1, 2}),
]


def test_articles_that_answer(indexed):
    for typed, found in ARTICLES:
        assert set(articles(typed)) == found, typed
        assert asked(typed).count == len(found), typed


SENTENCES = [
    ("TP53", [(1, 1), (2, 2)]),
    ("gene:TP53", [(1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (2, 2)]),  # the label is of all of article 1
    ("entity:tp53", [(2, 2)]),
    ("section:results mutat*", [(1, 4), (2, 2)]),
    ("abstract:rose", [(1, 2), (2, 0)]),
    ("title:serum rose", [(2, 0)]),
    ("journal:plos rose", [(1, 2)]),
    ("key:pmid:3", [(3, 0)]),
    ("rose NOT year:2019", [(1, 2)]),
]


def test_sentences_that_answer(indexed):
    for typed, found in SENTENCES:
        assert sentences(typed) == found, typed


def test_a_word_in_the_title_counts_more_and_the_newest_come_first_where_no_word_is_asked(ask):
    assert articles("TP53") == [1, 2]
    assert articles("journal:nature") == [3, 2]
    assert all(hit.score > 0 for hit in ask("TP53").hits)
    assert [hit.score for hit in ask("journal:nature").hits] == [0.0, 0.0]


def test_mesh_terms_are_found_by_name_and_code_once_an_article_has_them(indexed):
    assert articles("fibrosis[mh]") == articles("D003550[mh]") == []
    store(paper(pmid="3", title="Yeast", mesh=("D003550:Cystic Fibrosis",)))
    assert update() == 1
    assert articles('"cystic fibrosis"[mh]') == articles("mesh:D003550") == [3]
    assert sentences("fibrosis[mh]") == [(3, 0)]
    assert articles("fibrosis") == []
    index = stored_index()
    assert index is not None
    assert [number for number, _ in by_words(index, "fibrosis", 5)] == [3]


def test_where_nothing_holds_all_words_those_with_some_are_found_and_it_is_said(ask):
    found = ask("yeast serum journal:nature")
    assert (found.loosened, found.count) == (True, 2)
    assert not ask("serum rose").loosened
    assert ask("nowhere").count == 0


def test_hits_come_page_by_page_and_not_beyond_the_deepest(ask):
    pages = [ask("", limit=2, offset=offset) for offset in (0, 2, 4)]
    assert [[hit.article_id for hit in page.hits] for page in pages] == [[3, 2], [1], []]
    assert {page.count for page in pages} == {3}
    with pytest.raises(BadQuery, match="only the first"):
        ask("", limit=2, offset=DEEPEST)
    with pytest.raises(BadQuery, match="at least one"):
        ask("", limit=0)


def test_stop_words_alone_are_refused_with_their_place(ask):
    with pytest.raises(BadQuery, match="too common") as caught:
        ask("the")
    assert caught.value.place == (0, 3)
    with pytest.raises(BadQuery, match="no section 'kitchen', only abstract"):
        ask("section:kitchen")
    with pytest.raises(BadQuery, match="no section 's'"):
        ask("section:s")
    with pytest.raises(BadQuery, match="all of these words"):
        ask("the OR of")


def marked_words(text: str, typed: str) -> list[str]:
    """The words of a text that are marked where that was asked."""
    return [text[start:end] for start, end in spans(text, terms(read_query(typed)))]


@pytest.mark.postgresql
def test_an_article_is_shown_with_its_best_sentences_and_the_words_marked(indexed):
    typed = '"deleted TP53" OR knock-outs'
    (hit,) = read_by_people(typed)
    assert (hit.key, hit.journal, hit.year) == ("pmid:1", "PLoS One", 2015)
    marked = {each.position: marked_words(each.text, typed) for each in hit.sentences}
    assert marked == {1: ["deleted", "TP53"], 3: ["knock", "outs"]}
    assert [each.section for each in hit.sentences] == ["Abstract", "Results"]
    assert marked_words(hit.title, typed) == []


def test_a_sentence_is_shown_with_its_article(indexed):
    (hit,) = read_by_people("il-6 serum", sentences=True)
    ((sentence),) = hit.sentences
    assert (hit.title, sentence.position, sentence.text) == ("Serum proteins", 1, "IL6 was measured in serum.")
    assert marked_words(hit.title, "il-6 serum") == ["Serum"]
    assert marked_words(sentence.text, "il-6 serum") == ["IL6", "serum"]


def test_articles_are_ranked_by_any_of_many_words_for_find(indexed):
    index = stored_index()
    assert index is not None
    found = by_words(index, "which serum proteins are in yeast?", 10)
    assert [number for number, _ in found] == [2, 3]
    assert found[0][1] > found[1][1] > 0
    assert by_words(index, "( ] *", 10) == by_words(index, "serum", 0) == []


def test_an_empty_library_answers_nothing(home):
    assert update() == 0
    assert asked("anything", sentences=True).count == asked("").count == 0


def test_labels_are_found_by_the_kinds_of_the_project_s_topic(home):
    use_topic(shipped("clinical_trial_findings").text, by="Anna")
    store(paper(pmid="1"), paper(pmid="2"))
    store_labels(1, parse_labels({"intervention": "usual care", "outcome": "pain at rest"}))
    store_labels(2, parse_labels({"comparator": "usual care", "outcome": "pain|pain at night"}))
    assert update() == 2
    assert articles('intervention:"usual care"') == [1]
    assert articles('comparator:"usual care"') == [2]
    assert set(articles("outcome:pain*")) == set(articles('label:"usual care"')) == {1, 2}


def test_a_beginning_that_is_longer_than_the_stem_finds_the_words_that_begin_so(home):
    store(
        paper(("Patients were randomized to two arms.",), pmid="1", title="A trial of sleep"),
        paper(("Patients were randomised to two arms.",), pmid="2", title="A trial of rest"),
        paper(("A transgenic line and the generation of it.",), pmid="3", title="Other work"),
    )
    update()
    assert articles("randomiz*") == [1]
    assert {*articles("randomi*")} == {1, 2}
    assert articles('"patients were randomiz*"') == [1]
    assert articles("transgeni*") == articles("generati*") == [3]
    assert articles("randomizx*") == []


def test_a_beginning_in_quotes_is_found_behind_stop_words_and_where_it_is_one_itself(indexed):
    assert articles('"loss of p5*"') == [1]
    assert articles('"knock-outs were sequ*"') == articles('"the knock-outs were sequenci*"') == [1]
    assert articles('"the ye*"') == [3]
    assert articles('"il6 was meas*"') == [2]
    assert articles('"deleted t*"') == [1]
    assert articles('"loss of th*"') == articles('"loss p5*"') == []


def test_a_beginning_in_quotes_finds_every_word_that_begins_so(home):
    store(*(paper((f"Patients with co{n}x came.",), pmid=str(n)) for n in range(1, 61)))
    update()
    assert asked('"patients with co*"').count == asked('"patients with co*"', sentences=True).count == 60
    store(paper(("Patients with " + " ".join(f"co{n}" for n in range(2**14)) + ".",), pmid="61"))
    update()
    for in_sentences in (False, True):
        with pytest.raises(BadQuery, match="too many words begin"):
            asked('"patients with co*"', sentences=in_sentences)
    with read() as session, pytest.raises(BadQuery, match="too many words begin"):
        understood(session, Question('grow "patients with co*"'))
    assert asked('"patients with co1*"').count == 11


def test_a_phrase_does_not_begin_in_one_text_and_end_in_the_next(home):
    store(paper(("Mice were bred.",), pmid="1", title="Loss of p53"))
    update()
    assert articles('"loss of p53"') == [1]
    assert articles('"p53 loss"') == articles('"p53 mice"') == []


@pytest.mark.parametrize(
    "typed",
    [
        "doi:10.1016/0092-8674(94)90333-6",
        "doi:https://doi.org/10.1016/0092-8674(94)90333-6",
        "(doi:10.1016/0092-8674(94)90333-6 OR pmid:7)",
        "(pmid:7 OR doi:10.1016/0092-8674(94)90333-6)",
        "doi:10.1016/0092-8674*",
        "(pmid:7 OR key:10.1016/0092-8674(94)*)",
    ],
)
def test_a_doi_with_parentheses_is_found_also_by_its_beginning(home, typed):
    store(paper(("It is.",), pmid="1", doi="10.1016/0092-8674(94)90333-6"))
    update()
    assert articles(typed) == [1]
