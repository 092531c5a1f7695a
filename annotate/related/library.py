"""All works that can be suggested: the stored articles, and what their reference lists name and is not stored."""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.related
import db.rows
from annotate.articles import document
from annotate.articles.citations import identifiers
from annotate.embeddings.text_vectors import StoppedEncoding, TextVectors
from annotate.finding.encoding import Encoder
from annotate.finding.library import Document
from annotate.finding.search_vectors import stored_vectors
from annotate.project.home import folder, read
from annotate.project.memory import Memory
from annotate.related.maps import LearntMap, map_in_use, mapped
from annotate.related.pool import Pool, ReferenceLists
from annotate.screening.abstracts import texts_of
from db.tables import Article, ArticleRemoval, Reference


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Library:
    """The pool; by key of a work the id of the stored article, or what it can be imported by; by key who cites it."""

    pool: Pool
    articles: Mapping[str, int]
    importable: Mapping[str, str]
    cited_by: Mapping[str, frozenset[int]]
    names: Mapping[str, str]  # key of the work by identifier
    keys_of: Mapping[int, str] = field(default_factory=dict)  # of the stored articles by id
    lists: ReferenceLists = field(default_factory=lambda: ReferenceLists({}, {}))

    def now(self, key: str) -> str:
        """The present key of a work: one that was known by its DOI may since have been imported by its PMID."""
        return self.names.get(key, key)

    def keys(self, known_by: Sequence[str]) -> set[str]:
        """The keys of the works with these identifiers."""
        return {self.names[name] for name in known_by if name in self.names}


_kept: Memory[str, tuple[object, np.ndarray, Library]] = Memory(2)
_making = threading.Lock()  # one library takes hundreds of MB: no two threads make the same


def library() -> Library:
    """The library as it is now; kept in memory until an import, an encoding or another map changes it."""
    encoder = Encoder()
    learnt = map_in_use(encoder)
    map_sha256 = "" if learnt is None else learnt.sha256
    with _making:
        stored = stored_vectors(encoder.version)
        with read() as session:
            last = [db.rows.last_id(session, table) for table in (Reference, Article, ArticleRemoval)]
        titles = _titles(encoder)
        mark = (last, titles.mark, map_sha256)
        kept = _kept.here().get("library")
        if kept is not None and kept[0] == mark and kept[1] is stored.matrix:
            return kept[2]
        known = dict(zip(stored.keys, stored.matrix, strict=True))
        with read() as session:
            made = _made(session, known, titles, encoder.version.dimension, learnt)
        _kept.here()["library"] = (mark, stored.matrix, made)
    return made


def _titles(encoder: Encoder) -> TextVectors:
    return encoder.kept_in(folder("related"))


def _made(
    session: Session, known: dict[str, np.ndarray], titles: TextVectors, dimension: int, learnt: LearntMap | None
) -> Library:
    """`known`: the vectors of stored articles by key; `titles`: the vectors of works that are not stored, by title."""
    rows = db.articles.articles(session).values()
    texts = texts_of(session, {row.id: row.title for row in rows})
    works = [Document(row.key, row.title, texts[row.id][1], year=row.year) for row in rows]
    names = {name: row.key for row in rows for name in identifiers(row)}
    stored = {row.key: row.id for row in rows}
    outside, cited_by, importable = _outside(session, names, stored)
    works += outside
    of_titles = titles.known([work.title for work in outside])
    known |= {work.key: of_titles[work.title] for work in outside if work.title in of_titles}
    zeros = np.zeros(dimension, dtype=np.float32)
    vectors = np.stack([known.get(work.key, zeros) for work in works]) if works else None
    if vectors is not None:
        vectors = mapped(vectors, learnt)
    cites: dict[int, list[str]] = {}
    for key, articles in cited_by.items():
        for article in articles:
            cites.setdefault(article, []).append(key)
    keys_of = {number: key for key, number in stored.items()}
    pool = Pool(works, vectors)
    lists = ReferenceLists({keys_of[number]: cited for number, cited in cites.items()}, pool.places)
    return Library(pool, stored, importable, cited_by, names, keys_of, lists)


def _outside(
    session: Session, names: dict[str, str], stored: Mapping[str, int]
) -> tuple[list[Document], dict[str, frozenset[int]], dict[str, str]]:
    """(works that are not stored, who cites each work by key, what works can be imported by). Adds to `names`."""
    titles: dict[str, Counter[str]] = {}
    cited: dict[str, set[int]] = {}
    importable: dict[str, str] = {}
    references = [
        (own, article, title, pmid or pmcid)
        for article, title, pmid, pmcid, doi in db.related.all_references(session)
        if (own := tuple(identifiers(document.Reference(pmid=pmid, pmcid=pmcid, doi=doi))))
    ]
    of_stored: dict[str, list[str]] = {}
    for name, stored_key in names.items():
        of_stored.setdefault(stored_key, []).append(name)
    joined = _joined(chain(of_stored.values(), {own for own, *_ in references}))
    gone = set(map(joined, db.related.removed_identifiers(session)))
    here = {joined(name): key for name, key in reversed(names.items())}
    for own, article, title, by in references:
        key = next((names[name] for name in own if name in names), None)
        if key is None:
            work = joined(own[0])
            key = here.get(work, work)
            if key not in stored and work in gone:
                continue
        names.update({name: key for name in own if name not in names})
        cited.setdefault(key, set()).add(article)
        if key not in stored:
            titles.setdefault(key, Counter())[title] += 1
            if by:
                importable.setdefault(key, by)
    works = [Document(key, spellings.most_common(1)[0][0]) for key, spellings in titles.items() if any(spellings)]
    return works, {key: frozenset(by) for key, by in cited.items()}, importable


def _joined(lists: Iterable[Sequence[str]]) -> Callable[[str], str]:
    """What gives every identifier the one name of its work. Identifiers of one list are of one work, and so are lists
    that share one. The name is the last identifier by the alphabet: a PMID, else a PMCID, else a DOI."""
    above: dict[str, str] = {}

    def joined(name: str) -> str:
        while (up := above.get(name)) is not None:
            above[name] = above.get(up, up)  # so that the next way is shorter
            name = up
        return name

    for own in lists:
        for name in own[1:]:
            one, other = joined(own[0]), joined(name)
            if one != other:
                above[min(one, other)] = max(one, other)
    return joined


def encode_titles(
    progress: Callable[[int, int], None] = lambda done, total: None, cancelled: Callable[[], bool] = lambda: False
) -> int:
    """Computes the vectors of works that have none yet; returns how many. Computed vectors stay when cancelled."""
    kept = _titles(Encoder())
    with read() as session:
        rows = db.articles.articles(session).values()
        names = {name: row.key for row in rows for name in identifiers(row)}
        works, _, _ = _outside(session, names, {row.key: row.id for row in rows})
    titles = [work.title for work in works]
    before = len(kept.known(titles))
    with suppress(StoppedEncoding):
        kept.of(titles, progress, cancelled)
    return len(kept.known(titles)) - before
