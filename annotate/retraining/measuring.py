"""What the jobs of training and evaluating do: versions measured on a split, a new one tried at the gate, and encoders
to begin with."""

from collections.abc import Mapping
from typing import Any

import db.registry
from annotate.active_learning.article_rankers import fit, fitting_articles
from annotate.articles.works import divided_works
from annotate.evaluation.evaluate_version import (
    FAIR,
    NotEnoughGold,
    Scores,
    articles_with_labels,
    embed_missing,
    evaluate,
    evaluated_articles,
)
from annotate.gold.label_sets import current_label_set
from annotate.jobs.job_process import noted
from annotate.jobs.lifecycle import start_after_other_work
from annotate.jobs.monitor import Monitor
from annotate.project.home import read
from annotate.project.stored_settings import settings_now
from annotate.proposing.comparison import on_shared_fair
from annotate.proposing.encoder_versions import find_version, proposing_version
from annotate.proposing.propose import rankings_of
from annotate.registry.versions import NotPromotable
from annotate.retraining.promotion_gate import promote_if_better
from annotate.retraining.retrain_policy import Gate, RetrainPolicy
from db.values import Split
from model.files import DamagedModel
from model.proposing.ranking import Ranking


def pass_gate(child: str, monitor: Monitor) -> dict[str, Any]:
    """Promotes a new version if the policy's gate lets it, and starts new proposals for all articles; says so, or why
    not.

    Empty where promotion is a person's.
    """
    with read() as session:
        if settings_now(session, RetrainPolicy).gate is Gate.HUMAN:
            return {}
    # Each by which a version may propose; none of the fixed ones encodes anything more.
    rankings = [Ranking.HYBRID, Ranking.TERMS, Ranking.COSINE, Ranking.LEARNED]
    serving = proposing_version().name
    try:
        if monitor.attempt > 1 and serving == child:
            reason = "promoted before the job was interrupted"
        else:
            evaluate_version({"versions": [serving, child], "rankings": rankings}, monitor)
            monitor.flush()
            monitor.stop_if_cancelled()
            reason = promote_if_better(child, monitor.hold)
    except (NotEnoughGold, NotPromotable, DamagedModel) as error:
        return {"promoted": False, "gate": str(error)}
    start_after_other_work("propose", {})  # a pass that runs already turns to the new version before it ends
    return {"promoted": True, "gate": reason}


def evaluate_version(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Evaluates versions with rankings on a split, embedding missing articles; then tries a `candidate` at the gate."""
    rankings = [Ranking(name) for name in payload.get("rankings", [Ranking.COSINE, Ranking.HYBRID])]
    split = payload.get("split", "test")
    with read() as session:
        label_set = current_label_set(session)
        evaluated_articles(session, label_set, split)  # raises where there is nothing to measure on
        # Those without a key sentence too: the fair test asks whether a version finds one there.
        article_ids = articles_with_labels(session, label_set, split)
        divided = len(divided_works(session))
    result = {"split": split, "label_set_sha256": label_set.split_sha256[split], "works_in_two_splits": divided}
    found: dict[str, dict[str, Scores]] = {}
    for name in payload.get("versions") or [None]:
        version = find_version(name)
        with read() as session:
            fitting = fitting_articles(session, version, label_set) if Ranking.LEARNED in rankings else []
        embed_missing(version, sorted({*article_ids, *fitting}), monitor)
        monitor.report(f"evaluating {version.name}")
        if Ranking.LEARNED in rankings:
            fit(version, label_set)
        with read() as session:
            possible = rankings_of(session, version, evaluated_articles(session, label_set, split))
        found[version.name] = {
            str(ranking): evaluate(version, ranking, split, label_set)[1]
            for ranking in rankings
            # A learned ranking knows the articles of the other splits: it was fitted on them.
            if ranking in possible and (ranking is not Ranking.LEARNED or split == Split.TEST)
        }
    metrics = {name: {ranking: one.metrics for ranking, one in scores.items()} for name, scores in found.items()}
    result["versions"] = _on_fair_articles(found) if payload.get("pool") == FAIR else metrics
    return result | (pass_gate(payload["candidate"], monitor) if "candidate" in payload else {})


def _on_fair_articles(found: Mapping[str, Mapping[str, Scores]]) -> dict[str, dict[str, dict[str, Any]]]:
    """What versions measure by ranking on the articles that are fair to all. NotEnoughGold where there are none."""
    measures: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in found}
    for ranking in {ranking for scores in found.values() for ranking in scores}:
        group = {name: scores[ranking].stored for name, scores in found.items() if ranking in scores}
        for name, stored in group.items():
            if not (shared := on_shared_fair(stored, list(group.values()))):
                raise NotEnoughGold(f"no article is fair to {' and '.join(group)}: judge what they rank first")
            measures[name][ranking] = shared
    return measures


def add_encoder_version(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Makes a hub id or a local folder a version to begin with."""
    monitor.report(f"loading {payload['source']}")
    from annotate.proposing.encoders import add_encoder  # noqa: PLC0415 (torch takes seconds to import)

    source = payload["source"]
    with read() as session:
        encoders = {version.name: version.encoder for version in db.registry.encoders(session)}
    before = noted(monitor.job_id, "versions", {"names": [*encoders]})["names"]
    # A version that an attempt added right before its process was killed.
    added = next((name for name, encoder in encoders.items() if encoder == source and name not in before), None)
    return {"version": added or add_encoder(source, payload.get("name"), payload.get("max_tokens")).name}
