"""What an import is asked for, in batches to store: read here, or its files by an engine elsewhere."""

import platform
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from math import ceil, inf
from pathlib import Path
from typing import Any

from annotate.articles.importing.entries import Reader, fetched, named_in
from annotate.articles.ingest import Batch, batches
from annotate.engines.engine import Engine, Work

# Small files go together, up to so many or so many bytes; a larger one comes back in pieces of about what so many hold.
BUNDLE_FILES = 40
BUNDLE_BYTES = 4 << 20
# A process elsewhere holds all articles of its files at once. A file of PubMed's baseline is 20 to 100 MB, packed.
MOST_BYTES = 128 << 20
MOST_ZIP_BYTES = 16 << 20  # of full texts, which take ten times as much once they are read


class Parsing(Work[list[Path], tuple[Batch, int]]):
    """Reads files and splits their texts into sentences: batches, each with how many articles were left out before."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    def __call__(self, given: list[Path]) -> Iterable[tuple[Batch, int]]:
        """The batches of these files. Raises FileNotFoundError on a machine that does not see their folder."""
        for path in given:
            if not path.parent.is_dir():
                where = f"{platform.node()} does not see the folder {path.parent.name}"
                raise FileNotFoundError(f"{where}: what is imported must lie where all machines of the cluster see it")
        left_out: list[None] = []
        told = 0
        # Never cut by the clock: files that are read anew, since a machine was lost, must make the same batches.
        for batch in batches(self.reader.read(given, lambda: left_out.append(None)), inf):
            yield batch, len(left_out) - told
            told = len(left_out)
        if len(left_out) > told:
            yield [], len(left_out) - told

    def pieces(self, given: list[Path]) -> int:
        """By the size of the files."""
        return max(1, ceil(sum(map(_size, given)) / BUNDLE_BYTES))


def batches_of(
    payload: dict[str, Any], engine: Engine, left_out: Callable[[], None], cancelled: Callable[[], bool]
) -> Iterator[Batch]:
    """The batches of an import. Elsewhere large files come first, which are read here, then the others in order.

    `left_out` is called for each article that the filter leaves out. Raises UnusablePattern, FileNotFoundError, and
    what the engine raises.
    """
    reader, named = Reader.of(payload), named_in(payload)
    others = chain(named.refused, fetched(named.identifiers))
    if engine.here:
        yield from batches(chain(reader.read(named.files, left_out), others))
        return
    large = [path for path in named.files if _is_large(path)]
    yield from batches(reader.read(large, left_out))
    bundles = _bundles(path for path in named.files if not _is_large(path))
    for batch, count in engine.map(Parsing(reader), bundles, cancelled):
        for _ in range(count):
            left_out()
        if batch:
            yield batch
    yield from batches(others)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # gone meanwhile: whoever reads it tells so
        return 0


def _is_large(path: Path) -> bool:
    return _size(path) > (MOST_ZIP_BYTES if path.suffix.lower() == ".zip" else MOST_BYTES)


def _bundles(paths: Iterable[Path]) -> Iterator[list[Path]]:
    """The files in their order, small ones together."""
    bundle: list[Path] = []
    size = 0
    for path in paths:
        own = _size(path)
        if bundle and (size + own > BUNDLE_BYTES or len(bundle) >= BUNDLE_FILES):
            yield bundle
            bundle, size = [], 0
        bundle.append(path)
        size += own
    if bundle:
        yield bundle
