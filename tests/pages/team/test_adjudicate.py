"""The adjudication page, alone: the next sentence after each decision, stale screens, undo, hidden names, its text."""

import pytest
from sqlalchemy.exc import OperationalError
from streamlit.testing.v1 import AppTest

from annotate.review.assignments import finish_or_leave
from annotate.review.keys import ADJUDICATE, choose_keys
from annotate.team.adjudication import adjudicate
from pages.parts.frame.text import shown
from pages.parts.team import adjudicate_card
from tests.support.making import comment, judge, paper, query, reading, store, verdict
from tests.support.paths import PAGES
from tests.support.queueing import begin, given
from tests.support.told import columns_of, words

PAGE = PAGES / "adjudicate.py"
pytestmark = pytest.mark.usefixtures("home")
TEXT = ("The <b>gene</b> *is* known.", "Here we deleted TP53 in HeLa cells.", "The assay was measured.")


def page(article: object = None) -> AppTest:
    run = AppTest.from_file(str(PAGE), default_timeout=60)
    run.session_state.annotator = "Carla"
    if article is not None:
        run.query_params["article"] = str(article)
    return again(run)


def again(run: AppTest) -> AppTest:
    run.run()
    assert not run.exception, run.exception
    return run


def click(run: AppTest, name: str) -> AppTest:
    next(button for button in run.button if button.label == name).click()
    return again(run)


def html(run: AppTest) -> str:
    return "\n".join(element.proto.body for element in run.get("html"))


def place(run: AppTest) -> str:
    return run.get("progress")[0].proto.text


def some(number: int = 2) -> None:
    """Articles with two disputed sentences each, the first one with three."""
    store(*(paper(TEXT, pmid=str(pmid)) for pmid in range(1, number + 1)))
    for article_id in range(1, number + 1):
        judge("Anna", article_id, verdict(0), verdict(1), verdict(2, "accept" if article_id == 1 else "reject"))
        judge("Ben", article_id, *(verdict(p, "reject", shown={"rank": 1, "cosine": 0.75}) for p in range(3)))


def decisions() -> list[tuple[int, int, str]]:
    return query("SELECT s.article_id, s.position, v.value FROM verdict v JOIN sentence s ON s.id = v.sentence_id "
                 "WHERE v.role = 'adjudicator' ORDER BY v.id")  # fmt: skip


def test_an_empty_database_has_nothing_to_decide():
    assert page().success[0].value == "No disputed sentence is waiting for a decision."


def test_what_was_said_after_the_others_verdicts_were_shown_is_marked_as_not_blind():
    begin(1, double_share=1)
    judge("Anna", 1, verdict(0), verdict(1))
    judge("Ben", 1, verdict(0), verdict(1, "reject"))
    marked = "not blind: the others&#39; verdicts were shown"
    assert marked not in html(page())
    judge("Ben", 1, verdict(0, "reject"))
    assert html(page()).count(marked) == 1


def test_each_decision_puts_the_next_sentence_on_the_screen_and_then_the_next_article():
    some()
    run = page()
    assert run.selectbox[-1].label == "5 disputed sentences in 2 articles"
    assert place(run) == "Sentence 1 of 3 in this article, 0 decided"
    assert "<mark" in html(run)
    assert "The &lt;b&gt;gene&lt;/b&gt; *is* known.</mark>" in html(run)
    assert place(click(run, "Key")) == "Sentence 2 of 3 in this article, 1 decided"
    assert place(click(run, "Unsure")) == "Sentence 3 of 3 in this article, 2 decided"
    click(run, "Not key")
    assert run.selectbox[-1].value == 2
    assert place(run) == "Sentence 1 of 2 in this article, 0 decided"
    click(run, "Not key")
    click(run, "Not key")
    assert decisions() == [
        (1, 0, "accept"), (1, 1, "unsure"), (1, 2, "reject"), (2, 0, "reject"), (2, 1, "reject"),
    ]  # fmt: skip
    assert place(run) == "Sentence 2 of 2 in this article, 2 decided"  # nothing is left: it stays
    assert "Decided: Not key, by Carla" in words(run)
    assert not any("disputed" in box.label for box in run.selectbox)
    assert run.success[0].value == "No disputed sentence is waiting for a decision."
    assert page().success[0].value == "No disputed sentence is waiting for a decision."


def test_names_are_hidden_unless_asked_for_everywhere_but_in_decisions():
    some(1)
    judge("Anna", 1, comment(0, "See [me](http://x.example)"))
    run = page()
    told = html(run) + words(run)
    assert "Anna" not in told
    assert "Ben" not in told
    assert "A: <b>" in told
    assert "rank 1" in told and "cosine" not in told
    assert "“See [me](http://x.example)”" in html(run)
    assert set(columns_of(run, "Disputed sentences")) == {"No.", "By A", "By B", "Sentence"}
    next(toggle for toggle in run.toggle if toggle.label == "Show names").set_value(True)
    again(run)
    assert "Anna: <b>Key</b>" in html(run)
    assert set(columns_of(run, "Disputed sentences")) == {"No.", "By Anna", "By Ben", "Sentence"}


def test_the_comment_is_stored_with_the_decision_and_the_field_is_empty_again():
    some(1)
    run = page()
    run.text_input[0].set_value("It *says* so.")
    click(run, "Key")
    assert run.text_input[0].value == ""
    click(run, "Previous")
    assert "Decided: Key, by Carla" in words(run)
    assert "“It *says* so.”" in words(run)
    assert query("SELECT text FROM comment") == [("It *says* so.",)]


def test_a_stale_screen_is_told_and_shows_what_is_said_by_now():
    some(1)
    run = page()
    number, seen = query("SELECT sentence_id, max(id) FROM verdict GROUP BY sentence_id ORDER BY sentence_id")[0]
    adjudicate("Dan", 1, number, "reject", seen=seen, event_id="first")
    click(run, "Key")
    assert run.error[0].value.replace("\\", "").startswith("Not saved: this sentence changed since you opened it.")
    assert decisions() == [(1, 0, "reject")]
    assert place(run) == "Sentence 1 of 3 in this article, 1 decided"
    assert "Decided: Not key, by Dan" in words(run)
    click(run, "Key")
    assert decisions() == [(1, 0, "reject"), (1, 0, "accept")]
    assert not run.error


@pytest.mark.parametrize("left", [2, 0])
def test_a_sentence_that_is_no_longer_disputed_is_not_mistaken_for_the_next_one(left):
    store(paper(TEXT, pmid="1"))
    judge("Anna", 1, *(verdict(position) for position in range(left + 1)))
    judge("Ben", 1, *(verdict(position, "reject") for position in range(left + 1)))
    run = page()
    judge("Ben", 1, verdict(0))
    click(run, "Not key")
    (error,) = run.error
    assert error.value.replace("\\", "") == (
        "Not saved: this sentence changed since you opened it. That sentence is no longer disputed."
        + (" Another sentence is on the screen." if left else "")
    )
    assert decisions() == [] and len(run.success) == (not left)
    assert not again(run).error


def test_undo_takes_back_decision_by_decision_and_withdraw_the_one_on_the_screen():
    some(1)
    run = page()
    click(run, "Key")
    click(run, "Previous")
    click(run, "Not key")
    click(run, "Unsure")
    assert decisions()[-1] == (1, 1, "unsure")
    assert place(click(run, "Undo")) == "Sentence 2 of 3 in this article, 1 decided"
    assert place(click(run, "Undo")) == "Sentence 1 of 3 in this article, 1 decided"
    assert "Decided: Key, by Carla" in words(run)
    click(run, "Undo")
    assert "Not decided yet." in words(run)
    assert [value for _, _, value in decisions()] == [
        "accept", "reject", "unsure", "withdrawn", "accept", "withdrawn",
    ]  # fmt: skip
    assert next(button for button in run.button if button.label == "Undo").disabled
    click(run, "Key")
    click(run, "Previous")
    click(run, "Withdraw")
    assert "Not decided yet." in words(run)
    assert place(run) == "Sentence 1 of 3 in this article, 0 decided"


def test_undo_never_puts_the_curators_name_to_what_another_decided():
    some(1)
    run = page()
    number, seen = query("SELECT sentence_id, max(id) FROM verdict GROUP BY sentence_id ORDER BY sentence_id")[0]
    adjudicate("Dan", 1, number, "reject", seen=seen, event_id="first")
    click(run, "Key")  # told that it changed
    click(run, "Key")
    click(run, "Undo")
    assert [value for _, _, value in decisions()] == ["reject", "accept", "withdrawn"]
    assert "Not decided yet." in words(run)


def test_a_sentence_can_be_decided_to_and_fro_without_leaving_it():
    store(paper(TEXT, pmid="1"))
    judge("Anna", 1, verdict(0))
    judge("Ben", 1, verdict(0, "reject"))
    run = page()
    for name in ("Key", "Not key", "Key"):
        click(run, name)
    assert [value for _, _, value in decisions()] == ["accept", "reject", "accept"]


def test_the_same_click_twice_is_stored_once(monkeypatch):
    """As where the browser sends it again before the screen has moved on: the same event of the same screen."""
    some(1)
    stored = adjudicate_card._store
    monkeypatch.setattr(adjudicate_card, "_store", lambda *args: [stored(*args) for _ in range(2)][1])
    click(page(), "Key")
    assert decisions() == [(1, 0, "accept")]


def test_the_history_and_the_whole_article_are_within_reach():
    some(1)
    run = page()
    click(run, "Key")
    click(run, "Previous")
    assert "Carla (decision): Key" in html(run)
    assert html(run).count(TEXT[2]) == 2  # the case, and the table of all
    next(toggle for toggle in run.toggle if toggle.label == "The whole article").set_value(True)
    again(run)
    assert html(run).count(TEXT[2]) == 3
    assert html(run).count("<mark") == 4
    assert "<b>gene" not in html(run)


def test_what_counts_as_a_disagreement_can_be_chosen():
    store(paper(TEXT, pmid="1"))
    judge("Anna", 1, verdict(0), verdict(1, "unsure"), verdict(2, "reject"))
    judge("Ben", 1, verdict(1), reading())
    run = page()
    assert run.selectbox[-1].label == "1 disputed sentence in 1 article"
    assert "read the article in full and left it unjudged" in html(run)
    next(toggle for toggle in run.toggle if toggle.label == "Unsure").set_value(True)
    assert again(run).selectbox[-1].label == "2 disputed sentences in 1 article"
    next(toggle for toggle in run.toggle if toggle.label == "Passed over").set_value(False)
    assert again(run).selectbox[-1].label == "1 disputed sentence in 1 article"


def test_articles_in_work_wait_unless_asked_for():
    begin(1, double_share=1.0, experts=2)
    assert given("Anna") == given("Ben") == 1
    judge("Anna", 1, verdict(0), verdict(1))
    judge("Ben", 1, verdict(0, "reject"))
    finish_or_leave("Anna", 1)
    run = page(1)
    assert not run.success
    assert run.info[1].value == (
        "No disputed sentence is waiting for a decision. 1 disputed sentence in 1 article that somebody still has open."
    )
    assert run.info[0].value.startswith("Annotators are still reviewing that article.")
    next(toggle for toggle in run.toggle if toggle.label == "All articles").set_value(True)
    assert place(again(run)) == "Sentence 1 of 1 in this article, 0 decided"


@pytest.mark.parametrize("article", ["", "7", "-1", "x", "9" * 400, "1;DROP", "5f0c9a81d2e4b763"])
def test_any_address_opens(article):
    some(1)
    run = page(article)
    assert place(run) == "Sentence 1 of 3 in this article, 0 decided"


def test_the_keys_of_its_buttons_are_the_curators_own():
    some(1)
    choose_keys("Carla", {"accept": "1", "next": "w"}, ADJUDICATE)
    keys = {button.label: button.proto.shortcut for button in page().button if button.proto.shortcut}
    assert keys == {"Key": "1", "Unsure": "s", "Not key": "x", "Undo": "u", "Previous": "p", "Next": "w"}


def test_an_undo_that_found_the_database_busy_can_be_tried_again(monkeypatch):
    some()
    run = page()
    click(run, "Key")
    click(run, "Not key")

    def busy(*_args, **_kwargs):
        raise OperationalError("locked", {}, Exception("database is locked"))

    with monkeypatch.context() as locked:
        locked.setattr(adjudicate_card, "adjudicate", busy)
        click(run, "Undo")
    assert [error.value for error in run.error] == [shown(adjudicate_card.BUSY)]
    click(run, "Undo")
    assert decisions() == [(1, 0, "accept"), (1, 1, "reject"), (1, 1, "withdrawn")]
