"""The pages: how each stands in the menu, and the right that opening it needs.

A new one is a file in pages/ that begins with `open_page()`, and its line here, or in the `shown` of an optional part,
by the name of that file.
"""

from functools import lru_cache

from annotate.project.rights import Right
from pages.parts.frame.shown import Entry, shown_parts

# In the order of the menu. What experts do all day lies open, under no heading; what curators and maintainers do now
# and then, one click below one.
CORE: dict[str, Entry] = {
    "start": Entry("", "Start", ":material/home:", Right.REVIEW),
    "articles": Entry("", "Articles", ":material/library_books:", Right.REVIEW),
    "review": Entry("", "Review", ":material/rate_review:", Right.REVIEW),
    "queue": Entry("", "Queue", ":material/low_priority:", Right.REVIEW),
    "progress": Entry("", "Progress", ":material/trending_up:", Right.REVIEW),
    "import_articles": Entry("Data", "Import", ":material/upload_file:", Right.IMPORT),
    "topic": Entry("Data", "Topic", ":material/category:", Right.TOPIC),
    "gold": Entry("Data", "Gold", ":material/verified:", Right.GOLD),
    "retrain": Entry("Model", "Retrain", ":material/model_training:", Right.TRAIN),
    "evaluate": Entry("Model", "Evaluate", ":material/monitoring:", Right.EVALUATE),
    "report": Entry("Model", "Report", ":material/lab_profile:", Right.EVALUATE),
    # It shows which sentences have no verdict, so it is for people who may see all labels.
    "fair_test": Entry("Model", "Fair test", ":material/balance:", Right.GOLD),
    "audit": Entry("Model", "Audit", ":material/fact_check:", Right.AUDIT),
    "agreement": Entry("Team", "Agreement", ":material/handshake:", Right.AGREEMENT),
    "adjudicate": Entry("Team", "Adjudicate", ":material/gavel:", Right.ADJUDICATE),
    "practice": Entry("Team", "Training round", ":material/school:", Right.REVIEW),
    # Of their own; of everybody with Right.HISTORY.
    "history": Entry("Team", "History", ":material/history:", Right.REVIEW),
    "people": Entry("Team", "People", ":material/group:", Right.PEOPLE),
    "status": Entry("Team", "Status", ":material/monitor_heart:", Right.OPERATE),
}
# The page that opens first: its address is the site's.
FIRST = "start"


@lru_cache(maxsize=1)
def entries() -> dict[str, Entry]:
    """All pages, in the order of the menu: the core's, and those that belong to parts that are on."""
    found = list(CORE.items())
    for name, entry in (pair for part in shown_parts() for pair in part.entries.items()):
        last = max((place for place, (_, known) in enumerate(found) if known.heading == entry.heading), default=-1)
        before = [place for place, (known, _) in enumerate(found) if known == entry.before]
        found.insert(before[0] if before else last + 1 or len(found), (name, entry))
    return dict(found)
