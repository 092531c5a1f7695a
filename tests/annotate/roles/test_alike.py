"""More like this, two articles aligned, and the team's own functions."""

from pathlib import Path

import pytest
from sqlalchemy import text

from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.roles.alike import NotRead, aligned, alike
from annotate.roles.own import NotPossible, create, examples, proposed, say
from annotate.roles.reading import read_articles
from tests.annotate.roles.conftest import ABSTRACT, BODY
from tests.support.making import paper, query, store


def test_within_the_article_and_over_the_library(read_home: Path) -> None:
    with read() as session:
        here = alike(session, 1, 3, 1.0, library=False)
        everywhere = alike(session, 1, 3, 1.0, library=True, limit=3)
    assert {one.article_id for one in here} == {1} and len(here) == len(ABSTRACT) + len(BODY) - 1
    assert everywhere[0].text in (ABSTRACT[3], BODY[0]) and everywhere[0].role == "results"
    assert [one.likeness for one in everywhere] == sorted((one.likeness for one in everywhere), reverse=True)
    assert (1, 3) not in {(one.article_id, one.position) for one in everywhere}


def test_an_article_that_was_not_read_and_a_sentence_that_is_not_there_are_named(read_home: Path) -> None:
    store(paper(BODY, pmid="3"))
    with read() as session:
        with pytest.raises(NotRead, match="article 3"):
            alike(session, 3, 0, 0.5, library=False)
        with pytest.raises(LookupError, match="no sentence 99"):
            alike(session, 1, 99, 0.5, library=False)
        with pytest.raises(NotRead, match="article 3"):
            aligned(session, 1, 3)


def test_two_articles_are_linked_by_what_their_sentences_do(read_home: Path) -> None:
    with read() as session:
        one, other = aligned(session, 1, 2)
    # Article 2 has the body's sentences first: the abstract's fourth is its sixth, and so back.
    assert len(one) == len(other) == len(ABSTRACT) + len(BODY)
    assert other[one[0]] == 0 or one[0] == -1
    linked = [(at, link) for at, link in enumerate(one) if link >= 0]
    assert linked and all(0 <= link < len(other) for _, link in linked)


def sentence(article_id: int, position: int) -> int:
    return int(query(f"SELECT id FROM sentence WHERE article_id = {article_id} AND position = {position}")[0][0])


@pytest.mark.postgresql
def test_three_examples_make_a_function_and_the_nearest_others_are_proposed(read_home: Path) -> None:
    store(paper(("Sleep increased by 12%.", "Asthma increased by 12%.", "Yeast increased by 12%."), pmid="4"))
    read_articles()
    shown = [sentence(3, at) for at in range(3)]
    made = create("Anna", "reports a rise", shown)
    with read() as session:
        found = proposed(session, made, limit=2)
        told = examples(session, made)
    assert found[0].text in (ABSTRACT[3], BODY[0])
    assert not {one.sentence_id for one in found} & set(shown)
    assert [(one.sentence_id, one.has_it, one.said_by) for one in told] == [(one, True, "Anna") for one in shown]
    assert all(one.said_at for one in told)


@pytest.mark.postgresql
def test_what_was_said_stays_and_the_latest_holds(read_home: Path) -> None:
    shown = [sentence(1, at) for at in range(3)]
    made = create("Anna", "opens", shown)
    assert say("Ben", made, {shown[0]: False, shown[1]: True}) == 1  # what holds already is not stored again
    assert say("Ben", made, {shown[0]: False}) == 0
    with read() as session:
        told = {one.sentence_id: (one.has_it, one.said_by) for one in examples(session, made)}
    assert told[shown[0]] == (False, "Ben") and told[shown[1]] == (True, "Anna")
    assert query("SELECT count(*) FROM function_example") == [(4,)]


def test_a_function_needs_three_sentences_and_a_name_of_its_own(read_home: Path) -> None:
    shown = [sentence(1, at) for at in range(3)]
    with pytest.raises(NotPossible, match="2 sentences"):
        create("Anna", "opens", [shown[0], shown[1], shown[1]])
    create("Anna", "opens", shown)
    with pytest.raises(NotPossible, match="already"):
        create("Ben", "Opens", shown)
    with pytest.raises(ValueError, match="1 to 60"):
        create("Ben", " ", shown)
    with pytest.raises(LookupError, match="no role 7"):
        say("Ben", 7, {})
    with pytest.raises(LookupError, match="no sentence 10000"):
        say("Ben", 1, {10_000: True})
    assert query("SELECT count(*) FROM own_function") == [(1,)]


@pytest.mark.postgresql
def test_a_function_may_have_more_examples_than_one_question_to_the_database_takes(
    read_home: Path, monkeypatch
) -> None:
    monkeypatch.setattr("db.curation.CHUNK", 2)
    made = create("Anna", "opens", [sentence(1, at) for at in range(5)])
    with read() as session:
        assert [one.position for one in examples(session, made)] == [0, 1, 2, 3, 4]


def test_articles_that_two_models_read_are_not_aligned(read_home: Path) -> None:
    with write(Right.SYSTEM) as session:
        session.execute(text("UPDATE article_scan SET version = 'another' WHERE article_id = 2"))
    with read() as session, pytest.raises(NotRead, match="read by different models; read them again"):
        aligned(session, 1, 2)
