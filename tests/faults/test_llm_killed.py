"""A job that asks a language model, killed in the middle: it goes on, and asks again at most what was in flight."""

import os
import signal

import db.rows
from annotate.jobs.lifecycle import start
from annotate.project.home import read
from annotate.project.stored_settings import change_settings
from annotate.proposing.answers.llm_settings import LlmConsent, LlmSettings
from db.tables import Job
from tests.annotate.jobs.test_lifecycle import ended
from tests.support.llm_service import Asked, Said, completion, language_model, scores_of
from tests.support.making import paper, store

NUMBER, KILLED_AT = 8, 4


def test_a_killed_job_goes_on_where_it_was_and_pays_once_more_for_one_question_at_most(home):
    store(*(paper(pmid=str(pmid)) for pmid in range(1, NUMBER + 1)))
    with language_model() as service:

        def kill() -> None:
            with read() as session:
                pid = db.rows.get(session, Job, job_id).pid
            os.kill(pid, signal.SIGKILL)

        def said(asked: Asked) -> Said:
            before = kill if len(service.asked) == KILLED_AT else (lambda: None)
            return Said(completion(scores_of(dict.fromkeys(asked.wanted, 0.0))), before=before)

        service.queue = [said] * KILLED_AT
        settings = LlmSettings(address=service.address, model="small", price_in=1.0, price_out=1.0, budget=1.0)
        change_settings("Mara", settings)
        change_settings("Mara", LlmConsent(address=settings.address))
        job_id = start("llm", {"task": "rank"})
        job = ended(job_id, 120)
    assert (job.state, job.attempts, job.result["articles_failed"]) == ("done", 2, 0)
    titles = [asked.body["messages"][-1]["content"].splitlines()[0] for asked in service.asked]
    assert len(titles) == NUMBER + 1 and len(set(titles)) == NUMBER
    assert titles[KILLED_AT - 1] == titles[KILLED_AT]
    assert job.result["articles_answered"] == NUMBER - KILLED_AT + 1
    assert job.result["cost"] > NUMBER * 110 / 1e6  # the question in flight counts at the most that it may have cost
