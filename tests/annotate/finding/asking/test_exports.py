"""Files of results: as trec_eval and reference managers read them, and judgements that are read back."""

import csv
import gzip
import io
from collections.abc import Callable
from pathlib import Path

import pytest
import rispy

from annotate.active_learning.queue import hand_out
from annotate.articles.importing.reference_files import references_of
from annotate.finding.asking.exports import (
    FILES,
    Row,
    csv_file,
    file_of,
    import_qrels,
    qrels_file,
    read_qrels,
    ris_file,
)
from annotate.finding.asking.saved import judged
from annotate.finding.stored_sentences import key_sentences
from annotate.project.acting import Actor, acting
from annotate.project.files.packed_lines import UnreadableFile
from annotate.project.home import read
from db.finding.questions import UNSURE
from tests.support.finding import ask, index, relevance, say
from tests.support.making import paper, query, store
from tests.support.queueing import begin

File = Callable[..., Path]
ROWS = [
    Row(
        "pmid:1",
        "Loss of TP53\nER  - ",
        0.5,
        "J Test",
        2020,
        "1",
        doi="10.1/a",
        abstract="It.",
        sentence="=cmd",
        relevant=1,
        rank=1,
    ),
    Row("doi:10.1/b c", "Other", 0.5, pmcid="PMC4", rank=2),
]
UNSURE_ROW = Row("pmid:2", "Second", 0.2, relevant=UNSURE)


@pytest.fixture
def file(tmp_path: Path) -> File:
    """Writes a file of this content and name."""

    def write(content: bytes, name: str = "q.txt") -> Path:
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write


def test_a_run_has_six_columns_and_scores_that_fall() -> None:
    lines = [line.split() for line in FILES["run"]("topic 1", ROWS).splitlines()]
    assert [line[:4] for line in lines] == [["topic_1", "Q0", "pmid:1", "1"], ["topic_1", "Q0", "doi:10.1/b_c", "2"]]
    assert all(len(line) == 6 for line in lines) and float(lines[0][4]) > float(lines[1][4])


def test_judgements_are_written_and_read_back(file: File) -> None:
    text = qrels_file("7", {"pmid:1": 1, "pmid:2": 0})
    assert text == "7 0 pmid:1 1\n7 0 pmid:2 0\n"
    assert read_qrels(file(gzip.compress(text.encode()), "qrels.gz")) == {"pmid:1": 1, "pmid:2": 0}
    assert FILES["qrels"]("7", [*ROWS, UNSURE_ROW]) == "7 0 pmid:1 1\n"


def test_unsure_ones_stay_in_a_review_and_are_no_judgement() -> None:
    rows = [*ROWS, UNSURE_ROW, Row("pmid:3", "Third", 0.1, relevant=0), Row("pmid:4", "Fourth", 0.1, relevant=2)]
    found = csv.DictReader(io.StringIO(csv_file(rows), newline=""))
    assert [row["relevant"] for row in found] == ["yes", "", "unsure", "no", "yes"]
    kept = rispy.loads(FILES["relevant"]("7", rows))
    assert [entry["title"] for entry in kept] == ["Loss of TP53 ER -", "Second", "Fourth"]


def test_a_table_is_safe_in_a_spreadsheet() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_file(ROWS), newline="")))
    assert [(row["rank"], row["relevant"], row["sentence"]) for row in rows] == [("1", "yes", "'=cmd"), ("2", "", "")]


def test_a_title_cannot_end_its_reference() -> None:
    found = rispy.loads(ris_file(ROWS))
    assert [entry["title"] for entry in found] == ["Loss of TP53 ER -", "Other"]
    assert (found[0]["year"], found[0]["doi"], found[0]["accession_number"]) == ("2020", "10.1/a", "1")


def test_an_import_knows_the_articles_of_such_a_file_by_pmid_and_pmcid(file: File) -> None:
    assert [*references_of(file(ris_file(ROWS).encode(), "a.ris")).by_identifier] == ["1", "PMC4"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1 0 a 1\n1 0 b\n", "q.txt, line 2: needs four columns"),
        ("1 0 a yes\n", "q.txt, line 1: 'yes' is no whole number"),
        ("1 0 a 9\n", "q.txt: the grade 9 of a is above 4"),
        ("1 0 a 1\n1 0 a 0\n", "q.txt, line 2: a has two grades for question 1"),
    ],
)
def test_a_bad_file_is_refused_with_its_line(file: File, text: str, reason: str) -> None:
    with pytest.raises(UnreadableFile, match=reason):
        read_qrels(file(text.encode()))


def test_a_file_of_several_topics_needs_one_named(file: File) -> None:
    path = file(b"1 0 a 1\n2 0 b -1\n")
    with pytest.raises(ValueError, match="2 topics: name one of 1, 2"):
        read_qrels(path)
    assert read_qrels(path, "2") == {"b": 0}


def test_what_is_no_text_is_refused(file: File) -> None:
    damaged = bytearray(gzip.compress(b"1 0 pmid:1 1\n"))
    damaged[10] = 0xFF
    with pytest.raises(UnreadableFile, match=r"q\.txt, line 1, cannot be read"):
        read_qrels(file(b"\xff\xfe"))
    for raw in (b"\x1f\x8bbroken", bytes(damaged)):
        with pytest.raises(UnreadableFile, match=r"q\.txt cannot be read to its end"):
            read_qrels(file(raw))


def test_a_packed_file_counts_by_what_it_becomes(file: File, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotate.finding.asking.exports.MAX_BYTES", 1000)
    with pytest.raises(UnreadableFile, match=r"q\.gz holds more than 1,000 bytes once unpacked"):
        read_qrels(file(gzip.compress(b"1 0 pmid:1 1\n" * 1000), "q.gz"))


@pytest.mark.parametrize("key", ["a\0b", "k" * 201])
def test_a_key_that_cannot_be_stored_is_refused(file: File, key: str) -> None:
    with pytest.raises(UnreadableFile, match=r"q\.txt: .* is no key"):
        read_qrels(file(f"1 0 {key} 1\n".encode()))


@pytest.mark.usefixtures("home")
def test_imported_judgements_count_once_and_are_ones_own(file: File) -> None:
    store(paper(pmid="11"))
    mine = ask("Anna")
    say("Anna", mine, relevance("pmid:11", "not"))
    path = file(b"1 0 11 2\n1 0 12 0\n1 0 doc-3 1\n")
    assert import_qrels(path, "Anna", mine) == (3, 2)  # neither 12 nor doc-3 is stored
    assert import_qrels(path, "Anna", mine) == (0, 2)
    with read() as session:
        found = {key: said.grade for key, said in judged(session, mine, "Anna").items()}
    assert found == {"pmid:11": 2, "pmid:12": 0, "doc-3": 1}
    with pytest.raises(LookupError):
        import_qrels(path, "Ben", mine)
    assert len(query("SELECT * FROM relevance")) == 4


@pytest.mark.usefixtures("home")
def test_two_grades_of_an_article_that_is_named_in_two_ways_are_refused(file: File) -> None:
    mine = ask("Anna")
    with pytest.raises(UnreadableFile, match=r"q\.txt: pmid:11 has two grades, once as 11"):
        import_qrels(file(b"1 0 pmid:11 1\n1 0 11 0\n"), "Anna", mine)
    assert query("SELECT * FROM relevance") == []


@pytest.mark.usefixtures("home")
@pytest.mark.postgresql
def test_one_judgement_in_other_words_or_of_an_article_that_came_since_is_not_doubled(file: File) -> None:
    mine = ask("Anna")
    assert import_qrels(file(b"1 0 11 1\n1 0 pmid:11 1\n"), "Anna", mine).new == 1
    store(paper(pmid="11"))
    assert import_qrels(file(b"1 0 11 1\n"), "Anna", mine).new == 0
    say("Anna", mine, relevance("pmid:12", "not"))
    assert import_qrels(file(b"1 0 12 0\n"), "Anna", mine).new == 0  # as was said by hand
    say("Anna", mine, relevance("pmid:11", "not"))
    assert import_qrels(file(b"1 0 11 1\n"), "Anna", mine).new == 0  # a file does not undo what was said after it
    assert query("SELECT article_key, grade FROM relevance ORDER BY id") == [
        ("pmid:11", 1),
        ("pmid:12", 0),
        ("pmid:11", 0),
    ]


@pytest.mark.usefixtures("home")
def test_what_was_judged_and_is_not_found_is_no_result() -> None:
    store(paper(pmid="1", year=2010), paper(pmid="2", year=2021), paper(pmid="3", year=2022))
    index()
    mine = ask("Anna", "year:2020..", named=False)
    say("Anna", mine, relevance("pmid:1"), relevance("pmid:2"))
    files = {kind: file_of(kind, mine, "Anna") for kind in FILES}
    assert [line.split()[2] for line in files["run"].splitlines()] == ["pmid:3", "pmid:2"]  # the newest first
    assert files["qrels"] == f"{mine} 0 pmid:2 1\n{mine} 0 pmid:1 1\n"
    assert [files[kind].count("TY  - ") for kind in ("ris", "relevant")] == [2, 2]
    table = csv.DictReader(io.StringIO(files["csv"], newline=""))
    assert [(row["rank"], row["key"]) for row in table] == [("1", "pmid:3"), ("2", "pmid:2"), ("", "pmid:1")]
    assert file_of("run", mine, "Anna", 1).count("\n") == 1


def test_proposals_are_told_to_nobody_who_reads_the_article_without_them(home: Path) -> None:
    begin(1, blind_share=1)
    assert list(key_sentences([1])) == [1]
    handed = hand_out("Anna")
    with acting(Actor("Anna")):
        assert handed and not handed.with_proposals and key_sentences([1]) == {}
    with acting(Actor("Ben")):
        assert list(key_sentences([1])) == [1]
