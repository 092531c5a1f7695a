"""The topic's own names of its kinds, by which people may ask for them: outcome:pain."""

from sqlalchemy.orm import Session

from annotate.search.fields import field_of
from annotate.search.queries import KindField
from annotate.topics.project_topic import topic_now


def field_names(session: Session) -> dict[str, KindField]:
    """Names that stand before a colon, and the field that each is of; those of the project's topic as it is now."""
    kinds = topic_now(session).file.kinds
    return {name.casefold().replace(" ", "_"): field_of(kind) for kind in kinds for name in (kind.key, kind.name)}
