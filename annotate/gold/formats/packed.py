"""Several files as one zip whose bytes depend on nothing but them."""

import io
import re
from collections.abc import Iterable
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo


def packed(files: Iterable[tuple[str, bytes]]) -> bytes:
    """A zip of (name, content), without times."""
    made = io.BytesIO()
    with ZipFile(made, "w", ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(ZipInfo(name), content, ZIP_DEFLATED)
    return made.getvalue()


def file_name(key: str) -> str:
    """An article's key as the name of a file: 10.1/a(b) gives 10.1_a_b_."""
    return re.sub(r"[^\w.-]", "_", key)
