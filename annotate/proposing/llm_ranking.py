"""The ranking by a language model's answers: from kept answers, without asking anything."""

from collections.abc import Collection, Sequence

import numpy as np
from sqlalchemy.orm import Session

import db.evaluation
from annotate.project.stored_settings import settings_now
from annotate.proposing.answers.kept import KeptAnswer, KeptAnswers
from annotate.proposing.answers.llm_settings import LlmSettings
from annotate.proposing.answers.prompt import config_sha256, texts_of
from annotate.topics.project_topic import topic_now
from db.tables import ModelVersion
from db.values import Split
from model.proposing.ranking import Ranking

MEASURED = "language_model"  # under which an evaluation's metrics tell which model it was, and whether it was better


class NotAnswered(LookupError):
    """An article about whose present text no language model was asked by the present settings and guideline."""


def config_now(session: Session) -> str:
    """The hash of the settings by which a language model would be asked now."""
    return config_sha256(settings_now(session, LlmSettings), topic_now(session))


def any_answers(session: Session) -> bool:
    """Whether the present model was ever asked by the present guideline."""
    return bool(settings_now(session, LlmSettings).address) and KeptAnswers(config_now(session)).any()


def kept_answers(session: Session, article_ids: Sequence[int]) -> dict[int, KeptAnswer]:
    """The kept answers about these articles as they are now, by article; those not asked about are left out."""
    if not any_answers(session):
        return {}
    kept = KeptAnswers(config_now(session))
    found = {text.article_id: kept.of(text.sha256, len(text.sentences)) for text in texts_of(session, article_ids)}
    return {article_id: answer for article_id, answer in found.items() if answer is not None}


def answers_of(session: Session, article_ids: Sequence[int]) -> dict[int, np.ndarray]:
    """The scores of the sentences of these articles, shape (n,) each; those not asked about are left out."""
    return {number: np.array(answer.scores) for number, answer in kept_answers(session, article_ids).items()}


def all_answered(session: Session, article_ids: Collection[int]) -> bool:
    """Whether each of these articles can be ranked."""
    return len(kept_answers(session, list(article_ids))) == len(article_ids)


def why_not_proposing(session: Session, version: ModelVersion) -> str | None:
    """Why the language model does not propose now; None where it does. It proposes if people chose so and it was found
    better than the version's own ranking on the test articles. It must have been asked by the present settings and
    guideline."""
    if not settings_now(session, LlmSettings).may_propose:
        return "the switch for it is off"
    found = db.evaluation.latest_evaluation(session, version.id, Ranking.LLM, Split.TEST)
    comparison = found.metrics.get(MEASURED, {}) if found else {}
    if comparison.get("config") != config_now(session):
        return f"it has not been compared with {version.name} on all test articles, by its settings of now"
    if not comparison["better"]:
        return f"on the test articles it is not better than {comparison['beside']} by more than chance"
    return None


def may_propose(session: Session, version: ModelVersion) -> bool:
    """Whether a language model's ranking may propose for this version."""
    return why_not_proposing(session, version) is None


def by_article(
    session: Session, version: ModelVersion, wanted: Ranking | None, usual: Ranking, article_ids: Sequence[int]
) -> dict[int, Ranking]:
    """Which ranking proposes in each of these articles: the wanted one, else the usual one of the version.

    Where a language model is wanted, or may propose, it ranks the articles that it was asked about. The usual ranking
    ranks the others.
    """
    if wanted is Ranking.LLM or (wanted is None and may_propose(session, version)):
        answered = answers_of(session, article_ids)
        return {number: Ranking.LLM if number in answered else usual for number in article_ids}
    return dict.fromkeys(article_ids, wanted or usual)
