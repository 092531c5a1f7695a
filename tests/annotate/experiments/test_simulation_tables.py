"""The tables of simulations, with numbers worked out by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from annotate.experiments.simulation_tables import (
    COLUMNS,
    against_random,
    as_csv,
    curve_of,
    interval,
    summary_of,
    verdict_in_words,
)
from annotate.experiments.study_tables import cells_of, rows_of


def replay(number, arps, *, strategy="random", proposals=None, seed=0, order=0, each=10, full=0.5, **metrics):
    """A finished replay as the database gives it: seed articles are 2, then one at a time with these ARPs."""
    history = [{"articles": 0, "labels": 0, "found": 0, "arp": 0.1, "cold_arp": 0.1}]
    history += [
        {"articles": 2 + i, "labels": each * (2 + i), "found": 2 + i, "arp": arp, "cold_arp": 0.1}
        for i, arp in enumerate(arps)
    ]
    reading = "read in full" if proposals is None else f"{proposals} proposals"
    settings = {"row": f"{strategy}, {reading}", "order": order, "seed": seed, "seed_articles": 2}
    return SimpleNamespace(
        id=number,
        encoder="tiny",
        settings=settings | {"strategy": strategy, "proposals": proposals},
        metrics={"pool_keys": 20, "full_arp": full, **metrics},
        history=history,
    )


def test_a_curve_is_the_mean_of_its_seeds_with_students_interval():
    (row,) = rows_of([replay(1, [0.2, 0.3, 0.5]), replay(2, [0.4, 0.3], seed=1)])
    curve = curve_of(row)
    # The third article of the longer replay has no counterpart.
    assert curve.index.tolist() == [0, 2, 3]
    assert curve["arp"].mean(axis=1).tolist() == pytest.approx([0.1, 0.3, 0.3])
    assert curve["labels"].mean(axis=1).tolist() == [0, 20, 30]
    assert curve["recall"].mean(axis=1).tolist() == pytest.approx([0, 0.1, 0.15])
    # .2 and .4: standard deviation .1414, over the root of 2 it is .1, times 12.706 (one degree of freedom).
    assert interval([0.2, 0.4]) == pytest.approx(1.2706, abs=1e-4)
    assert interval([0.5]) is None and interval([0.5, float("nan")]) is None


def test_a_point_without_a_value_counts_nowhere():
    (row,) = rows_of([replay(1, [0.2, None]), replay(2, [0.4, None], seed=1)])
    mean = curve_of(row)["arp"].mean(axis=1)
    assert mean[2] == pytest.approx(0.3) and np.isnan(mean[3])


def test_the_goal_is_reached_by_the_smoothed_mean_and_compared_with_random_order():
    # .95 of .5 is .475. Smoothed over five points, ends repeated: of .1 .2 .3 .4 .5 .5 .5 .5 the means are .16, .22,
    # .30, .38, .44, .48: the sixth point, seven articles.
    slow = [0.1, 0.2, 0.3, 0.4, 0.5, 0.5, 0.5, 0.5]
    # .40 .48 .50 .50 .50 .50 .50 .50: .436, .456, .476: the third point, four articles.
    fast = [0.40, 0.48, 0.50, 0.50, 0.50, 0.50, 0.50, 0.50]
    never = [0.1] * 8
    replays = [
        replay(1, slow, atd=3.0),
        replay(2, slow, proposals=5, each=4, order=1),
        replay(3, fast, strategy="committee", proposals=5, each=4, order=2),
        replay(4, never, strategy="score", order=3),
    ]
    table = summary_of(rows_of(replays))
    assert [(line["articles"], line["labels"]) for line in table] == [(7, 70), (7, 28), (4, 16), (None, None)]
    assert table[2]["labels_of_full"] == pytest.approx(16 / 70)
    assert table[2]["articles_of_full"] == pytest.approx(4 / 7)
    assert table[2]["labels_of_same"] == table[2]["articles_of_same"] == pytest.approx(4 / 7)
    assert table[3]["labels_of_full"] is None and table[0]["labels_of_full"] == 1
    assert (table[0]["full_arp"], table[0]["full_arp_interval"], table[0]["atd"]) == (0.5, None, 3)
    cells = cells_of(table, COLUMNS)
    assert cells[2]["sentences, of random in full"] == "23%" and cells[3]["articles to 95%"] == "never"
    assert cells[0]["ATD, articles"] == "3" and cells[1]["ATD, articles"] == "-"
    assert "WSS@95" not in cells[0]


def areas(strategy, values, number):
    return [replay(number + seed, [0.5], strategy=strategy, seed=seed, area=area) for seed, area in enumerate(values)]


def test_a_strategy_beats_random_only_beyond_what_chance_brings_about():
    random = areas("random", [0.4, 0.5, 0.6], 1)
    always = areas("score", [0.5, 0.6, 0.7], 4)  # .1 better with each seed, however far these lie apart
    said = "On these labels this beats random: Model score, mean ARP +0.100 (+0.100 to +0.100)."
    assert verdict_in_words(rows_of([*random, *always])) == said
    # Better by .06, .1 and .1, .087 in the mean: half its interval is .0133 times 4.303 alone, of three 7.649 times.
    often = areas("committee", [0.46, 0.6, 0.7], 7)
    never = areas("entropy", [0.4, 0.5, 0.6], 10)
    assert verdict_in_words(rows_of([*random, *often])).endswith("committee, mean ARP +0.087 (+0.029 to +0.144).")
    assert verdict_in_words(rows_of([*random, *never])) == "On these labels no strategy beats random."
    assert verdict_in_words(rows_of([*random, *never, *often, *always])) == said
    assert verdict_in_words(rows_of(random)).startswith("Run the random order and another strategy")
    assert verdict_in_words(rows_of([random[0], always[0]])).startswith("One seed cannot tell")
    assert verdict_in_words(rows_of([*random, *areas("badge", [None] * 3, 13)])).startswith("One seed cannot tell")


def test_replays_of_a_strategy_of_an_earlier_release_are_told_by_its_name():
    rows = rows_of([*areas("random", [0.4, 0.5, 0.6], 1), *areas("entropy", [0.5, 0.6, 0.7], 4)])
    assert verdict_in_words(rows).startswith("On these labels this beats random: Entropy, mean ARP +0.100")


def test_curves_are_compared_on_the_seeds_and_articles_that_both_have():
    random, score = rows_of(
        [replay(1, [0.2, 0.3]), replay(2, [0.4, 0.6], seed=1), replay(3, [0.3, 0.5, 0.9], strategy="score", seed=1)]
    )
    one, other = against_random(score, random, "arp")
    assert one.index.tolist() == other.index.tolist() == [0, 2, 3] and one.columns.tolist() == [1]
    assert (one[1].tolist(), other[1].tolist()) == ([0.1, 0.3, 0.5], [0.1, 0.4, 0.6])
    (stranger,) = rows_of([replay(4, [0.2], strategy="score", seed=7)])
    assert against_random(stranger, random, "arp")[0].columns.empty


def test_without_random_order_there_is_nothing_to_compare_with():
    (line,) = summary_of(rows_of([replay(1, [0.5] * 8, strategy="committee")]))
    assert (line["articles"], line["labels_of_full"], line["labels_of_same"]) == (2, None, None)


def test_the_csv_has_every_point_of_every_replay():
    lines = as_csv(rows_of([replay(1, [0.2]), replay(2, [None], strategy="committee", proposals=5)])).splitlines()
    assert lines == [
        "strategy,reading,seed,articles,labels,found,recall,arp,cold_arp",
        "Random,read in full,0,0,0,0,0.0,0.1,0.1",
        "Random,read in full,0,2,20,2,0.1,0.2,0.1",
        "Query by committee,5 proposals,0,0,0,0,0.0,0.1,0.1",
        "Query by committee,5 proposals,0,2,20,2,0.1,,0.1",
    ]


def test_a_goal_that_was_reached_stays_reached_where_nothing_is_left_to_measure_on():
    rising = [0.1, 0.1, 0.2, 0.2, 0.3, 0.3, 0.4, 0.88, 0.9, 0.9]
    whole, ended = (summary_of(rows_of([replay(1, [*rising, *end], full=0.9)]))[0] for end in ([], [None]))
    assert whole["articles"] is not None
    assert (ended["articles"], ended["labels"]) == (whole["articles"], whole["labels"])


def test_a_replay_that_ends_before_it_could_learn_reaches_nothing():
    early = replay(1, [0.1, 0.2], full=0.9)
    early.settings["seed_articles"] = 5
    (line,) = summary_of(rows_of([early]))
    assert (line["articles"], line["labels"]) == (None, None)
