"""The learned ranking: it finds what the labels say, keeps to the fixed hybrid where they say little, and explains."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold

from model.active_learning.features import FEATURES, features_of, groups_of
from model.active_learning.learned import WORDS, LearnedRanker, arp_of, cross_validated, fit_ranker, grouped
from model.active_learning.structure import STRUCTURE
from model.active_learning.taught import Taught
from model.active_learning.wording import Wording
from model.proposing.ranking import Pool, Ranking, standardised
from tests.support.topics import CUES, PRIOR, RULES

SENTENCES = ["The assay ran.", "Growth was lower than before (p < 0.05).", "We thank all."]


def example(generator: np.random.Generator, key: str = "p value", n: int = 12) -> Taught:
    """An article in which the sentence with the highest value of one feature is key; the rest is noise."""
    features = generator.normal(size=(n, len(FEATURES)))
    labels = np.zeros(n, dtype=int)
    labels[features[:, FEATURES.index(key)].argmax()] = 1
    return Taught(features, labels)


def examples(articles: int, key: str = "p value") -> list[Taught]:
    generator = np.random.default_rng(0)
    return [example(generator, key) for _ in range(articles)]


def plain(**weights: float) -> LearnedRanker:
    """A ranker of some weights, halved."""
    found = np.array([weights.get(name.replace(" ", "_"), 0.0) for name in FEATURES])
    return LearnedRanker(found / 2, 1.0)


def said(terms: dict[str, float], structure: float = 0.0) -> Wording:
    return Wording(terms, np.full(len(STRUCTURE), structure))


def test_what_the_labels_say_is_found():
    train, test = examples(240)[:160], examples(240)[160:]
    ranker = fit_ranker(train, PRIOR)
    assert FEATURES[int(np.argmax(ranker.weights))] == "p value"
    assert arp_of(test, [ranker.score(e.rows) for e in test]) > 0.6
    assert arp_of(test, [e.rows @ PRIOR for e in test]) < 0.3


def test_with_few_labels_it_stays_near_the_fixed_hybrid():
    generator = np.random.default_rng(1)
    prior = PRIOR
    seen = []
    for _ in range(6):
        features = generator.normal(size=(12, len(FEATURES)))
        seen.append(Taught(features, (np.arange(12) == (features @ prior).argmax()).astype(int)))
    unseen = generator.normal(size=(200, len(FEATURES)))
    scores = fit_ranker(seen, PRIOR).score(unseen)
    assert np.corrcoef(scores, unseen @ prior)[0, 1] > 0.9


def test_cross_validation_is_honest_where_there_is_nothing_to_learn():
    generator = np.random.default_rng(2)
    noise = [Taught(generator.normal(size=(20, len(FEATURES))), (np.arange(20) == 7).astype(int)) for _ in range(12)]
    ranker = fit_ranker(noise, PRIOR)
    by_heart = arp_of(noise, [ranker.score(e.rows) for e in noise])
    assert arp_of(noise, cross_validated(noise, PRIOR)) < 0.35 < by_heart
    with pytest.raises(ValueError, match="no article to learn from"):
        fit_ranker([], PRIOR)


def test_a_score_is_the_weighted_sum_of_the_features():
    row = np.zeros((1, len(FEATURES)))
    row[0, FEATURES.index(CUES["gene"])] = 3.0
    assert plain(**{CUES["gene"].replace(" ", "_"): 4.0}).score(row).tolist() == [7.0]  # 3 / 2 * 4 + 1


def test_a_score_is_the_sum_of_what_features_and_wording_add():
    pool = Pool(SENTENCES, np.array([0.1, 0.4, 0.2]))
    ranker = replace(plain(cosine=1.0, p_value=2.0, cell=1.0), wording=said({"a": 1.0, "was": -1.0}))
    weighed = ranker.weighed(Taught(features_of(pool), np.zeros(3), pool.sentences))
    assert weighed.sum(axis=1) + 1.0 == pytest.approx(ranker(pool))
    assert weighed[:, -1] != pytest.approx(0.0)
    named = dict(zip((*FEATURES, WORDS), weighed[1], strict=True))
    assert named["p value"] == pytest.approx(np.log(2))  # of twice that, halved


def test_values_are_summed_by_group_the_largest_first():
    values = {"digits": 1.0, "p value": -3.0, CUES["gene"]: 1.0}
    assert grouped(values, groups_of(RULES)) == {"numbers and statistics": -2.0, "gene": 1.0}


KEY_TEXT, OTHER_TEXT = "We saw that rsbp-1 is expressed", "Worms without {name} were grown"


def worded(*names: str) -> list[Taught]:
    """Articles of two sentences, the second one key, whose features tell nothing."""
    rows = np.zeros((2, len(FEATURES)))
    return [Taught(rows, np.array([0, 1]), (OTHER_TEXT.format(name=n), KEY_TEXT.replace("rsbp-1", n))) for n in names]


def test_the_wording_tells_what_is_said_of_other_names_too():
    ranker = fit_ranker(worded("ceh-34", "acs-1", "tph-1"), PRIOR)
    assert ranker.wording is not None
    terms = ranker.wording.terms
    assert terms["expressed"] > 0 > terms["grown"] and terms["<is"] > 0
    (unseen,) = worded("nmur-1")
    assert ranker.score_article(unseen)[1] > ranker.score_article(unseen)[0]


def test_words_weigh_what_they_tell_of_articles_that_they_were_not_learnt_from():
    def weight(articles: list[Taught]) -> float:
        return fit_ranker(articles, PRIOR).words or 0.0

    told = worded(*(f"abc-{number}" for number in range(20)))
    keys = [number % 5 < 2 or (number % 5 == 4 and number < 10) for number in range(20)]  # what the other folds deny
    by_lot = [replace(one, labels=np.array([1 - key, key])) for one, key in zip(told, keys, strict=True)]
    assert weight(told) > weight(by_lot) == 0.0
    assert weight(told[:1]) == 0.0  # one article tells nothing of others
    (first, *others) = told
    mixed = [replace(first, sentences=()), *others]
    assert weight(mixed) > 0.0
    assert fit_ranker(mixed, PRIOR).by_wording(mixed[0]).tolist() == [0.0, 0.0]


def test_an_article_is_scored_by_the_words_of_other_folds_alone():
    articles = worded(*"abcdef")
    articles[2] = replace(articles[2], sentences=("Only here it shines", "And here it glows"))
    articles[4] = replace(articles[4], sentences=())
    found = cross_validated(articles, PRIOR)
    folds = GroupKFold(5).split(range(6), groups=range(6))
    for train, test in folds:
        ranker = fit_ranker([articles[place] for place in train], PRIOR)
        for place in test:
            assert found[place] == pytest.approx(ranker.score_article(articles[place]))


def test_where_features_say_all_that_words_say_words_weigh_less():
    articles = worded(*(f"abc-{number}" for number in range(30)))
    rows = np.zeros((2, len(FEATURES)))
    rows[1, FEATURES.index("p value")] = 1.0
    plain_words, both = (fit_ranker(own, PRIOR) for own in (articles, [replace(e, rows=rows) for e in articles]))
    assert 0 < (both.words or 0.0) < (plain_words.words or 0.0)


def test_no_wording_is_learnt_without_sentences_or_of_one_label():
    assert fit_ranker(examples(5), PRIOR).wording is None
    of_one_label = [Taught(np.zeros((1, len(FEATURES))), np.array([1]), ("We saw it.",))] * 4
    assert fit_ranker(of_one_label, PRIOR).wording is None


def test_a_ranker_survives_json_and_refuses_other_features():
    ranker = replace(fit_ranker(examples(5), PRIOR), wording=said({"was": 0.5}, 1.0))
    ranker = replace(ranker, words=0.25)
    stored = json.loads(json.dumps(ranker.as_dict()))
    pool = Pool(SENTENCES, np.array([0.1, 0.4, 0.2]), ranker=LearnedRanker.from_dict(stored))
    assert Ranking.LEARNED.scores(pool) == pytest.approx(ranker(pool))
    stored["weights"]["colour"] = 1.0
    with pytest.raises(ValueError, match="differing in colour"):
        LearnedRanker.from_dict(stored)


def test_a_ranker_of_standardised_features_as_they_were_stored_before_scores_as_it_did():
    drawn = np.random.default_rng(0)
    weights, means, scales = drawn.normal(size=(3, len(FEATURES)))
    parts = {"weights": weights, "means": means, "scales": abs(scales) + 0.1}
    stored = {part: dict(zip(FEATURES, values.tolist(), strict=True)) for part, values in parts.items()}
    rows = drawn.normal(size=(4, len(FEATURES)))
    scored = LearnedRanker.from_dict({**stored, "intercept": -1.5}).score(rows)
    assert scored == pytest.approx((rows - means) / parts["scales"] @ weights - 1.5)


def test_terms_as_they_were_stored_before_count_whether_a_sentence_has_them():
    weights = np.random.default_rng(0).normal(size=len(FEATURES))
    stored = {"weights": dict(zip(FEATURES, weights.tolist(), strict=True)), "intercept": 0.0}
    ranker = LearnedRanker.from_dict({**stored, "terms": {"was": -1.0, "than before": 0.5, "thank": 2.0}})
    article = Taught(np.random.default_rng(1).normal(size=(3, len(FEATURES))), np.zeros(3), SENTENCES)
    by_features, sums = article.rows @ weights, np.array([0.0, 0.5 - 1.0, 2.0])
    assert ranker.score_article(article) == pytest.approx(by_features + 0.5 * by_features.std() * standardised(sums))
    assert LearnedRanker.from_dict({**stored, "terms": {}}).wording is None


def test_words_as_they_were_stored_without_a_weight_add_half_the_spread_of_the_features():
    ranker = replace(plain(cosine=1.0, p_value=2.0), wording=said({"was": 0.5, "we": -1.0}, 1.0))
    stored = ranker.as_dict()
    del stored["words"], stored["wording"]["intercept"]
    article = Taught(np.random.default_rng(1).normal(size=(3, len(FEATURES))), np.zeros(3), SENTENCES)
    by_features, told = ranker.score(article.rows), ranker.wording.log_odds(SENTENCES)
    scores = LearnedRanker.from_dict(stored).score_article(article)
    assert scores == pytest.approx(by_features + 0.5 * by_features.std() * standardised(told))


def test_scoring_needs_no_scikit_learn():
    code = (
        "import sys; import numpy as np;"
        "from model.active_learning.features import FEATURES; from model.active_learning.learned import LearnedRanker;"
        "f = len(FEATURES); LearnedRanker(np.ones(f), 0.0).score(np.ones((2, f)));"
        "assert not {'sklearn', 'torch'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
