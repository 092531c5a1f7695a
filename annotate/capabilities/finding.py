"""Find: the search index, which follows each import, vectors of whole articles, and the trained stage."""

from functools import partial

from annotate.capabilities.capability import Capability
from annotate.finding.rankers.jobs import train_ranker
from annotate.finding.search_vectors import store_vectors
from annotate.jobs.lifecycle import start_after_other_work
from annotate.jobs.monitor import Monitor
from annotate.search.upkeep import index_articles
from db.tables import ModelVersion


def _vectors_of_articles(version: ModelVersion, monitor: Monitor) -> None:
    store_vectors(version, partial(monitor.report, "comparing articles by meaning"), monitor.cancelled)


CAPABILITY = Capability(
    jobs={"index": index_articles, "find-train": train_ranker},
    once_stored=(lambda _: start_after_other_work("index", {}),),
    after_proposing=(_vectors_of_articles,),
)
