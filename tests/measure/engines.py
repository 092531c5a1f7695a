"""This process against Ray on the cores of this machine: an import of JATS files, and embedding them, in one run.

    python -m tests.measure.engines FOLDER [--articles 60] [--embedded 12] [--rounds 2]

FOLDER holds zips or files of JATS. Each engine begins with an empty project, and both take turns. Printed are seconds,
those of the processors, and the most memory that all processes of the engine had at once; the start of Ray apart.
"""

import argparse
import os
import tempfile
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from annotate.articles.article_rows import store
from annotate.articles.importing.batches import batches_of
from annotate.engines.chosen import asked_engine, engine_of
from annotate.engines.engine import Engine
from annotate.project.home import read
from annotate.proposing.embed import embed
from annotate.proposing.encoder_versions import proposing_version
from db.proposing import articles_after

SAMPLE_SECONDS = 0.5
Times = dict[str, dict[str, float]]


def processes() -> list[psutil.Process]:
    """This process and all that it began."""
    own = psutil.Process()
    return [own, *own.children(recursive=True)]


def processor_seconds() -> float:
    """Of all these so far; a process that has ended takes its own with it."""
    total = 0.0
    for process in processes():
        with suppress(psutil.Error):
            spent = process.cpu_times()
            total += spent.user + spent.system
    return total


def memory_mb() -> float:
    """What all these hold; what several share is counted once."""
    total = 0.0
    for process in processes():
        with suppress(psutil.Error):
            total += process.memory_full_info().pss
    return total / 2**20


@contextmanager
def measured(found: dict[str, float]) -> Iterator[None]:
    """Fills in seconds, processor seconds, peak memory, and how many cores others kept busy meanwhile."""
    over, peaks = threading.Event(), [memory_mb()]

    def watch() -> None:
        while not over.wait(SAMPLE_SECONDS):
            peaks.append(memory_mb())

    thread = threading.Thread(target=watch, daemon=True)
    psutil.cpu_percent()
    begun, spent = time.perf_counter(), processor_seconds()
    thread.start()
    yield
    found["seconds"] = time.perf_counter() - begun
    found["processor"] = processor_seconds() - spent
    busy = psutil.cpu_percent() / 100 * (os.cpu_count() or 1)
    found["busy cores of others"] = max(0.0, busy - found["processor"] / found["seconds"])
    over.set()
    thread.join()
    found["peak MB"] = max(peaks)


def unpacked(folder: Path, most: int, target: Path) -> int:
    """Puts so many JATS files of the folder, also from zips, into the target; returns how many there were."""
    for path in sorted(folder.iterdir()):
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                files = [(name, archive.read) for name in sorted(archive.namelist())]
                for name, content in files[: most - len(list(target.iterdir()))]:
                    (target / f"{path.stem}-{Path(name).name}").write_bytes(content(name))
        elif path.suffix in (".xml", ".nxml") and len(list(target.iterdir())) < most:
            (target / path.name).write_bytes(path.read_bytes())
    return len(list(target.iterdir()))


def work(engine: Engine, files: Path, embedded: int) -> Times:
    """Imports the files and embeds some of the articles in an empty project."""
    found: Times = {"import": {}, "embed": {}}
    with tempfile.TemporaryDirectory() as home:
        os.environ["KEYLINE_HOME"] = home
        version = proposing_version()
        with measured(found["import"]):
            report = store(batches_of({"paths": [str(files)]}, engine, lambda: None, lambda: False))
        found["import"]["done"] = report.counts["stored"]
        with read() as session:
            chosen = articles_after(session, 0, limit=embedded)
        with measured(found["embed"]):
            found["embed"]["done"] = embed(version, article_ids=chosen, engine=engine)
    return found


def main() -> None:
    """Prints a line for each engine, round and kind of work."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    for name, usual in (("articles", 60), ("embedded", 12), ("rounds", 2)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(f"{unpacked(options.folder, options.articles, Path(folder))} files, {os.cpu_count()} cores", flush=True)
        for number in range(options.rounds):
            for name in ("local", "ray"):
                begun = time.perf_counter()
                with engine_of(asked_engine(name)) as engine:
                    print(f"round {number + 1}, {name}: begun in {time.perf_counter() - begun:.1f} s", flush=True)
                    for kind, values in work(engine, Path(folder), options.embedded).items():
                        print(f"  {kind}: {_told(values)}", flush=True)


def _told(values: dict[str, Any]) -> str:
    words = (f"{name} {value:.1f}" if isinstance(value, float) else f"{name} {value}" for name, value in values.items())
    return ", ".join(words)


if __name__ == "__main__":
    main()
