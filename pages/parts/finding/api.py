"""What Find adds to the API: a question asked in words. pages/parts/api/application.py takes the router."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel

from annotate.finding.asking.answers import answered
from annotate.finding.asking.saved import MAX_TEXT, Asked
from annotate.finding.matching import matching_sentences, understood
from annotate.finding.question import Question
from annotate.finding.stages import stages_in_use
from annotate.project.acting import demand
from annotate.project.home import read
from annotate.project.rights import Right

SENTENCES = 3  # of each article
router = APIRouter(tags=["Articles"])


class MatchShape(BaseModel):
    """A sentence that matches, by its position in its article."""

    sentence: int
    text: str
    section: str


class FoundShape(BaseModel):
    """An article that was found, and its sentences that match best."""

    article: int
    key: str
    title: str
    journal: str | None
    year: int | None
    sentences: list[MatchShape]


class Answer(BaseModel):
    """The first articles that answer a question, best first. `found` is how many there are in all; `not_ranked` says
    which stages could not rank, and why."""

    found: int
    rows: list[FoundShape]
    not_ranked: dict[str, str]


@router.get("/find")
def find(
    words: Annotated[str, Query(min_length=1, max_length=MAX_TEXT, description="As people type it on the page Find")],
    limit: Annotated[int, Query(ge=1, le=50, description="How many at most")] = 10,
) -> Answer:
    """Articles that answer a question: those that match all of its words first, each kind best first."""
    with read() as session:
        demand(session, Right.REVIEW)
        question = understood(session, Question(words))
    answer = answered(Asked(question, tuple(stages_in_use())))
    found = [(one, one.article_id) for one in answer.found(answer.keys[:limit])]
    with read() as session:
        matching, _ = matching_sentences(session, question, [number for _, number in found if number], SENTENCES)
    rows = [
        FoundShape(
            article=number,
            **{name: getattr(one.document, name) for name in ("title", "journal", "year")},
            key=one.key,
            sentences=[
                MatchShape(sentence=each.position, text=each.text, section=each.section)
                for each in matching.get(number, ())
            ],
        )
        for one, number in found
        if number
    ]
    return Answer(found=len(answer.keys), rows=rows, not_ranked=dict(answer.order.left_out))
