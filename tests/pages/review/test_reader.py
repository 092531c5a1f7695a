"""What the reader is given and sends beside its verdicts: a new ranking, the set that was shown, reading without."""

import asyncio
import json
import math
import re
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from starlette.applications import Starlette
from starlette.testclient import TestClient

import db.proposing
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.propose import propose
from annotate.review.article_view import ENDPOINT, RANK_ENDPOINT, reading_view
from annotate.review.assignments import take
from annotate.review.verdicts import sign
from model.proposing.ranking import Ranking
from pages.parts.review import reader
from pages.parts.server.routes import ROUTES
from pages.parts.shared.scripts import OUTBOX, OWN_KEYS, joined
from tests.support.making import (
    judge,
    paper,
    propose_with,
    query,
    store,
    store_cosines,
    verdict,
    version_without_weights,
)
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES


@pytest.fixture
def proposed(home: Path) -> None:
    """Two articles with two proposals each, of the sets 1 and 2."""
    store(*(paper(pmid=str(number)) for number in (1, 2)))
    version = version_without_weights("tiny")
    propose_with(version)
    for article_id in (1, 2):
        store_cosines(version, article_id, GENERIC_QUERIES[BEST_GENERIC], (0.25, 0.5, 0.0))
    propose(ranking=Ranking.COSINE, k=2)


@pytest.fixture
def client(proposed: None) -> TestClient:
    return TestClient(Starlette(routes=list(ROUTES)))


def add_live_set(article_id: int) -> None:
    """Stores a set as a visit makes it."""
    values = {"article_id": article_id, "version_id": 1, "ranking": "live", "query": "q", "k": 0}
    with write(Right.SYSTEM) as session:
        db.proposing.insert_proposals(session, [values], [[]])


def test_without_a_head_the_answer_is_what_is_stored(client: TestClient) -> None:
    view = reading_view(1, "Anna")
    assert (view["rank_endpoint"], view["with_proposals"]) == (RANK_ENDPOINT, True)
    found = client.post(RANK_ENDPOINT, json={"token": view["token"], "places": {"1": 1, "7": 2}})
    assert found.status_code == 200
    answer = found.json()
    assert (answer["proposal_set"], answer["ranking"], answer["changed"]) == (1, "cosine", False)
    assert [row["sentence"] for row in answer["proposals"]] == [1, 0]
    assert query("SELECT count(*) FROM proposal_set") == [(2,)]


def test_a_question_that_is_not_signed_or_not_understood_is_refused(client: TestClient) -> None:
    assert client.post(RANK_ENDPOINT, json={"token": "forged"}).status_code == 403
    assert client.post(RANK_ENDPOINT, json={"token": sign("Anna", 99)}).status_code == 404
    token = sign("Anna", 1)
    places = ([1], {"x": 1}, 3, {"1": math.inf}, {"1": math.nan})
    wrong = ("", "[]", "{}", json.dumps({"token": 1}), *(_message(token, one) for one in places))
    for body in wrong:
        assert client.post(RANK_ENDPOINT, content=body).status_code == 400, body


def test_a_burst_of_rankings_keeps_no_verdict_waiting(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    over, begun = threading.Event(), threading.Event()

    def rank_now(*_: Any, **__: Any) -> dict[str, Any]:
        begun.set()
        over.wait(20)
        return {}

    monkeypatch.setattr("annotate.active_learning.live_ranking.rank_now", rank_now)
    # A semaphore belongs to the loop in which one first waited for it; each test client has a loop of its own.
    monkeypatch.setattr("pages.parts.server.routes._RANKINGS", asyncio.Semaphore(1))
    token = sign("Anna", 1)
    with client, ThreadPoolExecutor(61) as pool:
        try:
            rankings = [pool.submit(client.post, RANK_ENDPOINT, json={"token": token}) for _ in range(60)]
            assert begun.wait(10)
            saving = pool.submit(client.post, ENDPOINT, json={"token": token, "events": [verdict(1)]})
            assert saving.result(timeout=10).status_code == 200
        finally:
            over.set()
        assert {ranking.result().status_code for ranking in rankings} == {200}


def _message(token: str, places: Any) -> str:
    return json.dumps({"token": token, "places": places})


@pytest.mark.parametrize(
    ("shown", "stored"), [(1, 1), (2, None), (9, None), ("1", None), (True, None), (None, None), (2**40, None)]
)
def test_a_verdict_names_the_set_that_was_shown_if_it_is_one_of_its_article(
    proposed: None, shown: Any, stored: int | None
) -> None:
    judge("Anna", 1, verdict(1, shown={"rank": 1, "cosine": 0.5, "ranking": "cosine", "model": "tiny", "set": shown}))
    assert query("SELECT rank, ranking, version, proposal_set_id FROM verdict") == [(1, "cosine", "tiny", stored)]


def test_an_article_handed_out_without_proposals_shows_none_until_that_ends(proposed: None) -> None:
    take("Anna", 1)
    with write(Right.SYSTEM) as session:
        session.execute(text("UPDATE assignment SET with_proposals = false"))
    view = reading_view(1, "Anna")
    assert (view["with_proposals"], view["proposals"], view["proposal_set"]) == (False, [], 1)
    assert view["assignment"] == {
        "strategy": "by hand",
        "reason": "you opened it yourself",
        "at_random": False,
        "with_proposals": False,
    }
    assert len(reading_view(1, "Ben")["proposals"]) == 2
    with write(Right.SYSTEM) as session:
        session.execute(text("UPDATE assignment SET ended_at = created_at, ending = 'finished'"))
    view = reading_view(1, "Anna")
    assert (view["with_proposals"], len(view["proposals"]), view["assignment"]) == (True, 2, None)


def test_sets_that_verdicts_made_are_not_new_proposals_to_the_page(proposed: None) -> None:
    add_live_set(1)
    with read() as session:
        assert db.proposing.current_set(session, 1).id == 3
        assert db.proposing.latest_fixed_set(session, 1) == 1
        assert db.proposing.latest_fixed_set(session, 9) == 0
    assert reading_view(1, "Anna")["proposal_set"] == 3


def scripts() -> dict[str, str]:
    """The scripts of the reader as they are written, by name, in the order in which they are joined."""
    folder = Path(reader.__file__).parent
    paths = [*OUTBOX, *(folder / name for name in reader.SCRIPTS)]
    return {path.name: path.read_text(encoding="utf-8") for path in paths}


def test_every_script_and_style_is_joined_and_stands_after_those_that_it_imports() -> None:
    folder = Path(reader.__file__).parent
    assert sorted(reader.SCRIPTS) == sorted(path.name for path in folder.glob("*.js"))
    shared = {path.name for path in OUTBOX[0].parent.glob("*.js")}
    shared -= {
        OWN_KEYS.name,
        "answer_buttons.js",
        "file_buttons.js",
        "aloud.js",
        "figure_words.js",
    }  # other components'
    assert sorted(path.name for path in OUTBOX) == sorted(shared)
    assert sorted(reader.STYLES) == sorted(path.name for path in folder.glob("*.css"))
    before: set[str] = set()
    for name, source in scripts().items():
        imported = set(re.findall(r'from "[./]+(?:shared/)?(\w+\.js)"', source))
        assert imported <= before, f"{name} comes before {imported - before}"
        before.add(name)


def test_the_joined_scripts_are_one_module_in_which_no_name_is_taken_twice() -> None:
    folder = Path(reader.__file__).parent
    module = joined([*OUTBOX, *(folder / name for name in reader.SCRIPTS)])
    lines = re.findall(r"^(?:import|export)\b.*", module, re.MULTILINE)
    assert lines == ["export default function mountReader(component) {"]
    names = re.findall(r"^(?:async )?(?:function|class|const|let) (\w+)", module, re.MULTILINE)
    assert {"Outbox", "Reader", "el", "HELP"} <= set(names)
    assert not {name: count for name, count in Counter(names).items() if count > 1}


def test_every_name_that_a_script_exports_is_imported_by_another() -> None:
    exported, imported = set(), set()
    for source in scripts().values():
        exported |= set(re.findall(r"^export (?:async )?(?:function|class|const) (\w+)", source, re.MULTILINE))
        for names in re.findall(r"^import \{([^}]+)\}", source, re.MULTILINE):
            imported |= set(re.findall(r"\w+", names))
    assert exported == imported
