"""Brings the index up to date: articles that came in, grew, changed their labels or were recognised again.

Articles that are behind are found by comparing their last change with the index: no writer has to tell it. The index
notes up to which change it held all. In the same database only later changes are compared.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy.orm import Session
from tantivy import Document, IndexWriter, Query

import db.articles
import db.finding.indexed
from annotate.jobs.monitor import Monitor
from annotate.project.home import read
from annotate.project.memory import Latest
from annotate.search.entries import entries
from annotate.search.index_files import DamagedIndex, IndexBusy, StoredIndex, begin_anew, stored_index
from db.finding.indexed import Changes

BATCH_ARTICLES = 40
# A commit waits for the disk; uncommitted work is done again after a kill.
COMMIT_SENTENCES = 200_000
COMMIT_SECONDS = 20.0
# So much is put in while a page waits, in about 0.2 s; more is a job's.
AT_ONCE_SENTENCES = 1_000
# Where more articles changed since, all are compared.
MOST_CHANGED = 1_000
PATIENCE_SECONDS = 60.0  # for another process that writes: a page does so for less than a second

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Behind:
    """Articles whose entries are missing or old, the newest first, and entries of articles that are gone."""

    stale: tuple[int, ...]
    gone: tuple[int, ...]

    def __len__(self) -> int:
        """How many articles are behind."""
        return len(self.stale) + len(self.gone)


_known: Latest[Behind] = Latest()


def behind(session: Session) -> Behind:
    """What the index lacks; all there is where there is no index. Remembered until either changes.

    Raises DamagedIndex.
    """
    index = stored_index()
    seen = (db.finding.indexed.last_change(session), index and (index.folder, index.articles.version))
    return _known.at(seen, lambda: _compared(session, index))


def first_missing(session: Session) -> int | None:
    """The lowest id of an article that is not in the index at all; None where all are, or there is no index."""
    index = stored_index()
    if index is None:
        return None
    stale = behind(session).stale
    there = index.marks() if stale else {}
    return min((number for number in stale if number not in there), default=None)


def _compared(session: Session, index: StoredIndex | None) -> Behind:
    changed = None if index is None else _changed(session, index)
    left = {} if index is None else dict(index.marks()) if changed is None else index.marks_of(changed)
    marks = db.finding.indexed.changes(session, changed)
    stale = sorted((number for number, mark in marks.items() if left.pop(number, None) != mark), reverse=True)
    return Behind(tuple(stale), tuple(left))


def _changed(session: Session, index: StoredIndex) -> list[int] | None:
    """The articles that changed since the index held all; None where that is not known.

    In a database that was restored, the changes up to then are not the ones that the index held.
    """
    held = index.held()
    if held is None:
        return None
    changed = db.finding.indexed.changed_since(session, held.last, MOST_CHANGED + 1)
    if len(changed) > MOST_CHANGED:
        return None
    same = db.finding.indexed.changes_until(session, held.last) == held.without(index.marks_of(changed).values())
    return changed if same else None


def catch_up() -> int:
    """Puts in what little is missing; returns how many articles are behind after it. Raises DamagedIndex.

    Where more is missing, or another process writes, that is left to the job.
    """
    with read() as session:
        missing = behind(session)
        counts = db.articles.sentence_counts(session, missing.stale) if len(missing) <= BATCH_ARTICLES else {}
    if not missing or stored_index() is None:
        return len(missing)
    if len(missing) > BATCH_ARTICLES or sum(counts.values()) > AT_ONCE_SENTENCES:
        return len(missing)
    try:
        update()
    except (IndexBusy, OSError):  # another process is at it; a full disk, which the job will tell
        return len(missing)
    return 0


def update(
    progress: Progress = lambda done, total: None,
    cancelled: Callable[[], bool] = lambda: False,
    *,
    anew: bool = False,
) -> int:
    """Puts in all that is missing, from nothing if `anew`; returns how many articles that were.

    Whenever it stops, or is killed, the index is whole, and what is missing in it is still known. Raises IndexBusy
    while another process writes, IndexNotWritten where the disk is full, DamagedIndex.
    """
    index = None if anew else stored_index()
    if index is None:
        index = begin_anew()
    done = 0
    seen: int | None = None
    held: Changes | None = None
    with index.articles.writing() as articles, index.sentences.writing() as sentences:
        writers = _Writers(index, articles, sentences)
        while not cancelled():
            with read() as session:
                before, seen = seen, db.finding.indexed.last_change(session)
                # What was compared and put in need not be compared again.
                missing = None if seen == before else behind(session)
                if not missing:
                    held = db.finding.indexed.changes_until(session, seen)
                    break
            done += _put_in(writers, missing, progress, cancelled)
    if held is not None:
        index.hold(held)
    return done


def update_whole(
    progress: Progress, cancelled: Callable[[], bool], report: Callable[[str], None], *, anew: bool = False
) -> int:
    """Updates the index as `update`, for a job: builds a damaged one again, waits for another writer."""
    if not anew:
        report("checking the index")
        anew = not _is_sound()
    report("indexing articles")
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return update(progress, cancelled, anew=anew)
        except IndexBusy:
            if time.monotonic() > until or cancelled():
                raise
            time.sleep(0.2)
        except DamagedIndex:
            if anew:
                raise
            anew = True


def _is_sound() -> bool:
    try:
        index = stored_index()
        if index is not None:
            index.check()
            held = sum(index.articles.numbers("sentences")[0])
            # Fewer than the articles say were lost; more may be of a process that was killed, and are replaced.
            return index.sentences.searcher().num_docs >= held
    except (DamagedIndex, OSError):
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Writers:
    """Sentences are committed before their articles: an article that is in the index has all of its sentences there."""

    index: StoredIndex
    articles: IndexWriter
    sentences: IndexWriter

    def remove(self, article_ids: list[int]) -> None:
        for writer, part in ((self.sentences, self.index.sentences), (self.articles, self.index.articles)):
            writer.delete_documents_by_query(Query.term_set_query(part.schema, "article", article_ids))

    def commit(self) -> None:
        self.sentences.commit()
        self.articles.commit()


def _put_in(writers: _Writers, missing: Behind, progress: Progress, cancelled: Callable[[], bool]) -> int:
    if missing.gone:
        writers.remove(list(missing.gone))
    done, waiting, committed_at = 0, 0, time.monotonic()
    progress(0, len(missing.stale))
    for begin in range(0, len(missing.stale), BATCH_ARTICLES):
        if cancelled():
            break
        batch = missing.stale[begin : begin + BATCH_ARTICLES]
        waiting += _add(writers, batch)
        done += len(batch)
        progress(done, len(missing.stale))
        if waiting >= COMMIT_SENTENCES or time.monotonic() - committed_at > COMMIT_SECONDS:
            writers.commit()
            waiting, committed_at = 0, time.monotonic()
    writers.commit()
    return done + len(missing.gone)


def _add(writers: _Writers, batch: tuple[int, ...]) -> int:
    """Puts articles in, in place of their earlier rows; returns how many sentences they have."""
    with read() as session:
        made = list(entries(session, batch))
    writers.remove(list(batch))
    count = 0
    for entry in made:
        writers.articles.add_document(Document.from_dict(entry.article, writers.index.articles.schema))
        for sentence in entry.sentences:
            writers.sentences.add_document(Document.from_dict(sentence, writers.index.sentences.schema))
        count += len(entry.sentences)
    return count


def index_articles(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Brings the search index up to date; from nothing where the payload says `anew`, or it is damaged."""
    report = partial(monitor.report, "indexing articles")
    count = update_whole(report, monitor.cancelled, monitor.report, anew=bool(payload.get("anew")))
    monitor.stop_if_cancelled()
    return {"articles_indexed": count}
