"""A version beside its parent: what matters is told, what is chance is not, and nothing without tasks."""

import pytest

from annotate.encoders import losses
from annotate.encoders.losses import comparison_payload, losses_of, not_seen
from annotate.encoders.results import Result, store
from annotate.encoders.sources import files_sha256
from annotate.encoders.tasks.registry import CHEAP, TaskFolder
from annotate.project.home import read
from annotate.project.stored_settings import change_settings
from tests.support.encoder_tasks import task_folder
from tests.support.making import version_without_weights

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def versions():
    """A version and its child."""
    parent = version_without_weights("parent")
    return parent, version_without_weights("child", parent_id=parent.id)


def result(version, task, hits, of=100, **values):
    """A result with so many right of 100."""
    sums = {"accuracy": [[float(number < hits), 1.0] for number in range(of)]}
    given = {"sums": sums, "paired_sha256": "same", "classifier": "logistic", "words": False} | values
    store(
        Result(
            key=f"{version.name}-{task}-{given['classifier']}-{given['words']}", source=version.name,
            source_sha256=files_sha256(version.manifest), task=task, tested_on="test", trained_on=0, tested=of,
            full=True, floor={}, **given,
        )
    )  # fmt: skip


def found(version):
    with read() as session:
        return losses_of(session, version)


def test_a_loss_beyond_chance_matters_and_a_small_one_does_not(versions):
    parent, child = versions
    for task, before, after in (("rqe", 90, 70), ("functions", 60, 59), ("roles_pubmed", 50, 60)):
        result(parent, task, before)
        result(child, task, after)
    losses = found(child)
    assert [(loss.task, round(loss.change.value, 2), loss.matters) for loss in losses] == [
        ("rqe", -0.2, True),
        ("functions", -0.01, False),
        ("roles_pubmed", 0.1, False),
    ]


def test_a_loss_on_the_hallmarks_is_seen_and_what_was_not_measured_is_named(versions):
    parent, child = versions
    assert not_seen([]) == ["BIOSSES", "RQE", "Functions", "Roles, PubMed", "Hallmarks of cancer"]
    for version, right in ((parent, 90), (child, 70)):
        sums = {"micro_f1": [[float(n < right), 1.0, 1.0] for n in range(100)]}
        result(version, "hallmarks", 0, sums=sums)
    (loss,) = found(child)
    assert loss.task == "hallmarks" and loss.matters and loss.change.value == pytest.approx(-0.2)
    assert not_seen([loss]) == ["BIOSSES", "RQE", "Functions", "Roles, PubMed"]


def test_results_on_other_items_with_words_or_another_classifier_are_not_compared(versions):
    parent, child = versions
    result(parent, "rqe", 90)
    result(child, "rqe", 70, paired_sha256="others")
    result(parent, "functions", 90)
    result(child, "functions", 70, words=True)
    result(child, "functions", 70, classifier="network")
    assert found(child) == [] and found(parent) == []


def test_a_new_version_is_scored_beside_its_parent_where_tasks_are_installed(versions, tmp_path, monkeypatch):
    started = []
    monkeypatch.setattr(losses, "start_after_other_work", lambda kind, payload: started.append((kind, payload)))
    losses.start_comparison("child")
    assert started == []
    folder = task_folder(tmp_path / "tasks")
    change_settings("Anna", TaskFolder(str(folder)))
    losses.start_comparison("child")
    assert started == [("encoders", {"encoders": ["parent", "child"], "tasks": list(CHEAP)})]
    assert comparison_payload("parent") is None and comparison_payload("nobody") is None
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    assert comparison_payload("child") is None  # the folder is gone: a training goes on without
