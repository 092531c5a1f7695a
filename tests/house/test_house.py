"""The rules of the house, read off the source: who imports whom, how long a file may be, what is documented."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from annotate.capabilities.chosen import NAMES
from tests.measure.structure import structure
from tests.support.each import each
from tests.support.paths import ROOT

ROOMS = ("pages", "annotate", "model", "db")
MAY_IMPORT = {
    "app": {"pages"},
    "pages": {"pages", "annotate", "model", "db"},
    "annotate": {"annotate", "model", "db"},
    "model": {"model"},
    "db": {"db"},
}
# The two that put the product together: the app, and the command line, two of whose commands need the pages.
COMMAND_LINE = Path("annotate/__main__.py")
MAY_IMPORT_ALONE = {COMMAND_LINE: {"annotate", "pages"}}
# Participles that stood for messages, rows, manifests, hashes and labels alike.
SAYS_NOTHING = {"told", "said", "heard"}
# What pages may take from the model room: names and settings, nothing that computes an embedding.
LIGHT_MODEL = {
    "model.active_learning.acquisition",
    "model.agreement",
    "model.checked_settings",
    "model.review.anchoring",
    "model.files",
    "model.evaluation.intervals",
    "model.roles.role_model",
    "model.labelled",
    "model.evaluation.metrics",
    "model.proposing.bounded",
    "model.proposing.query",
    "model.proposing.ranking",
    "model.proposing.rules",
    "model.training.settings",
    "model.proposing.terms",
}
HEAVY_MODEL = {
    "model.training.checkpoints",
    "model.encoder",
    "model.training.library_internals",
    "model.training.clock",
    "model.training.losses",
    "model.training.steps",
    "model.training.prepare",
    "model.training.quick",
    "model.training.fine_tuning",
    "model.training.training_state",
    "model.training.validation",
}
STARTS_PAGES = re.compile(r"\b(pages|app)[./](parts|py)\b|\bimport pages\b|\bfrom pages\b|^pages$")
TORCH = {"torch", "transformers", "sentence_transformers"}
PRODUCT = sorted(
    path.relative_to(ROOT) for path in (ROOT / "app.py", *(p for r in ROOMS for p in (ROOT / r).rglob("*.py")))
)
PACKAGES = sorted({path.parent for path in PRODUCT if path.parts[0] != "pages" or len(path.parts) > 2} - {Path()})
TESTS = sorted(path.relative_to(ROOT) for path in (ROOT / "tests").rglob("*.py"))
# From the top down; those that stand in one line know nothing of each other. The other rooms' order is a contract in
# pyproject.toml, for which pages/, without an __init__.py, is no package.
PARTS_ORDER = (
    set(NAMES),
    {
        "start",
        "articles",
        "review",
        "gold",
        "retraining",
        "evaluation",
        "team",
        "operations",
        "server",
    },
    {"shared"},
    {"frame"},
)
# Statements of the schema as it was, each revision in one file.
DATA = Path("db/migrations/versions")
SCRIPTS_AND_STYLES = sorted(
    path.relative_to(ROOT) for kind in ("*.js", "*.css") for path in (ROOT / "pages").rglob(kind)
)


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


def module_of(name: str) -> str:
    """The module that an imported name is, or is taken from."""
    parts = name.split(".")
    found = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
    return next(one for one in found if (ROOT / f"{one.replace('.', '/')}.py").exists() or one == parts[0])


def tops(path: Path, *, late: bool) -> set[str]:
    return {name.partition(".")[0] for name in imported(path, late=late)}


@each(PRODUCT)
def test_imports_follow_the_direction_of_the_rooms(path):
    rooms = {name for name in tops(path, late=True) if name in MAY_IMPORT}
    assert rooms <= MAY_IMPORT_ALONE.get(path, MAY_IMPORT[room(path)])


def test_the_command_line_imports_the_pages_for_the_commands_that_need_them_alone():
    assert "pages" not in tops(COMMAND_LINE, late=False)
    assert "pages" in tops(COMMAND_LINE, late=True)


@each([p for p in PRODUCT if room(p) not in ("pages", "app")])
def test_no_program_text_or_command_below_the_pages_starts_them(path):
    """Texts are searched, too: a program that is started in a process of its own is an import that nobody sees."""
    docstrings = {id(node.body[0].value) for node in ast.walk(tree(path)) if _begins_with_a_docstring(node)}
    texts = [n for n in ast.walk(tree(path)) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    found = [text.value for text in texts if id(text) not in docstrings and STARTS_PAGES.search(text.value)]
    assert not found, f"{path}: {found}"


def _begins_with_a_docstring(node: ast.AST) -> bool:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return isinstance(node, documented) and ast.get_docstring(node) is not None


@each(PRODUCT)
def test_the_command_line_alone_imports_commands(path):
    commands = {name for name in imported(path, late=True) if name.startswith("annotate.cli.main")}
    assert not commands or path == COMMAND_LINE or path.match("annotate/cli*")


@each([p for p in PRODUCT if room(p) == "pages"])
def test_pages_take_only_light_parts_of_the_model_room(path):
    taken = {module_of(name) for name in imported(path, late=True) if name.startswith("model.")}
    assert taken <= LIGHT_MODEL


@each(PRODUCT)
def test_torch_is_imported_by_the_model_room_and_by_modules_that_say_so(path):
    names = set(imported(path, late=False))
    heavy = tops(path, late=False) & TORCH or {n for n in names if any(n.startswith(h) for h in HEAVY_MODEL)}
    says_so = "Imports torch" in (ast.get_docstring(tree(path)) or "")
    if room(path) == "model":
        return
    assert bool(heavy) <= (room(path) == "annotate" and says_so), f"{path} imports {heavy}"
    if room(path) != "annotate":
        assert not tops(path, late=True) & TORCH


@each(PRODUCT)
def test_streamlit_and_plotly_stay_in_the_pages(path):
    if room(path) not in ("pages", "app"):
        assert not tops(path, late=True) & {"streamlit", "plotly", "starlette"}


@each(PRODUCT)
def test_what_streamlit_does_not_promise_is_named_in_one_module(path):
    """Its modules for its own use, and private names of whatever is not ours."""
    if path.name == "streamlit_internals.py":
        return
    inner = {name for name in imported(path, late=True) if name.startswith(("streamlit.runtime", "streamlit.web"))}
    private = {name for name in imported(path, late=True) if re.match(r"(streamlit|starlette|plotly)\b.*\._", name)}
    assert not inner | private
    if room(path) in ("pages", "app"):
        foreign = {
            ast.unparse(node)
            for node in ast.walk(tree(path))
            if isinstance(node, ast.Attribute) and re.match(r"_[^_]", node.attr) and ast.unparse(node.value) != "self"
        }
        assert not foreign


@each(PRODUCT)
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


@each([p for p in PRODUCT if room(p) == "db"])
def test_no_query_commits_the_transaction_of_its_caller(path):
    commits = [n for n in ast.walk(tree(path)) if isinstance(n, ast.Call) and getattr(n.func, "attr", "") == "commit"]
    assert not commits


@each([path for path in PRODUCT if path.parent != DATA])
def test_no_module_is_longer_than_500_lines(path):
    assert len((ROOT / path).read_text().splitlines()) <= 500


def test_no_file_of_the_tests_is_longer_than_400_lines():
    lengths = {str(path): len((ROOT / path).read_text().splitlines()) for path in TESTS}
    assert not {name: length for name, length in lengths.items() if length > 400}


@pytest.mark.parametrize("room", ["annotate", "db", "model", "pages/parts"])
def test_a_room_has_no_circle_and_no_crowd(room):
    found = structure(ROOT, room)
    assert (found.circles_of_modules, found.circles_of_packages) == (0, 0)
    assert found.largest_package[0] <= 15, found.largest_package


def test_the_parts_of_the_pages_stand_in_their_order():
    floor = {name: number for number, names in enumerate(PARTS_ORDER) for name in names}
    assert set(floor) == {path.name for path in (ROOT / "pages" / "parts").iterdir() if (path / "__init__.py").exists()}
    for path in PRODUCT:
        if path.parts[:2] == ("pages", "parts") and len(path.parts) > 3:
            taken = {name.split(".")[2] for name in imported(path, late=True) if name.startswith("pages.parts.")}
            assert not {other for other in taken - {path.parts[2]} if floor[other] <= floor[path.parts[2]]}, path


@each(PACKAGES)
def test_every_package_says_at_its_face_what_it_is(path):
    face = ast.get_docstring(tree(path / "__init__.py"))
    assert face
    # The order of the packages is in pyproject.toml, where it is checked: a list here would be wrong some day.
    assert not re.search(r"(?:^|\. |\n)(?:Imports|May import|It imports)\b", face)


@each(PRODUCT)
def test_every_late_import_and_every_other_exception_to_a_check_gives_its_reason(path):
    bare = re.findall(r".*# (?:noqa|type: ignore)(?![^\n(]*\().*", (ROOT / path).read_text())
    assert not bare


def test_no_script_or_style_is_longer_than_300_lines():
    lengths = {path: len((ROOT / path).read_text().splitlines()) for path in SCRIPTS_AND_STYLES}
    assert {path.suffix for path in lengths} == {".js", ".css"}
    assert not {str(path): length for path, length in lengths.items() if length > 300}


def test_every_script_and_style_begins_with_what_it_is_for():
    bare = [str(path) for path in SCRIPTS_AND_STYLES if not (ROOT / path).read_text().startswith(("// ", "/* "))]
    assert not bare


@each(PRODUCT)
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


@each(PRODUCT)
def test_every_function_says_its_types(path):
    bare = []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            bare += [f"{node.name}({a.arg})" for a in arguments if not a.annotation and a.arg not in ("self", "cls")]
            bare += [node.name] if node.returns is None and node.name != "__init__" else []
    assert not bare, f"{path}: {bare}"


@each(PRODUCT)
def test_every_name_says_what_it_holds(path):
    named = [
        getattr(node, "id", None) or getattr(node, "arg", None) or getattr(node, "attr", None) or ""
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Name | ast.arg | ast.Attribute | ast.keyword)
    ]
    defined = [node.name for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    empty = {name for name in named + defined if name.lower().strip("_") in SAYS_NOTHING}
    assert not empty, f"{path}: {empty} may be a message, a row, a manifest or anything: say which"


@each(PRODUCT)
def test_every_private_function_is_used_where_it_stands(path):
    nodes = list(ast.walk(tree(path)))
    named = {n.name for n in tree(path).body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    private = {name for name in named if re.match("_[^_]", name)}  # Python itself asks for names with two
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
    assert broad == [str(Path("annotate/jobs/lifecycle.py"))]


def test_the_pages_leave_torch_alone(tmp_path):
    """Imports app.py and runs every page alone on an empty database, in one fresh interpreter."""
    code = """
import sys
from pathlib import Path
import app
from streamlit.testing.v1 import AppTest
from tests.support.scanning import scan_once
scan_once()
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
