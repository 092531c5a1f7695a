"""Articles from files of any known format: JATS and MEDLINE XML, web pages, text, Markdown, CSV, zips."""

from annotate.parsing.entry import ParsedEntry, compile_pattern
from annotate.parsing.files import KNOWN_SUFFIXES, find_files
from annotate.parsing.read import from_bytes, read_articles

__all__ = ["KNOWN_SUFFIXES", "ParsedEntry", "compile_pattern", "find_files", "from_bytes", "read_articles"]
