"""Europe PMC on the page Find: what is sent, what is shown of the answer, and what is imported."""

from typing import Any

import pytest

from annotate.finding.library import Document
from annotate.finding.outside.service import NoAnswer, Outside
from tests.pages.finding.conftest import listed, opened, view
from tests.support.finding import ask
from tests.support.making import query, store_proposed

pytestmark = pytest.mark.usefixtures("home")


def test_the_query_for_europe_pmc_is_printed_and_a_failure_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any) -> None:
        raise NoAnswer("Europe PMC cannot be reached")

    store_proposed(1)
    page = view(opened(question=ask("Anna")), "Europe PMC")
    printed = page.text_area(key="find_query")
    assert printed.value == '(TITLE_ABS:"TP53" OR TITLE_ABS:"p53") AND (in cells)'
    printed.set_value("x[zz]").run()
    page.button(key="find_outside").click().run()
    assert not page.exception and "is no tag that is understood" in page.error[0].value
    monkeypatch.setattr("pages.parts.finding.outside_view.search_outside", away)
    page.text_area(key="find_query").set_value("x").run()
    page.button(key="find_outside").click().run()
    assert "cannot be reached" in page.error[0].value


def test_find_asks_europe_pmc_in_its_view_and_writes_the_query_again(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    monkeypatch.setattr(
        "pages.parts.finding.outside_view.search_outside", lambda text: sent.append(text) or Outside([], 0, {}, {}, [])
    )
    store_proposed(1)
    page = view(opened(question=ask("Anna")), "Europe PMC")
    page.text_area(key="find_query").set_value("mine").run()
    assert sent == []
    page.button(key="find_ask").click().run()
    assert sent == ['(TITLE_ABS:"TP53" OR TITLE_ABS:"p53") AND (in cells)'] == [page.text_area(key="find_query").value]
    view(page, "Find").button(key="find_ask").click().run()
    view(page, "Europe PMC")
    assert len(sent) == 1 and not page.exception


def test_what_is_outside_is_ranked_marked_and_imported_only_when_told(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Any] = []
    documents = [Document("pmid:50", "Other", ""), Document("pmid:1", "TP53 in cells", "", article_id=1)]
    documents.append(Document("pmid:51", "Loss of TP53 in cells", "Cells without p53 grew."))
    outside = Outside(documents, 1234, {"pmid:1": 1}, {"pmid:50": "50", "pmid:51": "51"}, ["x is no PMID"])
    monkeypatch.setattr("pages.parts.finding.outside_view.search_outside", lambda text: outside)
    monkeypatch.setattr(
        "pages.parts.articles.importing.job_started", lambda kind, payload: started.append((kind, payload)) or True
    )
    store_proposed(1)
    page = view(opened(question=ask("Anna")), "Europe PMC")
    page.button(key="find_outside").click().run()
    assert not page.exception
    assert any("1,234 found" in part.value and "1 of them are in the project" in part.value for part in page.markdown)
    rows = {row["key"]: row for row in listed(page)["rows"]}
    assert list(rows)[-1] == "pmid:50" and ["p53", "blue"] in rows["pmid:51"]["sentences"][0]["parts"]
    assert rows["pmid:51"]["state"] == "not here yet" and not rows["pmid:51"]["queueable"]
    assert rows["pmid:51"]["link"]["href"] == "https://pubmed.ncbi.nlm.nih.gov/51/"
    assert rows["pmid:1"]["link"]["href"] == "/review?article=1"
    assert started == [] and query("SELECT count(*) FROM article") == [(1,)]
    page.button(key="find_import_all").click().run()
    ((kind, payload),) = started
    assert kind == "import" and sorted(payload["identifiers"]) == ["50", "51"]


def test_a_query_that_was_changed_by_hand_is_there_again_after_another_view_and_another_question() -> None:
    store_proposed(1)
    first, second = ask("Anna"), ask("Anna", "other words")
    page = view(opened(question=first), "Europe PMC")
    made = page.text_area(key="find_query").value
    page.text_area(key="find_query").set_value(f"{made} AND mine").run()
    view(page, "Saved")
    assert view(page, "Europe PMC").text_area(key="find_query").value == f"{made} AND mine"
    page.session_state.find_question = second
    page.query_params["question"] = str(second)
    page.run()
    assert page.text_area(key="find_query").value not in (made, f"{made} AND mine")
    page.session_state.find_question = first
    page.query_params["question"] = str(first)
    page.run()
    assert page.text_area(key="find_query").value == f"{made} AND mine"
