"""Articles, their text and their document labels: one function a query."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Select, String, delete, func, literal_column, or_, select, tuple_
from sqlalchemy.orm import Session

import db.rows
from db.base import grouped, number_on, table_of, tuples
from db.curation import chunks, kept, rows_of_some
from db.tables import Article, Citation, DocumentLabel, Paragraph, Reference, Section, Sentence
from db.values import MESH_SECTION, Split

SPLITS = tuple(map(str, Split))
ALL = "all"
Ordered = TypeVar("Ordered", Section, Paragraph, Reference)
_TEXTS = select(Paragraph.article_id, Paragraph.text).order_by(Paragraph.article_id, Paragraph.position)


@dataclass(frozen=True, slots=True)
class SentenceText:
    """A sentence with its text and where it stands."""

    id: int
    article_id: int
    position: int
    paragraph_id: int
    start: int
    end: int
    text: str
    paragraph_kind: str
    section_kind: str
    section: str
    section_id: int


def find_by_identifiers(
    session: Session, *, key: str, pmid: str | None, pmcid: str | None, doi: str | None
) -> Sequence[Article]:
    """The stored articles that share the key or an identifier; different PMIDs are different articles."""
    same = [Article.key == key]
    same += [
        column == value for column, value in ((Article.pmid, pmid), (Article.pmcid, pmcid), (Article.doi, doi)) if value
    ]
    return session.scalars(select(Article).where(or_(*same)).order_by(Article.id)).all()


def find_by_name(session: Session, *, key: str = "", pmid: str = "", pmcid: str = "", doi: str = "") -> int | None:
    """The id of the article with this key, PMID, PMCID or DOI, tried in that order."""
    for column, value in ((Article.key, key), (Article.pmid, pmid), (Article.pmcid, pmcid), (Article.doi, doi)):
        if value and (found := session.scalar(select(Article.id).where(column == value))):
            return found
    return None


def next_ids(session: Session) -> dict[str, int]:
    """The next free id of the text tables, so that whole articles can be inserted in bulk."""
    tables = (Article, Section, Paragraph, Sentence)
    return {table.__tablename__: db.rows.last_id(session, table) + 1 for table in tables}


def insert_text(session: Session, rows: dict[type, list[dict[str, Any]]]) -> None:
    """Inserts rows of articles, sections, paragraphs, sentences, references and citations, in that order."""
    for table in (Article, Section, Paragraph, Sentence, Reference, Citation):
        if rows.get(table):
            session.connection().execute(table_of(table).insert(), rows[table])
            number_on(session, table)


def text_shape(session: Session, article_id: int) -> tuple[int, int, int]:
    """How many sections, paragraphs and sentences an article has."""

    def count(table: type[Section | Paragraph | Sentence]) -> int:
        return session.scalar(select(func.count()).select_from(table).where(table.article_id == article_id)) or 0

    return count(Section), count(Paragraph), count(Sentence)


def article(session: Session, article_id: int) -> Article | None:
    """The article with this id."""
    return session.get(Article, article_id)


def articles(session: Session, article_ids: Collection[int] | None = None) -> dict[int, Article]:
    """The articles with these ids, removed ones too, or all of the project, by id and in its order."""
    query = select(Article).order_by(Article.id)
    if article_ids is None:
        return {row.id: row for row in session.scalars(query.where(kept(Article.id)))}
    return {row.id: row for (row,) in rows_of_some(session, query, Article.id, article_ids)}


def titles(session: Session, article_ids: Collection[int]) -> dict[int, str]:
    """The titles of some articles by id."""
    return dict(rows_of_some(session, select(Article.id, Article.title), Article.id, article_ids))


def keys_and_splits(session: Session) -> dict[int, tuple[str, str]]:
    """(key, split) of all articles by id."""
    return {row[0]: (row[1], row[2]) for row in session.execute(select(Article.id, Article.key, Article.split))}


_TITLES_AND_SPLITS = select(Article.id, Article.title, Article.split).order_by(Article.id)


def with_title_keys(session: Session, keys: Collection[str]) -> list[tuple[int, str, str]]:
    """(id, title, split) of the articles with one of these keys of titles; of one key in order."""
    return rows_of_some(session, _TITLES_AND_SPLITS, Article.title_key, keys)


def divided_titles(session: Session) -> list[tuple[int, str, str]]:
    """(id, title, split) of the articles whose key of the title lies in several splits, in order."""
    several = select(Article.title_key).group_by(Article.title_key)
    several = several.having(func.min(Article.split) != func.max(Article.split))
    return tuples(session.execute(_TITLES_AND_SPLITS.where(Article.title_key.in_(several))))


def beginnings(session: Session, article_ids: Sequence[int], paragraphs: int) -> dict[int, list[str]]:
    """The first `paragraphs` paragraphs of some articles, by article id."""
    return _by_article(session, article_ids, _TEXTS.where(Paragraph.position < paragraphs))


def abstracts(session: Session, article_ids: Sequence[int], kind: str) -> dict[int, list[str]]:
    """The paragraphs of these articles' sections of this kind, in reading order, by article id."""
    texts = _TEXTS.join(Section, Section.id == Paragraph.section_id).where(Section.kind == kind)
    return _by_article(session, article_ids, texts)


def _by_article(session: Session, article_ids: Sequence[int], texts: Select[int, str]) -> dict[int, list[str]]:
    return grouped(rows_of_some(session, texts, Paragraph.article_id, article_ids))


def sections(session: Session, article_id: int) -> Sequence[Section]:
    """The sections in reading order; its MeSH terms are none."""
    return session.scalars(_in_order(Section, article_id).where(Section.kind != MESH_SECTION)).all()


def section_paths(session: Session, article_ids: Sequence[int]) -> dict[int, tuple[str, list[str]]]:
    """By section id of some articles: its kind, and the titles of it and of all around it, the outermost first."""
    columns = select(Section.id, Section.parent_id, Section.kind, Section.title)
    known = {row[0]: row[1:] for row in session.execute(columns.where(Section.article_id.in_(article_ids)))}

    def titles_to(section_id: int | None) -> list[str]:
        if section_id is None:
            return []
        around, _, title = known[section_id]
        return [*titles_to(around), title]

    return {section_id: (kind, titles_to(section_id)) for section_id, (_, kind, _) in known.items()}


def paragraphs(session: Session, article_id: int) -> Sequence[Paragraph]:
    """The paragraphs in reading order."""
    return session.scalars(_in_order(Paragraph, article_id)).all()


def _in_order(table: type[Ordered], article_id: int) -> Select[Ordered]:
    return select(table).where(table.article_id == article_id).order_by(table.position)


def paragraph_texts(session: Session, article_id: int, *, but: str) -> list[str]:
    """The texts of an article's paragraphs in reading order, without one kind of section."""
    texts = (
        select(Paragraph.text)
        .join(Section, Section.id == Paragraph.section_id)
        .where(Paragraph.article_id == article_id, Section.kind != but)
        .order_by(Paragraph.position)
    )
    return list(session.scalars(texts))


def paragraphs_as_split(session: Session, article_ids: Collection[int]) -> list[tuple[int, str, str, set[int]]]:
    """(article id, kind, text, where its sentences begin) of each paragraph of some articles."""
    begins: dict[int, set[int]] = {}
    own = select(Sentence.paragraph_id, Sentence.start).where(Sentence.article_id.in_(article_ids))
    for paragraph_id, start in session.execute(own):
        begins.setdefault(paragraph_id, set()).add(start)
    columns = select(Paragraph.article_id, Paragraph.kind, Paragraph.text, Paragraph.id)
    rows = session.execute(columns.where(Paragraph.article_id.in_(article_ids)))
    return [(article_id, kind, text, begins.get(number, set())) for article_id, kind, text, number in rows]


def references(session: Session, article_id: int) -> Sequence[Reference]:
    """The reference list in order."""
    return session.scalars(_in_order(Reference, article_id)).all()


def sentences(session: Session, article_ids: Sequence[int]) -> list[SentenceText]:
    """The sentences of some articles with their texts, by article and position."""
    return sentences_where(session, Sentence.article_id.in_(article_ids))


def sentences_where(session: Session, condition: ColumnElement[bool]) -> list[SentenceText]:
    """The sentences that meet a condition, with their texts, by article and position."""
    place = (Sentence.id, Sentence.article_id, Sentence.position, Sentence.paragraph_id, Sentence.start, Sentence.end)
    rows = session.execute(
        select(*place, Paragraph.text, Paragraph.kind, Section.kind, Section.title, Section.id)
        .join(Paragraph, Paragraph.id == Sentence.paragraph_id)
        .join(Section, Section.id == Paragraph.section_id)
        .where(condition)
        .order_by(Sentence.article_id, Sentence.position)
    )
    return [SentenceText(*row[:6], row[6][row[4] : row[5]], *row[7:]) for row in rows]


def sentence_ids(session: Session, article_id: int) -> dict[int, int]:
    """Sentence ids of an article by position."""
    rows = session.execute(select(Sentence.position, Sentence.id).where(Sentence.article_id == article_id)).all()
    return dict(rows)


def sentence_counts(session: Session, article_ids: Collection[int]) -> dict[int, int]:
    """How many sentences each of some articles has."""
    return dict(rows_of_some(session, select(Article.id, Article.sentence_count), Article.id, article_ids))


def text_mark(session: Session) -> tuple[int, int]:
    """(articles, sentences) in all, removed ones too: changes whenever text comes in, since none ever goes."""
    articles, sentences = session.execute(
        select(func.count(), func.sum(Article.sentence_count)).select_from(Article)
    ).one()
    return articles, sentences or 0


def sentence_places(session: Session, article_id: int, positions: Collection[int]) -> dict[int, tuple[int, str]]:
    """(sentence id, title of its section) of some sentences of an article, by position."""
    rows = session.execute(
        select(Sentence.position, Sentence.id, Section.title)
        .join(Paragraph, Paragraph.id == Sentence.paragraph_id)
        .join(Section, Section.id == Paragraph.section_id)
        .where(Sentence.article_id == article_id, Sentence.position.in_(positions))
    )
    return {position: (sentence_id, title) for position, sentence_id, title in rows}


def sentences_at(session: Session, places: Collection[tuple[int, int]]) -> dict[tuple[int, int], SentenceText]:
    """The sentences at some (article id, position); those that are no longer there are left out."""
    at = tuple_(Sentence.article_id, Sentence.position)
    found = (one for some in chunks(places) for one in sentences_where(session, at.in_(some)))
    return {(one.article_id, one.position): one for one in found}


def document_labels(session: Session, article_ids: Sequence[int]) -> dict[int, list[DocumentLabel]]:
    """The document labels of some articles, by article."""
    found: dict[int, list[DocumentLabel]] = {article_id: [] for article_id in article_ids}
    query = select(DocumentLabel).where(DocumentLabel.article_id.in_(article_ids))
    for label in session.scalars(query.order_by(DocumentLabel.id)):
        found[label.article_id].append(label)
    return found


def replace_document_labels(session: Session, labels: Mapping[int, Iterable[dict[str, Any]]]) -> None:
    """Replaces the document labels of some articles, by id, with these (kind, name, synonyms, identifiers)."""
    session.execute(delete(DocumentLabel).where(DocumentLabel.article_id.in_(labels)))
    rows = [{"article_id": article_id, **label} for article_id, own in labels.items() for label in own]
    db.rows.add_all(session, DocumentLabel, rows)


def totals(session: Session) -> dict[str, int]:
    """Of the project: articles, those with full text, sentences, articles with any text, and articles by split."""
    counted = session.execute(
        select(
            func.count(),
            func.count().filter(Article.full_text),
            func.sum(Article.sentence_count),
            func.count().filter(Article.sentence_count > 0),
        ).where(kept(Article.id))
    ).one()
    by_split = select(Article.split, func.count()).where(kept(Article.id)).group_by(Article.split)
    splits = dict(session.execute(by_split).all())
    return {
        "articles": counted[0] or 0,
        "full_text": int(counted[1] or 0),
        "sentences": int(counted[2] or 0),
        "articles_with_text": counted[3] or 0,
        **{f"split_{name}": splits.get(name, 0) for name in SPLITS},
    }


def splits(session: Session, article_ids: Collection[int]) -> dict[int, str]:
    """The splits of some articles by id."""
    return dict(rows_of_some(session, select(Article.id, Article.split), Article.id, article_ids))


# MeSH terms of an article: a section of their own kind without paragraphs, whose title holds one term a line.


def written_mesh(terms: Sequence[str]) -> str:
    """Terms as they are stored."""
    return "\n".join(" ".join(term.split()) for term in terms)


def mesh_terms(session: Session, article_ids: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """By article, its MeSH terms as "D003550:Cystic Fibrosis", of the articles among some that have any."""
    # Spelled out, since SQLite takes an index of some rows for a condition that it knows beforehand.
    is_mesh = Section.kind == literal_column(f"'{MESH_SECTION}'", String)
    query = select(Section.article_id, Section.title).where(is_mesh)
    rows = rows_of_some(session, query, Section.article_id, article_ids)
    return {number: tuple(text.split("\n")) for number, text in rows}
