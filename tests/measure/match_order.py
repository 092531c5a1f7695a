"""Whether Find's list is better with what matches all of a question first, on a judged collection.

    python -m tests.measure.match_order --docs D --queries Q --qrels J [--facets intervention,outcome] [--typed]
                                        [--every 8] [--home FOLDER]

The documents are stored as articles, indexed and compared by meaning, as an import does it. Each question is asked as
the page asks it, with all stages that are on. Printed are the measures of the order by score, of the same order with
what matches all first, and of what matches all, then some, then the rest; and their differences to the order by score
with 95% paired bootstrap intervals over the questions. `--typed` types the names of facets into the box, where they
are plain words; else each is a chip. `--every N` asks each Nth question. A folder given by `--home` keeps the articles.
"""

import argparse
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from annotate.articles.document import Article, Paragraph, Section, SectionKind
from annotate.articles.parsing import ParsedEntry
from annotate.finding.asking.answers import Answered, answered
from annotate.finding.asking.saved import Asked, typed_as
from annotate.finding.judged.evaluate_search import judged_questions, with_facets
from annotate.finding.judged.judged_files import read_documents, read_judgements, read_questions
from annotate.finding.library import Document
from annotate.finding.question import Question
from annotate.finding.search_vectors import store_vectors
from annotate.finding.stages import stages_named
from annotate.proposing.encoder_versions import proposing_version
from annotate.search.upkeep import update_whole
from model.evaluation.retrieval_scores import measured
from model.evaluation.summary import mean_difference
from tests.support.ingesting import ingest

MEASURES = ("ndcg_at_10", "precision_at_10", "recall_at_100", "average_precision")
BY_SCORE, WHOLE, LAYERS = "by score", "all first", "all, some, rest"


def _entries(documents: Iterable[Document]) -> Iterable[ParsedEntry]:
    """The documents as articles whose PMID is their number, from 1."""
    for number, each in enumerate(documents, start=1):
        text = Section("Abstract", SectionKind.ABSTRACT, (Paragraph(each.text),))
        article = Article(title=each.title, pmid=str(number), mesh=each.mesh, year=each.year, sections=(text,))
        yield ParsedEntry(each.key, article)


def orders(answer: Answered) -> Mapping[str, list[str]]:
    """All that was found, in each of the three orders."""
    whole, some = set(answer.matched.whole), set(answer.matched.some)
    found = list(dict.fromkeys([*answer.order.keys, *answer.matched.some]))
    return {
        BY_SCORE: found,
        WHOLE: sorted(found, key=lambda key: key not in whole),
        LAYERS: sorted(found, key=lambda key: 2 - (key in whole) - (key in some)),
    }


def compared(questions: Mapping[str, Question], judgements: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Lines to print: how many questions match how much, the means of each order, and the differences."""
    values: dict[str, dict[str, list[float]]] = {}
    matching: list[int] = []
    moved = 0
    stages = tuple(stages_named(None))
    for name, question in questions.items():
        answer = answered(Asked(question, stages))
        if answer.order.left_out:
            raise SystemExit(f"cannot rank: {dict(answer.order.left_out)}")
        matching.append(len(answer.matched.whole))
        ordered = orders(answer)
        moved += ordered[BY_SCORE][:10] != ordered[LAYERS][:10]
        for order, keys in ordered.items():
            for measure, value in measured(keys, judgements[name]).items():
                values.setdefault(order, {}).setdefault(measure, []).append(value)
    lines = [
        f"{len(questions):,} questions; all of it matches in {sum(each > 0 for each in matching):,} of them, "
        f"the first ten differ in {moved:,}"
    ]
    for order, own in values.items():
        told = (f"{measure} {sum(own[measure]) / len(questions):.3f}" for measure in MEASURES)
        lines.append(f"{order:16} {'  '.join(told)}")
    for order in (WHOLE, LAYERS):
        gaps = {measure: mean_difference(values[order][measure], values[BY_SCORE][measure]) for measure in MEASURES}
        told = (f"{measure} {gap.value:+.3f} ({gap.low:+.3f} to {gap.high:+.3f})" for measure, gap in gaps.items())
        lines.append(f"{order} less by score: {'  '.join(told)}")
    return lines


def asked_of(options: argparse.Namespace) -> tuple[dict[str, Question], dict[str, dict[str, int]]]:
    """The questions that are asked, and the grades of documents by question."""
    judgements = read_judgements(options.qrels)
    questions = judged_questions(read_questions(options.queries), judgements)
    if options.facets:
        questions = with_facets(questions, options.facets.split(","))
    if options.typed:
        questions = {name: Question(typed_as(each)) for name, each in questions.items()}
    return dict(list(questions.items())[:: options.every]), judgements


def stored(documents: Sequence[Document]) -> dict[str, str]:
    """Stores what is not stored yet; returns the keys of the articles by the ids of the documents."""
    ingest(_entries(documents))
    update_whole(lambda done, total: None, lambda: False, lambda stage: None)
    store_vectors(proposing_version())
    return {each.key: f"pmid:{number}" for number, each in enumerate(documents, start=1)}


def main() -> None:
    """Stores the collection, asks the questions and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("docs", "queries", "qrels"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--facets")
    parser.add_argument("--typed", action="store_true")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--home", type=Path)
    options = parser.parse_args()
    questions, judgements = asked_of(options)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["KEYLINE_HOME"] = str(options.home or folder)
        keys = stored(read_documents(options.docs))
        named = {
            name: {keys.get(document, document): grade for document, grade in grades.items()}
            for name, grades in judgements.items()
        }
        print("\n".join(compared(questions, named)))


if __name__ == "__main__":
    main()
