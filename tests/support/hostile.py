"""Builds what hostile files are made of, for tests and for fuzzing."""

import io
import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

BODY = "<front><article-meta><title-group><article-title>T</article-title></title-group></article-meta></front>"


def jats(body: str, prolog: str = "") -> bytes:
    """A small JATS file with the body given."""
    return f"{prolog}<article>{BODY}<body><sec><title>S</title>{body}</sec></body></article>".encode()


def zipped(members: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of the members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def peak_mb() -> int:
    """The most memory that this process has held, in MB. Linux alone; ru_maxrss would count the parent's too."""
    return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) // 1024


def written_once(folder: Path, cases: Mapping[str, tuple[str, Callable[[], bytes], str]]) -> Callable[[str], Path]:
    """What gives the file of a case {id: (name, what makes its content, reason)}, made when it is first asked for."""

    def of(case: str) -> Path:
        name, make, _ = cases[case]
        path = folder / case / name
        if not path.exists():
            path.parent.mkdir()
            path.write_bytes(make())
        return path

    return of
