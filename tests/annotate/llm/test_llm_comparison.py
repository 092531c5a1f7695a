"""A language model as one more ranking: asked by a job, measured beside the others, proposing where it is better."""

import pytest

import db.evaluation
import db.rows
from annotate.active_learning.article_rankers import why
from annotate.active_learning.live_ranking import rank_now
from annotate.active_learning.live_state import forget
from annotate.evaluation.evaluate_version import evaluate
from annotate.gold.label_sets import current_label_set
from annotate.jobs.lifecycle import cancel
from annotate.jobs.monitor import Cancelled
from annotate.llm.llm_comparison import estimate
from annotate.project.home import read
from annotate.project.stored_settings import change_settings, settings_now
from annotate.proposing.answers.llm_settings import LlmConsent, LlmSettings, NoConsent
from annotate.proposing.encoder_versions import proposing_version
from annotate.proposing.llm_ranking import NotAnswered, may_propose
from annotate.proposing.propose import propose, rank_articles, rankings_of
from annotate.work import run_job
from db.tables import Job
from model.proposing.ranking import Ranking
from tests.support.live_world import held_by_anna, live_world
from tests.support.llm_service import LanguageModel, Said, completion, language_model, scores_of
from tests.support.making import (
    judge,
    paper,
    pmids,
    propose_with,
    query,
    store,
    store_cosines,
    verdict,
    version_without_weights,
)
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES

NUMBER = 12


@pytest.fixture
def service(home):
    """Twelve test articles whose third sentence is key, which the model alone finds; the hybrid prefers the second."""
    store(*(paper(pmid=pmid) for pmid in pmids("test", NUMBER)))
    version = version_without_weights("tiny")
    propose_with(version)
    for article_id in range(1, NUMBER + 1):
        store_cosines(version, article_id, GENERIC_QUERIES[BEST_GENERIC], (0.25, 0.5, 0.0))
        judge("Anna", article_id, verdict(2), verdict(1, "reject"))
    with language_model(lambda number, text: 0.9 if "assay" in text else 0.0) as model:
        use(model)
        yield model


def use(model: LanguageModel, **more) -> None:
    settings = LlmSettings(address=model.address, model="small", **more)
    change_settings("Mara", settings)
    change_settings("Mara", LlmConsent(address=settings.address))


def rankings() -> dict[str, int]:
    return dict(
        query(
            "SELECT ranking, count(*) FROM proposal_set"
            " WHERE id IN (SELECT max(id) FROM proposal_set GROUP BY article_id) GROUP BY ranking"
        )
    )


def test_it_is_measured_beside_the_others_on_the_same_articles_with_its_cost_and_seconds(service):
    use(service, price_in=10.0, price_out=100.0, budget=1.0)
    result = run_job("llm", {"task": "measure", "split": "test"})
    assert (result["articles_answered"], result["articles_compared"], result["articles_left_out"]) == (
        NUMBER,
        NUMBER,
        0,
    )
    assert result["compared"]["llm"]["arp"] == 1.0 and result["compared"]["hybrid"]["arp"] == 0.0
    assert result["compared"]["hybrid"]["llm_above"] == {"mean": 1.0, "low": 1.0, "high": 1.0}
    assert result["cost"] == result["took"]["cost"] == pytest.approx(NUMBER * (100 * 10 + 10 * 100) / 1e6)
    assert result["took"]["seconds"] > 0
    with read() as session:
        stored = db.evaluation.latest_evaluation(session, 1, "llm", "test")
    assert stored.metrics["arp"] == 1.0
    assert stored.metrics["language_model"]["better"] and stored.metrics["language_model"]["beside"] == "hybrid"


def test_it_proposes_where_it_is_better_and_people_chose_so_and_never_writes_a_verdict(service):
    before = query("SELECT count(*) FROM verdict")
    run_job("llm", {"task": "measure"})
    propose()
    assert rankings() == {"hybrid": NUMBER}
    use(service, may_propose=True)
    propose()
    assert rankings() == {"llm": NUMBER}
    assert query("SELECT count(*) FROM verdict") == before
    (best,) = query(
        "SELECT DISTINCT s.position FROM proposal p JOIN sentence s ON s.id = p.sentence_id WHERE p.rank = 1"
        " AND p.set_id IN (SELECT max(id) FROM proposal_set GROUP BY article_id)"
    )
    assert best == (2,) and why(1) == {"ranking": "llm", "parts": {}}
    assert propose() == 0


def test_without_being_measured_or_once_the_guideline_is_another_it_does_not_propose(service):
    from annotate.topics.file import shipped
    from annotate.topics.project_topic import use_topic

    use(service, may_propose=True)
    run_job("llm", {"task": "rank"})
    version = proposing_version()
    with read() as session:
        assert Ranking.LLM in rankings_of(session, version) and not may_propose(session, version)
    run_job("llm", {"task": "measure"})
    with read() as session:
        assert may_propose(session, version)
    use_topic(shipped("gene_editing").text.replace("In doubt, press", "If you doubt, press"), by="Mara")
    with read() as session:
        assert not may_propose(session, version) and Ranking.LLM not in rankings_of(session, version)


def test_articles_that_it_was_not_asked_about_are_ranked_by_the_usual_ranking(service):
    run_job("llm", {"task": "rank", "most": 5})
    assert len(service.asked) == 5
    assert propose(ranking=Ranking.LLM) == NUMBER
    assert rankings() == {"llm": 5, "hybrid": NUMBER - 5}
    with read() as session, pytest.raises(NotAnswered, match="no language model was asked about article 6"):
        rank_articles(session, proposing_version(), Ranking.LLM, [6])


def test_what_failed_is_left_out_of_the_comparison_and_no_evaluation_is_stored(service):
    service.queue = [Said({}, 418)]
    result = run_job("llm", {"task": "measure"})
    assert (result["articles_failed"], result["articles_compared"], result["articles_left_out"]) == (1, NUMBER - 1, 1)
    assert result["failed"][0]["reason"] == "the server answered 418"
    with read() as session:
        assert db.evaluation.latest_evaluation(session, 1, "llm", "test") is None
    assert run_job("llm", {"task": "measure"})["articles_answered"] == 1
    assert len(service.asked) == NUMBER + 1


def test_articles_that_failed_are_asked_about_behind_the_others(service):
    service.queue = [Said(completion("I cannot help with that."))] * 4
    assert run_job("llm", {"task": "rank", "most": 2})["articles_failed"] == 2
    assert run_job("llm", {"task": "rank", "most": 2})["articles_answered"] == 2
    titles = [asked.body["messages"][-1]["content"].splitlines()[0] for asked in service.asked]
    assert len(set(titles[:4])) == len(set(titles[4:])) == 2 and not set(titles[:4]) & set(titles[4:])
    assert run_job("llm", {"task": "rank"})["articles_answered"] == NUMBER - 2


def test_a_cancelled_job_keeps_what_was_answered_and_the_next_goes_on(service, monkeypatch):
    monkeypatch.setattr("annotate.jobs.monitor.REPORT_SECONDS", 0)
    service.queue = [lambda asked: service_says(service, asked)] * 3
    service.queue += [lambda asked: service_says(service, asked, lambda: cancel(1))]
    with pytest.raises(Cancelled):
        run_job("llm", {"task": "rank"})
    answered = len(service.asked)
    assert answered == 4
    with read() as session:
        assert db.rows.get(session, Job, 1).result["articles_answered"] == answered
    run_job("llm", {"task": "rank"})
    assert len(service.asked) == NUMBER


def service_says(service: LanguageModel, asked, before=lambda: None) -> Said:
    return Said(completion(scores_of({n: service.score(n, asked.lines[n]) for n in asked.wanted})), before=before)


def test_without_consent_the_job_fails_and_says_why(service):
    change_settings("Mara", LlmConsent())
    with pytest.raises(NoConsent, match="it was not agreed yet"):
        run_job("llm", {"task": "measure"})
    assert service.asked == []


def test_the_budget_of_a_job_stops_it_and_what_was_paid_for_stays(service):
    use(service, price_in=1000.0, price_out=10_000.0, budget=1000.0)
    result = run_job("llm", {"task": "rank", "budget": 6.0})
    assert 0 < result["articles_answered"] < NUMBER and result["cost"] <= 6
    assert "of the budget of 6 is left" in result["stopped"]


def test_the_estimate_counts_what_is_still_to_be_asked(service):
    with read() as session:
        articles, usage = estimate(session, range(1, NUMBER + 1))
    assert (articles, usage.counted) == (NUMBER, False) and usage.tokens_in > 0
    run_job("llm", {"task": "rank"})
    with read() as session:
        assert estimate(session, range(1, NUMBER + 1))[0] == 0


def test_evaluating_all_rankings_takes_it_in_where_all_articles_are_answered(service):
    run_job("llm", {"task": "rank", "most": 3})
    asked = {"rankings": ["hybrid", "llm"], "split": "test"}
    assert list(run_job("evaluate", asked)["versions"]["tiny"]) == ["hybrid"]
    run_job("llm", {"task": "rank"})
    assert list(run_job("evaluate", asked)["versions"]["tiny"]) == ["hybrid", "llm"]
    with read() as session:
        assert settings_now(session, LlmSettings).may_propose is False
        label_set = current_label_set(session)
    assert evaluate(proposing_version(), Ranking.LLM, "test", label_set)[1].metrics["arp"] == 1.0


def test_the_ranking_that_learns_at_once_leaves_its_order_alone(home):
    live_world()
    article_id = held_by_anna()
    with language_model(lambda number, text: number / 10) as model:
        use(model)
        run_job("llm", {"task": "rank"})
    propose(ranking=Ranking.LLM, k=3)
    judge("Anna", article_id, verdict(2), verdict(1, "reject"))
    answer = rank_now("Anna", article_id)
    assert (answer["ranking"], answer["changed"]) == ("llm", False)
    assert [proposal["sentence"] for proposal in answer["proposals"]] == [8, 7, 6]
    forget()
