"""RIS, BibTeX and nbib: the articles that they name, and what cannot be fetched told by its title."""

from pathlib import Path

import pytest

from annotate.articles.importing.batches import batches_of
from annotate.articles.managers import reference_files
from annotate.articles.managers.reference_files import identifiers_of
from annotate.articles.parsing import find_files
from annotate.articles.parsing.entry import ParsedEntry
from annotate.engines.local import HERE

RIS = """TY  - JOUR
TI  - Known by DOI
DO  - https://doi.org/10.1000/ABC
ER  -
TY  - JOUR
T1  - Of PubMed
AN  - 33
DB  - PubMed
C2  - PMC44
ER  -
TY  - JOUR
TI  - With a link
UR  - https://doi.org/10.1000/link
ER  -
TY  - JOUR
TI  - Of Central
C2  - PMC55
ER  -
TY  - JOUR
TI  - Nameless
ER  -
"""
BIBTEX = (
    "@article{a, title = {One}, pmid = {33}}\n@article{b, title = {Two}, doi = {10.1000/two}}\n@book{c, title={Old}}"
)
NBIB = """PMID- 33
TI  - A title that goes
      on
LID - 10.1000/x [doi]

PMID- 44
PMC - PMC55
TI  - Another
"""


def named(path: Path, content: str | bytes) -> tuple[list[str], list[str]]:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    found, refused = identifiers_of(path)
    return found, [f"{entry.source}: {entry.error}" for entry in refused]


@pytest.mark.parametrize(
    ("name", "content", "found", "nameless"),
    [
        ("a.ris", RIS, ["10.1000/abc", "33", "10.1000/link", "PMC55"], ["a.ris › Nameless"]),
        ("a.bib", BIBTEX, ["33", "10.1000/two"], ["a.bib › Old"]),
        ("a.nbib", NBIB, ["33", "44"], []),
        ("a.nbib", "TI  - Only\nLID - 10.1000/x [doi]\nLID - 7 [pii]\n", ["10.1000/x"], []),
    ],
)
def test_the_best_identifier_of_each_reference_is_read(tmp_path, name, content, found, nameless):
    identifiers, refused = named(tmp_path / name, content)
    assert identifiers == found
    assert [line.partition(": ")[0] for line in refused] == nameless
    assert all(line.endswith("names no PMID, PMCID or DOI by which it could be fetched") for line in refused)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.ris", "", "holds no reference"),
        ("a.ris", "no RIS at all", "RIS"),
        ("a.ris", b"TY  - JOUR\nTI  - a\0b\nER  -\n", "NUL"),
        ("a.ris", "TY  - JOUR\nTI  - " + "a" * 200_000, "a line of more than"),
        ("a.nbib", "Dear reader", "holds no reference"),
        ("a.bib", "Dear reader", "no entry of BibTeX"),
        ("a.bib", "@article{a, title = " + "{" * 5_000 + "}" * 5_000 + "}", "too deep"),
        ("a.nbib", "x" * (11 << 20), "more than 10 MB"),
    ],
)
def test_what_names_nothing_is_refused_by_name_and_reason(tmp_path, name, content, reason):
    found, refused = named(tmp_path / name, content)
    assert found == [] and len(refused) == 1
    assert refused[0].startswith(name) and (reason in refused[0] or "no reference" in refused[0])


def test_a_file_that_went_and_one_of_too_many_references_are_refused(tmp_path, monkeypatch):
    assert identifiers_of(tmp_path / "gone.ris")[1][0].error == "is not a file that can be read"
    monkeypatch.setattr(reference_files, "MOST_ENTRIES", 1)
    assert "at most 1 are fetched" in named(tmp_path / "a.nbib", NBIB)[1][0]


def test_an_article_that_is_there_as_xml_too_is_not_taken_from_its_pdf(tmp_path):
    for name in ("a.pdf", "b.docx", "c.nxml"):
        (tmp_path / name).write_text("x")
    assert [path.name for path in find_files([tmp_path])] == ["c.nxml", "a.pdf", "b.docx"]
    uploads = [tmp_path / name for name in ("a.pdf", "c.nxml")]
    assert [path.name for path in find_files(uploads)] == ["c.nxml", "a.pdf"]


def test_an_import_fetches_what_the_files_name_once_beside_what_was_pasted(tmp_path, monkeypatch):
    asked: list[str] = []

    class Client:
        def __enter__(self) -> "Client":
            return self

        def __exit__(self, *_: object) -> None:
            """Nothing is open."""

        def fetch_all(self, identifiers):
            asked.extend(identifiers)
            return [ParsedEntry(f"Europe PMC {one}", error="not there") for one in identifiers]

    monkeypatch.setattr("annotate.articles.europepmc.EuropePmc", Client)
    (tmp_path / "a.ris").write_text(RIS)
    (tmp_path / "b.NBIB").write_text(NBIB)
    assert [path.name for path in find_files([tmp_path])] == ["a.ris", "b.NBIB"]
    payload = {"paths": [str(tmp_path)], "identifiers": ["44", "9"]}
    ready = batches_of(payload, HERE, lambda: None, lambda: False)
    entries = [entry for batch in ready for entry, _ in batch]
    assert asked == ["44", "9", "10.1000/abc", "33", "10.1000/link", "PMC55"]
    assert len(entries) == 1 + len(asked)
