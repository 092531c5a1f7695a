"""The search index on disk: of articles and of sentences, read by many while one writes, and checked for damage.

It is no part of a backup: it can be made again from the database. What tantivy raises becomes one of three errors of
ours, whose words people can act on.
"""

import json
import secrets
import shutil
import struct
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tantivy import Index, IndexWriter, Query, Schema, Searcher

from annotate.project.home import database_address, folder
from annotate.project.memory import Memory
from annotate.project.whole_files import write_whole
from annotate.search.entries import FORMAT, article_schema, sentence_schema
from annotate.search.queries import BadQuery
from annotate.search.words import TOKENIZER, analyzer
from db.engine import server_name
from db.finding.indexed import Changes

WRITER_BYTES = 100_000_000
SPARE_BYTES = 50_000_000  # a disk with less is taken for full when writing fails
META = "meta.json"
_SUFFIXES = ("idx", "pos", "term", "store", "fast", "fieldnorm")
# Every file of tantivy ends with a JSON footer that holds the checksum of what stands before, its length and this.
_FOOTER_MAGIC = 1337
_FOOTER = struct.Struct("<II")
_CHUNK_BYTES = 1 << 20


class DamagedIndex(RuntimeError):
    """The index cannot be read; it holds nothing that cannot be made again."""


class IndexBusy(RuntimeError):
    """Another process writes the index."""


class IndexNotWritten(OSError):
    """The index could not be written; it is as it was before."""


def _errors() -> tuple[type[BaseException], ...]:
    """What tantivy raises; the class for a bug in it cannot be imported, and is made when raised first."""
    panics = (each for each in BaseException.__subclasses__() if each.__name__ == "PanicException")
    return (ValueError, OSError, *panics)


@contextmanager
def reading_from(folder: Path) -> Iterator[None]:
    """Raises DamagedIndex for what tantivy raises while it reads, BadQuery where too many words begin as asked."""
    try:
        yield
    except _errors() as error:
        if "exceeded max expansions" in str(error):
            raise BadQuery("too many words begin as the last one in quotes: write more letters of it") from error
        raise DamagedIndex(f"the search index in {folder.name} is damaged ({str(error)[:200]})") from error


class IndexFolder:
    """One index in a folder. Threads may share it."""

    def __init__(self, folder: Path, schema: Schema) -> None:
        """Opens the index, or makes it where the folder is empty or not there. Raises DamagedIndex, IndexNotWritten."""
        self.folder = folder
        self.schema = schema
        is_new = not (folder / META).exists()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with reading_from(folder):
                self._index = Index(schema, path=str(folder))
                self._index.config_reader("manual")
                self._index.register_tokenizer(TOKENIZER, analyzer())
        except (DamagedIndex, OSError) as error:
            if is_new:
                raise not_written(folder, error) from error
            raise
        self._seen = (0, 0)
        self._reloading = threading.Lock()

    @property
    def version(self) -> tuple[int, int]:
        """Another one after each commit, of whichever process."""
        try:
            found = (self.folder / META).stat()
        except OSError as error:
            raise DamagedIndex(f"the search index in {self.folder.name} is gone") from error
        return found.st_mtime_ns, found.st_ino

    def searcher(self) -> Searcher:
        """A searcher of the last commit, by any process. Raises DamagedIndex."""
        with self._reloading, reading_from(self.folder):
            if (version := self.version) != self._seen:
                self._index.reload()
                self._seen = version
            return self._index.searcher()

    def numbers(self, *fields: str, query: Query | None = None, limit: int | None = None) -> list[list[int]]:
        """Numbers of the first `limit` documents that a query finds, None for all: a list for each field, in one order.

        Raises DamagedIndex.
        """
        searcher = self.searcher()
        with reading_from(self.folder):
            most = searcher.num_docs if limit is None else limit
            hits = searcher.search(query or Query.all_query(), most, count=False).hits if most else []
            addresses = [address for _, address in hits]
            return [[int(value or 0) for value in searcher.fast_field_values(each, addresses)] for each in fields]

    @contextmanager
    def writing(self) -> Iterator[IndexWriter]:
        """The writer; what it has not committed when the block ends, is forgotten. Waits for what it merges.

        Raises IndexBusy while there is another one in any process, IndexNotWritten where the disk fails.
        """
        try:
            writer = self._index.writer(WRITER_BYTES, 1)
        except _errors() as error:
            if "LockBusy" in str(error):
                raise IndexBusy("the search index is being updated already") from error
            raise not_written(self.folder, error) from error
        try:
            yield writer
        except IndexNotWritten:
            raise
        except _errors() as error:
            raise not_written(self.folder, error) from error
        finally:
            with suppress(*_errors()):  # it died of the error that is on its way up
                writer.rollback()  # its end would commit what an error left behind
                writer.wait_merging_threads()

    def check(self) -> None:
        """Reads all files and compares their checksums. Raises DamagedIndex."""
        with reading_from(self.folder):
            for name in _named_in(json.loads((self.folder / META).read_bytes())):
                if not _is_whole(self.folder / name):
                    raise DamagedIndex(f"the search index is damaged: {name}")


def _named_in(meta: dict[str, Any]) -> list[str]:
    """The files of all segments that the list of them names; the files of deleted documents bear a number."""
    try:
        named = [(each["segment_id"].replace("-", ""), each["deletes"]) for each in meta["segments"]]
        deleted = [f"{segment}.{deletes['opstamp']}.del" for segment, deletes in named if deletes]
    except (LookupError, TypeError, AttributeError) as error:
        raise DamagedIndex(f"the search index is damaged: {META}") from error
    return [f"{segment}.{suffix}" for segment, _ in named for suffix in _SUFFIXES] + deleted


def not_written(folder: Path, error: BaseException) -> IndexNotWritten:
    """What tells people why the index could not be written."""
    near = next(path for path in (folder, *folder.parents) if path.exists())
    if shutil.disk_usage(near).free < SPARE_BYTES or "No space left" in str(error):
        return IndexNotWritten(f"the search index could not be written: the disk of {near} is full")
    return IndexNotWritten(f"the search index in {folder} could not be written: {str(error)[:200]}")


def _is_whole(path: Path) -> bool:
    with path.open("rb") as file:
        size = path.stat().st_size
        if size < _FOOTER.size:
            return False
        file.seek(size - _FOOTER.size)
        length, magic = _FOOTER.unpack(file.read(_FOOTER.size))
        left = size - _FOOTER.size - length
        if magic != _FOOTER_MAGIC or left < 0:
            return False
        file.seek(left)
        try:
            wanted = json.loads(file.read(length))["crc"]
        except (ValueError, LookupError, TypeError):
            return False
        file.seek(0)
        found = 0
        while left and (chunk := file.read(min(left, _CHUNK_BYTES))):
            found = zlib.crc32(chunk, found)
            left -= len(chunk)
    return left == 0 and found == int(wanted)


NAME = "search"
ABOUT = "about.json"
HELD = "held.json"
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

    def marks_of(self, article_ids: Sequence[int]) -> dict[int, int]:
        """The marks of some articles, so far as they are in it. Raises DamagedIndex."""
        wanted = Query.term_set_query(self.articles.schema, "article", list(article_ids))
        article, mark = self.articles.numbers("article", "mark", query=wanted)
        return dict(zip(article, mark, strict=True))

    def held(self) -> Changes | None:
        """The changes that surely are in it; None where that is not known."""
        try:
            return Changes(**json.loads((self.folder / HELD).read_bytes()))
        except (OSError, ValueError, TypeError):
            return None

    def hold(self, changes: Changes) -> None:
        """Notes that all of these changes are in it."""
        with suppress(OSError):  # it only saves time
            write_whole(self.folder / HELD, json.dumps(asdict(changes)).encode())

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
