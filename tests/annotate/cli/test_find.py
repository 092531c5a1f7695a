"""Commands of Find: questions by facets, what is said where nothing is asked, collections measured."""

import json

import pytest

from annotate.__main__ import main
from annotate.cli.finding.find import facet_of
from annotate.finding.judged.judged_files import read_questions
from annotate.finding.question import Facet, marks_of
from annotate.finding.rankers import ranker_versions
from annotate.finding.search_vectors import store_vectors
from annotate.proposing.encoder_versions import proposing_version
from annotate.search.upkeep import update_whole
from db.tables import ModelVersion
from db.values import Kind
from tests.support.judged import options, write_collection
from tests.support.making import paper, store


@pytest.fixture
def library(tiny_home):
    store(
        paper(("We deleted TP53 in HeLa cells.",), pmid="1", title="Knockout of TP53", year=2001, journal="Cell"),
        paper(("Tumours appeared in mice.",), pmid="2", title="Loss of p53", year=2010, journal="Nature"),
    )
    update_whole(lambda done, total: None, lambda: False, lambda stage: None)
    store_vectors(proposing_version())


@pytest.mark.usefixtures("library")
def test_a_question_by_facets_is_answered_with_reasons(cli):
    code, found, _ = cli("find", "deleted", "--gene", "TP53|p53", "--cell", "HeLa")
    first = found["results"][0]
    assert (code, found["question"], first["key"]) == (0, "TP53 p53 HeLa deleted", "pmid:1")
    assert first["matched"] == {"gene": ["TP53"], "cell": ["HeLa"]}
    assert first["ranks"]["words"] == 1 and found["left_out"] == {}
    assert cli("find", "TP53", "--year-from", "2005", "--stages", "vectors")[1]["found"] == 1


@pytest.mark.usefixtures("library")
def test_everything_found_is_written_as_a_run(cli, tmp_path):
    cli("find", "ask", "TP53", "--limit", "1", "--run", str(tmp_path / "found.run"))
    lines = (tmp_path / "found.run").read_text().splitlines()
    first = lines[0].split()
    assert first[:4] == ["1", "Q0", "pmid:1", "1"] and float(first[4]) > float(lines[1].split()[4]) and len(lines) == 2


@pytest.mark.usefixtures("library")
def test_people_read_title_place_and_reasons(capsys):
    assert main(["find", "--gene", "TP53", "--facet", "organ=liver"]) == 0
    shown = capsys.readouterr().out
    assert "1. Knockout of TP53" in shown and "Cell, 2001, pmid:1" in shown
    assert "why: Words 1" in shown and "gene: TP53" in shown


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ((), "type words"),
        (("--facet", "organ"), "is not NAME=VALUE"),
        (("x", "--stages", "magic"), "no stage magic"),
        (("--gene", "|"), "names nothing"),
        (("growth AND",), "a word is missing after AND\ngrowth AND\n       ^^^"),
        (('"unclosed',), "has no end"),
        (("author:Smith",), "authors are not stored"),
        (("x", "--year-from", "2020", "--year-to", "2010"), "no year is from 2020 and up to 2010"),
    ],
)
def test_a_question_that_cannot_be_asked_is_explained(cli, tiny_home, given, told):
    code, found, _ = cli("find", *given)
    assert code == 1 and told in found["error"]


def test_synonyms_stand_behind_a_bar():
    assert facet_of(" TP53 | p53 |") == Facet("TP53", ("p53",))


def test_a_collection_is_measured_and_a_run_is_scored(cli, tiny_home, tmp_path):
    lines = {
        "docs": [
            {"id": "a", "title": "Knockout of TP53", "text": ""},
            {"id": "b", "title": "Teeth", "text": "of pupils"},
        ],
        "queries": [{"id": "1", "text": "knockout"}],
    }
    for name, rows in lines.items():
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "qrels.tsv").write_text("1\ta\t2\n")
    given = [f"--{name}={tmp_path / name}.jsonl" for name in lines] + [f"--qrels={tmp_path / 'qrels.tsv'}"]
    run = str(tmp_path / "all.run")
    code, found, _ = cli("find", "evaluate", *given, "--run", run)
    assert (code, found["n"], found["ndcg_at_10"]) == (0, 1, 1.0)
    assert found["stages"] == ["words", "vectors", "alike", "near", "titles"]
    assert list((tiny_home / "finding").glob("vectors-*/*.npz"))
    code, scored, _ = cli("find", "score", "--run", run, "--qrels", str(tmp_path / "qrels.tsv"))
    assert (code, scored["average_precision"]) == (0, 1.0)
    for line, told in (
        ("2\ta\t1", "none of the questions of queries.jsonl"),
        ("1\tz\t1", "none of the documents of docs"),
    ):
        (tmp_path / "other.tsv").write_text(line)
        code, found, _ = cli("find", "evaluate", *given[:-1], f"--qrels={tmp_path / 'other.tsv'}")
        assert code == 1 and told in found["error"] and "other.tsv" in found["error"]
    code, found, _ = cli("find", "screen", *given)
    assert code == 1 and "no review" in found["error"]


def test_a_stage_is_not_measured_on_questions_that_it_has_learnt_from(cli, home, tmp_path, monkeypatch):
    files = write_collection(tmp_path)
    asked = marks_of(list(read_questions(files["queries"]).values())[:2])
    serving = ModelVersion(name="rel-1", trained_on={"asked": asked})
    monkeypatch.setattr(ranker_versions, "in_use", lambda kind: serving if kind is Kind.REL else None)
    code, found, _ = cli("find", "evaluate", *options(files), "--stages", "words,rel")
    assert code == 1 and "rel-1 has learnt from 2 of these 5 questions" in found["error"]
    code, found, _ = cli("find", "evaluate", *options(files), "--stages", "words", "--facets", "gene")
    assert (code, found["n"]) == (0, 5)


def test_a_bad_file_is_named_with_line_and_reason(cli, tiny_home, tmp_path):
    (tmp_path / "d.jsonl").write_text('{"id": "1", "title": "a"}\n{"id": 3')
    code, found, _ = cli(
        "find", "evaluate", "--docs", str(tmp_path / "d.jsonl"), "--queries", "q", "--qrels", str(tmp_path / "j")
    )
    assert code == 1 and "d.jsonl, line 2" in found["error"]
