"""Entities of stored articles: recognised, kept as candidates with their version, and made into proposed labels."""

from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy.orm import Session

import db.articles
import db.entities
from annotate.articles.document_labels import MAX_NAME, plain_name
from annotate.entities.kinds import TYPES, Vocabulary
from annotate.entities.recognition import ALL_VOCABULARIES, recogniser, version_now
from annotate.entities.vocabularies import lexicon_of
from annotate.project.home import read, write
from annotate.project.rights import Right
from db.tables import Paragraph
from model.entities.kinds import EntityType, Entry, Mention
from model.entities.lexicon import Lexicon
from model.entities.proposed import Proposal, propose_labels
from model.entities.recogniser import Recogniser

# In one transaction. So many abstracts are written in some 20 ms; what takes time is done outside of it.
BATCH_ARTICLES = 20
MOST_SYNONYMS = 6
_JOINT = "\n\n"


def tag_articles(
    article_ids: Collection[int] | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    cancelled: Callable[[], bool] = lambda: False,
    vocabularies: Collection[Vocabulary] = ALL_VOCABULARIES,
) -> int:
    """Recognises entities in articles that this version has not seen; returns how many these were.

    What is done is stored batch by batch: a job that was killed goes on where it stood. Confirmed labels are not
    touched. Compiles vocabularies on first use.
    """
    version = version_now(vocabularies)
    with read() as session:
        total = db.entities.count_to_scan(session, version, article_ids)
    progress(0, total)
    done = 0
    if not total:
        return done
    recognise = recogniser(vocabularies)
    lexicons = {TYPES[each]: lexicon_of(each) for each in vocabularies}
    while not cancelled():
        if version_now(vocabularies) != version:  # names were loaded meanwhile: go on with those
            return done + tag_articles(article_ids, progress, cancelled, vocabularies)
        with read() as session:
            batch = db.entities.articles_to_scan(session, version, article_ids, limit=BATCH_ARTICLES)
            counts = db.articles.sentence_counts(session, batch)
            found = [(article_id, *_scan(session, article_id, recognise, lexicons)) for article_id in batch]
        if not batch:
            break
        with write(Right.SYSTEM) as session:
            for article_id, candidates, proposals in found:
                seen = f"{version}/{counts[article_id]}"
                db.entities.replace_scan(session, article_id, seen, candidates, proposals)
        done += len(batch)
        progress(done, max(total, done))
    return done


Rows = list[dict[str, Any]]


def _scan(
    session: Session, article_id: int, recognise: Recogniser, lexicons: Mapping[EntityType, Lexicon]
) -> tuple[Rows, Rows]:
    """(candidates, proposed labels) of an article, as rows."""
    article = db.articles.article(session, article_id)
    title = article.title if article else ""
    paragraphs = db.articles.paragraphs(session, article_id)
    begins, place = {}, len(title) + len(_JOINT)
    for paragraph in paragraphs:
        begins[paragraph.id] = place
        place += len(paragraph.text) + len(_JOINT)
    text = _JOINT.join([title, *(paragraph.text for paragraph in paragraphs)])
    mentions = recognise.recognise(text, len(title))
    candidates = [
        row for paragraph in paragraphs for row in _rows(paragraph, begins[paragraph.id], mentions, text, lexicons)
    ]
    spans = [(-1, 0, len(title))] if title else []
    for sentence in db.articles.sentences(session, [article_id]):
        begin = begins[sentence.paragraph_id]
        spans.append((sentence.position, begin + sentence.start, begin + sentence.end))
    return candidates, _proposed(text, spans, mentions, lexicons)


def _rows(
    paragraph: Paragraph, begin: int, mentions: Sequence[Mention], text: str, lexicons: Mapping[EntityType, Lexicon]
) -> Rows:
    end = begin + len(paragraph.text)
    return [
        {
            "paragraph_id": paragraph.id,
            "start": mention.start - begin,
            "end": mention.end - begin,
            "type": str(mention.type),
            "identifiers": list(mention.identifiers),
            "name": _official(mention, text, lexicons),
            "probability": mention.probability,
        }
        for mention in mentions
        if begin <= mention.start and mention.end <= end
    ]


def _official(mention: Mention, text: str, lexicons: Mapping[EntityType, Lexicon]) -> str:
    entry = _entry(mention.type, mention.identifiers, lexicons)
    return entry.name if entry else text[mention.start : mention.end]


def _entry(kind: EntityType, identifiers: Sequence[str], lexicons: Mapping[EntityType, Lexicon]) -> Entry | None:
    lexicon = lexicons.get(kind)
    return lexicon.by_identifier(identifiers[0]) if lexicon is not None and identifiers else None


def _proposed(
    text: str,
    spans: Sequence[tuple[int, int, int]],
    mentions: Sequence[Mention],
    lexicons: Mapping[EntityType, Lexicon],
) -> Rows:
    """`spans` are (position, start, end) of the sentences, the title's position is -1."""
    starts = [mention.start for mention in mentions]
    placed = []
    for _, begin, end in spans:
        inside = mentions[bisect_left(starts, begin) : bisect_left(starts, end)]
        placed.append([replace(m, start=m.start - begin, end=m.end - begin) for m in inside if m.end <= end])
    written = [text[begin:end] for _, begin, end in spans]
    positions = [position for position, *_ in spans]
    titles = positions.count(-1)
    return [
        _proposal_row(proposal, rank, positions, lexicons)
        for proposals in propose_labels(written, placed, titles).values()
        for rank, proposal in enumerate(proposals, 1)
        if len(proposal.name) <= MAX_NAME and plain_name(proposal.name)
    ]


def _proposal_row(
    proposal: Proposal, rank: int, positions: Sequence[int], lexicons: Mapping[EntityType, Lexicon]
) -> dict[str, Any]:
    entry = next(
        (found for kind in _kinds(proposal.kind) if (found := _entry(kind, proposal.identifiers, lexicons))), None
    )
    shown = plain_name(proposal.name)
    names = map(plain_name, (entry.name, *entry.synonyms)) if entry else ()
    synonyms = [name for name in dict.fromkeys(names) if name != shown and 1 < len(name) <= MAX_NAME]
    return {
        "kind": proposal.kind,
        "rank": rank,
        "name": shown,
        "identifiers": list(proposal.identifiers),
        "synonyms": synonyms[:MOST_SYNONYMS],
        "probability": proposal.probability,
        "sentences": [positions[at] for at in proposal.sentences if positions[at] >= 0],
    }


def _kinds(kind: str) -> tuple[EntityType, ...]:
    if kind == "gene":
        return (EntityType.GENE,)
    return (EntityType.CELL_LINE, EntityType.CELL_TYPE, EntityType.ORGANISM) if kind == "cell" else ()
