"""How well a topic is learnt from sentences with labels alone: files of graded sentences, by article."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import scipy

from annotate.bench.labelled_files import WHOLE, OptionalKey, labelled_rows
from annotate.proposing.encoder_versions import proposing_version
from annotate.registry.versions import model_folder
from model.active_learning.sentence_terms import without_names
from model.active_learning.wording import WordingRanker, fit_wording
from model.evaluation.calibration import expected_calibration_error
from model.evaluation.metrics import average_precision, average_r_precision

FULL_GRADE = 3  # of 0 to 3: such a sentence counts
FIRST_EXAMPLES = 5  # that count, and as many that do not
BATCH = 10  # sentences that are judged before the ranking learns again
DRAWS = 5  # other first examples each: with few verdicts much depends on them

Label = Annotated[Literal[0, 1], WHOLE]
Grade = Annotated[Literal[0, 1, 2, 3], WHOLE]


@dataclass(frozen=True, eq=False)
class Sentences:
    """The n sentences of a file, their labels 0 or 1, and the number of the article that each is of, shape (n,)."""

    texts: list[str]
    truth: np.ndarray
    articles: np.ndarray

    @cached_property
    def vectors(self) -> np.ndarray:
        """Their embeddings by the proposing version, names left out, shape (n, dimension)."""
        from model.encoder import encode, load  # noqa: PLC0415 (torch takes seconds to import)

        return encode(load(model_folder(proposing_version())), [without_names(text) for text in self.texts])

    def learnt(self, rows: list[int], *, calibrated: bool = False) -> WordingRanker:
        """A ranker that has learnt from some of them."""
        articles = self.articles[rows] if calibrated else None
        return fit_wording([self.texts[row] for row in rows], self.vectors[rows], self.truth[rows], articles)


def read_sentences(path: Path) -> Sentences:
    """The sentences of a .jsonl or .jsonl.gz file, a line an article: `sentences`, and `labels` or `grades`.

    Raises UnreadableFile.
    """
    lines = labelled_rows(path, _line, rows="article")
    return Sentences(
        [text for texts, _ in lines for text in texts],
        np.array([label for _, labels in lines for label in labels]),
        np.repeat(np.arange(len(lines)), [len(texts) for texts, _ in lines]),
    )


def _line(
    sentences: list[str], labels: list[Label] | None = None, grades: list[Grade] | None = None, pmid: OptionalKey = None
) -> tuple[list[str], list[int]]:
    given: list[int] = [int(label) for label in labels or ()] or [int(grade == FULL_GRADE) for grade in grades or ()]
    if len(given) != len(sentences):
        raise ValueError(f"{len(given)} labels for {len(sentences)} sentences of article {pmid or 'without a pmid'}")
    return sentences, given


def evaluate_topic(test: Path, train: Path, verdicts: int | None = None) -> dict[str, float | int | None]:
    """How well what was learnt of one file finds the key sentences of another: f1, average_precision, arp, ece and n.

    It learns from all sentences, or from `verdicts` of them, as a queue would ask for them: ten first examples by lot,
    then the least certain, a batch at a time; then the figures are means over DRAWS first examples.
    Raises UnreadableFile, and ValueError for a file without either label or too few of them.
    """
    seen, unseen = read_sentences(train), read_sentences(test)
    if verdicts is None:
        return _measured(seen.learnt([*range(len(seen.texts))], calibrated=True), unseen)
    found = [_measured(_taught(seen, verdicts, np.random.default_rng(draw)), unseen) for draw in range(DRAWS)]
    means = {name: float(np.mean([one[name] for one in found])) for name in found[0] if name not in ("n", "key")}
    return {**found[0], **means, "verdicts": verdicts, "draws": DRAWS}


def _taught(seen: Sentences, verdicts: int, generator: np.random.Generator) -> WordingRanker:
    """A ranker that has learnt from a number of sentences, chosen in batches by what it learnt before."""
    first = [np.flatnonzero(seen.truth == label) for label in (1, 0)]
    if verdicts < 2 * FIRST_EXAMPLES or min(map(len, first)) < FIRST_EXAMPLES:
        raise ValueError(f"it takes {FIRST_EXAMPLES} examples that count and as many that do not to begin with")
    chosen = [int(row) for rows in first for row in generator.choice(rows, FIRST_EXAMPLES, replace=False)]
    while len(chosen) < min(verdicts, len(seen.texts)):
        log_odds = seen.learnt(chosen).log_odds(seen.texts, seen.vectors)
        log_odds[chosen] = np.nan
        order = np.argsort(np.abs(log_odds))  # nan comes last
        chosen += [int(row) for row in order[: min(BATCH, verdicts - len(chosen))]]
    return seen.learnt(chosen, calibrated=True)


def _measured(ranker: WordingRanker, unseen: Sentences) -> dict[str, float | int | None]:
    log_odds = ranker.log_odds(unseen.texts, unseen.vectors)
    probability = ranker.probability(unseen.texts, unseen.vectors)
    truth, called = unseen.truth, log_odds > 0
    hits = int((called & (truth == 1)).sum())
    groups = [unseen.articles == number for number in np.unique(unseen.articles)]
    return {
        "f1": 2 * hits / max(1, int(called.sum() + truth.sum())),
        "average_precision": average_precision(truth, log_odds),
        "arp": average_r_precision([(truth[rows], log_odds[rows]) for rows in groups]),
        "ece": expected_calibration_error(scipy.special.expit(log_odds) if probability is None else probability, truth),
        "n": len(truth),
        "key": int(truth.sum()),
    }
