"""Screenings replayed as the page runs them, with draws by lot: how often the estimate of what is left holds.

Run `python -m tests.measure.screening --docs D --queries Q --qrels J`; prints a JSON object a share. `--rival` prints
another thing: the means of `find screen`, of Keyline with and without what looked promising, and of ASReview's ELAS u4,
built from scikit-learn, with the same starts; and the differences to u4 with 95% intervals by review.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC

from annotate.finding.asking.screening import progress, whats_next
from annotate.finding.judged.judged_files import read_documents, read_judgements, read_questions
from annotate.finding.judged.screening import MEASURES, review_pool, screening
from annotate.finding.library import MemoryLibrary
from db.finding.questions import Judgement
from model.evaluation.intervals import Estimate
from model.evaluation.retrieval_scores import screened
from model.evaluation.summary import mean_difference
from model.finding.feedback import Pool, scores

BATCH = 20
SHARES = (0.1, 0.2, 0.3, 0.5, 0.7)


def replayed(pool: Pool, relevant: Mapping[str, bool], seed: int) -> Iterator[tuple[float, Estimate | None, int]]:
    """(share judged, estimate of what is left, what is left) at each of SHARES, as the page would tell them."""
    keys, due = list(relevant), list(SHARES)
    said: dict[str, Judgement] = {}
    places = {key: place for place, key in enumerate(keys)}
    while due:
        found = scores(pool, [places[key] for key in said], [each.grade > 0 for each in said.values()])
        ordered = sorted(keys, key=lambda key: -found[places[key]])
        for each in whats_next(ordered, said, seed, BATCH):
            said[each.key] = Judgement(each.key, int(relevant[each.key]), each.waiting, len(said))
        if len(said) >= due[0] * len(keys):
            left = sum(relevant.values()) - sum(each.grade for each in said.values())
            yield due.pop(0), progress(keys, said).left, left


def u4_words(texts: Sequence[tuple[str, str]]) -> csr_matrix:
    """Features of ELAS u4: TF-IDF of one and two words of title and abstract."""
    weighed = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, max_df=0.9)
    return csr_matrix(weighed.fit_transform(f"{title} {text}" for title, text in texts))


def u4(words: csr_matrix, places: Sequence[int], relevant: Sequence[bool]) -> np.ndarray:
    """Scores of ELAS u4: a linear support vector machine; all excluded ones weigh 1 / 9.8 of all included ones."""
    said = np.asarray(relevant, dtype=int)
    weights = np.where(said == 1, 1.0, said.sum() / 9.8 / (1 - said).sum())
    machine = LinearSVC(C=0.11, max_iter=5000, random_state=0)
    machine.fit(words[places], said, sample_weight=weights * len(said) / weights.sum())
    return np.asarray(machine.decision_function(words))


def beside(library: MemoryLibrary, options: argparse.Namespace) -> None:
    """Prints the means of each ranking, and its differences to u4."""
    questions = read_questions(options.queries)
    found: dict[str, list[list[float]]] = {}
    for name, grades in read_judgements(options.qrels).items():
        keys = list(library.documents(list(grades)))
        labels = np.array([grades[key] >= options.included for key in keys])
        promising = np.array([grades[key] > 0 for key in keys])
        pool = review_pool(library, keys, questions.get(name))
        words = u4_words([(each.title, each.text) for each in library.documents(keys).values()])
        rankings: dict[str, tuple[np.ndarray | None, Callable[..., np.ndarray] | None]] = {
            "keyline": (promising, None),
            "keyline, included alone": (None, None),
            "u4": (None, lambda pool, places, said, sight, words=words: u4(words, places, said)),
        }
        for system, (sight, learn) in rankings.items():
            orders = [screening(pool, labels, 10, seed, sight, learn) for seed in range(options.seeds)]
            runs = [screened(labels[order].tolist()) for order in orders]
            found.setdefault(system, []).append([np.mean([run[m] for run in runs]) for m in MEASURES])
    for system, values in found.items():
        means = dict(zip(MEASURES, np.mean(values, axis=0).round(3).tolist(), strict=True))
        print(json.dumps({"ranking": system, "reviews": len(values), **means}))
    for place, measure in enumerate(MEASURES):
        ours, theirs = ([each[place] for each in found[name]] for name in ("keyline", "u4"))
        gap = mean_difference(ours, theirs)
        told = {"keyline_less_u4": measure, "mean": gap.value, "low": gap.low, "high": gap.high}
        print(json.dumps({k: round(v, 3) if isinstance(v, float) else v for k, v in told.items()}))


def main() -> None:
    """How often the interval holds what is left, and how often its upper bound is not passed, over all reviews."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("docs", "queries", "qrels"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--included", type=int, default=2)
    parser.add_argument("--rival", action="store_true")
    options = parser.parse_args()
    library = MemoryLibrary(read_documents(options.docs), keep=True)
    if options.rival:
        beside(library, options)
        return
    questions = read_questions(options.queries)
    seen = []
    for name, grades in read_judgements(options.qrels).items():
        relevant = {key: grade >= options.included for key, grade in grades.items()}
        pool = review_pool(library, list(relevant), questions.get(name))
        for seed in range(options.seeds):
            told = replayed(pool, relevant, seed)
            seen += [(share, *_held(left, truth)) for share, left, truth in told if left is not None]
    for share in SHARES:
        held = np.array([each[1:] for each in seen if each[0] == share], dtype=float)
        means = dict(zip(("interval", "upper_bound", "mean_left", "mean_estimate"), held.mean(axis=0), strict=True))
        print(json.dumps({"judged": share, "screenings": len(held)} | {k: round(v, 3) for k, v in means.items()}))


def _held(left: Estimate, truth: int) -> tuple[bool, bool, int, float]:
    return left.low <= truth <= left.high, truth <= left.high, truth, left.value


if __name__ == "__main__":
    main()
