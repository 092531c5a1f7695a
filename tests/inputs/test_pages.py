"""What people may type, upload or have in an address, at its worst. The ids begin with the line of the bar."""

import re
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

import db.articles
import db.curation
from annotate.articles.parsing import compile_pattern
from annotate.articles.parsing.entry import UnusablePattern, Wanted
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.review.events import MAX_COMMENT
from annotate.review.verdicts import record
from db.tables import Article
from pages.parts.articles import uploads
from tests.support.making import comment, paper, query, store, store_proposed
from tests.support.paths import PAGES

SEARCH_SECONDS = 10.0  # a few hundredths; what runs away takes minutes


def page(name: str, **query_params: str) -> AppTest:
    """A page as Anna opens it at this address."""
    run = AppTest.from_file(str(PAGES / f"{name}.py"), default_timeout=30)
    run.session_state["annotator"] = "Anna"
    for key, value in query_params.items():
        run.query_params[key] = value
    return sound(run.run())


def sound(run: AppTest) -> AppTest:
    """The page, once it is sure that no traceback is on it."""
    assert not run.exception
    return run


# 18: many files, and a full disk


@pytest.fixture
def stored(home: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Bytes that each session holds already; a session may hold 1,000."""
    monkeypatch.setattr(uploads, "SESSION_BYTES", 1_000)
    return {}


def upload(stored: dict[str, int], session: str, size: int, path: str = "_stcore/upload_file") -> int:
    """The status of an upload through the limit, in front of an app that keeps what it reads."""

    async def keep(request: Request) -> Response:
        stored[session] = stored.get(session, 0) + len(await request.body())
        return Response(status_code=204)

    app = Starlette(
        routes=[Route("/{rest:path}", keep, methods=["PUT", "POST"])],
        middleware=[Middleware(uploads.UploadLimit, stored=lambda name: stored.get(name, 0))],
    )
    return TestClient(app).put(f"/{path}/{session}/file", content=b"x" * size).status_code


def test_18_the_files_of_a_session_are_bounded_together(stored: dict[str, int]) -> None:
    assert [upload(stored, "one", 400) for _ in range(4)] == [204, 204, 413, 413]
    assert upload(stored, "one", 200) == 204
    assert upload(stored, "one", 1) == 413
    assert upload(stored, "two", 1_000) == 204
    assert stored == {"one": 1_000, "two": 1_000}


def test_18_other_requests_are_not_counted(stored: dict[str, int]) -> None:
    assert upload(stored, "one", 5_000, path="api/events") == 204


def test_18_an_upload_is_refused_where_the_disk_is_short(
    stored: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(uploads.shutil, "disk_usage", lambda path: usage._replace(free=uploads.FREE_BYTES - 1))
    assert upload(stored, "one", 1) == 507
    monkeypatch.setattr(uploads.shutil, "disk_usage", lambda path: usage._replace(free=uploads.FREE_BYTES))
    assert upload(stored, "one", 1) == 204


@pytest.fixture
def started(home: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """The jobs that the pages start; none is."""
    found: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr("annotate.jobs.lifecycle.start", lambda kind, payload: found.append((kind, payload)))
    return found


def uploaded(*files: tuple[str, bytes]) -> AppTest:
    """The import page after these files were chosen and the button pressed."""
    run = page("import_articles")
    chosen = [(name, content, "text/xml") for name, content in files]
    sound(run.file_uploader[0].set_value(chosen).run())
    button = next(button for button in run.button if button.label == "Import the files")
    return sound(button.click().run())


def test_18_more_than_fits_is_refused_before_anything_is_written(
    started: list[Any], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.parts.articles.importing.SESSION_BYTES", 10)
    run = uploaded(("a.xml", b"x" * 6), ("b.xml", b"x" * 6))
    assert "import a folder instead" in run.error[0].value
    assert started == [] and not list((home / "uploads").iterdir())


def test_18_an_import_is_refused_where_the_disk_is_short(
    started: list[Any], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.parts.articles.uploads.FREE_BYTES", 1 << 62)
    run = uploaded(("a.xml", b"x"))
    assert "free some space" in run.error[0].value
    assert started == [] and not list((home / "uploads").iterdir())


NAMES = ["../../etc/x.xml", "/abs.xml", "C:\\x.xml", "CON.xml", "n" * 400 + ".xml", "a\u202elmx.xml"]


def test_20_streamlit_itself_refuses_an_upload_with_NUL_in_its_name(started: list[Any], home: Path) -> None:
    run = page("import_articles")
    run.file_uploader[0].set_value([("a\0b.xml", b"<article/>", "text/xml")]).run()
    assert run.exception and "/" not in run.exception[0].message.replace("'Manage app'", "")
    assert started == [] and not (home / "uploads").exists()


@pytest.mark.parametrize("name", NAMES, ids=[f"20-{kind}" for kind in "up root drive CON long RTL".split()])
def test_an_upload_is_written_under_a_made_up_name(started: list[Any], home: Path, name: str) -> None:
    run = uploaded((name, b"<article/>"))
    ((kind, payload),) = started
    (path,) = payload["paths"]
    assert kind == "import" and re.fullmatch(r"uploads/[0-9a-f]{32}/00000\.xml", str(Path(path).relative_to(home)))
    assert Path(path).read_bytes() == b"<article/>" and list(payload["names"].values()) == [name]
    assert run.file_uploader[0].value in (None, [])  # its memory is free again


# 42: searches


@pytest.fixture
def many(home: Path) -> None:
    """10,000 articles with long titles, and one whose title has the signs of a pattern."""
    rows = [
        {"id": number, "key": f"pmid:{number}", "pmid": str(number), "title": "a" * 300 + str(number)}
        | {"split": "train", "source": "x", "full_text": False, "sentence_count": 0, "warnings": []}
        for number in range(1, 10_001)
    ]
    rows[4_999]["title"] = "100 % of a_b [c] \\d 'x'; DROP TABLE article"
    with write(Right.IMPORT) as session:
        db.articles.insert_text(session, {Article: rows})


SEARCHES = {
    "42-percent": ("%", 1),
    "42-underscore": ("_", 1),
    "42-backslash": ("\\", 1),
    "42-both": ("a_b", 1),
    "42-percent-between": ("a%0", 0),
    "42-SQL": ("'; DROP TABLE", 1),
    "42-SQL-that-ends": ("' OR 1=1 --", 0),
    "42-10-kB": ("a" * 10_000, 0),
    "42-10-kB-of-patterns": ("%a_" * 3_333, 0),
    "42-1-MB": ("a%" * 500_000, 0),
    "42-longest": ("a" * 299, 9_999),
    "42-regex": ("(a+)+$" * 1_000, 0),
    "42-NUL": ("a\0", 0),
    "42-identifier": ("4999", 1),
    "42-nothing": ("", 10_000),
    "42-spaces": ("  ", 10_000),
}


def test_a_search_is_literal_and_quick(many: None) -> None:
    for case, (text, found) in SEARCHES.items():
        started = time.monotonic()
        with read() as session:
            assert db.curation.count_listed(session, db.curation.Wanted(text)) == found, case
            assert len(db.curation.page_of_articles(session, db.curation.Wanted(text))) == min(found, 50), case
        assert time.monotonic() - started < SEARCH_SECONDS, case
    assert query("SELECT count(*) FROM article") == [(10_000,)]


def test_42_the_page_shows_a_hostile_search_as_no_more_than_a_search(home: Path) -> None:
    store(paper(pmid="1"), paper(pmid="2", title="100 % sure"))
    run = page("articles")
    for text, found in (("'; DROP TABLE article --", 0), ("%", 1), ("x" * 10_000, 0), ("(a+)+$", 0)):
        run.text_input(key="search").set_value(text)
        sound(run.run())
        assert len(run.dataframe[0].value) == found
    assert query("SELECT count(*) FROM article") == [(2,)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("(", "is no regular expression", id="42-broken"),
        pytest.param("(" * 900, "is no regular expression", id="42-deep"),
        pytest.param("a" * 10_000, "more than 1,000 characters", id="42-10-kB"),
    ],
)
def test_a_filter_that_is_no_pattern_is_refused_on_the_page(started: list[Any], text: str, message: str) -> None:
    with pytest.raises(UnusablePattern, match=message):
        compile_pattern(text)
    run = page("import_articles")
    run.text_input(key="match").set_value(text).run()
    run.text_input(key="path").set_value(str(PAGES)).run()
    sound(run.button(key="import_path").click().run())
    assert message in run.error[0].value.replace("\\", "") and started == []


@pytest.mark.timeout(60)
def test_42_a_filter_that_would_run_for_ever_is_given_up_after_two_seconds() -> None:
    wanted = Wanted(compile_pattern("(a|aa)+$"))
    with pytest.raises(UnusablePattern, match="longer than 2 s"):
        wanted.has_match("a" * 60 + "b")


# 44: notes

NOTES = {
    "44-1-MB": ("x" * 1_000_000, None),
    "44-one-too-many": ("x" * (MAX_COMMENT + 1), None),
    "44-longest": ("x" * MAX_COMMENT, "x" * MAX_COMMENT),
    "44-controls": ("a" + "".join(map(chr, range(0x20))) + "b", "a\t\nb"),
    "44-only-spaces": (" \n\t ", ""),
    "44-spaces-around": ("  kept  ", "kept"),
}


@pytest.mark.parametrize(("text", "kept"), NOTES.values(), ids=NOTES)
def test_a_note_is_short_and_printable_or_refused(home: Path, text: str, kept: str | None) -> None:
    store(paper(pmid="1"))
    stored, refused = record("Anna", 1, [comment(0, text)])
    assert (len(stored), len(refused)) == ((0, 1) if kept is None else (1, 0))
    assert query("SELECT text FROM comment") == ([] if kept is None else [(kept,)])


# 45: addresses

ARTICLES = [
    "",
    "x",
    "-1",
    "0",
    "1e3",
    "999999",
    "9" * 400,
    "²",
    "１",
    "1;2",
    "'; DROP TABLE article",
    "\0",
    "../../etc",
]


@pytest.mark.parametrize("article", ARTICLES, ids=lambda text: f"45-{text[:12]!r}")
def test_an_odd_article_in_the_address_opens_another_or_says_so(home: Path, article: str) -> None:
    store_proposed(2)
    run = page("review", article=article)
    if article.isascii() and article.isdecimal() and len(article) < 16:
        assert [error.value for error in run.error] == [
            f"There is no article {article}. The address may be of another database."
        ]
    else:
        assert not run.error and run.query_params["article"][0] in ("1", "2")


@pytest.mark.parametrize("name", sorted(path.stem for path in PAGES.glob("*.py")), ids=lambda name: f"45-{name}")
def test_no_page_minds_an_odd_address(home: Path, name: str) -> None:
    """Of every page, with every parameter that any page reads."""
    store_proposed(1)
    asked = "version ranking articles label page account group strategy job".split()
    for value in ("-1", "9" * 400, "<script>gone\0"):
        page(name, **dict.fromkeys(asked, value))


def test_45_a_page_number_out_of_range_is_brought_into_it(home: Path) -> None:
    store(*(paper(pmid=str(number)) for number in range(1, 52)))
    run = page("articles")
    assert (run.number_input[0].min, run.number_input[0].max) == (1, 2)
    with read() as session:
        assert db.curation.page_of_articles(session, offset=10**12) == []
    run.number_input[0].set_value(2).run()
    assert len(sound(run).dataframe[0].value) == 1
    run.text_input(key="search").set_value("Article 7").run()  # one page now: its first
    assert run.number_input[0].value == 1 and len(sound(run).dataframe[0].value) == 1
