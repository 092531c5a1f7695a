"""Parsed articles into the database: identified, split into sentences, stored whole or not at all."""

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from annotate.articles.article_rows import BatchWriter
from annotate.articles.import_report import ImportReport
from annotate.articles.importing.splitting import Batch
from annotate.articles.works import KnownWorks
from annotate.project.home import read, write
from annotate.project.rights import Right


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
    with _rarely_collected():
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


@contextmanager
def _rarely_collected() -> Iterator[None]:
    """Keeps the garbage collector from what was there before, meanwhile: articles are many objects, each some hundreds
    of which would have it look through all that is loaded, a fifth of the work of storing."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
