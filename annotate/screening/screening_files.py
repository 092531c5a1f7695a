"""Articles with labels for triage as JSON lines, and how well triage does on some that it has not seen."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scipy.special import expit

from annotate.articles.sentences import split_sentences
from annotate.project.files.packed_lines import json_lines
from annotate.topics.project_topic import current_topic
from model.active_learning.screening import Examples, cue_score, examples_of, fit_triage
from model.evaluation.calibration import expected_calibration_error
from model.evaluation.discovery import work_saved
from model.evaluation.metrics import area_under_roc, average_precision
from model.proposing.rules import Rules

TEXTS = ("title", "abstract")


@dataclass(frozen=True, slots=True)
class TriageLine:
    """One line of a file: an article, and whether it is wanted (1) or not (0)."""

    title: str
    abstract: str
    label: int


def read_triage(path: Path) -> list[TriageLine]:
    """The articles of a .jsonl or .jsonl.gz file: title, abstract and label in each line, other fields passed over.

    Raises ValueError that names the file and the line; OSError where the file cannot be read.
    """
    found = [line for _, line in json_lines(path, _parsed)]
    if not found:
        raise ValueError(f"{path.name} holds no article")
    return found


def _parsed(line: Mapping[str, Any]) -> TriageLine:
    for name in TEXTS:
        if not isinstance(line.get(name), str | None):
            raise ValueError(f"{name} is no text")
    title, abstract = (line.get(name) or "" for name in TEXTS)
    if not f"{title}{abstract}".strip():
        raise ValueError("neither title nor abstract")
    label = line.get("label")
    if isinstance(label, bool) or label not in (0, 1):
        raise ValueError(f"label is {json.dumps(label)[:50]}; it must be 0 or 1")
    return TriageLine(title, abstract, int(label))


def as_examples(lines: Sequence[TriageLine], rules: Rules) -> Examples:
    """Articles as triage takes them: counts of words, and the cue score of the title's and abstract's sentences by the
    rules of a topic."""
    cues = [
        cue_score([line.title, *(line.abstract[start:end] for start, end in split_sentences(line.abstract))], rules)
        for line in lines
    ]
    return examples_of([(line.title, line.abstract) for line in lines], cues)


def evaluate_files(train: Path, test: Path) -> dict[str, float | None]:
    """How well what was learnt of one file orders the articles of another, by probability, with the cues of the topic.

    auroc and average_precision from 0 to 1; wss_at_95 the share of articles that need not be read for 95 % of those
    wanted, less .05; ece, the expected calibration error of the probabilities in ten bins of equal width, 0 the best.
    None where the test file lacks a kind. Raises ValueError, TooFewArticles, OSError.
    """
    seen, unseen = read_triage(train), read_triage(test)
    rules = current_topic().rules
    learnt = fit_triage(as_examples(seen, rules), [line.label for line in seen])
    return measured([line.label for line in unseen], expit(learnt.log_odds(as_examples(unseen, rules))))


def measured(truth: Sequence[int], probabilities: Any) -> dict[str, float | None]:
    """The four measures of these probabilities, shape (n,)."""
    order = sorted(range(len(truth)), key=lambda place: -probabilities[place])
    found = [truth[place] for place in order]
    return {
        "auroc": area_under_roc(truth, probabilities),
        "average_precision": average_precision(truth, probabilities),
        "wss_at_95": work_saved(found, [1] * len(found), sum(found), len(found)),
        "ece": expected_calibration_error(probabilities, truth),
    }
