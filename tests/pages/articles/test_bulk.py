"""The page Articles: what is done to many articles at once, what it says of it, and the way back."""

import pytest
from sqlalchemy import update
from streamlit.testing.v1 import AppTest

from annotate.curation.removal import remove
from annotate.curation.tags import put_on
from annotate.gold.formats.export import DOCUMENT_FORMATS
from annotate.gold.rows import gold_rows
from annotate.jobs.lifecycle import enqueue
from annotate.jobs.lifecycle import run as jobs_run
from annotate.jobs.many_articles import HANDLERS_OF_MANY
from annotate.project.acting import Actor, acting
from annotate.project.home import read, write
from annotate.project.rights import Right
from db.curation import Wanted
from db.review.verdicts import annotator_id
from db.tables import Verdict
from db.values import Origin
from pages.parts.articles import bulk
from pages.parts.articles.article_list import Chosen
from pages.parts.articles.bulk import chosen_files
from tests.support.making import judge, paper, query, store, store_proposed, verdict
from tests.support.paths import PAGES

pytestmark = pytest.mark.usefixtures("home")
ALL = Chosen(Wanted(), 3, None)


def page(name: str = "articles", **asked: str) -> AppTest:
    run = AppTest.from_file(str(PAGES / f"{name}.py"), default_timeout=60)
    run.session_state["annotator"] = "Anna"
    run.query_params.update(asked)
    return checked(run.run())


def checked(run: AppTest) -> AppTest:
    assert not run.exception
    return run


def told(run: AppTest) -> str:
    return " ".join(part.value.replace("\\", "") for part in (*run.success, *run.error))


def of_all(run: AppTest) -> AppTest:
    """With all chosen that the filters find."""
    return checked(run.toggle(key="bulk_all").set_value(True).run())


def press(run: AppTest, key: str) -> str:
    checked(run.button(key=key).click().run())
    return told(run)


@pytest.fixture
def three(home):
    store_proposed(3)
    judge("Anna", 1, verdict(0), verdict(1, "reject"))
    judge("Ben", 2, verdict(0))


def test_tags_are_put_on_all_that_the_filters_find_and_filter_the_list(three):
    put_on([3], ["new"])
    run = of_all(page())
    run.multiselect(key="bulk_tags").set_value(["new"]).run()
    assert press(run, "bulk_tag") == "Put new on 2 of 3 articles. Left out: 1 tagged so already."
    run.selectbox(key="tagged").set_value("new").run()
    assert list(checked(run).dataframe[0].value["tags"].map(list)) == [["new"]] * 3
    assert press(of_all(page()), "bulk_tag") == "Name at least one tag"


def test_a_removal_says_what_is_kept_and_is_undone(three):
    run = of_all(page())
    run.text_input(key="bulk_reason").set_value("off topic").run()
    assert press(run, "bulk_remove") == (
        "Removed 3 of 3 articles. Kept, to come back with them: 3 judged sentences in 2 articles."
    )
    assert run.metric[0].value == "0" and run.selectbox(key="shown").label == "Show (3 removed)"
    assert press(run, "undo_removal") == "Restored 3 of 3 articles."
    assert run.metric[0].value == "3" and "undo_removal" not in [button.key for button in run.button]


def test_removed_articles_are_listed_apart_with_why_and_are_taken_back(three):
    remove([2], "off topic")
    run = page()
    checked(run.selectbox(key="shown").set_value("removed").run())
    row = run.dataframe[0].value.iloc[0]
    assert (row["title"], row["removed by"], row["why"]) == ("Article 2", "operator", "off topic")
    assert press(of_all(run), "bulk_take_back") == "Restored 1 of 1 article."
    assert query("SELECT removed FROM article_removal ORDER BY id") == [(1,), (0,)]


@pytest.mark.postgresql
def test_articles_are_assigned_and_given_back_to_everybody(three):
    judge("A file of labels", 3, verdict(2))
    with write(Right.SYSTEM) as session:
        of_file = Verdict.annotator_id == annotator_id(session, "A file of labels")
        session.execute(update(Verdict).where(of_file).values(origin=Origin.IMPORTED))
    run = of_all(page())
    assert run.selectbox(key="bulk_person").options == ["Anna", "Ben", bulk.NOBODY]
    assert run.selectbox(key="bulk_person").value is None and run.button(key="bulk_assign").disabled
    run.selectbox(key="bulk_person").set_value("Ben").run()
    assert press(run, "bulk_assign") == "Assigned to Ben 2 of 3 articles. Left out: 1 reviewed by others."
    run = of_all(run)
    run.selectbox(key="bulk_person").set_value(bulk.NOBODY).run()
    assert press(run, "bulk_assign") == ("Unassigned 2 of 3 articles. Left out: 1 not assigned.")


def test_proposals_are_asked_for_the_chosen_articles_alone(three, monkeypatch):
    asked = []
    monkeypatch.setattr(bulk, "job_started", lambda *job: asked.append(job) or True)
    assert press(of_all(page()), "bulk_propose") == "Proposing for 3 articles has begun."
    assert asked == [("propose", {"article_ids": [3, 2, 1]})]


def test_nothing_can_be_done_before_an_article_is_chosen(three):
    run = page()
    assert "Tick rows to choose articles." in [caption.value for caption in run.caption]
    assert not told(run)


def test_articles_without_text_are_told_and_what_related_counts_is_no_column(three):
    store(paper((), pmid="9"))
    run = page()
    assert "1 article without text: the queue leaves it out." in [caption.value for caption in run.caption]
    assert not {"related", "cites", "cited by"} & set(run.dataframe[0].value.columns)


def test_the_files_of_chosen_articles_hold_these_alone(three):
    files = {file.name: file for place in chosen_files(Chosen(Wanted(), 1, (1,))).values() for file in place}
    assert len(files) == 5 + len(DOCUMENT_FORMATS)
    table = files["keyline-articles.csv"].content().decode()
    assert "Article 1" in table and "Article 2" not in table
    documents = files["keyline-articles.bioc.json"].content()
    assert b"Article 1" in documents and b"Article 2" not in documents
    with read() as session:
        assert len(gold_rows(session)) > table.count("\n") - 1 == 2
    with pytest.raises(ValueError, match="none of these articles holds a labelled sentence"):
        chosen_files(Chosen(Wanted(), 1, (3,)))["chosen_gold"][0].content()
    noted = query("SELECT summary FROM history WHERE kind = 'export' ORDER BY id")
    assert noted[0] == ("exported the gold of 1 chosen article as keyline-articles.csv",)


def test_all_that_the_filters_find_is_found_when_it_is_asked_for(three):
    remove([2])
    assert ALL.ids() == [3, 1] and Chosen(Wanted(), 1, (2,)).ids() == [2]


def test_review_of_a_removed_article_says_who_removed_it_and_takes_it_back(three):
    remove([1], "off topic")
    run = page("review", article="1")
    assert "operator removed this article from the project: off topic" in run.warning[0].value.replace("\\", "")
    back = next(button for button in run.button if button.label == "Restore")
    checked(back.click().run())
    assert query("SELECT removed FROM article_removal ORDER BY id") == [(1,), (0,)] and not run.warning


def test_many_articles_become_a_job_that_is_told_when_it_ends_and_undone(three, monkeypatch):
    begun = []

    def started(kind, payload):
        begun.append(enqueue(kind, payload))
        return True

    monkeypatch.setattr(bulk, "AT_ONCE", 2)
    monkeypatch.setattr(bulk, "job_started", started)
    run = of_all(page())
    assert press(run, "bulk_remove") == ""
    with acting(Actor("Anna", operator=True)):
        jobs_run(begun[0], HANDLERS_OF_MANY)
    assert told(checked(run.run())) == (
        "Removed 3 of 3 articles. Kept, to come back with them: 3 judged sentences in 2 articles."
    )
    assert press(run, "undo_removal") == ""
    jobs_run(begun[1], HANDLERS_OF_MANY)
    assert told(checked(run.run())) == "Restored 3 of 3 articles."
    assert query("SELECT kind, state FROM job ORDER BY id") == [("remove", "done")] * 2
