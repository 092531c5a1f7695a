"""Links by reference lists: what an article cites, what cites it, what shares references with it."""

import pytest

from annotate.articles.citations import MOST_IN_A_RANGE, ReferenceList, citing_sentences
from annotate.articles.document import Cite, Paragraph, Reference
from annotate.articles.parsing import from_bytes
from annotate.curation.removal import remove
from annotate.project.home import read
from annotate.related.library import library
from annotate.related.links import links_of
from tests.annotate.related.making import store_linked
from tests.support.making import paper, query, store

CITING = """<article><front><article-meta><article-id pub-id-type="pmid">7</article-id>
<title-group><article-title>T</article-title></title-group></article-meta></front>
<body><sec><title>Methods</title><p>We did as others did<sup><xref ref-type="bibr" rid="R1">1</xref></sup>. Many
more did so [<xref ref-type="bibr" rid="R1">1</xref>–<xref ref-type="bibr" rid="R3">3</xref>], as in
<xref ref-type="fig" rid="F1">Figure 1</xref>. Nobody else did.</p></sec></body>
<back><ref-list><ref id="R1"><element-citation><article-title>One</article-title>
<pub-id pub-id-type="pmid">11</pub-id></element-citation></ref>
<ref id="R2"><element-citation><article-title>Two</article-title></element-citation></ref>
<ref id="R3"><element-citation><article-title>Three</article-title>
<pub-id pub-id-type="doi">10.1000/three</pub-id></element-citation></ref></ref-list></back></article>"""


def links(article_id: int):
    with read() as session:
        return links_of(session, article_id)


def stored(xml: str) -> None:
    (entry,) = from_bytes("a.xml", xml.encode())
    store(entry.article)


def test_the_sentence_and_the_section_that_cite_are_stored_and_a_range_names_all_in_between(home):
    stored(CITING)
    cited = links(1).cites
    assert [each.title for each in cited] == ["One", "Two", "Three"]
    assert [[place.section for place in each.sentences] for each in cited] == [
        ["Methods"] * 2,
        ["Methods"],
        ["Methods"],
    ]
    assert cited[0].sentences[0].text.startswith("We did as others did")
    assert "Many more did so" in cited[1].sentences[0].text
    assert [each.importable for each in cited] == ["11", "", ""]


def test_a_full_text_after_an_abstract_fills_in_where_its_stored_list_is_cited(home):
    store(paper(pmid="7", references=(Reference("Three. 2001.", doi="10.1000/three"),)))
    stored(CITING)
    (only,) = links(1).cites
    assert (only.title, len(only.sentences)) == ("Three. 2001.", 1)


@pytest.mark.postgresql
def test_links_lead_both_ways_and_count_shared_references_by_any_identifier(home):
    store_linked()
    first, second = links(1), links(2)
    assert [(each.title, each.article_id) for each in second.cites][2] == ("On sleep", 1)
    assert [each.article_id for each in first.cited_by] == [2]
    assert [(each.article_id, each.shared) for each in first.sharing] == [(2, 2), (3, 1), (4, 1)]
    assert second.missing == ["901"]  # the first reference has no PMID
    assert links(99).cites == ()


def test_a_place_before_all_sentences_and_an_unknown_anchor_cite_nothing():
    references = ReferenceList([Reference("One", anchors=("a",))])
    paragraph = Paragraph("  Text.", cites=(Cite(0, "a"), Cite(3, "z"), Cite(7, "a"), Cite(7, "a")))
    assert citing_sentences(paragraph, [(2, 7)], references) == [(0, 0)]


def test_a_range_that_runs_backwards_or_far_is_its_first_end_alone():
    references = ReferenceList([Reference(str(n), anchors=(str(n),)) for n in range(MOST_IN_A_RANGE + 9)])
    assert list(references.positions(Cite(0, "5", "2"))) == [5]
    assert list(references.positions(Cite(0, "0", str(MOST_IN_A_RANGE + 5)))) == [0]
    assert list(references.positions(Cite(0, "1", "3"))) == [1, 2, 3]


def test_references_without_places_leave_no_rows(home):
    store_linked()
    assert query("SELECT count(*) FROM citation") == [(0,)]


WORK = "Loss of TP53 in cells"
BOTH, BY_PMID, BY_DOI = ({"pmid": "99", "doi": "10.1000/x"}, {"pmid": "99"}, {"doi": "10.1000/x"})


@pytest.mark.parametrize("order", [(BY_PMID, BY_DOI, BOTH), (BOTH, BY_DOI, BY_PMID)], ids=["last", "first"])
def test_a_work_cited_by_its_pmid_and_by_its_doi_is_one_work_wherever_a_list_names_both(tiny_home, order):
    store(*(paper(pmid=str(n), references=(Reference(WORK, **names),)) for n, names in enumerate(order, start=1)))
    known = library()
    assert [work.key for work in known.pool.works if work.title == WORK] == ["pmid:99"]
    assert known.cited_by == {"pmid:99": {1, 2, 3}}
    assert known.keys(["doi:10.1000/x"]) == {"pmid:99"}


def test_a_work_that_is_here_by_its_pmid_is_known_by_the_doi_that_a_list_adds(tiny_home):
    cited = [Reference(WORK, **names) for names in (BY_DOI, BOTH)]
    store(paper(pmid="99", title=WORK), paper(pmid="1", references=cited[:1]), paper(pmid="2", references=cited[1:]))
    known = library()
    assert known.cited_by == {"pmid:99": {2, 3}} and len(known.pool.works) == 3
    remove([1])
    known = library()
    assert known.cited_by == {} and len(known.pool.works) == 2
