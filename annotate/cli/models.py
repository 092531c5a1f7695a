"""Commands that propose, train, evaluate, report and promote, that say when to train, and that measure triage."""

import argparse
import getpass
from dataclasses import asdict, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from annotate.cli.frame.common import Commands, Pages, Result, add_engine, engine_asked, number
from annotate.cli.frame.settings import add_settings, settings_given
from annotate.evaluation.evaluate_version import FAIR
from annotate.gold.label_sets import current_label_set
from annotate.jobs.lifecycle import AlreadyRunning
from annotate.project.home import look_up, read
from annotate.project.stored_settings import change_settings, settings_now
from annotate.proposing.encoder_versions import find_version, promote_encoder, proposing_version
from annotate.proposing.propose import DEFAULT_K
from annotate.registry.versions import roll_back
from annotate.retraining.advice import advise
from annotate.retraining.auto_retrain import begin, decide
from annotate.retraining.retrain_policy import RetrainPolicy
from annotate.retraining.setting_values import ALL_NEGATIVES, ARTICLE_QUERY, OWN_LENGTH, payload_of, setting_of
from annotate.retraining.training_set import usual_settings
from annotate.screening.screening_files import evaluate_files
from annotate.work import run_job
from db.articles import ALL, SPLITS
from db.values import Kind, Split
from model.proposing.query import FIRST_QUERY, QUERY_TOKEN
from model.proposing.ranking import Ranking
from model.training.settings import PRESETS, TrainingSettings

SETTING_TEXTS = {
    "query": f"{ARTICLE_QUERY} (each one's own), {FIRST_QUERY} and other queries of the topic by their names, "
    f"{QUERY_TOKEN}, or a text",
    "negatives_per_key": f"or {ALL_NEGATIVES}",
    "max_tokens": f"or {OWN_LENGTH}",
}


def _train(options: argparse.Namespace) -> Result:
    given = settings_given(options, TrainingSettings)
    parent = find_version(options.parent)
    with read() as session:
        usual = usual_settings(session, current_label_set(session), parent)
    settings = replace(PRESETS[options.preset] if options.preset else usual, **given)
    return run_job("train", payload_of(settings, options.parent))


def _evaluate(options: argparse.Namespace) -> Result:
    version = find_version(options.version)
    names = [version.name]
    if options.pool == FAIR:
        names = list(dict.fromkeys([proposing_version().name, version.name]))
    payload = {"versions": names, "rankings": [options.ranking], "split": options.split, "pool": options.pool}
    result = run_job("evaluate", payload)
    metrics: dict[str, Any] | None = result["versions"][version.name].get(options.ranking)
    if metrics is None:
        reason = "it is measured on the test split alone, and only where it beat the fixed hybrid"
        if options.ranking == Ranking.LLM:
            reason = "not all of the articles were asked about: llm evaluate"
        raise ValueError(f"{version.name} has no numbers for the {options.ranking} ranking: {reason}")
    if options.without_document_labels:
        metrics |= metrics["without_document_labels"] | {"document_labels": False}
    given: dict[str, Any] = {name: getattr(options, name) for name in ("ranking", "split", "pool")}
    measured = {"version": version.name, **given, "works_in_two_splits": result["works_in_two_splits"], **metrics}
    return measured | {"text": _numbers(measured)}


def _numbers(metrics: dict[str, Any]) -> str:
    """The numbers line by line; lists are for programs."""
    shown = {name: value for name, value in metrics.items() if not isinstance(value, (list, dict))}
    lines = [f"{name.replace('_', ' ')}: {f'{v:.4f}' if isinstance(v, float) else v}" for name, v in shown.items()]
    without = metrics["without_document_labels"]
    lines.append(
        f"arp without document labels: {without['arp']:.4f} ({without['arp_low']:.4f} to {without['arp_high']:.4f})"
    )
    return "\n".join(lines)


def _promote(options: argparse.Namespace) -> Result:
    version = find_version(options.version)
    labels = look_up(current_label_set).split_sha256[Split.TEST]
    promote_encoder(version.id, by=getpass.getuser(), label_set_sha256=labels, even_if_worse=options.even_if_worse)
    return _and_proposed(version.name, options)


def _and_proposed(promoted: str, options: argparse.Namespace) -> Result:
    return {"promoted": promoted} | (run_job("propose", {}) if options.propose else {})


def _encoder_add(options: argparse.Namespace) -> Result:
    from annotate.proposing.encoders import add_encoder  # noqa: PLC0415 (torch takes seconds to import)

    return {"version": add_encoder(options.source, options.name, options.max_tokens).name}


def _report(pages: Pages, options: argparse.Namespace) -> Result:
    payload = {"version": find_version(options.version).name, "split": options.split, "ranking": options.ranking}
    result = run_job("report", payload)
    if options.out is not None:
        result |= {"file": str(options.out.resolve())}
        options.out.write_bytes(pages.report_html(result["report"], options.app))
    return result


def _evaluate_triage(options: argparse.Namespace) -> Result:
    found = evaluate_files(options.train, options.test)
    names = {
        "auroc": "area under the ROC curve",
        "average_precision": "average precision",
        "wss_at_95": "work saved at 95% recall",
        "ece": "calibration error",
    }
    lines = [f"{label:26}{'none' if found[name] is None else f'{found[name]:.3f}'}" for name, label in names.items()]
    return found | {"text": "\n".join(lines)}


def add_commands(commands: Commands) -> None:
    """Registers the commands of models with the parser."""
    _add_triage(commands)
    commands.add("auto-retrain", _auto_retrain)
    policy = commands.add("retrain-policy", _policy)
    add_settings(policy, RetrainPolicy)

    proposing = commands.add(
        "propose",
        lambda options: run_job("propose", {"ranking": options.ranking, "k": options.k, **engine_asked(options)}),
    )
    proposing.add_argument(
        "--ranking", choices=list(map(str, Ranking)), help="default: learned where it earned its place, else hybrid"
    )
    proposing.add_argument("-k", type=number, default=DEFAULT_K, help="sentences an article (default %(default)s)")
    add_engine(proposing)

    training = commands.add("train", _train)
    training.add_argument("--parent", metavar="VERSION", help="default: the version in use")
    training.add_argument("--preset", choices=list(PRESETS), help="default: the one that suits the number of labels")
    title = "settings, in place of the preset's"
    add_settings(training, TrainingSettings, SETTING_TEXTS, title=title, read=setting_of)

    evaluating = commands.add("evaluate", _evaluate)
    evaluating.add_argument("--version", help="default: the version in use")
    _ranking(evaluating)
    evaluating.add_argument("--split", choices=[ALL, *SPLITS], default=Split.TEST)

    evaluating.add_argument(
        "--without-document-labels", action="store_true", help="as if the articles had no document labels"
    )
    fair = "all articles, or those alone in which what this and the version in use rank first was judged"
    evaluating.add_argument("--pool", choices=[ALL, FAIR], default=ALL, help=f"{fair} (default %(default)s)")

    report = commands.add("report", partial(_report, commands.pages))
    report.add_argument("version", nargs="?", help="default: the version in use")
    _ranking(report)
    report.add_argument("--split", choices=[ALL, *SPLITS], default=Split.TEST)
    report.add_argument("--out", type=Path, metavar="FILE.html", help="one HTML file to share")
    report.add_argument("--app", default="", metavar="URL", help="the app's address, for links to the review")

    promoting = commands.add("promote", _promote)
    promoting.add_argument("version")
    promoting.add_argument("--even-if-worse", action="store_true", help="also if it ranks worse or was never evaluated")
    back = commands.add(
        "rollback", lambda options: _and_proposed(roll_back(Kind.ENCODER, by=getpass.getuser()), options)
    )
    for added in (promoting, back):
        added.add_argument("--no-propose", dest="propose", action="store_false", help="do not propose again now")

    encoder = commands.group("encoder")
    adding = commands.add("add", _encoder_add, "Add a hub id or a local folder as a version.", encoder)
    adding.add_argument("source")
    adding.add_argument("--name", help="default: the last part of the source")
    adding.add_argument(
        "--max-tokens", type=int, metavar="N", help="cut texts there, or where the encoder ends (default: at most 256)"
    )


def _ranking(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--ranking", choices=list(map(str, Ranking)), default=str(Ranking.HYBRID))


def _add_triage(commands: Commands) -> None:
    group = commands.group("triage")
    text = "Learn from the articles of one file, and measure on another file's."
    command = commands.add("evaluate", _evaluate_triage, text, group)
    for name in ("train", "test"):
        command.add_argument(
            f"--{name}", type=Path, required=True, metavar="FILE", help="JSON lines, .gz too: title, abstract, label"
        )


def _auto_retrain(_: argparse.Namespace) -> Result:
    decision = decide(datetime.now().astimezone())
    job_id = begin(decision)
    if job_id is None and decision.payload is not None:
        raise AlreadyRunning("a training is running already; a second one was not started")
    text = decision.reason if job_id is None else f"job {job_id} was started: {decision.reason}"
    return {"job": job_id, "reason": decision.reason, "text": text}


def _policy(options: argparse.Namespace) -> Result:
    given = settings_given(options, RetrainPolicy)
    policy = look_up(settings_now, RetrainPolicy)
    if given:
        policy = replace(policy, **given)
        change_settings(getpass.getuser(), policy)
    words = look_up(advise).words
    return asdict(policy) | {"advice": words}
