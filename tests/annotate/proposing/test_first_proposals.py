"""The first proposals of a new project: of a few articles, before the others are stored or proposed."""

from pathlib import Path
from typing import Any

import pytest

import annotate.work
from annotate.jobs import lifecycle
from annotate.jobs.monitor import Cancelled
from annotate.work import HANDLERS, run_job
from model.files import DamagedModel
from tests.support.making import judge, paper, query, store, verdict

ARTICLES = 13
BATCH = 4
STORED = "SELECT count(*) FROM article"


@pytest.fixture
def files(tiny_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What an import of these articles is asked for, four of which are stored at a time."""
    monkeypatch.setattr("annotate.articles.importing.splitting.BATCH_ARTICLES", BATCH)
    folder = tmp_path / "texts"
    folder.mkdir()
    for number in range(ARTICLES):
        (folder / f"{number:02}.txt").write_text(f"We edited gene {number}.\n\nThe cells grew. They were counted.")
    return {"paths": [str(folder)], "propose": True}


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, int]]:
    """What each pass proposes, None for all, and how many articles are stored by then."""
    seen: list[tuple[Any, int]] = []
    inner = annotate.work._propose_once

    def once(version: Any, payload: dict[str, Any], monitor: Any) -> dict[str, Any]:
        seen.append((payload.get("article_ids"), query(STORED)[0][0]))
        return inner(version, payload, monitor)

    monkeypatch.setattr(annotate.work, "_propose_once", once)
    return seen


@pytest.mark.postgresql
def test_a_few_articles_of_an_import_are_proposed_before_the_others_are_stored(
    files: dict[str, Any], passes: list[tuple[Any, int]]
) -> None:
    result = run_job("import", files)
    assert passes == [([1, 2, 3, 4, 5], 2 * BATCH), (None, ARTICLES)]
    sentences = query("SELECT count(*) FROM sentence")[0][0]
    told = {name: result[name] for name in ("articles_proposed", "sentences_embedded", "left_out_by_the_filter")}
    assert told == {"articles_proposed": ARTICLES, "sentences_embedded": sentences, "left_out_by_the_filter": 0}
    assert query("SELECT count(*), count(DISTINCT article_id) FROM proposal_set") == [(ARTICLES, ARTICLES)]


def test_where_some_are_proposed_already_none_come_first(files: dict[str, Any], passes: list[tuple[Any, int]]) -> None:
    store(paper(pmid="1"))
    run_job("propose", {})
    passes.clear()
    run_job("import", files)
    assert passes == [(None, ARTICLES + 1)]


def test_what_goes_wrong_with_the_first_is_told_once_all_articles_are_stored(
    files: dict[str, Any], passes: list[tuple[Any, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise DamagedModel("its weights changed")

    monkeypatch.setattr("annotate.work.fit", fail)
    with pytest.raises(DamagedModel):
        run_job("import", files)
    assert [stored for _, stored in passes] == [2 * BATCH, ARTICLES]
    ((state, result),) = query("SELECT state, result FROM job WHERE kind = 'import'")
    assert state == "failed" and f'"stored": {ARTICLES}' in result


def test_a_job_that_is_cancelled_at_the_first_keeps_what_it_stored_and_tells_it(
    files: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotate.jobs.monitor.REPORT_SECONDS", 0)

    def cancel(progress: dict[str, Any]) -> None:
        if progress["stage"] == "proposing":
            lifecycle.cancel(query("SELECT id FROM job")[0][0])

    with pytest.raises(Cancelled):
        lifecycle.run_here("import", files, HANDLERS, cancel)
    assert query(STORED) == [(2 * BATCH,)]
    assert query("SELECT state FROM job") == [("cancelled",)]


@pytest.mark.postgresql
@pytest.mark.parametrize(("articles", "first"), [(6, []), (7, [[1, 3, 4, 5, 6]])])
def test_of_stored_articles_those_that_nobody_judged_come_first_and_of_few_none(
    tiny_home: Path, passes: list[tuple[Any, int]], articles: int, first: list[list[int]]
) -> None:
    store(*(paper(pmid=str(number + 1)) for number in range(articles)))
    judge("Anna", 2, verdict(0))
    assert run_job("propose", {})["articles_proposed"] == articles
    assert [asked for asked, _ in passes] == [*first, None]
