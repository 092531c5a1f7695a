"""A work under two names, such as a preprint and its publication, lies in one split."""

from itertools import count

import pytest

import annotate.articles.importing.splitting
import db.articles
import db.rows
from annotate.articles.article_rows import OTHER_TEXT, split_of
from annotate.articles.document import Article
from annotate.articles.import_report import ImportOutcome
from annotate.articles.works import divided_works
from annotate.project.home import read, write
from annotate.project.rights import Right
from db import tables
from tests.support.making import judge, paper, pmids, query, store, verdict

pytestmark = pytest.mark.usefixtures("home")

TITLE = "Deletion of TP53 slows the growth of HeLa cells"
TEXT = (
    "The gene TP53 guards the genome of human cells, and what its loss does to growth is not known.",
    "Here we deleted TP53 in HeLa cells.",
)
DOI = next(f"10.1101/{n}" for n in count() if split_of(f"doi:10.1101/{n}") == "test")
(PMID,) = pmids("train", 1)


def preprint(title: str = TITLE, text: tuple[str, ...] = TEXT, **values: str) -> Article:
    """A record under a DOI alone, whose own split would be test."""
    return paper(text, title=title, **{"doi": DOI, **values})


def publication(title: str = TITLE, text: tuple[str, ...] = TEXT, **values: str) -> Article:
    """A record under a PMID, whose own split would be train."""
    return paper(text, title=title, pmid=PMID, **values)


def splits() -> list[str]:
    """The splits of all articles, by id."""
    return [split for (split,) in query("SELECT split FROM article ORDER BY id")]


def test_preprint_and_publication_of_one_import_are_in_one_split():
    assert store(preprint(), publication(doi="10.1/x")).counts == {ImportOutcome.STORED: 2}
    assert splits() == ["test", "test"]


@pytest.mark.parametrize(("articles", "split"), [((preprint, publication), "test"), ((publication, preprint), "train")])
def test_of_two_imports_the_second_takes_the_split_of_the_first(articles, split):
    for article in articles:
        store(article())
    assert splits() == [split, split]


def test_it_is_found_in_later_batches_too(monkeypatch):
    monkeypatch.setattr(annotate.articles.importing.splitting, "BATCH_ARTICLES", 1)
    store(paper(pmid="1"), preprint(), paper(pmid="2"), publication(), publication(pmcid="PMC7"))
    assert splits()[1:] == ["test", split_of("pmid:2"), "test"]


@pytest.mark.parametrize(
    ("title", "first"),
    [
        (f"{TITLE.upper()}.", TEXT[0]),
        (TITLE.replace(" ", "\u00a0"), TEXT[0]),
        ("Deletion of TP53 slows the growth of He-La cells", TEXT[0]),
        ("Deletion_of TP53 slows the growth of \uff28\uff45\uff2c\uff41 cells", TEXT[0]),
        (TITLE, f"Background: {TEXT[0]}"),
        (TITLE, f"ABSTRACT Objectives {TEXT[0]}"),
        (TITLE, TEXT[0].replace("is not known", "was studied before by nobody")),
    ],
)
def test_signs_case_and_headings_hide_no_work(title, first):
    store(preprint())
    store(publication(title, (first, TEXT[1])))
    assert splits() == ["test", "test"]


@pytest.mark.parametrize(
    ("title", "first"),
    [
        (TITLE, f"We asked what {TEXT[0]}"),
        (f"{TITLE} and A549 cells", TEXT[0]),
    ],
)
def test_another_title_or_another_beginning_is_another_work(title, first):
    store(preprint(), publication(title, (first, TEXT[1])))
    assert splits() == ["test", "train"]


@pytest.mark.parametrize(
    "title", ["Editorial", "TP53 in cells", "Letter to the Editor", "Reply to the authors of this"]
)
def test_short_and_general_titles_link_nothing(title):
    store(preprint(title), publication(title))
    assert splits() == ["test", "train"]


def test_without_words_enough_to_compare_titles_link_nothing():
    store(preprint(text=("No abstract available.",)), publication(text=("No abstract available.",)))
    assert splits() == ["test", "train"]
    assert split_of("doi:10.9/empty1") != split_of("doi:10.9/empty2")
    store(preprint(text=(), doi="10.9/empty1"), preprint(text=(), doi="10.9/empty2"))
    assert splits()[2:] == [split_of("doi:10.9/empty1"), split_of("doi:10.9/empty2")]


def test_a_record_that_names_both_identifiers_makes_the_two_one_article():
    store(publication("One title of this work here"))
    store(publication("One title of this work here", doi=DOI))
    report = store(preprint("Another title of this work here", ("It begins otherwise.",)))
    assert report.counts == {ImportOutcome.ALREADY_THERE: 1}
    assert query("SELECT pmid, doi, split FROM article") == [(PMID, DOI, "train")]


def test_a_record_that_links_two_stored_articles_of_two_splits_says_so():
    store(publication("One title of this work here"), preprint("Another title of this work here"))
    report = store(publication(doi=DOI))
    assert report.counts == {ImportOutcome.ALREADY_THERE: 1}
    linked = f"is one work under pmid:{PMID} (train) and doi:{DOI} (test), which keep their splits"
    assert linked in [warning for _, warning in report.warnings]
    assert splits() == ["train", "test"]


def test_two_pmids_that_share_a_doi_are_in_one_split():
    (other,) = pmids("test", 1)
    store(publication("One title", doi=DOI), paper(("Another text.",), pmid=other, doi=DOI))
    assert query("SELECT pmid, split FROM article ORDER BY id") == [(PMID, "train"), (other, "train")]


def test_full_text_keeps_the_split_and_its_work():
    store(preprint(), publication())
    store(paper(TEXT, ("Growth of the cells decreased.",), title=TITLE, pmid=PMID))
    (other,) = pmids("validation", 1)
    store(paper(TEXT, ("Growth of the cells decreased.",), title=TITLE, pmid=other))
    assert splits() == ["test", "test", "test"]


def test_works_that_an_earlier_release_put_into_two_splits_are_listed_and_stay():
    store(preprint(), publication())
    with read() as session:
        assert divided_works(session) == []
    with write(Right.SYSTEM) as session:
        db.rows.change(session, tables.Article, 2, split="train")
    store(paper(pmid="1"), publication(pmcid="PMC7"))
    with read() as session:
        assert divided_works(session) == [(1, 2)]
    (other,) = pmids("validation", 1)
    store(paper(TEXT, title=TITLE, pmid=other))
    assert splits() == ["test", "train", split_of("pmid:1"), "test"]
    with read() as session:
        assert divided_works(session) == [(1, 2, 4)]


def test_many_articles_of_one_title_are_read_once_each(monkeypatch):
    asked: list[int] = []
    beginnings = db.articles.beginnings
    monkeypatch.setattr(annotate.articles.importing.splitting, "BATCH_ARTICLES", 5)
    monkeypatch.setattr(db.articles, "beginnings", lambda s, ids, p: asked.extend(ids) or beginnings(s, ids, p))
    texts = [
        (f"Number {n} of the articles begins in its own way, so that it is a work of its own.",) for n in range(30)
    ]
    store(*(paper(text, title=TITLE, pmid=str(n)) for n, text in enumerate(texts[:20])))
    assert asked == []
    store(*(paper(text, title=TITLE, pmid=str(20 + n)) for n, text in enumerate(texts[20:])))
    assert asked == list(range(1, 21))
    assert splits() == [split_of(f"pmid:{n}") for n in range(30)]


def test_of_what_is_stored_only_articles_with_the_titles_of_an_import_are_read(monkeypatch):
    store(*(paper((f"Text {n}.",), title=f"{TITLE}, part {n}", pmid=str(n)) for n in range(20)), preprint())
    read_titles: list[str] = []
    ask = db.articles.with_title_keys

    def noted(session, keys):
        found = ask(session, keys)
        read_titles.extend(title for _, title, _ in found)
        return found

    monkeypatch.setattr(db.articles, "with_title_keys", noted)
    store(publication(f"{TITLE.upper()}!"), paper(title=f"{TITLE} and other things", pmid="99"))
    assert read_titles == [TITLE]
    assert splits()[20:22] == ["test", "test"]


def test_a_title_stored_as_one_word_is_still_compared_with_one_of_several():
    store(preprint(TITLE.replace(" ", "")))
    store(publication())
    assert splits() == ["test", "test"]


BODY = ("Growth of the cells decreased.",)


def nameless(abstract: tuple[str, ...] = TEXT, body: tuple[str, ...] = BODY) -> Article:
    """The same work from a Word file or a PDF that tells no identifier."""
    return paper(abstract, body, title=TITLE)


def named(body: tuple[str, ...] = BODY) -> Article:
    """The same work as JATS."""
    return paper(TEXT, body, title=TITLE, pmid=PMID, doi=DOI)


@pytest.mark.parametrize("together", [True, False], ids=["of one import", "of two imports"])
@pytest.mark.parametrize("order", [(nameless, named), (named, nameless)], ids=["Word first", "JATS first"])
def test_a_file_without_identifiers_and_the_named_one_are_one_article_with_the_identifiers(order, together):
    articles = [make() for make in order]
    reports = [store(*articles)] if together else [store(article) for article in articles]
    outcomes = reports[0].counts + reports[-1].counts if not together else reports[0].counts
    assert outcomes == {ImportOutcome.STORED: 1, ImportOutcome.ALREADY_THERE: 1}
    assert query("SELECT pmid, doi, sentence_count FROM article") == [(PMID, DOI, 3)]
    (key,) = query("SELECT key FROM article")[0]
    told = f"has the title and the beginning of {key}, so it is taken as this article"
    assert [note for _, note in reports[-1].warnings] == [told]


def test_the_full_text_completes_an_abstract_without_identifiers_whose_verdicts_stay():
    store(nameless(body=()))
    judge("Anna", 1, verdict(1, "accept"))
    report = store(named())
    assert report.counts == {ImportOutcome.FULL_TEXT_ADDED: 1}
    assert query("SELECT id, pmid, full_text, sentence_count FROM article") == [(1, PMID, 1, 3)]
    assert query("SELECT sentence.article_id, position FROM verdict JOIN sentence ON sentence.id = sentence_id") == [
        (1, 1)
    ]


def test_another_text_of_a_work_changes_nothing_that_was_judged_and_is_told():
    store(nameless())
    judge("Anna", 1, verdict(2, "accept"))
    before = query("SELECT text FROM paragraph ORDER BY id")
    report = store(named(("Growth of the cells was lower by half.",)))
    assert report.counts == {ImportOutcome.ALREADY_THERE: 1}
    assert OTHER_TEXT in [note for _, note in report.warnings]
    assert query("SELECT text FROM paragraph ORDER BY id") == before
    assert query("SELECT pmid FROM article") == [(PMID,)]
    assert query("SELECT count(*) FROM verdict") == [(1,)]


def test_two_records_that_both_have_identifiers_stay_two_articles_of_one_split():
    assert store(preprint(), nameless(body=()), publication()).counts[ImportOutcome.STORED] == 2
    assert query("SELECT pmid, doi FROM article ORDER BY id") == [(None, DOI), (PMID, None)]
    assert splits() == ["test", "test"]


def test_a_short_or_general_title_makes_no_two_files_one_article():
    for title in ("TP53 in cells", "Letter to the Editor"):
        assert store(paper(TEXT, title=title), paper(TEXT, BODY, title=title)).counts == {ImportOutcome.STORED: 2}
