"""Fuzzing of all that reads files from people: sound small files, broken at random, must be read or refused by name.

`python -m tests.measure.fuzz --cases 3000` for each kind of file, `--minutes 60` for as long, `--kind xml` for one.
Ends with the shortest failing file that Hypothesis finds, else with the cases, seconds and peak memory.
"""

import argparse
import gzip
import io
import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from annotate.articles.document_labels import import_labels
from annotate.articles.importing.splitting import sentence_spans
from annotate.articles.parsing import ParsedEntry, from_bytes
from annotate.experiments.corpora import read_articles as read_labelled
from annotate.gold.import_file import import_gold
from annotate.project.files.packed_lines import UnreadableFile
from tests.support.hostile import jats, peak_mb, zipped
from tests.support.ingesting import ingest
from tests.support.making import paper, store

# Written to the database after so many sound ones: what was read must also be storable.
STORED_AT_ONCE = 100
ROUND_CASES = 500

JATS = jats(
    '<p>We deleted <italic>TP53</italic> in HeLa<xref rid="b1">1</xref> cells &amp; <sub>2</sub>.</p>'
    "<sec><title>Inner</title><p>It was $\\alpha > 1$.<fig><label>Fig 1</label><caption><p>A figure.</p></caption>"
    "</fig></p><table-wrap><table><tr><th>a</th><td>b</td></tr></table></table-wrap><list><list-item><p>One</p>"
    "</list-item></list><disp-formula><mml:math xmlns:mml='http://www.w3.org/1998/Math/MathML'><mml:mfrac><mml:mi>x"
    "</mml:mi><mml:mn>2</mml:mn></mml:mfrac></mml:math></disp-formula></sec>",
    '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE article SYSTEM "jats.dtd">',
)
MEDLINE = (
    '<?xml version="1.0"?><PubmedArticleSet>'
    + "".join(
        f"<PubmedArticle><MedlineCitation><PMID>{number}</PMID><Article><Journal><Title>J</Title><JournalIssue>"
        "<PubDate><Year>2020</Year></PubDate></JournalIssue></Journal><ArticleTitle>Loss of <i>TP53</i></ArticleTitle>"
        '<Abstract><AbstractText Label="AIM">We saw it. It fell (p&lt;0.05).</AbstractText></Abstract></Article>'
        '</MedlineCitation><PubmedData><ArticleIdList><ArticleId IdType="doi">10.1000/x</ArticleId></ArticleIdList>'
        "</PubmedData></PubmedArticle>"
        for number in (1, 2)
    )
    + "</PubmedArticleSet>"
).encode()
PAGE = (
    b'<!DOCTYPE html><html><head><meta charset="utf-8"><meta name="citation_title" content="T"><title>T</title></head>'
    b"<body><main><h1>T</h1><h2>Results</h2><p>We <em>deleted</em> TP53<sup>1</sup>.</p><ul><li>One</li></ul>"
    b"<table><tr><td>a</td><td>b</td></tr></table><script>x()</script></main></body></html>"
)
MARKDOWN = (
    "# Title\n\nWe *deleted* `TP53`, see [this](http://x).\n\n## Results\n\n- one\n- two\n\n| a | b |\n|---|---|\n"
    "| 1 | 2 |\n\n```\ncode\n```\n\n> $\\frac{1}{2}$ and α.\n"
).encode()
TEXT = "A title\n\nWe deleted TP53 in HeLa cells. It fell (p < 0.05), cf. Fig. 2.\n\nMüller et al. saw α.\n".encode()
ARTICLES = b'title,abstract,pmid,doi,year\n"T, 1","We deleted it. It fell.",7,10.1000/x,2020\nU,It rose.,8,,\n'
GOLD = (
    b"pmid,sentence,label,sentence_index,verdicts,comment,time,rank,cosine,read_in_full_by,genes,cells,edit\n"
    b'1,The gene is known.,1,0,Anna: accept,"Anna: a, b",2024-01-01T00:00:00Z,1,0.5,Anna,TP53,HeLa,KO\n'
    b"1,Here we deleted TP53 in HeLa cells.,0,1,Ben: reject; Anna: unsure,,,,,,,,\n"
)
LINES = (
    b'{"pmid": 1, "sentence": "The gene is known.", "label": 1}\n'
    b'{"pmid": "1", "sentence": "The assay was measured.", "label": "0"}\n'
)
LABELLED = (
    b'{"id": "a", "query": "q", "sentences": ["One.", "Two."], "labels": [1, 0], "read_in_full": true}\n'
    b'{"pmcid": "PMC1", "prompts": [{"Outcome": "o"}], "sentences": ["One."], "labels": [null]}\n'
)
LABELS = b"pmid,genes,cells,edit\n1,TP53|p53; MDM2,HeLa,KO\n"


# (what, where in the file, how much of it, another number)
Change = tuple[str, float, float, int]

SHEET = "xl/worksheets/sheet1.xml"


def workbook_members() -> dict[str, bytes]:
    """The files within a workbook of gold."""
    book = Workbook()
    for row in (["pmid", "sentence", "label"], [1, "The gene is known.", 1], ["1", "=1+1", 0]):
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    with ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


WORKBOOK = workbook_members()
# How a file is made of what is within it: both are broken.
PACKED: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda inner: gzip.compress(inner, 1),
    ".zip": lambda inner: zipped({"a.xml": inner, "b.xml": MEDLINE}),
    ".xlsx": lambda inner: zipped(WORKBOOK | {SHEET: inner}),
}


@dataclass(frozen=True, slots=True)
class Kind:
    """Sound files by name, before they are packed; `check` reads one and raises where that goes wrong."""

    sound: dict[str, bytes]
    check: Callable[[str, bytes], None]

    def broken(self, name: str, within: Sequence[Change] = (), around: Sequence[Change] = ()) -> bytes:
        """A file, changed before and after it is packed."""
        pack = PACKED.get(Path(name).suffix, bytes)
        return changed(pack(changed(self.sound[name], within)), around)


TOKENS = [
    *(b"\0", b"\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3\x28", b"\xed\xa0\x80", b"\x1f\x8b", b"PK\x03\x04", b"\x0b"),
    *(b"<", b">", b"&", b"&#0;", b"&#x110000;", b"&nosuch;", b"&alpha;", b"<![CDATA[", b"]]>", b"<!--", b"-->", b"<?x"),
    *(
        b'<!DOCTYPE a [<!ENTITY x "y">]>',
        b"<article>",
        b"</article>",
        b"<p>",
        b"</p>",
        b"<sec>",
        b"<b>" * 200,
        b"<sub>",
    ),
    *(b'<a b="c" ', b' xmlns="urn:x"', b"<xi:include href='/etc/passwd'/>", b"<table><tr><td>", b"<fn><p>", b"<title>"),
    *(b'"', b"'", b",", b";", b"\t", b"\n", b"\r", b"\r\n", b'"' * 99, b"\n" * 99, b"[" * 2000, b"{" * 2000, b"}" * 9),
    *(b"=1+1", b"'=", b"NaN", b"Infinity", b"-0", b"1e999", b"9" * 400, b"null", b"true", b'{"a": 1}', b"-1", b"1.5"),
    *(b"$", b"\\frac{", b"\\", b"*" * 50, b"_" * 50, b"`" * 50, b"#" * 9, b"|" * 99, b"[x](", b"![", b"(" * 99),
    *("\u202e".encode(), "\U0001f9ec".encode(), "e\u0301".encode(), "\u2028".encode(), b". " * 200, b"x" * 5_000),
]
CODECS = ["utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "utf-7", "utf-8-sig", "shift_jis", "ascii"]

CHANGES = ["flip", "cut", "delete", "repeat", "move", "insert", "encode", "declare", "nest", "zip", "gzip"]
SHARES = st.floats(0, 1)
change = st.tuples(st.sampled_from(CHANGES), SHARES, SHARES, st.integers(0, 10_000))


def changed(content: bytes, changes: Sequence[Change]) -> bytes:
    """The content after these changes, one after the other; never above a few hundred kilobytes."""
    for what, where, share, number in changes:
        start = int(where * len(content))
        end = start + int(share**3 * (len(content) - start))
        block = content[start:end]
        match what:
            case "flip":
                at = min(start, len(content) - 1)
                content = (
                    content[:at] + bytes([content[at] ^ (1 << number % 8)]) + content[at + 1 :] if content else b""
                )
            case "cut":
                content = content[:start]
            case "delete":
                content = content[:start] + content[end:]
            case "repeat":
                content = content[:end] + block * min(number % 50, 100_000 // (len(block) + 1)) + content[end:]
            case "move":
                content = block + content[:start] + content[end:]
            case "insert":
                content = content[:start] + TOKENS[number % len(TOKENS)] + content[start:]
            case "encode":
                text = content.decode(errors="replace")
                content = text.encode(CODECS[number % len(CODECS)], errors="replace")
            case "declare":
                name = CODECS[number % len(CODECS)].encode()
                content = content.replace(b"UTF-8", name).replace(b"utf-8", name)
            case "nest":
                content = (
                    content[:start] + b"<sec>" * (number % 150) + block + b"</sec>" * (number % 150) + content[end:]
                )
            case "zip":
                content = zipped({"a.xml": content, "b.csv": content[:end]})
            case "gzip":
                content = gzip.compress(content, 1)
    return content


class Readers:
    """Checks of one process: where tables are written, and articles that wait to be stored."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.waiting: list[ParsedEntry] = []
        self.taken: Counter[str] = Counter()  # by the name of the file
        store(paper(pmid="1"))

    def article(self, name: str, content: bytes) -> None:
        """Either an article whose every part can be stored, or a reason in one line, for each part of the file."""
        for entry in from_bytes(name, content):
            assert (entry.article is None) != (entry.error is None)
            entry.source.encode()
            if entry.error is not None:
                assert entry.error and len(entry.error) < 5_000
                continue
            check_article(entry)
            self.taken[name] += 1
            self.waiting.append(entry)
        if len(self.waiting) >= STORED_AT_ONCE:
            found, self.waiting = self.waiting, []
            assert not ingest(found).failures

    def table(self, name: str, content: bytes) -> None:
        """Either rows are taken, or the table is refused whole by an error that names the file."""
        path = self.folder / name
        path.write_bytes(content)
        read: dict[str, Callable[[Path], Any]] = {
            "labels.csv": import_labels,
            "corpus.jsonl": lambda path: list(read_labelled(path)),
            "corpus.jsonl.gz": lambda path: list(read_labelled(path)),
        }
        try:
            read.get(name, import_gold)(path)
        except UnreadableFile as error:
            assert path.name in str(error)
        except ValueError as error:
            assert (
                name.startswith("corpus") and type(error) in (ValueError, UnreadableFile) and path.name in str(error)
            ), repr(error)
        else:
            self.taken[name] += 1


def check_article(entry: ParsedEntry) -> None:
    """Text that a database takes, marks and sentences within their paragraphs."""
    article = entry.article
    assert article is not None
    names = (article.title, article.journal, article.licence, article.pmid, article.pmcid, article.doi)
    for text in filter(None, names):
        assert "\0" not in text and text.encode()
    assert article.year is None or 1500 <= article.year < 2100
    for section, _, paragraph in article.paragraphs():
        assert "\0" not in section.title + paragraph.text
        (section.title + paragraph.text).encode()
        length = len(paragraph.text)
        assert all(0 <= mark.start < mark.end <= length for mark in paragraph.marks)
        spans = sentence_spans(paragraph)
        assert all(0 <= start < end <= length for start, end in spans)
        assert all(before[1] <= after[0] for before, after in pairwise(spans))


def kinds(readers: Readers) -> dict[str, Kind]:
    """What is fuzzed."""
    marked_up = {"a.xml": JATS, "b.xml": MEDLINE, "c.nxml.gz": JATS, "d.zip": JATS}
    written = {"a.html": PAGE, "a.md": MARKDOWN, "a.txt": TEXT, "a.csv": ARTICLES}
    tables = {"gold.csv": GOLD, "gold.jsonl": LINES, "gold.xlsx": WORKBOOK[SHEET], "labels.csv": LABELS}
    tables |= {"corpus.jsonl": LABELLED, "corpus.jsonl.gz": LABELLED}
    return {
        "xml": Kind(marked_up, readers.article),
        "text": Kind(written, readers.article),
        "tables": Kind(tables, readers.table),
    }


def fuzz(kind: Kind, cases: int, number: int) -> None:
    """So many broken files; the `number` tells which. Raises what Hypothesis raises for the shortest that fails."""

    @seed(number)
    @settings(
        max_examples=cases,
        database=None,
        deadline=None,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),  # which line it was tells the traceback; to trace all takes seconds
    )
    @given(st.sampled_from(sorted(kind.sound)), st.lists(change, max_size=4), st.lists(change, max_size=1))
    def reading(name: str, within: list[Change], around: list[Change]) -> None:
        kind.check(name, kind.broken(name, within, around if len(within) < 2 else ()))

    reading()


def main() -> None:
    """Runs from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1_000, help="of each kind")
    parser.add_argument("--minutes", type=float, help="for so long, instead of a number of cases")
    parser.add_argument("--kind", choices=["xml", "text", "tables"], help="only these files")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["KEYLINE_HOME"] = str(Path(folder) / "keyline")
        readers = Readers(Path(folder))
        chosen = {name: kind for name, kind in kinds(readers).items() if options.kind in (None, name)}
        for kind in chosen.values():
            for file in kind.sound:
                kind.check(file, kind.broken(file))
                assert readers.taken[file], f"{file} is sound and was refused"
        started, cases, number = time.monotonic(), 0, options.seed
        seconds = 60 * options.minutes if options.minutes else 0.0
        wanted = options.cases * len(chosen)
        while time.monotonic() - started < seconds if seconds else cases < wanted:
            for kind in chosen.values():
                fuzz(kind, min(ROUND_CASES, options.cases), number)
                cases += min(ROUND_CASES, options.cases)
            number += 1
    found = {"cases": cases, "seconds": round(time.monotonic() - started, 1), "peak_mb": peak_mb()}
    print(json.dumps(found | {"taken": dict(sorted(readers.taken.items()))}))


if __name__ == "__main__":
    main()
