"""Stored articles that have far fewer sentences than today's splitter would make of them.

An earlier release made such ones on Python 3.11.0 to 3.11.4: there, few sentences ended but behind a citation or a
bracket. Their text is not split again, since verdicts belong to its sentences; docs/troubleshooting.md tells
the way out.
"""

from collections import Counter
from collections.abc import Collection, Sequence

from sqlalchemy.orm import Session

import db.articles
import db.curation
from annotate.articles.importing.splitting import ONE_SENTENCE
from annotate.articles.sentences import split_sentences
from annotate.project.memory import Latest

# Spread evenly over a project, so that no import of more than a three-hundredth of it is missed. 300 full texts
# take two to three seconds of a processor.
LOOKED_AT = 300
# Of the sentences that begin within its paragraphs, an article lacks a third, and two at least. Python 3.11.2 left out
# .45 to 1.0 of them in 175 full texts, .67 to 1.0 in 110 abstracts.
LACKING, FEWEST = 1 / 3, 2
AT_ONCE = 100

_known: Latest[bool] = Latest()


def split_wrongly(session: Session) -> list[str]:
    """Their keys, by id; of a large project few articles are looked at, and all where one of these is such."""
    keys = db.curation.keys_of_kept(session)
    wrong = _wrong(session, _spread(keys))
    if wrong and len(keys) > LOOKED_AT:
        wrong = _wrong(session, sorted(keys))
    return [keys[article_id] for article_id in wrong]


def is_any_split_wrongly(session: Session) -> bool:
    """Whether there is one among few; remembered until articles leave or come back. For sessions that only read."""
    keys_of_kept = db.curation.keys_of_kept
    mark = db.curation.last_removal(session)
    return _known.at(mark, lambda: bool(_wrong(session, _spread(keys_of_kept(session)))))


def _spread(article_ids: Collection[int]) -> list[int]:
    return sorted(article_ids)[:: max(1, len(article_ids) // LOOKED_AT)]


def _wrong(session: Session, ids: Sequence[int]) -> list[int]:
    found = []
    for start in range(0, len(ids), AT_ONCE):
        wanted, lacking = Counter[int](), Counter[int]()
        for article_id, kind, text, begins in db.articles.paragraphs_as_split(session, ids[start : start + AT_ONCE]):
            today = {begin for begin, _ in split_sentences(text)[1:]} if kind not in ONE_SENTENCE else set()
            wanted[article_id] += len(today)
            lacking[article_id] += len(today - begins)
        found += [one for one, many in lacking.items() if many >= FEWEST and many >= LACKING * wanted[one]]
    return sorted(found)
