"""The page of the language model: what is sent where is said and agreed to, and rankings stand beside each other."""

import pytest
from streamlit.testing.v1 import AppTest

import pages.parts.llm.llm_forms
from annotate.project.home import read
from annotate.project.stored_settings import change_settings, settings_now
from annotate.proposing.answers.llm_settings import LlmConsent, LlmSettings
from annotate.work import run_job
from tests.support.llm_service import Said, language_model
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
from tests.support.paths import PAGES
from tests.support.told import columns_of
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES

pytestmark = pytest.mark.usefixtures("home")
PAGE = PAGES / "language_model.py"


@pytest.fixture
def service():
    store(*(paper(pmid=pmid) for pmid in pmids("test", 2)))
    version = version_without_weights("tiny")
    propose_with(version)
    for article_id in (1, 2):
        store_cosines(version, article_id, GENERIC_QUERIES[BEST_GENERIC], (0.25, 0.5, 0.0))
        judge("Anna", article_id, verdict(2))
    with language_model(lambda number, text: float("assay" in text)) as model:
        yield model


def page() -> AppTest:
    run = AppTest.from_file(str(PAGE), default_timeout=60).run()
    assert not run.exception, run.exception
    return run


def button(run: AppTest, label: str):
    (found,) = [each for each in run.button if label in each.label.replace("\\", "").replace(":color[]{}", "")]
    return found


def words(run: AppTest) -> str:
    parts = (*run.caption, *run.info, *run.warning, *run.success, *run.error)
    return "\n".join(part.value for part in parts).replace("\\", "").replace(":color[]{}", "")


def test_without_a_service_nothing_can_be_asked():
    run = page()
    assert "Nothing leaves this machine. Name a service first." in words(run)
    assert "No language model is set: name its address and its model." in words(run)
    assert button(run, "Ask and compare").disabled and button(run, "Score them").disabled


def test_consent_names_the_address_and_is_asked_for_again_when_it_changes(service):
    run = page()
    run.text_input[0].set_value(service.address)
    run.text_input[1].set_value("small")
    run = button(run, "Save").click().run()
    assert f"sends the titles and all sentences of articles to **{service.address}**" in words(run)
    assert button(run, "Ask and compare").disabled
    run = button(run, f"I agree that text is sent to {service.address}").click().run()
    assert f"The text of articles may be sent to **{service.address}**" in words(run)
    assert not button(run, "Ask and compare").disabled
    run.text_input[0].set_value("https://api.example.org")
    run = button(run, "Save").click().run()
    assert "**https://api.example.org/v1**" in words(run) and button(run, "Ask and compare").disabled
    consents = [row[0] for row in query("SELECT content FROM setting WHERE name = 'llm_consent' ORDER BY id")]
    assert [service.address in str(consent) for consent in consents] == [True, False]


def test_a_wrong_address_is_said_and_not_stored():
    run = page()
    run.text_input[0].set_value("nowhere")
    run = button(run, "Save").click().run()
    assert "Not saved: 'nowhere' is no address that begins with http:// or https://." in words(run)
    with read() as session:
        assert settings_now(session, LlmSettings).address == ""


def test_what_was_measured_what_it_took_and_what_failed_stand_there(service):
    change_settings("Mara", LlmSettings(address=service.address, model="small"))
    change_settings("Mara", LlmConsent(address=service.address))
    service.queue = [Said({}, 418)]
    run_job("llm", {"task": "measure"})
    run = page()
    assert "articles: 1 answered, 0 known before, 1 failed; questions: 1; 100 tokens in, 10 out" in words(run)
    assert columns_of(run, "Articles that failed")["Reason"] == ["the server answered 418"]
    compared = columns_of(run, "Rankings compared")
    assert compared["Ranking"][0] == "language model" and compared["ARP"][0] == "1.000"
    assert "1 article of the test split with key sentences" in words(run) and "1 left out" in words(run)


def test_a_comparison_names_the_model_that_was_asked_and_not_the_one_that_is_set(service):
    change_settings("Mara", LlmSettings(address=service.address, model="small"))
    change_settings("Mara", LlmConsent(address=service.address))
    run_job("llm", {"task": "measure"})
    change_settings("Mara", LlmSettings(address=service.address, model="large"))
    (told,) = [line for line in words(page()).splitlines() if "articles of the test split" in line]
    assert "· small ·" in told and "large" not in told


def test_the_buttons_begin_jobs(service, monkeypatch):
    change_settings("Mara", LlmSettings(address=service.address, model="small", price_in=1.0, budget=2.0))
    change_settings("Mara", LlmConsent(address=service.address))
    begun = []
    monkeypatch.setattr(pages.parts.llm.llm_forms, "start_job", lambda *asked: begun.append(asked))
    run = page()
    assert "2 articles to ask about: roughly" in words(run)
    button(run, "Ask and compare").click().run()
    button(page(), "Score them").click().run()
    assert begun == [
        ("llm", {"task": "measure", "split": "test", "budget": 2.0}),
        ("llm", {"task": "rank", "most": 50, "budget": 2.0}),
    ]
