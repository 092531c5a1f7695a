"""The learned ranking of a version: which articles it may know, when it earns its place, and what it answers to why."""

from dataclasses import replace

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

import annotate.active_learning.article_rankers
import db.active_learning.heads
import db.rows
from annotate.active_learning.article_rankers import best_fixed, fit, fitting_articles, not_found, why
from annotate.gold.label_sets import current_label_set
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.propose import NoRanker, default_ranking, propose, rank_articles, rankings_of, usable_ranker
from annotate.review.article_view import WHY_ENDPOINT, reading_view
from annotate.topics.project_topic import use_topic
from db.tables import Ranker
from model.active_learning.features import FEATURES, features_of
from model.active_learning.taught import Taught
from model.proposing.ranking import Pool, Ranking
from tests.support.labels import gene_labels, gene_terms, set_labels
from tests.support.making import (
    judge,
    paper,
    pmids,
    propose_with,
    query,
    reading,
    store,
    store_cosines,
    verdict,
    version_without_weights,
)
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES, RULES, TOPIC

GENERIC = GENERIC_QUERIES[BEST_GENERIC]
# The fixed hybrid prefers the second; the experts of these tests want the fourth.
TEXT = (
    "The gene is known.",
    "Here we deleted TP53 in HeLa cells.",
    "The assay was measured.",
    "Growth was lower than before (p < 0.05).",
    "The rest was as it had been.",
)


@pytest.fixture
def few(home, monkeypatch):
    """So few articles are enough here."""
    for name in ("MIN_ARTICLES", "MIN_FAIR"):
        monkeypatch.setattr(annotate.active_learning.article_rankers, name, 6)


def labelled(version, splits: dict[str, int], *, key: int = 3, in_full: bool = True) -> None:
    """Articles embedded by hand, one key sentence each, read in full or with two judged sentences."""
    numbers = [number for split, count in splits.items() for number in pmids(split, count)]
    store(*(paper(TEXT, pmid=number) for number in numbers))
    generator = np.random.default_rng(0)
    for article_id, _ in enumerate(numbers, start=1):
        store_cosines(version, article_id, GENERIC, generator.uniform(0, 1, len(TEXT)))
        judge("Anna", article_id, verdict(key), verdict(2, "reject"), *[reading()] * in_full)


@pytest.fixture
def version(few):
    """A version that proposes, and eight articles whose labels contradict the fixed hybrid."""
    made = version_without_weights("tiny")
    propose_with(made)
    labelled(made, {"train": 5, "validation": 3, "test": 2})
    return made


def chosen(version) -> list[int]:
    with read() as session:
        return fitting_articles(session, version, current_label_set(session))


def test_the_test_split_is_never_fitted_on_and_a_fine_tuned_version_forgoes_its_training_articles(version):
    child = version_without_weights("child", parent_id=version.id)
    assert chosen(version) == list(range(1, 9))
    assert chosen(child) == [6, 7, 8]


def test_so_many_articles_are_drawn_at_most(version, monkeypatch):
    monkeypatch.setattr(annotate.active_learning.article_rankers, "MAX_ARTICLES", 4)
    assert len(chosen(version)) == 4 and set(chosen(version)) < set(range(1, 9))


@pytest.mark.postgresql
def test_a_ranker_that_beats_the_hybrid_proposes_and_the_sets_say_so(version):
    row = fit(version)
    assert row.metrics["earned"] and row.metrics["arp"] == 1.0 > row.metrics["arp_hybrid"]
    assert (row.metrics["articles"], row.metrics["key_sentences"]) == (8, 8)
    assert set(row.weights["weights"]) == set(FEATURES)
    propose(k=1)
    assert query("SELECT DISTINCT ranking, position FROM proposal_set JOIN proposal p ON p.set_id = proposal_set.id "
                 "JOIN sentence ON sentence.id = p.sentence_id") == [("learned", 3)]  # fmt: skip
    assert propose(k=1) == 0
    assert propose(ranking=Ranking.HYBRID, k=1) == 10


def test_a_ranker_that_is_better_within_chance_proposes_too(version, monkeypatch):
    def better_in_one(examples, prior):
        return [example.truth if number == 0 else -example.truth for number, example in enumerate(examples)]

    monkeypatch.setattr(annotate.active_learning.article_rankers, "cross_validated", better_in_one)
    row = fit(version)
    assert row.metrics["earned"]
    assert row.metrics["reason"] == (
        "cross-validated ARP 0.125, above the fixed hybrid's 0.000 (difference +0.125, +0.000 to +0.375, "
        "8 fair articles)"
    )


def test_below_so_many_articles_the_fixed_hybrid_proposes_and_the_row_says_why(version, monkeypatch):
    monkeypatch.setattr(annotate.active_learning.article_rankers, "MIN_ARTICLES", 9)
    row = fit(version)
    assert row.metrics["reason"] == "8 labelled articles with key sentences; a learned ranking needs 9"
    propose(k=1)
    assert query("SELECT DISTINCT ranking FROM proposal_set") == [("hybrid",)]


def test_articles_without_an_embedded_query_are_no_example_and_come_in_once_they_have_one(version):
    with write(Right.SYSTEM) as session:
        for article_id in range(1, 6):
            set_labels(session, article_id, gene_labels("TP53", "HeLa", "KO"))
    row = fit(version)
    assert row.metrics["article_ids"] == [6, 7, 8]
    assert row.metrics["reason"] == "3 labelled articles with key sentences; a learned ranking needs 6"
    with write(Right.SYSTEM) as session:
        for article_id in range(1, 6):
            set_labels(session, article_id, gene_labels("", "", ""))
    assert fit(version).metrics["article_ids"] == list(range(1, 9))


def test_labels_that_one_ranking_s_proposals_brought_let_no_other_ranking_take_over(few):
    made = version_without_weights("tiny")
    propose_with(made)
    labelled(made, {"train": 8}, in_full=False)
    row = fit(made)
    assert row.metrics["arp"] > row.metrics["arp_hybrid"] and not row.metrics["earned"]
    assert row.metrics["reason"] == "only 0 of 8 articles are fair to both; it takes 6"


def test_a_ranker_that_is_no_better_does_not_propose(few):
    made = version_without_weights("tiny")
    propose_with(made)
    labelled(made, {"train": 8}, key=1)
    row = fit(made)
    assert (row.metrics["arp_hybrid"], row.metrics["arp"], row.metrics["earned"]) == (1.0, 1.0, False)
    assert row.metrics["reason"] == (
        "cross-validated ARP 1.000, not above the fixed hybrid's 1.000 (difference +0.000, +0.000 to +0.000, "
        "8 fair articles)"
    )
    with read() as session:
        assert default_ranking(session, made) is Ranking.HYBRID
        assert Ranking.LEARNED not in rankings_of(session, made)
        with pytest.raises(NoRanker, match="choose hybrid"):
            rank_articles(session, made, Ranking.LEARNED, [1])


@pytest.mark.postgresql
def test_it_is_fitted_anew_only_where_labels_or_embedded_articles_changed(version):
    first = fit(version)
    assert fit(version).id == first.id
    judge("Anna", 1, verdict(2))
    second = fit(version)
    assert second.id != first.id
    with write(Right.SYSTEM) as session:
        session.get(Ranker, second.id).metrics = {**second.metrics, "article_ids": [1, 2]}
    assert fit(version).id not in (first.id, second.id)


def test_articles_that_are_not_embedded_are_left_out(version):
    store(paper(TEXT, ("Its full text came.",), pmid=pmids("train", 1)[0]))  # its embedding no longer fits
    assert fit(version).metrics["articles"] == 7


def test_a_ranker_of_other_features_is_not_used(version):
    row = fit(version)
    row.weights = {**row.weights, "weights": {"colour": 1.0}}
    assert usable_ranker(row) is None and usable_ranker(None) is None


def test_why_names_what_lifts_a_proposal_by_the_ranker_of_its_time(version):
    fit(version)
    propose(k=2)
    answer = why(1)
    assert answer["ranking"] == "learned" and set(answer["parts"]) >= {"3"}
    lifts = dict(answer["parts"]["3"])
    assert not {"edit", "gene", "cell", "wording of earlier work"} & set(lifts)  # they say what was looked for
    assert "of usual length, and not marked as a caption, note or table" in lifts, answer
    assert not any(what.startswith("no ") for what in lifts), answer
    assert lifts["numbers and statistics"] > 0 and lifts["comparison or change"] > 0
    sizes = [abs(points) for _, points in answer["parts"]["3"]]
    assert sizes == sorted(sizes, reverse=True)
    with write(Right.SYSTEM) as session:  # a later one that knows nothing
        db.rows.add(
            session,
            Ranker(
                version_id=version.id,
                label_set_sha256="",
                weights={},
                metrics={"earned": False, "article_ids": []},
                created_at="9999-01-01T00:00:00.000Z",
            ),
        )
    assert why(1) == answer


@pytest.mark.parametrize(
    ("ranking", "expected"),
    [
        # TP53 is guessed: edit 1, gene 1, near 1, made 1; HeLa is a cell, though not the document's: 1/2. Under 40
        # characters: -1.
        (Ranking.TERMS, {"edit: “deleted”": 1, "perhaps gene: “TP53”": 1, "gene beside edit: “deleted”": 1,
                         "made-here wording: “Here”": 1, "perhaps cell: “HeLa cells”": 0.5,
                         "a sentence of 35 characters": -1}),
        (Ranking.COSINE, {"similarity to the query": 2.0}),
    ],
)  # fmt: skip
def test_why_gives_the_points_of_a_fixed_ranking(home, ranking, expected):
    made = version_without_weights("tiny")
    propose_with(made)
    store(paper(TEXT, pmid="1"))
    store_cosines(made, 1, GENERIC, (0.0, 1.0, 0.0, 0.0, 0.0))
    propose(ranking=ranking, k=1)
    assert why(1)["ranking"] == ranking
    assert dict(why(1)["parts"]["1"]) == pytest.approx(expected)


def test_why_says_of_what_was_not_found_only_what_was_looked_for():
    text = (
        "We ablated PCSK9 in a strain of ours, as the protocol that is described in the supplement has it.",
        "It looks as if hepatic lipoprotein uptake is governed by it, which was unclear until this day.",
        "Of all the animals that were weighed in the end, a weight that was lower than before was seen in some.",
    )
    pool = Pool(text, rules=RULES)
    said = not_found(features_of(pool)[1], pool)
    assert said["wording of conclusions and aims"] == "wording of conclusions and aims: none of the topic's words"
    assert said["gene"] == "gene: no name was recognised"
    assert said["gene beside edit"] == "gene beside edit: none within 30 characters"
    assert said["made-here wording"] == "made-here wording: the topic's words and edit are not both there"
    assert said["caption, note or table"] == "of usual length, and not marked as a caption, note or table"
    assert said["comparison or change"] == "comparison or change: none of the words or signs that are looked for"
    assert "comparison or change" not in not_found(features_of(pool)[2], pool)
    named = replace(pool, terms=gene_terms(("APOB",)))
    assert not_found(features_of(named)[0], named)["gene"] == "gene: none of the names given for the article"


def test_the_page_asks_with_its_token_alone(version):
    from pages.parts.server.routes import ROUTES

    propose(k=1)
    client = TestClient(Starlette(routes=list(ROUTES)))
    view = reading_view(1, "Anna")
    assert view["why_endpoint"] == WHY_ENDPOINT
    found = client.post(WHY_ENDPOINT, json={"token": view["token"]})
    assert (found.status_code, found.json()) == (200, why(1))
    assert client.post(WHY_ENDPOINT, json={"token": "forged"}).status_code == 403
    store(paper(TEXT, ("Its full text came.",), pmid=pmids("train", 1)[0]))
    assert client.post(WHY_ENDPOINT, json={"token": view["token"]}).status_code == 409


def test_an_article_without_proposals_has_no_reasons(home):
    store(paper(pmid="1"))
    assert why(1) == {"ranking": "", "parts": {}}


def test_another_fixed_ranking_takes_over_only_where_it_is_better_beyond_chance():
    labels = np.array([0, 0, 1])
    examples = [Taught(np.zeros((3, len(FEATURES))), labels)] * 20
    right, wrong = np.array([0.0, 1.0, 2.0]), np.array([2.0, 1.0, 0.0])
    given = {"hybrid": [wrong] * 20, "terms": [wrong] * 20, "cosine": [right] * 20}
    assert best_fixed(examples, given, "hybrid") == "cosine"
    assert best_fixed(examples, given, "cosine") == "cosine"
    once = {**given, "cosine": [right, *[wrong] * 19]}  # a higher mean, and an interval that begins at 0
    assert best_fixed(examples, once, "hybrid") == "hybrid"


def test_a_ranker_of_other_rules_is_fitted_anew_and_used_no_more(version, few):
    labelled(version, {"train": 6})
    before = fit(version)
    assert before.metrics["rules"] == RULES.name and before.metrics["topic"] == TOPIC.sha256
    use_topic(TOPIC.text.replace("aside: -1.0", "aside: -0.5"), by="Anna")
    with read() as session:
        assert rankings_of(session, version) == [Ranking.COSINE, Ranking.TERMS, Ranking.HYBRID]
        assert default_ranking(session, version) is Ranking.HYBRID
    again = fit(version)
    assert again.id != before.id and again.metrics["rules"] != RULES.name
    use_topic(TOPIC.text.replace("aside: -1.0", "aside: -0.5").replace("In doubt", "If in doubt"), by="Anna")
    assert fit(version).id == again.id  # a better guideline changes nothing that ranks
