"""One article as the review page needs it: text, terms, proposals, and what this reviewer said so far."""

from typing import Any

from sqlalchemy.orm import Session

import db.articles
import db.proposals
import db.verdicts
import db.versions
from annotate.home import read, write
from annotate.labels import labels_of, terms_of
from annotate.verdicts import sign
from db import tables
from model.terms import DocumentTerms, find_terms

ENDPOINT = "/api/review"
WHY_ENDPOINT = "/api/why"


class NoSuchArticle(LookupError):
    """There is no article with this id."""


def reading_view(article_id: int, reviewer: str) -> dict[str, Any]:
    """All that the reader shows of an article, as JSON-able values. Raises NoSuchArticle."""
    with write() as session:
        annotator_id = db.verdicts.annotator_id(session, reviewer)
    with read() as session:
        article = db.articles.article(session, article_id)
        if article is None:
            raise NoSuchArticle(f"there is no article {article_id}")
        terms = terms_of(labels_of(session, [article_id])[article_id])
        sections = db.articles.sections(session, article_id)
        return {
            "article": _identity(article),
            "reviewer": reviewer,
            "token": sign(reviewer, article_id),
            "endpoint": ENDPOINT,
            "why_endpoint": WHY_ENDPOINT,
            "sections": [{"title": s.title, "depth": s.depth, "kind": s.kind} for s in sections],
            "paragraphs": _paragraphs(session, article_id, {s.id: i for i, s in enumerate(sections)}, terms),
            **_proposals(session, article_id),
            "state": _state(session, article_id, annotator_id, reviewer),
            "queue": _queue(session, article_id, annotator_id),
        }


def _identity(article: tables.Article) -> dict[str, Any]:
    ids = [
        f"PMID {article.pmid}" if article.pmid else None,
        article.pmcid,
        f"doi:{article.doi}" if article.doi else None,
    ]
    return {
        "id": article.id,
        "title": article.title,
        "ids": list(filter(None, ids)),
        "journal": article.journal,
        "year": article.year,
    }


def _paragraphs(
    session: Session, article_id: int, sections: dict[int, int], terms: DocumentTerms
) -> list[dict[str, Any]]:
    spans: dict[int, list[list[int]]] = {}
    for sentence in db.articles.sentences(session, [article_id]):
        spans.setdefault(sentence.paragraph_id, []).append([sentence.start, sentence.end])
    return [
        {
            "section": sections[paragraph.section_id],
            "kind": paragraph.kind,
            "text": paragraph.text,
            "marks": paragraph.marks,
            "terms": [[span.start, span.end, str(span.kind)] for span in find_terms(paragraph.text, terms)],
            "sentences": spans.get(paragraph.id, []),
        }
        for paragraph in db.articles.paragraphs(session, article_id)
    ]


def _proposals(session: Session, article_id: int) -> dict[str, Any]:
    current = db.proposals.current_set(session, article_id)
    if current is None:
        return {"proposals": [], "ranking": "", "model": "", "query": "", "proposal_set": 0}
    version = db.versions.version(session, current.version_id)
    sections = {s.id: s.section for s in db.articles.sentences(session, [article_id])}
    proposals = [
        {
            "sentence": position,
            "rank": proposal.rank,
            "cosine": round(proposal.cosine, 4),
            "score": round(proposal.score, 4),
            "section": sections[proposal.sentence_id],
        }
        for proposal, position in db.proposals.proposals(session, current.id)
    ]
    name = version.name if version else ""
    return {
        "proposals": proposals,
        "ranking": current.ranking,
        "model": name,
        "query": current.query,
        "proposal_set": current.id,
    }


def _state(session: Session, article_id: int, annotator_id: int, reviewer: str) -> dict[str, Any]:
    verdicts = db.verdicts.current_verdicts(session, article_id=article_id, annotator=annotator_id)
    comments = db.verdicts.current_comments(session, article_id=article_id)
    positions = {number: position for position, number in db.articles.sentence_ids(session, article_id).items()}
    mine = [comment for comment, name in comments if name == reviewer]
    return {
        "verdicts": {str(position): verdict.value for verdict, _, position in verdicts},
        "comments": {str(positions[c.sentence_id]): c.text for c in mine if c.sentence_id is not None},
        "article_comment": next((c.text for c in mine if c.sentence_id is None), ""),
        "read_in_full": (article_id, reviewer) in db.verdicts.read_in_full(session, article_id=article_id),
    }


def _queue(session: Session, article_id: int, annotator_id: int) -> dict[str, Any]:
    """Where N and P lead: N goes on down the queue and round to its top, P back through the articles judged before."""
    waiting = db.verdicts.review_queue(session, annotator_id)
    here = waiting.index(article_id) if article_id in waiting else -1
    ahead = [found for found in waiting[here + 1 :] + waiting[: here + 1] if found != article_id]
    judged = db.verdicts.reviewed_articles(session, annotator_id)
    before = judged[judged.index(article_id) + 1 :] if article_id in judged else judged
    total = db.proposals.count_proposed(session)
    return {
        "next": ahead[0] if ahead else None,
        "previous": before[0] if before else None,
        "reviewed": total - len(waiting),
        "total": total,
    }


def first_in_queue(reviewer: str) -> int | None:
    """The article this reviewer should see first: the most promising one with open proposals, else the last judged."""
    with write() as session:
        annotator_id = db.verdicts.annotator_id(session, reviewer)
    with read() as session:
        waiting = db.verdicts.review_queue(session, annotator_id)
        return next(iter(waiting or db.verdicts.reviewed_articles(session, annotator_id)), None)
