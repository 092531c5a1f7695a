"""How many of an article's proposals are shown at first, as the head that learns at once says."""

from collections.abc import Mapping

import numpy as np
from sqlalchemy.orm import Session

import db.active_learning.heads
from annotate.active_learning.article_features import rows_for
from annotate.active_learning.heads import platt_of, usable_head
from annotate.proposing.scoring import Chosen
from annotate.proposing.storing import Shown
from db.tables import ModelVersion
from model.active_learning.head import COLUMNS
from model.proposing.shown import by_probability, by_share


def shown_by(version: ModelVersion) -> Shown:
    """What tells for the proposals of a version: those that are probably key by its head, where that is calibrated,
    else a share of the article's sentences."""

    def shown(session: Session, chosen: Mapping[int, Chosen]) -> dict[int, int]:
        probabilities = _probabilities(session, version, chosen)
        return {
            article_id: by_probability(probabilities[article_id])
            if article_id in probabilities
            else by_share(one.sentences, max(1, len(one.positions)))
            for article_id, one in chosen.items()
        }

    return shown


def _probabilities(session: Session, version: ModelVersion, chosen: Mapping[int, Chosen]) -> dict[int, np.ndarray]:
    """The calibrated probabilities of the proposals by rank, by article; of articles without features none."""
    head = usable_head(db.active_learning.heads.latest_base(session, version.id))
    platt = platt_of(head.metrics) if head else None
    if head is None or platt is None:
        return {}
    weights = np.array([head.weights["weights"][name] for name in COLUMNS])
    return {
        article_id: platt.probability(rows[chosen[article_id].positions] @ weights + head.weights["intercept"])
        for article_id, rows in rows_for(session, version.id, [*chosen]).items()
        if len(rows) == chosen[article_id].sentences
    }
