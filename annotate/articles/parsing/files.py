"""Finding the files that may hold articles, or name them."""

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from annotate.articles.parsing.formats import KNOWN_SUFFIXES, LATER_SUFFIXES, REFERENCE_SUFFIXES


def find_files(paths: Sequence[Path]) -> list[Path]:
    """Returns the files named and, sorted, those of known kinds in the folders named; PDFs last of all, each file once.

    A file named outright is kept with any suffix. FileNotFoundError if a path does not exist.
    """
    found = dict.fromkeys(file for path in paths for file in _expand(path))
    return sorted(found, key=lambda file: file.suffix.lower() in LATER_SUFFIXES)


def inner_suffix(name: str) -> str:
    """Returns the lower-case suffix of a name, looking behind `.gz`: `.xml` for `a.xml.gz`."""
    path = PurePosixPath(name.lower())
    return PurePosixPath(path.stem).suffix if path.suffix == ".gz" else path.suffix


def _expand(path: Path) -> Iterator[Path]:
    if path.is_dir():
        found = (file for file in path.rglob("*") if _is_candidate(file, path))
        yield from sorted(found)
    elif path.exists():
        yield path
    else:
        raise FileNotFoundError(f"no such file or folder: {path}")


def _is_candidate(file: Path, folder: Path) -> bool:
    hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
    return file.suffix.lower() in (*KNOWN_SUFFIXES, *REFERENCE_SUFFIXES) and not hidden and file.is_file()
