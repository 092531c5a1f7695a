"""What people read on the pages, as it stands in the source: texts of Python, of scripts, and of templates."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.support.paths import ROOT

# What a text is no words of: a path, a selector, a name of code, an icon.
CODE = re.compile(r"^(?:(?![A-Z][a-z]+[.?!…]?$)[\w./:#*%-]*|:material/\w+:|\W*)$")
WORDS = re.compile(r"[A-Za-z]{2,}[.,:;?!)]* +[(\w{]|^[A-Z][a-z]+(?: \w+)*[.?!…]?$|\} [a-z]{2,}|[a-z]{2,} \{")
SCRIPT = re.compile(
    r"//[^\n]*|/\*.*?\*/|" r""""((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`""", re.DOTALL
)
MARKUP = re.compile(r"<style.*?</style>|<script.*?</script>|<svg.*?</svg>|\{#.*?#\}|\{%.*?%\}", re.DOTALL)
ATTRIBUTE = re.compile(r'(?:aria-label|title|placeholder|alt|data-label)="([^"]*)"')


SUFFIXES = (".py", ".js", ".html", ".j2")


class Text(NamedTuple):
    """A text that people read: its file, its line, and its words; {} stands for what is put in."""

    path: Path
    line: int
    words: str

    @property
    def place(self) -> str:
        """Its file and line."""
        return f"{self.path.relative_to(ROOT)}:{self.line}"


def read_texts(path: Path) -> Iterator[Text]:
    """The texts of a file that are words, in their order."""
    readers = {".py": _of_python, ".js": _of_script, ".html": _of_markup, ".j2": _of_markup}
    for line, raw in readers[path.suffix](path.read_text(encoding="utf-8")):
        words = re.sub(r"\s+", " ", raw).strip()
        if WORDS.search(words) and not CODE.match(words):
            yield Text(path, line, words)


def _of_python(source: str) -> Iterator[tuple[int, str]]:
    tree = ast.parse(source)
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in ast.walk(node) if isinstance(part, ast.Constant) and part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [one.value if isinstance(one, ast.Constant) else "{}" for one in node.values]
            yield node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.lineno, node.value


def _of_script(source: str) -> Iterator[tuple[int, str]]:
    for found in SCRIPT.finditer(source):
        words = next((group for group in found.groups() if group), "")
        yield source.count("\n", 0, found.start()) + 1, re.sub(r"\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}", "{}", words)


def _of_markup(source: str) -> Iterator[tuple[int, str]]:
    bare = MARKUP.sub(lambda found: "\n" * found[0].count("\n"), source)
    bare = re.sub(r"\{\{.*?\}\}", "{}", bare, flags=re.DOTALL)
    for found in ATTRIBUTE.finditer(bare):
        yield bare.count("\n", 0, found.start()) + 1, found[1]
    for found in re.finditer(r">([^<>]+)(?=<|$)", bare):
        yield bare.count("\n", 0, found.start(1)) + 1, found[1]


@cache
def _imports(path: Path) -> frozenset[Path]:
    """The files of the pages that a module of them imports, and the scripts and templates that it names."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".js":
        return frozenset(path.parent / name for name in re.findall(r'from "\./([\w.]+)"', source))
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pages"):
            module = ROOT.joinpath(*str(node.module).split("."))
            found |= {module.with_suffix(".py")} | {module / f"{one.name}.py" for one in node.names}
        elif isinstance(node, ast.Constant) and re.fullmatch(r"[\w/]+\.(?:js|html|html\.j2)", str(node.value)):
            found |= set((ROOT / "pages").rglob(Path(str(node.value)).name))
    return frozenset(one for one in found if one.exists())


def files_of(page: Path) -> set[Path]:
    """The files whose texts a page may show: its own, and what it imports of the pages."""
    found, left = set(), [page]
    while left:
        if (file := left.pop()) not in found:
            found.add(file)
            left += _imports(file) if file.suffix in (".py", ".js") else ()
    return found


def texts(files: Iterable[Path]) -> list[Text]:
    """The texts of files, in the order of their places."""
    return [one for path in sorted(files) for one in read_texts(path)]
