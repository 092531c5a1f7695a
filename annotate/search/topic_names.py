"""The topic's own names of its kinds, by which people may ask for them: outcome:pain."""

from sqlalchemy.orm import Session

from annotate.search.queries import Field
from annotate.topics.project_topic import topic_now

_SLOTS = {"genes": Field.GENE, "cells": Field.CELL, "edit": Field.EDIT}


def field_names(session: Session) -> dict[str, Field]:
    """Names that stand before a colon, and the field that each is of; those of the project's topic as it is now."""
    kinds = topic_now(session).file.kinds
    return {
        name.casefold().replace(" ", "_"): _SLOTS[str(kind.stands_in)]
        for kind in kinds
        for name in (kind.key, kind.name)
        if str(kind.stands_in) in _SLOTS
    }
