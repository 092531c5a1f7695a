"""Several files as one zip whose bytes depend on nothing but them."""

import io
import re
from collections.abc import Iterable, Iterator
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from annotate.gold.formats.documents import GoldDocument


def packed(files: Iterable[tuple[str, bytes]]) -> bytes:
    """A zip of (name, content), without times."""
    made = io.BytesIO()
    with ZipFile(made, "w", ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(ZipInfo(name), content, ZIP_DEFLATED)
    return made.getvalue()


def named(documents: Iterable[GoldDocument]) -> Iterator[tuple[str, GoldDocument]]:
    """Each with the name of its files, which no two share on any system: 10.1/a and 10.1_a differ by a mark behind."""
    taken: set[str] = set()
    for document in documents:
        name = file_name(document.key)
        while name.casefold() in taken:
            name += "_"
        taken.add(name.casefold())
        yield name, document


def file_name(key: str) -> str:
    """An article's key as the name of a file: 10.1/a(b) gives 10.1_a_b_."""
    return re.sub(r"[^\w.-]", "_", key)
