"""How many full texts an import reads and stores a second: in one process, and as it does by default.

    python -m tests.measure.import_speed FOLDER [--rounds 2] [--copies 1] [--zip]

FOLDER holds files of JATS; `--zip` makes one zip of them. Each import begins with an empty project on SQLite, and both
take turns. The processor's seconds are those of all processes of the import, their start and end included.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from annotate.articles.article_rows import store
from annotate.articles.importing import batches
from annotate.engines.engine import HERE


def imported(folder: Path) -> tuple[int, dict[str, float]]:
    """How many articles were stored, and what it took: by the clock, of this process, and of those it began."""
    begun, own, others = time.perf_counter(), _spent(resource.RUSAGE_SELF), _spent(resource.RUSAGE_CHILDREN)
    report = store(batches.batches_of({"paths": [str(folder)]}, HERE, lambda: None, lambda: False))
    seconds = {
        "clock": time.perf_counter() - begun,
        "this process": _spent(resource.RUSAGE_SELF) - own,
        "others": _spent(resource.RUSAGE_CHILDREN) - others,
    }
    return report.counts["stored"], seconds


def _spent(whose: int) -> float:
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime


def copied(folder: Path, copies: int, target: Path) -> int:
    """Puts the files of the folder into the target so many times, each copy as an article of its own; their bytes."""
    size = 0
    for path in sorted(folder.iterdir()):
        if path.suffix in (".xml", ".nxml"):
            content = path.read_text()
            for number in range(copies):
                words = _renamed(content, number) if number else content
                size += (target / f"{number}-{path.name}").write_text(words)
    return size


def packed(folder: Path) -> None:
    """Puts the folder's files into one zip there, in their stead."""
    files = sorted(folder.iterdir())
    with ZipFile(folder / "articles.zip", "w", ZIP_DEFLATED) as archive:
        for path in files:
            archive.write(path, path.name)
            path.unlink()


def _renamed(content: str, number: int) -> str:
    """Another article of the same text: no identifier that anybody knows, and a title of its own."""
    content = content.replace(' pub-id-type="', ' pub-id-type="no-')
    return re.sub(r"(<article-title\b[^>]*>)", rf"\g<1>{number} ", content, count=1)


def main() -> None:
    """Prints a line for each import."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--zip", action="store_true")
    parser.add_argument("--beside", type=int, help=argparse.SUPPRESS)  # one import, in a process of its own
    options = parser.parse_args()
    if options.beside is not None:
        _one(options.folder, options.beside)
        return
    with tempfile.TemporaryDirectory() as folder:
        size = copied(options.folder, options.copies, Path(folder))
        if options.zip:
            packed(Path(folder))
        usual = batches.helpers(sorted(Path(folder).iterdir()))
        print(f"{size / 2**20:.0f} MB, {os.cpu_count()} cores, {usual} processes beside by default", flush=True)
        for _ in range(options.rounds):
            for beside in dict.fromkeys((0, usual)):
                command = [sys.executable, "-m", "tests.measure.import_speed", folder, "--beside", str(beside)]
                with tempfile.TemporaryDirectory() as home:
                    subprocess.run(command, env={**os.environ, "KEYLINE_HOME": home}, check=True)


def _one(folder: Path, beside: int) -> None:
    batches.MOST_CHILDREN = beside
    count, seconds = imported(folder)
    processor = seconds["this process"] + seconds["others"]
    told = ", ".join(f"{name} {value:.2f} s" for name, value in seconds.items())
    print(
        f"{1 + beside} processes: {count} full texts, {told}; {processor / count * 1000:.1f} ms of processor each, "
        f"{count / seconds['clock']:.0f} a second",
        flush=True,
    )


if __name__ == "__main__":
    main()
