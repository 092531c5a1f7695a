"""What each kind of job of the core does, and how a job of any kind is run here with a progress bar.

What optional parts add stands in annotate/capabilities.

Torch is imported by the jobs that need it, so that the others start at once.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from importlib import import_module
from threading import Thread
from typing import Any

import db.proposing
from annotate.active_learning.article_rankers import fit
from annotate.active_learning.heads import learn_base
from annotate.active_learning.shown import shown_by
from annotate.active_learning.taught_examples import teach_examples
from annotate.articles.article_rows import store
from annotate.articles.import_report import ImportReport
from annotate.articles.importing.batches import batches_of
from annotate.articles.importing.splitting import Batch, batches
from annotate.articles.sentence_rules import load_punkt_only
from annotate.capabilities.capability import Capability
from annotate.capabilities.chosen import capabilities
from annotate.engines.chosen import engine_of
from annotate.evaluation.report import make_report
from annotate.gold.sample import sample_entries, store_labels
from annotate.jobs.attending import Bar, attend, same_work
from annotate.jobs.lifecycle import AlreadyRunning, run_here
from annotate.jobs.many_articles import HANDLERS_OF_MANY
from annotate.jobs.monitor import Cancelled, Handler, Monitor
from annotate.jobs.repeating import try_duty
from annotate.operations.backup_schedule import back_up_project
from annotate.project.home import look_up, read
from annotate.project.stored_settings import settings_now
from annotate.proposing.encoder_versions import proposing_version
from annotate.proposing.propose import DEFAULT_K, first_to_propose, propose
from annotate.proposing.roles import RankingSettings, last_reading, read_after
from annotate.proposing.unlabelled import keep_sample
from annotate.retraining.measuring import add_encoder_version, evaluate_version, pass_gate
from annotate.retraining.setting_values import settings_of
from annotate.screening.fit import learn_triage
from annotate.screening.refit import triage_articles
from annotate.topics.project_topic import current_topic
from db.tables import ModelVersion
from model.proposing.ranking import Ranking

# Batches of the sample, of which 113 of 30,000 citations are kept, are stored this often: the first articles come soon.
FIRST_SECONDS = 0.5


def import_articles(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Imports files, folders and Europe PMC identifiers, and proposes where the payload says so."""
    sample = bool(payload.get("sample"))
    # Each with a sign that the job works, however many files in a row the filter leaves out.
    left_out: list[bool] = []
    early: list[int] = []

    def keep(report: ImportReport) -> dict[str, Any]:
        result = report.as_dict() | {"left_out_by_the_filter": len(left_out)}
        monitor.keep(result)
        return result

    def progress(report: ImportReport) -> None:
        keep(report)  # what is stored stays, also where a later batch fails
        monitor.report("importing", report.counts.total(), 0)

    with (
        _importing_torch() if payload.get("propose") else nullcontext(),
        engine_of(payload) as engine,
        closing(batches_of(payload, engine, lambda: left_out.append(monitor.cancelled()), monitor.cancelled)) as wanted,
    ):
        ready = batches(sample_entries(), FIRST_SECONDS) if sample else wanted
        report = store(
            _with_first_proposals(ready, payload, monitor, early),
            progress=progress,
            cancelled=monitor.cancelled,
        )
    result = keep(report)
    monitor.stop_if_cancelled()
    _each(lambda capability: capability.once_stored, payload)
    if sample:
        result |= store_labels()
    if payload.get("propose"):
        result |= propose_articles(payload, monitor, sum(early))
    _each(lambda capability: capability.after_import, payload)
    return result


@contextmanager
def _importing_torch() -> Iterator[None]:
    """Imports what embeds, which takes seconds, in a thread while the block reads articles.

    Before that it loads what splits them, which would import some of the same packages at the same time.
    """
    load_punkt_only()
    thread = Thread(target=import_module, args=("annotate.proposing.embed",))
    thread.start()
    try:
        yield
    finally:  # packages cannot be imported while a process ends
        thread.join()


def _with_first_proposals(
    ready: Iterable[Batch], payload: dict[str, Any], monitor: Monitor, embedded: list[int]
) -> Iterator[Batch]:
    """The batches. In a new project a few articles get proposals once they are stored, and the others are stored then.

    `embedded` takes how many sentences of them were. What goes wrong is tried again when all articles are stored.
    """
    waiting = bool(payload.get("propose")) and not look_up(db.proposing.count_proposed)
    for batch in ready:
        yield batch
        if waiting and payload.get("sample"):
            store_labels()
        if waiting and (first := first_to_propose()):
            waiting = False
            with suppress(Cancelled):  # which ends the storing, too
                try_duty("first proposals", lambda: embedded.append(_propose_first(first, payload, monitor)))


def _each(steps: Callable[[Capability], Sequence[Callable[..., None]]], *given: Any) -> None:
    """Takes a step of each capability that is on."""
    for capability in capabilities():
        for step in steps(capability):
            step(*given)


def propose_articles(payload: dict[str, Any], monitor: Monitor, early: int = 0) -> dict[str, Any]:
    """Embeds what the proposing version has not seen, then ranks all articles again.

    Where nothing is proposed yet, a few articles come first, so that experts need not wait for the others; `early`
    sentences of such ones were embedded while the others were stored. What changes meanwhile gets its turn before the
    job ends: the proposing version, the topic, roles that were read.
    """
    if payload.get("article_ids") is None and (first := first_to_propose()):
        early = _propose_first(first, payload, monitor)
    while True:
        follows, version = _proposals_follow(), proposing_version()  # in this order: a promotion in between counts
        result = _propose_once(version, payload, monitor)
        learn_triage(monitor.report, monitor.cancelled)
        monitor.stop_if_cancelled()
        for step in (step for capability in capabilities() for step in capability.after_proposing):
            step(version, monitor)
            monitor.stop_if_cancelled()
        now = _proposals_follow()
        if now == follows:
            result["sentences_embedded"] += early
            if early:
                result["articles_proposed"] = look_up(db.proposing.count_proposed)
            return result
        with read() as session:
            article_ids = read_after(session, follows[-1]) if now[:-1] == follows[:-1] else None
        # From now on only these articles, or all.
        payload = {name: value for name, value in payload.items() if name != "article_ids"}
        payload |= {} if article_ids is None else {"article_ids": article_ids}


def _propose_first(article_ids: list[int], payload: dict[str, Any], monitor: Monitor) -> int:
    """Proposes for a few articles, in this process; how many sentences were embedded."""
    payload = {name: value for name, value in payload.items() if name != "engine"} | {"article_ids": article_ids}
    return int(_propose_once(proposing_version(), payload, monitor)["sentences_embedded"])


def _propose_once(version: ModelVersion, payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Embeds and ranks the articles of a payload, or all, by a version."""
    from annotate.proposing.embed import embed  # noqa: PLC0415 (torch takes seconds to import)

    monitor.report(f"loading {version.name}")
    with engine_of(payload) as engine:
        embedded = embed(
            version,
            article_ids=payload.get("article_ids"),
            engine=engine,
            progress=lambda done, total: monitor.report("embedding sentences", done, total),
            cancelled=monitor.cancelled,
        )
    monitor.stop_if_cancelled()
    if payload.get("article_ids") is None:  # else the features of the others would be of other verdicts
        keep_sample(version)
        teach_examples()
    monitor.report("fitting the learned ranking")
    ranker = fit(version)
    renewed = learn_base(version, payload.get("article_ids"), monitor)
    monitor.report("proposing")
    ranking = Ranking(payload["ranking"]) if payload.get("ranking") else None
    with engine_of(payload) as engine:
        changed = propose(
            version=version,
            ranking=ranking,
            k=payload.get("k", DEFAULT_K),
            article_ids=payload.get("article_ids"),
            shown=shown_by(version),
            keep_live=lambda number: ranking is None and number not in renewed,
            engine=engine,
            progress=lambda done: monitor.report("proposing", done, 0),
            cancelled=monitor.cancelled,
        )
    monitor.stop_if_cancelled()
    result = {"version": version.name, "sentences_embedded": embedded, "articles_proposed": changed}
    return result | {"learned_ranking": ranker.metrics["reason"]}


def _proposals_follow() -> tuple[int, str, str, bool, int | None]:
    with read() as session:
        by_roles, reading = settings_now(session, RankingSettings).roles, last_reading(session)
    topic = current_topic()  # a pattern that is left out changes its rules alone
    return proposing_version().id, topic.sha256, topic.rules.name, by_roles, reading


def train_version(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Fine-tunes a child version and compares it with its parent; promotes it where the project has set a gate."""
    monitor.report("starting")
    from annotate.retraining.retrain import train  # noqa: PLC0415 (torch takes seconds to import)

    result = train(payload.get("parent"), settings_of(payload), monitor)
    _each(lambda capability: capability.after_training, result["child"])
    return result | pass_gate(result["child"], monitor)


def report_version(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Computes and stores the evaluation report of a version."""
    ranking = Ranking(payload.get("ranking", Ranking.COSINE))
    return make_report(payload.get("version"), ranking, payload.get("split", "test"), monitor)


HANDLERS: dict[str, Handler] = {
    "import": import_articles,
    "propose": propose_articles,
    "triage": triage_articles,
    "train": train_version,
    "evaluate": evaluate_version,
    "report": report_version,
    "encoder": add_encoder_version,
    "backup": back_up_project,
    **HANDLERS_OF_MANY,
    **{kind: handler for each in capabilities() for kind, handler in each.jobs.items()},
}


def run_job(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    """Runs a job in this process with a bar; returns its result. Raises what the work raises."""
    with closing(Bar()) as bar:
        return run_here(kind, payload, HANDLERS, bar)


def run_or_attend(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    """Runs a job, as `run_job`; where a process does the same work already, such as one that goes on after an
    interruption, shows its progress. Raises AlreadyRunning where other work of the kind is being done."""
    try:
        return run_job(kind, payload)
    except AlreadyRunning:
        job_id = same_work(kind, payload)
        if job_id is None:  # other work; or it has ended since, and there is nothing left to wait for
            return run_job(kind, payload)
    print(f"job {job_id} does this already; it goes on if you stop watching it", file=sys.stderr)
    with closing(Bar()) as bar:
        return attend(job_id, bar)
