"""What belongs to each optional part: the files that may be deleted once its line is gone, and who would miss them."""

import ast
from functools import cache
from pathlib import Path

from annotate.capabilities.chosen import NAMES, capabilities
from annotate.cli.frame.words import ALL, modules_of
from pages.parts.frame.shown import shown_parts
from tests.support.paths import ROOT

ROOMS = ("annotate", "model", "pages", "db")
# What a part has in a folder that it shares.
MORE = {
    "finding": ("annotate/search",),
    "roles": ("model/training/roles",),
    "related": ("model/training/related",),
}


def without(name: str) -> tuple[str, ...]:
    """The parts that are gone without this one: itself, and those that need it."""
    gone = {name}
    for other, capability in zip(NAMES, capabilities(), strict=True):
        gone |= {other} if gone.intersection(capability.needs) else set()
    return tuple(other for other in NAMES if other in gone)


def files_of(name: str) -> set[Path]:
    """The Python files of a part, from the root of the repository."""
    place = NAMES.index(name)
    folders = (f"annotate/{name}", f"model/{name}", f"pages/parts/{name}", *MORE.get(name, ()))
    files = {path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob("*.py")}
    files |= {Path("pages", f"{page}.py") for page in shown_parts()[place].entries}
    commands = modules_of(word for word in ALL.values() if word.part == name)
    files |= {Path(*module.split(".")).with_suffix(".py") for module in commands}
    return files | {Path("annotate/capabilities", f"{name}.py")}


def arrows_into(name: str) -> list[str]:
    """Each import of a module of this part, by a module that is left once the part is gone: "module -> module"."""
    gone = {path for other in without(name) for path in files_of(other)}
    lost = {_module(path) for path in gone}
    left = [path for path in _product() if path not in gone]
    return [f"{_module(path)} -> {taken}" for path in left for taken in sorted(_imports(path) & lost)]


@cache
def _product() -> tuple[Path, ...]:
    found = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    return tuple(sorted(path.relative_to(ROOT) for path in (ROOT / "app.py", *found)))


def _module(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def _imports(path: Path) -> frozenset[str]:
    """All modules that a file imports, late ones too; what is taken from a module may be a module."""
    found: set[str] = set()
    for node in ast.walk(ast.parse((ROOT / path).read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(found)
