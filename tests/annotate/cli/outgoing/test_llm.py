"""The commands `llm`."""

import pytest

from annotate.__main__ import main
from tests.support.llm_service import Said, language_model
from tests.support.making import judge, paper, pmids, query, store, store_cosines, verdict
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES


@pytest.fixture
def service(home, version):
    """Two test articles whose third sentence is key, and a model that finds it."""
    store(*(paper(pmid=pmid) for pmid in pmids("test", 2)))
    for article_id in (1, 2):
        store_cosines(version, article_id, GENERIC_QUERIES[BEST_GENERIC], (0.25, 0.5, 0.0))
        judge("Anna", article_id, verdict(2))
    with language_model(lambda number, text: float("assay" in text)) as model:
        yield model


def test_it_is_set_agreed_to_asked_compared_and_taken_back(service, cli, capsys):
    assert cli("llm")[1]["may be asked"] == "no language model is set: name its address and its model"
    named = ("--address", service.address, "--model", "small", "--price-in", 2, "--budget", 1)
    code, result, _ = cli("llm", "set", *named)
    assert (code, result["address"], result["budget"], result["consent"]) == (0, service.address, 1.0, "none")
    code, result, _ = cli("llm", "evaluate")
    assert (code, service.asked) == (1, []) and "it was not agreed yet" in result["error"]
    assert "agree to that one" in cli("llm", "consent", "https://api.example.org/v1")[1]["error"]
    code, result, _ = cli("llm", "consent", service.address)
    assert code == 0 and result["may be asked"] == "yes"
    code, result, _ = cli("llm", "evaluate")
    assert (code, result["articles_compared"], result["compared"]["llm"]["arp"]) == (0, 2, 1.0)
    capsys.readouterr()
    assert main(["llm", "evaluate"]) == 0
    told = capsys.readouterr().out
    assert "hybrid      0.000  0.000 to 0.000" in told and "+1.000 (+1.000 to +1.000)" in told
    assert "2 articles of the test split, 0 without an answer" in told and len(service.asked) == 2
    assert cli("llm", "withdraw")[1]["consent"] == "none"
    assert cli("llm", "rank")[0] == 1
    assert query("SELECT count(*) FROM setting WHERE name = 'llm_consent'") == [(2,)]


def test_a_job_that_fails_in_part_says_so(service, cli):
    cli("llm", "set", "--address", service.address, "--model", "small")
    cli("llm", "consent", service.address)
    service.queue = [Said({}, 418)]
    code, result, _ = cli("llm", "rank")
    assert (code, result["articles_answered"], result["articles_failed"]) == (3, 1, 1)
