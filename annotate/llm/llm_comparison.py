"""The job that asks the language model: about the articles of a split, to measure it, or about all, to propose by."""

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

from sqlalchemy.orm import Session

import db.articles
import db.rows
from annotate.evaluation.evaluate_version import embed_missing, evaluate, evaluated_articles, measured
from annotate.gold.label_sets import LabelSet, current_label_set
from annotate.jobs.lifecycle import start_after_other_work
from annotate.jobs.monitor import Monitor
from annotate.llm.asking import Asking, Tally
from annotate.llm.spending import TOKENS_A_SENTENCE, Spending, Usage
from annotate.project.home import look_up, read
from annotate.proposing.answers.llm_settings import settings_to_ask_by
from annotate.proposing.encoder_versions import proposing_version
from annotate.proposing.llm_ranking import kept_answers, may_propose
from annotate.proposing.propose import article_batches, rankings_of
from db.tables import Job, ModelVersion
from db.values import Split
from model.evaluation.summary import as_stored, mean_difference, mean_interval, values_of
from model.proposing.ranking import Ranking

KIND = "llm"
MOST_FAILED = 20  # articles that failed
LATEST = 20  # jobs, whose failed articles are asked about last
STEP_SECONDS = 0.5  # of waiting, between two looks at whether to stop
TOKENS_IN_A_SENTENCE = 40  # of an article, with its share of the guideline: for the estimate alone
MEASURE, RANK = "measure", "rank"


def ask_language_model(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Asks about articles and keeps the answers; then measures on a split (`task` measure) or proposes again (rank).

    `most`: the most articles that were not asked about yet. `budget`: of this job, by default the project's.
    If it ends early, the answers stay. Raises NoConsent, ServiceProblem, NotEnoughGold.
    """
    settings = settings_to_ask_by()
    measures = payload.get("task", MEASURE) == MEASURE
    split = payload.get("split", Split.TEST)
    with read() as session:
        label_set = current_label_set(session)
        if measures:
            article_ids = evaluated_articles(session, label_set, split)
        else:
            article_ids = _unanswered(session, payload, settings.model)
    spending = Spending(monitor.job_id, payload.get("budget") or settings.budget)
    asking = Asking(spending, partial(_wait, monitor))
    result: dict[str, Any] = {"task": MEASURE if measures else RANK, "model": settings.model}

    def progress(done: int) -> None:
        monitor.report(f"asking {settings.model}", done, len(article_ids), spent=round(spending.spent, 4))
        monitor.keep(result | _counts(asking.tally, spending))
        monitor.stop_if_cancelled()

    tally = asking.about(article_ids, progress)
    result |= _counts(tally, spending)
    monitor.keep(result)
    if measures:
        return result | _measure(split, article_ids, label_set, monitor)
    proposes = look_up(may_propose, proposing_version())
    if proposes and tally.asked:
        start_after_other_work("propose", {})
    return result | {"proposes": proposes}


def _unanswered(session: Session, payload: dict[str, Any], model: str) -> list[int]:
    """At most `most` articles without an answer; those that failed in one of the latest jobs come last."""
    jobs = db.rows.latest(session, Job, kind=KIND, limit=LATEST)
    failures = [job.result.get("failed", ()) for job in jobs if job.result.get("model") == model]
    failed = {each["article_id"] for articles in failures for each in articles}
    found: list[int] = []
    last: list[int] = []
    most = payload.get("most")
    for batch in article_batches(payload.get("article_ids"), 50):
        known = kept_answers(session, batch)
        for article_id in batch:
            if article_id not in known:
                (last if article_id in failed else found).append(article_id)
        if most and len(found) >= most:
            break
    return (found + last)[: most or None]


def _wait(monitor: Monitor, seconds: float) -> None:
    """Waits, says so, and hears of a cancel; a wait is a sign that the job works."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        rest = {name: value for name, value in monitor.progress.items() if name != "stage"}
        monitor.proceed("waiting for the service", **rest)
        time.sleep(min(STEP_SECONDS, left))


def _counts(tally: Tally, spending: Spending) -> dict[str, Any]:
    return {
        "articles_answered": tally.asked,
        "articles_known": tally.known,
        "articles_failed": len(tally.failed),
        "failed": tally.failed[:MOST_FAILED],
        "questions": tally.questions,
        "tokens_in": tally.tokens_in,
        "tokens_out": tally.tokens_out,
        "tokens_counted_by_the_server": tally.tokens_counted,
        "cost": round(spending.spent, 6),
        "seconds_asking": round(tally.seconds, 2),
        "stopped": tally.stopped,
    }


def _measure(split: str, article_ids: Sequence[int], label_set: LabelSet, monitor: Monitor) -> dict[str, Any]:
    """All rankings on the same articles: those that have an answer; an evaluation is stored where all have one."""
    version = proposing_version()
    embed_missing(version, article_ids, monitor)
    with read() as session:
        answers = kept_answers(session, article_ids)
    if not answers:
        return {"compared": {}}
    monitor.report("comparing the rankings")
    if len(answers) == len(article_ids):
        evaluate(version, Ranking.LLM, split, label_set)
    compared = compare(version, sorted(answers), label_set, split)
    cost = Usage(sum(a.tokens_in for a in answers.values()), sum(a.tokens_out for a in answers.values()))
    return {
        "split": split,
        "version": version.name,
        "label_set_sha256": label_set.split_sha256[split],
        "articles_compared": len(answers),
        "articles_left_out": len(article_ids) - len(answers),
        "compared": compared,
        "took": {
            "tokens_in": cost.tokens_in,
            "tokens_out": cost.tokens_out,
            "cost": round(sum(answer.cost for answer in answers.values()), 6),
            "seconds": round(sum(answer.seconds for answer in answers.values()), 2),
        },
    }


def compare(
    version: ModelVersion, article_ids: Sequence[int], label_set: LabelSet, split: str
) -> dict[str, dict[str, Any]]:
    """Of each ranking: its ARP on these articles with the 95% interval, and the seconds that it took. With it, how far
    the language model is above it (paired). A learned ranking is compared only on the test split: elsewhere it learnt.
    """
    found: dict[str, dict[str, Any]] = {}
    values: dict[str, list[float]] = {}
    for ranking in look_up(rankings_of, version):
        if ranking is Ranking.LEARNED and split != Split.TEST:
            continue
        started = time.monotonic()
        articles = measured(version, ranking, article_ids, label_set)
        seconds = time.monotonic() - started
        values[ranking] = values_of([a.truth for a in articles], [a.scores for a in articles])["r_precision"]
        arp = mean_interval(values[ranking])
        found[str(ranking)] = {"arp": arp.value, "low": arp.low, "high": arp.high, "seconds": round(seconds, 3)}
    for name, row in found.items():
        if name != Ranking.LLM:
            row["llm_above"] = as_stored(mean_difference(values[Ranking.LLM], values[name]))
    return found


def estimate(session: Session, article_ids: Sequence[int]) -> tuple[int, Usage]:
    """How many of these articles are still to be asked about, and roughly what that uses: so that people can decide."""
    known = kept_answers(session, article_ids)
    waiting = [article_id for article_id in article_ids if article_id not in known]
    sentences = sum(db.articles.sentence_counts(session, waiting).values())
    return len(waiting), Usage(sentences * TOKENS_IN_A_SENTENCE, sentences * TOKENS_A_SENTENCE // 2, counted=False)
