"""Texts of files in UTF-8; characters that no database stores: NUL, and half of a surrogate pair, both of which JSON
can write; and those that XML cannot hold."""

import json
import re
from pathlib import Path
from typing import Any

SHOWN = 200  # characters of a text up to one that is none
NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NO_CHARACTER = re.compile(r"\\u0000|[\ud800-\udfff]")
_WRITTEN = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")  # as texts of JSON write them, and whole pairs


def text_of(path: Path) -> str:
    """What a small file holds. Raises ValueError that names the file where it is no text in UTF-8, OSError."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path.name}: no text in UTF-8") from None


def check_characters(content: Any) -> None:
    """Raises ValueError where what JSON can hold has such a character in any of its texts; says where."""
    written = json.dumps(content, ensure_ascii=False).replace("\\\\", "")
    if found := _NO_CHARACTER.search(written):
        text = written[: found.end()].rpartition('"')[2][-SHOWN:].encode("utf-8", "backslashreplace").decode()
        raise ValueError(f"a text holds a NUL or half of a surrogate pair, which is no character: {text}")


def json_in(text: str) -> Any:
    """What a text of JSON holds. Raises ValueError for what is none, and as `check_characters`; RecursionError."""
    content = json.loads(text)
    if _WRITTEN.search(text):
        check_characters(content)
    return content
