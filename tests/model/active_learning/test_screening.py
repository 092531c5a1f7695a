"""Triage learns from words and cues, calibrates on articles that it did not learn from, and says when it cannot."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from model.active_learning import screening
from model.active_learning.screening import (
    COLD,
    TITLE_WEIGHT,
    TooFewArticles,
    best_mean,
    cold_weights,
    counts_of,
    cue_score,
    examples_of,
    fit_triage,
    missed_share,
)
from model.evaluation.metrics import area_under_roc
from model.word_weights import kept_columns, weighed

joined_of = screening._joined
WORDS = [f"filler{number}" for number in range(60)]


def made_up(
    number: int, seed: int = 0, telling: float = 0.8, cue: float = 0.0
) -> tuple[list[tuple[str, str]], list[float], np.ndarray]:
    """Texts of which every other holds something; of these a share says so in a word, as few of the others do."""
    generator = np.random.default_rng(seed)
    truth = np.arange(number) % 2
    texts = []
    for held in truth:
        words = generator.choice(WORDS, 12).tolist()
        if generator.random() < (telling if held else 1 - telling):
            words.insert(3, "telltale")
        texts.append(("a title", " ".join(words)))
    return texts, (cue * truth + generator.normal(size=number)).tolist(), truth


def test_words_and_pairs_are_counted_and_the_title_more():
    counts = counts_of([("Gene editing", "editing of p53-null cells"), ("", "")])
    assert counts.shape[0] == 2 and counts[1].nnz == 0
    assert sorted(counts[0].data.tolist())[-1] == TITLE_WEIGHT + 1  # editing: twice in the title, once below
    assert counts[0].sum() == 2 * (TITLE_WEIGHT * 2 + 4) - 1  # so many words, and one pair fewer


def test_the_cue_score_is_the_mean_of_the_three_best():
    assert best_mean(np.array([1.0, 5.0, 3.0, 4.0])) == pytest.approx(4.0)
    assert best_mean(np.array([2.0])) == 2.0
    assert best_mean(np.array([])) == cue_score([]) == 0.0


def test_before_anything_is_learnt_articles_matter_by_the_place_of_their_cues():
    weights = cold_weights(np.array([2.0, 0.0, 1.0, 2.0]))
    assert weights.tolist() == pytest.approx([1.0, (1 / 4) ** COLD, (1 / 2) ** COLD, 1.0])
    assert cold_weights(np.zeros(3)).tolist() == [1.0, 1.0, 1.0]


def test_unseen_articles_are_ordered_by_what_the_words_say():
    texts, cues, truth = made_up(200)
    unseen, more, answers = made_up(200, seed=1)
    found = area_under_roc(answers, fit_triage(examples_of(texts, cues), truth).log_odds(examples_of(unseen, more)))
    assert found is not None and found > 0.7  # who looks for the telling word alone gets .8


def test_cues_count_where_words_say_nothing_and_never_against_an_article():
    texts, cues, truth = made_up(120, telling=0.5, cue=2.0)
    with_cue, without = fit_triage(examples_of(texts, cues), truth).log_odds(examples_of([texts[0]] * 2, [3.0, 0.0]))
    assert with_cue > without + 1
    against = fit_triage(examples_of(texts, [-cue for cue in cues]), truth)
    assert against.join[-1].coef_[0, 1] == 0.0


def test_probabilities_come_true_as_often_as_they_say():
    texts, cues, truth = made_up(400)
    unseen, more, answers = made_up(1000, seed=1)
    p = expit(fit_triage(examples_of(texts, cues), truth).log_odds(examples_of(unseen, more)))
    for low in (True, False):
        chosen = (p < 0.5) == low
        assert abs(p[chosen].mean() - answers[chosen].mean()) < 0.1


def test_an_article_held_out_is_as_unknown_as_a_new_one(monkeypatch):
    texts, cues, truth = made_up(30)
    texts = [(title, f"{text} rare{number} odd{number}") for number, (title, text) in enumerate(texts)]
    joined = []
    monkeypatch.setattr(screening, "_joined", lambda words, *rest: joined.append(words) or joined_of(words, *rest))
    fitted = fit_triage(examples_of(texts, cues), truth)
    counts = counts_of(texts)
    for seen, unseen in screening._folds(truth):
        rows = kept_columns(counts[seen], 1)
        model = LogisticRegression(C=fitted.words.regularisation, class_weight="balanced", max_iter=1000)
        model.fit(weighed(counts[seen], *rows), truth[seen])
        assert joined[0][unseen] == pytest.approx(model.decision_function(weighed(counts[unseen], *rows)), abs=0.02)


def test_few_labels_with_many_rare_words_promise_no_more_than_comes_true():
    told, true = [], []
    for seed in range(8):
        texts, cues, truth = made_up(1000, seed=seed)
        rare = np.random.default_rng(seed).integers(0, 10**6, (1000, 40))
        texts = [(title, " ".join([text, *map(str, own)])) for (title, text), own in zip(texts, rare, strict=True)]
        kept = np.flatnonzero((truth == 0) | (np.arange(1000) % 14 == 1))  # one in eight holds something
        held = truth[kept]
        articles = examples_of([texts[place] for place in kept], [cues[place] for place in kept])
        seen = np.concatenate([np.flatnonzero(held == kind)[:number] for kind, number in ((1, 10), (0, 70))])
        unseen = np.setdiff1d(np.arange(len(kept)), seen)
        told.append(expit(fit_triage(articles.at(seen), held[seen]).log_odds(articles.at(unseen))).sum())
        true.append(held[unseen].sum())
    assert 0.8 < sum(told) / sum(true) < 1.2


def test_the_same_articles_teach_the_same():
    texts, cues, truth = made_up(60)
    first, second = (fit_triage(examples_of(texts, cues), truth).log_odds(examples_of(texts, cues)) for _ in range(2))
    assert first.tolist() == second.tolist()


def test_random_labels_leave_the_probabilities_near_their_share():
    texts, cues, _ = made_up(60, telling=0.5)
    truth = np.random.default_rng(3).permutation(np.arange(60) % 2)
    unseen, more, _ = made_up(200, seed=5, telling=0.5)
    p = expit(fit_triage(examples_of(texts, cues), truth).log_odds(examples_of(unseen, more)))
    assert abs(p.mean() - 0.5) < 0.15 and p.std() < 0.2


@pytest.mark.parametrize("held", [0, 2, 8])
def test_too_few_of_either_kind_are_refused_with_their_number(held):
    texts, cues, _ = made_up(10)
    with pytest.raises(TooFewArticles, match=f"there are {held} and {10 - held}"):
        fit_triage(examples_of(texts, cues), np.arange(10) < held)


def test_an_article_that_may_hold_one_teaches_both_by_its_chance():
    texts, cues, truth = made_up(200)
    unseen, more, _ = made_up(400, seed=1)
    doubted = np.where((truth == 1) & (np.arange(200) % 4 == 1), 0.0, truth)  # of half nothing was found
    third = np.where(doubted == 0, 1 / 3, 1.0)  # 50 of these 150 hold one
    told = [
        expit(fit_triage(examples_of(texts, cues), labels).log_odds(examples_of(unseen, more))).mean()
        for labels in (doubted, third, truth)
    ]
    assert told[0] == pytest.approx(0.25, abs=0.06)
    assert told[1] == pytest.approx(told[2], abs=0.06)
    assert told[2] == pytest.approx(0.5, abs=0.06)


def test_too_few_read_in_full_tell_nothing_of_what_was_missed():
    assert missed_share([True] * 4) == 0.0
    assert missed_share([True, False, False, False, True]) == 0.4


def test_every_article_needs_a_cue_score():
    with pytest.raises(ValueError, match="1 cue scores for 2 articles"):
        examples_of([("a", "b"), ("c", "d")], [1.0])
