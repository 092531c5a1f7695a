"""Parsed articles split into sentences, in batches that are stored one after the other. Asks no database."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

from annotate.articles.citations import within_limits
from annotate.articles.document import Paragraph, ParagraphKind
from annotate.articles.parsing import ParsedEntry
from annotate.articles.sentences import check_splitter, split_sentences

# In one transaction. 40 abstracts take about 20 ms to write, so that a reviewer's verdict never waits long.
BATCH_ARTICLES = 40
BATCH_SENTENCES = 2_000
LINK = 0.2  # the cost of a reference, or of a place that cites one, relative to a sentence
# The limit for one article. It is stored in one transaction of 0.2 s (0.8 s on PostgreSQL), in which saves wait. A full
# text has some hundreds.
MAX_SENTENCES = 20_000
# A slow source (a service, a filter that few articles pass) is stored and reported as it comes.
BATCH_SECONDS = 2.0
# Paragraphs that are never split.
ONE_SENTENCE = (ParagraphKind.TABLE, ParagraphKind.FORMULA)
# The sentences of each paragraph as half-open spans.
Spans = list[list[tuple[int, int]]]
# Entries with the sentences of their articles.
Batch = list[tuple[ParsedEntry, Spans]]


def sentence_spans(paragraph: Paragraph) -> list[tuple[int, int]]:
    """The sentences of a paragraph as half-open spans; a table row or a formula is one sentence."""
    if paragraph.kind in ONE_SENTENCE:
        stripped = paragraph.text.strip()
        start = paragraph.text.find(stripped)
        return [(start, start + len(stripped))] if stripped else []
    return split_sentences(paragraph.text)


def batches(entries: Iterable[ParsedEntry], seconds: float = BATCH_SECONDS) -> Iterator[Batch]:
    """Splits into sentences outside the transaction; a batch is bounded by articles, sentences and seconds.

    Raises SplitsWrongly before the first where this Python would split them wrongly.
    """
    check_splitter()
    batch: Batch = []
    size, started = 0.0, time.monotonic()
    for entry in entries:
        split, spans, links = _split(entry)
        batch.append((split, spans))
        size += sum(map(len, spans)) + links * LINK
        late = time.monotonic() - started > seconds
        if late or len(batch) >= BATCH_ARTICLES or size >= BATCH_SENTENCES:
            yield batch
            batch, size, started = [], 0.0, time.monotonic()
    if batch:
        yield batch


def _split(entry: ParsedEntry) -> tuple[ParsedEntry, Spans, int]:
    """The entry with its sentences, and how many references and places that cite it keeps. These are cut to what one
    article may have. Where the sentences are too many, the entry loses its article."""
    if entry.article is None:
        return entry, [], 0
    article, citations = within_limits(entry.article)
    links = len(article.references) + citations
    spans: Spans = []
    count = 0
    for _, _, paragraph in article.paragraphs():
        spans.append(sentence_spans(paragraph))
        count += len(spans[-1])
        if count > MAX_SENTENCES:
            error = f"holds more than {MAX_SENTENCES:,} sentences, which are too many for one article: split the file"
            return ParsedEntry(entry.source, error=error), [], links
    return replace(entry, article=article), spans, links
