"""Projects that people began with an earlier release: all pages open on them, and the work goes on.

tests/data/lived_in holds them as SQL, by the schema of the release whose own commands made them: three short articles
imported, proposed for and evaluated, verdicts of two people, a comment, an article read in full.
"""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from annotate.active_learning.queue import hand_out
from annotate.gold.export_file import export
from annotate.proposing.encoder_versions import proposing_version
from annotate.review.verdicts import record
from pages.parts.frame.entries import entries
from tests.support.making import query, verdict
from tests.support.paths import DATA, PAGES
from tests.support.queueing import choose_the_first

LIVED_IN = sorted((DATA / "lived_in").glob("*.sql"))
GIVEN = ["accept", "reject", "accept", "accept", "reject", "accept", "withdrawn"]
KEY = "We deleted TP53 in HeLa cells with CRISPR-Cas9."

pytestmark = pytest.mark.sqlite("no release before kept its database anywhere else")


@pytest.fixture(scope="module", params=LIVED_IN, ids=lambda path: path.stem)
def lived_in(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database file of one of them."""
    path = tmp_path_factory.mktemp("lived_in") / "keyline.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(request.param.read_text())
    return path


@pytest.fixture
def project(lived_in: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder that holds it."""
    choose_the_first(monkeypatch)
    home.mkdir(exist_ok=True)
    shutil.copy(lived_in, home / "keyline.sqlite")
    return home


def test_every_page_opens(project):
    for page in sorted(entries()):
        run = AppTest.from_file(str(PAGES / f"{page}.py"), default_timeout=60).run()
        assert not run.exception, (page, run.exception)
        assert not run.error, (page, [part.value for part in run.error])
    assert proposing_version().name == "all-MiniLM-L6-v2"


def test_what_was_said_stands_and_more_is_said(project, tmp_path):
    before = query("SELECT event_id, value, role FROM verdict ORDER BY id")
    assert [value for _, value, _ in before] == GIVEN
    assert {role for _, _, role in before} == {"annotator"}
    event = verdict(1)
    assert record("Ben", 2, [event]) == ([event["id"]], [])
    assert query("SELECT event_id, value, role FROM verdict ORDER BY id")[:-1] == before
    handed = hand_out("Cleo")
    assert handed is not None and handed.article_id in (1, 2, 3)
    export(tmp_path / "gold.csv")
    assert KEY in set(pd.read_csv(tmp_path / "gold.csv")["sentence"])
