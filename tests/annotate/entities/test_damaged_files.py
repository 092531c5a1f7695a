"""Damaged, cut and hostile files of names and corpora: a message that names the file, never another error."""

import gzip
import json
from pathlib import Path

import pytest

from annotate.entities.corpora import read_corpus
from annotate.entities.loaders import BadVocabulary, RowReport
from annotate.entities.vocabulary_files import entries_of
from annotate.project.files.packed_lines import UnreadableFile
from model.entities.edited import find_edits
from model.entities.kinds import Entry


def damaged_gzip(path: Path, text: str) -> Path:
    """A packed file with bytes changed in its middle."""
    packed = bytearray(gzip.compress(text.encode()))
    packed[len(packed) // 2 : len(packed) // 2 + 8] = b"\xff" * 8
    path.write_bytes(packed)
    return path


def test_a_corpus_that_is_damaged_in_its_middle_is_refused_by_name(tmp_path):
    lines = "\n".join(json.dumps({"id": str(n), "text": f"text {n * n}", "mentions": []}) for n in range(5000))
    with pytest.raises(UnreadableFile, match=r"corpus\.jsonl\.gz"):
        list(read_corpus(damaged_gzip(tmp_path / "corpus.jsonl.gz", lines)))


def test_a_vocabulary_that_is_damaged_in_its_middle_is_refused_by_name(tmp_path):
    rows = "id\tname\tsynonyms\n" + "\n".join(f"CL:{n:07d}\tcell {n * n}\t" for n in range(5000))
    with pytest.raises(BadVocabulary, match=r"types\.tsv\.gz"):
        list(entries_of(damaged_gzip(tmp_path / "types.tsv.gz", rows), RowReport()))


@pytest.mark.parametrize(
    "told",
    [
        {"documents": 5},
        {"documents": [{"id": "1", "passages": [{"offset": 10**21, "text": "a"}]}]},
        {"documents": [{"id": "1", "passages": [{"offset": -1, "text": "a"}]}]},
    ],
    ids=["no list", "an offset beyond all texts", "an offset before the text"],
)
def test_bioc_that_cannot_be_is_refused_by_name(told, tmp_path):
    path = tmp_path / "corpus.json"
    path.write_text(json.dumps(told))
    with pytest.raises(UnreadableFile, match=r"corpus\.json"):
        read_corpus(path)


def test_json_lines_are_known_whatever_field_stands_first(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text(json.dumps({"id": "x" * 5000, "mentions": [], "text": "TP53"}) + "\n")
    assert [document.text for document in read_corpus(path)] == ["TP53"]


def test_a_file_that_is_cut_is_refused_however_many_rows_were_bad_before():
    report = RowReport()
    for line in range(1, 100):
        report.leave_out(line, "is bad")
    report.leave_out(0, "it ends within an entry")
    assert report.cut == "it ends within an entry" and report.left_out == 100


def test_a_line_of_a_table_keeps_its_columns_whatever_stands_in_an_entry():
    entry = Entry("CVCL_0030\tx", "HeLa\n", ("He|La",), (), "9606\t", "CVCL")
    read = Entry.of_line(entry.as_line())
    assert (read.identifier, read.name, read.synonyms, read.organism) == ("CVCL_0030 x", "HeLa", ("He La",), "9606")


def test_a_long_run_of_letters_is_read_once():
    """Each start of the run was tried to its end: 64,000 letters took half a minute."""
    assert list(find_edits("A" * 200_000)) == []
