"""The directory of a zip, looked at before zipfile loads all of it into memory."""

import struct
from typing import BinaryIO

from annotate.articles.document import UnreadableArticle
from annotate.articles.parsing.limits import ZIP_DIRECTORY_BYTES, ZIP_ENTRIES

TOO_MANY = f"is a zip of more than {ZIP_ENTRIES:,} entries"


def check_directory(file: BinaryIO) -> int:
    """Returns the size of the archive; refuses a directory that is huge, or says that it holds too many entries, before
    zipfile loads it into memory."""
    size = file.seek(0, 2)
    file.seek(max(0, size - 66_000))
    tail = file.read()
    file.seek(0)
    at = tail.rfind(b"PK\x05\x06")
    if at >= 0 and len(tail) >= at + 16:
        entries, directory = struct.unpack_from("<HL", tail, at + 10)
        at64 = tail.rfind(b"PK\x06\x06", 0, at)
        if at64 >= 0 and len(tail) >= at64 + 48:
            entries64, directory64 = struct.unpack_from("<QQ", tail, at64 + 32)
            entries, directory = max(entries % 0xFFFF, entries64), max(directory % 0xFFFFFFFF, directory64)
        if entries > ZIP_ENTRIES or directory > ZIP_DIRECTORY_BYTES:
            raise UnreadableArticle(TOO_MANY)
    return size
