"""What each kind of job does, and how one is run here with a progress bar.

Torch is imported by the jobs that need it, so that the others start at once.
"""

import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import db.proposing.versions
from annotate.articles.importing.batches import batches_of
from annotate.articles.importing.splitting import batches
from annotate.articles.ingest import store
from annotate.articles.parsing.entry import show_name
from annotate.encoders.job import add_encoder_version, compare_encoders, score_beside_parent
from annotate.engines.chosen import engine_of, kept_engine
from annotate.entities.kinds import vocabularies_of
from annotate.entities.tagging import tag_articles
from annotate.entities.vocabularies import load_vocabulary
from annotate.evaluation.llm_comparison import ask_language_model
from annotate.evaluation.report import make_report
from annotate.finding.indexing import index_articles
from annotate.finding.rankers.jobs import start_reading, store_pseudo_queries, train_ranker
from annotate.finding.vectors import store_vectors
from annotate.functions.vector_files import keep_vectors
from annotate.gold.sample import sample_entries, store_labels
from annotate.jobs.attending import attend, same_work
from annotate.jobs.lifecycle import AlreadyRunning, run_here, start_after_other_work
from annotate.jobs.many_articles import HANDLERS_OF_MANY
from annotate.jobs.monitor import Handler, Monitor
from annotate.jobs.progress_bar import Bar
from annotate.learning.heads import learn_base
from annotate.learning.rankers import fit
from annotate.operations.backup_schedule import back_up_project
from annotate.project.home import read
from annotate.project.stored_settings import settings_now
from annotate.proposing.propose import DEFAULT_K, propose
from annotate.proposing.roles import RankingSettings, last_reading, read_after, read_with, to_propose
from annotate.proposing.versions import proposing_version
from annotate.studies.experiments import experiment
from annotate.studies.simulations import simulate
from annotate.topics.project_topic import current_topic
from annotate.training.measuring import evaluate_version, pass_gate
from annotate.training.setting_values import settings_of
from annotate.triage.fit import learn_triage
from annotate.triage.refit import triage_articles
from model.proposing.ranking import Ranking


def import_articles(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Imports files, folders and Europe PMC identifiers, then proposes where the payload says so."""
    sample = bool(payload.get("sample"))
    # Each with a sign that the job works, however many files in a row the filter leaves out.
    left_out: list[bool] = []
    with (
        engine_of(payload) as engine,
        closing(batches_of(payload, engine, lambda: left_out.append(monitor.cancelled()), monitor.cancelled)) as wanted,
    ):
        report = store(
            batches(sample_entries()) if sample else wanted,
            progress=lambda done: monitor.report("importing", done, 0),
            cancelled=monitor.cancelled,
        )
    result = report.as_dict() | {"left_out_by_the_filter": len(left_out)}
    monitor.keep(result)
    monitor.stop_if_cancelled()
    start_after_other_work("index", {})
    start_reading()
    if sample:
        result |= store_labels()
    if payload.get("propose"):
        result |= propose_articles(payload, monitor)
    if payload.get("recognise"):
        for kind in ("entities", "functions"):
            start_after_other_work(kind, kept_engine(payload))
    return result


def propose_articles(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Embeds what the proposing version has not seen, then ranks all articles anew.

    What changes meanwhile gets its turn before the job ends: the proposing version, the topic, roles that were read.
    """
    from annotate.proposing.embed import embed  # noqa: PLC0415 (torch takes seconds to import)

    while True:
        follows, version = _proposals_follow(), proposing_version()  # in this order: what comes between counts
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
                keep_live=lambda number: ranking is None and number not in renewed,  # noqa: B023 (called at once)
                engine=engine,
                progress=lambda done: monitor.report("proposing", done, 0),
                cancelled=monitor.cancelled,
            )
        monitor.stop_if_cancelled()
        learn_triage(monitor.report, monitor.cancelled)
        monitor.stop_if_cancelled()
        store_vectors(version, partial(monitor.report, "comparing articles by meaning"), monitor.cancelled)
        monitor.stop_if_cancelled()
        keep_vectors(partial(monitor.report, "sorting sentences by likeness"), monitor.cancelled)
        monitor.stop_if_cancelled()
        now = _proposals_follow()
        if now == follows:
            result = {"version": version.name, "sentences_embedded": embedded, "articles_proposed": changed}
            return result | {"learned_ranking": ranker.metrics["reason"]}
        with read() as session:
            article_ids = read_after(session, follows[-1]) if now[:-1] == follows[:-1] else None
        payload = {name: value for name, value in payload.items() if name != "article_ids"} | _only(article_ids)


def _only(article_ids: list[int] | None) -> dict[str, Any]:
    """What a job that proposes is asked for: these articles alone, or all."""
    return {} if article_ids is None else {"article_ids": article_ids}


def _proposals_follow() -> tuple[int, str, bool, int | None]:
    with read() as session:
        by_roles, reading = settings_now(session, RankingSettings).roles, last_reading(session)
    return proposing_version().id, current_topic().sha256, by_roles, reading


def train_version(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Fine-tunes a child version and evaluates it beside its parent; promotes it where the project has set a gate."""
    monitor.report("starting")
    from annotate.training.train import train  # noqa: PLC0415 (torch takes seconds to import)

    result = train(payload.get("parent"), settings_of(payload), monitor)
    score_beside_parent(result["child"])
    return result | pass_gate(result["child"], monitor)


def report_version(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Computes and stores the evaluation report of a version."""
    ranking = Ranking(payload.get("ranking", Ranking.COSINE))
    return make_report(payload.get("version"), ranking, payload.get("split", "test"), monitor)


def recognise_entities(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Recognises entities in the articles that the topic's vocabularies, and taggers, have not seen as they are now."""
    if not (vocabularies := vocabularies_of(current_topic())):
        return {"articles_recognised": 0}
    monitor.report("reading the vocabularies")
    report = partial(monitor.report, "recognising entities")
    with engine_of(payload) as engine:
        count = tag_articles(payload.get("article_ids"), report, monitor.cancelled, vocabularies, engine)
    monitor.stop_if_cancelled()
    if count:
        start_after_other_work("index", {})
    return {"articles_recognised": count}


def read_functions(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Tells what sentences do in the articles not read as they are now; learns it first where nobody has."""
    from annotate.functions.labelled import NoAbstracts  # noqa: PLC0415 (with what reads articles)
    from annotate.functions.reading import read_roles  # noqa: PLC0415 (torch takes seconds to import)

    def report(stage: str, done: int, total: int) -> None:
        monitor.report(stage, done, total)
        monitor.stop_if_cancelled()  # also while it learns, which takes minutes

    try:
        with engine_of(payload) as engine:
            count = read_roles(payload.get("article_ids"), report, monitor.cancelled, engine)
    except NoAbstracts as error:  # nothing is broken: somebody has to install or to train first
        return {"articles_read": 0, "to_do": str(error)}
    monitor.stop_if_cancelled()
    keep_vectors(partial(monitor.report, "sorting sentences by likeness"), monitor.cancelled)
    monitor.stop_if_cancelled()
    with read() as session:
        ranked_by_roles = settings_now(session, RankingSettings).roles and db.proposing.versions.promoted(session)
        read_now = read_with(session, monitor.job_id)
        article_ids = to_propose(session, read_now)
    if read_now and ranked_by_roles:
        start_after_other_work("propose", _only(article_ids))
    return {"articles_read": count}


def compare_works(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Computes what works of reference lists are compared by, of those that lack it."""
    from annotate.related.library import encode_titles  # noqa: PLC0415 (few need what it imports)

    count = encode_titles(partial(monitor.report, "comparing cited works by meaning"), monitor.cancelled)
    monitor.stop_if_cancelled()
    return {"works_compared": count}


def train_related(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Learns from reference lists what brings articles near to what they cite: a map, or the encoder itself."""
    from annotate.related.train import train_map  # noqa: PLC0415 (torch takes seconds to import)
    from annotate.related.train_encoder import train_encoder  # noqa: PLC0415 (torch takes seconds to import)

    return (train_encoder if payload.get("unfreeze") else train_map)(payload, monitor)


def load_tables(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Loads files of names, each whole or not at all, then recognises entities anew."""
    names = {path: show_name(name) for path, name in payload.get("names", {}).items()}
    result: dict[str, Any] = {"loaded": []}
    for path in map(Path, payload["paths"]):
        progress = partial(monitor.report, f"reading {names.get(str(path), path.name)}", total=0)
        result["loaded"].append(load_vocabulary(path, names.get(str(path), ""), progress, monitor.cancelled))
        monitor.stop_if_cancelled()
        monitor.keep(result)
    return result | recognise_entities({}, monitor)


HANDLERS: dict[str, Handler] = {
    "import": import_articles,
    "entities": recognise_entities,
    "functions": read_functions,
    "vocabulary": load_tables,
    "index": index_articles,
    "propose": propose_articles,
    "triage": triage_articles,
    "train": train_version,
    "evaluate": evaluate_version,
    "report": report_version,
    "experiment": experiment,
    "simulate": simulate,
    "encoder": add_encoder_version,
    "find-train": train_ranker,
    "related": compare_works,
    "related-train": train_related,
    "find-words": store_pseudo_queries,
    "encoders": compare_encoders,
    "llm": ask_language_model,
    "backup": back_up_project,
    **HANDLERS_OF_MANY,
}


def run_job(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    """Runs a job in this process with a bar; returns its result. Raises what the work raises."""
    with closing(Bar()) as bar:
        return run_here(kind, payload, HANDLERS, bar)


def run_or_attend(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    """As `run_job`; where a process does the same work already, such as one that goes on with what was interrupted,
    shows how far that is. Raises AlreadyRunning where other work of the kind is being done."""
    try:
        return run_job(kind, payload)
    except AlreadyRunning:
        job_id = same_work(kind, payload)
        if job_id is None:  # other work; or it has ended since, and there is nothing left to wait for
            return run_job(kind, payload)
    print(f"job {job_id} does this already; it goes on if you stop watching it", file=sys.stderr)
    with closing(Bar()) as bar:
        return attend(job_id, bar)
