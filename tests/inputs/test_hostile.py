"""Articles that do harm, or are only broken, from file to database: refused with file and reason, or stored soundly.

The ids begin with the line of the bar that docs/reliability.md lists. What single parsers make of such files, and
of zips, is in tests/annotate/articles/test_parsing_hostile.py; tables, models and pages are in the other files here.
"""

import gzip
import os
import subprocess
import sys
import threading
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from annotate.articles.article_rows import OTHER_TEXT
from annotate.articles.import_report import ImportOutcome, ImportReport
from annotate.articles.parsing import from_bytes, limits
from annotate.articles.table_files import read_table
from annotate.gold.export_file import export
from tests.support.hostile import BODY, jats, written_once, zipped
from tests.support.ingesting import ingest
from tests.support.making import judge, query, verdict
from tests.support.office_files import pdf, unpacking_pdf
from tests.support.paths import ROOT

# How long it takes, `tests/measure/refusals.py` measures: here is only what no machine should need.
pytestmark = pytest.mark.timeout(120)
PEAK_MB = 512
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
DECLARED = '<?xml version="1.0" encoding="{}"?>'
EMPTY_ENTRIES = {f"{number}.xml": b"" for number in range(limits.ZIP_ENTRIES + 1)}

Case = tuple[str, Callable[[], bytes], str]
REFUSED: dict[str, Case] = {
    "01-billion-laughs": (
        "a.xml",
        lambda: jats("<p>&l9;</p>", f'<!DOCTYPE article [<!ENTITY l0 "lol">{LAUGHS}]>'),
        "ENTITY",
    ),
    "02-quadratic-blow-up": (
        "a.xml",
        lambda: jats(f"<p>{'&a;' * 20_000}</p>", f'<!DOCTYPE article [<!ENTITY a "{"x" * 100_000}">]>'),
        "ENTITY",
    ),
    "03-entity-of-a-file": (
        "a.xml",
        lambda: jats("<p>&x;</p>", '<!DOCTYPE article [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
        "ENTITY",
    ),
    "03-entity-behind-a-lying-comment-sign": (
        "a.xml",
        lambda: jats("<p>&x;</p>", '<!DOCTYPE article SYSTEM "<!--" [<!ENTITY x "boo">]>'),
        "ENTITY",
    ),
    "06-unknown-entity": ("a.xml", lambda: jats("<p>&nosuch;</p>"), "undeclared entity &nosuch;"),
    "08-100,000-nested-tags": (
        "a.xml",
        lambda: jats("<p>" + "<b>" * 100_000 + "</b>" * 100_000 + "</p>"),
        "limits",
    ),
    "08-deeper-than-our-own-cap": (
        "a.xml",
        lambda: jats("<p>" + "<b>" * 150 + "</b>" * 150 + "</p>"),
        "deeper than 100",
    ),
    "08-nested-web-page": ("a.html", lambda: b"<html><body>" + b"<div>" * 100_000 + b"x", "deeper than 100"),
    "09-200,000-attributes": (
        "a.xml",
        lambda: jats("<p " + " ".join(f'a{n}="1"' for n in range(200_000)) + ">x</p>"),
        "attributes",
    ),
    "09-20-MB-in-one-text": ("a.xml", lambda: jats("<p>" + "a" * 20_000_000 + "</p>"), "limits"),
    "09-2,000,000-elements": ("a.xml", lambda: jats("<p/>" * 2_000_001), "elements"),
    "10-UTF-7": ("a.xml", lambda: jats("<p>+ADw-script+AD4-</p>", DECLARED.format("UTF-7")), "encoding 'UTF-7'"),
    "10-UTF-7-web-page": (
        "a.html",
        lambda: b'<html><head><meta charset="utf-7"></head><body>+ADw-script+AD4-</body></html>',
        "encoding 'utf-7'",
    ),
    "11-invalid-UTF-8": ("a.xml", lambda: jats("<p>caf@</p>").replace(b"@", b"\xe9"), "not valid utf-8"),
    "11-ASCII-that-is-not": ("a.xml", lambda: jats("<p>naïve</p>", DECLARED.format("US-ASCII")), "not valid ascii"),
    "13-NUL": ("a.xml", lambda: jats("<p>a\0b</p>"), "NUL"),
    "13-NUL-as-a-reference": ("a.xml", lambda: jats("<p>&#0;</p>"), "well-formed"),
    "13-vertical-tab": ("a.xml", lambda: jats("<p>a\x0bb</p>"), "well-formed"),
    "13-NUL-in-a-text": ("a.txt", lambda: b"Title\n\na\0b", "NUL"),
    "14-truncated": ("a.xml", lambda: jats("<p>One sentence.</p>")[:-20], "well-formed"),
    "14-empty": ("a.xml", lambda: b"", "empty"),
    "14-white-space-only": ("a.xml", lambda: b" \n\t ", "empty"),
    "15-PDF": ("a.xml", lambda: b"%PDF-1.7\n%\xe2\xe3\n", "a PDF"),
    "15-docx": (
        "a.xml",
        lambda: zipped({"[Content_Types].xml": b"<a/>", "word/document.xml": b"<a/>"}),
        "Office",
    ),
    "15-spreadsheet": (
        "a.docx",
        lambda: zipped({"[Content_Types].xml": b"<a/>", "xl/workbook.xml": b"<a/>"}),
        "no Word document",
    ),
    "15-PDF-of-one-line": ("a.pdf", lambda: b"%PDF-1.7\n%\xe2\xe3\n", "damaged"),
    "15-scan": ("a.pdf", lambda: pdf([(72, 700, 12, "Scanned by S")]), "OCR"),
    "15-PDF-with-a-password": ("a.pdf", lambda: pdf([(72, 700, 12, "Text.")], password="p"), "password"),
    "15-PDF-of-501-pages": ("a.pdf", lambda: pdf(*[[(72, 700, 12, "Text.")]] * 501), "more than 500 pages"),
    "15-PDF-that-unpacks-to-gigabytes": ("a.pdf", lambda: unpacking_pdf(2_000), "is a PDF"),
    "19-bomb-in-a-docx": (
        "a.docx",
        lambda: zipped({"word/document.xml": b"<w:document>" + b" " * 60_000_000}),
        "zip bomb",
    ),
    "01-billion-laughs-in-a-docx": (
        "a.docx",
        lambda: zipped({"word/document.xml": f'<!DOCTYPE a [<!ENTITY l0 "lol">{LAUGHS}]><a>&l9;</a>'.encode()}),
        "ENTITY",
    ),
    "01-billion-laughs-in-TEI": (
        "a.xml",
        f'<!DOCTYPE TEI [<!ENTITY l0 "lol">{LAUGHS}]><TEI><text>&l9;</text></TEI>'.encode,
        "ENTITY",
    ),
    "15-web-page": ("a.xml", lambda: b"<!DOCTYPE html><html><body><p>Text</p></body></html>", "HTML"),
    "15-other-XML": ("a.xml", lambda: b"<rss><channel/></rss>", "<rss>"),
    "15-no-XML-at-all": ("a.xml", lambda: b"Dear all, this is a text.", "not XML"),
    "19-zip-bomb": ("a.zip", lambda: zipped({"a.xml": b"<article>" + b" " * 60_000_000}), "zip bomb"),
    "19-zip-in-a-zip": (
        "a.zip",
        lambda: zipped({"a.zip": zipped({"a.xml": jats("<p>x</p>")})}, zipfile.ZIP_STORED),
        "inside a zip",
    ),
    "19-100,001-entries": ("a.zip", lambda: zipped(EMPTY_ENTRIES, zipfile.ZIP_STORED), "100,000 entries"),
    "22-gzip-bomb": (
        "a.xml.gz",
        lambda: gzip.compress(jats("<p>" + "a b " * (15 * limits.MB) + "</p>"), 1),
        "50 MB",
    ),
    "22-gzip-cut-short": ("a.xml.gz", lambda: gzip.compress(jats("<p>x</p>"))[:-12], "damaged"),
}


def stored(name: str, content: bytes) -> ImportReport:
    """What an import of the one file comes to."""
    return ingest(from_bytes(name, content))


def texts() -> list[str]:
    """The paragraphs of the database."""
    return [text for (text,) in query("SELECT text FROM paragraph ORDER BY id")]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The file of a case, made once: some take seconds."""
    return written_once(tmp_path_factory.mktemp("refused"), REFUSED)


@pytest.mark.parametrize("case", REFUSED)
def test_a_file_is_refused_by_name_and_reason_at_once_and_nothing_is_stored(
    home: Path, written: Callable[[str], Path], case: str
) -> None:
    name, _, reason = REFUSED[case]
    content = written(case).read_bytes()
    report = stored(name, content)
    assert report.counts == {ImportOutcome.FAILED: 1}
    ((source, said),) = report.failures
    assert source.startswith(name) and reason in said and "Traceback" not in said and "\n" not in said
    assert query("SELECT count(*) FROM article") == [(0,)]


READER = """
import sys
from pathlib import Path
from annotate.articles.parsing import read_articles
from tests.support.hostile import peak_mb
for path in map(Path, sys.argv[1:]):
    assert all(entry.error for entry in read_articles(path)), path
print(peak_mb())
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
def test_all_of_them_after_one_another_cost_little_memory(written: Callable[[str], Path]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", READER, *(str(written(case)) for case in REFUSED)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) <= PEAK_MB


@pytest.fixture
def listener() -> Iterator[tuple[str, list[str]]]:
    """A server's address, and what was asked of it."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/x", asked
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize(
    ("prolog", "outcome"),
    [
        pytest.param('[<!ENTITY x SYSTEM "{}">]', ImportOutcome.FAILED, id="04-external-entity"),
        pytest.param('[<!ENTITY % x SYSTEM "{}"> %x;]', ImportOutcome.FAILED, id="04-parameter-entity"),
        pytest.param('SYSTEM "{}"', ImportOutcome.STORED, id="05-external-DTD"),
        pytest.param('PUBLIC "-//NLM//DTD JATS 1.2//EN" "{}"', ImportOutcome.STORED, id="05-public-DTD"),
    ],
)
def test_no_file_makes_a_request(
    home: Path, listener: tuple[str, list[str]], prolog: str, outcome: ImportOutcome
) -> None:
    address, asked = listener
    body = "<p>One sentence.</p>" if outcome is ImportOutcome.STORED else "<p>&x;</p>"
    report = stored("a.xml", jats(body, f"<!DOCTYPE article {prolog.format(address)}>"))
    assert report.counts == {outcome: 1}
    assert asked == []


XINCLUDE = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="/etc/passwd" parse="text"/>'
SAME = jats("<p>One β\nsentence. Another.</p>").decode()
ACCEPTED: dict[str, tuple[str, bytes, list[str]]] = {
    "06-entity-of-the-DTD": (
        "a.xml",
        jats("<p>TNF-&alpha; &lt; 5</p>", '<!DOCTYPE article SYSTEM "jats.dtd">'),
        ["TNF-α < 5"],
    ),
    "07-XInclude": ("a.xml", jats(f"<p>Before {XINCLUDE} after.</p>"), ["Before after."]),
    "11-charset-guessed": ("a.txt", "Title\n\nDie Mäuse aßen Körner.".encode("cp1252"), ["Die Mäuse aßen Körner."]),
    "12-UTF-8-with-BOM": ("a.xml", SAME.encode("utf-8-sig"), ["One β sentence. Another."]),
    "12-UTF-16-with-BOM": ("a.xml", SAME.encode("utf-16"), ["One β sentence. Another."]),
    "12-CRLF": ("a.xml", SAME.replace("\n", "\r\n").encode(), ["One β sentence. Another."]),
    "12-CR": ("a.xml", SAME.replace("\n", "\r").encode(), ["One β sentence. Another."]),
    "13-controls-in-a-text": ("a.txt", "Title\n\nOne\x01 two\x9f three.".encode(), ["One two three."]),
    "26-sentence-of-digits": ("a.txt", b"Title\n\n1234567890 0987654321.", ["1234567890 0987654321."]),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_a_file_is_accepted_without_its_poison(home: Path, case: str) -> None:
    name, content, paragraphs = ACCEPTED[case]
    report = stored(name, content)
    assert report.counts == {ImportOutcome.STORED: 1}
    assert texts() == paragraphs
    if case == "11-charset-guessed":
        ((_, note),) = report.warnings
        assert note.startswith("encoding guessed as cp12") and note.endswith("check letters with accents and Greek")
    if case.startswith("12"):
        assert query("SELECT count(*) FROM sentence") == [(2,)]


@pytest.mark.parametrize(
    ("abstract", "warning"),
    [
        pytest.param("<abstract><p>Short.</p></abstract>", "abstract only: no body text", id="16-abstract-only"),
        pytest.param("", "no abstract and no body text", id="16-no-sentence"),
    ],
)
def test_an_article_of_little_text_is_stored_with_a_warning(home: Path, abstract: str, warning: str) -> None:
    content = f"<article>{BODY.replace('</article-meta>', abstract + '</article-meta>')}</article>".encode()
    report = stored("a.xml", content)
    assert report.counts == {ImportOutcome.STORED: 1} and report.warnings == [("a.xml", warning)]


NAMES = ["../../etc/x.xml", "/abs.xml", "C:\\x.xml", "a\0b.xml", "CON.xml", "n" * 400 + ".xml", "a\u202elmx.xml"]


@pytest.mark.parametrize("name", NAMES, ids=[f"20-{kind}" for kind in "up root drive NUL CON long RTL".split()])
@pytest.mark.parametrize("packed", [False, True], ids=["file", "member"])
def test_a_name_is_shown_and_opens_nothing(home: Path, name: str, packed: bool) -> None:
    content = jats("<p>One sentence.</p>")
    report = stored("a.zip", zipped({name: content})) if packed else stored(name, content)
    # zipfile ends a member's name at NUL: what is left has no ending that is known.
    assert report.counts == ({ImportOutcome.FAILED: 1} if packed and "\0" in name else {ImportOutcome.STORED: 1})
    shown = [source for (source,) in query("SELECT source FROM article")] + [source for source, _ in report.failures]
    assert len(shown) == 1 and shown[0].isprintable() and len(shown[0]) <= 220
    assert {path.name.partition(".")[0] for path in home.rglob("*")} <= {"keyline", "snapshots"}


EXACT = [
    "p<0.05 & x>3.",
    "<i>BRCA1</i> and <sub>2</sub> stay.",
    "TNF-α, β₂ and Δψ ≥ 5 µm.",
    "e\u0301tude, A\u030a, o\u0308.",
    "A \U0001f9ec and a \U0001f468\u200d\U0001f52c.",
    "\u05d0\u05d1\u05d2 and \u0627\u0644.",
    "Zero\u200bwidth, no\u00a0break, soft\u00adhyphen.",
    "The range \u202fof 5\u20096.",
]


@pytest.mark.parametrize("ending", [".csv", ".xlsx", ".jsonl"])
@pytest.mark.parametrize("text", EXACT, ids=[f"25-{number}" for number in range(len(EXACT))])
def test_awkward_text_is_the_same_in_the_database_and_in_every_export(
    home: Path, tmp_path: Path, text: str, ending: str
) -> None:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    stored("a.xml", jats(f"<p>{escaped}</p>"))
    assert texts() == [text]
    judge("Anna", 1, verdict(0))
    export(tmp_path / f"gold{ending}")
    ((_, row),) = read_table(tmp_path / f"gold{ending}", needs=[("sentence",)])
    assert row["sentence"].encode() == text.encode()
    assert unicodedata.normalize("NFC", row["sentence"]) == unicodedata.normalize("NFC", text)


def test_26_a_sentence_of_50000_characters_is_cut_and_keeps_every_character(home: Path) -> None:
    stored("a.xml", jats("<p>" + "acgt" * 12_500 + "</p>"))
    spans = query('SELECT start, "end" FROM sentence ORDER BY position')
    assert [end - start for start, end in spans] == [2_000] * 25
    assert (spans[0][0], spans[-1][1]) == (0, 50_000)


def test_26_ten_thousand_equal_sentences_are_stored_in_their_places(home: Path) -> None:
    stored("a.xml", jats("<p>" + "The same sentence. " * 10_000 + "</p>"))
    assert query("SELECT count(*), count(DISTINCT position) FROM sentence") == [(10_000, 10_000)]


def identified(body: str) -> bytes:
    """An article of PMC7 with this body."""
    identity = '<article-meta><article-id pub-id-type="pmc">7</article-id>'
    return jats(body).replace(b"<article-meta>", identity.encode(), 1)


def test_27_the_same_article_again_changes_nothing_and_another_text_of_it_is_told(home: Path) -> None:
    first, other = identified("<p>One sentence.</p>"), identified("<p>One sentence, corrected.</p>")
    stored("a.xml", first)
    judge("Anna", 1, verdict(0))
    again = stored("b.xml", first)
    assert (again.counts, again.warnings) == ({ImportOutcome.ALREADY_THERE: 1}, [])
    changed = stored("c.xml", other)
    assert changed.counts == {ImportOutcome.ALREADY_THERE: 1}
    assert changed.warnings == [("c.xml", OTHER_TEXT)]
    assert texts() == ["One sentence."]
    assert query("SELECT count(*) FROM verdict") == [(1,)]
