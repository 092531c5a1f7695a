"""RIS, BibTeX and nbib: the works that they name, their abstracts, and what holds neither told by its title."""

from pathlib import Path
from typing import Any, ClassVar

import pytest

from annotate.articles.document import Article
from annotate.articles.importing import reference_files
from annotate.articles.importing.batches import batches_of
from annotate.articles.importing.entries import named_in
from annotate.articles.importing.reference_files import NAMELESS, references_of
from annotate.articles.parsing import find_files
from annotate.articles.parsing.entry import ParsedEntry
from annotate.engines.engine import HERE
from tests.support.ingesting import ingest
from tests.support.making import paper, query

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
    found = references_of(path)
    return [*found.by_identifier], [f"{entry.source}: {entry.error}" for entry in found.others]


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
    assert all(
        line.endswith("holds no abstract, and names no PMID, PMCID or DOI by which it could be fetched")
        for line in refused
    )


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ("N1  - Comment in: Lancet. PMID: 30000001", "10.1000/own"),
        ("N1  - PMID: 30000001\nN1  - PMID: 30000002", "10.1000/own"),
        ("N1  - Publisher: X\nPMID: 33\nPMCID: PMC44", "33"),
        ("ID  - 33 [pmid]\nN1  - PMID: 30000001", "33"),
        ("DB  - Ovid MEDLINE(R)\nAN  - 33\nN1  - PMID: 30000001", "33"),
        ("DP  - NLM\nAN  - 33", "33"),
        ("DB  - NLM Catalog\nDP  - NLM\nAN  - 101234567", "10.1000/own"),
    ],
)
def test_a_pmid_that_a_note_of_ris_mentions_is_not_that_of_the_record(tmp_path, lines, found):
    content = f"TY  - JOUR\nTI  - A title\nDO  - 10.1000/own\n{lines}\nER  -\n"
    assert named(tmp_path / "a.ris", content) == ([found], [])


@pytest.mark.parametrize(
    ("content", "found"),
    [(NBIB, ["33", "44"]), (f"\ufeff\r\n{RIS}", ["10.1000/abc", "33", "10.1000/link", "PMC55"]), ("PMID\n\nText.", [])],
)
def test_a_text_file_that_begins_as_references_do_is_read_as_these(tmp_path, content, found):
    (path := tmp_path / "pubmed-set.txt").write_text(content)
    taken = named_in({"paths": [str(tmp_path)]})
    assert [*taken.identifiers] == found and taken.files == ([] if found else [path])


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
        ("a.nbib", "x" * (21 << 20), "more than 20 MB"),
    ],
)
def test_what_names_nothing_is_refused_by_name_and_reason(tmp_path, name, content, reason):
    found, refused = named(tmp_path / name, content)
    assert found == [] and len(refused) == 1
    assert refused[0].startswith(name) and (reason in refused[0] or "no reference" in refused[0])


def test_a_file_that_went_and_one_of_too_many_references_are_refused(tmp_path, monkeypatch):
    assert references_of(tmp_path / "gone.ris").others[0].error == "is not a file that can be read"
    monkeypatch.setattr(reference_files, "MOST_ENTRIES", 1)
    assert "at most 1 are read" in named(tmp_path / "a.nbib", NBIB)[1][0]


def test_an_article_that_is_there_as_xml_too_is_not_taken_from_its_pdf(tmp_path):
    for name in ("a.pdf", "b.docx", "c.nxml"):
        (tmp_path / name).write_text("x")
    assert [path.name for path in find_files([tmp_path])] == ["c.nxml", "a.pdf", "b.docx"]
    uploads = [tmp_path / name for name in ("a.pdf", "c.nxml")]
    assert [path.name for path in find_files(uploads)] == ["c.nxml", "a.pdf"]


class Service:
    """In place of Europe PMC: what it gives of each identifier; of others it says that it cannot be reached."""

    gives: ClassVar[dict[str, Article]] = {}
    asked: ClassVar[list[str]] = []

    def __init__(self) -> None:
        self.out_of_reach = 0

    def __enter__(self) -> "Service":
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is open."""

    def fetch_all(self, identifiers):
        for one in identifiers:
            self.asked.append(one)
            self.out_of_reach = 0 if one in self.gives else self.out_of_reach + 1
            error = None if one in self.gives else "the service cannot be reached (ConnectionError)"
            yield ParsedEntry(f"Europe PMC {one}", self.gives.get(one), error)


@pytest.fixture
def service(monkeypatch) -> type[Service]:
    monkeypatch.setattr(Service, "gives", {})
    monkeypatch.setattr(Service, "asked", [])
    monkeypatch.setattr("annotate.articles.europepmc.EuropePmc", Service)
    return Service


def imported(tmp_path: Path, **payload: Any) -> list[ParsedEntry]:
    """The entries of an import of a folder."""
    ready = batches_of({"paths": [str(tmp_path)], **payload}, HERE, lambda: None, lambda: False)
    return [entry for batch in ready for entry, _ in batch]


def test_an_import_fetches_what_the_files_name_once_beside_what_was_pasted(tmp_path, service):
    (tmp_path / "a.ris").write_text(RIS)
    (tmp_path / "b.NBIB").write_text(NBIB)
    assert [path.name for path in find_files([tmp_path])] == ["a.ris", "b.NBIB"]
    service.gives.update({pmid: Article("Fetched", pmid=pmid) for pmid in ("9", "33")})  # so it is within reach
    entries = imported(tmp_path, identifiers=["44", "9"])
    assert service.asked == ["44", "9", "10.1000/abc", "33", "10.1000/link", "PMC55"]
    assert len(entries) == 1 + len(service.asked)


RIS_HELD = """TY  - JOUR
TI  - With a PMID
AB  - We deleted TP53. Cells grew.
AN  - 33
DB  - PubMed
DO  - 10.1000/ABC
PY  - 2020/05/01/
JF  - Journal of Cells
ER  -
TY  - JOUR
T1  - Without identifier
N2  - We deleted Myc.
  Mice slept.
ER  -
TY  - JOUR
TI  - Neither
ER  -
"""
BIBTEX_HELD = r"""@article{a, title = {{With} a {PMID}}, pmid = {33}, doi = {10.1000/abc}, year = 2020,
 journal = {Journal of Cells}, abstract = {We deleted {TP53}. Cells grew.}}
@article{b, title = {Without identifier}, abstract = {We deleted Myc.
 Mice slept.}}
@book{c, title = {Neither}}
"""
NBIB_HELD = """PMID- 33
TI  - With a PMID
AB  - We deleted TP53.
      Cells grew.
LID - 10.1000/abc [doi]
DP  - 2020 May
JT  - Journal of Cells
"""


@pytest.mark.parametrize(
    ("name", "content"), [("a.ris", RIS_HELD), ("a.bib", BIBTEX_HELD), ("a.nbib", NBIB_HELD)], ids=lambda text: text[:6]
)
def test_without_a_network_the_abstract_of_the_file_is_stored_in_sentences(home, tmp_path, service, name, content):
    (folder := tmp_path / "in").mkdir()
    (folder / name).write_text(content)
    report = ingest(imported(folder))
    assert query(
        "SELECT pmid, doi, title, journal, year, full_text, sentence_count FROM article WHERE pmid = '33'"
    ) == [("33", "10.1000/abc", "With a PMID", "Journal of Cells", 2020, False, 2)]
    said = "stored as the file has it, since Europe PMC gave no text: the service cannot be reached (ConnectionError)"
    assert report.warnings == [(f"{name} › With a PMID", said)]


@pytest.mark.parametrize(("name", "content"), [("a.ris", RIS_HELD), ("a.bib", BIBTEX_HELD)])
def test_an_abstract_without_identifier_is_stored_and_what_has_neither_is_told_by_name(
    home, tmp_path, service, name, content
):
    (folder := tmp_path / "in").mkdir()
    (folder / name).write_text(content)
    report = ingest(imported(folder))
    assert query("SELECT key LIKE 'sha256:%', sentence_count FROM article WHERE title = 'Without identifier'") == [
        (True, 2)
    ]
    assert report.failures == [(f"{name} › Neither", NAMELESS)]
    assert ingest(imported(folder)).counts == {"already there": 2, "failed": 1}


def test_a_reference_without_abstract_that_cannot_be_fetched_is_told_by_its_title(tmp_path, service):
    (tmp_path / "a.nbib").write_text("PMID- 33\nTI  - Of cells\n")
    (entry,) = imported(tmp_path)
    assert entry.source == "a.nbib › Of cells"
    assert entry.error == (
        "holds no abstract, and Europe PMC gave none: the service cannot be reached (ConnectionError)"
    )


def test_with_a_network_the_fetched_text_is_stored_and_completes_what_a_file_gave_before(home, tmp_path, service):
    (folder := tmp_path / "in").mkdir()
    (folder / "a.nbib").write_text(NBIB_HELD)
    ingest(imported(folder))
    service.gives["33"] = paper(("We deleted TP53. Cells grew.",), ("They died.",), title="With a PMID", pmid="33")
    assert ingest(imported(folder)).counts == {"full text added": 1}
    assert query("SELECT full_text, sentence_count FROM article") == [(True, 3)]


def test_where_the_service_has_no_text_that_of_the_file_is_taken(tmp_path, service):
    (tmp_path / "a.nbib").write_text(NBIB_HELD)
    service.gives["33"] = Article("Fetched", pmid="33")
    assert [entry.article.title for entry in imported(tmp_path) if entry.article] == ["With a PMID"]
    (tmp_path / "a.nbib").write_text("PMID- 33\nTI  - Of cells\n")
    assert [entry.article.title for entry in imported(tmp_path) if entry.article] == ["Fetched"]


def test_without_fetching_each_record_is_stored_as_the_file_has_it_a_title_at_least(home, tmp_path, service):
    (folder := tmp_path / "in").mkdir()
    bare = "TY  - JOUR\nTI  - A title\nDO  - 10.1000/bare\nER  -\n"
    (folder / "a.ris").write_text(RIS_HELD + bare + RIS_HELD + "TY  - JOUR\nER  -\n")
    report = ingest(imported(folder, fetch=False))
    assert service.asked == []
    assert query("SELECT title, sentence_count FROM article ORDER BY id") == [
        ("With a PMID", 2), ("Without identifier", 2), ("Neither", 0), ("A title", 0)
    ]  # fmt: skip
    assert report.counts == {"stored": 4, "already there": 3, "failed": 1} and report.warnings == []


@pytest.mark.parametrize("fetch", [True, False])
def test_a_record_with_the_identifier_of_another_work_is_told_and_replaces_nothing(tmp_path, fetch):
    titles = ("Of cells", "Of CELLS: a study", "Of mice")
    (tmp_path / "a.nbib").write_text("".join(f"PMID- 33\nTI  - {title}\nAB  - {title}.\n\n" for title in titles))
    found = references_of(tmp_path / "a.nbib", fetch=fetch)
    (told,) = (entry for entry in found.others if entry.error)
    assert (told.source, told.error) == (
        "a.nbib › Of mice",
        "left out: another title stands above with the same 33: Of cells",
    )
    stored = [*found.by_identifier.values(), *(entry for entry in found.others if entry.article)]
    assert [entry.article.title for entry in stored] == [*titles[1 if fetch else 0 : 2]]


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("Effect of TNF-alpha on tumour growth", "Effect of TNF-α on tumor growth"),
        ("Loss of <i>BRCA1</i> &amp; growth in mice", "Loss of BRCA1 & growth in mice"),
    ],
)
def test_a_title_written_otherwise_is_of_the_same_work_and_the_record_with_an_abstract_counts(tmp_path, first, later):
    (tmp_path / "a.nbib").write_text(f"PMID- 33\nTI  - {first}\n\nPMID- 33\nTI  - {later}\nAB  - Cells grew.\n")
    found = references_of(tmp_path / "a.nbib")
    assert found.by_identifier["33"].article.title == later and not found.others


def test_a_service_out_of_reach_is_not_asked_for_each_abstract_that_a_file_holds(tmp_path, service):
    held = "".join(f"PMID- {n}\nTI  - Number {n}\nAB  - We deleted TP53.\n\n" for n in range(1, 9))
    (tmp_path / "a.nbib").write_text(f"{held}PMID- 9\nTI  - No abstract\n")
    entries = imported(tmp_path)
    assert service.asked == ["1", "2"]
    assert [entry.article is not None for entry in entries] == [True] * 8 + [False]


@pytest.mark.parametrize(
    ("name", "content", "texts"),
    [
        ("a.nbib", "PMID- 1\nTI  - In the \u2028Islands.\nAB  - We looked.\x85It grew.\n", ["We looked. It grew."]),
        ("a.ris", "TY  - JOUR\nTI  - A\nAB  - x.\nER  - \n\nTY  - JOUR\nTI  - B\nAB  - y.\n", ["x.", "y."]),
        ("a.bib", "@article{a, title={A}, abstract={Kept\n@ 37 degrees.}}\n@misc{b, title={B}, abstract={y.}}",
         ["Kept @ 37 degrees.", "y."]),
    ],
)  # fmt: skip
def test_signs_within_a_record_and_a_missing_end_lose_nothing(tmp_path, name, content, texts):
    (tmp_path / name).write_text(content)
    entries = references_of(tmp_path / name, fetch=False).others
    assert [p.text for entry in entries for _, _, p in entry.article.paragraphs()] == texts
    assert name != "a.nbib" or entries[0].article.title == "In the Islands."


def test_an_entry_of_bibtex_whose_braces_are_not_closed_is_told_by_its_key(tmp_path):
    content = "@article{a, title={One {brace}, pmid={1}}\n@article{b, title={Two}, pmid={2}}\n"
    told = "a.bib › @article{a: left out: it opens 4 braces and closes 3"
    assert named(tmp_path / "a.bib", content) == (["2"], [told])


def test_latex_of_bibtex_becomes_characters(tmp_path):
    abstract = r"TNF-{\alpha} fell by 5\% to $p < 0.05$ in \textit{p53} cells of M{\"u}ller & Sons, 6% of~all."
    (tmp_path / "a.bib").write_text(f"@article{{a, title = {{T}}, doi = {{10.1000/x}}, abstract = {{{abstract}}}}}")
    article = references_of(tmp_path / "a.bib").by_identifier["10.1000/x"].article
    assert article is not None
    assert [paragraph.text for _, _, paragraph in article.paragraphs()] == [
        "TNF-α fell by 5% to p < 0.05 in p53 cells of Müller & Sons, 6% of all."
    ]
