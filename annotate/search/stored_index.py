"""The index of all stored articles: two folders below the data folder, which can be made again from the database.

It is no part of a backup. A file tells its format and the database that it is of; the index of another is built again.
"""

import json
import secrets
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotate.project.home import database_address, folder
from annotate.project.memory import Memory
from annotate.project.whole_files import write_whole
from annotate.search.fields import FORMAT, article_schema, sentence_schema
from annotate.search.index_files import META, DamagedIndex, IndexFolder, IndexNotWritten, not_written
from db.engine import server_name

NAME = "search"
ABOUT = "about.json"
_PREFIX = "index-"


@dataclass(slots=True)
class StoredIndex:
    """The index of articles and the index of sentences. Threads may share it."""

    folder: Path
    articles: IndexFolder
    sentences: IndexFolder
    _marks: tuple[tuple[int, int], dict[int, int]] = field(default=((0, 0), {}))

    def marks(self) -> dict[int, int]:
        """The marks of the articles that are in it, by article. Raises DamagedIndex."""
        version = self.articles.version
        if self._marks[0] != version:
            article, mark = self.articles.numbers("article", "mark")
            self._marks = version, dict(zip(article, mark, strict=True))
        return self._marks[1]

    def check(self) -> None:
        """Raises DamagedIndex unless all of it is as it was written."""
        self.articles.check()
        self.sentences.check()
        self.articles.searcher()
        self.sentences.searcher()


_opened: Memory[str, StoredIndex] = Memory()


def stored_index() -> StoredIndex | None:
    """The index of the project as it is; None where there is none of this format and database. Raises DamagedIndex."""
    about = _about()
    if about is None:
        return None
    memo, path = _opened.here(), folder(NAME) / about["folder"]
    kept = memo.get("now")
    if kept is None or kept.folder != path:
        if not all((path / part / META).exists() for part in ("articles", "sentences")):
            raise DamagedIndex(f"the search index in {path.name} is gone")
        kept = StoredIndex(
            path,
            IndexFolder(path / "articles", article_schema()),
            IndexFolder(path / "sentences", sentence_schema()),
        )
        memo["now"] = kept
    return kept


def begin_anew() -> StoredIndex:
    """An empty index in the place of any other. Raises IndexNotWritten."""
    where = folder(NAME)
    path = where / f"{_PREFIX}{secrets.token_hex(4)}"
    try:
        IndexFolder(path / "articles", article_schema())
        IndexFolder(path / "sentences", sentence_schema())
        write_whole(where / ABOUT, json.dumps({**_identity(), "folder": path.name}).encode())
    except IndexNotWritten:
        shutil.rmtree(path, ignore_errors=True)
        raise
    except OSError as error:
        shutil.rmtree(path, ignore_errors=True)
        raise not_written(path, error) from error
    for other in where.glob(f"{_PREFIX}*"):
        if other != path:
            shutil.rmtree(other, ignore_errors=True)
    made = stored_index()
    if made is None:  # pragma: no cover (only where somebody removes it at this moment)
        raise IndexNotWritten(f"the search index in {path} was removed")
    return made


def _about() -> dict[str, Any] | None:
    try:
        about = json.loads((folder(NAME) / ABOUT).read_bytes())
    except (OSError, ValueError):
        return None
    named = isinstance(about, dict) and str(about.get("folder", "")).startswith(_PREFIX)
    return about if named and about | _identity() == about else None


def _identity() -> dict[str, Any]:
    address = database_address()
    return {"format": FORMAT, "database": "file" if isinstance(address, Path) else server_name(address)}


def bytes_on_disk(index: StoredIndex) -> int:
    """How much of the disk the index takes."""
    return sum(path.stat().st_size for path in index.folder.rglob("*") if path.is_file())
