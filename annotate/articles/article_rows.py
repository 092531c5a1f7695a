"""Parsed articles into the database: the rows of each and what identifies it, stored whole or not at all."""

import gc
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy.orm import Session

import db.articles
import db.rows
from annotate.articles.citations import IDENTIFIERS, ReferenceList, citing_sentences, identifiers
from annotate.articles.document import FROM_PDF, Article, Section, SectionKind
from annotate.articles.import_report import ImportOutcome, ImportReport, stays_removed
from annotate.articles.importing.splitting import Batch, Spans
from annotate.articles.parsing import ParsedEntry
from annotate.articles.works import KnownWorks, Work, marks_of, title_key, without_taken_identifiers
from annotate.project.home import write
from annotate.project.rights import Right
from db import tables
from db.values import MESH_SECTION, Split

OTHER_TEXT = "is another text than the stored one, which stays with its verdicts"
TEXT_ADDED = "brings the text of an article that was stored by its title alone"


def article_key(article: Article) -> str:
    """The best identifier of an article: PMID, PMCID, DOI, else a hash of its title and text."""
    if names := identifiers(article):
        return names[0]
    digest = hashlib.sha256(article.title.encode())
    for _, _, paragraph in article.paragraphs():
        digest.update(b"\0" + paragraph.text.encode())
    return f"sha256:{digest.hexdigest()[:32]}"


def split_of(key: str) -> str:
    """The split of a work: train, validation or test (60/20/20), by a hash of the key under which it comes first."""
    bucket = int.from_bytes(hashlib.sha256(key.encode()).digest()[:4]) % 100
    return Split.TRAIN if bucket < 60 else Split.VALIDATION if bucket < 80 else Split.TEST


class BatchWriter:
    """Collects the rows of a few articles and inserts them in bulk, in one transaction.

    `titles`: of all articles that it will be given.
    """

    def __init__(self, session: Session, report: ImportReport, works: KnownWorks, titles: Iterable[str]) -> None:
        self.session = session
        self.report = report
        self.works = works
        works.learn(session, titles)
        self.ids = db.articles.next_ids(session)
        self.rows: dict[type, list[dict[str, Any]]] = {}
        self.identifiers: set[str] = set()

    def add(self, entry: ParsedEntry, spans: Spans) -> None:
        """Stores the entry's article unless it is there already."""
        article = entry.article
        if article is None:
            self.report.add(entry.source, ImportOutcome.FAILED, [entry.error or "unknown error"])
            return
        key = article_key(article)
        names = {key, *identifiers(article)}
        if names & self.identifiers:
            self.flush()
        sharing = db.articles.find_by_identifiers(
            self.session, key=key, pmid=article.pmid, pmcid=article.pmcid, doi=article.doi
        )
        # Articles with different PMIDs are different, even if they share other identifiers.
        existing = next((found for found in sharing if article.pmid in (None, found.pmid) or not found.pmid), None)
        marks = marks_of(article) if existing is None else ("", "")
        work = self.works.find(self.session, marks)
        linked = []
        if len({each.split for each in sharing}) > 1:
            places = " and ".join(f"{each.key} ({each.split})" for each in sharing)
            linked = [f"is one work under {places}, which keep their splits"]
        if work and not sharing and (existing := self._same_article(article, work)):
            linked = [f"has the title and the beginning of {existing.key}, so it is taken as this article"]
        linked += stays_removed(self.session, [existing.id] if existing else []).values()
        if existing is None:
            self.identifiers |= names
            article = without_taken_identifiers(article, sharing)
            split = sharing[0].split if sharing else work.split if work else split_of(key)
            self.works.add(self._add_new(entry.source, key, article, spans, split), marks, split)
            self.report.add(entry.source, ImportOutcome.STORED, [*article.warnings, *linked])
        else:
            if _has_full_text(article) and not existing.full_text:
                self._add_text(existing, article, spans)
                outcome, notes = ImportOutcome.FULL_TEXT_ADDED, list(article.warnings)
            elif any(spans) and not existing.sentence_count:
                self._add_text(existing, article, spans)
                outcome, notes = ImportOutcome.ALREADY_THERE, [TEXT_ADDED, *article.warnings]
            else:
                # An article that is stored later under another of these identifiers is recognised as this one.
                if known := self._new_identifiers(existing, article):
                    db.rows.change(self.session, tables.Article, existing.id, **known)
                outcome = ImportOutcome.ALREADY_THERE
                notes = [OTHER_TEXT] if self._differs(existing, article) else []
            if article.mesh and not db.articles.mesh_terms(self.session, [existing.id]):
                self._mesh_row(existing.id, article.mesh, db.articles.text_shape(self.session, existing.id)[0])
            self.identifiers |= names
            self.report.add(entry.source, outcome, [*notes, *linked])

    def _same_article(self, article: Article, work: Work) -> tables.Article | None:
        """The stored article of a work where it or this record has no identifier; two with some are two articles."""
        stored = db.articles.article(self.session, work.article_id)
        if stored is None:  # collected, and not inserted yet
            self.flush()
            stored = db.articles.article(self.session, work.article_id)
        return None if identifiers(article) and identifiers(stored) else stored

    def _differs(self, existing: tables.Article, article: Article) -> bool:
        """Whether both are full texts, or both abstracts, with other letters; white space does not count."""
        full = _has_full_text(article)
        if full != existing.full_text:
            return False
        # Where an abstract was stored first and the full text added later, the abstract may differ from this source's.
        but = SectionKind.ABSTRACT if full else ""
        texts = [paragraph.text for section, _, paragraph in article.paragraphs() if section.kind != but]
        stored = db.articles.paragraph_texts(self.session, existing.id, but=but)
        return ["".join(text.split()) for text in stored] != ["".join(text.split()) for text in texts]

    def flush(self) -> None:
        """Inserts the collected rows."""
        db.articles.insert_text(self.session, self.rows)
        self.rows = {}
        self.identifiers = set()

    def _next(self, table: str) -> int:
        self.ids[table] += 1
        return self.ids[table] - 1

    def _row(self, table: type, **values: Any) -> None:
        self.rows.setdefault(table, []).append(values)

    def _add_new(self, source: str, key: str, article: Article, spans: Spans, split: str) -> int:
        article_id = self._next("article")
        self._row(
            tables.Article,
            id=article_id,
            key=key,
            **{name: getattr(article, name) for name in (*IDENTIFIERS, "title", "journal", "year", "licence")},
            title_key=title_key(article.title),
            split=split,
            source=source,
            full_text=_has_full_text(article),
            sentence_count=sum(map(len, spans)),
            warnings=list(article.warnings),
        )
        sections = self._add_sections(article_id, article, article.sections, iter(spans), (0, 0, 0))
        self._add_references(article_id, article)
        self._mesh_row(article_id, article.mesh, sections)
        return article_id

    def _mesh_row(self, article_id: int, terms: Sequence[str], position: int) -> None:
        if terms:
            self._row(
                tables.Section,
                id=self._next("section"),
                article_id=article_id,
                parent_id=None,
                position=position,
                depth=0,
                kind=MESH_SECTION,
                title=db.articles.written_mesh(terms),
            )

    def _add_text(self, existing: tables.Article, article: Article, spans: Spans) -> None:
        """Adds a text behind the stored abstract, whose sentences and verdicts stay as they are; a title alone gets it
        all."""
        keep_abstract = existing.sentence_count > 0
        chosen = [s for s in article.sections if not (keep_abstract and s.kind == SectionKind.ABSTRACT)]
        chosen_ids = {id(paragraph) for section in chosen for _, _, paragraph in section.paragraphs()}
        pairs = zip((p for _, _, p in article.paragraphs()), spans, strict=True)
        kept = [paragraph_spans for paragraph, paragraph_spans in pairs if id(paragraph) in chosen_ids]
        offsets = db.articles.text_shape(self.session, existing.id)
        stored = db.articles.references(self.session, existing.id)
        self._add_sections(existing.id, article, chosen, iter(kept), offsets, stored)
        if not stored:
            self._add_references(existing.id, article)
        known: dict[str, Any] = self._new_identifiers(existing, article)
        for name in ("journal", "year", "licence"):
            if (value := getattr(article, name)) and not getattr(existing, name):
                known[name] = value
        count = existing.sentence_count + sum(map(len, kept))
        new = [one for one in article.warnings if one.startswith(FROM_PDF)]
        warnings = [*existing.warnings, *new] if keep_abstract else list(article.warnings)
        full = existing.full_text or _has_full_text(article)
        more: dict[str, Any] = {"full_text": full, "sentence_count": count, "warnings": warnings}
        db.rows.change(self.session, tables.Article, existing.id, **more, **known)
        self.flush()

    def _new_identifiers(self, existing: tables.Article, article: Article) -> dict[str, str]:
        """The identifiers that the article brings, without those it has already and those that another article has."""
        return {
            name: value
            for name in IDENTIFIERS
            if (value := getattr(article, name)) and not getattr(existing, name)
            if not db.articles.find_by_name(self.session, **{name: value})
        }

    def _add_sections(
        self,
        article_id: int,
        article: Article,
        sections: Iterable[Section],
        spans: Iterator[list[tuple[int, int]]],
        offsets: tuple[int, int, int],
        stored: Sequence[tables.Reference] = (),
    ) -> int:
        """Adds sections behind those that are stored; returns the position for the next one."""
        references = ReferenceList(article.references, stored or None)
        positions = dict(zip(("section", "paragraph", "sentence"), offsets, strict=True))

        def position(table: str) -> int:
            positions[table] += 1
            return positions[table] - 1

        def add(section: Section, parent_id: int | None, depth: int) -> None:
            section_id = self._next("section")
            self._row(
                tables.Section,
                id=section_id,
                article_id=article_id,
                parent_id=parent_id,
                position=position("section"),
                depth=depth,
                kind=str(section.kind),
                title=section.title,
            )
            for block in section.blocks:
                if isinstance(block, Section):
                    add(block, section_id, depth + 1)
                    continue
                paragraph_id = self._next("paragraph")
                self._row(
                    tables.Paragraph,
                    id=paragraph_id,
                    article_id=article_id,
                    section_id=section_id,
                    position=position("paragraph"),
                    kind=str(block.kind),
                    text=block.text,
                    marks=[[mark.start, mark.end, mark.style] for mark in block.marks],
                )
                own = next(spans)
                ids = [self._next("sentence") for _ in own]
                for sentence_id, (start, end) in zip(ids, own, strict=True):
                    self._row(
                        tables.Sentence,
                        id=sentence_id,
                        article_id=article_id,
                        paragraph_id=paragraph_id,
                        position=position("sentence"),
                        start=start,
                        end=end,
                    )
                for number, reference in citing_sentences(block, own, references):
                    self._row(tables.Citation, article_id=article_id, reference=reference, sentence_id=ids[number])

        for section in sections:
            add(section, None, 0)
        return positions["section"]

    def _add_references(self, article_id: int, article: Article) -> None:
        for number, reference in enumerate(article.references):
            self._row(
                tables.Reference,
                article_id=article_id,
                position=number,
                **{name: getattr(reference, name) for name in ("title", *IDENTIFIERS)},
            )


def _has_full_text(article: Article) -> bool:
    return any(section.kind == SectionKind.BODY for section, _, _ in article.paragraphs())


def store(
    ready: Iterable[Batch],
    *,
    progress: Callable[[ImportReport], None] = lambda report: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> ImportReport:
    """Stores batches in short transactions of whole articles, each article once; the rest is reported.

    `progress` gets the report so far after each batch that is stored.
    """
    report, works = ImportReport(), KnownWorks()
    with _rarely_collected():
        for batch in ready:
            if cancelled():
                break
            with write(Right.IMPORT) as session:
                titles = [entry.article.title for entry, _ in batch if entry.article]
                writer = BatchWriter(session, report, works, titles)
                for entry, spans in batch:
                    writer.add(entry, spans)
                writer.flush()
            progress(report)
    return report


@contextmanager
def _rarely_collected() -> Iterator[None]:
    """Keeps the garbage collector from what was there before, meanwhile: articles are many objects, each some hundreds
    of which would have it look through all that is loaded, a fifth of the work of storing."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
