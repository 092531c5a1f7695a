"""Commands that measure searches and screening on judged collections, and train Find's stage rel on them."""

import argparse
import getpass
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from annotate.cli.finding.find import stages_of
from annotate.cli.frame.common import Commands, Result
from annotate.cli.frame.settings import add_settings, settings_given
from annotate.finding.judged.evaluate_search import evaluate, in_library, judged_questions, score_run, with_facets
from annotate.finding.judged.judged_files import read_documents, read_judgements, read_questions, read_run, run_file
from annotate.finding.judged.screening import screen_reviews
from annotate.finding.library import Document, MemoryLibrary
from annotate.finding.rankers.jobs import FILES
from annotate.finding.rankers.ranker_versions import measures_of, refuse_learnt, use
from annotate.finding.stages import STAGES
from annotate.jobs.attending import showing
from annotate.project.whole_files import write_whole
from annotate.project.words import count_of
from annotate.registry.kinds import FOR_FINDING, KINDS
from annotate.registry.versions import Listed, listed
from annotate.work import run_job
from db.values import Kind
from model.finding.ranker_settings import RankerSettings

SHOWN = ("ndcg_at_10", "precision_at_10", "r_precision", "recall_at_100", "average_precision")


def _evaluate(options: argparse.Namespace) -> Result:
    documents, judgements = read_documents(options.docs), read_judgements(options.qrels)
    questions = read_questions(options.queries)
    counted = in_library(documents, judgements)
    _refuse_strangers(options, not questions.keys() & judgements.keys(), not counted["judged_documents_here"])
    refuse_learnt(stages_of(options), judged_questions(questions, judgements))
    if options.facets:
        questions = with_facets(questions, [name.strip() for name in options.facets.split(",")])
    with showing() as report:
        library = _encoded(documents, report)
        result, whole = evaluate(library, questions, judgements, stages_of(options), progress=report)
    if options.run_file:
        write_whole(options.run_file, run_file(whole.scores).encode())
    result |= {"documents": len(documents), **counted}
    return result | {"text": _text(result)}


def _encoded(documents: Sequence[Document], report: Callable[[str, int, int], None]) -> MemoryLibrary:
    return MemoryLibrary(documents, keep=True, progress=lambda done, total: report("encoding documents", done, total))


def _refuse_strangers(options: argparse.Namespace, no_question: bool, no_document: bool) -> None:
    """Files of different collections are told before minutes are spent on encoding."""
    judged = f"is judged in {options.qrels.name}: are these files of one collection?"
    if no_question:
        raise ValueError(f"none of the questions of {options.queries.name} {judged}")
    if no_document:
        raise ValueError(f"none of the documents of {options.docs.name} {judged}")


def _text(result: dict[str, Any]) -> str:
    """A table of the gain of each stage."""
    width = max(len(_stages(row)) for row in result["table"])
    lines = [f"{count_of(result['n'], 'question')}, {count_of(result['documents'], 'document')}", ""]
    lines.append(f"{'':{width}}  " + "  ".join(f"{name:>17}" for name in (*SHOWN, "p (nDCG@10)")))
    for row in result["table"]:
        p = f"{row['p']:.4f}" if "p" in row else "-"
        lines.append(f"{_stages(row):{width}}  " + "  ".join([*(f"{row[name]:17.3f}" for name in SHOWN), f"{p:>17}"]))
    lines += ["", f"nDCG@10 with its 95% interval: {result['ndcg_at_10']:.3f}"]
    lines[-1] += f" ({result['ndcg_at_10_low']:.3f} to {result['ndcg_at_10_high']:.3f})"
    lines.append(f"seconds a question: median {result['seconds_median']:.3f}, worst {result['seconds_worst']:.3f}")
    lines += [f"without {STAGES[name].title}: {reason}" for name, reason in result["left_out"].items()]
    if result["judged_documents"] != result["judged_documents_here"]:
        lines.append(f"{result['judged_documents_here']:,} of {result['judged_documents']:,} judged documents are here")
    return "\n".join(lines)


def _stages(row: dict[str, Any]) -> str:
    return " + ".join(row["stages"])


def _screen(options: argparse.Namespace) -> Result:
    with showing() as report:
        return screen_reviews(
            _encoded(read_documents(options.docs), report),
            read_questions(options.queries),
            read_judgements(options.qrels),
            batch=options.batch,
            seeds=options.seeds,
            included=options.included,
            progress=report,
        )


def add_commands(commands: Commands) -> None:
    """Registers the commands of judged collections with the parser."""
    group = commands.group("find")
    measured = commands.add("evaluate", _evaluate, "Measure the stages on a judged collection.", group)
    measured.add_argument("--stages", help=f"separated by commas, of {', '.join(STAGES)}")
    measured.add_argument(
        "--facets", help="ask only with these names of the questions, separated by commas; text is one, too"
    )
    measured.add_argument(
        "--run", dest="run_file", type=Path, metavar="FILE", help="write the ranking as a run of TREC"
    )
    screened = commands.add(
        "screen", _screen, "Simulate the screening of reviews, ordered by what was included.", group
    )
    screened.add_argument("--batch", type=float, default=10, help="records between two fits; a share below 1")
    screened.add_argument("--seeds", type=int, default=2, help="random starts; the measures are their means")
    screened.add_argument("--included", type=int, default=2, metavar="GRADE", help="the least grade of included ones")
    for command in (measured, screened):
        command.add_argument("--docs", type=Path, required=True, help="JSON lines with id, title, text")
        command.add_argument("--queries", type=Path, required=True, help="JSON lines, or topics of TREC (.xml)")
    scored = commands.add(
        "score",
        lambda options: score_run(read_run(options.run_file), read_judgements(options.qrels)),
        "Measure a run of TREC against judgements.",
        group,
    )
    scored.add_argument("--run", dest="run_file", type=Path, metavar="FILE", required=True)
    for command in (measured, screened, scored):
        command.add_argument("--qrels", type=Path, required=True, help="question, document, grade; or qrels of TREC")
    _add_stages(commands)


def _train(options: argparse.Namespace) -> Result:
    settings = settings_given(options, RankerSettings)
    payload: dict[str, Any] = {"stage": options.stage, "settings": settings, "folds": options.folds}
    payload |= {name: str(path.resolve()) for name in FILES if (path := getattr(options, name))}
    payload |= {"parent": options.parent} if options.parent else {}
    result = run_job("find-train", payload)
    if options.use:
        use(result["version"], by=getpass.getuser())
    return result | {"in_use": options.use}


def _models(_options: argparse.Namespace) -> Result:
    rows = [_row(each) for each in listed(*FOR_FINDING)]
    lines = [f"{row['name']:10} {'in use' if row['in_use'] else '':7} {measures_of(row['metrics'])}" for row in rows]
    return {"models": rows, "text": "\n".join(lines) or "no stage has been trained; see find train --help"}


def _row(each: Listed) -> dict[str, Any]:
    columns = ("settings", "trained_on", "metrics", "created_by", "created_at")
    return {
        "name": each.version.name,
        "stage": each.version.kind,
        "about": KINDS[Kind(each.version.kind)].title,
        "parent": each.parent,
        "in_use": each.in_use,
        **{name: getattr(each.version, name) for name in columns},
    }


def _add_stages(commands: Commands) -> None:
    group = commands.group("find")
    trained = commands.add("train", _train, "Train a stage on judged questions.", group)
    trained.add_argument("stage", choices=[Kind.REL], help=f"{Kind.REL} {KINDS[Kind.REL].title}")
    for name, text in zip(FILES, ("documents", "questions", "judgements"), strict=True):
        trained.add_argument(f"--{name}", type=Path, help=f"{text}; without all three the project's own verdicts")
    trained.add_argument("--parent", metavar="NAME", help="a model to go on from, by default the proposing encoder")
    trained.add_argument("--folds", type=int, default=0, help="measure by cross-validation over questions")
    trained.add_argument("--use", action="store_true", help="let the new model serve at once")
    add_settings(trained, RankerSettings, usual=RankerSettings())
    commands.add("models", _models, "List the trained stages and how good they are.", group)
    using = commands.add(
        "use",
        lambda options: {"in_use": use(options.name, options.stage, by=getpass.getuser())},
        "Choose the model that serves its stage, or none.",
        group,
    )
    using.add_argument("name", metavar="NAME|none")
    using.add_argument("stage", nargs="?", choices=list(FOR_FINDING), help="with none: only this stage")
