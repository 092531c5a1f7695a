"""Files of several projects, for tests."""

from pathlib import Path
from typing import Any

import yaml

from annotate.projects.project_file import Project, read_projects

CRISPR = {"name": "CRISPR screens", "folder": "crispr", "port": 8601, "login": "local"}
TRIALS = {"name": "Trials of the heart", "folder": "trials", "port": 8602, "login": "local"}


def written(folder: Path, **changes: dict[str, Any] | None) -> Path:
    """A file with the projects crispr and trials, changed so; None leaves one out, another name adds one."""
    projects = {"crispr": CRISPR, "trials": TRIALS}
    made = {key: projects.get(key, {}) | (changes.get(key) or {}) for key in {**projects, **changes}}
    made = {key: entry for key, entry in made.items() if changes.get(key, entry) is not None}
    path = folder / "projects.yaml"
    path.write_text(yaml.safe_dump({"projects": made}, sort_keys=False))
    return path


def projects(folder: Path, **changes: dict[str, Any] | None) -> list[Project]:
    """The projects of such a file."""
    return read_projects(written(folder, **changes))
