"""The report's tables: what stands beside what, and in which order."""

from annotate.evaluation.metric_labels import ends_of, interval_text
from model.evaluation.outcomes import MEASURES as MEASURED
from pages.parts.evaluation.report_tables import (
    MEASURES,
    compared,
    cut_off_rows,
    metric_rows,
    number,
    prediction_rows,
    share,
    wrong_predictions,
)

VALUE = {"mean": 0.7083, "low": 0.5416, "high": 0.9}
METRICS = dict.fromkeys(MEASURES, VALUE) | {
    "mse": 0.1519,
    "pearson": None,
    "articles": 4,
    "sentences": 1234,
    "key_sentences": 9,
}
CONTENT = {
    "version": "v2",
    "parent": "v1",
    "metrics": METRICS,
    "parent_metrics": METRICS,
    "mean_key": None,
    "audit_metrics": METRICS,
    "audited": {"correct": 0, "inconclusive": 0, "wrong": 3},
    "difference": {name: {"mean": 0.0, "low": -0.1, "high": 0.1} for name in MEASURES},
}


def test_every_measure_of_a_report_has_its_row():
    assert list(MEASURES) == list(MEASURED)


def test_the_change_stands_beside_the_parent():
    rows = {row["measure"]: row for row in metric_rows(CONTENT)}
    assert list(rows["ARP"]) == ["measure", "v2", "v1", "change from it"]
    assert rows["ARP"]["v2"] == "0.708 (0.54 to 0.90)"
    assert rows["ARP"]["change from it"] == "0.000 (−0.10 to +0.10)"
    assert rows["PCC of the cosines"]["v2"] == "–"
    assert (rows["sentences"]["v2"], rows["sentences"]["change from it"]) == ("1,234", "")


def test_the_share_that_nobody_judged_is_told_where_the_report_knows_it():
    assert "unjudged, counted as not key" not in [row["measure"] for row in metric_rows(CONTENT)]
    last = metric_rows(CONTENT | {"unjudged_share": 0.474})[-1]
    assert last == {"measure": "unjudged, counted as not key", "v2": "47%", "v1": "", "change from it": ""}


def test_only_what_there_is_is_compared():
    alone = CONTENT | {"parent": None, "parent_metrics": None, "mean_key": METRICS, "difference": None}
    assert list(compared(alone)) == ["v2", "mean key sentence"]
    assert list(metric_rows(alone)[0]) == ["measure", "v2", "mean key sentence"]
    audited = CONTENT | {"audited": {"correct": 1, "inconclusive": 0, "wrong": 0}}
    assert list(compared(audited)) == ["v2", "v1", "after the audit"]


def test_a_cut_off_says_what_it_finds():
    bins = {"thresholds": [0.0, 0.5], "key": [1, 3], "key_over": [4, 2], "sentences_over": [10, 0], "best": 1}
    first, second = cut_off_rows(bins, [0, 1])
    assert (first["cut-off"], first["key sentences found"], first["of those proposed are key"]) == (
        "0.00",
        "4 (100%)",
        "40%",
    )
    assert (second["cut-off"], second["key sentences found"], second["of those proposed are key"]) == (
        "0.50 (best F1)",
        "2 (50%)",
        "–",
    )


def test_wrong_predictions_are_told_the_likeliest_first():
    table = {
        "article": [1, 1, 2],
        "position": [5, 6, 7],
        "rank": [3, 1, 2],
        "cosine": [0.2, 0.9, 0.5],
        "outcome": ["wrong", "true", "wrong"],
        "part": [0, 0, 3],
    }
    found = wrong_predictions({"predictions": table}, 9)
    assert found.index.tolist() == [2, 0] and wrong_predictions({"predictions": table}, 1).index.tolist() == [2]
    assert prediction_rows(found, {(2, 7): "Here."}, "abcd") == [
        {"article": 2, "outcome": "wrong", "cosine": 0.5, "rank": 2, "part": "d", "sentence": "Here."},
        {"article": 1, "outcome": "wrong", "cosine": 0.2, "rank": 3, "part": "a", "sentence": "(no longer there)"},
    ]


def test_numbers_that_are_not_known_are_a_dash():
    assert (interval_text(*ends_of(None)), number(None), share(1, 0)) == ("–", "–", "–")
    assert share(2, 3) == "67%"
