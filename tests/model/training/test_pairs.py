"""Which sentences an epoch takes: every key sentence, each article's share of negatives, in batches."""

import numpy as np
import pytest

from model.labelled import LabelledArticle
from model.training.pairs import (
    MOST_OF_ARTICLE,
    SORTED_BATCHES,
    batches_by_article,
    batches_by_length,
    candidates,
    cut_articles,
    epoch_batches,
    epoch_of,
    table_of,
)
from model.training.settings import Loss, TrainingSettings


def article(key: str, labels: str, query: str = "q") -> LabelledArticle:
    """One sentence a letter: K key, n reviewed and not key, u unlabelled."""
    return LabelledArticle(key, query, [f"{key}{i}" for i in range(len(labels))], ["unK".index(c) - 1 for c in labels])


ARTICLES = [article("a", "KnuuuuuuuU".replace("U", "u")), article("b", "nnnnKKnnnn"), article("c", "nuuu")]
TABLE = table_of(ARTICLES)


def taken(settings: TrainingSettings, seed: int = 0) -> list[str]:
    chosen = epoch_of(TABLE, settings, np.random.default_rng(seed))
    return [TABLE.sentences[i] for i in chosen]


def test_the_table_holds_every_sentence_once_with_its_article_and_query():
    table = table_of([article("a", "Ku", "one"), article("b", "n", "two"), article("c", "K", "one")])
    assert table.sentences == ["a0", "a1", "b0", "c0"]
    assert table.labels.tolist() == [1, -1, 0, 1]
    assert table.article.tolist() == [0, 0, 1, 2]
    assert (table.queries, table.query.tolist()) == (["one", "two"], [0, 0, 1, 0])


def test_unlabelled_sentences_count_only_beside_a_key_sentence():
    names = [TABLE.sentences[i] for i in candidates(TABLE)]
    assert names == [*[f"a{i}" for i in range(10)], *[f"b{i}" for i in range(10)], "c0"]


def test_without_a_cap_an_epoch_takes_all():
    assert len(taken(TrainingSettings(negatives_per_key=None))) == 21


@pytest.mark.parametrize(("per_key", "a", "b", "c"), [(1, 2, 4, 1), (3, 4, 8, 1), (20, 10, 10, 1)])
def test_each_article_gives_so_many_negatives_a_key_sentence(per_key, a, b, c):
    names = taken(TrainingSettings(negatives_per_key=per_key))
    assert [sum(name.startswith(letter) for name in names) for letter in "abc"] == [a, b, c]
    assert {"a0", "b4", "b5"} <= set(names)
    assert "a1" in names  # reviewed negatives come before unlabelled ones
    assert len(set(names)) == len(names)


def test_an_epoch_of_nothing_is_empty():
    assert epoch_of(table_of([]), TrainingSettings(), np.random.default_rng(0)).tolist() == []


def test_the_seed_chooses_and_each_epoch_draws_anew():
    settings = TrainingSettings(negatives_per_key=3)
    assert taken(settings, 1) == taken(settings, 1) != taken(settings, 2)
    generator = np.random.default_rng(0)
    assert epoch_of(TABLE, settings, generator).tolist() != epoch_of(TABLE, settings, generator).tolist()


@pytest.mark.parametrize("loss", [Loss.CONTRASTIVE, Loss.LISTWISE])
def test_the_batches_of_an_epoch_hold_what_it_takes_and_whole_articles_where_these_are_compared(loss):
    tokens = {index: [0] * (index % 5) for index in range(len(TABLE.sentences))}
    settings = TrainingSettings(loss=loss, negatives_per_key=None, batch_size=8)
    batches = epoch_batches(TABLE, tokens, settings, np.random.default_rng(0))
    assert sorted(np.concatenate(batches).tolist()) == candidates(TABLE).tolist()
    held_by = [{number for number, batch in enumerate(batches) if own in TABLE.article[batch]} for own in range(3)]
    assert (max(map(len, held_by)) == 1) == (loss is Loss.LISTWISE)


def test_a_long_article_is_cut_to_what_fits_a_step_and_keeps_its_key_sentences():
    table = table_of([article("a", "K" + "u" * 900 + "K"), article("b", "Kn")])
    cut = cut_articles(table, np.arange(len(table.sentences)), np.random.default_rng(0))
    of_a = cut[table.article[cut] == 0]
    assert len(of_a) == len(set(of_a.tolist())) == MOST_OF_ARTICLE == 256 and {0, 901} <= set(of_a.tolist())
    assert [table.sentences[i] for i in cut if table.article[i] == 1] == ["b0", "b1"]


def test_an_article_of_key_sentences_alone_keeps_one_of_the_others():
    table = table_of([article("a", "K" * 300 + "u" * 5)])
    cut = cut_articles(table, np.arange(305), np.random.default_rng(0))
    assert len(cut) == 301 and cut[:300].tolist() == list(range(300))


def test_batches_hold_every_sentence_once_with_like_lengths():
    lengths = np.random.default_rng(0).integers(3, 90, 1003).tolist()
    batches = list(batches_by_length(lengths, 8, np.random.default_rng(1)))
    assert sorted(np.concatenate(batches).tolist()) == list(range(1003))
    assert [len(batch) for batch in batches].count(8) >= 1003 // 8 - 1003 // (8 * SORTED_BATCHES) - 1
    spread = np.mean([np.ptp([lengths[i] for i in batch]) for batch in batches])
    assert spread < 10 < np.ptp(lengths)
    again, other = (list(batches_by_length(lengths, 8, np.random.default_rng(seed))) for seed in (1, 2))
    assert all((a == b).all() for a, b in zip(batches, again, strict=True))
    assert any(a.tolist() != b.tolist() for a, b in zip(batches, other, strict=True))


def test_batches_by_article_keep_articles_whole_and_epochs_equally_long():
    owner = np.repeat(np.arange(10), [3, 5, 4, 4, 4, 6, 2, 4, 4, 4])
    runs = [list(batches_by_article(owner, 8, np.random.default_rng(seed))) for seed in range(3)]
    for batches in runs:
        assert sorted(np.concatenate(batches).tolist()) == list(range(40))
        assert [len(set(owner[batch])) for batch in batches] == [2] * 5
        for batch in batches:
            assert all((owner == article).sum() == (owner[batch] == article).sum() for article in owner[batch])
    assert runs[0][0].tolist() != runs[1][0].tolist()


def test_articles_that_lie_scattered_are_gathered_in_their_order():
    owner = [0, 1, 2] * 20
    for batch in batches_by_article(owner, 20, np.random.default_rng(0)):
        assert batch.tolist() == list(range(batch[0], 60, 3))


def test_an_article_larger_than_a_batch_is_a_batch_of_its_own():
    assert [len(batch) for batch in batches_by_article([0] * 5 + [1] * 5, 2, np.random.default_rng(0))] == [5, 5]
