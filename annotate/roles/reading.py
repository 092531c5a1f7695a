"""The roles and vectors of the sentences of stored articles. Imports torch: for jobs and commands."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.roles
import db.rows
from annotate.articles.document import SectionKind, part_of
from annotate.engines.engine import HERE, Engine, Work
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.project.stored_settings import settings_now
from annotate.registry.versions import model_folder, version_named
from annotate.review.sentence_roles import FunctionSettings
from annotate.roles.model_files import load_version, model_now, version_now
from annotate.roles.train_roles import train_if_missing
from db.articles import SentenceText
from db.base import utc_now
from db.tables import ArticleRoles, Section
from db.values import Kind
from model.roles.role_model import RoleModel
from model.roles.shares import places_of
from model.sentence_roles import EXPECTED, ROLES

BATCH_ARTICLES = 20
SCALE = 255  # of the stored probabilities
# Rows of a table and formulas do nothing that has a name among the roles.
_WITHOUT_ROLE = frozenset({"table", "formula"})
_TELLING = {
    "objective": re.compile(r"\b(?:objectives?|aims?|purpose|goals?|hypothes[ei]s)\b", re.IGNORECASE),
    "conclusions": re.compile(r"\bconclu(?:sions?|ding)\b", re.IGNORECASE),
}
_FORMAL = re.compile(
    r"\b(?:competing|conflicts?|disclosures?|funding|acknowledge?ments?|abbreviations?|contributions?|supplement\w*"
    r"|supporting information|additional files?|registration|pre-publication|consent|data availab\w*)\b",
    re.IGNORECASE,
)
# Publishers print these before and behind the text of an article.
_ASIDE = frozenset({SectionKind.BACK, SectionKind.SUB_ARTICLE})


@dataclass(frozen=True, slots=True)
class Unread:
    """An article to read: its sentences, and the part, a key of EXPECTED, that each stands in."""

    article_id: int
    sentences: Sequence[SentenceText]
    parts: Sequence[str]


class Reading(Work[list[Unread], list[dict[str, Any]]]):
    """Reads articles by a version of the model in its folder; gives the rows to store."""

    def __init__(self, version: str, within: Path) -> None:
        self.version = version
        self.within = within

    def __call__(self, given: list[Unread]) -> Iterable[list[dict[str, Any]]]:
        """The rows of these articles."""
        model = load_version(self.version, self.within)
        yield [_row(article, model) for article in given]


def read_roles(
    article_ids: Collection[int] | None,
    report: Callable[[str, int, int], None],
    cancelled: Callable[[], bool],
    engine: Engine = HERE,
) -> int:
    """Reads roles as `read_articles`, training a model where there is none; 0 where roles are switched off."""
    with read() as session:
        if not settings_now(session, FunctionSettings).roles:
            return 0
    train_if_missing(report)
    return read_articles(article_ids, lambda done, total: report("reading roles", done, total), cancelled, engine)


def read_articles(
    article_ids: Collection[int] | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    cancelled: Callable[[], bool] = lambda: False,
    engine: Engine = HERE,
) -> int:
    """Stores the roles of the sentences of these articles, or of all, that the present model has not read.

    Returns how many these were. Results are stored batch by batch: a job that was killed goes on where it stood.
    Raises BadRoleModel where there is no model.
    """
    done, before = 0, -1
    tried: set[tuple[str, int]] = set()
    while done > before:  # another version may be promoted, and articles come and grow, meanwhile
        before, version = done, model_now().version
        with read() as session:
            total = done + db.roles.unread(version).count(session, article_ids)
        progress(done, total)
        unread = _unread(version, article_ids, tried)
        work = Reading(version, model_folder(version_named(version, Kind.ROLES)))
        for rows in engine.map(work, unread, cancelled, ordered=False):
            with write(Right.SYSTEM) as session:
                db.rows.put(session, ArticleRoles, rows)
            done += len(rows)
            progress(done, max(total, done))
    return done


def _unread(version: str, article_ids: Collection[int] | None, tried: set[tuple[str, int]]) -> Iterator[list[Unread]]:
    """One pass over the articles that this version has not read, nor tried to; it ends when another is promoted.

    What was tried and is still not read cannot be told from unread articles.
    """
    last = None
    while version_now() == version:
        with read() as session:
            batch = db.roles.unread(version).ids(session, article_ids, limit=BATCH_ARTICLES, before=last)
            fresh = [article_id for article_id in batch if (version, article_id) not in tried]
            articles = [_article(session, article_id) for article_id in fresh]
        if not batch:
            return
        last = batch[-1]
        tried.update((version, article_id) for article_id in fresh)
        yield articles


def _article(session: Session, article_id: int) -> Unread:
    sentences = db.articles.sentences(session, [article_id])
    section_of = {paragraph.id: paragraph.section_id for paragraph in db.articles.paragraphs(session, article_id)}
    parts = parts_of(sentences, db.articles.sections(session, article_id), section_of)
    return Unread(article_id, sentences, parts)


def _row(article: Unread, model: RoleModel) -> dict[str, Any]:
    sentences = article.sentences
    roles = roles_of(sentences, article.parts, model)
    vectors = model.vectors([sentence.text for sentence in sentences], roles, places_in_abstract(sentences))
    return {
        "article_id": article.article_id,
        "version": model.version,
        "sentence_count": len(sentences),
        "roles": np.round(roles * SCALE).astype(np.uint8).tobytes(),
        "vectors": vectors.astype(np.float16).tobytes(),
        "computed_at": utc_now(),
    }


def roles_of(sentences: Sequence[SentenceText], parts: Sequence[str], model: RoleModel) -> np.ndarray:
    """Probabilities of the roles of an article's sentences, shape (n, 5); rows of zeros where none applies."""
    named = [at for at, sentence in enumerate(sentences) if has_role(sentence)]
    found = np.zeros((len(sentences), len(ROLES)))
    if named:
        abstract = [sentences[at].section_kind == SectionKind.ABSTRACT for at in named]
        texts = [sentences[at].text for at in named]
        found[named] = model.of_article(texts, [parts[at] for at in named], abstract)
    return found


def places_in_abstract(sentences: Sequence[SentenceText]) -> np.ndarray:
    """Where each sentence of the abstract stands, from 0 to 1, nan for the other sentences, shape (n,)."""
    found = np.full(len(sentences), np.nan)
    abstract = [at for at, one in enumerate(sentences) if has_role(one) and one.section_kind == SectionKind.ABSTRACT]
    found[abstract] = places_of(len(abstract))
    return found


def has_role(sentence: SentenceText) -> bool:
    """Whether a sentence is of the text: no row of a table, no formula, none of what stands behind it."""
    formal = sentence.paragraph_kind in _WITHOUT_ROLE or sentence.section_kind in _ASIDE
    return not formal and _FORMAL.search(sentence.section) is None


def parts_of(sentences: Sequence[SentenceText], sections: Sequence[Section], section_of: dict[int, int]) -> list[str]:
    """Which part, a key of EXPECTED, each sentence stands in, by the titles of its section and of those around it."""
    by_id = {section.id: section for section in sections}
    parts = {section.id: _part(section, by_id) for section in sections}
    return [parts[section_of[sentence.paragraph_id]] for sentence in sentences]


def _part(section: Section, by_id: dict[int, Section]) -> str:
    titles = [section.title]
    around = by_id.get(section.parent_id) if section.parent_id else None
    while around is not None:
        titles.insert(0, around.title)
        around = by_id.get(around.parent_id) if around.parent_id else None
    for part, pattern in _TELLING.items():
        if pattern.search(section.title) and not re.search("discussion", section.title, re.IGNORECASE):
            return part
    # The headings of a structured abstract say as much as the headings of a text.
    found = part_of(SectionKind.BODY if section.kind == SectionKind.ABSTRACT else section.kind, titles)
    return found if found in EXPECTED else "other"
