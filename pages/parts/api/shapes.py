"""What the API takes and gives, as its documentation tells it, and where the next page of a list begins."""

from typing import Annotated, Any, Generic, TypeVar

from fastapi import Query
from itsdangerous import BadSignature, URLSafeSerializer
from pydantic import BaseModel, ConfigDict, Field

from annotate.project.home import signing_secret
from annotate.review.verdicts import MAX_EVENTS

One = TypeVar("One")
MOST = 500
Limit = Annotated[int, Query(ge=1, le=MOST, description="How many at most")]
Cursor = Annotated[str | None, Query(max_length=2_000, description="`next` of the page before")]
Number = Annotated[int, Field(ge=1, lt=2**31)]
EventId = Annotated[
    str,
    Field(
        pattern="^[A-Za-z0-9_-]{8,64}$",
        description="Made up by the caller, another one for each request: sent again, it is done once",
    ),
]


class NotThere(LookupError):
    """There is no such thing; the message names it."""


class Shape(BaseModel):
    """What rows become."""

    model_config = ConfigDict(from_attributes=True)


class Problem(BaseModel):
    """Why a call was not answered."""

    error: str
    fields: list[dict[str, str]] | None = None


class Listed(BaseModel, Generic[One]):
    """A page of a list."""

    rows: list[One]
    next: str | None


class Me(BaseModel):
    """The caller: the role, and what it may do now, each right completing "may ..."."""

    name: str
    role: str
    rights: list[str]


class ArticleShape(Shape):
    """An article without its text. `split` is the part it belongs to: train, validation or test; `tags` are those that
    people put on it."""

    id: int
    title: str
    pmid: str | None
    pmcid: str | None
    doi: str | None
    journal: str | None
    year: int | None
    licence: str | None
    full_text: bool
    sentence_count: int
    split: str
    tags: list[str] = []


class SentenceShape(Shape):
    """A sentence; `position` is its number within the article, `start` and `end` its offsets within its paragraph."""

    position: int
    text: str
    section: str
    section_kind: str
    paragraph_id: int
    start: int
    end: int


class ProposalShape(BaseModel):
    """A sentence that is proposed as key: the best has rank 1. `proposed_by`: who proposed it, if
    anybody did, with their reasons; told to those who may see all labels."""

    sentence: int
    rank: int
    cosine: float
    score: float
    section: str
    proposed_by: dict[str, str]


class Reasons(BaseModel):
    """Why proposals stand where they do: by position the parts of the score, each in words and points, the largest
    first."""

    ranking: str
    parts: dict[int, list[tuple[str, float]]]


class Wish(BaseModel):
    """A sentence to propose, by its position, and why in words."""

    sentence: int = Field(ge=0, lt=2**31)
    why: str = Field("", max_length=1_000)


class Shown(BaseModel):
    """Whether the sentence stands among the proposals; false for an article that waits for the propose job."""

    shown: bool


class Proposals(BaseModel):
    """The proposals of an article; none where the person is to read it without. `set` goes back with a verdict."""

    article: int
    with_proposals: bool
    ranking: str
    model: str
    set: int
    rows: list[ProposalShape]


class VerdictShape(BaseModel):
    """What somebody said of a sentence: key (accept), not key (reject), unsure, or taken back (withdrawn).
    `after_release`: when it was given, the person could see what the other experts of the article had said."""

    id: int
    event: str
    annotator: str
    role: str
    article: int
    sentence: int
    value: str
    origin: str
    given_at: str
    stored_at: str
    after_release: bool


class Events(BaseModel):
    """Events as the reader of the pages sends them: verdicts, comments, labels of a sentence, read in full."""

    events: list[Any] = Field(
        max_length=MAX_EVENTS,
        examples=[[{"id": "a1b2c3d4e5f6", "kind": "verdict", "sentence": 12, "value": "accept"}]],
    )


class Refused(BaseModel):
    """An event that was not stored, and why."""

    id: str | None
    reason: str


class Outcome(BaseModel):
    """Which events are on disk now, also those that were before, and which were refused."""

    stored: list[str]
    refused: list[Refused]


class Handed(BaseModel):
    """The article that waits for the person, and whether they see its proposals."""

    article: int
    title: str
    reason: str
    with_proposals: bool
    until: str


class GoldPage(Listed[dict[str, str | int]]):
    """Rows of the gold as files hold them, and the hash of all labels that it is made of."""

    label_set_sha256: str
    total: int


class SnapshotShape(Shape):
    """Gold that was frozen under a name."""

    name: str
    rule: str
    annotator: str | None
    created_at: str
    created_by: str
    sha256: str
    manifest: dict[str, Any]


class JobShape(BaseModel):
    """A job: queued, running, done, failed or cancelled. The person who asked for it and curators get its `result`."""

    id: int
    kind: str
    title: str
    state: str
    asked_by: str | None
    progress: dict[str, Any]
    result: dict[str, Any] | None
    error: str | None
    created_at: str
    started_at: str | None
    finished_at: str | None


def cursor_of(of: str, *place: Any) -> str:
    """The cursor of this place in a list, which serves only for that list."""
    return _serializer(of).dumps(place)


def place_of(of: str, cursor: str | None) -> list[Any]:
    """The place of a cursor; empty at the beginning. Raises ValueError for one of another list, or forged."""
    if not cursor:
        return []
    try:
        return list(_serializer(of).loads(cursor))
    except BadSignature:
        raise ValueError("this is no cursor of this list; begin without one") from None


def _serializer(of: str) -> URLSafeSerializer:
    return URLSafeSerializer(signing_secret(), salt=f"api {of}")
