"""A stage is trained by a command, kept as versions, chosen, and ranks; damage is said in words."""

import shutil
from pathlib import Path

import pytest

from annotate.finding.asking.answers import answered
from annotate.finding.asking.saved import Asked
from annotate.finding.find import ranked
from annotate.finding.judged.judged_files import read_documents, read_questions
from annotate.finding.library import MemoryLibrary
from annotate.finding.question import NotRanked, Question
from annotate.finding.rankers import serving, training
from annotate.finding.rankers.jobs import train_ranker
from annotate.finding.rankers.ranker_versions import AlreadyLearnt, refuse_learnt, use
from annotate.finding.stages import stages_in_use
from annotate.jobs.lifecycle import run_here
from annotate.jobs.monitor import Cancelled, Monitor
from annotate.operations.model_files import serving_notice, tick
from annotate.project.acting import OPERATOR, acting
from annotate.project.home import folder, read
from annotate.registry.kinds import FOR_FINDING, KINDS
from annotate.registry.versions import in_use, listed, verified_folder
from annotate.work import HANDLERS, run_job
from db.values import Kind
from tests.support.history_writes import told
from tests.support.judged import options, write_collection
from tests.support.making import put_into_use, query, version_of

QUICK = {"max_tokens": 32, "batch_size": 8, "epochs": 2, "learning_rate": 1e-3, "warmup_steps": 1, "dropout": False}


@pytest.fixture
def files(tiny_home: Path, tmp_path: Path) -> dict[str, Path]:
    return write_collection(tmp_path / "collection")


@pytest.fixture
def library(files: dict[str, Path]) -> MemoryLibrary:
    return MemoryLibrary(read_documents(files["docs"]))


def payload(files: dict[str, Path], **values: object) -> dict:
    return {"stage": "rel", "settings": QUICK, **{name: str(path) for name, path in files.items()}, **values}


def asked(files: dict[str, Path]):
    return read_questions(files["queries"])["kras"]


def test_rel_is_trained_measured_by_cross_validation_chosen_and_ranks(files, library) -> None:
    result = run_job("find-train", payload(files, folds=2))
    assert result["version"] == "rel-1"
    validated = result["metrics"]["cross_validated"]
    assert set(validated) == {"untrained", "rel", "fused"}
    assert 0 <= validated["rel"]["ndcg_at_10"] <= 1 and 0 <= result["metrics"]["p"] <= 1
    with pytest.raises(NotRanked, match="no model of rel is in use"):
        serving.rank_by_relevance(asked(files), library, ["kras-hela"])
    assert use("rel-1", by="Anna") == {"rel": "rel-1"}
    assert stages_in_use() == ["words", "vectors", "alike", "near", "titles", "rel"]
    order = ranked(asked(files), library, stages_in_use())
    assert set(order.ranks["rel"]) <= set(order.ranks["vectors"]) and not order.left_out
    (shown,) = listed(*FOR_FINDING)
    assert (shown.in_use, shown.version.trained_on["questions"]) == (True, 5)
    with pytest.raises(AlreadyLearnt, match="rel-1 has learnt from 5 of these 5 questions: train without folds"):
        run_job("find-train", payload(files, parent="rel-1", folds=2))
    child = run_job("find-train", payload(files, parent="rel-1"))
    assert (child["version"], listed(*FOR_FINDING)[1].parent) == ("rel-2", "rel-1")


@pytest.mark.parametrize("kind", [Kind.EXT, Kind.ABS, Kind.FUSION])
def test_a_version_of_an_earlier_release_is_kept_and_serves_nothing(files, library, kind: Kind) -> None:
    made = version_of(kind, f"{kind}-1")
    put_into_use(made)
    shutil.rmtree(verified_folder(made))
    with read() as session:
        assert tick() == [] and serving_notice(session) is None  # files that nothing needs may go
    assert told()[0].what == f"{kind}-1 {KINDS[kind].serves}: test"
    assert stages_in_use() == ["words", "vectors", "alike", "near", "titles"] and not listed(*FOR_FINDING)
    saved = Asked(asked(files), ("words", str(kind)))  # a search that was saved with a stage that is gone
    assert list(answered(saved, library).order.ranks) == ["words"]
    with pytest.raises(ValueError, match=f"no version '{kind}-1'"):
        use(f"{kind}-1", by="Anna")


def test_questions_that_a_stage_in_use_has_learnt_from_are_refused(files) -> None:
    questions = read_questions(files["queries"])
    run_job("find-train", payload(files))
    refuse_learnt(["words", "rel"], questions)  # it does not serve
    use("rel-1", by="Anna")
    told = "rel-1 has learnt from 5 of these 5 questions: ask others, or measure without it, by --stages words$"
    with pytest.raises(AlreadyLearnt, match=told):
        refuse_learnt(["words", "rel"], questions)
    refuse_learnt(["words"], questions)
    refuse_learnt(["words", "rel"], {"new": Question("a question of others")})
    run_job("find-train", payload(files, parent="rel-1"))
    use("rel-2", by="Anna")
    again = {"1": Question("HeLa " + questions["kras"].asked.replace("hela", "").upper())}
    with pytest.raises(AlreadyLearnt, match="rel-2 has learnt from 1 of these 1 questions"):
        refuse_learnt(["rel"], again)


def test_a_damaged_model_is_left_out_with_its_name_and_the_search_goes_on(files, library) -> None:
    run_job("find-train", payload(files))
    use("rel-1", by="Anna")
    weights = folder("models") / "find-rel-1" / "on_top.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\x07")
    order = ranked(asked(files), library, ["words", "rel"])
    assert "rel-1 cannot be used" in order.left_out["rel"] and "on_top.safetensors was changed" in order.left_out["rel"]
    assert order.keys[0] == "kras-hela"


def test_none_takes_the_stage_out_of_use_and_history_tells(files) -> None:
    run_job("find-train", payload(files))
    use("rel-1", by="Anna")
    assert use("none", by="Anna") == {"rel": None}
    assert not in_use(Kind.REL)
    assert query("SELECT version_id IS NULL, reason FROM promotion WHERE kind = 'rel' ORDER BY id") == [
        (False, "promoted"),
        (True, "taken out of use"),
    ]
    with pytest.raises(ValueError, match="no version 'rel-9'; there are rel-1"):
        use("rel-9", by="Anna")
    with pytest.raises(ValueError, match="rel-1 is a version of rel, not of related"):
        use("rel-1", "related", by="Anna")


def test_a_cancelled_training_leaves_nothing_and_begins_again(files, monkeypatch: pytest.MonkeyPatch) -> None:
    def cancelled(self: Monitor) -> bool:
        return self.progress.get("stage") == "training"

    with monkeypatch.context() as patched, acting(OPERATOR), pytest.raises(Cancelled):
        patched.setattr(Monitor, "cancelled", cancelled)
        run_here("find-train", payload(files), HANDLERS, lambda progress: None)
    assert listed(*FOR_FINDING) == [] and not list(folder("models").glob("find-*"))
    assert run_job("find-train", payload(files))["version"] == "rel-1"


def test_what_cannot_be_trained_is_said(files) -> None:
    monitor = Monitor(1)
    with pytest.raises(ValueError, match="no stage 'ext' of Find is trained; there is rel"):
        train_ranker({"stage": "ext"}, monitor)
    with pytest.raises(ValueError, match="qrels is missing"):
        train_ranker({"stage": "rel", "docs": str(files["docs"]), "queries": str(files["queries"])}, monitor)
    with pytest.raises(ValueError, match="no version 'rel-7'"):
        train_ranker(payload(files, parent="rel-7"), monitor)


def test_commands_train_list_and_choose(files, capsys) -> None:
    from annotate.__main__ import main

    assert main(["find", "train", "rel", *options(files), "--max-tokens", "32", "--use"]) == 0
    assert main(["find", "models"]) == 0
    assert "rel-1      in use" in capsys.readouterr().out
    assert main(["find", "use", "none"]) == 0
    assert not listed(*FOR_FINDING)[0].in_use


def test_an_article_that_is_gone_since_it_was_ranked_is_passed_over(files, library, monkeypatch) -> None:
    whole = library.documents
    monkeypatch.setattr(
        MemoryLibrary, "documents", lambda self, keys: whole([key for key in keys if key != "kras-hela"])
    )
    measured = []
    monkeypatch.setattr(training, "cross_validated", lambda judged, found, scores: measured.append(scores) or {})
    run_job("find-train", payload(files, folds=2))
    assert set(measured[0]) == {"tp53", "kras", "egfr", "brca1", "myc"}
    assert all("kras-hela" not in own for own in measured[0].values())
