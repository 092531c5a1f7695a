"""Prints how well topics are learnt with a fine-tuned encoder: each quarter of the articles by the other three.

    python -m tests.measure.tuned_topics FILE.jsonl.gz ...

Files of graded or labelled sentences, as `topic evaluate` takes them. First what examples teach without training. Then
for the preset *best*, and for *few labels* by two losses: the cosine; the order in which the app ranks under the
trained version, with what its vectors teach and by words alone; and the mean of the log odds, which `KeySentenceRanker`
has with `fine_tune`. F1 and average precision are of all sentences, ARP is of articles. Two minutes a quarter on two
cores.
"""

import argparse
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.metrics import f1_score
from sklearn.model_selection import GroupKFold

from annotate.active_learning.evaluate_topic import read_articles
from model.active_learning.sentence_terms import without_names
from model.active_learning.wording import fit_wording
from model.encoder import encode, load
from model.evaluation.metrics import average_precision, average_r_precision
from model.files import embedded_encoder
from model.proposing.ranking import standardised
from model.training.classifier import QUERY, SETTINGS, fit_classifier
from model.training.settings import PRESETS, Loss

TRAININGS = {
    "best": replace(PRESETS["best"], query=QUERY),
    "contrastive": replace(SETTINGS, loss=Loss.CONTRASTIVE, batch_size=32),
    "logistic": SETTINGS,
}
Measured = tuple[float, float, float]


def main(path: Path) -> None:
    """Learns and prints the means over quarters."""
    articles, labels = read_articles(path)
    found: dict[str, list[Measured]] = defaultdict(list)
    for train, test in GroupKFold(4).split(articles, groups=np.arange(len(articles))):
        for name, measured in quarter(articles, labels, train, test).items():
            found[name].append(measured)
    for name, of_quarters in found.items():
        f1, precision, arp = np.mean(of_quarters, axis=0)
        print(f"{path.name}, {name}: F1 {f1:.3f}, average precision {precision:.3f}, ARP {arp:.3f}", flush=True)


def quarter(
    articles: list[list[str]], labels: list[list[int]], train: np.ndarray, test: np.ndarray
) -> dict[str, Measured]:
    """F1, average precision and ARP of some articles by what others teach, by what was learnt."""
    taught, asked = ([sentence for number in part for sentence in articles[number]] for part in (train, test))
    known, truth = (np.array([label for number in part for label in labels[number]]) for part in (train, test))
    ends = np.cumsum([len(articles[number]) for number in test])[:-1]

    def measured(scores: np.ndarray) -> Measured:
        pairs = list(zip(np.split(truth, ends), np.split(scores, ends), strict=True))
        precision, arp = average_precision(truth, scores), average_r_precision(pairs)
        assert precision is not None and arp is not None
        return float(f1_score(truth, scores > 0)), precision, arp

    def by_article(scores: np.ndarray) -> np.ndarray:
        return np.concatenate([standardised(own) for own in np.split(scores, ends)])

    plain = load(embedded_encoder())
    vectors = [encode(plain, [without_names(text) for text in texts]) for texts in (taught, asked)]
    both = fit_wording(taught, vectors[0], known).log_odds(asked, vectors[1])
    words = fit_wording(taught, None, known).log_odds(asked)
    found = {"not fine-tuned": measured(both)}
    train_on = [(articles[number], labels[number]) for number in train]
    for name, settings in TRAININGS.items():
        tuned = fit_classifier(load(embedded_encoder()), train_on, settings)
        cosines = tuned.log_odds(asked)
        moved = [encode(tuned.encoder, [without_names(text) for text in texts]) for texts in (taught, asked)]
        meant = fit_wording(taught, moved[0], known).log_odds(asked, moved[1])
        found |= {
            f"{name}, cosine": measured(cosines),
            f"{name}, cosine, words and vectors": measured(meant + by_article(cosines)),
            f"{name}, cosine and words": measured(words + by_article(cosines)),
            f"{name}, mean of both log odds": measured((both + cosines) / 2),
        }
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    for file in parser.parse_args().files:
        main(file)
