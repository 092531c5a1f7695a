"""The fair test: which sentences must be judged before two versions can be compared on the test articles.

Labels that one version's proposals brought flatter it. So experts are asked about the sentences that either version
ranks first, and about one by lot of each article. Order and form hide which version ranked them.
"""

import hashlib
from collections.abc import Sequence

import numpy as np
from sqlalchemy.orm import Session

from annotate.evaluation.evaluate_version import articles_with_labels, measured
from annotate.gold.label_sets import LabelSet
from annotate.proposing.propose import default_ranking
from annotate.review.judged_sentences import Question, in_place
from db.tables import ModelVersion
from db.values import Split
from model.evaluation.pooling import pool
from model.proposing.ranking import Ranking

# By this one a person promotes (`versions.promote`); the gate takes what each version proposes by.
COMPARED_BY = (Ranking.HYBRID,)


def questions(session: Session, versions: Sequence[ModelVersion], label_set: LabelSet) -> list[Question]:
    """The sentences still to be judged so that the test articles are fair to these versions; empty where they are. Each
    version counts with the rankings by which versions are compared and by which it proposes. The order is by lot, the
    same each time. Raises NotEmbedded.

    The pool of each version (`model.evaluation.pooling`) is asked for in every test article that has a verdict. An
    article without a known key sentence counts, too: the second version may find it.
    """
    article_ids = articles_with_labels(session, label_set, Split.TEST)
    wanted: dict[int, set[int]] = {}
    pairs = [(v, ranking) for v in versions for ranking in {*COMPARED_BY, default_ranking(session, v)}]
    for version, ranking in pairs:
        for article in measured(version, ranking, article_ids, label_set):
            by_lot = int(np.random.default_rng(article.article_id).integers(len(article.truth)))  # the same each time
            wanted.setdefault(article.article_id, {by_lot}).update(pool(article.truth, article.scores))
            wanted[article.article_id] -= set(np.flatnonzero(article.judged).tolist())
    places = {(number, position) for number, positions in wanted.items() for position in positions}
    found = in_place(session, places).values()
    return sorted(found, key=lambda question: hashlib.sha256(str(question.sentence.id).encode()).digest())
