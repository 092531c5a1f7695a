"""The list of articles: each filter alone and with the others, page by page."""

from annotate.curation.removal import remove
from annotate.curation.tags import put_on
from annotate.project.home import read, write
from annotate.project.rights import Right
from db.curation import Wanted, articles_after, count_listed, listed_ids, page_of_articles
from tests.support.labels import gene_labels, set_labels
from tests.support.making import paper, store

FOUND = [
    (Wanted(), [3, 2, 1]),
    (Wanted(removed=True), [5, 4]),
    (Wanted(labelled=True), [2, 1]),
    (Wanted(labelled=False), [3]),
    (Wanted(labelled=True, removed=True), [5]),
    (Wanted(tag="to read"), [3, 2]),
    (Wanted(tag="to read", labelled=True), [2]),
    (Wanted(tag="to read", labelled=False), [3]),
    (Wanted(tag="to read", removed=True), [5]),
    (Wanted(search="paper"), [3, 2, 1]),
    (Wanted(search="3"), [3]),
    (Wanted(search="Paper 2", tag="to read", labelled=True), [2]),
    (Wanted(search="Paper 2", labelled=False), []),
    (Wanted(search="%"), []),
    (Wanted(search="\0"), []),
    (Wanted(tag="a\0b"), []),
]


def test_the_filters_hold_together(home):
    store(*(paper(pmid=str(number), title=f"Paper {number}") for number in range(1, 6)))
    with write(Right.SYSTEM) as session:
        for article_id in (1, 2, 5):
            set_labels(session, article_id, gene_labels("TP53"))
    put_on([2, 3, 5], ["to read"])
    remove([4, 5])
    for wanted, found in FOUND:
        with read() as session:
            assert listed_ids(session, wanted) == found, wanted
            assert count_listed(session, wanted) == len(found), wanted
            page = page_of_articles(session, wanted, offset=1, limit=1)
            assert [article.id for article in page] == found[1:2], wanted
            later = articles_after(session, 1, 10, wanted)
            assert [article.id for article in later] == sorted(set(found) - {1}), wanted


def test_a_search_of_titles_tells_no_capitals_of_any_letters_apart(home):
    store(paper(pmid="1", title="Über das SJÖGREN-Syndrom und Α-Synuclein"))
    for term in ("über", "ÜBER", "Sjögren", "SJÖGREN", "α-synuclein"):
        with read() as session:
            assert listed_ids(session, Wanted(search=term)) == [1], term
