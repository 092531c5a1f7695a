"""Coefficients of agreement against published examples, sums by hand and scikit-learn; and their intervals."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

import model.agreement
from model.agreement import (
    Agreement,
    Coefficient,
    agreement,
    alphas,
    krippendorff_alpha,
    name_of,
    pair_agreement,
)

# Fleiss 1971, table 1: 30 patients, 6 psychiatrists each, of 5 diagnoses.
FLEISS_1971 = np.array(
    [
        [int(digit) for digit in row]
        for row in """00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031
        00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006""".split()
    ]
)
# Krippendorff 2011, section C: 4 observers, 12 units, values missing.
KRIPPENDORFF_2011 = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def counts_of(*raters: list) -> np.ndarray:
    """How many raters gave each value to each unit."""
    values = sorted({value for rater in raters for value in rater if value is not None})
    return np.array([[column.count(value) for value in values] for column in zip(*raters, strict=True)])


def coefficients_of(counts: np.ndarray) -> Agreement:
    """All coefficients of these units, which are of one article."""
    return agreement(counts, np.zeros(len(counts), dtype=int))


def percent_agreement(counts: np.ndarray) -> float | None:
    return coefficients_of(counts).percent.value


def positive_agreement(counts: np.ndarray) -> float | None:
    return coefficients_of(counts).positive.value


def fleiss_kappa(counts: np.ndarray) -> float | None:
    return coefficients_of(counts).fleiss.value


def cohens_kappa(table: list[list[int]]) -> float | None:
    """Of units by the value of one annotator (rows) and of another."""
    units = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], np.ravel(table), axis=0)
    return pair_agreement(units[:, 0], units[:, 1], np.zeros(len(units), dtype=int)).cohen.value


def test_fleiss_kappa_is_that_of_its_first_publication():
    assert FLEISS_1971.sum(axis=0).tolist() == [26, 26, 30, 55, 43]
    assert percent_agreement(FLEISS_1971) == pytest.approx(0.555, abs=1e-3)  # 5/9, which the paper cuts off
    assert fleiss_kappa(FLEISS_1971) == pytest.approx(0.430, abs=5e-4)


def test_alpha_is_that_of_krippendorffs_examples():
    first, second = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert krippendorff_alpha(counts_of(first, second)) == pytest.approx(0.095, abs=5e-4)
    assert krippendorff_alpha(counts_of(list("aabbdcccedda"), list("babbbccceddd"))) == pytest.approx(0.692, abs=5e-4)
    assert krippendorff_alpha(counts_of(*KRIPPENDORFF_2011)) == pytest.approx(0.743, abs=5e-4)


def test_two_annotators_by_hand():
    # 20 both key, 5 the first alone, 10 the second alone, 15 neither: observed 35/50, by chance .5 * .6 + .5 * .4.
    assert cohens_kappa([[15, 10], [5, 20]]) == pytest.approx((0.7 - 0.5) / (1 - 0.5))
    counts = np.repeat([[2, 0], [1, 1], [0, 2]], [15, 15, 20], axis=0)
    assert percent_agreement(counts) == pytest.approx(0.7)
    assert positive_agreement(counts) == pytest.approx(2 * 20 / (2 * 20 + 5 + 10))
    # Fleiss: 55 of 100 labels are key. Alpha: 30 of 100 coincidences differ, 2 * 55 * 45 / 99 by chance.
    assert fleiss_kappa(counts) == pytest.approx((0.7 - 0.505) / (1 - 0.505))
    assert krippendorff_alpha(counts) == pytest.approx(1 - 30 * 99 / (2 * 55 * 45))


def test_several_annotators_of_different_number_by_hand():
    counts = np.array([[0, 3], [2, 1], [1, 1], [2, 0], [0, 1]])  # the last has one annotator and counts for nothing
    # Agreeing pairs: 1, 1/3, 0, 1. Mean shares of key: (1 + 1/3 + 1/2 + 0) / 4.
    observed, key = (1 + 1 / 3 + 0 + 1) / 4, (1 + 1 / 3 + 1 / 2) / 4
    expected = key**2 + (1 - key) ** 2
    assert percent_agreement(counts) == pytest.approx(observed)
    assert fleiss_kappa(counts) == pytest.approx((observed - expected) / (1 - expected))
    # Coincidences of key with key: 3 * 2 / 2 of the first unit; of key with anything: 3 + 1 + 1.
    assert positive_agreement(counts) == pytest.approx(3 / 5)
    # Of 10 pairable labels 5 are key; 2 * 2 / 2 + 2 coincidences differ.
    assert krippendorff_alpha(counts) == pytest.approx(1 - 9 * (2 + 2) / (2 * 5 * 5))


@pytest.mark.parametrize("seed", range(20))
def test_cohens_kappa_is_that_of_scikit_learn(seed):
    generator = np.random.default_rng(seed)
    first, second = generator.integers(0, 2, (2, 60))
    found = pair_agreement(first, second, np.zeros(60, dtype=int))
    assert found.cohen.value == pytest.approx(cohen_kappa_score(first, second))


def test_one_value_alone_has_no_coefficient():
    same = np.array([[0, 2], [0, 3]])
    assert fleiss_kappa(same) is None
    assert krippendorff_alpha(same) is None
    assert cohens_kappa([[0, 0], [0, 7]]) is None
    assert percent_agreement(same) == 1.0
    assert positive_agreement(same) == 1.0
    assert positive_agreement(same[:, ::-1]) is None
    found = agreement(np.repeat(same, 3, axis=0), np.arange(6))
    assert (found.fleiss, found.alpha) == (Coefficient(None), Coefficient(None))
    assert found.percent == Coefficient(1.0, 1.0, 1.0)


def test_annotators_without_a_common_unit_have_nothing_to_compare():
    alone = np.array([[0, 1], [1, 0]])
    for coefficient in (percent_agreement, positive_agreement, fleiss_kappa, krippendorff_alpha):
        assert coefficient(alone) is None
        assert coefficient(np.zeros((0, 2))) is None
    found = agreement(alone, np.array([1, 2]))
    assert (found.units, found.articles, found.percent) == (0, 0, Coefficient(None))
    assert cohens_kappa([[0, 0], [0, 0]]) is None
    none = np.zeros(0, dtype=int)
    assert pair_agreement(none, none, none).cohen == Coefficient(None)


def test_few_articles_have_no_interval():
    counts = np.repeat([[0, 2], [1, 1], [2, 0]], 4, axis=0)
    found = agreement(counts, np.arange(12) % 4)
    assert found.alpha.value == pytest.approx(krippendorff_alpha(counts))
    assert (found.alpha.low, found.percent.low, found.fleiss.high) == (None, None, None)
    assert agreement(counts, np.arange(12) % 5).alpha.low is not None


def test_a_coefficient_that_many_resamplings_lack_has_no_interval():
    # One resampling of three, (4/5)^5, is without the only article that has a key sentence.
    counts = np.array([[0, 2], [1, 1], *[[2, 0]] * 5])
    found = agreement(counts, np.array([1, 1, 1, 2, 3, 4, 5]))
    assert found.alpha.value is not None
    assert (found.alpha.low, found.alpha.high) == (None, None)
    assert found.percent.low is not None


def made_up(seed: int, articles: int = 40, size: int = 10) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(first, second, article) of annotators who disagree in some articles much more than in others."""
    generator = np.random.default_rng(seed)
    number = np.repeat(np.arange(articles), size)
    truth = generator.random(len(number)) < 0.4
    wrong = generator.beta(0.3, 1.2, articles)[number]
    first, second = (np.where(generator.random(len(number)) < wrong / 2, ~truth, truth).astype(int) for _ in range(2))
    return first, second, number


def test_intervals_allow_for_sentences_of_an_article_being_alike():
    first, second, number = made_up(0)
    found = pair_agreement(first, second, number, seed=3)
    assert found.cohen.value == pytest.approx(cohen_kappa_score(first, second))
    # As if sentences were independent it would be much too narrow.
    alone = pair_agreement(first, second, np.arange(len(first)), seed=3)
    assert found.cohen.high - found.cohen.low > 1.3 * (alone.cohen.high - alone.cohen.low)
    counts = np.column_stack([2 - first - second, first + second])
    assert agreement(counts, number, seed=5) == agreement(counts, number, seed=5)


def test_the_bounds_are_the_quantiles_of_a_thousand_resamplings_of_whole_articles():
    """Each measure of each resampling by its own formula, from the articles that the same seed draws."""
    generator = np.random.default_rng(2)
    first, number = generator.integers(0, 2, 80), np.repeat(np.arange(8), 10)
    second = np.where(generator.random(80) < 0.3, 1 - first, first)
    found = pair_agreement(first, second, number, seed=4)
    drawn = np.random.default_rng(4).integers(0, 8, (1000, 8))
    by_article = np.array([[[(a == i) & (b == j) for j in (0, 1)] for i in (0, 1)]
                           for a, b in zip(first, second, strict=True)], dtype=float)  # fmt: skip
    (d, c), (b, a) = np.moveaxis(by_article.reshape(8, 10, 2, 2).sum(axis=1)[drawn].sum(axis=1), 0, -1)
    observed, chance = (a + d) / 80, ((a + b) * (a + c) + (d + c) * (d + b)) / 80**2
    for measure, values in (
        (found.percent, observed),
        (found.positive, 2 * a / (2 * a + b + c)),
        (found.cohen, (observed - chance) / (1 - chance)),
    ):
        assert (measure.low, measure.high) == pytest.approx(np.quantile(values, [0.025, 0.975]))


@pytest.fixture(scope="module")
def truth() -> dict[str, float]:
    """The coefficients of a million units: what intervals of a few hundred should hold."""
    first, second, number = made_up(10**6, articles=100_000)
    large = agreement(np.column_stack([2 - first - second, first + second]), number % 2)  # too few for intervals
    cohen = pair_agreement(first, second, number % 2).cohen.value
    return {name: getattr(large, name).value for name in ("percent", "positive", "fleiss", "alpha")} | {"cohen": cohen}


@pytest.mark.parametrize(("articles", "least"), [(10, 0.80), (40, 0.89)])
def test_the_intervals_hold_the_truth_as_often_as_they_say(articles, least, truth, monkeypatch):
    """Of 200 samples; the bound is three standard errors below what 600 samples showed, 89 and 95%."""
    monkeypatch.setattr(model.agreement, "ROUNDS", 400)  # over 200 intervals their ends are as far out
    held = dict.fromkeys(truth, 0)
    for seed in range(200):
        first, second, number = made_up(seed, articles)
        found = agreement(np.column_stack([2 - first - second, first + second]), number, seed)
        of_pair = pair_agreement(first, second, number, seed)
        for name, value in truth.items():
            interval = getattr(of_pair if name == "cohen" else found, name)
            held[name] += interval.low <= value <= interval.high
    assert all(least <= number / 200 <= 0.99 for number in held.values()), held


def test_the_sums_of_units_give_the_alpha_of_the_package():
    generator = np.random.default_rng(0)
    number = generator.integers(1, 5, 300)
    key = generator.binomial(number, 0.3)
    counts, article = np.column_stack([number - key, key]), np.repeat(np.arange(30), 10)
    by_article = alphas(counts, article)
    assert set(by_article) == set(range(30))
    for name, (units, percent, alpha) in by_article.items():
        of_article = counts[article == name]
        assert units == (of_article.sum(axis=1) > 1).sum()
        assert percent == pytest.approx(percent_agreement(of_article))
        assert alpha == pytest.approx(krippendorff_alpha(of_article))
    found = agreement(counts, article)
    assert found.alpha.low < found.alpha.value < found.alpha.high


def test_the_table_of_a_pair_has_the_first_in_its_rows():
    found = pair_agreement(np.array([1, 1, 1, 0]), np.array([1, 0, 0, 0]), np.array([7, 7, 8, 8]))
    assert found.table == ((1, 0), (2, 1))
    assert (found.units, found.articles) == (4, 2)
    assert found.positive.value == pytest.approx(2 / (2 + 2))


@pytest.mark.parametrize(
    ("value", "name"),
    [(-0.1, "poor"), (0.0, "slight"), (0.2, "slight"), (0.21, "fair"), (0.5, "moderate"), (0.8, "substantial"),
     (0.81, "almost perfect"), (1.0, "almost perfect")],
)  # fmt: skip
def test_the_names_are_those_of_landis_and_koch(value, name):
    assert name_of(value) == name
