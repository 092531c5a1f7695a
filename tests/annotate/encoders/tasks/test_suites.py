"""Tasks of the package mteb: through a stand-in, and through the package itself where it is installed."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from annotate.encoders.tasks import suites
from annotate.encoders.tasks.suites import suite_score
from annotate.proposing.encoders import load_source

ROWS = {
    "sentence1": ["Sleep was short.", "Maize was grown.", "The cells died."],
    "sentence2": ["Sleep was short.", "Malaria was treated.", "The cells were dead."],
    "score": [4.0, 0.0, 3.0],
}


class StandIn:
    """What Keyline calls of mteb; each call is noted."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def get_tasks(self, tasks: list[str]) -> list[str]:
        if tasks != ["BIOSSES"]:
            raise KeyError(tasks[0])
        return tasks

    def evaluate(self, encoder: Any, tasks: list[str], cache: None) -> Any:
        self.asked.append((encoder, tasks, cache))
        return SimpleNamespace(task_results=[SimpleNamespace(get_score=lambda: 0.5)])


def test_the_task_is_run_by_its_name_and_nothing_is_kept_elsewhere(monkeypatch):
    stand_in = StandIn()
    monkeypatch.setattr(suites, "find_spec", lambda name: name)
    monkeypatch.setattr(suites, "import_module", lambda name: stand_in)
    assert suite_score("mteb:BIOSSES", "encoder") == 0.5
    assert stand_in.asked == [("encoder", ["BIOSSES"], None)]
    with pytest.raises(ValueError, match="mteb has no task 'Colours'"):
        suite_score("mteb:Colours", "encoder")


def test_the_package_itself_scores_an_encoder_on_texts_that_are_here(home, tiny_encoder: Path, monkeypatch):
    mteb = pytest.importorskip("mteb", reason="mteb is not installed: pip install mteb")
    datasets = pytest.importorskip("datasets")
    task = mteb.get_tasks(tasks=["BIOSSES"])[0]
    task.dataset = datasets.DatasetDict({"test": datasets.Dataset.from_dict(ROWS)})
    task.data_loaded = True  # else mteb would fetch it
    monkeypatch.setattr(mteb, "get_tasks", lambda tasks: [task])
    assert -1 <= suite_score("mteb:BIOSSES", load_source(str(tiny_encoder))) <= 1
