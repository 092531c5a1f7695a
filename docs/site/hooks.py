"""What the site needs so that the same Markdown works there and on a page of the repository.

The papers of the top folder get names of their own, and links to them are turned. The menu is made of docs/README.md.
Mermaid is drawn once, as the site is made. A page is refused if a browser would ask another server for anything. MkDocs
calls the functions whose names begin with `on_`.
"""

import re
from html import unescape
from os.path import relpath
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
# docs/README.md is the first page of the site, so the README of the top folder has another name there.
PAPERS = {
    "README.md": "keyline.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
}
STYLE = "site.css"
# Mermaid draws round lines by chance, and the same ones each time from a seed.
SEEDED = '%%{init: {"handDrawnSeed": 1}}%%\n'
LINK = re.compile(r"\]\((?!\w+://)([^)#\s]+)((?:#[\w-]+)?)\)")
ENTRY = re.compile(r"\[([^]]+)\]\(([^)]+\.md)\)")
# Markdown of repositories lets a list follow its text at once; MkDocs wants an empty line between them.
BEFORE_A_LIST = re.compile(r"^(?![-*|>\s]|\d+\. )(.+)\n(?=(?:[-*]|1\.) )", re.MULTILINE)
FETCHED = re.compile(r"<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)=[\"']?(https?://[^\"' >]+)")


def on_config(config: Any) -> Any:
    """The menu, by reader, and who draws Mermaid."""
    config.nav = menu((ROOT / "docs" / "README.md").read_text())
    fences = [{"name": "mermaid", "class": "mermaid", "format": drawn}]
    config.mdx_configs["pymdownx.superfences"] = {"custom_fences": fences}
    return config


def menu(index: str) -> list[Any]:
    """The papers of docs/README.md below its headings, as MkDocs takes a menu."""
    parts = re.split(r"^## (\w+).*$", turned(index, ROOT / "docs"), flags=re.MULTILINE)
    readers = zip(parts[1::2], parts[2::2], strict=True)
    first: list[Any] = [{"Documentation": "README.md"}, {"Keyline": PAPERS["README.md"]}]
    return first + [
        {reader: [{title[0].upper() + title[1:]: place} for title, place in ENTRY.findall(part)]}
        for reader, part in readers
    ]


def on_files(files: Any, config: Any) -> Any:
    """Adds the papers of the top folder, and the style."""
    from mkdocs.structure.files import File  # noqa: PLC0415 (the tests of the words do without MkDocs)

    for name, place in PAPERS.items():
        files.append(File.generated(config, place, content=turned((ROOT / name).read_text(), ROOT)))
    files.append(File.generated(config, STYLE, content=(Path(__file__).parent / STYLE).read_text()))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """A page's text with its links as the site has them."""
    path = page.file.abs_src_path
    return markdown if page.file.generated_by or path is None else turned(markdown, Path(path).parent)


def turned(markdown: str, folder: Path) -> str:
    """Markdown of a folder as the site has it; ValueError where a link leads to what is not in the site."""

    here = folder.relative_to(ROOT / "docs") if folder.is_relative_to(ROOT / "docs") else "."

    def place(found: re.Match[str]) -> str:
        target = (folder / found[1]).resolve().relative_to(ROOT)
        name = PAPERS.get(target.as_posix()) or target.relative_to("docs").as_posix()
        return f"]({relpath(name, here)}{found[2]})"

    return BEFORE_A_LIST.sub(r"\1\n\n", LINK.sub(place, markdown))


def drawn(source: str, *_: Any, **__: Any) -> str:
    """A block of Mermaid as an inline picture, in a box that can be scrolled sideways."""
    import mermaidx  # noqa: PLC0415 (as above)

    return f'<div class="drawn" tabindex="0">{mermaidx.render(SEEDED + unescape(source)).svg()}</div>'


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """The page; ValueError where it would fetch anything from elsewhere."""
    if foreign := FETCHED.findall(output):
        raise ValueError(f"{page.file.src_uri} would fetch {foreign}")
    return output
