"""Articles from files of any known format, packed or not: bytes enter; articles and reasons for refusal leave.

`read.py` is the entrance. It unpacks (`streams.py`, `archive.py`), finds the format in the table of `formats.py` and
lets it read; every format returns the plain data of `articles.document`. What a file may cost stands in `limits.py`.
"""

from annotate.articles.parsing.entry import ParsedEntry, Wanted, compile_pattern
from annotate.articles.parsing.formats import FORMATS, KNOWN_SUFFIXES, find_files
from annotate.articles.parsing.read import Member, from_bytes, members_of, read_articles, read_member

__all__ = [
    "FORMATS",
    "KNOWN_SUFFIXES",
    "Member",
    "ParsedEntry",
    "Wanted",
    "compile_pattern",
    "find_files",
    "from_bytes",
    "members_of",
    "read_articles",
    "read_member",
]
