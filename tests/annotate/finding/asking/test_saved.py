"""Questions that are kept: once a person, named, shared, and what came since somebody looked."""

from dataclasses import replace

import pytest

from annotate.finding.asking.saved import (
    FIRST,
    Asked,
    NotYours,
    as_stored,
    from_stored,
    keep,
    kept,
    mark_seen,
    new_since,
    save,
    saved_searches,
    searched_until,
    typed_as,
    unsave,
)
from annotate.finding.question import Facet, Filters, Question
from annotate.project.home import read
from annotate.search.queries import written
from annotate.search.reading import read_query
from tests.support.finding import ASKED, ask, index
from tests.support.making import paper, query, store

pytestmark = pytest.mark.usefixtures("home")


def test_a_question_is_stored_whole() -> None:
    facets = {"gene": (Facet("TP53", ("p53", "τ")), Facet("KRAS")), "cell": (Facet("HeLa"),)}
    asked = Asked(Question("loss of function", facets, Filters((2010, None), ("Cell, 2nd",))), ("words", "vectors"))
    assert from_stored(as_stored(asked)) == asked
    tagged = replace(asked, question=Question("TP53", filters=Filters(tags=("pilot",), without_tags=("old",))))
    assert from_stored(as_stored(tagged)) == tagged


def test_a_question_without_tags_is_stored_as_before_there_were_any() -> None:
    assert as_stored(Asked(Question("TP53"), ("words",)))["filters"] == {"years": [None, None], "journals": []}


def test_the_same_question_is_kept_once_a_person() -> None:
    first = keep("Anna", ASKED)
    assert keep("Anna", ASKED) == first
    assert keep("Ben", ASKED) != first
    assert keep("Anna", Asked(ASKED.question, ("words", "vectors"))) not in (first, first + 1)
    assert len(query("SELECT * FROM question")) == 3


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        (Question("  "), "empty"),
        (Question("x" * 3000), "at most"),
        (Question("", {"gene": (Facet("A", tuple(map(str, range(90)))),)}), "at most"),
    ],
)
def test_a_question_that_is_none_is_refused(question: Question, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        keep("Anna", Asked(question, ("words",)))
    assert query("SELECT * FROM question") == []


@pytest.mark.parametrize(
    ("text", "filters", "typed", "same"),
    [
        ("growth OR tomato", Filters(), "TP53 (growth OR tomato)", "TP53 AND (growth OR tomato)"),
        ("growth[ti]", Filters(), "TP53 (growth[ti])", "TP53 AND title:growth"),
        ("growth", Filters((2021, None)), "TP53 growth year:2021..", "TP53 AND growth AND year:2021.."),
        (
            "",
            Filters((2015, 2015), ("Cell", "J Test")),
            'TP53 year:2015 journal:("Cell" OR "J Test")',
            'TP53 AND year:2015 AND (journal:"Cell" OR journal:"J Test")',
        ),
    ],
)
def test_what_one_types_to_ask_it_again_asks_the_same(text: str, filters: Filters, typed: str, same: str) -> None:
    assert typed_as(Question(text, {"gene": (Facet("TP53"),)}, filters)) == typed
    assert written(read_query(typed)) == same


def names(reviewer: str) -> list[tuple[str, str, bool]]:
    with read() as session:
        return [(each.by, each.name, each.shared) for each in saved_searches(session, reviewer)]


@pytest.mark.postgresql
def test_what_is_saved_is_in_ones_own_list_and_what_is_shared_in_everybodys() -> None:
    mine, other = ask("Anna"), ask("Anna", "other words")
    assert names("Anna") == []
    save("Anna", mine, " Loss of  p53 ")
    save("Anna", other, "Shared", shared=True)
    assert names("Anna") == [("Anna", "Loss of p53", False), ("Anna", "Shared", True)]
    assert names("Ben") == [("Anna", "Shared", True)]
    unsave("Anna", other)
    assert names("Ben") == [] and names("Anna") == [("Anna", "Loss of p53", False)]


def test_nobody_sees_or_changes_the_question_of_another() -> None:
    mine = ask("Anna")
    with read() as session, pytest.raises(NotYours):
        kept(session, mine, "Ben")
    for change in (lambda: save("Ben", mine, "Mine now"), lambda: unsave("Ben", mine), lambda: mark_seen("Ben", mine)):
        with pytest.raises(NotYours):
            change()
    save("Anna", mine, "Shared", shared=True)
    with read() as session:
        assert kept(session, mine, "Ben").by == "Anna"
    with pytest.raises(NotYours):
        save("Ben", mine, "Still not")
    with pytest.raises(ValueError, match="name"):
        save("Anna", mine, " \n ")


def test_what_is_stored_but_in_no_index_yet_is_new_when_a_search_can_find_it() -> None:
    store(paper(pmid="1"), paper(pmid="2"))
    index()
    store(paper(pmid="3"))
    mine = ask("Anna")
    mark_seen("Anna", mine)  # by a search that did not look through the third
    index()
    with read() as session:
        assert searched_until(session) == 3
        assert new_since(kept(session, mine, "Anna"), [3, 2, 1]) == [3]


def test_what_came_since_one_looked_is_new_until_it_is_seen() -> None:
    store(paper(pmid="1"), paper(pmid="2"))
    mine = ask("Anna")
    store(paper(pmid="3"), paper(pmid="4"))
    with read() as session:
        before = kept(session, mine, "Anna")
    assert new_since(before, [4, 1, None, 3]) == [4, 3]
    assert new_since(before, [1] * FIRST + [4]) == []
    mark_seen("Anna", mine, 3)
    with read() as session:
        assert new_since(kept(session, mine, "Anna"), [4, 3]) == [4]
    mark_seen("Anna", mine)
    with read() as session:
        assert new_since(kept(session, mine, "Anna"), [4, 3]) == []
