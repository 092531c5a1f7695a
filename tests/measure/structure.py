"""Counts the structure of the rooms from their imports, late ones included:

    python -m tests.measure.structure [--root CHECKOUT]

For each room: what stands side by side in it, arrows between these, floors (the longest way from top to ground),
circles of modules and of packages, the largest package and the longest module. `--root` counts another checkout.
"""

import argparse
import ast
import sys
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tests.support.paths import ROOT

# parsing/ has one file for each format and each trap of the formats: they are many and all alike.
MANY_ON_PURPOSE = ("annotate/articles/parsing", "db/migrations/versions")
Pairs = set[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Structure:
    """One room in numbers; `largest_package` and `longest_module` name what they count."""

    room: str
    side_by_side: int
    arrows: int
    floors: int
    circles_of_modules: int
    circles_of_packages: int
    largest_package: tuple[int, str]
    longest_module: tuple[int, str]


def structure(root: Path, room: str) -> Structure:
    """The structure of a room, named by its path below the root, such as `annotate` or `pages/parts`."""
    files = sorted(path for path in (root / room).rglob("*.py") if "__pycache__" not in path.parts)
    paths = {module_of(root, path): path for path in files}
    modules = imports(paths)
    depth = len(Path(room).parts)
    children = {name: part for name in paths if (part := ".".join(name.split(".")[: depth + 1])) != _dotted(room)}
    arrows = {
        (children[one], children[other])
        for one, other in modules
        if one in children and other in children and children[one] != children[other]
    }
    sizes: dict[Path, int] = {}
    for path in files:
        if path.name != "__init__.py" and str(path.parent.relative_to(root)) not in MANY_ON_PURPOSE:
            sizes[path.parent] = sizes.get(path.parent, 0) + 1
    lengths = ((len(path.read_text().splitlines()), str(path.relative_to(root))) for path in files)
    return Structure(
        room,
        len(set(children.values())),
        len(arrows),
        floors(arrows),
        circles(modules),
        circles(arrows),
        max((count, str(folder.relative_to(root))) for folder, count in sizes.items()),
        max(lengths),
    )


def module_of(root: Path, path: Path) -> str:
    """The dotted name of a file."""
    return _dotted(str(path.relative_to(root).with_suffix(""))).removesuffix(".__init__")


def _dotted(path: str) -> str:
    return path.replace("/", ".")


def imports(paths: dict[str, Path]) -> Pairs:
    """(module, module it imports) among these modules; what is taken from a package's face is an arrow to the face."""
    found: Pairs = set()
    for name, path in paths.items():
        for node in ast.walk(ast.parse(path.read_text())):
            taken: Iterable[str] = ()
            if isinstance(node, ast.Import):
                taken = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                whole = [f"{node.module}.{alias.name}" for alias in node.names]
                taken = [one if one in paths else node.module for one in whole]
            found |= {(name, one) for one in taken if one in paths and one != name}
    return found


def circles(pairs: Pairs) -> int:
    """How many groups of two or more can each be reached from each other."""
    return int((np.bincount(_groups(pairs)[1]) > 1).sum()) if pairs else 0


def floors(pairs: Pairs) -> int:
    """Nodes on the longest way along the arrows, a circle counted once; 1 without any arrow."""
    names, groups = _groups(pairs)
    group = dict(zip(names, groups.tolist(), strict=True))
    below: dict[int, set[int]] = {}
    for one, other in pairs:
        if group[one] != group[other]:
            below.setdefault(group[one], set()).add(group[other])
    height: dict[int, int] = {}

    def of(node: int) -> int:
        if node not in height:
            height[node] = 1 + max((of(lower) for lower in below.get(node, ())), default=0)
        return height[node]

    return max((of(node) for node in set(group.values())), default=1)


def _groups(pairs: Pairs) -> tuple[list[str], np.ndarray]:
    names = sorted({name for pair in pairs for name in pair})
    place = {name: index for index, name in enumerate(names)}
    rows, columns = [place[one] for one, _ in pairs], [place[other] for _, other in pairs]
    graph = coo_array((np.ones(len(pairs)), (rows, columns)), shape=(len(names), len(names)))
    return names, connected_components(graph, directed=True, connection="strong")[1]


def main() -> None:
    """Runs from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout to count")
    root = parser.parse_args().root
    print(" | ".join(field.name.replace("_", " ") for field in fields(Structure)))
    for room in ("annotate", "pages/parts", "model", "db"):
        counted = astuple(structure(root, room))
        print(" | ".join(" ".join(map(str, cell)) if isinstance(cell, tuple) else str(cell) for cell in counted))


if __name__ == "__main__":
    sys.exit(main())
