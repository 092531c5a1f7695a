"""Our own export comes back without loss, once; what is wrong in a file is named by its line."""

import csv
import json
from pathlib import Path

import pytest

import db.review.verdicts
from annotate.articles.document_labels import parse_labels, store_labels
from annotate.gold.export_file import FORMATS, export
from annotate.gold.import_file import import_gold
from annotate.gold.label_sets import current_label_set
from annotate.project.files.packed_lines import UnreadableFile
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.team.adjudication import adjudicate
from annotate.topics.file import shipped
from annotate.topics.project_topic import use_topic
from tests.support.labels import gene_labels, set_labels
from tests.support.making import comment, contents, judge, paper, query, reading, store, verdict
from tests.support.written_identifiers import AS_PEOPLE_WRITE_THEM, STORED

pytestmark = pytest.mark.usefixtures("home")

SENTENCES = (
    "Here we deleted TP53 in HeLa cells.",
    'Levels of α-actin, "actin", rose (p<0.05).',
    "Here we deleted TP53 in HeLa cells.",  # the same sentence twice
    "Growth decreased in H₂O.",
)
TRIALS = shipped("clinical_trial_findings").text
EVENTS = ("verdict", "comment", "reading")


def articles() -> None:
    store(paper(SENTENCES, pmid="1"), paper(doi="10.1/only"), paper(pmid="3", pmcid="PMC3"))


def fill() -> None:
    """Three articles and everything that annotators can say of them."""
    articles()
    with write(Right.SYSTEM) as session:
        set_labels(session, 1, gene_labels("TP53|p53", "HeLa", "KO"))
    shown = {"rank": 3, "cosine": 0.1 + 0.2, "ranking": "hybrid", "model": "tiny"}
    judge("Anna", 1, verdict(2, "accept", shown=shown, time=0), verdict(1, "reject"), comment(1, "=no\nsecond line"))
    judge("Ben", 1, verdict(2, "reject"), verdict(1, "reject"), comment(1, "agreed: Anna"), reading())
    judge("Chris", 1, verdict(2, "accept", time=60), verdict(3, "unsure"))
    judge("Anna", 2, verdict(0, "accept"), verdict(0, "withdrawn"), verdict(1, "accept"), comment(1, "x"))
    judge("Ben", 2, verdict(1, "reject"))
    judge("Dora", 2, comment(1, "Anna: so you said"))
    judge("Anna", 3, verdict(0, "accept", shown={"rank": 1, "cosine": -0.5}), reading())


def exported(folder: Path, ending: str, name: str) -> bytes:
    path = folder / f"{name}{ending}"
    export(path)
    return path.read_bytes()


def sha256() -> str:
    with read() as session:
        return current_label_set(session).sha256


@pytest.mark.parametrize("ending", FORMATS)
def test_an_export_imports_into_another_database_without_loss(tmp_path, other_home, ending):
    fill()
    first, csv = exported(tmp_path, ending, "first"), exported(tmp_path, ".csv", "first")
    hash_before = sha256()
    other_home()
    articles()
    report = import_gold(tmp_path / f"first{ending}")
    assert report.failures == []
    assert (report.rows, report.verdicts) == (5, 9)
    assert dict(report.matched) == {"exact": 5}
    assert exported(tmp_path, ".csv", "second") == csv
    assert sha256() == hash_before
    if ending != ".xlsx":  # a workbook holds the time of its making
        assert exported(tmp_path, ending, "second") == first


def test_an_export_comes_back_to_an_article_without_an_identifier(tmp_path, other_home):
    store(paper(SENTENCES, title="A text"))
    judge("Anna", 1, verdict(1))
    export(tmp_path / "gold.csv")
    other_home()
    store(paper(SENTENCES, title="A text"))
    report = import_gold(tmp_path / "gold.csv")
    assert (report.failures, report.verdicts) == ([], 1)


def test_a_comment_on_a_decided_sentence_stays_its_writers(tmp_path, other_home):
    said = "SELECT name, text FROM comment JOIN annotator ON annotator.id = annotator_id"
    store(paper(SENTENCES, pmid="1"))
    judge("Anna", 1, verdict(0), comment(0, "a remark"))
    judge("Ben", 1, verdict(0, "reject"))
    sentence_id, seen = query("SELECT sentence_id, max(id) FROM verdict GROUP BY sentence_id")[0]
    adjudicate("Carla", 1, sentence_id, "accept", seen=seen, event_id="decision")
    for name in ("Anna", "Ben"):
        judge(name, 1, verdict(0, "withdrawn"))
    export(tmp_path / "gold.csv")
    other_home()
    store(paper(SENTENCES, pmid="1"))
    import_gold(tmp_path / "gold.csv")
    assert query(said) == [("Anna", "a remark")]


@pytest.mark.parametrize(("column", "written"), AS_PEOPLE_WRITE_THEM)
def test_a_row_finds_its_article_however_people_write_the_identifier(tmp_path, column, written):
    store(paper(SENTENCES, pmid="1"), paper(SENTENCES, **STORED))
    (tmp_path / "gold.csv").write_text(f"{column},sentence\n{written},{SENTENCES[0]}\n")
    report = import_gold(tmp_path / "gold.csv")
    assert (report.failures, report.verdicts) == ([], 1)
    assert query("SELECT DISTINCT article_id FROM verdict") == [(2,)]


def test_an_article_read_in_full_without_a_label_comes_back_by_the_manifest(tmp_path, other_home):
    articles()
    judge("Anna", 1, verdict(0))
    judge("Ben", 2, reading())
    exported(tmp_path, ".csv", "gold")
    hash_before = sha256()
    other_home()
    articles()
    import_gold(tmp_path / "gold.csv")
    with read() as session:
        assert db.review.verdicts.read_in_full(session) == [(2, "Ben")]
    assert sha256() == hash_before
    (tmp_path / "gold.csv.manifest.json").write_text("[]")
    with pytest.raises(UnreadableFile, match=r"gold\.csv\.manifest\.json: not a manifest"):
        import_gold(tmp_path / "gold.csv")


def test_a_label_that_was_changed_next_to_its_verdicts_is_told_and_not_taken(tmp_path):
    store(paper(SENTENCES, pmid="1"))
    judge("Anna", 1, verdict(1), verdict(3, "reject"))
    lines = exported(tmp_path, ".csv", "gold").decode().splitlines()
    rows = list(csv.DictReader(lines))
    for corrected in ({}, {"verdicts": ""}):
        with (tmp_path / "gold.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows([rows[0] | {"label": "0"} | corrected, rows[1]])
        report = import_gold(tmp_path / "gold.csv", "Ben")
        told = "the label is 0, its verdicts say 1: empty the column verdicts to import the label as your own"
        assert report.failures == ([] if corrected else [(2, told)])
        assert report.verdicts == len(corrected)
    assert query("SELECT name, value FROM verdict JOIN annotator a ON a.id = annotator_id ORDER BY verdict.id") == [
        ("Anna", "accept"),
        ("Anna", "reject"),
        ("Ben", "reject"),
    ]


def test_a_name_in_capitals_or_composed_otherwise_is_no_other_annotator(tmp_path):
    store(paper(SENTENCES, pmid="1"))
    judge("Jos\u00e9", 1, verdict(1))
    row = f'1,{SENTENCES[3]},"JOS\u00c9: accept; ben: reject",ben,"Jose\u0301: a remark\nBEN: another",Jos\u00e9;Ben\n'
    csv = write_csv(tmp_path, f"pmid,sentence,verdicts,read_in_full_by,comment,commented_by\n{row}")
    (tmp_path / "gold.csv.manifest.json").write_text('{"read_in_full": [["pmid:1", "BEN"]]}')
    import_gold(csv, "jose\u0301")
    assert query("SELECT name FROM annotator ORDER BY id") == [("Jos\u00e9",), ("ben",)]
    said = "SELECT name, text FROM comment JOIN annotator ON annotator.id = annotator_id ORDER BY name"
    assert query(said) == [("Jos\u00e9", "a remark"), ("ben", "another")]
    assert query("SELECT count(*) FROM reading") == [(1,)]


@pytest.mark.parametrize("ending", FORMATS)
def test_importing_an_export_twice_adds_nothing(tmp_path, other_home, ending):
    fill()
    exported(tmp_path, ending, "gold")
    other_home()
    articles()
    import_gold(tmp_path / f"gold{ending}")
    before = contents(*EVENTS, "annotator")
    report = import_gold(tmp_path / f"gold{ending}")
    assert report.verdicts == 0
    assert contents(*EVENTS, "annotator") == before


@pytest.mark.parametrize("ending", FORMATS)
def test_importing_an_export_where_it_comes_from_adds_nothing(tmp_path, ending):
    fill()
    csv = exported(tmp_path, ".csv", "before")
    exported(tmp_path, ending, "gold")
    before = contents(*EVENTS)
    assert import_gold(tmp_path / f"gold{ending}").verdicts == 0
    assert contents(*EVENTS) == before
    assert exported(tmp_path, ".csv", "after") == csv


@pytest.mark.postgresql
@pytest.mark.parametrize("now", ["another remark", ""])
def test_what_was_said_after_an_export_stays_when_it_is_imported(tmp_path, now):
    store(paper(SENTENCES, pmid="1"))
    judge("Anna", 1, verdict(1), comment(1, "a remark"), reading())
    exported(tmp_path, ".csv", "gold")
    judge("Anna", 1, comment(1, now), reading(False))
    before = contents(*EVENTS)
    import_gold(tmp_path / "gold.csv")
    assert contents(*EVENTS) == before


def test_an_article_that_grew_after_an_export_was_not_read_in_full(tmp_path):
    store(paper(SENTENCES, pmid="1"))
    judge("Anna", 1, verdict(1), reading())
    exported(tmp_path, ".csv", "gold")
    store(paper(SENTENCES, ("The body came later.", "Nobody has read it."), pmid="1"))
    import_gold(tmp_path / "gold.csv")
    with read() as session:
        assert db.review.verdicts.read_in_full(session) == []


BODY = ("The body came later.", "Nobody has read it.")


@pytest.mark.postgresql
@pytest.mark.parametrize("ending", FORMATS)
def test_a_reading_of_an_abstract_is_none_of_the_full_text(tmp_path, other_home, ending):
    """By a row of article 1, by the manifest of article 2, which has no row."""
    store(paper(SENTENCES, pmid="1"), paper(SENTENCES, pmid="2"))
    judge("Anna", 1, verdict(1), reading())
    judge("Ben", 2, reading())
    exported(tmp_path, ending, "abstracts")
    other_home()
    store(paper(SENTENCES, BODY, pmid="1"), paper(SENTENCES, BODY, pmid="2"))
    assert import_gold(tmp_path / f"abstracts{ending}").partly_read == 2
    with read() as session:
        assert db.review.verdicts.read_in_full(session) == []
        assert current_label_set(session).labels == {1: {1: True}}
    assert query("SELECT article_id, sentence_count FROM reading") == [(1, 4), (2, 4)]
    assert import_gold(tmp_path / f"abstracts{ending}").partly_read == 0
    judge("Ben", 2, reading())
    with read() as session:
        assert db.review.verdicts.read_in_full(session) == [(2, "Ben")]


def test_a_reading_of_the_full_text_follows_one_of_the_abstract(tmp_path, other_home):
    store(paper(SENTENCES, pmid="1"))
    judge("Anna", 1, verdict(1), reading())
    exported(tmp_path, ".csv", "abstract")
    store(paper(SENTENCES, BODY, pmid="1"))
    judge("Anna", 1, reading())
    exported(tmp_path, ".csv", "full")
    other_home()
    store(paper(SENTENCES, BODY, pmid="1"))
    for name in ("abstract", "full", "abstract", "full"):
        import_gold(tmp_path / f"{name}.csv")
    assert query("SELECT sentence_count FROM reading") == [(4,), (6,)]
    with read() as session:
        assert db.review.verdicts.read_in_full(session) == [(1, "Anna")]


def test_a_file_that_does_not_tell_how_long_its_articles_are_means_those_here(tmp_path):
    store(paper(SENTENCES, pmid="1"))
    csv = write_csv(tmp_path, f"pmid,sentence,verdicts,read_in_full_by\n1,{SENTENCES[0]},Anna: accept,Anna\n")
    assert import_gold(csv).partly_read == 0
    (tmp_path / "gold.csv.manifest.json").write_text('{"read_in_full": [["pmid:1", "Ben"]]}')
    import_gold(csv)
    with read() as session:
        assert db.review.verdicts.read_in_full(session) == [(1, "Anna"), (1, "Ben")]


def write_csv(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "gold.csv"
    path.write_text(text, newline="")
    return path


def test_a_plain_list_of_sentences_is_a_list_of_key_sentences(tmp_path):
    store(paper(pmid="1"))
    report = import_gold(write_csv(tmp_path, "PMID,Sentence\n1,Here we deleted TP53 in HeLa cells.\n"), "Curator")
    assert (report.rows, report.verdicts, report.failures) == (1, 1, [])
    assert query("SELECT name, value, origin FROM verdict JOIN annotator a ON a.id = annotator_id") == [
        ("Curator", "accept", "imported")
    ]


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("1", "accept"), ("1.0", "accept"), ("True", "accept"), ("YES", "accept"),
        ("0", "reject"), ("0.0", "reject"), ("no", "reject"), (" unsure ", "unsure"),
    ],
)  # fmt: skip
def test_labels_are_read_as_people_write_them(tmp_path, label, value):
    store(paper(pmid="1"))
    import_gold(write_csv(tmp_path, f"pmid,sentence,label\n1,The gene is known.,{label}\n"))
    assert query("SELECT value FROM verdict") == [(value,)]


@pytest.mark.parametrize("time", ["0001-01-01T00:00+05:00", "9999-12-31T23:59-05:00", "yesterday"])
def test_a_time_that_is_none_counts_as_none_given(tmp_path, time):
    store(paper(pmid="1"))
    assert import_gold(write_csv(tmp_path, f"pmid,sentence,time\n1,The gene is known.,{time}\n")).verdicts == 1


def test_a_comment_of_a_file_is_cleaned_as_one_of_the_page(tmp_path):
    store(paper(pmid="1"))
    import_gold(write_csv(tmp_path, 'pmid,sentence,comment\n1,The gene is known.,"a\u202eb\r\nc"\n'))
    assert query("SELECT text FROM comment") == [("ab\nc",)]


def test_rows_that_match_nothing_are_named_and_the_others_stored(tmp_path):
    store(paper(pmid="1"))
    text = "pmid,sentence\n1,The gene is known.\n99,The gene is known.\n1,Nothing like it was ever written anywhere.\n"
    report = import_gold(write_csv(tmp_path, text))
    assert [line for line, _ in report.failures] == [3, 4]
    assert "no such article" in report.failures[0][1]
    assert report.verdicts == 1
    assert report.as_dict()["matched"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pmid,sentence,label\n1,The gene is known.,maybe\n1,x,2\n", r"line 2: label 'maybe'.*line 3: label '2'"),
        ("pmid,sentence,verdicts\n1,The gene is known.,Anna: likes\n", "line 2.*Anna"),
        ("pmid,sentence,verdicts\n1,x,Anna: accept;anna: reject\n", "line 2.*: Anna has another verdict"),
        ("sentence\nThe gene is known.\n", "needs a column pmid or pmcid or doi"),
        ("pmid,text\n1,The gene is known.\n", "needs a column sentence"),
        ("pmid,sentence,label,label\n1,x,1,1\n", "label stands twice"),
        ("pmid,sentence\n1,x,2\n", "wrong number of cells in line 2"),
        ('pmid,sentence\n1,"x\n', "line 2"),
    ],
)
def test_a_file_with_an_error_stores_nothing_and_names_the_line(tmp_path, text, message):
    store(paper(pmid="1"))
    with pytest.raises(UnreadableFile, match=message):
        import_gold(write_csv(tmp_path, text))
    assert contents(*EVENTS) == {name: [] for name in EVENTS}


def test_genes_cells_and_edit_of_a_row_are_kept_as_given(tmp_path):
    store(paper(pmid="1"))
    text = "pmid,sentence,genes,cells,edit\n1,The gene is known.,TP53;KRAS,HeLa,KO\n"
    import_gold(write_csv(tmp_path, text))
    assert named() == [{"gene": "TP53;KRAS", "cell": "HeLa", "edit": "KO"}]


def named() -> list[dict[str, str]]:
    """The labels of all verdicts that have any."""
    return [json.loads(text) for (text,) in query("SELECT CAST(labels AS TEXT) FROM verdict") if text]


@pytest.mark.postgresql
def test_the_gold_of_any_topic_has_its_own_columns_and_comes_back(tmp_path, other_home):
    use_topic(TRIALS, by="Anna")
    store(paper(("Pain fell with the drug.",), pmid="1"))
    labels = parse_labels({"intervention": "drug", "comparator": "placebo", "outcome": "pain"})
    store_labels(1, labels)
    judge("Anna", 1, verdict(0))
    before = exported(tmp_path, ".csv", "gold")
    (row,) = csv.DictReader(before.decode().splitlines())
    assert {"genes", "cells", "edit", "gene_identifiers"}.isdisjoint(row)
    assert (row["interventions"], row["comparators"], row["outcomes"]) == ("drug", "", "pain")
    other_home()
    use_topic(TRIALS, by="Anna")
    store(paper(("Pain fell with the drug.",), pmid="1"))
    import_gold(tmp_path / "gold.csv")
    assert named() == [{"intervention": "drug", "comparator": "", "outcome": "pain"}]
    assert exported(tmp_path, ".csv", "again") == before


def test_a_gold_file_of_an_earlier_release_is_read_by_the_kinds_that_stood_in_its_columns(tmp_path):
    use_topic(TRIALS, by="Anna")
    store(paper(pmid="1"))
    import_gold(write_csv(tmp_path, "pmid,sentence,genes,cells,edit\n1,The gene is known.,drug,placebo,pain\n"))
    assert named() == [{"intervention": "drug", "comparator": "placebo", "outcome": "pain"}]
