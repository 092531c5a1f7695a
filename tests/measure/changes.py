"""What a first question compares of very many articles: all, or what changed since the index held all. No texts.

`python -m tests.measure.changes 1000000`: the middle of five of each, by the clock and of a processor.
"""

import os
import random
import sys
import tempfile
from collections.abc import Iterable
from statistics import median
from time import perf_counter, process_time

from sqlalchemy import text
from tantivy import Document

import db.finding.indexed
from annotate.project.home import read, write
from annotate.project.memory import Latest
from annotate.project.rights import Right
from annotate.search import upkeep
from annotate.search.index_files import StoredIndex, begin_anew

CHANGED = 100
AN_ARTICLE = (
    "INSERT INTO article (id, key, title, title_key, split, source, full_text, sentence_count, warnings, imported_at) "
    "VALUES (:id, :id, :id, :id, 'train', 'none', 0, 10, '[]', '')"
)
A_CHANGE = "INSERT INTO article_change VALUES (:id, :mark) ON CONFLICT (article_id) DO UPDATE SET mark = excluded.mark"


def mark(number: int) -> int:
    """A mark as the triggers make it."""
    return (number << 20) + random.getrandbits(20)


def note(marks: Iterable[tuple[int, int]], *, new: bool) -> None:
    """Writes marks of articles to the database, where they are new with empty articles."""
    rows = [{"id": number, "mark": own} for number, own in marks]
    with write(Right.SYSTEM) as session:
        if new:
            session.execute(text("DROP TRIGGER article_insert_is_a_change"))
            session.execute(text(AN_ARTICLE), rows)
        session.execute(text(A_CHANGE), rows)


def ask(name: str, index: StoredIndex) -> None:
    """Prints how long one waits for what is behind, as in a new process."""
    waits = []
    for _ in range(5):
        upkeep._known = Latest()
        index._marks = ((0, 0), {})
        clock, work = perf_counter(), process_time()
        with read() as session:
            found = len(upkeep.behind(session))
        waits.append((perf_counter() - clock, process_time() - work))
    seconds, of_processor = (median(each) for each in zip(*waits, strict=True))
    print(f"{name}: {found:,} behind, {seconds:.2f} s, {of_processor:.2f} s of a processor", flush=True)


def main(count: int) -> None:
    """Makes so many articles without texts in a folder that is removed again, and prints three lines."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["KEYLINE_HOME"] = home
        marks = {number: mark(number) for number in range(1, count + 1)}
        note(marks.items(), new=True)
        index = begin_anew()
        with index.articles.writing() as articles, index.sentences.writing() as sentences:
            for number, own in marks.items():
                values = {"article": number, "mark": own, "sentences": 0}
                articles.add_document(Document.from_dict(values, index.articles.schema))
            sentences.commit()
            articles.commit()
        ask("all compared", index)
        with read() as session:
            index.hold(db.finding.indexed.changes_until(session, db.finding.indexed.last_change(session)))
        ask("held, nothing changed", index)
        note([(number, mark(count + number)) for number in range(1, CHANGED + 1)], new=False)
        ask(f"held, {CHANGED} changed", index)


if __name__ == "__main__":
    main(int(sys.argv[1]))
