"""What people say of suggestions: not related, or taken back. Append-only; each event is stored once."""

import unicodedata

from sqlalchemy.orm import Session

import db.related
import db.review.verdicts
import db.rows
from annotate.project.acting import own_name
from annotate.project.home import write
from annotate.project.rights import Right
from db.tables import RelatedVerdict

MOST_CHARACTERS = 300
NO_KEY = ("Cc", "Cs", "Zl", "Zp")  # characters that end a line or steer a terminal


def say(annotator: str, asked: str, work: str, related: bool | None, event_id: str) -> bool:
    """Stores a person's verdict on a work suggested for a question; None takes it back. Returns whether it was new.

    Raises ValueError for keys that cannot be, Forbidden for the name of another.
    """
    for name, key in (("asked", asked), ("work", work), ("event", event_id)):
        if not key or len(key) > MOST_CHARACTERS or any(unicodedata.category(each) in NO_KEY for each in key):
            raise ValueError(f"{name} {key[:50]!r} is no key: 1 to {MOST_CHARACTERS} characters of one line")
    with write(Right.REVIEW) as session:
        number = db.review.verdicts.annotator_id(session, own_name(annotator))
        row = {"event_id": event_id, "annotator_id": number, "asked": asked, "work": work, "related": related}
        return bool(db.rows.add_new(session, RelatedVerdict, [row]))


def not_related(session: Session, annotator: str, asked: str) -> frozenset[str]:
    """The works that this person calls not related to the question, by key."""
    verdicts = db.related.verdicts(session, asked, annotator)
    return frozenset(work for work, related in verdicts.items() if not related)
