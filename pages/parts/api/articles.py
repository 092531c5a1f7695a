"""Routes of articles: who I am, articles, their sentences and proposals, and a sentence that a program proposes."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from sqlalchemy.orm import Session

import db.articles
import db.curation
import db.proposing
import db.review.verdicts
from annotate.active_learning.article_rankers import why_shown
from annotate.active_learning.live_ranking import propose_sentence
from annotate.curation.tags import known_tag
from annotate.project.acting import allowed, current_actor, demand, role_of
from annotate.project.home import look_up, read
from annotate.project.rights import RIGHTS, Right, Role
from annotate.proposing.wanted import wanted_of
from annotate.review.article_view import NoSuchArticle, shown_proposals
from annotate.review.assignments import sees_proposals, take
from annotate.team.api_tokens import note_looked_on
from db.curation import Wanted
from db.tables import Article
from pages.parts.api.shapes import (
    ArticleShape,
    Cursor,
    Limit,
    Listed,
    Me,
    Number,
    Proposals,
    ProposalShape,
    Reasons,
    SentenceShape,
    Shown,
    Wish,
    cursor_of,
    place_of,
)

router = APIRouter(tags=["Articles"])


@router.get("/me")
def me() -> Me:
    """Whose token it is, and what they may do now."""
    actor = current_actor()
    with read() as session:
        demand(session, Right.REVIEW)
        role = role_of(session, actor) or Role.ADMIN  # without login one person may do everything
    rights = [str(right) for right in Right if right in RIGHTS[Role(role)] and right is not Right.SYSTEM]
    return Me(name=actor.name, role=str(role), rights=rights)


@router.get("/articles")
def articles(
    search: Annotated[str, Query(max_length=1_000, description="Words of the title, or a whole identifier")] = "",
    tag: Annotated[str, Query(max_length=100, description="A tag that they have, in any case")] = "",
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Listed[ArticleShape]:
    """All articles in the order of their numbers, or those that a search or a tag finds; no removed ones."""
    name = f"articles {search}" + (f" tag {tag}" if tag else "")
    (after,) = place_of(name, cursor) or (0,)
    with read() as session:
        demand(session, Right.REVIEW)
        wanted = Wanted(search=search, tag=known_tag(session, tag))
        found = db.curation.articles_after(session, after, limit + 1, wanted)
        rows = _shapes(session, found[:limit])
    return Listed(rows=rows, next=cursor_of(name, rows[-1].id) if len(found) > limit else None)


@router.get("/articles/{article_id}")
def article(article_id: Number) -> ArticleShape:
    """One article."""
    with read() as session:
        demand(session, Right.REVIEW)
        found = db.articles.article(session, article_id)
        if found is None:
            raise NoSuchArticle(f"there is no article {article_id}")
        if not db.curation.is_in(session, article_id):
            raise NoSuchArticle(f"article {article_id} was removed from the project")
        return _shapes(session, [found])[0]


def _shapes(session: Session, rows: Sequence[Article]) -> list[ArticleShape]:
    tags = db.curation.tags_of(session, [row.id for row in rows])
    return [ArticleShape.model_validate(row).model_copy(update={"tags": tags.get(row.id, [])}) for row in rows]


@router.get("/articles/{article_id}/sentences")
def sentences(article_id: Number, limit: Limit = 500, cursor: Cursor = None) -> Listed[SentenceShape]:
    """The sentences of an article in reading order."""
    name = f"sentences {article_id}"
    (after,) = place_of(name, cursor) or (-1,)
    article(article_id)
    found = [row for row in look_up(db.articles.sentences, [article_id]) if row.position > after]
    rows = [SentenceShape.model_validate(row) for row in found[:limit]]
    return Listed(rows=rows, next=cursor_of(name, rows[-1].position) if len(found) > limit else None)


@router.get("/articles/{article_id}/proposals")
def proposals(article_id: Number) -> Proposals:
    """The proposals of an article as they stand. Asking for them counts as opening the article. Its page ranks them
    again where something was learnt since, this does not.

    Curators, and others who may see all labels, read them without opening it; the history notes that they did.
    """
    looks_on = _opened(article_id)
    with read() as session:
        annotator_id = db.review.verdicts.find_annotator(session, current_actor().name) or 0
        with_proposals = sees_proposals(session, annotator_id, article_id)
        found = shown_proposals(session, article_id, with_proposals=with_proposals)
        wanted = wanted_of(session, [article_id]).get(article_id, {}) if looks_on else {}
    if looks_on:
        note_looked_on(article_id, found["proposal_set"])
    rows = [ProposalShape(**row, proposed_by=wanted.get(row["sentence"], {})) for row in found["proposals"]]
    names = {"ranking": "ranking", "model": "model", "set": "proposal_set"}
    values = {name: found[given] for name, given in names.items()}
    return Proposals(article=article_id, with_proposals=with_proposals, rows=rows, **values)


def _opened(article_id: int) -> bool:
    """Opens the article for the caller, who then has it in hand; True, and nothing, where they may see all labels."""
    article(article_id)
    looks_on = look_up(allowed, Right.GOLD)
    if not looks_on:
        take(current_actor().name, article_id)
    return looks_on


@router.get("/articles/{article_id}/why")
def why_proposed(article_id: Number) -> Reasons:
    """What speaks for each proposal of an article, where its proposals are shown; 409 where its text changed since.
    Asking for it counts as asking for the proposals."""
    if _opened(article_id):
        current = look_up(db.proposing.current_set, article_id)
        note_looked_on(article_id, current.id if current else None)
    return Reasons.model_validate(why_shown(current_actor().name, article_id))


@router.post("/articles/{article_id}/proposals")
def propose_one(article_id: Number, wanted: Wish) -> Shown:
    """Proposes a sentence: it stands among the article's first proposals from now on, under every ranking. The history
    tells who proposed it and why; sent again it is noted once."""
    return Shown(shown=propose_sentence(article_id, wanted.sentence, wanted.why))
