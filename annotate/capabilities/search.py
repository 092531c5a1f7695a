"""Search: the index follows each import."""

from annotate.capabilities.capability import Capability
from annotate.jobs.lifecycle import start_after_other_work
from annotate.search.upkeep import index_articles

CAPABILITY = Capability(
    jobs={"index": index_articles},
    commands=("search",),
    once_stored=(lambda _: start_after_other_work("index", {}),),
)
