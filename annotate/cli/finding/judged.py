"""Commands that measure searches and screening on judged collections."""

import argparse
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from annotate.cli.common import DONE, Commands, Result
from annotate.cli.finding.find import stages_of
from annotate.finding.find import FUSIONS
from annotate.finding.judged.evaluate_search import evaluate, in_library, score_run, with_facets
from annotate.finding.judged.judged_files import read_documents, read_judgements, read_questions, read_run, run_lines
from annotate.finding.judged.screening import screen_reviews
from annotate.finding.memory import MemoryLibrary
from annotate.finding.stages import STAGES
from annotate.jobs.progress_bar import Bar
from annotate.project.whole_files import write_whole

SHOWN = ("ndcg_at_10", "precision_at_10", "r_precision", "recall_at_100", "average_precision")


def _evaluate(options: argparse.Namespace) -> Result:
    documents, judgements = read_documents(options.docs), read_judgements(options.qrels)
    questions = read_questions(options.queries)
    counted = in_library(documents, judgements)
    _refuse_strangers(options, not questions.keys() & judgements.keys(), not counted["judged_documents_here"])
    if options.facets:
        questions = with_facets(questions, [name.strip() for name in options.facets.split(",")])
    with closing(Bar()) as bar:
        report = _on(bar)
        library = MemoryLibrary(
            documents, keep=True, progress=lambda done, total: report("encoding documents", done, total)
        )
        result, whole = evaluate(
            library, questions, judgements, stages_of(options), fusion=options.fusion, progress=report
        )
    if options.run_file:
        lines = run_lines(whole.scores)
        write_whole(options.run_file, "".join(f"{line}\n" for line in lines).encode())
    result |= {"documents": len(documents), **counted}
    return DONE, result | {"text": _text(result)}


def _refuse_strangers(options: argparse.Namespace, no_question: bool, no_document: bool) -> None:
    """Files of different collections are told before minutes are spent on encoding."""
    judged = f"is judged in {options.qrels.name}: are these files of one collection?"
    if no_question:
        raise ValueError(f"none of the questions of {options.queries.name} {judged}")
    if no_document:
        raise ValueError(f"none of the documents of {options.docs.name} {judged}")


def _on(bar: Bar) -> Callable[[str, int, int], None]:
    return lambda stage, done, total: bar({"stage": stage, "done": done, "total": total})


def _text(result: dict[str, Any]) -> str:
    """A table of the gain of each stage."""
    width = max(len(_stages(row)) for row in result["table"])
    lines = [f"{result['n']} questions, {result['documents']:,} documents", ""]
    lines.append(f"{'':{width}}  " + "  ".join(f"{name:>17}" for name in (*SHOWN, "p (nDCG@10)")))
    for row in result["table"]:
        p = f"{row['p']:.4f}" if "p" in row else "-"
        lines.append(f"{_stages(row):{width}}  " + "  ".join([*(f"{row[name]:17.3f}" for name in SHOWN), f"{p:>17}"]))
    lines += ["", f"nDCG@10 with its 95 % interval: {result['ndcg_at_10']:.3f}"]
    lines[-1] += f" ({result['ndcg_at_10_low']:.3f} to {result['ndcg_at_10_high']:.3f})"
    lines.append(f"seconds a question: median {result['seconds_median']:.3f}, worst {result['seconds_worst']:.3f}")
    lines += [f"without {STAGES[name].title}: {reason}" for name, reason in result["left_out"].items()]
    if result["judged_documents"] != result["judged_documents_here"]:
        lines.append(f"{result['judged_documents_here']:,} of {result['judged_documents']:,} judged documents are here")
    return "\n".join(lines)


def _stages(row: dict[str, Any]) -> str:
    return " + ".join(row["stages"])


def _score(options: argparse.Namespace) -> Result:
    return DONE, score_run(read_run(options.run_file), read_judgements(options.qrels))


def _screen(options: argparse.Namespace) -> Result:
    with closing(Bar()) as bar:
        report = _on(bar)
        documents = read_documents(options.docs)
        library = MemoryLibrary(
            documents, keep=True, progress=lambda done, total: report("encoding documents", done, total)
        )
        result = screen_reviews(
            library,
            read_questions(options.queries),
            read_judgements(options.qrels),
            batch=options.batch,
            seeds=options.seeds,
            included=options.included,
            progress=report,
        )
    return DONE, result


def add_commands(commands: Commands) -> None:
    """Registers the commands of judged collections with the parser."""
    group = commands.group("find")
    measured = commands.add("evaluate", _evaluate, "Measure the stages on a judged collection.", group)
    measured.add_argument("--stages", help=f"apart by commas, of {', '.join(STAGES)}")
    measured.add_argument("--facets", help="ask these facets of the questions alone, apart by commas; text is one, too")
    measured.add_argument(
        "--run", dest="run_file", type=Path, metavar="FILE", help="write the ranking as a run of TREC"
    )
    measured.add_argument("--fusion", choices=FUSIONS, default="scores", help="what rankings are put together by")
    screened = commands.add(
        "screen", _screen, "Simulate the screening of reviews, ordered by what was included.", group
    )
    screened.add_argument("--batch", type=float, default=10, help="records between two fits; a share below 1")
    screened.add_argument("--seeds", type=int, default=2, help="starts by lot; the measures are their mean")
    screened.add_argument("--included", type=int, default=2, metavar="GRADE", help="the least grade of included ones")
    for command in (measured, screened):
        command.add_argument("--docs", type=Path, required=True, help="JSON lines with id, title, text")
        command.add_argument("--queries", type=Path, required=True, help="JSON lines, or topics of TREC (.xml)")
    scored = commands.add("score", _score, "Measure a run of TREC against judgements.", group)
    scored.add_argument("--run", dest="run_file", type=Path, metavar="FILE", required=True)
    for command in (measured, screened, scored):
        command.add_argument("--qrels", type=Path, required=True, help="question, document, grade; or qrels of TREC")
