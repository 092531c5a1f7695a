"""Tasks of the package mteb, where it is installed: it loads its own data and scores by its own rules. Imports torch
when a task is run."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from annotate.encoders.tasks.task import Items, Kind, NotInstalled, Task

MTEB = "mteb:"
WHAT_TO_DO = "the package mteb is not installed: pip install mteb"


def suites_installed() -> bool:
    """Whether the package is here."""
    return find_spec("mteb") is not None


def suite_task(name: str) -> Task:
    """The task `mteb:NAME`."""
    return Task(name, name, Kind.SUITE, lambda place: Items([]), ("main_score",), (), "mteb", "as mteb says")


def suite_score(name: str, encoder: Any) -> float:
    """The main score of mteb for an encoder on one of its tasks. Raises NotInstalled, ValueError for another name."""
    if not suites_installed():
        raise NotInstalled(WHAT_TO_DO)
    mteb: Any = import_module("mteb")  # not among what Keyline needs
    wanted = name.removeprefix(MTEB)
    try:
        tasks = mteb.get_tasks(tasks=[wanted])
    except KeyError as error:
        raise ValueError(f"mteb has no task {wanted!r}") from error
    found = mteb.evaluate(encoder, tasks, cache=None)
    return float(found.task_results[0].get_score())
