"""One replay: who is read when, what the oracle says, and what the head makes of it."""

from types import SimpleNamespace

import numpy as np
import pytest

import annotate.experiments.replay
from annotate.experiments.replay import MILESTONES, Material, Measured, full_arp, replay, split
from annotate.experiments.simulation_spec import Evaluate, Replay
from model.active_learning.acquisition import STRATEGIES, choose
from model.active_learning.head import COLUMNS, first_head
from model.evaluation.metrics import average_r_precision
from model.review.blocks import BLOCK
from tests.support.copies import ran
from tests.support.topics import PRIOR

SENTENCES = 8


def material(articles=30, keys=1, seed=0):
    """Articles of eight sentences; the key ones stand out in one column that the fixed ranking knows nothing of."""
    generator = np.random.default_rng(seed)
    rows = generator.normal(size=(articles, SENTENCES, len(COLUMNS))).astype(np.float32)
    truth = np.zeros((articles, SENTENCES), dtype=np.int64)
    for article in range(articles):
        truth[article, generator.permutation(SENTENCES)[:keys]] = 1
    rows[..., COLUMNS.index("p value")] += 6 * truth
    return Material([f"a{n}" for n in range(articles)], [*rows], [*truth], PRIOR)


def run(strategy="random", **values):
    return Replay("row", 0, "tiny", strategy, **{"seed": 0, **values})


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("proposals", [None, 3])
def test_every_strategy_reads_the_whole_pool_once_and_counts_what_it_costs(strategy, proposals):
    corpus = material()
    result = replay(run(strategy, proposals=proposals), corpus)
    read = [article["key"] for article in result["articles"]]
    pool, _ = split(Evaluate.HELD_OUT, 0, 30)
    assert sorted(read) == sorted(corpus.keys[i] for i in pool) and len(read) == 24
    looked = [article["looked"] for article in result["articles"]]
    assert looked == [SENTENCES] * 5 + [proposals or SENTENCES] * 19
    assert [point["articles"] for point in result["history"]] == [0, *range(5, 25)]
    assert [point["labels"] for point in result["history"]] == [0, *np.cumsum(looked)[4:].tolist()]
    assert all(before["found"] <= after["found"] for before, after in zip(*_neighbours(result["history"]), strict=True))
    if proposals is None:
        assert result["history"][-1]["found"] == result["metrics"]["pool_keys"] == 24
        assert result["metrics"]["wss_95"] <= 0.0 and 1 <= result["metrics"]["atd"] <= 24


def _neighbours(points):
    return points[:-1], points[1:]


def test_the_head_learns_what_the_oracle_says():
    result = replay(run(), material(60, keys=2))
    arp = [point["arp"] for point in result["history"]]
    assert arp[-1] > 0.9 > arp[0] + 0.2
    # With all labels read in full, it is the head of all labels but for the approximation of learning bit by bit.
    assert result["metrics"]["full_arp"] == pytest.approx(arp[-1], abs=0.1)
    assert result["metrics"]["cold_arp"] == arp[0] == result["history"][-1]["cold_arp"]
    assert result["metrics"]["arp_10"] == arp[6] and result["metrics"]["arp_50"] is None
    assert set(MILESTONES) >= {15, 50, 100}


def test_seeds_share_their_first_articles_and_folds_cover_every_article_once():
    corpus = material()
    first = [
        [article["key"] for article in replay(run(strategy, proposals=k, articles=6), corpus)["articles"]][:5]
        for strategy, k in (("random", None), ("score", None), ("committee", 3))
    ]
    assert first[0] == first[1] == first[2]
    tested = np.concatenate([split(Evaluate.HELD_OUT, seed, 30)[1] for seed in range(5)])
    assert sorted(tested.tolist()) == list(range(30))
    for seed in range(7):
        pool, test = split(Evaluate.HELD_OUT, seed, 30)
        assert sorted([*pool, *test]) == list(range(30))
    # Seeds from 5 on shuffle anew.
    assert split(Evaluate.HELD_OUT, 5, 30)[1].tolist() != split(Evaluate.HELD_OUT, 0, 30)[1].tolist()


def test_a_replay_is_the_same_again_and_another_with_another_seed():
    corpus = material()
    runs = [replay(run("committee", seed=seed, proposals=2, articles=12), corpus) for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


def test_learning_at_once_finds_more_of_an_article_within_the_same_number_of_proposals():
    """An article of its own kind: its key sentences are alike, and unlike those of the articles before."""
    other, found = COLUMNS.index("per cent"), {True: 0, False: 0}
    for seed in range(5):
        corpus = material(40, keys=2, seed=seed)
        for number in range(40):
            corpus.rows[number][:, other] += np.where(corpus.truth[number] == 1, 10.0, -10.0) * (-1) ** number
        for again in found:
            done = replay(run(proposals=3, seed=seed, learn_at_once=again), corpus)
            found[again] += done["history"][-1]["found"]
    assert found[True] > found[False]


def test_the_rest_is_what_was_not_reviewed_yet():
    corpus = material(12, keys=2)
    result = replay(run(evaluate=Evaluate.REST, seed_articles=2), corpus)
    assert [point["articles"] for point in result["history"]] == [0, *range(2, 13)]
    last = result["history"][-1]
    assert (last["articles"], last["arp"], last["cold_arp"]) == (12, None, None)
    # With one article left, the cold head and the taught one are measured on that article alone.
    left = corpus.keys.index(({*corpus.keys} - {a["key"] for a in result["articles"][:11]}).pop())
    base = first_head(np.vstack(corpus.rows), PRIOR)
    cold = average_r_precision([(corpus.truth[left], base.log_odds(corpus.rows[left]))])
    assert result["history"][-2]["cold_arp"] == cold
    assert 0 < full_arp(corpus, Evaluate.REST, 0) <= 1


def test_arp_in_one_sort_is_that_of_the_metric_with_ties_and_articles_without_keys():
    generator = np.random.default_rng(3)
    truth = [generator.integers(0, 2, size) for size in (1, 4, 9, 30)] + [np.zeros(5, dtype=int)]
    scores = [generator.integers(0, 3, len(own)).astype(float) for own in truth]
    rows = [np.zeros((len(own), len(COLUMNS)), dtype=np.float32) for own in truth]
    measured = Measured(rows, truth, first_head(generator.normal(size=(9, len(COLUMNS))), PRIOR))
    kept = np.concatenate([own for own, labels in zip(scores, truth, strict=True) if labels.any()])
    assert measured.arp(SimpleNamespace(log_odds=lambda rows: kept)) == pytest.approx(
        average_r_precision(list(zip(truth, scores, strict=True)))
    )
    assert Measured(rows[-1:], truth[-1:], first_head(rows[3], PRIOR)).cold is None


def test_beyond_a_hundred_articles_every_fifth_is_measured_and_the_last_one():
    result = replay(run(articles=113, evaluate=Evaluate.REST), material(120))
    assert [point["articles"] for point in result["history"]][-6:] == [98, 99, 100, 105, 110, 113]
    assert len(result["articles"]) == 113


def test_batches_and_a_random_share_are_handed_out_together():
    corpus = material()
    result = replay(run("score", batch=4, articles=15), corpus)
    assert [point["articles"] for point in result["history"]] == [0, 5, 9, 13, 15]
    by_lot = [replay(run("score", random_share=share), corpus)["articles"] for share in (0.0, 0.5, 1.0)]
    assert by_lot[0] != by_lot[1] != by_lot[2]


@pytest.mark.parametrize("batch", [1, 7])
def test_of_each_block_of_articles_the_random_share_is_drawn_exactly_as_in_review(monkeypatch, batch):
    handed = []

    def noted(strategy, waiting, wanted, *more, **others):
        handed.append([strategy == "random"] * wanted)
        return choose(strategy, waiting, wanted, *more, **others)

    monkeypatch.setattr(annotate.experiments.replay, "choose", noted)
    replay(
        run("score", random_share=0.1, batch=batch, evaluate=Evaluate.REST, seed_articles=2), material(2 + 4 * BLOCK)
    )
    lots = [lot for some in handed for lot in some]
    assert len(lots) == 4 * BLOCK and sum(lots) == 0.1 * len(lots)
    if batch == 1:
        assert [sum(lots[start : start + BLOCK]) for start in range(0, len(lots), BLOCK)] == [2, 2, 2, 2]


def test_without_seed_articles_the_first_ones_are_read_as_all_others_are():
    result = replay(run(seed_articles=0, proposals=3, articles=4), material())
    assert [article["looked"] for article in result["articles"]] == [3, 3, 3, 3]
    assert [point["articles"] for point in result["history"]] == [0, 1, 2, 3, 4]


def test_what_cannot_be_replayed_is_said():
    with pytest.raises(ValueError, match="30 seed articles of 24: nothing is left to choose from"):
        replay(run(seed_articles=30), material())
    with pytest.raises(ValueError, match="the articles of the pool have no key sentence"):
        replay(run(), material(keys=0))


def test_material_comes_back_from_its_file(tmp_path):
    corpus = material(3)
    corpus.save(tmp_path / "rows.npz")
    back = Material.load(tmp_path / "rows.npz")
    assert back.keys == corpus.keys and np.array_equal(back.prior, PRIOR)
    for before, after in zip(corpus.rows, back.rows, strict=True):
        assert after.dtype == np.float32 and np.allclose(before, after, atol=0.01)
    assert [own.tolist() for own in back.truth] == [own.tolist() for own in corpus.truth]


def test_a_replay_needs_no_torch():
    code = """
import sys
from tests.annotate.experiments.test_replay import material, replay, run
import annotate.experiments.simulations
for strategy in ("score", "committee"):
    replay(run(strategy, articles=7), material())
assert not {"torch", "sentence_transformers"} & set(sys.modules)
"""
    done = ran(code)
    assert done.returncode == 0, done.stderr[-2000:]
