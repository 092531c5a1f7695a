"""The rules of the house, read off the source: who imports whom, how long a file may be, what is documented."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("pages", "annotate", "model", "db")
MAY_IMPORT = {
    "app": {"pages"},
    "pages": {"pages", "annotate", "model", "db"},
    "annotate": {"annotate", "model", "db"},
    "model": {"model"},
    "db": {"db"},
}
# What pages may take from the model room: names and settings, nothing that computes an embedding.
LIGHT_MODEL = {
    "model.acquisition",
    "model.agreement",
    "model.anchoring",
    "model.files",
    "model.intervals",
    "model.labelled",
    "model.metrics",
    "model.query",
    "model.ranking",
    "model.settings",
    "model.terms",
}
HEAVY_MODEL = {
    "model.checkpoints",
    "model.encoder",
    "model.losses",
    "model.prepare",
    "model.quick",
    "model.training",
    "model.validation",
}
TORCH = {"torch", "transformers", "sentence_transformers"}
PRODUCT = sorted(
    path.relative_to(ROOT) for path in (ROOT / "app.py", *(p for r in ROOMS for p in (ROOT / r).rglob("*.py")))
)
TESTS = sorted(path.relative_to(ROOT) for path in (ROOT / "tests").glob("*.py"))


def room(path: Path) -> str:
    return path.parts[0].removesuffix(".py")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text())


def imported(path: Path, *, late: bool) -> Iterator[str]:
    """Dotted names of the imported modules and of what is taken from them; `late` includes those in functions."""
    nodes = ast.walk(tree(path)) if late else iter(tree(path).body)
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.If | ast.Try) and not late:
            yield from (
                f"{inner.module}.{alias.name}" if isinstance(inner, ast.ImportFrom) else alias.name
                for inner in ast.walk(node)
                if isinstance(inner, ast.Import | ast.ImportFrom)
                for alias in inner.names
            )


def tops(path: Path, *, late: bool) -> set[str]:
    return {name.partition(".")[0] for name in imported(path, late=late)}


@pytest.mark.parametrize("path", PRODUCT, ids=str)
def test_imports_follow_the_direction_of_the_rooms(path):
    rooms = {name for name in tops(path, late=True) if name in MAY_IMPORT}
    assert rooms <= MAY_IMPORT[room(path)]


@pytest.mark.parametrize("path", [p for p in PRODUCT if room(p) == "pages"], ids=str)
def test_pages_take_only_light_parts_of_the_model_room(path):
    taken = {".".join(name.split(".")[:2]) for name in imported(path, late=True) if name.startswith("model.")}
    assert taken <= LIGHT_MODEL


@pytest.mark.parametrize("path", PRODUCT, ids=str)
def test_torch_is_imported_by_the_model_room_and_by_modules_that_say_so(path):
    names = set(imported(path, late=False))
    heavy = tops(path, late=False) & TORCH or {n for n in names if any(n.startswith(h) for h in HEAVY_MODEL)}
    says_so = "Imports torch" in (ast.get_docstring(tree(path)) or "")
    if room(path) == "model":
        return
    assert bool(heavy) <= (room(path) == "annotate" and says_so), f"{path} imports {heavy}"
    if room(path) != "annotate":
        assert not tops(path, late=True) & TORCH


@pytest.mark.parametrize("path", PRODUCT, ids=str)
def test_streamlit_and_plotly_stay_in_the_pages(path):
    if room(path) not in ("pages", "app"):
        assert not tops(path, late=True) & {"streamlit", "plotly", "starlette"}


@pytest.mark.parametrize("path", PRODUCT, ids=str)
def test_sql_is_written_in_the_db_room_alone(path):
    if room(path) != "db":
        names = {name for name in imported(path, late=True) if name.startswith(("sqlalchemy", "sqlite3", "pysqlite3"))}
        assert names <= {"sqlalchemy.orm.Session"}
        calls = {node.func.attr for node in ast.walk(tree(path)) if _is_call_on(node, "session")}
        assert calls <= {"begin_nested"}, f"{path} calls session.{calls}"


def _is_call_on(node: ast.AST, name: str) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == name
    )


@pytest.mark.parametrize("path", [p for p in PRODUCT if room(p) == "db"], ids=str)
def test_no_query_commits_the_transaction_of_its_caller(path):
    commits = [n for n in ast.walk(tree(path)) if isinstance(n, ast.Call) and getattr(n.func, "attr", "") == "commit"]
    assert not commits


@pytest.mark.parametrize("path", [*PRODUCT, *TESTS], ids=str)
def test_no_file_is_longer_than_400_lines(path):
    assert len((ROOT / path).read_text().splitlines()) <= 400


@pytest.mark.parametrize("path", PRODUCT, ids=str)
def test_everything_public_has_a_docstring(path):
    module = tree(path)
    empty = not module.body
    assert empty or ast.get_docstring(module), f"{path} itself"
    bare = [node.name for node in _public(module) if not ast.get_docstring(node)]
    assert not bare, f"{path}: {bare}"


def _public(parent: ast.Module | ast.ClassDef) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    for node in parent.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from _public(node)


@pytest.mark.parametrize("path", PRODUCT, ids=str)
def test_every_function_says_its_types(path):
    bare = []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            bare += [f"{node.name}({a.arg})" for a in arguments if not a.annotation and a.arg not in ("self", "cls")]
            bare += [node.name] if node.returns is None and node.name != "__init__" else []
    assert not bare, f"{path}: {bare}"


@pytest.mark.parametrize("path", PRODUCT, ids=str)
def test_every_private_function_is_used_where_it_stands(path):
    nodes = list(ast.walk(tree(path)))
    private = {n.name for n in tree(path).body if isinstance(n, ast.FunctionDef | ast.ClassDef) and n.name[0] == "_"}
    used = {n.id for n in nodes if isinstance(n, ast.Name)} | {n.attr for n in nodes if isinstance(n, ast.Attribute)}
    used |= {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}  # quoted types
    assert private <= used, f"{path}: {private - used}"


def test_the_only_broad_except_is_that_of_the_job_runner():
    broad = [
        str(path)
        for path in PRODUCT
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or getattr(node.type, "id", "") in ("Exception", "BaseException"))
    ]
    assert broad == [str(Path("annotate/jobs.py"))]


def test_the_pages_leave_torch_alone(tmp_path):
    """Imports app.py and runs every page alone on an empty database, in one fresh interpreter."""
    code = """
import sys
from pathlib import Path
import app
from streamlit.testing.v1 import AppTest
for path in sorted(Path("pages").glob("*.py")):
    run = AppTest.from_file(str(path), default_timeout=60).run()
    assert not run.exception, (path, run.exception)
    assert not {"torch", "transformers", "sentence_transformers"} & set(sys.modules), path
    print(path.name)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "KEYLINE_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.split() == sorted(path.name for path in (ROOT / "pages").glob("*.py")), done.stderr[-2000:]
