"""Times actions on all articles of a made-up project while somebody reviews: `python -m tests.measure.bulk [ARTICLES]`,
10,000 unless said. Prints for each its time, the processor's own, and the longest save of a verdict meanwhile.

Actions on so many are jobs, which run here in this process. The first is done at once, too, to see what that costs."""

import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence

from annotate.articles.document_labels import parse_labels
from annotate.curation.outcome import Outcome
from annotate.gold.label_sets import labels_now
from annotate.jobs.lifecycle import run_here
from annotate.jobs.many_articles import ACTIONS, HANDLERS_OF_MANY, as_given, asked, at_once, outcome_of
from annotate.project.home import read
from annotate.review.assignments import standing_of
from db.curation import count_listed, listed_ids, page_of_articles
from tests.measure.progress import fill
from tests.support.making import judge, verdict

PAUSE = 0.05  # seconds between two verdicts


class Reviewer:
    """Somebody who gives verdicts all the time, and how long each took to be on disk."""

    def __init__(self, article_id: int) -> None:
        self.article_id = article_id
        self.seconds: list[float] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._review)

    def __enter__(self) -> "Reviewer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _review(self) -> None:
        while not self._over.is_set():
            begun = time.perf_counter()
            judge("Saver", self.article_id, verdict(len(self.seconds) % 3))
            self.seconds.append(time.perf_counter() - begun)
            time.sleep(PAUSE)


def timed(name: str, work: Callable[[], object]) -> object:
    """Does it, and prints how long it took."""
    begun, own = time.perf_counter(), time.thread_time()
    found = work()
    print(f"{name}: {time.perf_counter() - begun:.2f} s (processor {time.thread_time() - own:.2f} s)", flush=True)
    return found


def job(action: str, ids: Sequence[int], **given: object) -> Outcome:
    """Does it as the job that the page begins."""
    payload = asked(action, action, ids, given)
    return outcome_of(payload, run_here(ACTIONS[action].kind, payload, HANDLERS_OF_MANY, lambda progress: None))


def act(name: str, reviewer: Reviewer, work: Callable[[], Outcome]) -> None:
    """Does it while somebody reviews."""
    reviewer.seconds.clear()
    outcome = timed(name, work)
    assert isinstance(outcome, Outcome)
    saves = [*reviewer.seconds] or [0.0]
    print(f"    {len(outcome.done):,} articles; longest of {len(saves)} saves meanwhile {max(saves):.3f} s", flush=True)


def labels() -> int:
    """How many articles hold labels now."""
    with read() as session:
        return len(labels_now(session).labels)


def queue() -> int:
    """How many articles wait for somebody new."""
    with read() as session:
        return len(standing_of(session, "Nobody").waiting)


def page() -> int:
    """The first page of the list, and how many there are."""
    with read() as session:
        return count_listed(session) + len(page_of_articles(session))


def main() -> None:
    """Prints how long each action and what follows it takes."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["KEYLINE_HOME"] = folder
        fill(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
        with read() as session:
            ids = listed_ids(session)
        timed("labels, first", labels)
        timed("queue, first", queue)
        with Reviewer(ids[0]) as reviewer:
            act("tag at once", reviewer, lambda: at_once("put_on", ids, {"tags": ["first"]}))
            act("tag", reviewer, lambda: job("put_on", ids, tags=["to read"]))
            act("take the tag off", reviewer, lambda: job("take_off", ids, tags=["to read"]))
            act("assign", reviewer, lambda: job("assign", ids, person="Saver"))
            timed("queue while all are assigned", queue)
            act("take the assignment back", reviewer, lambda: job("unassign", ids))
            labels_given = as_given(parse_labels({"gene": "TP53"}))
            act("label", reviewer, lambda: job("add_labels", ids, labels=labels_given))
            act("remove half", reviewer, lambda: job("remove", ids[1::2], reason=""))
            timed("labels after it", labels)
            timed("queue after it", queue)
            timed("list", page)
            act("take them back", reviewer, lambda: job("take_back", ids[1::2]))
            timed("labels after it", labels)
            timed("queue after it", queue)


if __name__ == "__main__":
    main()
