"""Search: the index follows each import."""

from annotate.capabilities.capability import Capability, Payload
from annotate.jobs.lifecycle import start_after_other_work
from annotate.search.indexing import index_articles


def _index(_payload: Payload) -> None:
    start_after_other_work("index", {})


CAPABILITY = Capability(jobs={"index": index_articles}, commands=("search",), once_stored=(_index,))
