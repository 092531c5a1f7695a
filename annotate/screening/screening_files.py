"""Articles with labels for triage as JSON lines, and how well triage does on some that it has not seen."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import scipy

from annotate.articles.sentences import sentence_texts
from annotate.project.files.labelled_files import WHOLE, Text, labelled_rows
from annotate.project.files.packed_lines import UnreadableFile
from annotate.topics.project_topic import current_topic
from model.active_learning.screening import Examples, cue_score, examples_of, fit_triage
from model.evaluation.calibration import expected_calibration_error
from model.evaluation.discovery import work_saved
from model.evaluation.metrics import area_under_roc, average_precision
from model.proposing.rules import Rules


@dataclass(frozen=True, slots=True)
class TriageLine:
    """One line of a file: an article, and whether it is wanted (1) or not (0)."""

    title: str
    abstract: str
    label: int


def read_triage(path: Path) -> list[TriageLine]:
    """The articles of a .jsonl or .jsonl.gz file: title, abstract and label. Raises UnreadableFile."""
    return labelled_rows(path, _line, rows="article")


def _line(label: Annotated[Literal[0, 1], WHOLE], title: Text = "", abstract: Text = "") -> TriageLine:
    if not f"{title}{abstract}".strip():
        raise ValueError("neither title nor abstract")
    return TriageLine(title, abstract, label)


def as_examples(lines: Sequence[TriageLine], rules: Rules) -> Examples:
    """Articles as triage takes them: counts of words, and their cue scores by the rules of a topic."""
    texts = [(line.title, line.abstract) for line in lines]
    return examples_of(texts, [cue_of(*text, rules) for text in texts])


def cue_of(title: str, abstract: str, rules: Rules) -> float:
    """The cue score of the title and the abstract's sentences by the rules of a topic."""
    return cue_score([title, *sentence_texts(abstract)], rules)


def evaluate_files(train: Path, test: Path) -> dict[str, float | None]:
    """How well what was learnt of one file orders the articles of another, by probability, with the cues of the topic.

    auroc and average_precision from 0 to 1; wss_at_95 the share of articles that need not be read for 95% of those
    wanted, less .05; ece, the expected calibration error of the probabilities in ten bins of equal width, 0 the best.
    None where the test file lacks a kind. Raises UnreadableFile, TooFewArticles.
    """
    seen, unseen = read_triage(train), read_triage(test)
    rules = current_topic().rules
    examples = as_examples(seen, rules)
    if not examples.counts.nnz:
        raise UnreadableFile(f"{train.name}: no title or abstract has a word")
    learnt = fit_triage(examples, [line.label for line in seen])
    return measured([line.label for line in unseen], scipy.special.expit(learnt.log_odds(as_examples(unseen, rules))))


def measured(truth: Sequence[int], probabilities: Any) -> dict[str, float | None]:
    """The four measures of these probabilities, shape (n,). Equal ones are ordered by lot, the same each time, not by
    their lines."""
    lot = np.random.default_rng(0).permutation(len(truth))
    labels, given = np.asarray(truth)[lot], np.asarray(probabilities)[lot]
    found = labels[np.argsort(-given, kind="stable")].tolist()
    return {
        "auroc": area_under_roc(labels, given),
        "average_precision": average_precision(labels, given),
        "wss_at_95": work_saved(found, [1] * len(found), sum(found), len(found)),
        "ece": expected_calibration_error(given, labels),
    }
