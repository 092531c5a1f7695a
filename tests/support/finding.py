"""Questions to test Find with: kept, judged, and what is stored of them."""

import secrets
from typing import Any

from annotate.finding.asking.saved import Asked, keep, record
from annotate.finding.question import Facet, Question
from annotate.search.upkeep import update
from tests.support.browser import wait_for_run

ASKED = Asked(Question("in cells", {"gene": (Facet("TP53", ("p53",)),)}), ("words",))


def relevance(key: str, value: Any = "relevant", **more: Any) -> dict[str, Any]:
    """An event of the page Find about an article."""
    return {"id": secrets.token_hex(16), "kind": "relevance", "key": key, "value": value, **more}


def wish(article: Any, value: Any = True, **more: Any) -> dict[str, Any]:
    """An event of the page Find that puts an article into the queue, or takes it out."""
    return {"id": secrets.token_hex(16), "kind": "queue", "article": article, "value": value, **more}


def say(reviewer: str, question_id: int, *events: dict[str, Any]) -> None:
    """Records events and checks that none was refused."""
    stored, refused = record(reviewer, question_id, events)
    assert (len(stored), refused) == (len(events), [])


def ask(reviewer: str, text: str = "in cells", *, named: bool = True) -> int:
    """The id of a question that is kept for this reviewer; `named`: it asks for a gene, too."""
    return keep(reviewer, Asked(Question(text, ASKED.question.facets if named else {}), ("words",)))


def index() -> None:
    """Makes the search index, as the job does after an import."""
    update()


def screened(page: Any, count: int) -> None:
    """Waits until the page counts so many as screened, and has finished."""
    page.get_by_test_id("stMetric").filter(has_text="Screened").get_by_text(str(count), exact=True).wait_for()
    wait_for_run(page)
