"""Several rows of a gold file on one stored sentence: key if a part is key, and whatever differs is listed."""

from pathlib import Path

import pytest

from annotate.gold.import_file import GoldReport, import_gold
from annotate.project.home import write
from annotate.project.rights import Right
from db.review.verdicts import annotator_id
from tests.support.making import paper, query, store

pytestmark = pytest.mark.usefixtures("home")

FIRST, SECOND = "Smith et al.\u00a0found that mutant larvae", "swam 31 % less than their wild-type siblings."
WHOLE = f"{FIRST} {SECOND}"
OTHER = "Growth of the larvae was normal in both groups, as was their weight after a week."
QUOTED = f'"{OTHER}"'
BEFORE = "We kept all of the animals in tanks of the same size and fed them twice a day."


def imported(folder: Path, *rows: str, header: str = "label,sentence") -> GoldReport:
    """Imports rows of article 1, whose first sentence is WHOLE and whose second is OTHER."""
    store(paper((WHOLE, OTHER), pmid="1"))
    assert query("SELECT sentence_count FROM article") == [(2,)]
    path = folder / "gold.csv"
    path.write_text("\n".join([f"pmid,{header}", *(f"1,{row}" for row in rows)]) + "\n", encoding="utf-8")
    return import_gold(path)


def stored() -> list[tuple[int, str]]:
    """(position, value) of all verdicts, oldest first."""
    return query("SELECT s.position, v.value FROM verdict v JOIN sentence s ON s.id = v.sentence_id ORDER BY v.id")


@pytest.mark.parametrize("labels", [("1", "0"), ("0", "1"), ("unsure", "1"), ("1", "unsure")])
def test_a_part_that_is_key_makes_the_sentence_key_whatever_the_other_part_is(tmp_path, labels):
    report = imported(tmp_path, f"{labels[0]},{FIRST}", f"{labels[1]},{SECOND}")
    assert stored() == [(0, "accept")]
    assert (report.rows, sum(report.matched.values()), report.verdicts, report.failures) == (2, 2, 1, [])
    ((one, other, words),) = report.contradictions
    assert (one, other) == (2, 3)
    said = {"1": "key", "0": "not key", "unsure": "unsure"}
    assert words.startswith(
        f"gold: {said[labels[0]]} in line 2, {said[labels[1]]} in line 3 (parts of one sentence), taken as key: "
    )
    assert "'Smith et al." in words
    assert report.as_dict()["contradictions"] == [[2, 3, words]]


def test_a_key_part_counts_beside_a_whole_sentence_that_is_not_key(tmp_path):
    report = imported(tmp_path, f"1,{FIRST}", f"0,{WHOLE}")
    assert stored() == [(0, "accept")]
    ((one, other, words),) = report.contradictions
    assert (one, other) == (2, 3) and "(a part and the whole sentence), taken as key" in words


def test_a_passage_that_ends_within_a_sentence_is_a_part_of_it_however_long_it_is(tmp_path):
    store(paper((BEFORE, WHOLE, OTHER), pmid="1"))
    assert len(f"{BEFORE} {FIRST}") > len(WHOLE) < len(f"{SECOND} {OTHER}")
    rows = f'1,1,"{BEFORE} {FIRST}"', f'1,0,"{SECOND} {OTHER}"'
    (tmp_path / "gold.csv").write_text("\n".join(["pmid,label,sentence", *rows]) + "\n", encoding="utf-8")
    report = import_gold(tmp_path / "gold.csv")
    assert sorted(stored()) == [(0, "accept"), (1, "accept"), (2, "reject")]
    assert [(one, other) for one, other, _ in report.contradictions] == [(2, 3)]


def test_of_rows_of_the_whole_sentence_the_last_counts_and_each_that_differs_is_listed(tmp_path):
    report = imported(tmp_path, f"1,{WHOLE}", f"unsure,{WHOLE}", f"0,{WHOLE}", f"0,{WHOLE}", f"1,{QUOTED}")
    assert stored() == [(0, "reject"), (1, "accept")]
    assert [(one, other) for one, other, _ in report.contradictions] == [(2, 5), (3, 5)]
    assert (
        "key in line 2, not key in line 5 (the whole sentence twice), taken as not key" in report.contradictions[0][2]
    )
    assert "unsure in line 3, not key in line 5" in report.contradictions[1][2]


def test_parts_without_a_key_one_are_unsure_if_one_is(tmp_path):
    report = imported(tmp_path, f"unsure,{FIRST}", f"0,{SECOND}")
    assert stored() == [(0, "unsure")]
    assert [(one, other) for one, other, _ in report.contradictions] == [(2, 3)]


def test_rows_that_agree_contradict_nothing(tmp_path):
    report = imported(tmp_path, f"1,{FIRST}", f"1,{SECOND}", f"1,{WHOLE}", f"0,{QUOTED}")
    assert (stored(), report.contradictions) == ([(0, "accept"), (1, "reject")], [])


def test_importing_contradictions_again_adds_nothing_and_lists_them_again(tmp_path):
    rows = f"1,{FIRST}", f"0,{SECOND}"
    first = imported(tmp_path, *rows)
    again = imported(tmp_path, *rows)
    assert (first.verdicts, again.verdicts) == (1, 0)
    assert again.contradictions == first.contradictions != []


def test_each_annotator_and_each_decision_has_contradictions_of_its_own(tmp_path):
    with write(Right.SYSTEM) as session:
        annotator_id(session, "Dora")
    report = imported(
        tmp_path,
        f"1,{FIRST},Anna: accept; Ben: reject,Dora",
        f"0,{SECOND},Anna: reject; Ben: reject,Dora",
        header="label,sentence,verdicts,decided_by",
    )
    said = query(
        "SELECT n.name, v.value, v.role FROM verdict v JOIN annotator n ON n.id = v.annotator_id ORDER BY n.name"
    )
    assert said == [("Anna", "accept", "annotator"), ("Ben", "reject", "annotator"), ("Dora", "accept", "adjudicator")]
    assert [words.partition(" in line")[0] for _, _, words in report.contradictions] == ["Anna: key", "decision: key"]


def test_what_was_written_beside_either_part_is_kept(tmp_path):
    imported(tmp_path, f"1,{FIRST},exon 4", f"0,{SECOND},says who?", header="label,sentence,comment")
    assert query("SELECT text FROM comment") == [("exon 4\nsays who?",)]
