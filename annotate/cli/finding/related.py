"""Commands of related articles: links, suggestions, how good they are, and learning from reference lists."""

import argparse
import getpass
from pathlib import Path
from typing import Any

from annotate.cli.frame.common import Commands, Result
from annotate.cli.frame.settings import add_settings, settings_given
from annotate.finding.encoding import Encoder
from annotate.finding.judged.judged_files import read_judgements
from annotate.jobs.attending import showing
from annotate.proposing.encoder_versions import find_version
from annotate.related.collection import read_judged
from annotate.related.evaluate_related import Measured, evaluate, popularity
from annotate.related.gate import use_map
from annotate.related.judged import read_citing, read_contexts
from annotate.work import run_job
from model.training.related.related_settings import RelatedSettings

WORDS_ALONE: dict[str, float] = {"words": 1.0}


def _evaluate(options: argparse.Namespace) -> Result:
    citing = read_citing(options.citing)
    with showing() as report:
        judged = read_judged(
            options.docs,
            options.works,
            options.known,
            of=None if options.related else {each.id for each in citing},
            plain=options.plain or options.words_alone,
            encoder=Encoder(find_version(options.encoder)) if options.encoder else None,
            progress=report,
        )
        words = Measured(WORDS_ALONE, WORDS_ALONE, WORDS_ALONE, 0.0, 0.0)
        result = evaluate(
            judged,
            citing,
            read_contexts(options.contexts) if options.contexts else (),
            read_judgements(options.related) if options.related else None,
            words if options.words_alone else None,
            progress=report,
        )
    if options.known:
        result["most_cited"] = popularity(judged, citing)
    return result


def _train(options: argparse.Namespace) -> Result:
    payload: dict[str, Any] = {"settings": settings_given(options, RelatedSettings)}
    for name in ("citing", "docs", "works", "validation"):
        if path := getattr(options, name):
            payload[name] = str(path.resolve())
    result = run_job("related-train", payload)
    if options.use:
        use_map(result["version"], by=getpass.getuser())
    return result | {"in_use": options.use}


def add_commands(commands: Commands) -> None:
    """Registers the commands of `related` with the parser."""
    group = commands.group("related")
    measured = commands.add("evaluate", _evaluate, "Measure suggestions on reference lists.", group)
    measured.add_argument("--contexts", type=Path, help="citing sentences, too")
    measured.add_argument("--related", type=Path, help="pairs of related documents, too: article, other, grade")
    measured.add_argument("--known", type=Path, help="known reference lists; with --related, those of the documents")
    measured.add_argument("--words-alone", action="store_true", help="rank only by words (BM25)")
    measured.add_argument("--encoder", metavar="NAME", help="a version (default: the one that proposes)")
    measured.add_argument("--plain", action="store_true", help="without what was learnt from reference lists")
    trained = commands.add("train", _train, "Learn a map of the encoder's vectors from reference lists.", group)
    trained.add_argument("--validation", type=Path, help="articles to measure on before and after")
    trained.add_argument("--use", action="store_true", help="let the new version serve at once")
    add_settings(trained, RelatedSettings, usual=RelatedSettings())
    for command in (measured, trained):
        command.add_argument("--citing", type=Path, required=True, help="JSON lines with id, cites, year, pmid")
        command.add_argument("--docs", type=Path, required=True, help="JSON lines with id, title, text, year")
        command.add_argument("--works", type=Path, required=True, help="JSON lines with pmid, title, year")
    using = commands.add(
        "use",
        lambda options: use_map(options.name, by=getpass.getuser()),
        "Choose the map that serves, and compare it with the map before it.",
        group,
    )
    using.add_argument("name", metavar="NAME|shipped|none")
