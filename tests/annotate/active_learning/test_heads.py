"""The base head: what it may learn from, when it is fitted anew, its provenance, and whether its word can be taken."""

import numpy as np
import pytest
from sqlalchemy import update

import annotate.active_learning.heads
import db.active_learning.heads
import db.review.verdicts
from annotate.active_learning.article_features import candidates, rows_for, store_features
from annotate.active_learning.heads import (
    Base,
    base_of,
    by_lot,
    calibration_of,
    counts_of,
    fit_head,
    known_of,
    learn_base,
    may_teach,
    store_base,
    usable_head,
)
from annotate.active_learning.live_ranking import rank_now
from annotate.active_learning.live_state import forget
from annotate.gold.label_sets import current_label_set
from annotate.jobs.monitor import Monitor
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.propose import propose
from annotate.review.assignments import take
from db.tables import ArticleFeatures, ModelVersion, Verdict
from db.tables import Head as HeadRow
from model.active_learning.head import COLUMNS, first_head
from model.active_learning.taught import Taught
from model.labelled import KEY, NOT_KEY, UNLABELLED
from tests.support.live_world import judge_all, live_world
from tests.support.making import (
    judge,
    log_odds_of_stored,
    paper,
    pmids,
    query,
    reading,
    store,
    verdict,
    version_without_weights,
)
from tests.support.topics import PRIOR

EVERY = range(1, 9)


@pytest.fixture
def version(home):
    """The world of tests/support/live_world.py: articles 1 to 6 of train, 7 and 8 of test."""
    yield live_world()
    forget()


def taught(version: ModelVersion) -> dict[int, list[int]]:
    """The labels that the base learns from, by article."""
    with read() as session:
        base = base_of(session, version, db.review.verdicts.last_events(session))
    return {number: article.labels.tolist() for number, article in base.taught.items()}


def test_it_learns_what_is_judged_and_knows_what_was_read_in_full(version):
    judge("Anna", 1, verdict(2), verdict(3, "reject"), verdict(4, "unsure"))
    judge("Anna", 2, verdict(2), reading())
    judge("Anna", 3, reading())  # read, and nothing found
    u, n, k = UNLABELLED, NOT_KEY, KEY
    assert taught(version) == {1: [u, u, k, n, u, u, u, u, u], 2: [n, n, k, n, n, n, n, n, n], 3: [n] * 9}
    judge("Ben", 1, verdict(2, "reject"), verdict(3, "reject"))
    assert taught(version)[1] == [u, u, u, n, u, u, u, u, u]  # disputed


def test_what_is_known_of_some_articles_is_what_the_label_set_says(version):
    judge_all("Anna", 1)
    judge("Ben", 1, verdict(2, "reject"), verdict(0), reading())
    judge("Ben", 2, verdict(1, "unsure"), verdict(3))
    with read() as session:
        known, label_set = known_of(session, EVERY), current_label_set(session)
    assert (dict(known.labels), set(known.read)) == (label_set.labels, set(label_set.read))


def test_the_test_split_teaches_nobody(version):
    for number in EVERY:
        judge_all("Anna", number)
    assert set(taught(version)) == set(range(1, 7))


@pytest.mark.postgresql
def test_a_fine_tuned_version_learns_from_what_it_cannot_have_seen(version):
    store(paper(pmid=pmids("validation", 1)[0]))
    for number in (1, 2, 9):
        judge("Anna", number, verdict(0))
    child = version_without_weights("child", parent_id=version.id)
    later = "9999-01-01T00:00:00.000Z"
    judge("Anna", 3, verdict(0))
    with write(Right.SYSTEM) as session:
        session.get(Verdict, 4).stored_at = later
        assert may_teach(session, version, range(1, 10)) == {1, 2, 3, 4, 5, 6, 9}
        # 1 and 2 were labelled before it was made: it may have been trained on them.
        assert may_teach(session, child, range(1, 10)) == {3, 4, 5, 6, 9}


def test_the_lot_is_not_changed_by_others_who_come_or_go():
    drawn = by_lot(range(1000), 100)
    assert len(drawn) == 100 and drawn == sorted(drawn)
    rest = [number for number in range(1000) if number not in drawn]
    assert by_lot([*drawn, *rest[:500]], 100) == drawn
    assert set(by_lot(set(range(1000)) - {drawn[0]}, 100)) > set(drawn[1:])


def test_so_many_articles_are_learnt_at_most(version, monkeypatch):
    for number in range(1, 7):
        judge_all("Anna", number)
    monkeypatch.setattr(annotate.active_learning.heads, "MAX_ARTICLES", 4)
    assert list(taught(version)) == by_lot(range(1, 7), 4)


def test_a_row_tells_what_it_learnt_from_and_ranks_as_the_head_does(version):
    judge_all("Anna", 1, reading())
    judge("Anna", 2, verdict(2))
    row = store_base(version, [])
    assert row.counts == {"base": True, "until_verdict": 10, "until_reading": 1, "until_removal": 0, "articles": 2,
                          "key": 4, "not_key": 6, "unlabelled": 8}  # fmt: skip
    assert row.until_verdict == 10
    with read() as session:
        head, counts, _ = fit_head(session, version)
        rows = rows_for(session, version.id, [5])[5]
    assert counts == row.counts
    assert log_odds_of_stored(row.weights, rows) == pytest.approx(head.log_odds(rows), abs=1e-3)


def test_it_is_fitted_anew_where_labels_or_rows_changed_and_only_then(version):
    first = store_base(version, [])
    assert first.counts["articles"] == 0
    assert store_base(version, []).id == first.id
    assert store_base(version, [1]).id != first.id
    judge("Anna", 1, verdict(2))
    second = store_base(version, [])
    judge("Anna", 1, reading())
    third = store_base(version, [])
    assert len({first.id, second.id, third.id}) == 3 and store_base(version, []).id == third.id


def test_no_row_where_nothing_is_known_or_the_work_was_cancelled(home):
    made = version_without_weights("tiny")
    assert store_base(made, []) is None
    assert query("SELECT count(*) FROM fit WHERE kind = 'head'") == [(0,)]


def test_a_cancelled_pass_stores_no_head(version):
    before = query("SELECT count(*) FROM fit WHERE kind = 'head'")
    assert store_base(version, [1], cancelled=lambda: True) is None
    assert query("SELECT count(*) FROM fit WHERE kind = 'head'") == before


def test_a_head_of_other_columns_is_not_used():
    weights = {"weights": dict.fromkeys(COLUMNS, 0.0), "intercept": 0.0}
    row = HeadRow(weights=weights)
    assert usable_head(row) is row and usable_head(None) is None
    assert usable_head(HeadRow(weights={"weights": {"colour": 1.0}})) is None


def calibrated(articles: int, scale: float, seed: int = 0) -> Base:
    """Articles of 20 judged sentences whose log odds are `scale` times those by which the labels were drawn."""
    generator = np.random.default_rng(seed)
    rows = generator.normal(size=(articles, 20, len(COLUMNS))).astype(np.float32)
    first = first_head(rows.reshape(-1, len(COLUMNS)), PRIOR)
    found = {}
    for number, own in enumerate(rows):
        p = 1 / (1 + np.exp(-first.log_odds(own) / scale - 1))
        found[number] = Taught(own, np.where(generator.random(20) < p, KEY, NOT_KEY))
    return Base(first, first, frozenset(), found, counts_of(found.values()))


def test_calibration_lowers_the_error_of_a_head_that_is_off_out_of_sample():
    found = calibration_of(calibrated(60, scale=3.0))["calibration"]
    assert (found["articles"], found["sentences"]) == (60, 1200)
    assert found["ece_after"] < 0.7 * found["ece_before"]
    assert found["ece_after"] < 0.06
    for name in ("reliability_before", "reliability_after"):
        assert sum(part["count"] for part in found[name]) == 1200
    assert found["a"] > 0


def test_few_labels_give_no_calibration_and_the_reason():
    found = calibration_of(calibrated(19, scale=1.0))
    assert found["calibration"] is None
    assert found["reason"].startswith(
        "calibration needs 20 articles and 50 sentences of either kind; there are 19 with "
    )


def test_only_judged_sentences_calibrate():
    base = calibrated(40, scale=1.0)
    hidden = {
        number: Taught(a.rows, np.where(np.arange(20) < 15, a.labels, UNLABELLED)) for number, a in base.taught.items()
    }
    found = calibration_of(Base(base.first, base.first, frozenset(), hidden, base.counts))["calibration"]
    assert found["sentences"] == 600


def test_the_job_makes_rows_and_head_and_keeps_live_rankings_of_unchanged_articles(version, monkeypatch):
    monkeypatch.setattr(Monitor, "flush", lambda self: None)
    take("Ben", 2)
    judge("Ben", 2, *(verdict(p, "reject") for p in (1, 4)))
    assert rank_now("Ben", 2)["changed"]
    renewed = learn_base(version, None, Monitor(0))
    assert renewed == set()
    assert query("SELECT until_verdict FROM fit WHERE kind = 'head' ORDER BY id DESC LIMIT 1") == [(2,)]
    assert propose(k=3, keep_live=lambda article_id: article_id not in renewed) == 0
    assert rank_now("Ben", 2)["ranking"] == "live"
    assert propose(k=3, keep_live=lambda article_id: article_id != 2) == 1
    assert store_features(version) == []


@pytest.mark.postgresql
def test_after_a_release_with_other_columns_one_articles_job_makes_the_rows_of_all(version, monkeypatch):
    monkeypatch.setattr(Monitor, "flush", lambda self: None)
    with write(Right.SYSTEM) as session:
        session.execute(update(ArticleFeatures).values(rows=b"", top_rows=b"", inputs_sha256="of another release"))
        session.execute(update(HeadRow).values(weights={"weights": {"colour": 1.0}}))
    with read() as session:
        assert rows_for(session, version.id, [1, 2]) == {} and not len(candidates(session, version.id)[0])
    assert learn_base(version, [1], Monitor(0)) == set(EVERY)
    with read() as session:
        assert usable_head(db.active_learning.heads.latest_base(session, version.id)) is not None
        assert rows_for(session, version.id, [2])[2].shape[1] == len(COLUMNS)
