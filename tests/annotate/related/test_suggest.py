"""Suggestions in a project: reasons, what everybody cites, verdicts, pasted texts and BibTeX files."""

from dataclasses import replace

import pytest

import db.articles
import db.entities
from annotate.articles.document import Reference, UnreadableArticle
from annotate.articles.importing.reference_files import read_bibtex
from annotate.finding.search_vectors import store_vectors
from annotate.project.home import folder, read, write
from annotate.project.rights import Right
from annotate.proposing.embed import embed
from annotate.proposing.encoder_versions import proposing_version
from annotate.related import suggest
from annotate.related.library import encode_titles, library
from annotate.related.pool import WEIGHTS, ReferenceLists
from annotate.related.suggest import (
    NothingAsked,
    profile_of_article,
    profile_of_entries,
    profile_of_text,
    suggestions,
)
from annotate.related.verdicts import not_related, say
from tests.annotate.related.making import store_linked
from tests.support.making import paper, query, store

BIB = """@article{one, title = {On {Sleep}}, doi = {10.1000/old}, year = 2001}
@misc{two, title = "The \\\\emph{sleep} of mice", pmid = {2}}"""


@pytest.fixture
def linked(tiny_home):
    store_linked()
    embed(proposing_version())
    store_vectors(proposing_version())
    assert encode_titles() == 2  # the old method and the handbook
    assert encode_titles() == 0


def suggest_for_article(article_id, said=frozenset()):
    known = library()
    with read() as session:
        profile = profile_of_article(session, article_id, known)
    return suggestions(profile, known, said)


def by_key(found) -> dict:
    return {each.key: each for each in found.found}


def test_an_article_that_cites_the_same_comes_with_its_reasons(linked):
    found = by_key(suggest_for_article(1))
    assert "cites 2 of the same works" in found["pmid:2"].reasons
    assert "cites it" in found["pmid:2"].reasons
    assert "pmid:1" not in found  # not itself
    assert "pmid:900" not in found  # in its own list, shown among the links
    assert found["pmid:2"].pair is not None


def test_all_are_ranked_again_by_their_sentences_or_their_title(linked, monkeypatch):
    before = {each.key: each.score for each in suggest_for_article(3).found}
    monkeypatch.setattr(suggest, "WEIGHTS", {"sentences": 1 + WEIGHTS["sentences"]})
    gained = {each.key: each.score - before[each.key] for each in suggest_for_article(3).found}
    assert {"pmid:1", "pmid:2", "pmid:4", "pmid:900"} <= gained.keys()
    assert max(gained.values()) == pytest.approx(1.0) and min(gained.values()) > 0 and len({*gained.values()}) > 2


def test_what_nothing_speaks_for_is_no_suggestion_whatever_its_sentences(linked):
    known = replace(library(), lists=ReferenceLists({}, {}))
    found = by_key(suggestions(replace(profile_of_text("sleep"), vector=None), known))
    assert found.keys() == {"pmid:1", "pmid:2", "pmid:900"}


def test_a_text_finds_articles_by_what_they_cite(linked):
    known = library()
    assert set(known.lists.keys) == {"pmid:1", "pmid:2", "pmid:3", "pmid:4"}
    by_words = replace(profile_of_text("The old method of sleep"), vector=None, sentence_vectors=None)
    found = by_key(suggestions(by_words, known))
    like = "its references are near to this, too"
    assert like in found["pmid:1"].reasons and like in found["pmid:2"].reasons
    assert like not in found["pmid:3"].reasons
    assert like not in found["pmid:900"].reasons  # its list is not known
    for found in (suggest_for_article(1), suggestions(profile_of_entries(read_bibtex(BIB), known), known)):
        assert found.found and not any(like in each.reasons for each in found.found)  # what it cites is known


def test_what_everybody_cites_tells_less(linked):
    found = suggest_for_article(1)
    order = [each.key for each in found.found]
    assert order.index("pmid:2") < min(order.index("pmid:3"), order.index("pmid:4"))


@pytest.mark.postgresql
def test_a_verdict_takes_a_work_off_the_list_and_is_stored_once(linked):
    for _ in range(2):
        say("Anna", "pmid:1", "pmid:2", False, "event-1")
    with read() as session:
        said = not_related(session, "Anna", "pmid:1")
        assert not_related(session, "Ben", "pmid:1") == frozenset()
    assert said == {"pmid:2"}
    assert "pmid:2" not in by_key(suggest_for_article(1, said))
    say("Anna", "pmid:1", "pmid:2", None, "event-2")
    with read() as session:
        assert not_related(session, "Anna", "pmid:1") == frozenset()
    assert query("SELECT count(*) FROM related_verdict") == [(2,)]


@pytest.mark.parametrize("key", ["", "x" * 301, "a\nb"])
def test_keys_that_cannot_be_are_refused(home, key):
    with pytest.raises(ValueError, match="is no key"):
        say("Anna", key, "pmid:2", False, "event")


def test_a_pasted_text_of_any_length_is_read_to_its_end(linked):
    text = " ".join(f"This is sentence number {n} about the sleep of mice." for n in range(80))
    profile = profile_of_text(text)
    assert len(profile.sentences) == 80
    assert profile.key.startswith("text:")
    assert {"pmid:1", "pmid:901"} <= by_key(suggestions(profile, library())).keys()
    with pytest.raises(NothingAsked, match="empty"):
        profile_of_text("  12 \n")


def test_the_entries_of_a_bibtex_file_are_a_profile(linked):
    entries = read_bibtex(BIB)
    assert [(each.title, each.doi, each.pmid) for each in entries] == [
        ("On Sleep", "10.1000/old", None),
        ("The sleep of mice", None, "2"),
    ]
    profile = profile_of_entries(entries, library())
    assert profile.cites == {"pmid:900", "pmid:2"}
    found = by_key(suggestions(profile, library()))
    assert "cites one of the same works" in found["pmid:1"].reasons
    assert not {"pmid:900", "pmid:2"} & found.keys()  # they are in the file


def test_a_file_without_entries_says_so():
    with pytest.raises(UnreadableArticle, match="no entry"):
        read_bibtex("Dear reader")


@pytest.mark.parametrize("title", ['foo # "x"', "a9", '"' + "{" * 900 + "}" * 900 + '"'])
def test_names_that_stand_for_text_are_left_out_whatever_they_hold(title):
    names = "".join(f"@string{{a{n} = a{n - 1} # a{n - 1}}}\n" for n in range(1, 40))
    (entry,) = read_bibtex(f'@string{{a0 = "x"}}\n{names}@article{{k, title = {title}, pmid = 7}}')
    assert entry.pmid == "7"
    assert len(entry.title) < 2


def test_a_file_whose_braces_are_too_deep_or_open_is_read_as_far_as_it_goes():
    with pytest.raises(UnreadableArticle, match="too deep"):
        read_bibtex("@article{a, title = " + "{" * 5000 + "}" * 5000 + "}")
    (entry,) = read_bibtex("@article{a, title = {Open\n" * 3 + "@article{b, title = {Closed}}")
    assert entry.title == "Closed"


def test_the_titles_are_read_again_only_when_they_changed(linked, monkeypatch):
    first = library()
    monkeypatch.setattr("annotate.related.library._made", lambda *_: pytest.fail("read again"))
    assert library() is first


def test_an_article_that_is_not_there_is_named(linked):
    with pytest.raises(NothingAsked, match="no article 99"):
        suggest_for_article(99)


def test_what_is_not_related_by_its_doi_stays_so_once_it_is_imported_by_its_pmid(linked):
    say("Anna", "pmid:3", "doi:10.1000/new", False, "event-1")
    citing = Reference("The new work", doi="10.1000/new")
    store(paper(("We cite the new work at length.",), pmid="5", title="On sleep of men", references=(citing,)))
    with read() as session:
        said = not_related(session, "Anna", "pmid:3")
    before = by_key(suggest_for_article(3))
    assert not {"doi:10.1000/new"} & by_key(suggest_for_article(3, said)).keys()
    store(paper(("It is new work on maize.",), pmid="800", doi="10.1000/new", title="On maize, the new work"))
    embed(proposing_version())
    store_vectors(proposing_version())
    assert "pmid:800" in by_key(suggest_for_article(3)).keys() - before.keys()
    assert "pmid:800" not in by_key(suggest_for_article(3, said))


def test_articles_that_share_a_reference_gain_by_it_and_what_else_they_cite_does_not(linked, monkeypatch):
    monkeypatch.setitem(WEIGHTS, "cited", 0.0)
    known = replace(library(), lists=ReferenceLists({}, {}))
    with read() as session:
        profile = profile_of_article(session, 3, known)
    assert profile.cites == {"pmid:901"}
    sharing = by_key(suggestions(profile, known))
    alone = by_key(suggestions(replace(profile, cites=frozenset()), known, frozenset({"pmid:901"})))
    gained = {key: found.score - alone[key].score for key, found in sharing.items()}
    assert gained == pytest.approx({"pmid:1": 0.5, "pmid:2": 0.5, "pmid:4": 0.5, "pmid:900": 0.0})


def test_a_work_much_like_one_that_is_cited_gains_by_it(linked, monkeypatch):
    known = replace(library(), lists=ReferenceLists({}, {}))
    with read() as session:
        profile = replace(profile_of_article(session, 3, known), cites=frozenset({"pmid:900"}))
    found = by_key(suggestions(profile, known))
    monkeypatch.setitem(WEIGHTS, "cited", 0.0)
    gained = {key: found[key].score - each.score for key, each in by_key(suggestions(profile, known)).items()}
    cosines = known.pool.likeness(["pmid:900"])
    likeness = {key: float(cosines[known.pool.places[key]]) for key in found}
    best = max(likeness.values())
    assert gained == pytest.approx({key: each / best for key, each in likeness.items()}, abs=1e-5)
    told = {key for key, each in found.items() if "much like a work that it cites" in each.reasons}
    assert told == {key for key, each in likeness.items() if each > 0.8}


def test_names_that_both_have_are_a_reason_the_rarest_first_and_move_nothing(linked):
    before = suggest_for_article(1)
    for article_id, names in ((1, ["Human", "TP53", "HeLa"]), (2, ["Human", "TP53"]), (4, ["Human", "KRAS"])):
        with write(Right.SYSTEM) as session:
            (paragraph,) = {each.paragraph_id for each in db.articles.sentences(session, [article_id])}
            mention = {"paragraph_id": paragraph, "start": 0, "end": 2, "type": "gene", "identifiers": []}
            rows = [mention | {"name": name, "probability": 1.0} for name in names]
            db.entities.replace_scan(session, article_id, "1", 1, rows, [])
    after = suggest_for_article(1)
    assert [(each.key, each.score) for each in after.found] == [(each.key, each.score) for each in before.found]
    assert "both name TP53, Human" in by_key(after)["pmid:2"].reasons
    assert "both name Human" in by_key(after)["pmid:4"].reasons
    assert not any("both name" in reason for reason in by_key(after)["pmid:3"].reasons)


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 broken", b"nothing of the kind"])
def test_damaged_vectors_of_titles_are_computed_anew(linked, damage):
    (path,) = folder("related").glob("vectors-*/*.npz")
    path.write_bytes(damage)
    assert suggest_for_article(1).found
    assert encode_titles() == 2
    assert encode_titles() == 0
