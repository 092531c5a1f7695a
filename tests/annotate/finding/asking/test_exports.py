"""Files of results: as trec_eval and reference managers read them, and judgements that are read back."""

import csv
import gzip
import io

import pytest
import rispy

from annotate.articles.table_files import BadTable
from annotate.finding.asking.exports import (
    FILES,
    Row,
    csv_file,
    import_qrels,
    qrels_file,
    read_qrels,
    ris_file,
    run_file,
)
from annotate.finding.asking.saved import judged
from annotate.project.home import read
from db.finding.questions import UNSURE
from tests.support.finding import ask, relevance, say
from tests.support.making import paper, query, store

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
    ),
    Row("doi:10.1/b c", "Other", 0.5),
]
UNSURE_ROW = Row("pmid:2", "Second", 0.2, relevant=UNSURE)


def test_a_run_has_six_columns_and_scores_that_fall() -> None:
    lines = [line.split() for line in run_file("topic 1", ROWS).splitlines()]
    assert [line[:4] for line in lines] == [["topic_1", "Q0", "pmid:1", "1"], ["topic_1", "Q0", "doi:10.1/b_c", "2"]]
    assert all(len(line) == 6 for line in lines) and float(lines[0][4]) > float(lines[1][4])


def test_judgements_are_written_and_read_back() -> None:
    text = qrels_file("7", {"pmid:1": 1, "pmid:2": 0})
    assert text == "7 0 pmid:1 1\n7 0 pmid:2 0\n"
    assert read_qrels(gzip.compress(text.encode()), "qrels.gz") == {"pmid:1": 1, "pmid:2": 0}
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


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1 0 a 1\n1 0 b\n", "q.txt, line 2: needs four columns"),
        ("1 0 a yes\n", "q.txt, line 1: the grade 'yes' is no whole number"),
        ("1 0 a 9\n", "q.txt, line 1: the grade 9 is above 4"),
    ],
)
def test_a_bad_file_is_refused_with_its_line(text: str, reason: str) -> None:
    with pytest.raises(BadTable, match=reason):
        read_qrels(text.encode(), "q.txt")


def test_a_file_of_several_topics_needs_one_named() -> None:
    raw = b"1 0 a 1\n2 0 b -1\n"
    with pytest.raises(ValueError, match="2 topics: name one of 1, 2"):
        read_qrels(raw, "q.txt")
    assert read_qrels(raw, "q.txt", "2") == {"b": 0}


def test_what_is_no_text_is_refused() -> None:
    damaged = bytearray(gzip.compress(b"1 0 pmid:1 1\n"))
    damaged[10] = 0xFF
    with pytest.raises(BadTable, match=r"q\.txt: no text"):
        read_qrels(b"\xff\xfe", "q.txt")
    for raw in (b"\x1f\x8bbroken", bytes(damaged)):
        with pytest.raises(BadTable, match=r"q\.txt cannot be read to its end"):
            read_qrels(raw, "q.txt")


def test_a_packed_file_counts_by_what_it_becomes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotate.finding.asking.exports.MAX_BYTES", 1000)
    with pytest.raises(BadTable, match=r"q\.gz holds more than 1,000 bytes once unpacked"):
        read_qrels(gzip.compress(b"1 0 pmid:1 1\n" * 1000), "q.gz")


@pytest.mark.parametrize("key", ["a\0b", "k" * 201])
def test_a_key_that_cannot_be_stored_is_refused(key: str) -> None:
    with pytest.raises(BadTable, match="line 1: the key"):
        read_qrels(f"1 0 {key} 1\n".encode(), "q.txt")


@pytest.mark.usefixtures("home")
def test_imported_judgements_count_once_and_are_ones_own() -> None:
    store(paper(pmid="11"))
    mine = ask("Anna")
    say("Anna", mine, relevance("pmid:11", "not"))
    raw = b"1 0 11 2\n1 0 12 0\n1 0 doc-3 1\n"
    assert import_qrels(raw, "q", "Anna", mine) == 3
    assert import_qrels(raw, "q", "Anna", mine) == 0
    with read() as session:
        found = {key: said.grade for key, said in judged(session, mine, "Anna").items()}
    assert found == {"pmid:11": 2, "pmid:12": 0, "doc-3": 1}
    with pytest.raises(LookupError):
        import_qrels(raw, "q", "Ben", mine)
    assert len(query("SELECT * FROM relevance")) == 4


@pytest.mark.usefixtures("home")
@pytest.mark.postgresql
def test_one_judgement_in_other_words_or_of_an_article_that_came_since_is_not_doubled() -> None:
    mine = ask("Anna")
    assert import_qrels(b"1 0 11 1\n1 0 pmid:11 1\n", "q", "Anna", mine) == 1
    store(paper(pmid="11"))
    assert import_qrels(b"1 0 11 1\n", "q", "Anna", mine) == 0
    say("Anna", mine, relevance("pmid:12", "not"))
    assert import_qrels(b"1 0 12 0\n", "q", "Anna", mine) == 0  # as was said by hand
    say("Anna", mine, relevance("pmid:11", "not"))
    assert import_qrels(b"1 0 11 1\n", "q", "Anna", mine) == 0  # a file does not undo what was said after it
    assert query("SELECT article_key, grade FROM relevance ORDER BY id") == [
        ("pmid:11", 1),
        ("pmid:12", 0),
        ("pmid:11", 0),
    ]
