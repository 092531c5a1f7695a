"""Frozen gold: by a rule, forever the same, checked by its hash, exported alike, compared."""

import csv
import gzip
import hashlib
import io
import json
import re
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from sqlalchemy import text, update
from sqlalchemy.exc import DBAPIError

import annotate.project.whole_files
import db.rows
from annotate.articles.document_labels import store_labels
from annotate.cli.main import main
from annotate.gold.export_file import export
from annotate.gold.import_file import import_gold
from annotate.gold.label_sets import current_label_set
from annotate.gold.rows import gold_rows
from annotate.gold.snapshots import (
    DamagedSnapshot,
    NoSuchSnapshot,
    compare,
    export_snapshot,
    freeze,
    last_trained,
    same_labels_as_training,
    snapshot_file,
    verify,
)
from annotate.project.acting import ANONYMOUS, Forbidden, acting
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.team.adjudication import adjudicate
from annotate.topics.file import shipped
from annotate.topics.project_topic import use_topic
from db.gold import snapshots
from db.tables import GoldSnapshot
from tests.support.labels import gene_labels
from tests.support.making import comment, contents, judge, paper, query, reading, store, thaw, trained_version, verdict
from tests.support.making import version_without_weights as bare_version

pytestmark = pytest.mark.usefixtures("home")


def begin() -> None:
    """Two articles; of the first: agreed, disputed, decided. Of the second: one voice, and an unsure pair."""
    store(paper(pmid="1"), paper(pmid="2"))
    judge("Anna", 1, verdict(0), verdict(1), verdict(2), comment(0, "=clear"))
    judge("Ben", 1, verdict(0), verdict(1, "reject"), verdict(2, "reject"), reading())
    adjudicate("Carla", 1, 3, "reject", seen=6, event_id="decision-1")
    judge("Anna", 2, verdict(0), verdict(1, "unsure"))
    judge("Ben", 2, verdict(1, "unsure"))


def labels_of(name: str) -> list[tuple[str, int, str, str]]:
    rows = map(json.loads, snapshot_file(name, ".jsonl").decode().splitlines())
    return [(row["pmid"], row["sentence_index"], row["label"], row["decided_by"]) for row in rows]


def test_majority_is_the_live_gold():
    begin()
    row = freeze("one", "majority")
    assert labels_of("one") == [
        ("1", 0, "1", ""),
        ("1", 1, "disputed", ""),
        ("1", 2, "0", "Carla"),
        ("2", 0, "1", ""),
        ("2", 1, "unsure", ""),
    ]
    with read() as session:
        live = gold_rows(session)
        assert row.label_set_sha256 == current_label_set(session).sha256
    assert live == list(map(json.loads, snapshot_file("one", ".jsonl").decode().splitlines()))


def test_adjudicated_holds_what_was_decided_or_said_with_one_voice():
    begin()
    row = freeze("sure", "adjudicated")
    assert labels_of("sure") == [("1", 0, "1", ""), ("1", 2, "0", "Carla")]
    assert (row.manifest["rows"], row.manifest["undecided"]) == (2, 3)


def test_single_is_one_annotators_gold():
    begin()
    row = freeze("Ben", "single", "Ben")
    assert labels_of("Ben") == [("1", 0, "1", ""), ("1", 1, "0", ""), ("1", 2, "0", ""), ("2", 1, "unsure", "")]
    assert row.manifest["by_annotator"] == {"Ben": 4}
    assert row.manifest["read_in_full"] == [["pmid:1", "Ben", 3]]
    freeze("Anna", "single", "Anna")
    anna = json.loads(snapshot_file("Anna", ".jsonl").split(b"\n")[0])
    assert (anna["verdicts"], anna["comment"], anna["read_in_full_by"]) == ("Anna: accept", "Anna: =clear", "")


def test_the_manifest_says_what_was_frozen_by_whom_and_how():
    begin()
    freeze("one", "majority")
    found = verify("one")
    assert {name: found[name] for name in ("rows", "by_label", "by_origin", "by_annotator", "csv_cells_prefixed")} == {
        "rows": 5,
        "by_label": {"0": 1, "1": 2, "disputed": 1, "unsure": 1},
        "by_origin": {"added": 5},
        "by_annotator": {"Anna": 5, "Ben": 4},
        "csv_cells_prefixed": 0,
    }
    assert found["snapshot"] == "one" and found["rule"] == "majority" and "adjudicator" in found["rule_in_words"]
    assert (found["until_verdict"], found["until_reading"], found["created_by"]) == (10, 1, "operator")
    assert query("SELECT kind, done_by, summary FROM history") == [
        ("snapshot", "operator", "froze the gold as one: 5 rows by the rule majority")
    ]


def test_nothing_that_comes_later_changes_a_snapshot(tmp_path):
    begin()
    freeze("one", "majority")
    before = {ending: snapshot_file("one", ending) for ending in (".csv", ".xlsx", ".jsonl")}
    row = contents("gold_snapshot")
    export(tmp_path / "gold.csv")
    judge("Anna", 1, verdict(0, "withdrawn"), verdict(1, "reject"), comment(0, "other"), reading())
    last = query("SELECT max(id) FROM verdict WHERE sentence_id = 3")[0][0]
    adjudicate("Carla", 1, 3, "accept", seen=last, event_id="decision-2")
    store_labels(1, gene_labels("TP53", "HeLa", "KO"))
    import_gold(tmp_path / "gold.csv")
    store(paper(pmid="1", body=("A new paragraph came with the full text.",)))
    freeze("two", "majority")
    with time_machine.travel(datetime.now(UTC) + timedelta(days=1)):  # zip files count time in steps of two seconds
        assert {ending: snapshot_file("one", ending) for ending in before} == before
    assert contents("gold_snapshot")["gold_snapshot"][0] == row["gold_snapshot"][0]
    assert snapshot_file("two", ".jsonl") != before[".jsonl"]


def test_two_exports_of_a_snapshot_are_equal_byte_for_byte(tmp_path):
    begin()
    freeze("one", "majority")
    for ending in (".csv", ".xlsx", ".jsonl"):
        export_snapshot(tmp_path / f"a{ending}", "one")
        export_snapshot(tmp_path / "later" / f"b{ending}", "one")
        for name, other in ((f"a{ending}", f"b{ending}"), (f"a{ending}.manifest.json", f"b{ending}.manifest.json")):
            assert (tmp_path / name).read_bytes() == (tmp_path / "later" / other).read_bytes()


def test_an_exported_snapshot_imports_into_another_database_as_what_it_was(tmp_path, home, monkeypatch):
    begin()
    row = freeze("one", "majority")
    export_snapshot(tmp_path / "one.csv", "one")
    monkeypatch.setenv("KEYLINE_HOME", str(home) + "-other")
    store(paper(pmid="1"), paper(pmid="2"))
    import_gold(tmp_path / "one.csv")
    again = freeze("again", "majority")
    assert (again.label_set_sha256, again.manifest["by_label"]) == (row.label_set_sha256, row.manifest["by_label"])
    assert freeze("sure", "adjudicated").manifest["rows"] == 2


def test_a_name_is_used_once_and_is_short_and_clean():
    begin()
    freeze("  Gold   of March ", "majority")
    for name in ("Gold of March", "gold of march"):
        with pytest.raises(ValueError, match="choose another name"):
            freeze(name, "majority")
    for name in ("", "   ", "x" * 61, "a/b", "..", "a\x00b", "<b>", "a\u202eb"):
        with pytest.raises(ValueError, match="cannot be a snapshot's name"):
            freeze(name, "majority")
    assert freeze("x" * 60, "majority").name == "x" * 60
    assert freeze("März (α-2) v1.0+", "majority").name == "März (α-2) v1.0+"
    with read() as session:
        assert [row.name for row in snapshots(session)][-1] == "Gold of March"


@pytest.mark.parametrize(
    ("rule", "annotator", "message"),
    [
        ("best", None, "must be one of majority, adjudicated, single"),
        ("single", None, "needs the name"),
        ("majority", "Anna", "needs the name"),
        ("single", "Zed", "no annotator named Zed"),
        ("single", "Carla", "nothing to freeze"),
    ],
)
def test_what_makes_no_gold_is_refused(rule, annotator, message):
    begin()
    with pytest.raises(ValueError, match=message):
        freeze("one", rule, annotator)
    assert query("SELECT count(*) FROM gold_snapshot") == [(0,)]


def test_freezing_needs_the_right():
    begin()
    with acting(ANONYMOUS), pytest.raises(Forbidden):
        freeze("one", "majority")


@pytest.mark.parametrize("statement", ["UPDATE gold_snapshot SET name = 'two'", "DELETE FROM gold_snapshot"])
def test_the_database_refuses_to_change_or_delete_a_snapshot(statement):
    begin()
    freeze("one", "majority")
    before = contents("gold_snapshot")
    with pytest.raises(DBAPIError, match="a gold snapshot never changes"), write(Right.SYSTEM) as session:
        session.execute(text(statement))
    assert contents("gold_snapshot") == before


def recomputed(content: bytes) -> str:
    """The recipe of docs/gold_files.md, by the standard library alone."""
    rows = csv.DictReader(io.StringIO(content.decode(), newline=""))
    formula = re.compile(r"'+(?:[\t\r\n\0]|[\s;,]*[=+\-@＝＋－＠﹦﹢﹣﹫])")
    lines = []
    for row in rows:
        cells = {name: cell[1:] if formula.match(cell) else cell for name, cell in row.items()}
        cells |= {name: int(cells[name]) for name in ("sentence_index", "paragraph_start", "paragraph_end")}
        lines.append(json.dumps(cells, ensure_ascii=False) + "\n")
    return hashlib.sha256("".join(lines).encode()).hexdigest()


@pytest.mark.parametrize("rule", ["majority", "adjudicated"])
def test_the_hash_can_be_recomputed_from_the_csv(tmp_path, rule):
    begin()
    judge("Anna", 1, verdict(1, shown={"rank": 3, "cosine": -0.1 / 3, "ranking": "hybrid", "model": "v1"}))
    judge("Ben", 1, comment(1, '=SUM("a,b")\r\nline'), comment(0, "'-x"), comment(2, "Å 😀 don't"))
    export_snapshot(tmp_path / "one.csv", freeze("one", rule).name)
    content = (tmp_path / "one.csv").read_bytes()
    assert recomputed(content) == verify("one")["sha256"]
    assert json.loads((tmp_path / "one.csv.manifest.json").read_text())["sha256"] == recomputed(content)
    assert recomputed(content.replace(b"Anna: accept", b"Anna: reject", 1)) != recomputed(content)


def damage(**columns: object) -> None:
    with write(Right.SYSTEM) as session:
        thaw(session)
        session.execute(update(GoldSnapshot).where(GoldSnapshot.name == "one").values(**columns))


@pytest.mark.sqlite("bytes, wherever they are stored")
def test_every_flipped_byte_of_the_rows_is_found_and_named():
    begin()
    freeze("one", "majority")
    good = query("SELECT content FROM gold_snapshot")[0][0]
    found = 0
    for place in range(len(good)):
        changed = good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :]
        damage(content=changed)
        try:
            verify("one")
            # When it was packed, a bit that fills a byte, a copy of the same text: the rows stay the same.
            assert gzip.decompress(changed) == gzip.decompress(good)
        except DamagedSnapshot as error:
            assert "snapshot one is damaged" in str(error)
            found += 1
    assert found > 0.9 * len(good)
    damage(content=good)
    assert verify("one")["rows"] == 5


def test_a_rewritten_content_or_manifest_is_found():
    begin()
    row = freeze("one", "majority")
    lines = gzip.decompress(row.content)
    damage(content=gzip.compress(lines.replace(b'"label": "1"', b'"label": "0"')))
    for use in (lambda: verify("one"), lambda: snapshot_file("one", ".csv"), lambda: compare("one", "one")):
        with pytest.raises(DamagedSnapshot, match="another SHA-256"):
            use()
    damage(content=row.content, manifest={**row.manifest, "by_label": {"1": 5}})
    with pytest.raises(DamagedSnapshot, match="its manifest counts other by_label"):
        verify("one")


def test_two_snapshots_are_compared_row_by_row():
    begin()
    freeze("one", "majority")
    judge("Anna", 1, verdict(1, "reject"))
    judge("Anna", 2, verdict(0, "withdrawn"), verdict(2))
    freeze("two", "majority")
    found = compare("one", "two")
    assert (found.alike, found.relabelled, found.added, found.removed) == (3, 1, 1, 1)
    shown = ("change", "before", "after", "pmid", "sentence_index")
    assert [tuple(row[name] for name in shown) for row in found.differences] == [
        ("relabelled", "disputed", "0", "1", 1),
        ("removed", "1", "", "2", 0),
        ("added", "", "1", "2", 2),
    ]
    assert compare("two", "two").differences == []
    with pytest.raises(NoSuchSnapshot, match="there is no snapshot three"):
        compare("one", "three")


def test_an_article_that_got_another_identifier_is_the_same_in_a_comparison():
    sentences = ("The gene is known.", "Here we deleted TP53 in HeLa cells.")
    store(paper(sentences, doi="10.1000/x"))
    judge("Anna", 1, verdict(1), verdict(0, "reject"))
    freeze("March", "majority")
    store(paper(sentences, doi="10.1000/x", pmid="77"))
    freeze("April", "majority")
    found = compare("March", "April")
    assert (found.alike, found.relabelled, found.added, found.removed) == (2, 0, 0, 0)


def test_articles_of_one_title_are_compared_apart():
    store(*(paper(("Equal first sentence.", last), title="Case report") for last in ("One.", "Two.")))
    judge("Anna", 1, verdict(0))
    judge("Anna", 2, verdict(0, "reject"))
    freeze("March", "majority")
    judge("Anna", 1, verdict(0, "reject"))
    freeze("April", "majority")
    found = compare("March", "April")
    assert (found.alike, found.relabelled, found.added, found.removed) == (1, 1, 0, 0)


def test_a_snapshot_knows_whether_its_labels_made_the_last_version():
    begin()
    trained_version("v1", parent=bare_version("base"))
    one, sure = freeze("one", "majority"), freeze("sure", "adjudicated")
    judge("Anna", 2, verdict(2))
    two = freeze("two", "majority")
    with read() as session:
        trained = last_trained(session)
    assert [same_labels_as_training(row, trained) for row in (one, sure, two)] == ["v1", "", ""]
    assert same_labels_as_training(one, None) == ""


def test_an_interrupted_export_leaves_nothing_noted(tmp_path, monkeypatch):
    begin()
    freeze("one", "majority")

    def fail(handle):
        raise OSError("disk full")

    monkeypatch.setattr(annotate.project.whole_files.os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        export_snapshot(tmp_path / "one.csv", "one")
    assert query("SELECT count(*) FROM history WHERE kind = 'export'") == [(0,)] and not list(tmp_path.glob("*.csv"))


def test_the_list_of_snapshots_leaves_their_content_in_the_database():
    begin()
    freeze("one", "majority")
    with read() as session:
        (row,) = snapshots(session)
        assert "content" not in row.__dict__
        assert len(db.rows.find(session, GoldSnapshot, name="one").content) > 100


def test_the_commands_freeze_list_verify_export_and_compare(tmp_path, capsys):
    begin()

    def run(*arguments: str, code: int = 0) -> dict:
        assert main(["gold", *arguments, "--json"]) == code
        return json.loads(capsys.readouterr().out)

    assert run("freeze", "one", "--rule", "majority")["rows"] == 5
    assert run("freeze", "Ben", "--rule", "single", "--annotator", "Ben")["rows"] == 4
    assert "already" in run("freeze", "one", code=1)["error"]
    assert [row["name"] for row in run("snapshots")["snapshots"]] == ["Ben", "one"]
    assert run("verify", "one")["sound"] is True
    assert "no snapshot" in run("verify", "two", code=1)["error"]
    assert run("export", str(tmp_path / "one.jsonl"), "--snapshot", "one")["snapshot"] == "one"
    assert (tmp_path / "one.jsonl").read_bytes() == snapshot_file("one", ".jsonl")
    assert run("compare", "one", "Ben")["removed"] == 1
    assert main(["gold", "compare", "one", "Ben"]) == 0
    assert capsys.readouterr().out.startswith("3 alike, 1 relabelled, 0 added, 1 removed\nrelabelled: disputed > 0")
    assert main(["gold", "snapshots"]) == 0
    assert "one: 5 rows, rule majority, frozen " in capsys.readouterr().out


@pytest.mark.parametrize("ending", [".csv", ".xlsx", ".jsonl"])
def test_a_snapshot_keeps_its_columns_and_its_bytes_whatever_the_topic_becomes(ending):
    begin()
    freeze("one", "majority")
    before = snapshot_file("one", ending)
    use_topic(shipped("clinical_trial_findings").text, by="Anna")
    assert snapshot_file("one", ending) == before
    assert verify("one")["rows"] == 5
    freeze("two", "majority")
    assert compare("one", "two").alike == 5
    assert b"interventions" in snapshot_file("two", ".csv") and b"genes" not in snapshot_file("two", ".csv")


LATER = ("role", "function", "article", "journal", "year", "licence")


def test_what_was_frozen_before_there_were_more_columns_is_exported_without_them():
    begin()
    freeze("one", "majority")
    rows = [json.loads(line) for line in snapshot_file("one", ".jsonl").splitlines()]
    old = [{name: row[name] for name in row if name not in LATER} for row in rows]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in old).encode()
    damage(content=gzip.compress(lines, mtime=0), sha256=hashlib.sha256(lines).hexdigest())
    assert snapshot_file("one", ".jsonl") == lines
    header = next(csv.reader(io.StringIO(snapshot_file("one", ".csv").decode())))
    assert header == list(old[0]) and len(header) == len(rows[0]) - len(LATER)
    assert verify("one")["rows"] == 5
