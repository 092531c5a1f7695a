"""Asking a language model: what is sent and kept, what goes wrong, what it costs, and that nothing is asked twice."""

import copy
import json
import threading
from itertools import pairwise

import pytest

from annotate.llm.asking import Asking, Tally
from annotate.llm.client import TRIES, ServiceProblem
from annotate.llm.spending import Spending
from annotate.project.home import home
from annotate.project.stored_settings import change_settings
from annotate.proposing.answers.llm_settings import LlmConsent, LlmSettings, NoConsent, key_for
from tests.annotate.llm.conftest import use
from tests.support.llm_service import Said, completion, scores_of
from tests.support.making import paper, store

LIMITS = ("max_tokens", "max_completion_tokens")


def ask(*article_ids: int, budget: float = 0.0, job: int = 1, wait=lambda seconds: None) -> tuple[Tally, Asking]:
    asking = Asking(Spending(job, budget), wait)
    return asking.about(article_ids, lambda done: None), asking


def scores(asking: Asking, article_id: int) -> list[float] | None:
    from annotate.project.home import read
    from annotate.proposing.answers.prompt import texts_of

    with read() as session:
        (article,) = texts_of(session, [article_id])
    kept = asking.kept.of(article.sha256, len(article.sentences))
    return None if kept is None else list(kept.scores)


def test_each_sentence_gets_its_score_and_nothing_is_asked_twice(agreed):
    tally, asking = ask(1, 2)
    assert (tally.asked, tally.known, tally.questions) == (2, 0, 2)
    assert (tally.tokens_in, tally.tokens_out, tally.tokens_counted) == (200, 20, True)
    assert (scores(asking, 1), scores(asking, 2)) == ([0.1, 0.9, 0.1], [0.9, 0.1, 0.1])
    again, _ = ask(1, 2)
    assert (again.asked, again.known, len(agreed.asked)) == (0, 2, 2)


def test_the_question_holds_the_guideline_the_examples_and_the_numbered_sentences_and_nothing_else(agreed):
    ask(1)
    (asked,) = agreed.asked
    system, user = (message["content"] for message in asked.body["messages"])
    assert "what was edited in this study" in system and "FOXA1 knockout in MCF-7" in system
    assert user == (
        "Article: Article 1\n\n## Abstract\n1 | The gene is known.\n2 | Here we deleted TP53 in HeLa cells.\n"
        "3 | The assay was measured."
    )
    assert (asked.path, asked.body["model"], asked.body["temperature"]) == ("/v1/chat/completions", "small", 0)
    assert asked.body["response_format"]["type"] == "json_schema"
    assert "Authorization" not in asked.headers


def test_another_guideline_asks_anew(agreed):
    from annotate.topics.file import shipped
    from annotate.topics.project_topic import use_topic

    ask(1)
    use_topic(shipped("gene_editing").text.replace("In doubt, press", "If you doubt, press"), by="Mara")
    assert ask(1)[0].asked == 1


def test_a_long_article_goes_in_windows_that_overlap_and_no_sentence_is_left_out(agreed):
    sentences = [f"Sentence {number} of a long article says something about cells." for number in range(60)]
    store(paper(sentences, pmid="3"))
    use(agreed, window_characters=1_000, window_overlap=2)
    tally, asking = ask(3)
    windows = [list(asked.lines) for asked in agreed.asked]
    assert tally.questions == len(windows) > 3
    assert sorted({number for window in windows for number in window}) == list(range(1, 61))
    assert all(before[-2:] == after[:2] for before, after in pairwise(windows))
    assert scores(asking, 3) == [0.1] * 60


def test_what_is_left_out_is_asked_for_once_more_alone(agreed):
    agreed.queue = [Said(completion(scores_of({1: 0.2, 3: 0.3})))]
    tally, asking = ask(1)
    assert (tally.failed, tally.questions, scores(asking, 1)) == ([], 2, [0.2, 0.9, 0.3])
    assert agreed.asked[1].wanted == [2]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (scores_of({1: 0.1, 2: 0.1, 3: 0.1, 4: 0.1}), "it scored number 4, which it was not asked about"),
        (scores_of({1: 0.1, 2: 1.5, 3: 0.1}), "the score 1.5 is not between 0 and 1"),
        ("The second sentence is the best one.", "it answered in words, not in JSON"),
        ('{"scores": [1, 2, 3]}', "its JSON is not of the form that was asked for (sentences: Field required)"),
        ('{"sentences": [{"number": "two", "score": 1}]}', "sentences.0.number"),
        ('{"sentences": [{"number": 1, "score": 0.1}, {"number": 1, "score": 0.2}]}', "number 1 two scores"),
        ("", "it answered in words, not in JSON"),
    ],
)
def test_nonsense_is_asked_again_once_then_the_article_fails_and_the_others_go_on(agreed, content, reason):
    agreed.queue = [Said(completion(content))] * 2
    tally, asking = ask(1, 2)
    (failed,) = tally.failed
    assert failed["article_id"] == 1 and reason in failed["reason"] and "twice" in failed["reason"]
    assert (scores(asking, 1), tally.asked) == (None, 1)


def test_an_article_of_which_sentences_stay_without_score_fails(agreed):
    agreed.queue = [Said(completion(scores_of({1: 0.1}))), Said(completion(scores_of({2: 0.1})))]
    tally, asking = ask(1)
    assert tally.failed[0]["reason"] == "sentences 1 to 3: it left out 1 of 3 sentences, twice"
    assert scores(asking, 1) is None


def test_the_questions_about_an_article_that_failed_are_counted_as_they_are_paid_for(agreed):
    use(agreed, price_in=1.0, price_out=1.0, budget=5.0)
    agreed.queue = [Said(completion("no JSON", usage=(5_000, 300)))] * 2
    tally, asking = ask(1, 2, budget=5.0)
    assert (tally.asked, tally.questions, tally.tokens_in, tally.tokens_out) == (1, 3, 10_100, 610)
    assert asking.client.spending.spent == pytest.approx((tally.tokens_in + tally.tokens_out) / 1e6)


def test_nonsense_once_is_forgiven(agreed):
    agreed.queue = [
        Said(b"<html>a page</html>"),
        Said(completion("```json\n" + scores_of({1: 0, 2: 1, 3: 0}) + "\n```")),
    ]
    tally, asking = ask(1)
    assert (tally.failed, scores(asking, 1)) == ([], [0.0, 1.0, 0.0])


def test_an_answer_cut_for_its_length_is_asked_for_in_halves(agreed):
    agreed.queue = [Said(completion('{"sentences": [{"num', finish="length"))]
    tally, asking = ask(1)
    assert [asked.wanted for asked in agreed.asked] == [[1, 2, 3], [1], [2, 3]]
    assert (tally.questions, scores(asking, 1)) == (3, [0.1, 0.9, 0.1])


def test_halves_that_are_cut_too_fail_the_article(agreed):
    agreed.queue = [Said(completion("{", finish="length"))] * 4
    (failed,) = ask(1)[0].failed
    assert "its answer was cut for its length, twice" in failed["reason"]


def test_a_busy_server_is_asked_again_after_as_long_as_it_says(agreed):
    waited: list[float] = []
    agreed.queue = [Said({}, 429, {"Retry-After": "7"}), Said({}, 503), Said({}, 500)]
    tally, asking = ask(1, wait=waited.append)
    assert (waited, scores(asking, 1), tally.failed) == ([7.0, 2.0, 4.0], [0.1, 0.9, 0.1], [])


@pytest.mark.parametrize("status", [408, 524, 529])
def test_an_overloaded_or_slow_server_is_asked_again_and_its_work_counts(agreed, status):
    use(agreed, price_out=1.0, budget=5.0)
    agreed.queue = [Said({}, status)]
    tally, asking = ask(1, budget=5.0)
    assert (tally.asked, tally.failed, len(agreed.asked)) == (1, [], 2)
    assert asking.client.spending.spent == pytest.approx((200 + 3 * 24 + 10) / 1e6)


def test_a_server_that_asks_for_hours_ends_the_job(agreed):
    agreed.queue = [Said({}, 429, {"Retry-After": "86400"})]
    with pytest.raises(ServiceProblem, match="asks to wait 86400 s"):
        ask(1, 2)


def test_three_articles_in_a_row_without_an_answer_end_the_job(agreed):
    store(*(paper(pmid=str(pmid)) for pmid in range(3, 8)))
    agreed.queue = [Said({"error": {"message": "overloaded"}}, 503)] * 3 * TRIES
    with pytest.raises(ServiceProblem, match=r"503 \(overloaded\); tried 5 times"):
        ask(1, 2, 3, 4, 5)
    assert len(agreed.asked) == 3 * TRIES


@pytest.mark.parametrize("status", [401, 403, 404, 302])
def test_what_no_other_try_mends_ends_the_job_at_once(agreed, status):
    agreed.queue = [Said({"error": {"message": "no"}}, status, {"Location": "http://127.0.0.1:9/v1"})]
    with pytest.raises(ServiceProblem, match=f"answered {status}"):
        ask(1, 2)
    assert len(agreed.asked) == 1


def test_what_the_server_does_not_take_is_left_out(agreed):
    refusals = ("Unknown field response_format", "'seed' is not supported", "use max_completion_tokens, not max_tokens")
    agreed.queue = [Said({"error": {"message": words}}, 400) for words in refusals]
    tally, asking = ask(1)
    last = agreed.asked[-1].body
    assert last["response_format"] == {"type": "json_object"} and "seed" not in last and "max_tokens" not in last
    assert last["max_completion_tokens"] > 0 and tally.failed == []
    assert asking.client.left_out == ["json_schema", "seed", "max_tokens"]


def test_a_question_that_is_too_long_fails_its_article_and_the_limit_of_answers_stays(agreed):
    words = "'max_tokens' is too large: 272. This model's maximum context length is 4096 tokens."
    agreed.queue = [Said({"error": {"message": words}}, 400)]
    tally, asking = ask(1, 2)
    assert [failed["article_id"] for failed in tally.failed] == [1] and asking.client.left_out == []
    assert [asked.body["max_tokens"] for asked in agreed.asked] == [200 + 3 * 24] * 2


def test_a_limit_that_is_too_large_for_the_server_is_left_out_where_answers_cost_nothing(agreed):
    words = "max_tokens is too large: 272. This model supports at most 200 completion tokens, whereas you provided 272."
    agreed.queue = [Said({"error": {"message": words}}, 400)] * 2
    tally, asking = ask(1, 2)
    assert tally.failed == [] and asking.client.left_out == [*LIMITS]


def test_an_answer_that_costs_is_never_asked_for_without_a_limit(agreed):
    use(agreed, price_out=1.0, budget=1.0)
    agreed.queue = [Said({"error": {"message": f"unknown field {name}"}}, 400) for name in LIMITS]
    tally, asking = ask(1, 2, budget=1.0)
    assert [failed["article_id"] for failed in tally.failed] == [1] and asking.client.left_out == ["max_tokens"]
    assert [any(name in asked.body for name in LIMITS) for asked in agreed.asked] == [True] * 3


def test_a_server_that_is_silent_is_given_up(agreed, monkeypatch):
    monkeypatch.setattr("annotate.llm.client.TRIES", 1)
    ended = threading.Event()
    asking = Asking(Spending(1, 0.0))
    asking.client.settings = copy.copy(asking.settings)
    object.__setattr__(asking.client.settings, "timeout_seconds", 0.2)  # less than people may choose
    agreed.queue = [Said({}, before=lambda: ended.wait(60))]
    tally = asking.about([1, 2], lambda done: None)
    ended.set()
    (failed,) = tally.failed
    assert "no whole answer within 0.2 s" in failed["reason"]


def test_costs_are_counted_and_the_budget_is_never_passed(agreed):
    store(*(paper(pmid=str(pmid)) for pmid in range(3, 9)))
    use(agreed, price_in=1000.0, price_out=10_000.0, budget=5.0)  # an answer costs 0.1 + 0.1, at the most some 4.6
    tally, asking = ask(*range(1, 9), budget=5.0)
    spent = asking.client.spending.spent
    assert tally.asked == len(agreed.asked) and 1 < tally.asked < 8
    assert spent == pytest.approx(0.2 * tally.asked) and spent <= 5
    assert "of the budget of 5 is left, the next question may cost" in tally.stopped


def test_what_the_server_does_not_count_costs_the_most_it_can(agreed):
    use(agreed, price_in=1.0, price_out=1.0, budget=5.0)
    agreed.queue = [Said(completion(scores_of({1: 0, 2: 0, 3: 0}), usage=None))]
    tally, _ = ask(1, budget=5.0)
    assert not tally.tokens_counted and tally.tokens_in > 100 and tally.tokens_out == 200 + 3 * 24


def test_a_question_in_flight_when_the_job_was_killed_counts_at_the_most(agreed):
    settings = use(agreed, price_in=1.0, price_out=1.0, budget=5.0)

    class Killed(BaseException):
        pass

    def die() -> None:
        raise Killed

    with pytest.raises(Killed):
        Spending(7, 5.0).ask(settings, b"x" * 2_000_000, 0, die)
    assert Spending(7, 5.0).spent == pytest.approx(1.0002)
    assert Spending(8, 5.0).spent == 0


def test_a_torn_line_of_the_spending_is_no_line(agreed):
    use(agreed, price_in=1.0, price_out=1.0, budget=5.0)
    ask(1, budget=5.0)
    path = home() / "llm" / "spent.jsonl"
    with path.open("a") as file:
        file.write('{"id": "a')
    assert Spending(1, 5.0).spent == pytest.approx(110 / 1e6)


def test_nothing_is_sent_without_consent_and_another_address_needs_another(home, service):
    store(paper(pmid="1"))
    with pytest.raises(NoConsent, match="no language model is set"):
        ask(1)
    change_settings("Mara", LlmSettings(address=service.address, model="small"))
    with pytest.raises(NoConsent, match="it was not agreed yet that the text of articles is sent to http://127"):
        ask(1)
    change_settings("Mara", LlmConsent(address=service.address))
    assert ask(1)[0].asked == 1
    other = service.address.replace("127.0.0.1", "localhost")
    change_settings("Mara", LlmSettings(address=other, model="small"))
    change_settings(
        "Mara", LlmSettings(address=service.address, model="small")
    )  # back: the consent is gone all the same
    with pytest.raises(NoConsent, match="it was not agreed"):
        ask(1)


def test_consent_taken_back_in_the_middle_ends_the_job(agreed):
    agreed.queue = [
        Said(completion(scores_of({1: 0, 2: 0, 3: 0})), before=lambda: change_settings("Mara", LlmConsent()))
    ]
    with pytest.raises(NoConsent, match="it was not agreed"):
        ask(1, 2)
    assert len(agreed.asked) == 1


def test_consent_taken_back_within_a_long_article_ends_the_job_before_its_next_part(agreed):
    store(paper([f"Sentence {number} of a long article says something about cells." for number in range(60)], pmid="3"))
    use(agreed, window_characters=1_000)
    agreed.queue = [
        lambda asked: Said(
            completion(scores_of(dict.fromkeys(asked.wanted, 0))), before=lambda: change_settings("Mara", LlmConsent())
        )
    ]
    with pytest.raises(NoConsent, match="it was not agreed"):
        ask(3)
    assert len(agreed.asked) == 1


def test_consent_taken_back_while_the_service_is_waited_for_ends_the_job(agreed):
    agreed.queue = [Said({}, 503)] * 2
    with pytest.raises(NoConsent, match="it was not agreed"):
        ask(1, wait=lambda seconds: change_settings("Mara", LlmConsent()))
    assert len(agreed.asked) == 1


def test_prices_without_a_budget_are_refused(agreed):
    use(agreed, price_in=1.0)
    with pytest.raises(NoConsent, match="name a budget"):
        ask(1)


def test_the_key_goes_to_its_own_address_alone_and_is_kept_nowhere(agreed, monkeypatch):
    monkeypatch.setenv("KEYLINE_LLM_KEY", "sk-secret")
    with pytest.raises(NoConsent, match="KEYLINE_LLM_ADDRESS does not say"):
        ask(1)
    monkeypatch.setenv("KEYLINE_LLM_ADDRESS", "https://api.example.org/v1")
    with pytest.raises(NoConsent):
        key_for(agreed.address)
    monkeypatch.setenv("KEYLINE_LLM_ADDRESS", agreed.address + "/chat/completions")
    agreed.queue = [Said({"error": {"message": "the key sk-secret is not known"}}, 401)]
    with pytest.raises(ServiceProblem, match="the key … is not known"):
        ask(1)
    ask(1)
    assert agreed.asked[1].headers["Authorization"] == "Bearer sk-secret"
    kept = b"".join(path.read_bytes() for path in home().rglob("*") if path.is_file())
    assert b"sk-secret" not in kept


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("http://localhost:11434", "http://localhost:11434/v1"),
        ("http://localhost:11434/", "http://localhost:11434/v1"),
        ("https://api.example.org/v1/chat/completions/", "https://api.example.org/v1"),
        (" https://api.example.org/openai/v1/ ", "https://api.example.org/openai/v1"),
        ("", ""),
    ],
)
def test_an_address_is_stored_as_the_base_of_the_service(written, stored):
    assert LlmSettings(address=written).address == stored


@pytest.mark.parametrize(
    "written", ["ftp://host/v1", "host:80", "https://me:secret@host/v1", "https://host/v1?key=1", "https://ho st"]
)
def test_what_is_no_address_is_refused(written):
    with pytest.raises(ValueError, match="address"):
        LlmSettings(address=written)


def test_the_metadata_of_a_cloud_is_never_asked(home):
    store(paper(pmid="1"))
    change_settings("Mara", LlmSettings(address="http://169.254.169.254/v1", model="small"))
    change_settings("Mara", LlmConsent(address="http://169.254.169.254/v1"))
    with pytest.raises(ServiceProblem, match=r"leads to 169\.254\.169\.254, which Keyline does not send to"):
        ask(1)


def test_a_damaged_file_is_asked_anew(agreed):
    _, asking = ask(1)
    (path,) = [path for path in (home() / "llm").rglob("*.json") if path.name != "asked.json"]
    whole = json.loads(path.read_text())
    for damaged in ({"scores": "none"}, whole | {"scores": ["a", "b", "c"]}, whole | {"scores": [0.1]}, []):
        path.write_text(json.dumps(damaged))
        assert scores(asking, 1) is None
    assert ask(1)[0].asked == 1
