"""The reader of labelled files: fields are declared by parameters, and what is wrong is named with file and line."""

import gzip
import json
from typing import Annotated, Any, Literal

import pytest

from annotate.project.files.labelled_files import (
    NOT_GIVEN,
    WHOLE,
    Key,
    Keys,
    OptionalKey,
    OptionalText,
    Text,
    Texts,
    Year,
    columns_of,
    fields_of,
    labelled_rows,
    numbered_rows,
)
from annotate.project.files.packed_lines import UnreadableFile


def row(
    id: Key,
    cites: Keys = frozenset(),
    title: Text = NOT_GIVEN,
    tags: Texts = (),
    year: Year = None,
    label: Annotated[Literal[0, 1] | None, WHOLE] = None,
    share: float = 0.0,
    told: bool = False,
    more: OptionalKey = None,
    query: OptionalText = None,
) -> dict[str, Any]:
    if title is not NOT_GIVEN and not title:
        raise ValueError("the title is blank")
    return dict(locals())


def read(tmp_path, *rows):
    path = tmp_path / "mine.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(json.dumps(each) for each in rows).encode()))
    return labelled_rows(path, row, key=lambda made: made["id"])


def test_fields_are_made_what_their_types_say_and_others_are_passed_over(tmp_path):
    given = {"id": 7, "cites": [1, "2"], "tags": None, "year": " 1999 ", "more": "", "query": " ", "licence": "none"}
    (made,) = read(tmp_path, given)
    assert made == {
        "id": "7", "cites": {"1", "2"}, "title": None, "tags": (), "year": 1999, "label": None, "share": 0.0,
        "told": False, "more": None, "query": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({}, "has no id"),
        ({"id": " "}, "id is empty"),
        ({"id": True}, "id is no text"),
        ({"cites": "12"}, "cites is no list"),
        ({"cites": []}, "cites is empty"),
        ({"cites": ["1", None]}, "cites[1] is no text"),
        ({"title": 3}, "title is no text"),
        ({"title": ""}, "the title is blank"),
        ({"tags": ["a", 1]}, "tags[1] is no text"),
        ({"year": "x"}, "year is no whole number"),
        ({"year": 1.0}, "year is no whole number"),
        ({"label": True}, "label is no whole number"),
        ({"label": 2}, "label is 2; it must be 0 or 1"),
        ({"share": "much"}, "share is no number"),
        ({"told": "perhaps"}, "told is neither true nor false"),
        ({"id": 1}, "the id 1 stands in line 1 already"),
    ],
)
def test_a_wrong_field_is_named_with_its_file_line_and_reason(tmp_path, given, reason):
    with pytest.raises(UnreadableFile) as refused:
        read(tmp_path, {"id": 1}, given and {"id": 2} | given)
    assert str(refused.value) == f"mine.jsonl.gz, line 2: {reason}"


def test_a_file_without_a_row_is_refused_by_the_name_of_its_rows(tmp_path):
    (tmp_path / "none.jsonl").write_text("\n")
    with pytest.raises(UnreadableFile, match=r"^none\.jsonl holds no documents$"):
        labelled_rows(tmp_path / "none.jsonl", row, rows="documents")


def test_who_takes_all_fields_gets_all_of_them_with_the_numbers_of_their_lines(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"gene": "TP53"}\n\n{"cell": "HeLa"}\n')
    assert list(numbered_rows(tmp_path / "a.jsonl", lambda **told: told)) == [
        (1, {"gene": "TP53"}),
        (3, {"cell": "HeLa"}),
    ]
    assert fields_of(lambda gene, cell: None) == {"gene", "cell"}


def test_columns_are_apart_by_tabs_or_by_blanks(tmp_path):
    (tmp_path / "a.tsv").write_text("1\ta b\t2\n\n1 0  c 1\n1 d\n")
    rows = columns_of(tmp_path / "a.tsv", 3)
    assert [next(rows), next(rows)] == [(1, ["1", "a b", "2"]), (3, ["1", "0", "c", "1"])]
    with pytest.raises(UnreadableFile, match=r"a\.tsv, line 4: 2 columns; there must be 3 at least"):
        next(rows)
