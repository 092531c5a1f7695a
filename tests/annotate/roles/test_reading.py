"""Roles of stored articles: read once by each version, anew when an article grew, shown or switched off."""

from pathlib import Path

import numpy as np
import pytest

import db.articles
from annotate.gold.rows import gold_rows
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.project.stored_settings import change_settings
from annotate.review.sentence_roles import FunctionSettings, function_of, role_of
from annotate.roles import labelled
from annotate.roles.model_files import trained_on_now, version_now
from annotate.roles.reading import read_articles
from annotate.roles.view import count_waiting, roles_view, stored_roles
from annotate.work import run_job
from model.sentence_roles import ROLES
from tests.annotate.roles.conftest import ABSTRACT, BODY
from tests.support.making import judge, paper, query, store, verdict
from tests.support.roles import bring_models


def test_each_sentence_of_an_article_has_its_likeliest_role(read_home: Path) -> None:
    with read() as session:
        view = roles_view(session, 1)
    names = [view["names"][role] if role >= 0 else "" for role in view["of"]]
    assert names[:4] == ["background", "objective", "methods", "results"]
    assert len(names) == len(view["sure"]) == len(ABSTRACT) + len(BODY) and max(view["sure"]) <= 100


def test_what_is_read_is_not_read_again_until_the_model_changes(read_home: Path, trained_later: Path) -> None:
    assert read_articles() == 0
    assert query("SELECT DISTINCT version FROM article_scan WHERE kind = 'roles'") == [(version_now(),)]
    before = version_now()
    bring_models(trained_later)
    assert version_now() != before and read_articles() == 2
    assert query("SELECT DISTINCT version FROM article_scan WHERE kind = 'roles'") == [(version_now(),)]


def test_an_article_that_grew_shows_no_role_until_it_is_read_again(read_home: Path) -> None:
    with write(Right.SYSTEM) as session:
        db.articles.article(session, 1).sentence_count += 1
    with read() as session:
        assert roles_view(session, 1) == {} and roles_view(session, 2) != {}
    assert count_waiting() == 1


@pytest.mark.postgresql
def test_roles_that_are_switched_off_are_neither_shown_nor_read(read_home: Path) -> None:
    change_settings("Cora", FunctionSettings(roles=False))
    store(paper(BODY, pmid="3"))
    with read() as session:
        assert roles_view(session, 1) == {}
    assert run_job("functions", {}) == {"articles_read": 0}
    change_settings("Cora", FunctionSettings())
    assert run_job("functions", {}) == {"articles_read": 1}


@pytest.mark.postgresql
def test_an_article_that_nobody_read_has_no_roles(with_model: Path) -> None:
    store(paper(BODY, pmid="1"))
    with read() as session:
        assert stored_roles(session, 1) is None and roles_view(session, 1) == {}


def test_the_first_reading_learns_from_the_abstracts_that_come_along(home: Path, monkeypatch) -> None:
    from annotate.roles import train_roles as training
    from annotate.roles.labelled import labelled_abstract
    from tests.support.roles import abstracts, learn_quickly

    learn_quickly(monkeypatch)
    shipped = [labelled_abstract(row["sentences"], row["roles"]) for row in abstracts(60)]
    monkeypatch.setattr(training, "structured_abstracts", lambda: shipped)
    store(paper(ABSTRACT, pmid="1"))
    assert run_job("functions", {}) == {"articles_read": 1}
    assert trained_on_now()["sources"][0]["file"] == f"{labelled.ABSTRACTS} of {labelled.PACKAGE}"


def test_without_the_package_the_job_says_what_to_do(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labelled, "PACKAGE", "a package that nobody has")
    store(paper(ABSTRACT, pmid="1"))
    found = run_job("functions", {})
    assert found["articles_read"] == 0 and "functions train FILE" in found["to_do"]


def test_gold_says_what_its_sentences_do(read_home: Path) -> None:
    judge("Anna", 1, verdict(0), verdict(3, "reject"))
    with read() as session:
        told = [(row["role"], row["function"]) for row in gold_rows(session)]
    assert told == [("background", "gap in knowledge"), ("results", "")]
    change_settings("Cora", FunctionSettings(roles=False))
    with read() as session:
        assert {(row["role"], row["function"]) for row in gold_rows(session)} == {("", "")}


def test_a_function_is_told_where_the_role_does_not_speak_against_it() -> None:
    certain = np.eye(len(ROLES))
    assert function_of("The aim of this study was to test sleep.", certain[1]) == "aim of the work"
    assert function_of("The aim of this study was to test sleep.", certain[3]) == ""
    assert function_of("The aim of this study was to test sleep.", np.zeros(len(ROLES))) == ""
    assert function_of("Sleep.", certain[1]) == ""
    assert (role_of(certain[3]), role_of(certain[3] * 0.4)) == ("results", "")
