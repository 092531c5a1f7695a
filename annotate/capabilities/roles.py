"""Roles of sentences: read after each import, and sorted by likeness after proposing."""

from functools import partial
from typing import Any

import db.registry
from annotate.capabilities.capability import Capability, Payload, after_other_work
from annotate.engines.chosen import engine_of
from annotate.jobs.lifecycle import start_after_other_work
from annotate.jobs.monitor import Monitor
from annotate.project.home import read
from annotate.project.stored_settings import settings_now
from annotate.proposing.roles import RankingSettings, read_with, to_propose
from annotate.roles.vector_files import keep_vectors
from db.tables import ModelVersion


def read_functions(payload: Payload, monitor: Monitor) -> dict[str, Any]:
    """Reads what sentences do in the articles not read as they are now; trains the reader first if there is none."""
    from annotate.roles.labelled import NoAbstracts  # noqa: PLC0415 (with what reads articles)
    from annotate.roles.reading import read_roles  # noqa: PLC0415 (torch takes seconds to import)

    try:
        with engine_of(payload) as engine:  # it is asked to stop also while it learns, which takes minutes
            count = read_roles(payload.get("article_ids"), monitor.proceed, monitor.cancelled, engine)
    except NoAbstracts as error:  # nothing is broken: somebody has to install or to train first
        return {"articles_read": 0, "to_do": str(error)}
    monitor.stop_if_cancelled()
    sort_by_likeness(None, monitor)
    monitor.stop_if_cancelled()
    with read() as session:
        ranked_by_roles = settings_now(session, RankingSettings).roles and db.registry.encoder_in_use(session)
        read_now = read_with(session, monitor.job_id)
        article_ids = to_propose(session, read_now)
    if read_now and ranked_by_roles:
        start_after_other_work("propose", {} if article_ids is None else {"article_ids": article_ids})
    return {"articles_read": count}


def sort_by_likeness(_version: ModelVersion | None, monitor: Monitor) -> None:
    """Sorts the sentences of all articles that were read by what is alike."""
    keep_vectors(partial(monitor.report, "sorting sentences by similarity"), monitor.cancelled)


CAPABILITY = Capability(
    jobs={"functions": read_functions},
    after_import=(after_other_work("functions"),),
    after_proposing=(sort_by_likeness,),
)
