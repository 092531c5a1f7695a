"""One article as the review page needs it: text, terms, proposals, and what this reviewer said so far."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy.orm import Session

import db.articles
import db.entities
import db.proposing
import db.review.assignments
import db.review.verdicts
import db.rows
from annotate.articles.document import FROM_PDF
from annotate.articles.document_labels import Labels, labels_of, terms_of
from annotate.project.acting import own_name
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.project.stored_settings import choose_for_oneself, own_choice, settings_now
from annotate.review.assignments import assignment_of, clock_of, holder_of, reason_shown, sees_proposals
from annotate.review.blindness.released import sight_of
from annotate.review.keys import caps
from annotate.review.queue_settings import QueueSettings
from annotate.review.sentence_labels import SentenceLabels, given_to, named_in
from annotate.review.verdicts import sign
from annotate.review.waiting import reviewed, standing
from annotate.topics.file import Topic
from annotate.topics.guideline import blocks_of
from annotate.topics.project_topic import topic_now
from annotate.topics.vocabularies import TYPES, authority_of, link_of, vocabularies_of
from db import tables
from db.tables import EntityCandidate, ModelVersion, Verdict
from db.values import Origin
from model.proposing.rules import Rules
from model.proposing.terms import DocumentTerms, find_terms

ENDPOINT = "/api/review"
WHY_ENDPOINT = "/api/why"
RANK_ENDPOINT = "/api/rank"
AUDIT_ENDPOINT = "/api/audit"
PRACTICE_ENDPOINT = "/api/practice"
TOUR = "tour"  # under which a person's choice is kept


class NoSuchArticle(LookupError):
    """There is no article with this id."""


def reading_view(article_id: int, reviewer: str) -> dict[str, Any]:
    """All that the reader shows of an article, as JSON-able values. Raises NoSuchArticle."""
    with write(Right.REVIEW) as session:
        annotator_id = db.review.verdicts.annotator_id(session, own_name(reviewer))
    with read() as session:
        article = db.articles.article(session, article_id)
        if article is None:
            raise NoSuchArticle(f"there is no article {article_id}")
        labels = labels_of(session, [article_id])[article_id]
        terms = terms_of(labels)
        topic = topic_now(session)
        candidates = _entities(session, article_id, topic)
        sections = db.articles.sections(session, article_id)
        places = {section.id: place for place, section in enumerate(sections)}
        assigned = assignment_of(session, annotator_id, article_id)
        with_proposals = sees_proposals(session, annotator_id, article_id)
        proposed = shown_proposals(session, article_id, with_proposals=with_proposals)
        verdicts = db.review.verdicts.current_verdicts(session, article_id=article_id, annotator=annotator_id)
        return {
            "article": _identity(article),
            "reviewer": reviewer,
            "token": sign(reviewer, article_id),
            "endpoint": ENDPOINT,
            "why_endpoint": WHY_ENDPOINT,
            "rank_endpoint": RANK_ENDPOINT,
            "sections": [{"title": s.title, "depth": s.depth, "kind": s.kind} for s in sections],
            "paragraphs": _paragraphs(session, article_id, places, terms, topic.rules, candidates),
            "entity_links": _entity_links(candidates),
            "topic": _topic(topic),
            "labels_named": _labels_named(session, article_id, labels, topic.rules),
            **proposed,
            "shown": _shown(verdicts, proposed),
            "with_proposals": with_proposals,
            "assignment": assigned
            and {
                "strategy": assigned.strategy,
                "at_random": assigned.at_random,
                "with_proposals": assigned.with_proposals,
                "reason": reason_shown(assigned),
            },
            "held_by": holder_of(session, article_id, annotator_id),
            "state": _state(session, article_id, reviewer, annotator_id, verdicts, topic.rules),
            "keys": caps(session, reviewer),
            "first_visit": not (
                _knows_the_tour(session, reviewer) or db.review.verdicts.reviewed_articles(session, annotator_id)
            ),
            "queue": _queue(session, article_id, annotator_id, reviewer),
        }


def _knows_the_tour(session: Session, reviewer: str) -> bool:
    return own_choice(session, reviewer, TOUR) is not None


def end_tour(reviewer: str) -> None:
    """Keeps that a person has closed the tour of the review: it never comes again by itself, in any browser."""
    with write(Right.REVIEW) as session:
        note_tour(session, own_name(reviewer))


def note_tour(session: Session, reviewer: str) -> None:
    """Keeps that a person, by a name that was checked (own_name), knows the tour."""
    if not _knows_the_tour(session, reviewer):
        choose_for_oneself(session, reviewer, TOUR, {"seen": True})


def _topic(topic: Topic) -> dict[str, Any]:
    """What the reader shows of the topic: its kinds, how they are painted, and the guideline."""
    return {
        "name": topic.name,
        "kinds": [
            {
                "key": kind.key,
                "name": kind.name,
                "colour": str(kind.colour),
                "line": str(kind.line),
                "choices": [choice.key for choice in kind.choices],
            }
            for kind in topic.file.kinds
        ],
        "guideline": blocks_of(topic.file.guideline),
    }


def _labels_named(session: Session, article_id: int, labels: Labels, rules: Rules) -> dict[str, SentenceLabels]:
    """By position, the labels of the article that a sentence names; sentences that name none are left out."""
    if labels == Labels():
        return {}
    named = ((s.position, named_in(s.text, labels, rules)) for s in db.articles.sentences(session, [article_id]))
    return {str(position): found for position, found in named if found}


def _identity(article: tables.Article) -> dict[str, Any]:
    ids = [
        f"PMID {article.pmid}" if article.pmid else None,
        article.pmcid,
        f"doi:{article.doi}" if article.doi else None,
        FROM_PDF if any(str(warning).startswith(FROM_PDF) for warning in article.warnings) else None,
    ]
    return {
        "id": article.id,
        "title": article.title,
        "ids": list(filter(None, ids)),
        "journal": article.journal,
        "year": article.year,
    }


def _paragraphs(
    session: Session,
    article_id: int,
    sections: dict[int, int],
    terms: DocumentTerms,
    rules: Rules,
    candidates: Sequence[EntityCandidate],
) -> list[dict[str, Any]]:
    entities: dict[int, list[list[int | str]]] = {}
    for found in candidates:
        name = f"{found.type}:{found.identifiers[0]}" if found.identifiers else ""
        entities.setdefault(found.paragraph_id, []).append([found.start, found.end, found.type, name])
    spans: dict[int, list[list[int]]] = {}
    for sentence in db.articles.sentences(session, [article_id]):
        spans.setdefault(sentence.paragraph_id, []).append([sentence.start, sentence.end])
    return [
        {
            "section": sections[paragraph.section_id],
            "kind": paragraph.kind,
            "text": paragraph.text,
            "marks": paragraph.marks,
            "terms": [[span.start, span.end, span.kind] for span in find_terms(paragraph.text, terms, rules)],
            "entities": entities.get(paragraph.id, []),
            "sentences": spans.get(paragraph.id, []),
        }
        for paragraph in db.articles.paragraphs(session, article_id)
    ]


def _entities(session: Session, article_id: int, topic: Topic) -> list[EntityCandidate]:
    """What was recognised in the article and is of a vocabulary that the topic names."""
    wanted = {TYPES[vocabulary] for vocabulary in vocabularies_of(topic)}
    return [found for found in db.entities.candidates(session, article_id) if found.type in wanted]


def _entity_links(candidates: Sequence[EntityCandidate]) -> dict[str, dict[str, str]]:
    """By type and identifier, the words to show over an entity of the text and the page that explains it."""
    links = {}
    for found in candidates:
        if found.identifiers:
            identifier = str(found.identifiers[0])
            title = f"{found.name} · {authority_of(found.type)} {identifier}"
            links[f"{found.type}:{identifier}"] = {"title": title, "url": link_of(found.type, identifier)}
    return links


def shown_proposals(session: Session, article_id: int, *, with_proposals: bool) -> dict[str, Any]:
    """The current set, of whose proposals so many are `shown` at first; where the expert is to read without proposals,
    only the set's name."""
    current = db.proposing.current_set(session, article_id)
    if current is None:
        return {"proposals": [], "shown": 0, "ranking": "", "model": "", "query": "", "proposal_set": 0}
    version = db.rows.get(session, ModelVersion, current.version_id)
    sections = {s.id: s.section for s in db.articles.sentences(session, [article_id])}
    proposals = [
        {
            "sentence": position,
            "rank": proposal.rank,
            "cosine": round(proposal.cosine, 4),
            "score": round(proposal.score, 4),
            "section": sections[proposal.sentence_id],
        }
        for proposal, position in (db.proposing.proposals(session, current.id) if with_proposals else [])
    ]
    name = version.name if version else ""
    return {
        "proposals": proposals,
        "shown": min(current.k, len(proposals)),
        "ranking": current.ranking,
        "model": name,
        "query": current.query,
        "proposal_set": current.id,
    }


def _shown(given: Sequence[tuple[Verdict, str, int]], proposed: dict[str, Any]) -> int:
    """How many proposals this reviewer sees: those shown at first, and those that they have asked for and judged."""
    ranks = {one["sentence"]: one["rank"] for one in proposed["proposals"]}
    asked = [ranks.get(position, 0) for verdict, _, position in given if verdict.origin == Origin.PROPOSED]
    return int(max([proposed["shown"], *asked]))


def _state(
    session: Session,
    article_id: int,
    reviewer: str,
    annotator_id: int,
    verdicts: Sequence[tuple[Verdict, str, int]],
    rules: Rules,
) -> dict[str, Any]:
    comments = db.review.verdicts.current_comments(session, [article_id])
    positions = {number: position for position, number in db.articles.sentence_ids(session, article_id).items()}
    mine = [comment for comment, name in comments if name == reviewer]
    return {
        "verdicts": {str(position): verdict.value for verdict, _, position in verdicts},
        "labels": {
            str(place): given for verdict, _, place in verdicts if (given := given_to(verdict, rules)) is not None
        },
        "comments": {str(positions[c.sentence_id]): c.text for c in mine if c.sentence_id is not None},
        "article_comment": next((c.text for c in mine if c.sentence_id is None), ""),
        "read_in_full": (article_id, reviewer) in db.review.verdicts.read_in_full(session, [article_id]),
        "events": db.review.verdicts.event_ids(session, article_id, annotator_id),
    }


def _queue(session: Session, article_id: int, annotator_id: int, reviewer: str) -> dict[str, Any]:
    """Where N and P lead: N to what the queue hands out then, P back through the articles judged before.

    `reviewed` is the number of articles reviewed in this project, in words. `reviewed_then` counts this one too;
    `reviewed_without` is the number once this reviewer is no longer done with it. `waiting` are the other ones.
    """
    settings = settings_now(session, QueueSettings)
    found = standing(session, annotator_id, settings, clock_of(settings))
    judged = db.review.verdicts.reviewed_articles(session, annotator_id)
    sight, mine = sight_of(session, reviewer), (article_id, annotator_id)
    known = without = reviewed(session, sight)
    if article_id in found.done and mine not in db.review.assignments.finished(session, article_id):
        without = reviewed(session, sight, mine)
    then = replace(known, here=known.here | {article_id}, labelled=known.labelled - {article_id})
    before = judged[judged.index(article_id) + 1 :] if article_id in judged else judged
    return {
        "next": "next",
        "previous": before[0] if before else None,
        "reviewed": known.in_words,
        "reviewed_then": then.in_words,
        "reviewed_without": without.in_words,
        "waiting": len(found.waiting) - (article_id in found.waiting),
    }
