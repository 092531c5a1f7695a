"""How well a topic is learnt from nothing but sentences with labels: files of graded sentences, by article."""

from collections.abc import Callable
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from sklearn.metrics import f1_score

from annotate.project.files.labelled_files import WHOLE, OptionalKey, labelled_rows
from annotate.project.files.packed_lines import UnreadableFile
from annotate.proposing.encoder_versions import proposing_version
from annotate.registry.versions import model_folder
from model.active_learning.key_sentence_ranker import KeySentenceRanker
from model.evaluation.calibration import expected_calibration_error
from model.evaluation.metrics import average_precision, average_r_precision
from model.labelled import UNLABELLED

FULL_GRADE = 3  # of 0 to 3: such a sentence counts
FIRST_EXAMPLES = 5  # that count, and as many that do not
BATCH = 10  # sentences that are judged before the ranking learns again
DRAWS = 5  # other first examples each: with few verdicts much depends on them

Label = Annotated[Literal[0, 1], WHOLE]
Grade = Annotated[Literal[0, 1, 2, 3], WHOLE]


Articles = list[list[str]]  # each as its sentences
Labels = list[list[int]]


def read_articles(path: Path) -> tuple[Articles, Labels]:
    """The articles of a .jsonl or .jsonl.gz file, each its sentences, and the labels of each, 0 or 1; a line an
    article: `sentences`, and `labels` or `grades`. Raises UnreadableFile."""
    lines = labelled_rows(path, _line, rows="article")
    if not any(texts for texts, _ in lines):
        raise UnreadableFile(f"{path.name} holds no sentence")
    return [texts for texts, _ in lines], [labels for _, labels in lines]


def _line(
    sentences: list[str], labels: list[Label] | None = None, grades: list[Grade] | None = None, pmid: OptionalKey = None
) -> tuple[list[str], list[int]]:
    given: list[int] = [int(label) for label in labels or ()] or [int(grade == FULL_GRADE) for grade in grades or ()]
    if len(given) != len(sentences):
        raise ValueError(f"{len(given)} labels for {len(sentences)} sentences of article {pmid or 'without a pmid'}")
    return sentences, given


def evaluate_topic(
    test: Path,
    train: Path,
    verdicts: int | None = None,
    report: Callable[[str, int, int], None] = lambda stage, done, total: None,
) -> dict[str, float | int | None]:
    """How well what was learnt of one file finds the key sentences of another: f1, average_precision, arp, ece and n.

    It learns from all sentences, and fine-tunes a copy of the encoder on them. Or it learns from `verdicts` of them, as
    a queue would ask for them: ten first examples by lot, then the least certain, a batch at a time. Then the encoder
    stays as it is, and the figures are means over DRAWS first examples. report: is told the stage, how much of it is
    done, and of how much. Raises UnreadableFile, and ValueError for a file without either label or too few of them.
    """
    seen, unseen = read_articles(train), read_articles(test)
    folder = model_folder(proposing_version())
    if verdicts is None:
        tuning = partial(report, "fine-tuning a copy of the encoder")
        return _measured(KeySentenceRanker(folder, fine_tune=True).fit(*seen, progress=tuning), *unseen)
    ranker, found = KeySentenceRanker(folder), []
    for draw in range(DRAWS):
        report("learning from other first examples", draw, DRAWS)
        _teach(ranker, *seen, verdicts, np.random.default_rng(draw))
        found.append(_measured(ranker, *unseen))
    measures = [name for name, value in found[0].items() if value is not None and name not in ("n", "key")]
    means = {name: float(np.mean([one[name] for one in found])) for name in measures}
    return {**found[0], **means, "verdicts": verdicts, "draws": DRAWS}


def _teach(
    ranker: KeySentenceRanker, articles: Articles, labels: Labels, verdicts: int, generator: np.random.Generator
) -> None:
    """Fits the ranker on a number of sentences, chosen in batches by what it learnt before."""
    texts, truth = list(chain(*articles)), np.array([*chain(*labels)])
    first = [np.flatnonzero(truth == label) for label in (1, 0)]
    if verdicts < 2 * FIRST_EXAMPLES or min(map(len, first)) < FIRST_EXAMPLES:
        raise ValueError(f"it takes {FIRST_EXAMPLES} examples that count and as many that do not to begin with")
    chosen = [int(row) for rows in first for row in generator.choice(rows, FIRST_EXAMPLES, replace=False)]
    judged = np.full(len(texts), UNLABELLED)
    judged[chosen] = truth[chosen]
    while len(chosen) < min(verdicts, len(texts)):
        log_odds = ranker.fit(texts, judged).decision_function(texts)
        log_odds[chosen] = np.nan
        order = np.argsort(np.abs(log_odds))  # nan comes last
        chosen += [int(row) for row in order[: min(BATCH, verdicts - len(chosen))]]
        judged[chosen] = truth[chosen]
    ends = np.cumsum([len(article) for article in articles])
    ranker.fit(articles, np.split(judged, ends[:-1]))


def _measured(ranker: KeySentenceRanker, articles: Articles, labels: Labels) -> dict[str, float | int | None]:
    truth, ends = np.array([*chain(*labels)]), np.cumsum([len(article) for article in articles])[:-1]
    log_odds = ranker.decision_function(list(chain(*articles)))
    return {
        "f1": float(f1_score(truth, log_odds > 0, zero_division=0.0)),
        "average_precision": average_precision(truth, log_odds),
        "arp": average_r_precision(list(zip(np.split(truth, ends), np.split(log_odds, ends), strict=True))),
        "ece": expected_calibration_error(ranker.probability(log_odds), truth),
        "n": len(truth),
        "key": int(truth.sum()),
    }
