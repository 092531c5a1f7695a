"""Files broken at random by tests/measure/fuzz.py, in processes of their own: none ends one or costs much memory.

Of 10,000 these are the first of each kind, since all of them take minutes:
`python -m tests.measure.fuzz --cases 3400` reads them.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from annotate.articles.document import Article, Mark, Paragraph, Section, SectionKind
from annotate.articles.parsing import ParsedEntry
from tests.measure import fuzz
from tests.support.paths import ROOT

CASES = {"xml": 120, "text": 120, "tables": 200}
PEAK_MB = 512


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
@pytest.mark.parametrize("kind", CASES)
def test_broken_files_are_read_or_refused_by_name(kind: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.measure.fuzz", "--kind", kind, "--cases", str(CASES[kind])],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    found = json.loads(done.stdout)
    assert found["cases"] == CASES[kind]
    assert found["peak_mb"] <= PEAK_MB
    # Of every kind of file some survive what was done to them: the readers behind the first checks were reached.
    assert all(count > 2 for count in found["taken"].values())


def test_an_error_of_another_kind_is_found(home: Path, tmp_path: Path) -> None:
    def fragile(name: str, content: bytes) -> None:
        if b"\0" in content:
            raise KeyError(name)

    with pytest.raises((KeyError, ExceptionGroup)):
        fuzz.fuzz(fuzz.Kind({"a.txt": b"One sentence."}, fragile), 2_000, 0)


MARK_BEYOND = Section("", SectionKind.BODY, (Paragraph("ab", marks=(Mark(1, 3, "sub"),)),))


@pytest.mark.parametrize(
    "article",
    [Article("T", year=99999), Article("a\0b"), Article("T", sections=(MARK_BEYOND,))],
    ids=["year", "NUL", "mark"],
)
def test_an_article_that_no_reader_should_make_is_noticed(article: Article) -> None:
    with pytest.raises(AssertionError):
        fuzz.check_article(ParsedEntry("a.txt", article))
