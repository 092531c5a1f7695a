"""Parsed articles into the database: identified, split into sentences, stored whole or not at all."""

from collections.abc import Callable, Iterable

from annotate.articles.article_rows import BatchWriter
from annotate.articles.import_report import ImportReport
from annotate.articles.parsing import ParsedEntry
from annotate.articles.splitting import Batch, batches
from annotate.articles.works import KnownWorks
from annotate.project.home import read, write
from annotate.project.rights import Right


def ingest(
    entries: Iterable[ParsedEntry],
    *,
    progress: Callable[[int], None] = lambda done: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> ImportReport:
    """Stores every readable article once; the rest is reported."""
    return store(batches(entries), progress=progress, cancelled=cancelled)


def store(
    ready: Iterable[Batch],
    *,
    progress: Callable[[int], None] = lambda done: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> ImportReport:
    """Stores batches in short transactions of whole articles, each article once; the rest is reported."""
    report, works = ImportReport(), KnownWorks()
    done = 0
    with read() as session:  # the many at once, before any save has to wait for it
        works.learn(session)
    for batch in ready:
        if cancelled():
            break
        with write(Right.IMPORT) as session:
            writer = BatchWriter(session, report, works)
            for entry, spans in batch:
                writer.add(entry, spans)
            writer.flush()
        done += len(batch)
        progress(done)
    return report
