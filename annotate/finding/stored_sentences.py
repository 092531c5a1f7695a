"""The project's own articles as a library."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

import db.articles
import db.finding.found_articles
import db.review.verdicts
from annotate.finding.library import Document, Library, Ranking
from annotate.finding.matching import demanded
from annotate.finding.question import Filters, NotRanked, Question
from annotate.finding.search_vectors import stored_vectors
from annotate.project.acting import current_actor
from annotate.project.home import read
from annotate.project.release import PROGRAM
from annotate.review.assignments import hidden_from
from annotate.screening.abstracts import texts_of
from annotate.search.index_files import DamagedIndex, stored_index
from annotate.search.search import by_words
from annotate.search.upkeep import catch_up


class StoredLibrary(Library):
    """All articles of the project, with the vectors that were computed of them by now."""

    def documents(self, keys: Collection[str]) -> Mapping[str, Document]:
        """By key; those that are not stored are left out."""
        with read() as session:
            articles = db.finding.found_articles.by_keys(session, keys)
            texts = texts_of(session, {article.id: article.title for article in articles})
            mesh = db.articles.mesh_terms(session, list(texts))
        found = {
            article.key: Document(
                article.key,
                article.title,
                texts[article.id][1],
                mesh.get(article.id, ()),
                year=article.year,
                journal=article.journal or "",
                article_id=article.id,
            )
            for article in articles
        }
        return {key: found[key] for key in keys if key in found}

    def by_words(self, question: Question, limit: int) -> Ranking:
        """(key, BM25 score), best first, by the search index. NotRanked where there is none that can be read."""
        try:
            index = stored_index()
            if index is None:
                raise NotRanked(f"there is no search index yet: an import makes it, or `{PROGRAM} index`")
            catch_up()
            hits = by_words(index, question.expanded, limit)
        except DamagedIndex as error:
            raise NotRanked(f"{error}; build it again by `{PROGRAM} index`") from error
        with read() as session:
            keys = db.finding.found_articles.keys_by_id(session, [number for number, _ in hits])
        return [(keys[number], score) for number, score in hits if number in keys]

    def vectors(self) -> tuple[Sequence[str], np.ndarray]:
        """(keys, unit vectors, float32[keys, dimension]) of the articles that have one. NotRanked where none has."""
        found = stored_vectors(self.encoder.version)
        if not found.keys:
            raise NotRanked("no article has been compared by meaning yet; the next proposing does it")
        return found

    def passing(self, question: Question) -> frozenset[str] | None:
        """The keys of the articles that hold what must hold, and that the filters let through; None for all."""
        filters = question.filters
        with read() as session:
            holding = demanded(session, question)
            if filters == Filters():
                return holding
            found = db.finding.found_articles.keys_of(
                session, *filters.years, filters.journals, tags=filters.tags, without_tags=filters.without_tags
            )
        return frozenset(found) if holding is None else holding.intersection(found)


def key_sentences(article_ids: Collection[int]) -> dict[int, str]:
    """The sentence that its proposals rank first, of each of these articles that has proposals; by article. None of an
    article that the acting person reads without proposals."""
    with read() as session:
        annotator_id = db.review.verdicts.find_annotator(session, current_actor().name) or 0
        shown = set(article_ids) - hidden_from(session, annotator_id)
        return db.finding.found_articles.first_proposals(session, shown)
