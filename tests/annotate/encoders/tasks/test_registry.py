"""The tasks: each line declares what it must, files are read with their splits, and a bad one is named by its line."""

from pathlib import Path

import pytest

from annotate.encoders.tasks import json_files
from annotate.encoders.tasks.registry import CHEAP, TASKS, find_task, installed, place_of
from annotate.encoders.tasks.suites import suite_score, suite_task
from annotate.encoders.tasks.task import TEST, TRAIN, Item, Items, Kind, NotInstalled, Place
from annotate.project.files.packed_lines import UnreadableFile
from model.evaluation.sums import MEASURES
from tests.support.encoder_tasks import abstracts, task_folder, write_rows

SHARED = Path(__file__).parents[5] / "shared" / "data"
here = pytest.mark.skipif(not (SHARED / "medsenteval").is_dir(), reason="the shared data are not beside this checkout")


@pytest.mark.parametrize("task", TASKS.values(), ids=lambda task: task.name)
def test_every_task_declares_what_it_is(task):
    assert task.title and task.source and task.licence
    assert set(task.measures) <= set(MEASURES)
    assert task.kind is Kind.RANKING or task.files
    assert task.most is None or min(task.most) > 0


def test_the_cheap_ones_are_those_that_the_method_names_and_the_one_where_a_training_lost():
    assert CHEAP == ("biosses", "rqe", "functions", "roles_pubmed", "hallmarks")


def test_what_is_missing_is_named(home, tmp_path):
    reasons = installed(place_of([str(task_folder(tmp_path / "tasks"))]))
    assert not any(reasons[name] for name in CHEAP)
    assert reasons["mednli"] == "not installed: mli_train_v1, mli_test_v1"
    assert reasons["piboso"] == "not installed: piboso_train, piboso_test or piboso_validation"
    assert reasons["key_sentences"] == "no article of the test split has a key sentence yet"
    with pytest.raises(ValueError, match="is no folder"):
        place_of([str(tmp_path / "nowhere")])
    with pytest.raises(ValueError, match="no task 'colour'; there are biosses, rqe"):
        find_task("colour")


def test_files_are_found_in_folders_within_and_beside(tmp_path):
    (tmp_path / "rhetoric").mkdir()
    write_rows(tmp_path / "rhetoric" / "a.jsonl", [])
    inner = tmp_path / "data" / "inner"
    inner.mkdir(parents=True)
    write_rows(inner / "b.jsonl.gz", [])
    place = Place((tmp_path / "data",))
    assert json_files.find(place, "a") == tmp_path / "rhetoric" / "a.jsonl"
    assert json_files.find(place, "b") == inner / "b.jsonl.gz"
    with pytest.raises(NotInstalled, match=r"c\.jsonl\.gz is not there"):
        json_files.needed(place, "c")
    with pytest.raises(NotInstalled, match="no folder of tasks was named"):
        json_files.needed(Place(), "c")


def test_roles_are_tested_on_the_test_part_where_it_is_there(tmp_path):
    place = Place((task_folder(tmp_path),))
    load = TASKS["roles_pubmed"].load
    assert load(place).tested_on == "validation"
    write_rows(tmp_path / "roles_pubmed_test.jsonl", abstracts(50, 3))
    found = load(place)
    assert (found.tested_on, len(found.of(TRAIN)), len(found.of(TEST))) == ("test", 24, 6)
    assert {item.unit for item in found.of(TEST)} == {"50", "51", "52"}


def test_a_citation_is_found_in_its_sentence_and_names_other_items(tmp_path):
    row = {"sentence": "Shown [1] and not [2].", "sentiment": "negative", "article": "A", "split": "test"}
    for name, more in (("with", {"citation": "[2]"}), ("other", {"citation": "[9]"}), ("without", {})):
        (tmp_path / name).mkdir()
        write_rows(tmp_path / name / "citation_sentiment.jsonl", [row | more])
    found = {name: json_files.citation_folds(Place((tmp_path / name,))) for name in ("with", "other", "without")}
    assert [each.items[0].about for each in found.values()] == [(18, 21), None, None]
    assert found["with"].sha256 != found["without"].sha256 == found["other"].sha256
    assert found["with"].paired_sha256 == found["without"].paired_sha256


def test_a_sample_is_of_whole_articles_and_the_same_each_time():
    items = Items([Item((str(n),), "x", str(n // 4), TRAIN if n < 40 else TEST) for n in range(60)])
    few = items.at_most((10, 8))
    assert few.sha256 == items.at_most((10, 8)).sha256 != items.sha256
    assert (len(few.of(TRAIN)), len(few.of(TEST))) == (8, 8)
    units = [item.unit for item in few.items]
    assert all(units.count(unit) == 4 for unit in units)
    assert items.at_most(None) is items


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"sentence1": "a", "score": 1}', "biosses.jsonl, line 1: has no sentence2"),
        ('{"sentence1": "a", "sentence2": "b", "score": "much"}', "biosses.jsonl, line 1: score is no number"),
        ('{"sentence1": "a", "sentence2": 3, "score": 1}', "biosses.jsonl, line 1: sentence2 is no text"),
        ("[]", "biosses.jsonl, line 1: not a JSON object"),
        ("{", "biosses.jsonl, line 1: Expecting"),
        ("", "biosses.jsonl: holds no item"),
    ],
)
def test_a_bad_file_is_named_with_its_line(tmp_path, text, words):
    (tmp_path / "biosses.jsonl").write_text(text)
    with pytest.raises(UnreadableFile, match=words):
        json_files.biosses(Place((tmp_path,)))


def test_a_damaged_archive_is_named(tmp_path):
    (tmp_path / "biosses.jsonl.gz").write_bytes(b"\x1f\x8b\x08\x00nothing")
    with pytest.raises(UnreadableFile, match=r"biosses\.jsonl\.gz cannot be read to its end"):
        json_files.biosses(Place((tmp_path,)))


def test_tasks_of_mteb_say_that_it_is_not_installed(monkeypatch):
    monkeypatch.setattr("annotate.encoders.tasks.suites.find_spec", lambda name: None)
    assert suite_task("mteb:BIOSSES").kind is Kind.SUITE
    with pytest.raises(NotInstalled, match="pip install mteb"):
        suite_score("mteb:BIOSSES", None)


@here
@pytest.mark.parametrize(
    ("name", "train", "test"),
    [
        ("biosses", 0, 100), ("rqe", 8588, 302), ("citation_sentiment", 3304, 878), ("citation_folds", 0, 4182),
        ("pubmedqa", 500, 500), ("functions", 0, 244), ("piboso", 6979, 801), ("roles_trials", 23723, 3069),
    ],
)  # fmt: skip
def test_the_shared_files_hold_what_their_readme_says(name, train, test):
    found = TASKS[name].load(Place((SHARED / "medsenteval",)))
    assert (len(found.of(TRAIN)), len(found.of(TEST))) == (train, test)
    assert name == "rqe" or not {item.unit for item in found.of(TRAIN)} & {item.unit for item in found.of(TEST)}
