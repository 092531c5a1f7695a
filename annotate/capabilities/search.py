"""Search: the index follows each import."""

from annotate.capabilities.capability import Capability, Payload
from annotate.finding.indexing import index_articles
from annotate.jobs.lifecycle import start_after_other_work


def _index(_payload: Payload) -> None:
    start_after_other_work("index", {})


CAPABILITY = Capability(jobs={"index": index_articles}, once_stored=(_index,))
