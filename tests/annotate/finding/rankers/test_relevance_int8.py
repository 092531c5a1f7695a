"""A copy of REL in 8 bits is a version of its own, made where it ranks as the other, and ranks as well as it can."""

import sys
from pathlib import Path

import pytest

from annotate.finding.find import ranked
from annotate.finding.judged.files import read_documents, read_questions
from annotate.finding.memory import MemoryLibrary
from annotate.finding.rankers import relevance_int8, serving
from annotate.finding.rankers.judged_questions import asked_questions
from annotate.finding.rankers.relevance_int8 import TooFewQuestions
from annotate.finding.rankers.versions import files_of, use, version_named, versions
from annotate.jobs.job_files import left_over
from annotate.jobs.monitor import Cancelled, Monitor
from annotate.project.home import folder
from annotate.proposing.int8 import NotAlike
from annotate.work import run_job
from model.files import INT8_FILE
from model.finding.ranker_files import load_relevance
from model.finding.relevance import Int8Relevance
from tests.support.finding import ask
from tests.support.judged import options, write_collection

SMALL = {"max_tokens": 32, "batch_size": 8, "learning_rate": 1e-3, "warmup_steps": 1, "dropout": False}


@pytest.fixture
def files(tiny_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """A small collection, enough of one, and rel-1 of it."""
    monkeypatch.setattr(relevance_int8, "LEAST_QUESTIONS", 5)
    monkeypatch.setattr(relevance_int8, "FIRST", 5)
    found = write_collection(tmp_path / "collection")
    run_job("find-train", {"stage": "rel", "settings": SMALL, **{name: str(path) for name, path in found.items()}})
    return found


@pytest.fixture
def as_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without ONNX Runtime: the copy has a file where it would be, and is the model itself."""
    monkeypatch.setattr(relevance_int8, "write_relevance_int8", _written)
    monkeypatch.setattr(relevance_int8, "load_relevance_int8", _both_whole)


def _written(files: Path) -> None:
    (files / INT8_FILE).parent.mkdir()
    (files / INT8_FILE).write_bytes(b"numbers")


def _both_whole(files: Path) -> Int8Relevance:
    whole = load_relevance(files, "cpu")
    return Int8Relevance(whole, whole)


def payload(files: dict[str, Path], **values: str) -> dict[str, str]:
    return {"int8_of": "rel-1", "docs": str(files["docs"]), "queries": str(files["queries"]), **values}


def names() -> list[str]:
    return [each.name for each in versions()]


def test_a_copy_is_a_version_beside_the_other(files, as_made) -> None:
    result = run_job("find-train", payload(files))
    assert (result["version"], result["stage"]) == ("rel-1-int8", "rel")
    found = result["metrics"]["in_8_bits"]
    assert found["questions"] == 5 and found["times_as_fast"] > 0
    assert found["same_first_five"] == found["same_first_five_fused"] == pytest.approx(1)
    source, copy = version_named("rel-1"), version_named("rel-1-int8")
    assert (copy.parent_id, copy.settings, copy.trained_on) == (source.id, source.settings, source.trained_on)
    assert set(copy.manifest) == {*source.manifest, INT8_FILE} and (files_of(copy) / INT8_FILE).is_file()
    assert left_over() == []
    for wanted, name in (("there is a version rel-1-int8 already", "rel-1"), ("in 8 bits already", copy.name)):
        with pytest.raises(ValueError, match=wanted):
            run_job("find-train", payload(files, int8_of=name))


@pytest.mark.parametrize("shares", [(0.979, 1.0), (1.0, 0.979)])
def test_a_copy_that_ranks_otherwise_is_not_kept(files, as_made, monkeypatch, shares) -> None:
    left = list(shares)
    monkeypatch.setattr(relevance_int8, "same_first", lambda *_: left.pop(0))
    told = r"the same in {:.1%} of 5 questions, and with the other stages in {:.1%}; 98% are needed, so rel-1 goes on"
    with pytest.raises(NotAlike, match=told.format(*shares)):
        run_job("find-train", payload(files))
    assert names() == ["rel-1"] and [path.name for path in folder("models").glob("find-*")] == ["find-rel-1"]
    assert left_over() == []


def test_a_copy_that_is_cancelled_is_not_kept(files, as_made, monkeypatch) -> None:
    monkeypatch.setattr(Monitor, "cancelled", lambda self: self.progress.get("stage") == "comparing both")
    with pytest.raises(Cancelled):
        run_job("find-train", payload(files))
    assert names() == ["rel-1"]


def test_what_cannot_be_copied_or_compared_is_said(files, as_made, monkeypatch) -> None:
    with pytest.raises(ValueError, match="one of both is missing"):
        run_job("find-train", {"int8_of": "rel-1", "docs": str(files["docs"])})
    with pytest.raises(TooFewQuestions, match="0 questions with more than 10 candidates; 5 are needed at least"):
        run_job("find-train", {"int8_of": "rel-1"})
    monkeypatch.setattr(relevance_int8, "FIRST", 12)
    with pytest.raises(TooFewQuestions, match="0 questions with more than 24 candidates"):
        run_job("find-train", payload(files))
    given = {name: str(path) for name, path in files.items()}
    run_job("find-train", {"stage": "ext", "settings": SMALL, **given})
    with pytest.raises(ValueError, match="ext-1 is a version of ext; only one of rel can compute in 8 bits"):
        run_job("find-train", payload(files, int8_of="ext-1"))


@pytest.mark.postgresql
def test_the_projects_own_questions_are_those_asked_last_each_once(tiny_home) -> None:
    for text in ("first", "second", "first"):
        ask("Anna", text)
    ask("Ben", "second")
    ask("Anna", "third")
    assert [each.text for each in asked_questions(10)] == ["third", "second", "first"]
    assert [each.asked for each in asked_questions(1)] == ["TP53 third"]


def test_without_the_package_the_copy_reads_with_its_whole_weights_and_says_so(
    files, as_made, monkeypatch, logged
) -> None:
    run_job("find-train", payload(files))
    use("rel-1-int8", by="Anna")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    library = MemoryLibrary(read_documents(files["docs"]))
    question = read_questions(files["queries"])["kras"]
    order = ranked(question, library, ["words", "rel"])
    assert not order.left_out and len(order.ranks["rel"]) > 5
    assert "find-rel-1-int8: 8 bits need ONNX Runtime: pip install -r requirements-int8.txt" in logged.text
    use("rel-1", by="Anna")
    serving._loaded.forget()
    assert ranked(question, library, ["words", "rel"]).stage_scores["rel"] == order.stage_scores["rel"]


def test_a_training_goes_on_from_the_whole_weights_of_a_copy(files, as_made) -> None:
    run_job("find-train", payload(files))
    given = {"stage": "rel", "settings": SMALL, "parent": "rel-1-int8", **{n: str(p) for n, p in files.items()}}
    child = version_named(run_job("find-train", given)["version"])
    assert child.name == "rel-2" and INT8_FILE not in child.manifest


def test_the_command_makes_a_copy_that_serves_in_8_bits(files, capsys) -> None:
    pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed: requirements-int8.txt")
    pytest.importorskip("onnx", reason="onnx is not installed: requirements-int8.txt")
    from annotate.__main__ import main

    given = options({name: files[name] for name in ("docs", "queries")})
    assert main(["find", "int8", *given]) == 1
    assert "no model of rel is in use" in capsys.readouterr().err
    assert main(["find", "use", "rel-1"]) == main(["find", "int8", *given]) == 0
    assert "find use rel-1-int8" in capsys.readouterr().out
    assert main(["find", "models"]) == main(["find", "use", "rel-1-int8"]) == 0
    assert "in 8 bits the first five stay as they are in 100.0% of 5 questions" in capsys.readouterr().out
    library = MemoryLibrary(read_documents(files["docs"]))
    order = ranked(read_questions(files["queries"])["kras"], library, ["words", "rel"])
    assert not order.left_out and len(order.ranks["rel"]) > 5
    assert isinstance(serving._model(version_named("rel-1-int8")).model, Int8Relevance)
    weights = files_of(version_named("rel-1-int8")) / INT8_FILE
    weights.write_bytes(weights.read_bytes()[:-1] + b"\x07")
    serving._loaded.forget()
    order = ranked(read_questions(files["queries"])["kras"], library, ["words", "rel"])
    assert "rel-1-int8 cannot be used" in order.left_out["rel"] and "int8.onnx was changed" in order.left_out["rel"]
