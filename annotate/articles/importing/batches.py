"""The articles of an import, in batches to store: read here, in child processes, or on other machines."""

import os
import platform
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import accumulate, chain, groupby
from math import ceil, inf
from pathlib import Path
from typing import Any

from annotate.articles.importing.entries import Reader, Unread, fetched, is_zip_file, named_in
from annotate.articles.importing.splitting import Batch, batches
from annotate.articles.parsing import Member
from annotate.articles.sentence_rules import load_punkt_only
from annotate.engines.child_processes import ChildProcesses
from annotate.engines.engine import Engine, Work

# Small files are bundled up to these limits; a larger file comes back in pieces of about the same size.
BUNDLE_FILES = 40
BUNDLE_BYTES = 4 << 20
# A process elsewhere holds all articles of its files at once. A file of PubMed's baseline is 20 to 100 MB, packed.
MOST_BYTES = 128 << 20
PACKED = 4  # how much larger articles are than the zip that holds them
# Above this size, about 200 full texts, child processes read the files. Starting one takes .6 seconds of a processor,
# as much as to read 60 of them.
WORTH_CHILDREN_BYTES = 16 << 20
# Two read about as many full texts as one stores (`python -m tests.measure.import_speed`). More would wait for it.
MOST_CHILDREN = 2


class Parsing(Work[list[Unread], tuple[Batch, int]]):
    """Reads files and splits their texts into sentences: batches, each with how many articles were left out before."""

    def __init__(self, reader: Reader, *, far: bool = True) -> None:
        self.reader = reader
        self.far = far  # on other machines, too

    def begin(self) -> None:
        """What splits into sentences, which the first one would load with more than it needs."""
        load_punkt_only()

    def __call__(self, given: list[Unread]) -> Iterable[tuple[Batch, int]]:
        """The batches of these files. Raises FileNotFoundError on a machine that does not see their folder."""
        for path in given if self.far else ():
            if isinstance(path, Path) and not path.parent.is_dir():
                where = f"{platform.node()} does not see the folder {path.parent.name}"
                raise FileNotFoundError(f"{where}: imported files must lie where all machines of the cluster see them")
        left_out: list[None] = []
        reported = 0
        # Never cut by the clock: files that are read again, because a machine was lost, must make the same batches.
        for batch in batches(self.reader.read(given, lambda: left_out.append(None)), inf):
            yield batch, len(left_out) - reported
            reported = len(left_out)
        if len(left_out) > reported:
            yield [], len(left_out) - reported

    def pieces(self, given: list[Unread]) -> int:
        """By the size of the files."""
        return max(1, ceil(sum(map(_size, given)) / BUNDLE_BYTES))


def batches_of(
    payload: dict[str, Any], engine: Engine, left_out: Callable[[], None], cancelled: Callable[[], bool]
) -> Generator[Batch, None, None]:
    """The batches of an import, in the order of its files; on a cluster the large ones come first, read here.

    `left_out` is called for each article that the filter leaves out. Raises UnusablePattern, FileNotFoundError, and
    what the engine raises.
    """
    reader, named = Reader.of(payload), named_in(payload)
    others = chain(named.others, fetched(named.identifiers))
    if not engine.here:
        large = [path for path in named.files if _is_large(path)]
        yield from batches(reader.read(large, left_out))
        spread = (path for path in named.files if not _is_large(path))
        yield from _mapped(Parsing(reader), spread, engine, left_out, cancelled)
        yield from batches(others)
    elif count := helpers(named.files):
        with ChildProcesses(count) as children:
            yield from _read_by_children(reader, named.files, children, left_out, cancelled)
        yield from batches(others)
    else:
        yield from batches(chain(reader.read(named.files, left_out), others))


def helpers(files: Iterable[Path]) -> int:
    """How many child processes read these files: none on one core, nor for few bytes."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if cores == 1:
        return 0
    sizes = accumulate(_size(path) * (PACKED if is_zip_file(path) else 1) for path in files if not _is_read_here(path))
    worth = any(size >= WORTH_CHILDREN_BYTES for size in sizes)
    return min(cores, MOST_CHILDREN) if worth else 0


def _is_read_here(path: Path) -> bool:
    """What would come back in pieces, and PDFs, each of which is read by a process of its own already."""
    return path.suffix.lower() == ".pdf" or (_size(path) > BUNDLE_BYTES and not is_zip_file(path))


def _read_by_children(
    reader: Reader,
    files: list[Path],
    children: ChildProcesses,
    left_out: Callable[[], None],
    cancelled: Callable[[], bool],
) -> Iterator[Batch]:
    """All files in their order, those that are read here at their turn."""
    for here, paths in groupby(files, _is_read_here):
        if here:
            yield from batches(reader.read(paths, left_out))
        else:
            yield from _mapped(Parsing(reader, far=False), paths, children, left_out, cancelled)
        if cancelled():
            return


def _mapped(
    work: Parsing,
    paths: Iterable[Path],
    engine: Engine,
    left_out: Callable[[], None],
    cancelled: Callable[[], bool],
) -> Iterator[Batch]:
    opened = work.reader.opened(paths, BUNDLE_BYTES, left_out)
    for batch, count in engine.map(work, _bundles(opened), cancelled):
        for _ in range(count):
            left_out()
        if batch:
            yield batch


def _size(one: Unread) -> int:
    if isinstance(one, Path):
        try:
            return one.stat().st_size
        except OSError:  # gone meanwhile: the code that reads it reports that
            return 0
    return len(one.content) if isinstance(one, Member) else 0


def _is_large(path: Path) -> bool:
    return _size(path) > MOST_BYTES and not is_zip_file(path)


def _bundles(given: Iterable[Unread]) -> Iterator[list[Unread]]:
    """All in their order, small ones together."""
    bundle: list[Unread] = []
    size = 0
    for one in given:
        own = _size(one)
        if bundle and (size + own > BUNDLE_BYTES or len(bundle) >= BUNDLE_FILES):
            yield bundle
            bundle, size = [], 0
        bundle.append(one)
        size += own
    if bundle:
        yield bundle
