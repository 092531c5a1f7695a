"""The gate: a version is promoted by a job where it is better than chance would make it, and nowhere else."""

import hashlib

import numpy as np
import pytest

import annotate.retraining.retrain
import db.active_learning.heads
import db.evaluation
import db.jobs
import db.registry
import db.rows
from annotate.evaluation.fair_test import questions
from annotate.gold.label_sets import current_label_set
from annotate.jobs import lifecycle
from annotate.jobs.lifecycle import run_here
from annotate.jobs.monitor import Cancelled
from annotate.project.home import folder, read, write
from annotate.project.rights import Right
from annotate.project.stored_settings import change_settings
from annotate.proposing.comparison import COMPARED
from annotate.proposing.encoder_versions import proposing_version
from annotate.proposing.propose import default_ranking
from annotate.registry.versions import NotPromotable
from annotate.retraining import measuring
from annotate.retraining.promotion_gate import MIN_ARTICLES, promote_if_better
from annotate.retraining.retrain_policy import Gate, RetrainPolicy
from annotate.topics.project_topic import current_topic, use_topic
from annotate.work import HANDLERS
from db.tables import Ranker
from db.values import Value
from model.active_learning.features import FEATURES
from model.files import DamagedModel
from tests.support.making import judge, paper, pmids, propose_with, query, store, store_cosines, verdict
from tests.support.making import version_without_weights as bare
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES, RULES

LABELS = hashlib.sha256(b"[]").hexdigest()  # of a project without a verdict
PLAIN = ("The weather was fine.", "The walls were red.", "The door was shut.")  # no term: the cosines alone rank them


@pytest.fixture
def versions(home):
    """The proposing version, its child, and twelve test articles."""
    store(*(paper(pmid=pmid) for pmid in pmids("test", 12)))
    parent = bare("parent")
    propose_with(parent)
    return parent, bare("v1", parent_id=parent.id)


def evaluated(version, values: list[float], *, ranking: str = "hybrid", labels: str = LABELS, fair=None) -> None:
    scores = [{"article_id": n, "r_precision": value, "key_sentences": 1} for n, value in enumerate(values, start=1)]
    numbers = [score["article_id"] for score in scores]
    metrics = {"arp": float(np.mean(values or [0])), "fair_articles": numbers if fair is None else fair}
    metrics["by_article"] = {"article_id": numbers, **dict.fromkeys(COMPARED, values)}
    stored = {"split": "test", "metrics": metrics, "histogram": {}}
    with write(Right.SYSTEM) as session:
        where = {"version_id": version.id, "ranking": ranking, "label_set_sha256": labels}
        db.evaluation.insert_evaluation(session, scores, **where, **stored)


def promotions() -> list[tuple]:
    return query(
        "SELECT model_version.name, promoted_by FROM promotion JOIN model_version ON version_id = model_version.id"
    )


def refused(message: str) -> None:
    with pytest.raises(NotPromotable, match=message):
        promote_if_better("v1")
    assert promotions() == [("parent", "test")]


def test_better_beyond_chance_is_promoted_with_the_numbers_as_reason(versions):
    parent, child = versions
    evaluated(parent, [0.5] * 12)
    evaluated(child, [1.0] * 8 + [0.5] * 4)  # .5 more on eight of twelve: .333 on average
    reason = promote_if_better("v1")
    assert reason.startswith("Better: ARP +0.333 (+0.")
    assert "on 12 fair articles. nDCG@20 is 0.833, of parent 0.500. " in reason
    assert reason.endswith("Evidence 169.3; try 1 needs 100.")
    assert proposing_version().id == child.id
    assert query("SELECT promoted_by, reason FROM promotion ORDER BY id DESC LIMIT 1") == [("gate", reason)]


@pytest.mark.parametrize(
    ("after", "words"),
    [
        (
            [1.0] * 3 + [0.5] * 8 + [0.0],
            r"No clear difference: ARP \+0\.083 .* nDCG@20 is 0\.583, of parent 0\.500\. Evidence 0\.7",
        ),
        ([0.5] * 12, r"No .* 0\.000 \(0\.000 to 0\.000\) on 12 fair articles\. .* Evidence 1\.0; try 1 needs 100"),
        ([0.0] * 12, r"Worse: ARP −0\.500 \(−0\.500 to −0\.500\) on 12 fair articles\."),
    ],
    ids=["within noise", "equal", "worse"],
)
def test_within_noise_equal_or_worse_it_is_left_to_people(versions, after, words):
    evaluated(versions[0], [0.5] * 12)
    evaluated(versions[1], after)
    refused(words)


def test_articles_that_one_version_s_proposals_alone_labelled_do_not_count(versions):
    evaluated(versions[0], [0.5] * 12, fair=[*range(1, 13)])
    evaluated(versions[1], [1.0] * 12, fair=[*range(1, 10)])
    refused("only 9 of 12 test articles are fair to both versions; the gate needs 10: judge what")
    evaluated(versions[1], [1.0] * 8 + [0.5] * 2 + [0.0] * 2, fair=[*range(1, 11)])
    assert "on 10 fair articles" in promote_if_better("v1")


def test_each_try_against_one_version_has_less_to_gain_from_chance(versions):
    evaluated(versions[0], [0.5] * 12)
    for name in ("v2", "v3"):
        evaluated(bare(name, parent_id=versions[0].id), [0.5] * 12)
    evaluated(versions[1], [1.0] * 7 + [0.5] * 5)  # 1 in 128 by chance
    refused(r"Evidence 87\.\d; try 3 needs 156")
    evaluated(versions[1], [1.0] * 8 + [0.5] * 4)
    assert "Evidence 169.3; try 3 needs 156" in promote_if_better("v1")


def test_articles_are_compared_in_pairs(versions):
    # The means are .5 and .6, far within each other's spread, but every article is better by .1.
    before = [0.0, 0.9] * 5 + [0.1, 0.8]
    evaluated(versions[0], before)
    evaluated(versions[1], [value + 0.1 for value in before])
    promote_if_better("v1")
    assert proposing_version().name == "v1"


def test_it_says_beforehand_what_too_few_articles_can_never_show(versions):
    evaluated(versions[0], [0.0] * 10)
    for name in map(str, range(12)):
        evaluated(bare(name, parent_id=versions[0].id), [0.0] * 10)
    evaluated(versions[1], [1.0] * 10)
    refused("try 13 needs.* That takes at least 11 fair articles")


def test_few_test_articles_prove_nothing(versions):
    evaluated(versions[0], [0.0] * (MIN_ARTICLES - 1))
    evaluated(versions[1], [1.0] * (MIN_ARTICLES - 1))
    refused("9 test articles with key sentences; the gate needs 10")


def test_what_few_articles_bring_about_proves_nothing(versions):
    evaluated(versions[0], [0.5] * 12)
    evaluated(versions[1], [1.0] * 5 + [0.5] * 7)
    refused(r"No clear difference: ARP \+0\.208 \(\+0\.083 .*\) on 12 fair articles\.")
    evaluated(versions[1], [1.0] * 8 + [0.5] * 4)
    promote_if_better("v1")
    assert proposing_version().name == "v1"


@pytest.mark.parametrize("other", [{"labels": "b" * 64}, {"ranking": "cosine"}], ids=["other labels", "other ranking"])
def test_numbers_of_other_labels_or_another_ranking_do_not_count(versions, other):
    evaluated(versions[0], [0.0] * 12)
    evaluated(versions[1], [1.0] * 12, **other)
    refused("parent and v1 were not both evaluated on the test labels of now")


@pytest.mark.postgresql
def test_each_version_counts_with_the_ranking_that_it_proposes_by(versions):
    weights = {"weights": dict.fromkeys(FEATURES, 1.0), "intercept": 0.0, "terms": {}}
    with write(Right.SYSTEM) as session:
        values = {"label_set_sha256": LABELS, "weights": weights, "metrics": {"earned": True, "rules": RULES.name}}
        db.rows.add(session, Ranker(version_id=versions[0].id, **values))
    with read() as session:
        assert default_ranking(session, versions[0]) == "learned"
    evaluated(versions[0], [0.2] * 12)
    evaluated(versions[0], [0.9] * 12, ranking="learned")
    evaluated(versions[1], [0.8] * 12)
    refused(r"nDCG@20 is 0\.800, of parent 0\.900")


def test_a_damaged_version_is_not_promoted_however_good(versions):
    evaluated(versions[0], [0.0] * 12)
    evaluated(versions[1], [1.0] * 12)
    (folder("models") / "v1" / "model.safetensors").write_bytes(b"other")
    with pytest.raises(DamagedModel):
        promote_if_better("v1")
    assert promotions() == [("parent", "test")]


def test_a_process_that_loses_its_job_after_the_gate_promotes_nothing(versions, monkeypatch):
    evaluated(versions[0], [0.5] * 12)
    evaluated(versions[1], [1.0] * 12)
    lost = []
    monkeypatch.setattr("annotate.registry.versions.verified_folder", lost.append)  # between gate and promotion

    def hold(session):
        if lost:
            raise Cancelled

    with pytest.raises(Cancelled):
        promote_if_better("v1", hold)
    assert promotions() == [("parent", "test")]


def test_the_proposing_version_does_not_pass_its_own_gate(versions):
    with pytest.raises(NotPromotable, match="parent proposes already"):
        promote_if_better("parent")


@pytest.fixture
def trained(home, monkeypatch):
    """Training that makes v1 at once: twelve articles whose key sentence it puts first, and its parent last."""
    store(*(paper(PLAIN, pmid=pmid) for pmid in pmids("test", 12)))
    parent = bare("parent")
    propose_with(parent)
    child = bare("v1", parent_id=parent.id)
    for article_id in range(1, 13):
        judge("Anna", article_id, verdict(1), verdict(0, "reject"), verdict(2, "reject"))
        store_cosines(parent, article_id, GENERIC_QUERIES[BEST_GENERIC], [0.9, 0.1, 0.8])
        store_cosines(child, article_id, GENERIC_QUERIES[BEST_GENERIC], [0.1, 0.9, 0.2])
    began: list[tuple] = []
    monkeypatch.setattr(lifecycle, "start", lambda kind, payload: began.append((kind, payload)))
    monkeypatch.setattr(annotate.retraining.retrain, "train", lambda parent, settings, monitor: {"child": "v1"})
    return began


def train() -> dict:
    """Runs a train job; returns its result."""
    return run_here("train", {}, HANDLERS, lambda progress: None)


def test_a_training_without_a_gate_promotes_nothing(trained):
    assert train() == {"child": "v1"}
    assert (promotions(), trained) == ([("parent", "test")], [])


def test_a_training_behind_the_gate_promotes_and_has_all_proposed_anew(trained):
    change_settings("Anna", RetrainPolicy(gate=Gate.BETTER))
    result = train()
    assert (result["child"], result["promoted"]) == ("v1", True)
    assert result["gate"].startswith("Better: ") and "on 12 fair articles." in result["gate"]
    assert promotions() == [("parent", "test"), ("v1", "gate")]
    assert trained == [("propose", {})]


@pytest.mark.parametrize("error", [lifecycle.AlreadyRunning("one runs already"), OSError("no process can begin")])
def test_a_proposing_pass_that_cannot_begin_does_not_fail_the_training(trained, monkeypatch, error):
    def refuse(kind, payload):
        raise error

    monkeypatch.setattr(lifecycle, "start", refuse)
    change_settings("Anna", RetrainPolicy(gate=Gate.BETTER))
    assert train()["promoted"] is True


def test_what_the_gate_refuses_stands_in_the_result(trained):
    change_settings("Anna", RetrainPolicy(gate=Gate.BETTER))
    for article_id in range(1, 4):
        judge("Anna", article_id, verdict(1, "withdrawn"))
    expected = {"promoted": False, "gate": "9 test articles with key sentences; the gate needs 10"}
    assert train() == {"child": "v1", **expected}
    for article_id in range(4, 13):
        judge("Anna", article_id, verdict(1, "withdrawn"))
    expected["gate"] = "no article of the test split has a key sentence yet"
    assert train() == {"child": "v1", **expected}
    assert (promotions(), trained) == ([("parent", "test")], [])


def test_what_the_fair_test_was_asked_for_lets_a_version_pass_that_was_refused(trained):
    """Ten sentences an article, of which the parent's first five were judged; the key sentence is among the others."""
    change_settings("Anna", RetrainPolicy(gate=Gate.BETTER))
    text = tuple(
        f"The {word} was there on that day." for word in "sun rain wind snow hail fog dew ice cold heat".split()
    )
    store(*(paper(text, pmid=pmid) for pmid in pmids("test", 24)[12:]))
    rising = np.linspace(0.1, 0.9, 10)
    with read() as session:
        parent, child = db.registry.encoders(session)
    for article_id in range(1, 13):  # those of three sentences count for nothing
        judge("Anna", article_id, *(verdict(number, "withdrawn") for number in range(3)))
    for article_id in range(13, 25):
        store_cosines(parent, article_id, GENERIC_QUERIES[BEST_GENERIC], rising[::-1])
        store_cosines(child, article_id, GENERIC_QUERIES[BEST_GENERIC], rising)
        judge("Anna", article_id, verdict(0), *(verdict(number, "reject") for number in range(1, 5)))
    refusal = train()["gate"]
    assert refusal.startswith("only 0 of 12 test articles are fair to both versions; the gate needs 10: judge what")
    with read() as session:
        asked = questions(session, [parent, child], current_label_set(session))
    for question in asked:
        value = Value.ACCEPT if question.sentence.position == 9 else Value.REJECT
        judge("Anna", question.sentence.article_id, verdict(question.sentence.position, str(value)))
    for article_id in range(13, 25):
        judge("Anna", article_id, verdict(0, "reject"))
    payload = {"versions": ["parent", "v1"], "rankings": ["hybrid"], "candidate": "v1"}
    result = run_here("evaluate", payload, HANDLERS, lambda progress: None)
    assert result["promoted"] is True and "on 12 fair articles" in result["gate"]
    assert promotions() == [("parent", "test"), ("v1", "gate")]


@pytest.mark.parametrize("lost", [False, True])
def test_a_job_that_is_cancelled_or_lost_while_the_gate_measures_promotes_nothing(trained, monkeypatch, lost):
    change_settings("Anna", RetrainPolicy(gate=Gate.BETTER))
    measure, asked = measuring.evaluate, []

    def meanwhile(version, *given):
        if version.name == "v1" and not asked:
            ((number,),) = query("SELECT id FROM job WHERE kind = 'train'")
            asked.append(number)
            if lost:
                with write(Right.SYSTEM) as session:
                    db.jobs.begin_again(session, number, attempt=1)
            else:
                lifecycle.cancel(number)
        return measure(version, *given)

    monkeypatch.setattr(measuring, "evaluate", meanwhile)
    with pytest.raises(Cancelled):
        train()
    assert promotions() == [("parent", "test")] and trained == []


def test_verdicts_that_come_while_the_gate_measures_leave_its_figures_to_people(trained, monkeypatch):
    change_settings("Anna", RetrainPolicy(gate=Gate.BETTER))
    measure = measuring.evaluate

    def meanwhile(version, *given):
        found = measure(version, *given)
        if version.name == "v1":
            judge("Anna", 1, verdict(1, "reject"), verdict(0))
        return found

    monkeypatch.setattr(measuring, "evaluate", meanwhile)
    assert train()["gate"] == "parent and v1 were not both evaluated on the test labels of now: evaluate again"
    assert promotions() == [("parent", "test")] and trained == []


@pytest.mark.parametrize("ranking", ["hybrid", "cosine", "terms"])
def test_the_gate_measures_by_the_ranking_that_the_topic_proposes_by(trained, ranking):
    change_settings("Anna", RetrainPolicy(gate=Gate.BETTER))
    use_topic(current_topic().text.replace("ranking: hybrid", f"ranking: {ranking}"), by="Anna")
    assert "not both evaluated" not in train()["gate"]
    assert (ranking,) in query("SELECT DISTINCT ranking FROM evaluation")
