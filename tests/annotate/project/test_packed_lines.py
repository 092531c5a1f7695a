"""Files of lines: what is read, and how a file that is damaged, cut, too long or too large is refused."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from annotate.entities.corpora import read_corpus
from annotate.experiments.corpora import read_articles
from annotate.project.files.packed_lines import UnreadableFile, json_lines, text_lines, unpacked
from annotate.screening.screening_files import read_triage

READERS = {
    "triage": read_triage,
    "experiments": read_articles,
    "entities": read_corpus,
}


def packed(path: Path, content: bytes) -> Path:
    path.write_bytes(gzip.compress(content, mtime=0))
    return path


def test_lines_are_numbered_packed_or_not_whatever_the_file_is_called(tmp_path):
    content = "\ufeffeins\r\n\nzwölf".encode()
    plain = tmp_path / "plain.txt"
    plain.write_bytes(content)
    expected = [(1, "eins"), (2, ""), (3, "zwölf")]
    assert list(text_lines(plain)) == expected
    assert list(text_lines(packed(tmp_path / "named.otherwise", content))) == expected


def test_objects_are_parsed_and_blank_lines_passed_over_but_counted(tmp_path):
    path = packed(tmp_path / "a.jsonl.gz", b'{"n": 1}\n  \n{"n": 3}\n')
    assert list(json_lines(path, lambda row: row["n"])) == [(1, 1), (3, 3)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"[1]", "not a JSON object"),
        (b"{", "Expecting"),
        (b"[" * 100_000, "nests too deep"),
        (b"{}", "has no n"),
        (b'{"n": "x"}', "invalid literal"),
        (b'{"n": null}', "int"),
        (b'{"n": "\xff"}', "cannot be read"),
    ],
)
def test_a_wrong_line_is_named_with_its_file_and_the_reason(tmp_path, line, reason):
    path = packed(tmp_path / "a.jsonl.gz", b'{"n": 1}\n' + line)
    with pytest.raises(UnreadableFile, match=r"^a\.jsonl\.gz, line 2") as refused:
        list(json_lines(path, lambda row: int(row["n"])))
    assert reason in str(refused.value)


def test_a_line_beyond_the_limit_is_refused_without_being_read_to_its_end(tmp_path):
    path = packed(tmp_path / "a.jsonl.gz", b"{}\n" + b" " * 10_000)
    with pytest.raises(UnreadableFile, match=r"a\.jsonl\.gz, line 2: longer than 9,999 bytes"):
        list(text_lines(path, longest_line=9_999))
    assert len(list(text_lines(path, longest_line=10_000))) == 2


def test_a_file_that_unpacks_to_more_than_the_limit_is_refused(tmp_path):
    path = packed(tmp_path / "bomb.gz", b"{}\n" * 1000)
    assert path.stat().st_size < 100
    with pytest.raises(UnreadableFile, match=r"bomb\.gz holds more than 2,999 bytes once unpacked"):
        list(text_lines(path, most_bytes=2_999))
    with unpacked(path, most_bytes=3_000) as stream:
        assert len(stream.read()) == 3_000


@pytest.mark.parametrize("cut", [12, 25], ids=["its checksum", "its middle"])
def test_a_cut_file_is_refused_by_name(tmp_path, cut):
    path = packed(tmp_path / "cut.gz", json.dumps(list(range(200))).encode())
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(UnreadableFile, match=r"cut\.gz cannot be read to its end, it is damaged or cut"):
        list(text_lines(path))


def test_what_is_called_packed_and_is_not_and_what_is_not_there_are_refused(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    path.write_text("{}\n")
    with pytest.raises(UnreadableFile, match="Not a gzipped file"):
        list(text_lines(path))
    with pytest.raises(UnreadableFile, match="no such file"):
        list(text_lines(tmp_path / "none"))


@pytest.mark.parametrize("name", READERS)
def test_each_reader_of_corpora_refuses_an_endless_line_and_too_much(tmp_path, monkeypatch, name):
    def small(path: Path, parse: Any) -> Any:
        return json_lines(path, parse, longest_line=1_000)

    monkeypatch.setattr("annotate.project.files.labelled_files.json_lines", small)
    path = packed(tmp_path / "mine.jsonl.gz", b'{"id": "' + b"x" * 2_000)
    with pytest.raises(ValueError, match=r"mine\.jsonl\.gz, line 1: longer than 1,000 bytes"):
        READERS[name](path)


def test_a_corpus_whose_mention_is_no_list_is_named_with_its_line(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"id": "1", "text": "TP53", "mentions": [5]}')
    with pytest.raises(UnreadableFile, match=r"corpus\.jsonl, line 1: the mention 5 is no list of start, end and type"):
        read_corpus(path)
