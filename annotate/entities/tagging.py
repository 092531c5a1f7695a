"""Entities of stored articles: recognised, kept as candidates with their version, and made into proposed labels."""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy.orm import Session

import db.articles
import db.entities
from annotate.articles.document_labels import MAX_NAME, plain_name
from annotate.engines.engine import HERE, Engine, Work
from annotate.entities.recognition import ALL_VOCABULARIES, recogniser_with, taggers_folder, version_now, version_with
from annotate.entities.vocabularies import lexicon_of
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.topics.vocabularies import TYPES, Vocabulary
from model.entities.edited import GeneSpan, genes_in
from model.entities.kinds import Entry, Mention
from model.entities.lexicon import Lexicon
from model.entities.proposed import Proposal, propose_labels
from model.entities.recogniser import Recogniser
from model.entity_types import EntityType

# Articles in one transaction, written in some 20 ms; slow work is done outside of it.
BATCH_ARTICLES = 20
MOST_SYNONYMS = 6
_JOINT = "\n\n"
# Of a kind of proposals, what they may be.
_TYPES_OF = {"gene": (EntityType.GENE,), "cell": (EntityType.CELL_LINE, EntityType.CELL_TYPE, EntityType.ORGANISM)}
Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ArticleText:
    """A title, paragraphs as (id, text), and sentences as (position, paragraph's id, start, end)."""

    article_id: int
    sentence_count: int
    title: str
    paragraphs: list[tuple[int, str]]
    sentences: list[tuple[int, int, int, int]]


@dataclass(frozen=True, slots=True)
class Scanned:
    """The entities that a version recognised in an article, as rows of candidates and of proposed labels;
    `sentence_count`: how much of the article there was."""

    article_id: int
    version: str
    sentence_count: int
    candidates: Rows
    proposals: Rows


class Recognition(Work[list[ArticleText], list[Scanned]]):
    """Recognises entities in articles by the vocabularies as they are when its process first needs them."""

    def __init__(self, vocabularies: Collection[Vocabulary]) -> None:
        self.vocabularies = tuple(vocabularies)
        self.taggers = taggers_folder()  # now: what works elsewhere has no database
        self._loaded: tuple[str, Recogniser, dict[EntityType, Lexicon]] | None = None

    def __call__(self, given: list[ArticleText]) -> Iterable[list[Scanned]]:
        """The entities recognised in each of the articles."""
        if self._loaded is None:
            version = version_with(self.vocabularies, self.taggers)
            recognise = recogniser_with(self.vocabularies, self.taggers)
            self._loaded = version, recognise, {TYPES[each]: lexicon_of(each) for each in self.vocabularies}
        version, recognise, lexicons = self._loaded
        yield [
            Scanned(text.article_id, version, text.sentence_count, *_scan(text, recognise, lexicons)) for text in given
        ]


def tag_articles(
    article_ids: Collection[int] | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    cancelled: Callable[[], bool] = lambda: False,
    vocabularies: Collection[Vocabulary] = ALL_VOCABULARIES,
    engine: Engine = HERE,
) -> int:
    """Recognises entities in articles that this version has not seen; returns how many these were.

    Results are stored batch by batch: a job that was killed goes on where it stood. Confirmed labels are not
    touched. Compiles vocabularies on first use.
    """
    done, before = 0, -1
    while done > before:  # until all were seen by the names of now: more may be loaded, and articles grow, meanwhile
        before, version = done, version_now(vocabularies)
        with read() as session:
            left = db.entities.unread(version).count(session, article_ids)
        total = done + left
        progress(done, total)
        unseen = _unseen(version, vocabularies, article_ids) if left else ()
        for found in engine.map(Recognition(vocabularies), unseen, cancelled, ordered=False):
            with write(Right.SYSTEM) as session:
                for one in found:
                    db.entities.replace_scan(
                        session, one.article_id, one.version, one.sentence_count, one.candidates, one.proposals
                    )
            done += len(found)
            progress(done, max(total, done))
    return done


def _unseen(
    version: str, vocabularies: Collection[Vocabulary], article_ids: Collection[int] | None
) -> Iterator[list[ArticleText]]:
    """One pass over the articles that this version has not seen, read as they are asked for, as long as it holds."""
    last = None
    while version_now(vocabularies) == version:
        with read() as session:
            batch = db.entities.unread(version).ids(session, article_ids, limit=BATCH_ARTICLES, before=last)
            counts = db.articles.sentence_counts(session, batch)
            texts = [_text_of(session, article_id, counts[article_id]) for article_id in batch]
        if not batch:
            return
        last = batch[-1]
        yield texts


def _text_of(session: Session, article_id: int, sentence_count: int) -> ArticleText:
    article = db.articles.article(session, article_id)
    return ArticleText(
        article_id,
        sentence_count,
        article.title if article else "",
        [(paragraph.id, paragraph.text) for paragraph in db.articles.paragraphs(session, article_id)],
        [(one.position, one.paragraph_id, one.start, one.end) for one in db.articles.sentences(session, [article_id])],
    )


def _scan(article: ArticleText, recognise: Recogniser, lexicons: Mapping[EntityType, Lexicon]) -> tuple[Rows, Rows]:
    """(candidates, proposed labels) of an article, as rows."""
    title = article.title
    begins, place = {}, len(title) + len(_JOINT)
    for paragraph_id, written in article.paragraphs:
        begins[paragraph_id] = place
        place += len(written) + len(_JOINT)
    text = _JOINT.join([title, *(written for _, written in article.paragraphs)])
    mentions = recognise.recognise(text, len(title))
    spans = [(-1, 0, len(title))] if title else []
    for position, paragraph_id, start, end in article.sentences:
        begin = begins[paragraph_id]
        spans.append((position, begin + start, begin + end))
    sentences, placed = [text[begin:end] for _, begin, end in spans], _placed(spans, mentions)
    shown = _with_genes_of(spans, mentions, genes_in(sentences, placed)) if EntityType.GENE in lexicons else mentions
    candidates = [
        row
        for paragraph_id, paragraph in article.paragraphs
        for row in _rows(paragraph_id, begins[paragraph_id], len(paragraph), shown, text, lexicons)
    ]
    return candidates, _proposed([position for position, *_ in spans], sentences, placed, lexicons)


def _placed(spans: Sequence[tuple[int, int, int]], mentions: Sequence[Mention]) -> list[list[Mention]]:
    """The mentions of each sentence, by offsets in it. `spans`: (position, -1 for the title, start, end)."""
    starts = [mention.start for mention in mentions]
    placed = []
    for _, begin, end in spans:
        inside = mentions[bisect_left(starts, begin) : bisect_left(starts, end)]
        placed.append([replace(m, start=m.start - begin, end=m.end - begin) for m in inside if m.end <= end])
    return placed


def _with_genes_of(
    spans: Sequence[tuple[int, int, int]], mentions: Sequence[Mention], genes: Sequence[Sequence[GeneSpan]]
) -> list[Mention]:
    """The mentions with the genes that labels are proposed from, so that these are coloured."""
    found = [mention for mention in mentions if mention.type is not EntityType.GENE]
    for (_, begin, _), its in zip(spans, genes, strict=True):
        for gene in its:
            place = begin + gene.start, begin + gene.end
            found.append(Mention(*place, EntityType.GENE, gene.identifiers, gene.probability))
    return sorted(found, key=lambda mention: (mention.start, mention.end))


def _rows(
    paragraph_id: int,
    begin: int,
    length: int,
    mentions: Sequence[Mention],
    text: str,
    lexicons: Mapping[EntityType, Lexicon],
) -> Rows:
    return [
        {
            "paragraph_id": paragraph_id,
            "start": mention.start - begin,
            "end": mention.end - begin,
            "type": str(mention.type),
            "identifiers": list(mention.identifiers),
            "name": entry.name if entry else text[mention.start : mention.end],
            "probability": mention.probability,
        }
        for mention in mentions
        if begin <= mention.start and mention.end <= begin + length
        for entry in [_entry(mention.type, mention.identifiers, lexicons)]
    ]


def _entry(kind: EntityType, identifiers: Sequence[str], lexicons: Mapping[EntityType, Lexicon]) -> Entry | None:
    lexicon = lexicons.get(kind)
    return lexicon.by_identifier(identifiers[0]) if lexicon is not None and identifiers else None


def _proposed(
    positions: Sequence[int],
    written: Sequence[str],
    placed: Sequence[Sequence[Mention]],
    lexicons: Mapping[EntityType, Lexicon],
) -> Rows:
    """`positions`: where each sentence stands in the article; -1 for the title."""
    return [
        _proposal_row(proposal, rank, positions, lexicons)
        for proposals in propose_labels(written, placed, positions.count(-1)).values()
        for rank, proposal in enumerate(proposals, 1)
        if len(proposal.name) <= MAX_NAME and plain_name(proposal.name)
    ]


def _proposal_row(
    proposal: Proposal, rank: int, positions: Sequence[int], lexicons: Mapping[EntityType, Lexicon]
) -> dict[str, Any]:
    found = (_entry(kind, proposal.identifiers, lexicons) for kind in _TYPES_OF.get(proposal.kind, ()))
    entry = next(filter(None, found), None)
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
