"""The documentation is true as far as a program can see: what it names is there, and each file has its place."""

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tests.support.paths import ROOT

DOCS = ROOT / "docs"
PAPERS = sorted(
    path.relative_to(ROOT) for path in (*ROOT.glob("*.md"), *DOCS.rglob("*.md")) if path.name != "CHANGELOG.md"
)
# What stands in backticks, and not in a block of code.
QUOTED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
A_PATH = re.compile(r"(?:(?:annotate|db|model|pages|tests|docs|\.ci)/[\w./-]*\w/?|app\.py|pyproject\.toml|Makefile)")
A_NAME = re.compile(r"(?:annotate|db|model|pages|tests)(?:\.\w+)+")
A_PROGRAM = re.compile(r"python -m ((?:annotate|pages|tests)(?:\.\w+)*)(?: ([a-z][\w-]*))?")
A_TARGET = re.compile(r"\bmake ([a-z][a-z-]*)")
A_LINK = re.compile(r"\]\(([^)#\s]+)(?:#([\w-]+))?\)")
WALK = re.compile(r"((?:`\w+`(?:, | and | or )?)+) in\s+(`[\w./]+\.(?:py|js)`)")


@cache
def text(path: Path) -> str:
    return (ROOT / path).read_text()


def quoted(path: Path) -> list[str]:
    return QUOTED.findall(re.sub(r"^```.*?^```", "", text(path), flags=re.MULTILINE | re.DOTALL))


def module_of(name: str) -> tuple[Path, str]:
    """(the file of a dotted name, what is left of it)."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        base = ROOT.joinpath(*parts[:end])
        if base.with_suffix(".py").exists():
            return base.with_suffix(".py"), ".".join(parts[end:])
        if (base / "__init__.py").exists():
            return base / "__init__.py", ".".join(parts[end:])
    raise AssertionError(f"no module {name}")


@pytest.mark.parametrize("paper", PAPERS, ids=str)
def test_every_path_that_is_named_exists(paper: Path) -> None:
    found = {words.partition("::")[0].partition(" ")[0] for words in quoted(paper)}
    gone = {name for name in found if A_PATH.fullmatch(name) and not (ROOT / name).exists()}
    assert not gone


@pytest.mark.parametrize("paper", PAPERS, ids=str)
def test_every_module_and_function_that_is_named_exists(paper: Path) -> None:
    for words in quoted(paper):
        if A_NAME.fullmatch(words.partition("(")[0]):
            file, left = module_of(words.partition("(")[0])
            first = left.partition(".")[0]
            assert not first or re.search(rf"\b(?:def|class) {first}\b|^{first}\b", text(file), re.MULTILINE), words


@pytest.mark.parametrize("paper", PAPERS, ids=str)
def test_every_program_command_and_target_that_is_named_exists(paper: Path) -> None:
    commands = "\n".join(text(path) for path in (ROOT / "annotate" / "cli").rglob("*.py"))
    for module, command in A_PROGRAM.findall(text(paper)):
        assert module_of(module)[1] in ("", "NAME"), module  # NAME stands for any of them
        if module == "annotate" and command:
            assert re.search(rf'(?:add|group)\(\s*"{command}"', commands), command
    targets = set(re.findall(r"^([a-z-]+):", text(ROOT / "Makefile"), re.MULTILINE))
    named = {target for words in quoted(paper) for target in A_TARGET.findall(words)}
    assert named <= targets


@pytest.mark.parametrize("paper", [*PAPERS, Path("CHANGELOG.md")], ids=str)
def test_every_link_leads_to_a_file_and_to_a_heading_of_it(paper: Path) -> None:
    for link, heading in A_LINK.findall(text(paper)):
        if link.startswith(("http://", "https://")):
            continue
        target = (ROOT / paper).parent / link
        assert target.exists(), link
        headings = re.findall(r"^#+ (.+)$", target.read_text(), re.MULTILINE) if heading else []
        assert not heading or heading in {re.sub(r"[^\w -]", "", one).lower().replace(" ", "-") for one in headings}


def test_the_readme_is_read_in_four_minutes() -> None:
    assert len(text(Path("README.md")).split()) <= 900


PICTURES = {"tour.gif", "growth.svg"}  # shown where they belong


def test_every_file_of_the_documentation_is_in_the_index_by_reader() -> None:
    linked = {link for link, _ in A_LINK.findall(text(Path("docs/README.md")))}
    files = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    making = {file for file in files if file.startswith("site/")}  # what `make docs` needs
    kept = {file for file in files if file.startswith("measurements/") and file.endswith(".json")}  # have pages
    assert files - making - kept - {"README.md"} - PICTURES <= linked
    for reader in ("Expert", "Curator", "Maintainer", "Operator", "Developer"):
        assert f"\n## {reader}" in text(Path("docs/README.md"))


ARCHITECTURE = Path("docs/architecture.md")
STARTS = ("__main__", "installed")  # modules that put the commands together, above all packages


def test_each_step_of_the_walks_names_a_function_of_its_file() -> None:
    steps = WALK.findall(text(Path("docs/walks.md")))
    assert len(steps) > 30
    for names, file in steps:
        for name in QUOTED.findall(names):
            assert re.search(rf"\b{name}\(", text(ROOT / file.strip("`"))), (name, file)


def test_the_picture_names_every_package_of_annotate() -> None:
    picture = text(ARCHITECTURE).partition("```mermaid")[2].partition("```")[0]
    packages = {path.parent.name for path in (ROOT / "annotate").glob("*/__init__.py")}
    assert not {name for name in packages if not re.search(rf"\b{name}\b", picture)}


@pytest.mark.parametrize("room", ["annotate", "model", "db"])
def test_the_order_of_the_packages_is_that_of_the_contract(room: str) -> None:
    contracts = tomllib.loads(text(ROOT / "pyproject.toml"))["tool"]["importlinter"]["contracts"]
    (layers,) = [contract["layers"] for contract in contracts if contract.get("containers") == [room]]
    order = [[name for name in layer.split(" | ") if name not in STARTS] for layer in layers]
    said = re.search(rf"^\| `{room}/` \| (.+) \|$", text(ARCHITECTURE), re.MULTILINE)
    assert said
    assert [line.split(", ") for line in said[1].split("; ")] == [layer for layer in order if layer]


def test_the_registries_of_the_table_are_there() -> None:
    table = text(Path("docs/where_to_add.md"))
    rows = [row.split(" | ") for row in table.splitlines() if row.startswith("| a ")]
    assert len(rows) > 10
    for _, function, line, test in rows:
        files = [ROOT / name for name in QUOTED.findall(f"{function} {line}") if name.endswith(".py")]
        for name in QUOTED.findall(line):
            if re.fullmatch(r"[A-Z]\w+", name):
                assert any(re.search(rf"^(?:class )?{name}\b", text(file), re.MULTILINE) for file in files), name
        for name in QUOTED.findall(test):
            assert name.startswith("make ") or (ROOT / name).exists(), name
