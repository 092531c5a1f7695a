"""Gold files that come back to where something was said since, and what each annotator has said after that."""

import csv

import pytest
import time_machine

from annotate.curation.removal import remove
from annotate.gold.export_file import export
from annotate.gold.import_file import import_gold
from annotate.gold.label_sets import DISPUTED
from annotate.gold.rows import gold_rows, names_in
from annotate.project.home import read
from annotate.team.adjudication import adjudicate
from tests.support.making import comment, judge, paper, query, store, verdict

pytestmark = pytest.mark.usefixtures("home")

SENTENCES = ("Here we deleted TP53 and MDM2 in HeLa cells.", "Levels rose.")


def genes() -> list[str]:
    """The genes of each row of the gold."""
    with read() as session:
        return [names_in(row)["genes"] for row in gold_rows(session)]


def given() -> list[tuple[str, str, str]]:
    """(name, value, role) of all verdicts, oldest first."""
    return query("SELECT name, value, role FROM verdict JOIN annotator a ON a.id = annotator_id ORDER BY verdict.id")


def edit(path, **cells) -> None:
    """Writes these cells into each row of a CSV."""
    rows = [row | cells for row in csv.DictReader(path.open(newline=""))]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def test_labels_corrected_after_an_export_stay_and_those_edited_in_the_file_count(tmp_path):
    store(paper(SENTENCES, pmid="1"))
    with time_machine.travel("2026-01-01"):
        judge("Anna", 1, verdict(0), verdict(0, {"gene": "TP53"}, kind="labels"))
        export(tmp_path / "old.csv")
    judge("Anna", 1, verdict(0, {"gene": "MDM2"}, kind="labels"))
    assert import_gold(tmp_path / "old.csv").verdicts == 0
    assert genes() == ["MDM2"]
    export(tmp_path / "now.csv")
    edit(tmp_path / "now.csv", genes="KRAS")
    assert import_gold(tmp_path / "now.csv").verdicts == 1
    assert genes() == ["KRAS"]


def test_a_label_changed_next_to_a_decision_is_told_and_not_taken(tmp_path):
    store(paper(SENTENCES, pmid="1"))
    judge("Anna", 1, verdict(0))
    judge("Ben", 1, verdict(0, "reject"))
    adjudicate("Carla", 1, 1, "accept", seen=2, event_id="decision")
    export(tmp_path / "gold.csv")
    edit(tmp_path / "gold.csv", label="0")
    told = "the label is 0, Carla decided 1: empty the columns decided_by and verdicts to import the label as your own"
    report = import_gold(tmp_path / "gold.csv", "Dora")
    assert (report.failures, report.verdicts, report.matched.total()) == ([(2, told)], 0, 0)
    edit(tmp_path / "gold.csv", decided_by="", verdicts="")
    report = import_gold(tmp_path / "gold.csv", "Dora")
    assert (report.failures, report.verdicts) == ([], 1)
    assert given()[2:] == [("Carla", "accept", "adjudicator"), ("Dora", "reject", "annotator")]


WHO_HAS_LABELS = "SELECT name, role FROM verdict JOIN annotator a ON a.id = annotator_id WHERE labels IS NOT NULL"


@pytest.mark.parametrize(
    ("others", "label", "takes"),
    [({"Ben": "reject", "Cara": "accept"}, "1", "Cara"), ({"Ben": "reject"}, DISPUTED, "Anna")],
)
def test_labels_of_a_row_go_to_one_key_verdict_alone(tmp_path, other_home, others, label, takes):
    store(paper(SENTENCES, pmid="1"))
    judge("Anna", 1, verdict(0), verdict(0, {"gene": "TP53"}, kind="labels"))
    for name, value in others.items():
        judge(name, 1, verdict(0, value))
    assert export(tmp_path / "gold.csv")["by_label"] == {label: 1}
    other_home()
    store(paper(SENTENCES, pmid="1"))
    import_gold(tmp_path / "gold.csv")
    assert query(WHO_HAS_LABELS) == [(takes, "annotator")]
    assert genes() == ["TP53"]


def test_a_decision_that_no_annotator_shares_takes_the_labels_of_its_row(tmp_path):
    store(paper(SENTENCES, pmid="1"))
    header, row = "pmid,sentence,label,verdicts,decided_by,genes", f"1,{SENTENCES[0]},1,Anna: unsure,Carla,TP53"
    (tmp_path / "gold.csv").write_text(f"{header}\n{row}\n1,{SENTENCES[1]},0,Anna: reject,,TP53\n")
    assert [import_gold(tmp_path / "gold.csv").verdicts for _ in range(2)] == [3, 0]
    assert query(WHO_HAS_LABELS) == [("Carla", "adjudicator")]
    assert genes() == ["TP53", ""]


QUOTING = {
    "Anna": "I asked, and:\nBen: it is the title's claim",
    "Ben": "yes, key",
    "Cara": "Anna: why?\nBen: so says the title",
}


def comments() -> list[tuple[str, str]]:
    """(name, text) of all comments, oldest first."""
    return query("SELECT name, text FROM comment JOIN annotator a ON a.id = annotator_id ORDER BY comment.id")


def test_a_comment_that_quotes_a_colleague_stays_whole_and_its_writers(tmp_path, other_home):
    store(paper(SENTENCES, pmid="1"))
    for name, words in QUOTING.items():
        judge(name, 1, verdict(0), comment(0, words))
    export(tmp_path / "gold.csv")
    other_home()
    store(paper(SENTENCES, pmid="1"))
    import_gold(tmp_path / "gold.csv")
    assert comments() == list(QUOTING.items())


def test_a_cell_of_comments_as_they_stand_here_is_no_news(tmp_path):
    store(paper(SENTENCES, pmid="1"))
    judge("Ben", 1, verdict(0), comment(0, "yes, key"))
    judge("Anna", 1, verdict(0), comment(0, "as I said:\nAnna: no"))  # no file tells which line begins her comment
    export(tmp_path / "gold.csv")
    import_gold(tmp_path / "gold.csv")
    assert comments() == [("Ben", "yes, key"), ("Anna", "as I said:\nAnna: no")]


def test_an_article_that_was_removed_is_named_in_the_report_and_stays_out_of_the_gold(tmp_path):
    store(paper(SENTENCES, pmid="1"), paper(SENTENCES, pmid="2"))
    remove([1], reason="retracted")
    (tmp_path / "gold.csv").write_text(f"pmid,sentence\n2,{SENTENCES[0]}\n1,{SENTENCES[0]}\n1,{SENTENCES[1]}\n")
    report = import_gold(tmp_path / "gold.csv").as_dict()
    ((line, note),) = report["warnings"]
    assert (line, report["verdicts"], report["failures"], genes()) == (3, 3, [], [""])
    assert note.startswith("its article was removed by operator") and "(retracted): an import does not" in note


def test_a_sentence_that_stands_twice_takes_each_row_in_its_place_where_sentences_have_moved(tmp_path):
    first, twice, between = "Cells were grown.", "Levels rose.", "Cells were washed."
    store(paper((first, twice, between, twice), pmid="1"))
    rows = ("3,Levels rose.,1", "5,Levels rose.,0")  # of an article with two more before them
    (tmp_path / "gold.csv").write_text("pmid,sentence_index,sentence,label\n" + "".join(f"1,{row}\n" for row in rows))
    assert import_gold(tmp_path / "gold.csv").contradictions == []
    stored = "SELECT position, value FROM verdict JOIN sentence s ON s.id = sentence_id ORDER BY position"
    assert query(stored) == [(1, "accept"), (3, "reject")]
    assert import_gold(tmp_path / "gold.csv").verdicts == 0
