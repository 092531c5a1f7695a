"""Parsed articles into the database, as an import stores them."""

from collections.abc import Callable, Iterable

from annotate.articles.article_rows import store
from annotate.articles.import_report import ImportReport
from annotate.articles.importing.splitting import batches
from annotate.articles.parsing import ParsedEntry


def ingest(
    entries: Iterable[ParsedEntry],
    *,
    progress: Callable[[ImportReport], None] = lambda report: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> ImportReport:
    """Stores every readable article once; the rest is reported."""
    return store(batches(entries), progress=progress, cancelled=cancelled)
