"""Scores of each kind of task on vectors made by hand: words stand for directions."""

import numpy as np
import pytest

from annotate.encoders.scoring import Features, score
from annotate.encoders.tasks.task import TEST, TRAIN, Item, Items, Kind, Task
from model.evaluation.frozen import Classifier
from model.prompts import Side

DIRECTIONS = {"cut": 0, "ran": 1, "grew": 2}


class Directions:
    """A text's vector: one number for each word above."""

    def of(self, texts, progress=lambda done, total: None, side=Side.DOCUMENT):
        progress(len(texts), len(texts))
        rows = np.array([[float(word in text.split()) for word in DIRECTIONS] for text in texts])
        return rows / np.maximum(1e-9, np.linalg.norm(rows, axis=1, keepdims=True))


def scored(kind, items, *, measures=("accuracy",), words=False, vectors=True):
    task = Task("t", "T", kind, lambda place: Items([]), measures, (), "", "")
    features = Features(Directions() if vectors else None, words)
    return score(task, Items(items), features, Classifier.LOGISTIC, lambda stage, done, total: None)


def mean(found, measure="accuracy"):
    hits, count = found.sums[measure].sum(axis=0)
    return hits / count


def test_similarity_is_the_cosine_and_learns_nothing():
    pairs = [("cut", "cut", 4.0), ("cut ran", "cut", 3.0), ("cut", "ran", 0.0)]
    found = scored(
        Kind.SIMILARITY, [Item((a, b), s, str(n)) for n, (a, b, s) in enumerate(pairs)], measures=("spearman",)
    )
    n, x, y, xy, xx, yy = found.sums["spearman"].sum(axis=0)
    assert (n * xy - x * y) / np.sqrt((n * xx - x * x) * (n * yy - y * y)) == pytest.approx(1)
    assert (found.trained_on, found.tested, found.floor) == (0, 3, {"spearman": 0.0})


def test_a_triplet_is_right_where_the_same_is_nearer_and_half_where_neither_is():
    triplets = [("cut", "cut now", "ran"), ("cut", "ran", "cut"), ("cut", "ran", "grew")]
    assert mean(scored(Kind.TRIPLET, [Item(t, "first", str(n)) for n, t in enumerate(triplets)])) == 0.5


def test_articles_are_ranked_by_the_cosine_to_their_query():
    items = [
        Item(("cut", "ran", "cut", "grew"), [0, 1, 0], "1"),
        Item(("cut", "ran", "cut", "cut ran"), [1, 0, 1], "2"),  # of the two key sentences one is among the best two
    ]
    found = scored(Kind.RANKING, items, measures=("arp",))
    assert mean(found, "arp") == 0.75
    assert found.floor["arp"] == pytest.approx((1 / 3 + 2 / 3) / 2)


def items_of(part, first, count):
    words = list(DIRECTIONS)
    return [Item((f"{words[n % 3]} x{n}",), words[n % 3], f"{part}{n // 3}", part) for n in range(first, first + count)]


@pytest.mark.parametrize(("vectors", "words"), [(True, False), (False, True), (True, True)])
def test_classes_are_learnt_from_the_training_part(vectors, words):
    items = [*items_of(TRAIN, 0, 36), *items_of(TEST, 90, 9)]
    found = scored(Kind.SINGLE, items, vectors=vectors, words=words)
    assert mean(found) == 1
    assert (found.trained_on, found.tested, len(found.sums["accuracy"])) == (36, 9, 3)  # three units
    assert found.floor == {"accuracy": pytest.approx(1 / 3)}
    assert set(found.chosen) >= ({"words"} if words else {"logistic"})


def test_without_a_split_ten_folds_are_made():
    found = scored(Kind.SINGLE, items_of(TEST, 0, 45))
    assert mean(found) == 1 and len(found.chosen["folds"]) == 10
    assert (found.trained_on, found.tested) == (45, 45)


def test_pairs_and_several_classes():
    words = list(DIRECTIONS)
    pairs = [
        Item((words[n % 3], words[n % 2]), "same" if n % 3 == n % 2 else "other", str(n), TRAIN if n < 60 else TEST)
        for n in range(72)
    ]
    assert mean(scored(Kind.PAIR, pairs)) == 1
    several = [
        Item((" ".join(words[: n % 3]) or "none",), tuple(words[: n % 3]), str(n), TRAIN if n < 60 else TEST)
        for n in range(72)
    ]
    found = scored(Kind.SEVERAL, several, measures=("micro_f1",))
    right, named, true = np.split(found.sums["micro_f1"].sum(axis=0), 3)
    assert right.sum() == named.sum() == true.sum() == 12


def test_what_a_label_is_about_brings_cues_beside_the_words():
    said = {"agrees": "This is consistent with x{} [1].", "differs": "This is in contrast to x{} [1]."}
    items = [
        Item((text.format(n),), label, f"{n // 3}", TRAIN if n < 60 else TEST, (text.format(n).index("["), len(text)))
        for n in range(75)
        for label, text in said.items()
    ]
    assert set(scored(Kind.SINGLE, items, vectors=False, words=True).chosen) == {"words", "cues", "shares"}
    assert set(scored(Kind.SINGLE, items).chosen) == {"logistic"}
