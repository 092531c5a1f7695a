"""The command line: exit codes, one JSON object on stdout, and errors in words."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from annotate.__main__ import main
from annotate.articles.import_report import past_imports
from annotate.cli import main as without_pages
from annotate.cli.frame.words import ALL, modules_of
from annotate.jobs.lifecycle import enqueue
from annotate.project.home import read
from annotate.retraining.auto_retrain import Decision
from model.training.settings import PRESETS, TrainingSettings
from tests.support.copies import ran
from tests.support.corpus_files import spec_and_corpus
from tests.support.making import (
    judge,
    paper,
    pmids,
    query,
    store,
    verdict,
    version_without_weights,
)
from tests.support.paths import ROOT

pytestmark = pytest.mark.usefixtures("home")


def text_file(folder: Path, name: str = "a.txt") -> Path:
    path = folder / name
    path.write_text(f"Title of {name}\n\nHere we deleted TP53. The assay was measured.\n")
    return path


def test_importing_files_is_done_in_part_or_fails(cli, tmp_path):
    good, bad = text_file(tmp_path), tmp_path / "b.xml"
    bad.write_text("")
    code, result, _ = cli("import", good)
    assert (code, result["counts"]) == (0, {"stored": 1, "full text added": 0, "already there": 0, "failed": 0})
    assert cli("import", good)[1]["counts"]["already there"] == 1
    code, result, _ = cli("import", good, bad)
    assert code == 3 and result["failures"][0][0] == "b.xml"
    assert cli("import", bad)[0] == 1


def test_an_import_whose_filter_lets_nothing_through_says_how_many_it_read(cli, tmp_path):
    code, result, _ = cli("import", text_file(tmp_path), "--match", "nowhere")
    assert code == 1 and result["left_out_by_the_filter"] == 1
    with read() as session:
        (told,) = past_imports(session, 5)
    assert (told.files, told.outcome) == (("a.txt",), "1 read, none of which the filter lets through")


def test_an_import_says_how_entities_are_recognised_or_does_it(cli, tmp_path, monkeypatch):
    told = cli("import", text_file(tmp_path))[1]
    assert told["next"] == "python -m annotate entities recognise" and "articles_recognised" not in told
    monkeypatch.setattr("annotate.capabilities.entities.tag_articles", lambda *_: 7)
    told = cli("import", text_file(tmp_path, "b.txt"), "--recognise")[1]
    assert told["articles_recognised"] == 7 and "next" not in told


def test_errors_are_words_on_stderr_and_an_object_on_stdout(cli, tmp_path):
    (tmp_path / "empty").mkdir()
    gold_file = tmp_path / "gold.csv"
    gold_file.write_text("pmid,sentence\n1,They slept.\n")
    for arguments, message in [
        (["import"], "name at least one file"),
        (["import", tmp_path / "none.xml"], "no such file or folder"),
        (["import", "--europepmc", "PMC0 x"], "neither PMID, PMCID nor DOI: PMC0, X"),
        (["import", text_file(tmp_path), "--match", "("], "'(' is no regular expression: missing )"),
        (["labels", "import", tmp_path / "none.csv"], "no such file"),
        (["gold", "import", tmp_path / "none.csv"], "no such file"),
        (["gold", "import", tmp_path], f"{tmp_path}: is a folder"),
        (["import", tmp_path / "empty"], f"no article in {tmp_path / 'empty'}"),
        (["import", "--pmids", tmp_path / "none.txt", tmp_path], f"{tmp_path / 'none.txt'}: No such file or directory"),
        (["verify-backup", tmp_path / "none.zip"], f"{tmp_path / 'none.zip'}: No such file or directory"),
        (["functions", "evaluate", tmp_path / "a.txt"], "a.txt, line 1: Expecting value in column 1: this is not JSON"),
        (["gold", "import", gold_file, "--annotator", "a:b"], "a name is"),
        (["gold", "export", tmp_path / "gold.pdf"], "the ending must be one of .csv, .xlsx, .jsonl"),
        (["evaluate", "--version", "v9"], "no version 'v9'"),
        (["evaluate", "--split", "test"], "no article of the test split has a key sentence yet"),
        (["promote", "v9"], "no version 'v9'"),
        (["rollback"], "no other version was in use before"),
        (["work", "99"], "job 99"),
        (["train", "--epochs", "0"], "epochs is 0"),
        (["report", "v9"], "no version 'v9'"),
        (["experiment", "table-9"], "no spec file table-9; shipped are averaged, ideas, presets"),
        (["experiment", "table-4-7"], "the train split of the database: no key sentence to train on"),
        (["experiment", "table-4-7", "--train", tmp_path / "none.jsonl"], "name a file for test"),
    ]:
        code, result, err = cli(*arguments)
        assert code == (4 if arguments[0] == "work" else 1), arguments
        assert message in result["error"] and message in err, (result, err)
        assert "Traceback" not in err


def test_what_is_listed_with_names_and_parts_is_printed_in_words(capsys):
    assert main(["vocabulary", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "vocabularies: 4" and lines[1].startswith("  vocabulary: genes, version: ")
    assert ", tables: source: embedded, version: " in lines[1] and not set("{}[]'") & set(lines[1])


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["unknown"],
        ["import", "--nonsense"],
        ["propose", "--ranking", "best"],
        ["gold"],
        ["train", "--preset", "fast"],
        ["train", "--loss", "hinge"],
        ["train", "--margin", "wide"],
        ["train", "--epochs", "1.5"],
        ["experiment"],
    ],
)
def test_wrong_usage_ends_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    out, err = capsys.readouterr()
    assert out == "" and "usage:" in err


def test_a_job_of_the_same_kind_makes_it_busy(cli, tmp_path):
    enqueue("import", {})
    code, result, _ = cli("import", text_file(tmp_path))
    assert (code, result["error"]) == (4, "a job to import is running already")


def test_a_keyboard_interrupt_ends_with_130(cli, tmp_path, monkeypatch):
    def interrupt(*given, **named):
        raise KeyboardInterrupt

    monkeypatch.setattr("annotate.work.store", interrupt)
    code, result, _ = cli("import", text_file(tmp_path))
    assert (code, result) == (130, {"error": "interrupted"})
    assert query("SELECT state FROM job") == [("cancelled",)]


def test_identifiers_may_be_many_or_stand_in_a_file(cli, tmp_path, monkeypatch):
    asked: list[str] = []

    class Client:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            """Nothing to close."""

        def fetch_all(self, identifiers):
            asked.extend(identifiers)
            return iter(())

    monkeypatch.setattr("annotate.articles.europepmc.EuropePmc", Client)
    many = [str(number) for number in range(1000, 1200)]
    cli("import", "--europepmc", " ".join(many))  # longer than a file name may be
    (tmp_path / "ids.txt").write_text("\n".join(many))
    cli("import", "--europepmc", tmp_path / "ids.txt")
    assert asked == [*many, *many]


def test_labels_and_gold_go_in_and_out(cli, tmp_path):
    store(paper(pmid="1"))
    (tmp_path / "labels.csv").write_text("pmid,genes\n1,TP53\n9,KRAS\n")
    code, result, _ = cli("labels", "import", tmp_path / "labels.csv")
    assert (code, result["articles_labelled"], result["failures"]) == (3, 1, [[3, "no such article: 9"]])
    (tmp_path / "gold.csv").write_text("pmid,sentence,label\n1,The gene is known.,1\n")
    code, result, _ = cli("gold", "import", tmp_path / "gold.csv", "--annotator", "Anna")
    assert (code, result["verdicts"], result["matched"]) == (0, 1, 1)
    code, result, _ = cli("gold", "export", tmp_path / "out.jsonl")
    assert (code, result["rows"], result["by_annotator"]) == (0, 1, {"Anna": 1})
    assert json.loads((tmp_path / "out.jsonl").read_text())["sentence"] == "The gene is known."


def test_rows_of_gold_that_contradict_each_other_are_listed_in_words_and_for_programs(cli, tmp_path, capsys):
    store(paper(pmid="1"))
    (tmp_path / "gold.csv").write_text(
        "pmid,sentence,label\n1,Here we deleted TP53,1\n1,deleted TP53 in HeLa cells.,0\n"
    )
    words = "gold: key in line 2, not key in line 3 (parts of one sentence), taken as key: "
    words += "'Here we deleted TP53 in HeLa cells.'"
    code, result, _ = cli("gold", "import", tmp_path / "gold.csv")
    assert (code, result["verdicts"], result["contradictions"]) == (0, 1, [[2, 3, words]])
    assert main(["gold", "import", str(tmp_path / "gold.csv")]) == 0
    assert f"contradictions: 1\n  2 | 3 | {words}\n" in capsys.readouterr().out


def test_proposing_by_the_command_line(cli, tiny_home):
    store(paper(pmid="1"))
    code, result, _ = cli("propose", "-k", "2", "--ranking", "cosine")
    done = {name: result[name] for name in ("version", "sentences_embedded", "articles_proposed")}
    assert (code, done) == (0, {"version": "tiny", "sentences_embedded": 3, "articles_proposed": 1})
    assert query("SELECT k, ranking FROM proposal_set") == [(2, "cosine")]
    assert cli("propose", "-k", "2", "--ranking", "cosine")[1]["articles_proposed"] == 0


def test_an_encoder_is_added_once(cli, tiny_home, tiny_encoder, tmp_path):
    from annotate.proposing.encoder_versions import find_version
    from annotate.proposing.encoders import load_source
    from annotate.registry.versions import model_folder

    added = cli("encoder", "add", tiny_encoder, "--name", "second", "--max-tokens", 100)
    assert added[:2] == (0, {"version": "second"})
    assert load_source(str(model_folder(find_version("second"))), "cpu").max_seq_length == 100
    for arguments, message in [
        ([tiny_encoder, "--name", "second"], "there is a version second already"),
        ([tiny_encoder, "--name", "../up"], "cannot be a version's name"),
        ([tiny_encoder, "--name", "c", "--max-tokens", 8], "max_tokens is 8; it must be from 16 to 32768"),
        ([tiny_encoder, "--name", "c", "--max-tokens", 40_000], "max_tokens is 40000; it must be from 16 to 32768"),
        ([tmp_path / "none"], ""),
    ]:
        code, result, _ = cli("encoder", "add", *arguments)
        assert code == 1 and message in result["error"]
    assert query("SELECT name FROM model_version WHERE kind = 'encoder' ORDER BY id") == [("tiny",), ("second",)]


def test_an_encoder_that_gives_no_numbers_is_not_added(cli, tiny_home, tiny_encoder, tmp_path):
    import torch

    from model.encoder import load, save

    encoder = load(tiny_encoder, device="cpu")
    with torch.no_grad():
        next(encoder.parameters()).fill_(float("nan"))
    save(encoder, tmp_path / "nan")
    code, result, _ = cli("encoder", "add", tmp_path / "nan")
    assert code == 1 and "not finite" in result["error"]


@pytest.fixture
def trained(monkeypatch):
    """What a train job would be given, in place of the training."""
    payloads: list[dict] = []
    monkeypatch.setattr("annotate.cli.models.run_job", lambda kind, payload: payloads.append(payload) or {})
    return payloads


def test_every_setting_of_a_training_is_an_option_and_the_rest_is_the_presets(cli, trained):
    version_without_weights("v1", own_query="its own")
    cli("train")
    cli("train", "--preset", "reference", "--parent", "v1")
    cli("train", "--parent", "v1")
    assert [payload["parent"] for payload in trained] == [None, "v1", "v1"]
    few = PRESETS["few labels"]  # what suits a database without any
    assert [TrainingSettings(**payload["settings"]) for payload in trained] == [
        few,
        PRESETS["reference"],
        replace(few, query="its own"),
    ]
    other = TrainingSettings(
        query="[QUERY]",
        token_start="random",
        pooling="max",
        max_tokens=64,
        loss="cosine similarity",
        margin=0.7,
        epochs=3,
        batch_size=16,
        learning_rate=3e-5,
        weight_decay=0.1,
        warmup_steps=7,
        dropout=False,
        negatives_per_key=9,
        evaluate_every=50,
        select_by="R-precision",
        seed=4,
    )
    given = []
    for name in TrainingSettings.__dataclass_fields__:
        value, option = getattr(other, name), f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            given.append(option if value else option.replace("--", "--no-"))
        else:
            given += [option, value]
    cli("train", *given)
    assert TrainingSettings(**trained[-1]["settings"]) == other


def test_queries_and_all_negatives_have_short_names(cli, trained):
    cli("train", "--max-tokens", "own")
    assert trained[-1]["settings"]["max_tokens"] is None
    for arguments, query_, negatives in [
        (("--query", "query 2"), "query 2", PRESETS["few labels"].negatives_per_key),
        (("--query", "a text"), "a text", PRESETS["few labels"].negatives_per_key),
        (("--preset", "reference", "--query", "article"), None, None),
        (("--negatives-per-key", "all"), PRESETS["few labels"].query, None),
    ]:
        cli("train", *arguments)
        settings = trained[-1]["settings"]
        assert (settings["query"], settings["negatives_per_key"]) == (query_, negatives), arguments


def test_an_experiment_prints_its_table_and_says_what_failed(cli, tiny_home, tmp_path, capsys):
    arguments = spec_and_corpus(tmp_path, "[{name: good}, {name: bad, encoder: nobody/none}]")
    code, result, _ = cli("experiment", *arguments, "--only", 1)
    assert (code, result["done_now"], result["left"], result["title"]) == (0, 1, 3, "Mine")
    code, result, _ = cli("experiment", *arguments)
    assert (code, result["done_now"], result["done_before"], len(result["failed"])) == (3, 1, 1, 2)
    assert [(row["row"], row["seeds"]) for row in result["rows"]] == [("good", 2)]
    assert "text" not in result
    assert main(["experiment", *map(str, arguments)]) == 3
    out = capsys.readouterr().out
    assert out.startswith("Mine\ntrain.jsonl + test.jsonl: articles: ") and "failed: bad, seed 1: " in out
    assert any(line.startswith("good      2  ") and " ± 0.000" in line for line in out.splitlines()), out
    assert main(["experiment", *map(str, arguments), "--list", "--seeds", "3"]) == 0
    out = capsys.readouterr().out
    assert "good | seed 1 | tiny | done\ngood | seed 2 | tiny | to do\n" in out
    code, result, _ = cli("experiment", *spec_and_corpus(tmp_path, "[{name: bad, encoder: nobody/none}]"))
    assert code == 1 and "every run failed; the first: " in result["error"]


def test_a_report_is_kept_and_written_as_a_file(cli, tiny_home, tmp_path):
    for number, pmid in enumerate(pmids("test", 2), 1):
        store(paper(pmid=pmid))
        judge("Anna", number, verdict(1))
    code, result, _ = cli("report", "--ranking", "cosine")
    assert (code, result["version"], result["split"], "file" in result) == (0, "tiny", "test", False)
    code, result, _ = cli("report", "tiny", "--ranking", "cosine", "--out", tmp_path / "report.html")
    assert (code, result["file"]) == (0, str(tmp_path / "report.html"))
    assert "tiny" in (tmp_path / "report.html").read_text()
    assert query("SELECT count(*) FROM report") == [(2,)]  # each time anew, and the file shows the second
    code, result, _ = cli("report", "--out", tmp_path / "none" / "report.html")
    assert code == 1 and "No such file or directory" in result["error"]


def test_a_command_that_needs_the_pages_says_so_where_it_was_given_none(home, capsys):
    assert without_pages.main(["check"]) == 1
    assert "this command needs the pages of the app" in capsys.readouterr().err


def test_status_is_readable_without_json(version, capsys):
    assert main(["status"]) == 0
    out = capsys.readouterr().out
    assert "proposing version: tiny\n" in out and "articles: 0\n" in out


def test_the_module_runs_as_a_program_and_keeps_stdout_clean(version, home, tmp_path):
    """In a process of its own, where warnings and progress bars of libraries would show."""
    text_file(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "annotate", "import", str(tmp_path / "a.txt"), "--json"],
        cwd=ROOT,
        env={**os.environ, "KEYLINE_HOME": str(home), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["counts"]["stored"] == 1
    assert "importing" in done.stderr and "Warning" not in done.stderr


def test_the_start_of_a_command_imports_nothing_large():
    large = {"bs4", "openpyxl", "pandas", "sklearn", "streamlit", "torch"}
    large |= {f"scipy.{part}" for part in ("linalg", "sparse", "special", "stats")}
    modules = ", ".join(("annotate.cli.frame.running", *modules_of(ALL.values())))
    assert ran(f"import {modules}, sys; print(*{large} & set(sys.modules))").stdout == "\n"


def test_help_imports_no_command_and_no_database():
    code = "import sys; from annotate.__main__ import main; main(['--help'])"
    command = [sys.executable, "-X", "importtime", "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "agreement" in done.stdout
    assert "annotate.cli.frame.words" in imported
    assert not imported & {"annotate.jobs", "annotate.project.home", "numpy", "pydantic", "sqlalchemy", "yaml"}


def test_a_reader_that_has_read_enough_ends_no_command_with_a_traceback(home):
    command = f"{sys.executable} -m annotate status | {sys.executable} -c 'import os; os.close(0)'"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_auto_retrain_says_that_one_runs_already_by_its_exit_code(cli, monkeypatch):
    monkeypatch.setattr("annotate.cli.models.decide", lambda _: Decision("5 new verdicts", {"parent": "v1"}))
    enqueue("train", {})
    monkeypatch.setattr("annotate.jobs.lifecycle.reap", lambda: None)
    code, result, _ = cli("auto-retrain")
    assert code == 4 and "a training is running already" in result["error"]
