"""Roles as the rankings see them: only where that is switched on and they were read, and new rows where they change."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import numpy as np
import pytest
import time_machine

import annotate.active_learning.article_rankers
import db.jobs
from annotate.active_learning.article_features import rows_for, store_features
from annotate.active_learning.article_rankers import fit, why
from annotate.jobs.monitor import Cancelled
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.project.stored_settings import change_settings
from annotate.proposing.propose import pools_of, propose
from annotate.proposing.roles import LATELY, RankingSettings, read_after, roles_mark
from annotate.work import run_job
from db.tables import ModelVersion
from model.active_learning.features import FEATURES, ROLE_COLUMNS
from model.proposing.ranking import Ranking
from tests.support.making import (
    judge,
    paper,
    pmids,
    propose_with,
    reading,
    store,
    store_cosines,
    verdict,
    version_without_weights,
)
from tests.support.roles import store_roles
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES

GENERIC = GENERIC_QUERIES[BEST_GENERIC]
TEXT = ("It was the first.", "It was the second.", "It was the third.", "It was the fourth.")
COLUMNS = [FEATURES.index(name) for name in ROLE_COLUMNS]
BACKGROUND, METHODS, RESULTS = 0, 2, 3
FITTED = SimpleNamespace(metrics={"reason": ""})


@pytest.fixture
def version(home: object, monkeypatch: pytest.MonkeyPatch) -> ModelVersion:
    """Eight articles alike in all but their roles: the key sentence is the one that reports results."""
    monkeypatch.setattr(annotate.active_learning.article_rankers, "MIN_ARTICLES", 6)
    monkeypatch.setattr(annotate.active_learning.article_rankers, "MIN_FAIR", 6)
    made = version_without_weights("tiny")
    propose_with(made)
    numbers = pmids("train", 8)
    store(*(paper(TEXT, pmid=number) for number in numbers))
    for article_id in range(1, 9):
        store_cosines(made, article_id, GENERIC, (0.5, 0.5, 0.5, 0.5))
        key = article_id % 4
        roles = [BACKGROUND, METHODS, BACKGROUND, METHODS]
        roles[key] = RESULTS
        store_roles(article_id, *roles)
        judge("Anna", article_id, verdict(key), reading())
    return made


def roles_seen(version: ModelVersion) -> np.ndarray:
    store_features(version)
    with read() as session:
        return rows_for(session, version.id, [1])[1][:, COLUMNS]


def test_rankings_see_roles_only_where_that_is_switched_on(version: ModelVersion) -> None:
    change_settings("Cora", RankingSettings(roles=False))
    assert not roles_seen(version).any()
    change_settings("Cora", RankingSettings(roles=True))
    assert roles_seen(version).argmax(axis=1).tolist() == [BACKGROUND, RESULTS, BACKGROUND, METHODS]
    change_settings("Cora", RankingSettings(roles=False))
    assert not roles_seen(version).any()


def test_an_article_that_nobody_has_read_is_ranked_without(version: ModelVersion) -> None:
    change_settings("Cora", RankingSettings(roles=True))
    store(paper(TEXT, ("It grew.",), pmid=pmids("train", 1)[0]))
    store_cosines(version, 1, GENERIC, (0.5,) * 5)
    with read() as session:
        pools = pools_of(session, version, [1, 2])
    assert pools[1].pool.roles is None and pools[2].pool.roles is not None


def test_another_model_of_roles_makes_new_rows_and_a_new_ranking(version: ModelVersion) -> None:
    change_settings("Cora", RankingSettings(roles=True))
    assert store_features(version) == list(range(1, 9)) and store_features(version) == []
    with read() as session:
        before = roles_mark(session, [1, 2])
    first = fit(version)
    assert fit(version).id == first.id
    store_roles(2, RESULTS, METHODS, RESULTS, METHODS, version="second")
    with read() as session:
        assert roles_mark(session, [1, 2]) != before
    assert store_features(version) == [2]
    assert fit(version).id != first.id


@pytest.fixture
def passes(version: ModelVersion, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What each pass of a job that proposes embeds: as it was asked for, None for all."""
    seen: list[object] = []
    monkeypatch.setattr(
        "annotate.proposing.embed.embed", lambda *_, article_ids, **__: seen.append(article_ids) or len(seen)
    )
    monkeypatch.setattr("annotate.capabilities.finding.store_vectors", lambda *_: None)
    return seen


def read_by_a_job(*articles: int) -> None:
    """A job that tells what sentences do ends, and could not start another one that proposes."""
    with write(Right.SYSTEM) as session:
        number = db.jobs.insert_job(session, "functions", {}, "Cora")
        assert number is not None
        db.jobs.finish(session, number, "done", result={"articles_read": len(articles)})
    for article_id in articles:
        store_roles(article_id, RESULTS, METHODS, RESULTS, METHODS, version="second")


def test_roles_that_are_read_while_proposals_are_made_get_their_turn(
    passes: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of articles that nobody judged alone: the ranking learns from others."""
    store(paper(TEXT, pmid="91"), paper(TEXT, pmid="92"))
    monkeypatch.setattr("annotate.work.fit", lambda _: (len(passes) == 1 and read_by_a_job(9, 10)) or FITTED)
    monkeypatch.setattr("annotate.work.learn_base", lambda *_: set())
    monkeypatch.setattr("annotate.work.propose", lambda **asked: 0)
    run_job("propose", {"article_ids": [1]})
    assert passes == [[1], [9, 10]]


def test_roles_of_an_article_that_teaches_the_ranking_let_all_be_proposed_anew(
    passes: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotate.work.fit", lambda _: (len(passes) == 1 and read_by_a_job(1)) or FITTED)
    monkeypatch.setattr("annotate.work.learn_base", lambda *_: set())
    monkeypatch.setattr("annotate.work.propose", lambda **asked: 0)
    run_job("propose", {"article_ids": [2]})
    assert passes == [[2], None]


def test_after_an_import_the_articles_whose_roles_came_alone_are_proposed_anew(
    version: ModelVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(
        "annotate.capabilities.roles.start_after_other_work", lambda kind, payload: asked.append((kind, payload))
    )

    def reads(*articles: int) -> None:
        def read_roles(*_: object) -> int:
            for article_id in articles:
                store_roles(article_id, RESULTS, METHODS, RESULTS, METHODS, version="second")
            return len(articles)

        monkeypatch.setattr("annotate.roles.reading.read_roles", read_roles)
        run_job("functions", {})

    store(paper(TEXT, pmid="91"), paper(TEXT, pmid="92"))
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=1)):
        reads(9, 10)
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=2)):
        reads()
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=3)):
        reads(1, 9)  # one that an expert has judged: the ranking learns from it
    assert asked == [("propose", {"article_ids": [9, 10]}), ("propose", {})]


def test_what_a_job_had_read_that_was_stopped_is_proposed_anew_after_the_next(
    version: ModelVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(
        "annotate.capabilities.roles.start_after_other_work", lambda kind, payload: asked.append((kind, payload))
    )

    def read_roles(*_: object) -> int:
        store_roles(left.pop(), RESULTS, METHODS, RESULTS, METHODS, version="second")
        if left:
            raise Cancelled
        return 1

    left = [10, 9]
    store(paper(TEXT, pmid="91"), paper(TEXT, pmid="92"))
    monkeypatch.setattr("annotate.roles.reading.read_roles", read_roles)
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=1)), pytest.raises(Cancelled):
        run_job("functions", {})
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=2)):
        run_job("functions", {})
    assert asked == [("propose", {"article_ids": [9, 10]})]


def test_all_are_proposed_anew_where_it_is_not_known_which_jobs_came_since(version: ModelVersion) -> None:
    for _ in range(LATELY + 2):
        read_by_a_job()
    with read() as session:
        assert read_after(session, 1) is None


def test_a_ranking_that_learnt_from_roles_says_so(version: ModelVersion) -> None:
    change_settings("Cora", RankingSettings(roles=False))
    assert not fit(version).metrics["earned"]  # nothing else tells the sentences apart
    change_settings("Cora", RankingSettings(roles=True))
    assert fit(version).metrics["earned"]
    propose(k=4)
    answer = why(1)
    assert answer["ranking"] == Ranking.LEARNED
    assert dict(answer["parts"]["1"])["reporting results"] > 0
    assert dict(answer["parts"]["0"])["probably not reporting results"] < 0
