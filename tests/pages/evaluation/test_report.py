"""The report on the page Evaluate and its HTML file, on a report of two articles."""

import re
from html import unescape

import pytest

import db.rows
from annotate.jobs.lifecycle import run_here
from annotate.project.home import read
from annotate.work import HANDLERS
from db.tables import Report
from pages.parts.evaluation import report_sections
from pages.parts.evaluation.report_sections import SECTIONS
from tests.support.making import judge, paper, pmids, propose_with, store, store_cosines, verdict
from tests.support.making import version_without_weights as version_named
from tests.support.paths import PAGES
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES

GENERIC = GENERIC_QUERIES[BEST_GENERIC]
EVIL = '<img src=x onerror="alert(1)"></script><script>alert(2)</script>'


@pytest.fixture
def report_id(home):
    """The report of a child beside its parent; titles and sentences hold hostile HTML."""
    words = (f"The gene {EVIL} is known.", "Here we deleted TP53 in HeLa cells.", "The assay was measured.")
    store(*(paper(words, pmid=pmid, title=f"{EVIL} {pmid}") for pmid in pmids("test", 2)))
    root = version_named("root")
    step = {"kind": "step", "step": 1, "steps": 1, "loss": 0.5}
    kept = {"kind": "checkpoint", "epoch": 1, "step": 1, "score": 0.5}
    child = version_named(
        "child",
        parent_id=root.id,
        settings={"query": None, "margin": 0.5},
        trained_on={"label_counts": {"key": 3}, "label_set_sha256": ""},
        history=[step, kept],
    )
    propose_with(child)
    for version in (root, child):
        store_cosines(version, 1, GENERIC, (0.875, 0.75, 0.125))
        store_cosines(version, 2, GENERIC, (0.875, 0.125, 0.25))
    judge("Anna", 1, verdict(1))
    judge("Anna", 2, verdict(1))
    return run_here("report", {"version": "child"}, HANDLERS, lambda progress: None)["report"]


def app(*, tab: str | None = None, **address: str):
    """The page alone."""
    from streamlit.testing.v1 import AppTest

    test = AppTest.from_file(str(PAGES / "evaluate.py"), default_timeout=60)
    for name, value in address.items():
        test.query_params[name] = value
    if tab:
        test.session_state["report_tab"] = tab
    return test.run()


def test_the_page_says_what_is_missing_on_an_empty_database(home):
    page = app()
    assert not page.exception
    assert "no article of the test split has a key sentence yet" in page.info[0].value


def test_the_page_offers_to_make_a_report_that_is_not_there(report_id):
    page = app(ranking="hybrid")
    assert not page.exception
    assert any(info.value.startswith("No report yet of this version and ranking") for info in page.info)
    assert [button.disabled for button in page.button if button.label == "Make the report"] == [False]


@pytest.mark.parametrize("tab", SECTIONS)
def test_every_section_is_drawn(report_id, tab):
    page = app(version="child", tab=tab)
    assert not page.exception
    assert not page.warning
    # There is no head, not enough sentences for a map, and no tokenizer.
    assert bool(page.dataframe or page.get("plotly_chart")) is (tab not in ("Calibration", "Map", "Vocabulary"))
    assert [shown.label for shown in page.tabs] == list(SECTIONS)


def test_the_page_says_when_the_labels_have_changed(report_id):
    judge("Anna", 2, verdict(0))
    assert "the labels of these articles changed" in app().warning[0].value


def test_the_file_holds_everything_and_escapes_text(report_id):
    from pages.parts.evaluation.report_html import html_of

    page = html_of(report_id, "http://127.0.0.1:8501/").decode()
    assert page.startswith("<!doctype html>")
    body = page.split("</head>")[1]
    assert EVIL not in page
    assert "<img" not in body and 'onerror="' not in body
    assert body.count("<script>alert") == 0
    assert EVIL in unescape(body)  # it is there, as text
    assert 'href="http://127.0.0.1:8501/review?article=1"' in body
    anchors = "numbers confidence calibration cut-off training places vocabulary articles sentences"
    for anchor in anchors.split():
        assert f'<h2 id="{anchor}">' in body
    with read() as session:
        report = db.rows.get(session, Report, report_id)
    for known in (report.label_set_sha256, report.content["audit_sha256"], report.created_at, "margin", "root"):
        assert known in body


@pytest.mark.postgresql
def test_the_file_fetches_nothing(report_id):
    from pages.parts.evaluation.report_html import html_of

    page = html_of(report_id).decode()
    without_plotly = re.sub(r"<script>/\*\*.*?</script>", "", page, flags=re.S)
    assert len(without_plotly) < 300_000
    assert "default-src 'none'" in page
    assert not re.findall(r"(?:src|href)=\"(?:https?:)?//", without_plotly)
    assert "review?article" not in without_plotly.replace('app + "/review?article=', "")  # no address, no links


def test_of_many_articles_the_worst_are_listed_and_the_report_says_of_how_many(report_id, monkeypatch):
    from pages.parts.evaluation.report_html import html_of

    assert "The worst" not in html_of(report_id).decode().split("</head>")[1].replace("The worst show", "")
    monkeypatch.setattr(report_sections, "MOST_ARTICLES", 1)
    assert "<p>The worst 1 of 2:</p>" in html_of(report_id).decode()


@pytest.mark.parametrize("address", ["javascript:alert(1)", "data:text/html,x", ""])
def test_an_address_that_is_not_of_the_web_makes_no_links(report_id, address):
    from pages.parts.evaluation.report_html import html_of

    assert 'data-app=""' in html_of(report_id, address).decode()


def test_the_file_is_made_without_streamlit(report_id):
    import subprocess
    import sys

    code = "import sys, pages.parts.evaluation.report_html; print('streamlit' in sys.modules, 'torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
