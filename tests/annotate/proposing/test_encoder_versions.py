"""Versions: promoted by known numbers, refused with the reason, rolled back, never loaded when damaged."""

import threading

import numpy as np
import pytest

import annotate.proposing.encoder_versions
import db.evaluation
from annotate.project.home import folder, read, write
from annotate.project.rights import Right
from annotate.proposing.comparison import compare
from annotate.proposing.encoder_versions import (
    EMBEDDED,
    find_version,
    promote_encoder,
    proposing_version,
    register_encoder,
)
from annotate.registry.versions import NotPromotable, verified_folder
from tests.support.making import paper, pmids, propose_with, query, store, version_without_weights

LABELS = "a" * 64
ARTICLES = 12


@pytest.fixture
def parent(home):
    """The proposing version, with a test ARP of 0.5 on twelve articles."""
    store(*(paper(pmid=pmid) for pmid in pmids("test", ARTICLES)))
    made = version_without_weights("parent")
    propose_with(made)
    evaluated(made.id, 0.5)
    return made


def evaluated(version_id: int, *arps: float, split: str = "test", labels: str = LABELS, ranking: str = "hybrid"):
    """An evaluation by the R-precision of each article, or by one that all twelve have."""
    values = arps * ARTICLES if len(arps) == 1 else arps
    scores = [{"article_id": n, "r_precision": value, "key_sentences": 1} for n, value in enumerate(values, start=1)]
    with write(Right.SYSTEM) as session:
        db.evaluation.insert_evaluation(
            session,
            scores,
            version_id=version_id,
            ranking=ranking,
            split=split,
            label_set_sha256=labels,
            metrics={"arp": float(np.mean(values))},
            histogram={},
        )


@pytest.fixture
def child(parent):
    """A version that was not evaluated yet."""
    return version_without_weights("child", own_query="own", parent_id=parent.id)


def test_a_version_that_is_better_or_as_good_is_promoted(child):
    evaluated(child.id, 0.5)
    promote_encoder(child.id, by="Anna", label_set_sha256=LABELS)
    assert proposing_version().name == "child"
    assert query("SELECT promoted_by, reason FROM promotion ORDER BY id DESC LIMIT 1") == [("Anna", "promoted")]


@pytest.mark.parametrize(
    "values",
    [
        [0.5] * ARTICLES,
        [0.5 - 1e-9] * ARTICLES,  # equal to the three digits that people see
        [1.0] * 4 + [0.5] * 3 + [0.0] * 5,  # lower on average, as chance would have it
        [0.0] * 9,  # so few articles tell nothing
    ],
    ids=["equal", "equal but for rounding", "within chance", "few articles"],
)
def test_a_version_that_is_not_shown_to_rank_worse_is_promoted_without_a_second_word(child, values):
    evaluated(child.id, *values)
    with read() as session:
        assert compare(session, child.id, LABELS, "hybrid").worse is False
    promote_encoder(child.id, by="Anna", label_set_sha256=LABELS)
    assert query("SELECT reason FROM promotion ORDER BY id DESC LIMIT 1") == [("promoted",)]


def test_a_worse_version_is_refused_unless_somebody_insists(child):
    evaluated(child.id, *[0.0] * 6, *[0.5] * 6)
    with pytest.raises(NotPromotable, match=r"child ranks worse.*by more than chance: ARP 0\.250 after 0\.500"):
        promote_encoder(child.id, by="Anna", label_set_sha256=LABELS)
    assert proposing_version().name == "parent"
    promote_encoder(child.id, by="Anna", label_set_sha256=LABELS, even_if_worse=True)
    assert proposing_version().name == "child"
    ((reason,),) = query("SELECT reason FROM promotion ORDER BY id DESC LIMIT 1")
    assert "worse" in reason


@pytest.mark.parametrize(
    "other", [{"split": "validation"}, {"labels": "b" * 64}, {"ranking": "cosine"}], ids=lambda other: next(iter(other))
)
def test_numbers_of_another_split_label_set_or_ranking_do_not_count(child, other):
    evaluated(child.id, 0.9, **other)
    with pytest.raises(NotPromotable, match="child was not evaluated on the present labels"):
        promote_encoder(child.id, by="Anna", label_set_sha256=LABELS)
    assert proposing_version().name == "parent"


def test_nobody_insists_on_numbers_of_earlier_labels(child):
    evaluated(child.id, 0.9, labels="b" * 64)
    with pytest.raises(NotPromotable, match="child was not evaluated on the present labels; evaluate it first"):
        promote_encoder(child.id, by="Anna", label_set_sha256=LABELS, even_if_worse=True)
    assert proposing_version().name == "parent"
    evaluated(child.id, 0.1)
    promote_encoder(child.id, by="Anna", label_set_sha256=LABELS, even_if_worse=True)
    assert proposing_version().name == "child"


def test_the_latest_evaluation_counts(child):
    evaluated(child.id, 0.9)
    evaluated(child.id, 0.1)
    with read() as session:
        found = compare(session, child.id, LABELS, "hybrid")
    assert found.before and found.after and found.worse
    assert [round(each.metrics["arp"], 9) for each in (found.before, found.after)] == [0.5, 0.1]


def test_a_version_that_proposes_or_is_not_there_is_not_promoted(parent):
    with pytest.raises(NotPromotable, match="parent proposes already"):
        promote_encoder(parent.id, by="Anna", label_set_sha256=LABELS)
    with pytest.raises(NotPromotable, match="no version 99"):
        promote_encoder(99, by="Anna", label_set_sha256=LABELS, even_if_worse=True)


def test_a_new_database_proposes_with_the_embedded_encoder(home):
    version = proposing_version()
    assert (version.name, version.dimension, version.query) == (EMBEDDED, 384, None)
    assert verified_folder(version) == folder("models") / EMBEDDED
    assert proposing_version().id == version.id
    assert query("SELECT count(*) FROM promotion") == [(1,)]


@pytest.mark.postgresql
def test_many_first_callers_at_once_make_one_embedded_version(home):
    query("SELECT 1")
    found, errors = [], []

    def ask() -> None:
        try:
            found.append(verified_folder(proposing_version()))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(found) == 6 and len(set(found)) == 1
    assert query("SELECT count(*) FROM model_version") == [(1,)]


def test_a_copy_of_the_embedded_encoder_that_breaks_off_is_made_anew(home, monkeypatch):
    def break_off(source, target, **settings):
        target.mkdir()
        (target / "config.json").write_text("{")
        raise OSError("disk full")

    with monkeypatch.context() as patched:
        patched.setattr(annotate.proposing.encoder_versions.shutil, "copytree", break_off)
        with pytest.raises(OSError, match="disk full"):
            proposing_version()
    assert list(folder("models").iterdir()) == []
    assert "model.safetensors" in proposing_version().manifest


def test_a_version_is_found_by_name_or_the_names_are_listed(parent, child):
    assert find_version("child").id == child.id
    assert find_version(None).id == parent.id
    with pytest.raises(ValueError, match="no version 'v9'; there are parent, child"):
        find_version("v9")


def test_the_dimension_of_an_encoder_with_a_model_for_each_side_is_that_of_its_pooling(home):
    path = folder("models") / "two"
    (path / "document_1_Pooling").mkdir(parents=True)
    (path / "document_1_Pooling" / "config.json").write_text('{"embedding_dimension": 7}')
    (path / "model.safetensors").write_bytes(b"weights")
    with write(Right.SYSTEM) as session:
        assert register_encoder(session, path, name="two", encoder="two", manifest={}).dimension == 7
