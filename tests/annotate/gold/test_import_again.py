"""Gold files that come back to where something was said since, and what each annotator has said after that."""

import csv

import pytest
import time_machine

from annotate.gold.export_file import export
from annotate.gold.import_file import import_gold
from annotate.gold.rows import gold_rows, names_in
from annotate.project.home import read
from tests.support.making import judge, paper, store, verdict

pytestmark = pytest.mark.usefixtures("home")

SENTENCES = ("Here we deleted TP53 and MDM2 in HeLa cells.", "Levels rose.")


def genes() -> list[str]:
    """The genes of each row of the gold."""
    with read() as session:
        return [names_in(row)["genes"] for row in gold_rows(session)]


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
