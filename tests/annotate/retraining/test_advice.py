"""The advice: what changed since the last training, told from the verdicts alone, and what another may bring."""

import math
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

import db.evaluation
import db.rows
from annotate.gold.label_sets import current_label_set
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.retraining.advice import SplitChange, Worth, advise
from db.tables import ModelVersion
from tests.support.labels import gene_labels, set_labels
from tests.support.making import judge, paper, pmids, propose_with, reading, store, trained_version, verdict
from tests.support.making import version_without_weights as bare

TRAIN = range(1, 11)
VALIDATION, TEST = 11, 12


@pytest.fixture
def labelled(home):
    """Ten train articles, one of validation and one of test; a key sentence in the first eight, in 11 and in 12."""
    store(
        *(paper(pmid=pmid) for split, n in (("train", 10), ("validation", 1), ("test", 1)) for pmid in pmids(split, n))
    )
    version = bare("tiny")
    propose_with(version)
    for article_id in (*TRAIN[:8], VALIDATION, TEST):
        judge("Anna", article_id, verdict(1), verdict(0, "reject"))
    return version


def advice():
    with read() as session:
        return advise(session)


def evaluated(version, arp: float, *, half: float = 0.1, labels: str | None = None, fair: tuple[int, ...] = ()) -> None:
    with write(Right.SYSTEM) as session:
        sha256 = labels or current_label_set(session).split_sha256["test"]
        values = {"ranking": "hybrid", "split": "test", "label_set_sha256": sha256, "histogram": {}}
        metrics = {"arp": arp, "arp_low": arp - half, "arp_high": arp + half}
        metrics |= {"articles": 4, "fair_articles": list(fair)}
        db.evaluation.insert_evaluation(session, [], version_id=version.id, metrics=metrics, **values)


def test_without_key_sentences_there_is_nothing_to_learn_from(home):
    found = advice()
    assert (found.worth, found.change, found.effect) == (Worth.NOTHING, None, None)
    assert found.words == "Nothing to learn from yet: no key sentence in the train split"


def test_before_the_first_training_the_key_sentences_are_counted_and_few_are_told(labelled, monkeypatch):
    found = advice()
    assert (found.worth, found.expected) == (Worth.LITTLE, None)
    assert found.words == "Nothing was trained here yet: 8 key sentences to learn from; below 20 that is little"
    monkeypatch.setattr("annotate.retraining.advice.FEWEST", 8)
    assert advice().worth is Worth.WORTH


@pytest.mark.parametrize("exact", [True, False], ids=["kept with the job", "by time"])
def test_every_kind_of_change_is_counted_by_split(labelled, exact):
    trained_version("v1", parent=labelled, exact=exact)
    with time_machine.travel(datetime.now(UTC) + timedelta(seconds=1)):  # times are in milliseconds
        judge("Anna", 9, verdict(1), verdict(0, "reject"), reading())  # new key, new not key
        judge("Anna", 10, verdict(1), verdict(2))  # two new keys
        judge("Anna", 1, verdict(1, "reject"))  # changed
        judge("Anna", 2, verdict(1, "withdrawn"))  # gone
        judge("Anna", 3, verdict(1, "unsure"))  # gone too
        judge("Ben", 4, verdict(1, "reject"))  # disputed: gone
        judge("Ben", 5, verdict(1))  # agrees: no change
        judge("Anna", TEST, verdict(2))
    found = advice()
    train, validation, test = found.change.splits
    assert train == SplitChange("train", key=3, not_key=1, changed=1, withdrawn=3, read_in_full=1)
    assert (validation.labels, test) == (0, SplitChange("test", key=1))
    assert (found.change.since, found.change.verdicts, found.change.exact) == ("v1", 10, True)
    assert (found.change.key_before, found.change.key_now) == (8, 7)
    assert (found.worth, found.words) == (
        Worth.WORTH,
        "Worth it: fewer key sentences than v1 was trained on, 4 labels changed or withdrawn",
    )
    assert found.effect is None  # no more key sentences than before


@pytest.mark.postgresql
def test_labels_that_cannot_be_read_again_are_counted_by_time_and_said_to_be(labelled):
    version = trained_version("v1", parent=labelled, exact=False)
    with write(Right.SYSTEM) as session:
        db.rows.change(
            session, ModelVersion, version.id, trained_on=version.trained_on | {"label_set_sha256": "0" * 64}
        )
    judge("Anna", 9, verdict(1))
    assert not advice().change.exact


def test_verdicts_without_a_new_label_are_nothing_new(labelled):
    trained_version("v1", parent=labelled)
    assert (advice().worth, advice().words) == (Worth.NOTHING, "Nothing new since v1 was trained")
    judge("Ben", 5, verdict(1))
    assert advice().words == "Nothing new since v1 was trained: 1 new verdict, but no label differs"


@pytest.mark.parametrize(
    ("articles", "worth", "words"),
    [
        ((9, 10), Worth.WORTH, "Worth it: 25% more key sentences than v1 was trained on"),
        ((9,), Worth.SOME, "Some new: 12% more key sentences than v1 was trained on"),
        (
            (TEST,),
            Worth.LITTLE,
            "Little new: 1 new verdict, on test articles alone: evaluate again, it changes no training",
        ),
        ((VALIDATION,), Worth.LITTLE, "Little new: 1 new verdict; as many key sentences as v1 was trained on"),
    ],
)
def test_the_words_follow_the_share_of_new_key_sentences(labelled, articles, worth, words):
    trained_version("v1", parent=labelled)
    for article_id in articles:
        judge("Anna", article_id, verdict(1 if article_id < VALIDATION else 2))
    assert (advice().worth, advice().words) == (worth, words)


def test_more_rejected_sentences_alone_are_little(labelled):
    trained_version("v1", parent=labelled)
    judge("Anna", 1, verdict(2, "reject"))
    words = "Little new: 1 new verdict; as many key sentences as v1 was trained on, 1 more sentence not key"
    assert (advice().worth, advice().words) == (Worth.LITTLE, words)


def test_document_labels_that_came_are_counted(labelled):
    trained_version("v1", parent=labelled)
    with write(Right.SYSTEM) as session:
        set_labels(session, 1, gene_labels("TP53", "HeLa", "KO"))
    assert advice().change.described == 1


def test_with_few_versions_the_effect_is_a_rule_of_thumb(labelled):
    evaluated(trained_version("v1", parent=labelled), 0.5)
    judge("Anna", 9, verdict(1))
    judge("Anna", 10, verdict(1))
    found = advice()
    doublings = math.log2(10 / 8)
    assert found.effect.gain.value == pytest.approx(0.03 * doublings)
    assert (found.effect.gain.low, found.effect.gain.high) == pytest.approx((0.015 * doublings, 0.097 * doublings))
    assert "rule of thumb, from Evidence Inference" in found.effect.basis
    assert found.expected.key_sentences == 10
    assert found.expected.arp.value == pytest.approx(0.5 + 0.03 * doublings)


def grown(labelled):
    """Three versions trained on 8, 9 and 10 key sentences; one more came since."""
    versions = []
    for number, article_id in enumerate((9, 10, None), start=1):
        versions.append(trained_version(f"v{number}", parent=labelled))
        if article_id:
            judge("Anna", article_id, verdict(1))
    judge("Anna", 9, verdict(2))
    return versions


def test_three_versions_make_a_curve_of_their_own(labelled):
    for version, size in zip(grown(labelled), (8, 9, 10), strict=True):
        evaluated(version, 0.2 + 0.1 * math.log2(size))
    found = advice()
    assert [(point.version, point.key_sentences) for point in found.curve] == [("v1", 8), ("v2", 9), ("v3", 10)]
    assert found.effect.gain.value == pytest.approx(0.1 * math.log2(11 / 10))
    assert found.effect.gain.low < 0 < found.effect.gain.high
    assert found.effect.basis == "by the curve of 3 versions trained here"
    assert found.expected.arp.high <= 1.0


def test_the_curve_says_on_how_many_articles_it_is_fair_to_all_its_versions(labelled):
    for version, fair in zip(grown(labelled), ((1, 2, 3, 4), (2, 3, 4), (1, 2)), strict=True):
        evaluated(version, 0.5, fair=fair)
    assert advice().fair_to_all == (1, 4)


def test_the_curve_takes_numbers_under_the_present_labels_where_there_are_enough(labelled):
    versions = grown(labelled)
    for version in versions:
        evaluated(version, 0.4, labels="a" * 64)
    assert {point.arp.value for point in advice().curve} == {0.4}
    evaluated(versions[0], 0.7)
    assert [point.arp.value for point in advice().curve] == [0.7, 0.4, 0.4]  # too few under the present labels
    for version in versions[1:]:
        evaluated(version, 0.8)
        evaluated(version, 0.1, labels="b" * 64)
    assert [point.arp.value for point in advice().curve] == [0.7, 0.8, 0.8]
